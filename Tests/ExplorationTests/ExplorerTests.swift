import CaseReduction
import Exploration
import ScenarioModel
import ScenarioYAML
import Testing

@Suite("Explorations")
struct ExplorerTests {
  private static func explorer(
    _ judgements: Set<ExploredTrial.Judgement>, seed: UInt64 = 21,
    _ play: @escaping (Scenario, ExploredTrial.Point) -> CaseResult
  ) throws -> Explorer {
    let drawing = TrialDrawing(
      try Committed.bases(), .init(seed: seed, worlds: [.simulated], judgements: judgements))
    return Explorer(drawing) { cases in cases.map { play($0.scenario, $0.point) } }
  }

  private static func describe(_ sighting: Explorer.Sighting) -> String {
    let first = sighting.result.deviations.first.map { "\($0.kind) \($0.expected); \($0.actual)" } ?? ""
    return "\(sighting.trial.number) \(sighting.trial.origin) \(sighting.point.variant.name): \(first)\n"
      + ScenarioWriter.yaml(sighting.trial.scenario)
  }

  @Test("the sound reference yields nothing", arguments: ExploredTrial.Judgement.allCases)
  func sound(judgement: ExploredTrial.Judgement) throws {
    var explorer = try Self.explorer([judgement]) { Committed.play($0, $1.variant, seed: $1.seed) }
    let sightings = try explorer.round(of: 100)
    #expect(sightings.isEmpty, "\(sightings.first.map(Self.describe) ?? "")")
    #expect(explorer.tally.allTrials > 40 && explorer.tally.void == 0)
    #expect(explorer.tally.allTrials + explorer.tally.discarded == 100)
  }

  @Test("the tally says what was explored and what never")
  func tally() throws {
    var explorer = try Self.explorer([.model, .laws]) { Committed.play($0, $1.variant, seed: $1.seed) }
    _ = try explorer.round(of: 120)
    let tally = explorer.tally
    #expect(tally.states.reached.contains("length+no-write") && tally.unreached.contains("no-read+write-asked"))
    #expect(tally.judged["RD-LEN-01"] ?? 0 > 0 && tally.judged["ACC-01"] == nil)
    let open = tally.open(of: ["RD-LEN-01", "NO-99"])
    #expect(open.never == ["NO-99"] && open.touched.isEmpty)
  }

  struct Bug: CustomTestStringConvertible, Sendable {
    var mutation: String
    var judgement: ExploredTrial.Judgement
    var testDescription: String { "\(mutation), judged by \(judgement.rawValue)" }
  }

  static let bugs = [
    Bug(mutation: "corrupt didRead", judgement: .model),
    Bug(mutation: "lose didWrite", judgement: .model),
    Bug(mutation: "mistag didRead of delimiter", judgement: .expectations),
    Bug(mutation: "repeat didDisconnect", judgement: .laws),
  ]

  @Test("a planted bug is found, made smaller, and its file fails with the bug and passes without", arguments: bugs)
  func finds(bug: Bug) throws {
    let mutation = try EventMutation(bug.mutation)
    let broken = { (scenario: Scenario, point: ExploredTrial.Point) in
      Committed.play(scenario, point.variant, seed: point.seed, with: mutation)
    }
    var explorer = try Self.explorer([bug.judgement], broken)
    var sightings: [Explorer.Sighting] = []
    for _ in 0..<20 where sightings.isEmpty { sightings = try explorer.round(of: 10) }
    let found = try #require(sightings.first)
    let base = try Committed.scenarios.get().first { $0.id == found.trial.origin.scenario }
    var reduction = TrialReduction(
      found.trial, in: .simulated, base: base,
      play: { trials, _ in
        trials.map { Committed.play($0.scenario, $0.variant, seed: $0.seed, with: mutation) }
      })
    let reduced = try #require(try reduction.reduced(found.point.variant, seed: found.point.seed))
    let before = ReductionTrial(scenario: found.trial.scenario, variant: found.point.variant, seed: 0).size
    #expect(reduced.best.size.steps <= before.steps)
    let text = KeptTrial.text(
      reduced, of: found.trial, in: .simulated, id: "kept", origin: "Found by a test.", command: "./lab run kept.yaml")
    let read = ScenarioReader.read(text, id: "kept")
    let kept = try #require(read.scenario, "\(read.diagnostics)\n\(text)")
    let variant = try #require(kept.variant(named: reduced.best.variant.name))
    let failing = Committed.play(kept, variant, seed: reduced.best.seed, with: mutation)
    #expect(!failing.isAsExpected, "\(text)")
    let passing = Committed.play(kept, variant, seed: reduced.best.seed)
    #expect(passing.isAsExpected, "\(passing.deviations)\n\(text)")
  }

  @Test("the same seed finds the same")
  func same() throws {
    let mutation = try EventMutation("corrupt didRead")
    let sightings = try (0..<2).map { _ in
      var explorer = try Self.explorer([.model], seed: 33) {
        Committed.play($0, $1.variant, seed: $1.seed, with: mutation)
      }
      return try explorer.round(of: 60).map { [$0.subject, $0.point.variant.name, "\($0.trial.number)"] }
    }
    #expect(sightings[0] == sightings[1] && !sightings[0].isEmpty)
  }
}
