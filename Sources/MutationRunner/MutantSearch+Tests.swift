import Foundation
import HostTools
import PlantedBugs
import ScenarioModel

/// A Swift test, by the place of its declaration.
package struct TestPlace: Hashable, Sendable, Comparable {
  /// Of its file: `Tests/SocketCoreTests/DelimiterTests.swift`.
  package var path: String
  /// Of its `@Test`, from 1.
  package var line: Int
  /// What people call it, for tables.
  package var name: String

  package init(path: String, line: Int, name: String) {
    self.path = path
    self.line = line
    self.name = name
  }

  /// For records.
  package var text: String { "\(path): \(name)" }

  /// What the test library's filter finds this test by, and no other: its module and the place of its declaration.
  var filter: String {
    let parts = path.split(separator: "/")
    let module = parts.count > 1 ? NSRegularExpression.escapedPattern(for: String(parts[1])) : ""
    let file = NSRegularExpression.escapedPattern(for: String(parts.last ?? ""))
    return "^\(module)\\..*/\(file):\(line):"
  }

  package static func < (left: Self, right: Self) -> Bool { (left.path, left.line) < (right.path, right.line) }
}

// What Swift tests see of a planted bug.
extension MutantSearch {
  /// The tests that turn red with the bug, and are green without it. Each is run in a process of its own, because a bug
  /// may end the process.
  func redTests(of tests: [TestPlace], number: Int) throws -> [TestPlace] {
    try tests.filter { test in
      guard try isRed(test, number: number) else { return false }
      return try !isRed(test, number: 0)
    }
  }

  /// Longer than any test takes, and waits that a bug makes vain.
  private static let testLimit = Duration.seconds(120)

  private func isRed(_ test: TestPlace, number: Int) throws -> Bool {
    var environment = ProcessInfo.processInfo.environment
    environment[SourcePatch.variable] = "\(number)"
    let child = ChildGroup(
      ChildPlan(
        executable: tree.tests, arguments: ["--testing-library", "swift-testing", "--filter", test.filter],
        environment: environment, limit: Self.testLimit),
      deathPipe: deathPipe)
    var hasBegun = false
    let result = try child.run { if $0.text.contains("Test run started") { hasBegun = true } }
    if result.isStopped { throw LabFailure("The zoo was interrupted.") }
    return try Self.isRed(test, end: result.end, isOverdue: result.isOverdue, hasBegun: hasBegun)
  }

  /// What an end says: a test that fails, ends its process or hangs has noticed the bug; one that could not be run has
  /// not.
  static func isRed(_ test: TestPlace, end: ChildResult.End, isOverdue: Bool, hasBegun: Bool) throws -> Bool {
    // EX_UNAVAILABLE: no test has matched.
    guard hasBegun, end != .exited(69) else {
      throw LabFailure("The test at \(test.path):\(test.line) could not be run: exit code \(end.code).")
    }
    return isOverdue || end != .exited(0)
  }
}
