import FuzzCampaign
import FuzzHarness
import Testing

@testable import MutationRunner

/// The table of planted bugs in words.
@Suite struct MutationTableTests {
  private func mutant(_ name: String, found executions: [Int?] = [], scenarios: [String]? = nil) -> Mutant {
    var mutant = Mutant(name, what: "drops a byte")
    mutant.origin = "issue | 1"
    if !executions.isEmpty {
      let trials = executions.enumerated().map { seed, count in
        HuntTrial(seed: UInt64(seed), isFound: count != nil, executions: count, seconds: 1)
      }
      mutant.hunts = [Hunt(target: "scanner", lane: .cov, limitSeconds: 60, trials: trials)]
    }
    if let scenarios {
      let deviation = scenarios.isEmpty ? nil : "late: expected a;\nnot seen"
      mutant.note([Sighting(world: "simulated", scenarios: scenarios, deviation: deviation)])
    }
    return mutant
  }

  @Test func aLineSaysWhoNoticed() {
    let found = MutationTable.line(mutant("a", found: [2_000, 1_000, 3_000], scenarios: ["read/line"]))
    #expect(found == "✓ a: scanner, 2,000 executions; read/line\n    simulated, 1 scenario; late: expected a; not seen")
    #expect(
      MutationTable.line(mutant("b", found: [nil, 5, nil], scenarios: []))
        == "✗ b: not found by scanner (1 of 3 trials); no scenario")
    #expect(MutationTable.line(mutant("c")) == "✗ c: not hunted; scenarios not run")
    var tested = mutant("d")
    tested.tests = ["Tests/A.swift: a"]
    #expect(MutationTable.line(tested) == "✓ d: not hunted; scenarios not run; 1 test\n    Tests/A.swift: a")
    tested.tests = []
    #expect(MutationTable.line(tested) == "✗ d: not hunted; scenarios not run; no test")
  }

  @Test func survivorsStandFirstAndBarsAreEscaped() throws {
    var same = mutant("c")
    same.equivalence = "nobody can see it"
    let zoo = BugZoo([
      mutant("a", found: [1]), mutant("b", scenarios: []), same, mutant("d", scenarios: ["read/line"]), mutant("e"),
    ])
    let rows = MutationTable.markdown(zoo).split(separator: "\n")
      .filter { $0.hasPrefix("| `") }
    #expect(rows.map { $0.dropFirst(3).prefix(1) } == ["b", "e", "a", "d", "c"])
    #expect(rows[0].contains(#"issue \| 1"#))
    #expect(rows[4].contains("equivalent: nobody can see it"))
    let summary = MutationTable.summary(zoo)
    #expect(summary.hasPrefix("2 of 3 planted bugs were noticed: 1 by scenarios, 1 by fuzzing, 0 by Swift tests."))
    #expect(summary.contains(" 1 more were not let out yet."))
    #expect(summary.hasSuffix("✗ b was not noticed: drops a byte\n✗ e was not let out yet: drops a byte"))
  }
}
