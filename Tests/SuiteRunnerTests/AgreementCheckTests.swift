import ScenarioModel
import Testing

@testable import SuiteRunner

/// Which differences between two subjects stay when both play their case again.
@Suite struct AgreementCheckTests {
  private static func result(_ id: String, _ verdict: Verdict, program: String? = nil) -> CaseResult {
    let variant = Variant(subject: .gcd, family: .ipv4, cut: .whole, queues: .separate)
    var result = CaseResult(
      scenario: Scenario(id: id, title: id), variant: program.map { variant.of(program: $0) } ?? variant,
      world: .loopback, seed: 1)
    result.verdict = verdict
    return result
  }

  private static func pair(_ library: Verdict, _ program: Verdict, id: String = "read/line") -> AgreementCheck.Pair {
    .init(library: result(id, library), program: result(id, program, program: "x"))
  }

  /// What the library and the program show in each further round; nil: they can't be played.
  private static let rows: [(name: String, rounds: [(Verdict, Verdict)?], stays: Bool, played: Int)] = [
    ("alike at once", [(.passed, .passed)], false, 1), ("both fail", [(.failed, .failed)], false, 1),
    ("alike in the last round", [(.passed, .failed), (.failed, .passed), (.passed, .passed)], false, 3),
    ("never alike", [(.passed, .failed), (.passed, .hang), (.passed, .failed)], true, 3),
    ("alike too late", [(.passed, .failed), (.passed, .failed), (.passed, .failed), (.passed, .passed)], true, 3),
    ("alike and said nothing", [(.inconclusive, .inconclusive), (.error, .error), (.passed, .failed)], true, 3),
    ("could not be played", [nil, nil, nil], true, 3),
    ("could be played at last", [nil, (.passed, .passed)], false, 2),
  ]

  @Test(arguments: rows.indices) func aDifferenceStaysUnlessBothAreJudgedAlikeOnce(row: Int) {
    let (name, rounds, stays, played) = Self.rows[row]
    var round = 0
    let left = AgreementCheck.lasting([Self.pair(.passed, .failed)]) { asked in
      #expect(asked.map(\.name).count == 2, "\(name)")
      defer { round += 1 }
      return rounds[round].map { [Self.result("read/line", $1, program: "x"), Self.result("read/line", $0)] } ?? []
    }
    #expect(left.count == (stays ? 1 : 0) && round == played, "\(name)")
  }

  @Test func onlyWhatDiffersIsPlayedAgainAndWhatIsToldIsWhatWasSeenLast() throws {
    var asked: [[String]] = []
    let pairs = [Self.pair(.passed, .failed, id: "a"), Self.pair(.passed, .timeout, id: "b")]
    let left = AgreementCheck.lasting(pairs) { results in
      asked.append(results.map(\.scenario))
      return results.map { result in
        var again = result
        if result.scenario == "a" {
          again.verdict = .passed
        } else if result.variant.program != nil {
          again.verdict = .hang
        }
        return again
      }
    }
    #expect(asked == [["a", "a", "b", "b"], ["b", "b"], ["b", "b"]])
    #expect(left.map(\.program.verdict) == [.hang])
  }

  @Test func manyDifferencesAreNoMatterOfChance() {
    let pairs = (0..<100).map { Self.pair(.passed, .failed, id: "\($0)") }
    var most = 0
    let left = AgreementCheck.lasting(pairs) { results in
      most = max(most, results.count)
      return results.map { result in
        var again = result
        again.verdict = .passed
        return again
      }
    }
    #expect(most == 2 * AgreementCheck.maxReplayed && left.count == 100 - AgreementCheck.maxReplayed)
  }

  @Test func withoutADifferenceNothingIsPlayed() {
    let left = AgreementCheck.lasting([]) { _ in
      Issue.record("played")
      return []
    }
    #expect(left.isEmpty)
  }
}
