import HostTools
import PlantedBugs
import ScenarioModel
import Testing

@testable import MutationRunner

/// What explorations make of planted bugs.
@Suite struct BugExplorationTests {
  private let all = PlantedBug.all.enumerated().map { (number: $0.offset + 1, bug: $0.element) }

  @Test("a sample is drawn from its seed, from bugs that somebody can notice")
  func sample() {
    let one = BugExploration.sample(40, of: all, seed: 7)
    #expect(one.map(\.number) == BugExploration.sample(40, of: all, seed: 7).map(\.number))
    #expect(one.map(\.number) != BugExploration.sample(40, of: all, seed: 8).map(\.number))
    #expect(one.count == 40 && Set(one.map(\.number)).count == 40)
    #expect(one.allSatisfy { $0.bug.equivalence == nil && PlantedBug.number(of: $0.bug.id) == $0.number })
    #expect(BugExploration.sample(3, of: Array(all.prefix(2)), seed: 1).count <= 2)
  }

  @Test("without a report an end counts as noticed, and an exploration that could not begin proves nothing")
  func unreported() throws {
    for exit in [LabExit.usage, .badScenario, .nothingRan] {
      #expect(throws: LabFailure.self) {
        try BugExploration.unreported("a", end: .exited(exit.rawValue), isOverdue: false, .seconds(1), "")
      }
    }
    let crash = try BugExploration.unreported("a", end: .signalled(4), isOverdue: false, .seconds(1), "Fatal error")
    #expect(crash == .init(bug: "a", seconds: 1, key: "(the exploration ends)", detail: "Fatal error"))
    let slow = try BugExploration.unreported("a", end: .signalled(9), isOverdue: true, .seconds(1), "")
    #expect(slow.key == "(the exploration hangs)")
  }

  @Test("what was found is told with its time, and how many were")
  func words() {
    let found = BugExploration.Outcome(bug: "a", seconds: 12, key: "INV-04 invariant", detail: "expected b\nactual c")
    let missed = BugExploration.Outcome(bug: "b", seconds: 300, key: nil)
    #expect(MutationTable.line(found) == "✓ a: INV-04 invariant, after 12 s\n    expected b actual c")
    #expect(MutationTable.line(missed) == "✗ b: not found in 5 min 0 s")
    #expect(MutationTable.summary([found, missed]) == "1 of 2 planted bugs were found, half of them within 12 s.")
    #expect(MutationTable.summary([missed]) == "0 of 1 planted bug were found.")
  }
}
