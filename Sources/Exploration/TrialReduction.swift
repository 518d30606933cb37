import CaseReduction
import ReferenceModel
import ScenarioModel

/// Makes a trial smaller as long as it shows the same.
///
/// Laws
/// - A program is made smaller as a program: whatever is left, the model says anew what must be seen, so a sound
///   subject passes it.
/// - Of a changed scenario first the changes are left out, then `CaseReducer` goes on.
/// - Where only laws are judged, a peer that had its way in the beginning has it in what is left: the file must pass
///   when the subject is mended.
/// - Pure but for what it is given to play cases with.
package struct TrialReduction {
  /// Plays scenarios, each at a point of its matrix with a seed; nil for one that was not played.
  package typealias Play = ([ReductionTrial], WorldName) throws -> [CaseResult?]

  /// What is left.
  package struct Reduced {
    /// The smallest case that shows the finding.
    package var best: ReductionTrial
    /// What it shows, in a line.
    package var text: String
    /// What of the changes is needed, in words; empty: the committed scenario shows it as it stands, or nothing was
    /// changed.
    package var changes: [String]
    /// Cases that were played.
    package var plays: Int

    package init(best: ReductionTrial, text: String, changes: [String], plays: Int) {
      self.best = best
      self.text = text
      self.changes = changes
      self.plays = plays
    }
  }

  private let trial: ExploredTrial
  private let world: WorldName
  private let base: Scenario?
  private let play: Play
  private let isStopped: () -> Bool
  private var plays = 0
  /// Whether a peer's lane may meet something else than it expects; by laws that is no finding.
  private var toleratesPeers = true

  /// - Parameters:
  ///   - world: where the finding showed.
  ///   - base: the committed scenario that the trial was made of; nil: none, or it is not at hand.
  ///   - isStopped: whether the search shall end with what it has.
  package init(
    _ trial: ExploredTrial, in world: WorldName, base: Scenario?, play: @escaping Play,
    isStopped: @escaping () -> Bool = { false }
  ) {
    self.trial = trial
    self.world = world
    self.base = base
    self.play = play
    self.isStopped = isStopped
  }

  /// Makes it as small as it gets. nil: played again, it does not show the finding.
  package mutating func reduced(_ variant: Variant, seed: UInt64) throws -> Reduced? {
    let start = ReductionTrial(scenario: trial.scenario, variant: variant, seed: seed)
    plays += 1
    guard let raw = try play([start], world)[0], TrialJudge.finding(raw, by: trial.judgement) != nil else { return nil }
    toleratesPeers = trial.judgement != .laws || Self.disappointsPeer(raw)
    let result = TrialJudge.judged(raw, by: trial.judgement)
    if trial.judgement == .model, let program = trial.program {
      return try reducedProgram(program, start, kind(of: result))
    }
    return try reducedScenario(start)
  }

  /// What a finding is while its program gets smaller: the kind of the first deviation, the requirement at stake, and
  /// what it is about.
  private func kind(of result: CaseResult) -> String {
    guard let first = result.deviations.first else { return result.verdict.rawValue }
    return [first.kind.rawValue, first.requirement, String(first.expected.prefix { $0.isLetter })]
      .compactMap(\.self).joined(separator: " ")
  }

  /// Whether a peer met something else than its lane expects.
  private static func disappointsPeer(_ result: CaseResult) -> Bool {
    result.deviations.contains { $0.kind == .peer }
  }

  private mutating func shown(_ trials: [ReductionTrial]) throws -> [CaseResult?] {
    plays += trials.count
    return try play(trials, world).map { result in
      guard let result, TrialJudge.finding(result, by: trial.judgement) != nil,
        toleratesPeers || !Self.disappointsPeer(result)
      else { return nil }
      return TrialJudge.judged(result, by: trial.judgement)
    }
  }

  // MARK: Programs

  /// Seeds under which a smaller program may show the same.
  private static let otherSeeds: UInt64 = 3

  private mutating func reducedProgram(
    _ program: SocketProgram, _ start: ReductionTrial, _ kind: String
  ) throws -> Reduced {
    var best = start
    var story = program
    var search = self
    func take(_ candidates: [(SocketProgram, Variant)]) throws -> [ReductionTrial?] {
      try search.programs(candidates, like: best, kind)
    }
    for simplify in Self.simplerSettings {
      var variant = best.variant
      simplify(&variant)
      if variant != best.variant, let found = try take([(story, variant)])[0] { best = found }
    }
    func minimise(_ count: Int, _ smaller: ([Int]) -> SocketProgram) throws {
      var known: [[Int]: ReductionTrial] = [:]
      let kept = try DeltaDebugging.minimise(
        count,
        test: { candidates in
          guard !isStopped() else { return candidates.map { _ in false } }
          let found = try take(candidates.map { (smaller($0), best.variant) })
          return zip(candidates, found).map { candidate, trial in
            known[candidate] = trial
            return trial != nil
          }
        }, accepted: { kept in if let trial = known[kept] { best = trial } })
      story = smaller(kept)
    }
    let reactions = story.reactions
    try minimise(reactions.count) { kept in story.with { $0.reactions = kept.map { reactions[$0] } } }
    let steps = story.steps
    try minimise(steps.count) { kept in story.with { $0.steps = kept.map { steps[$0] } } }
    for trifle in story.trifles {
      while let smaller = story.without(trifle), let found = try take([(smaller, best.variant)])[0] {
        (best, story) = (found, smaller)
      }
    }
    plays = search.plays
    let result = try shown([best])[0]
    let text = result.flatMap { FindingIdentity($0)?.text } ?? kind
    return Reduced(best: best, text: text, changes: trial.changes.texts, plays: plays)
  }

  /// One thing simpler each, of whatever variant it is by then.
  private static let simplerSettings: [@Sendable (inout Variant) -> Void] = [
    { $0.security = .plain }, { $0.speed = .all }, { $0.queues = .separate }, { $0.cut = .whole },
    { $0.family = .ipv4 },
  ]

  private mutating func programs(
    _ candidates: [(SocketProgram, Variant)], like best: ReductionTrial, _ kind: String
  ) throws -> [ReductionTrial?] {
    var tried: [(owner: Int, trial: ReductionTrial)] = []
    for (owner, (program, variant)) in candidates.enumerated() {
      let setting = ProgramTrial.Setting(world: world, variant: variant)
      guard let scenario = ProgramTrial.scenario(program, id: best.scenario.id, setting),
        scenario.variants.contains(variant)
      else { continue }
      for offset in 0...(world == .simulated ? Self.otherSeeds : 0) {
        tried.append((owner, ReductionTrial(scenario: scenario, variant: variant, seed: best.seed &+ offset)))
      }
    }
    var found: [ReductionTrial?] = candidates.map { _ in nil }
    guard !tried.isEmpty, !isStopped() else { return found }
    for (place, result) in zip(tried, try shown(tried.map(\.trial))) where found[place.owner] == nil {
      if let result, self.kind(of: result) == kind { found[place.owner] = place.trial }
    }
    return found
  }

  // MARK: Scenarios

  private mutating func reducedScenario(_ start: ReductionTrial) throws -> Reduced {
    var (best, left) = (start, trial.changes)
    if let base, case .scenario(let changes) = trial.changes {
      // Nothing, each change alone, each of them left out: there are three at most.
      let attempts =
        [[]] + changes.map { [$0] }
        + changes.indices.map { place in
          changes.indices.filter { $0 != place }.map { changes[$0] }
        }
      for attempt in attempts where attempt.count < changes.count {
        let made = TrialDrawing.changed(
          base, by: attempt, isFaithful: trial.judgement == .expectations, id: start.scenario.id)
        guard let (scenario, _) = made, scenario.at(start.variant.speed).variants.contains(start.variant) else {
          continue
        }
        let candidate = ReductionTrial(scenario: scenario, variant: start.variant, seed: start.seed)
        guard try shown([candidate])[0] != nil else { continue }
        (best, left) = (candidate, .scenario(attempt))
        break
      }
    }
    var text = ""
    var count = plays
    let (judgement, toleratesPeers) = (trial.judgement, toleratesPeers)
    // A scenario's expectations hold at the points of its matrix only.
    let points = judgement == .expectations ? Set(best.scenario.at(best.variant.speed).variants) : nil
    do {
      let reducer = try CaseReducer(
        best, in: world,
        .init(
          probe: { [play, world] trials in
            let places = trials.indices.filter { points?.contains(trials[$0].variant) ?? true }
            count += places.count
            var results: [CaseResult?] = trials.map { _ in nil }
            for (place, result) in zip(places, try play(places.map { trials[$0] }, world)) {
              guard let result, toleratesPeers || !Self.disappointsPeer(result) else { continue }
              results[place] = TrialJudge.judged(result, by: judgement)
            }
            return results
          }, isStopped: isStopped))
      try reducer.reduce()
      best = reducer.best
      text = reducer.identity.text
    } catch is CaseReducer.Refusal {
      // It does not show every time; it is kept as it is.
      text = "shows only sometimes"
    }
    plays = count
    return Reduced(best: best, text: text, changes: left.texts, plays: plays)
  }
}

extension SocketProgram {
  fileprivate func with(_ change: (inout SocketProgram) -> Void) -> SocketProgram {
    var program = self
    change(&program)
    return program
  }

  /// One thing that may go, with its place among the steps.
  fileprivate enum Trifle {
    case answers, halfClose
    case timeout(Int)
    case firstHalf(Int), lastHalf(Int)
  }

  /// All that there might be. Whether a step has such a thing, `without` says.
  fileprivate var trifles: [Trifle] {
    [.answers, .halfClose] + steps.indices.flatMap { [.timeout($0), .lastHalf($0), .firstHalf($0)] }
  }

  /// The program without it; nil: there is no such thing in it, or not any more.
  fileprivate func without(_ trifle: Trifle) -> SocketProgram? {
    switch trifle {
    case .answers: extensions.isEmpty ? nil : with { $0.extensions = [] }
    case .halfClose: closesOnEndOfStream ? nil : with { $0.closesOnEndOfStream = true }
    case .timeout(let place):
      switch steps[place] {
      case .call(.read(let read, .some)): with { $0.steps[place] = .call(.read(read, timeout: nil)) }
      case .call(.write(let bytes, .some)): with { $0.steps[place] = .call(.write(bytes, timeout: nil)) }
      default: nil
      }
    case .firstHalf(let place): halved(place) { $0.dropFirst($0.count / 2) }
    case .lastHalf(let place): halved(place) { $0.dropLast($0.count / 2) }
    }
  }

  private func halved(_ place: Int, _ half: ([UInt8]) -> ArraySlice<UInt8>) -> SocketProgram? {
    guard case .arrive(let bytes) = steps[place], bytes.count > 1 else { return nil }
    return with { $0.steps[place] = .arrive(Array(half(bytes))) }
  }
}
