import Exploration
import ScenarioModel
import Testing

@Suite("Trials of an exploration")
struct TrialDrawingTests {
  private static func drawing(
    seed: UInt64, worlds: Set<WorldName> = Set(WorldName.allCases), subjects: [SubjectKind] = SubjectKind.allCases
  ) throws -> TrialDrawing {
    TrialDrawing(try Committed.bases(), .init(seed: seed, subjects: subjects, worlds: worlds))
  }

  @Test("the same seed draws the same trials, whoever asks in whatever order; another seed draws others")
  func seeds() throws {
    let (one, again, other) = (try Self.drawing(seed: 4), try Self.drawing(seed: 4), try Self.drawing(seed: 5))
    let numbers = Array(0..<120)
    let backwards = Array(numbers.reversed().map { again.trial($0) }.reversed())
    #expect(numbers.map { one.trial($0) } == backwards)
    #expect(numbers.map { one.trial($0) } != numbers.map { other.trial($0) })
    #expect(numbers.compactMap { one.trial($0) }.count > 80, "most of what is drawn can be played")
  }

  @Test("a trial is played where and with whom it was asked for, at points that its scenario has")
  func points() throws {
    let drawing = try Self.drawing(seed: 9, worlds: [.simulated], subjects: [.gcd])
    for trial in (0..<150).compactMap({ drawing.trial($0) }) {
      #expect(!trial.points.isEmpty)
      for point in trial.points {
        #expect(point.world == .simulated && point.variant.subject == .gcd)
        #expect(trial.scenario.at(point.variant.speed).variants.contains(point.variant), "\(point.variant.name)")
      }
    }
  }

  @Test("what a scenario of one speed expects is judged at that speed; laws are judged at any")
  func speeds() throws {
    let bases = try Committed.bases()
    let oneSpeed = Set(bases.filter { $0.scenario.matrix.speeds == [.all] }.map(\.scenario.id))
    for judgement in [ExploredTrial.Judgement.expectations, .laws] {
      let drawing = TrialDrawing(bases, .init(seed: 7, judgements: [judgement]))
      let trials = (0..<400).compactMap { drawing.trial($0) }.filter { oneSpeed.contains($0.origin.scenario ?? "") }
      let others = trials.filter { $0.points.contains { $0.variant.speed != .all } }
      #expect(trials.count > 50 && others.isEmpty == (judgement == .expectations), "\(judgement): \(others.count)")
    }
  }

  @Test("only the judgements that were asked for")
  func judgements() throws {
    for judgement in ExploredTrial.Judgement.allCases {
      let drawing = TrialDrawing(try Committed.bases(), .init(seed: 2, judgements: [judgement]))
      let trials = (0..<40).compactMap { drawing.trial($0) }
      #expect(!trials.isEmpty && trials.allSatisfy { $0.judgement == judgement })
    }
  }

  @Test("each scenario is chosen once before any is chosen again")
  func turns() throws {
    let bases = try Committed.bases()
    let drawing = TrialDrawing(bases, .init(seed: 3, worlds: [.simulated], judgements: [.laws]))
    let chosen = (0..<bases.count).compactMap { drawing.trial($0)?.origin.scenario }
    #expect(Set(chosen).count == chosen.count && chosen.count > bases.count / 3)
  }

  @Test("without scenarios there are programs only, and without anything to draw nothing")
  func empty() {
    let programs = TrialDrawing([], .init(seed: 1, worlds: [.simulated]))
    #expect(!programs.isEmpty && (0..<20).compactMap { programs.trial($0) }.allSatisfy { $0.origin == .drawn })
    let nothing = TrialDrawing([], .init(seed: 1, judgements: [.expectations]))
    #expect(nothing.isEmpty && nothing.trial(0) == nil)
  }
}
