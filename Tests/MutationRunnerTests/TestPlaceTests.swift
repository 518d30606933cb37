import HostTools
import ScenarioModel
import Testing

@testable import MutationRunner

/// Swift tests that look for planted bugs.
@Suite struct TestPlaceTests {
  private static let place = TestPlace(path: "Tests/SocketCoreTests/Wide/A+B.swift", line: 8, name: "one: two")

  @Test func aTestIsFoundByTheFilterOfItsPlaceAlone() throws {
    let filter = try Regex(Self.place.filter)
    #expect("SocketCoreTests.Suite/a(b:)/A+B.swift:8:4".contains(filter))
    for other in [
      "SocketCoreTests.Suite/a(b:)/A+B.swift:80:4", "SocketCoreTests.Suite/a(b:)/AAB.swift:8:4",
      "OtherSocketCoreTests.Suite/a(b:)/A+B.swift:8:4",
    ] {
      #expect(!other.contains(filter), "\(other)")
    }
    #expect(Self.place.text == "Tests/SocketCoreTests/Wide/A+B.swift: one: two")
  }

  @Test(arguments: [
    (ChildResult.End.exited(0), false, false), (.exited(1), false, true), (.signalled(5), false, true),
    (.signalled(9), true, true),
  ])
  func aTestThatFailsEndsOrHangsIsRed(end: ChildResult.End, isOverdue: Bool, isRed: Bool) throws {
    #expect(try MutantSearch.isRed(Self.place, end: end, isOverdue: isOverdue, hasBegun: true) == isRed)
  }

  @Test(arguments: [(ChildResult.End.exited(69), true), (.exited(1), false), (.exited(0), false)])
  func aTestThatWasNotRunIsNoWitness(end: ChildResult.End, hasBegun: Bool) {
    let failure = #expect(throws: LabFailure.self) {
      try MutantSearch.isRed(Self.place, end: end, isOverdue: false, hasBegun: hasBegun)
    }
    #expect(failure?.message.contains("Tests/SocketCoreTests/Wide/A+B.swift:8 could not be run") == true)
  }
}
