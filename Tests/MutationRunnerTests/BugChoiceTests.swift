import FuzzCampaign
import HostTools
import PlantedBugs
import Testing

@testable import MutationRunner

/// Which planted bugs a command's words mean.
@Suite struct BugChoiceTests {
  private static let bugs = ["a-bug", "b-bug", "c-bug"].map {
    PlantedBug($0, "classic", "It is wrong.", violates: [], targets: [])
  }

  @Test(arguments: [
    ([], [1, 2, 3]), (["b-bug"], [2]), (["3", "a-bug"], [3, 1]), (["2", "2"], [2, 2]),
  ])
  func namesAndNumbers(_ names: [String], _ numbers: [Int]) throws {
    let chosen = try BugChoice.named(names, of: Self.bugs)
    #expect(chosen.map(\.number) == numbers)
    #expect(chosen.map(\.bug.id) == numbers.map { Self.bugs[$0 - 1].id })
  }

  @Test(arguments: ["d-bug", "0", "4", "-1", "01", ""])
  func whatNothingIsCalledIsWrongUsage(_ name: String) {
    let failure = #expect(throws: UsageFailure.self) { try BugChoice.named(["a-bug", name], of: Self.bugs) }
    #expect(failure?.message.hasPrefix("There is no planted bug \(name).") == true)
  }

  @Test func whatWasFoundOrCannotBeIsNotLookedForAgain() throws {
    var mutants = Self.bugs.map { Mutant($0.id, what: $0.defect) }
    mutants[0].note([Sighting(world: "loopback", scenarios: ["read/one"], deviation: nil)])
    mutants[1].note([Sighting(world: "loopback", scenarios: [], deviation: nil)])
    mutants[2].equivalence = "Nobody can tell."
    let all = try BugChoice.named([], of: Self.bugs)
    #expect(BugChoice.unnoticed(of: all, in: BugZoo(mutants)).map(\.number) == [2])
    #expect(BugChoice.unnoticed(of: all, in: BugZoo([])).count == 3, "what nobody has looked for is unnoticed")
  }
}
