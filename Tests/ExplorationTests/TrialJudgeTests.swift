import CaseReduction
import ScenarioModel
import Testing

@testable import Exploration

/// What of a case is a finding, whoever judges it, and what the tally makes of it.
@Suite("Judges of an exploration")
struct TrialJudgeTests {
  private static let scenario = Scenario(id: "a/b", title: "t")

  private static func result(
    _ verdict: Verdict, _ kinds: [Deviation.Kind] = [], backtrace: [String] = []
  ) -> CaseResult {
    var result = CaseResult(scenario: scenario, variant: scenario.variants[0], world: .simulated, seed: 1)
    (result.verdict, result.backtrace) = (verdict, backtrace)
    result.deviations = kinds.map { Deviation(kind: $0, expected: "order", actual: "disorder") }
    return result
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var result: CaseResult
    /// By the laws of every case, and by whoever expects something.
    var isFinding: (laws: Bool, expectations: Bool)
  }

  private static let rows = [
    Row(testDescription: "it passes", result: result(.passed), isFinding: (false, false)),
    Row(testDescription: "something is missing", result: result(.failed, [.missing]), isFinding: (false, true)),
    Row(
      testDescription: "and then a law is broken", result: result(.failed, [.missing, .invariant]),
      isFinding: (true, true)),
    Row(testDescription: "it crashes", result: result(.crash, backtrace: ["0 f"]), isFinding: (true, true)),
    Row(testDescription: "it hangs", result: result(.hang, backtrace: ["0 f"]), isFinding: (true, true)),
    Row(testDescription: "it waits in vain", result: result(.hang, [.missing]), isFinding: (false, true)),
    Row(testDescription: "its control failed", result: result(.error, [.invariant]), isFinding: (false, false)),
    Row(testDescription: "the host was late", result: result(.inconclusive, [.missing]), isFinding: (false, false)),
  ]

  @Test("laws are broken by what breaks a law; expectations by whatever is not expected", arguments: rows)
  func finding(_ row: Row) {
    #expect((TrialJudge.finding(row.result, by: .laws) != nil) == row.isFinding.laws)
    for judgement in [ExploredTrial.Judgement.model, .expectations] {
      #expect((TrialJudge.finding(row.result, by: judgement) != nil) == row.isFinding.expectations)
    }
  }

  private static func trial(
    _ number: Int = 0, _ judgement: ExploredTrial.Judgement = .expectations, points: Int = 1
  ) -> ExploredTrial {
    var scenario = scenario
    scenario.requirements = ["RD-LEN-01"]
    return ExploredTrial(
      number: number, origin: .scenario("a/b"), judgement: judgement, changes: .scenario([]), scenario: scenario,
      points: (0..<points).map { .init(variant: scenario.variants[0], world: .simulated, seed: UInt64($0)) })
  }

  @Test("a case that proves nothing is no case that was judged")
  func tally() {
    let rows: [(verdicts: [Verdict], trials: Int, void: Int, unsupported: Int)] = [
      ([.passed], 1, 0, 0), ([.failed], 1, 0, 0), ([.error], 0, 1, 0), ([.inconclusive], 0, 1, 0),
      ([.skipped], 0, 0, 1), ([.unsupported], 0, 0, 1), ([.error, .passed], 1, 1, 0), ([], 0, 0, 0),
    ]
    for row in rows {
      var tally = ExplorationTally()
      let played = row.verdicts.map { Self.result($0) }
      tally.count(Self.trial(points: max(1, played.count)), played.isEmpty ? [nil] : played)
      #expect(tally.allTrials == row.trials && tally.void == row.void, "\(row)")
      #expect(tally.unsupported == row.unsupported && tally.allCases == row.verdicts.count, "\(row)")
      #expect(tally.judged["RD-LEN-01"] == (row.trials > 0 ? 1 : nil), "\(row)")
      #expect(tally.provesNothing == (row.trials == 0), "\(row)")
    }
  }

  @Test("what was only disturbed is touched, not judged")
  func touched() {
    var tally = ExplorationTally()
    tally.count(Self.trial(0, .laws), [Self.result(.passed)])
    #expect(tally.judged["RD-LEN-01"] == nil && tally.judged["INV-01"] == 1)
    let open = tally.open(of: ["INV-01", "RD-LEN-01", "NO-99"])
    #expect(open.never == ["NO-99"] && open.touched == ["RD-LEN-01"])
  }

  @Test("each trial has the results of its own points")
  func alignment() throws {
    let drawing = TrialDrawing(try Committed.bases(), .init(seed: 4, worlds: [.simulated], judgements: [.expectations]))
    var played: [(id: String, seed: UInt64)] = []
    var explorer = Explorer(drawing) { cases in
      played = cases.map { ($0.scenario.id, $0.point.seed) }
      return cases.indices.map { $0 % 5 == 3 ? Self.result(.failed, [.missing]) : Self.result(.passed) }
    }
    let sightings = try explorer.round(of: 20)
    let wanted = played.indices.filter { $0 % 5 == 3 }.map { "\(played[$0].id) \(played[$0].seed)" }
    #expect(sightings.map { "\($0.trial.scenario.id) \($0.point.seed)" } == wanted && wanted.count > 3)
  }

  @Test("a canary, which must fail, is nothing to explore")
  func canaries() throws {
    var base = try #require(try Committed.bases().first { $0.program != nil })
    base.scenario.canary = true
    #expect(TrialDrawing([base], .init(seed: 1, worlds: [.simulated], judgements: [.expectations, .laws])).isEmpty)
  }
}
