import ScenarioModel

/// Makes a failing case smaller, as long as it shows the same finding.
///
/// Laws
/// - Nothing is accepted that shows another finding (`FindingIdentity`), or besides the finding something that the case
///   did not show, because then too much was left out; nor what can't be written as a file.
/// - What is left passes once the subject is mended, as far as that can be known: parts go by the rules of
///   `ScenarioUnits`, or one by one where a sound subject, or the same one under another schedule, passes what is left.
///   A broken invariant or a crash is wrong whatever is expected: then everything may go.
/// - The best so far is always at hand: an interruption loses nothing.
///
/// Pure, except for the functions of `Means`, such as the one that runs cases.
package final class CaseReducer {
  /// Plays trials; nil for one that was not played.
  package typealias Probe = ([ReductionTrial]) throws -> [CaseResult?]

  /// What the reducer needs of the outside.
  package struct Means {
    /// Plays trials with the subject.
    package var probe: Probe
    /// Says of each trial whether a sound subject passes it; nil: there is none at hand.
    package var validate: (([ReductionTrial]) throws -> [Bool])?
    /// Whether the search shall end with what it has.
    package var isStopped: () -> Bool
    /// Takes what a person likes to know.
    package var report: (Progress) -> Void

    package init(
      probe: @escaping Probe, validate: (([ReductionTrial]) throws -> [Bool])? = nil,
      isStopped: @escaping () -> Bool = { false }, report: @escaping (Progress) -> Void = { _ in }
    ) {
      self.probe = probe
      self.validate = validate
      self.isStopped = isStopped
      self.report = report
    }
  }

  /// How far the search is.
  package struct Progress: Sendable {
    /// What is tried to go: `steps`.
    package var stage: String
    /// Of the best so far.
    package var size: ReductionSize
    /// Trials so far.
    package var trials: Int
  }

  /// Why nothing can be made smaller.
  package enum Refusal: Error, Hashable {
    /// The case is as expected when it is run again.
    case passes
    /// It shows something else, or something that proves nothing.
    case differs(String)
  }

  /// Seeds that are tried where the schedule is drawn.
  private static let otherSeeds = 7
  /// Runs of the case at first, which say whether it always shows the finding.
  private static let confirmations = 3

  /// The smallest trial that shows the finding.
  package private(set) var best: ReductionTrial
  /// What it shows.
  package private(set) var identity: FindingIdentity
  /// How often the case showed it, of how often it was run as it is.
  package private(set) var hits = 0
  /// How many trials were run.
  package private(set) var trials = 0
  private let world: WorldName
  private let means: Means
  /// All that the case shows with the finding.
  private var known: Set<FindingIdentity> = []
  private var attempts = 1
  private var stage = ""

  /// Runs the case as it is. Throws a `Refusal` if there is nothing to make smaller.
  ///
  /// - Parameter world: where the case runs.
  package init(_ trial: ReductionTrial, in world: WorldName, _ means: Means) throws {
    best = trial
    self.world = world
    self.means = means
    let runs = Array(repeating: trial, count: world == .simulated ? 1 : Self.confirmations)
    let results = try means.probe(runs).compactMap(\.self)
    let identities = results.compactMap(FindingIdentity.init)
    guard let first = identities.first else {
      guard let red = results.first(where: { !$0.isAsExpected }) else { throw Refusal.passes }
      throw Refusal.differs(red.reason ?? red.verdict.rawValue)
    }
    identity = first
    known = results.filter { FindingIdentity($0) == first }.reduce(into: []) { $0.formUnion(FindingIdentity.all($1)) }
    hits = identities.count { $0 == first }
    attempts = hits == runs.count ? 1 : 5
  }

  /// How often the case was run as it is.
  package var runs: Int { world == .simulated ? 1 : Self.confirmations }

  /// Makes it as small as it gets; `best` has it.
  package func reduce() throws {
    try takeOnce("the wait for what does not come", shorterLimits)
    try reduceVariant()
    if world == .simulated { try takeOnce("the schedule", [quiet]) }
    if identity.isUniversal { try takeOnce("expectations", [unjudged]) }
    try takeOnce("what does not matter", [lean, withoutEnding])
    try reduceContent()
    if world == .simulated {
      try reduceDraws()
      // The schedule's draws are fixed by now: a shorter payload no longer changes them.
      if best.scenario.schedule?.draws?.isEmpty == false { try reduceContent() }
    }
    best.scenario.limit = original.limit
  }

  private func reduceContent() throws {
    var before: ReductionSize
    repeat {
      before = best.size
      try reduceConnections()
      try reduceUnits()
      try takeOnce("waits without effect", [withoutIdleWaits])
      if isFree || oracle != nil { try reduceItems() }
      try shorten()
    } while best.size != before && !means.isStopped()
  }

  private lazy var original = best.scenario

  // MARK: Trials

  /// For each trial one that shows the finding: itself, or with another seed; nil: none does.
  private func showing(_ candidates: [ReductionTrial]) throws -> [ReductionTrial?] {
    guard !means.isStopped() else { return candidates.map { _ in nil } }
    var tried: [(owner: Int, trial: ReductionTrial)] = []
    for (owner, candidate) in candidates.enumerated() where candidate.isReadable {
      for trial in variations(of: candidate) { tried.append((owner, trial)) }
    }
    guard !tried.isEmpty else { return candidates.map { _ in nil } }
    trials += tried.count
    means.report(Progress(stage: stage, size: best.size, trials: trials))
    var found: [ReductionTrial?] = candidates.map { _ in nil }
    for (place, result) in zip(tried, try means.probe(tried.map(\.trial))) where found[place.owner] == nil {
      if let result, shows(result) { found[place.owner] = place.trial }
    }
    return found
  }

  private func shows(_ result: CaseResult) -> Bool {
    guard FindingIdentity(result) == identity else { return false }
    return identity.isUniversal || FindingIdentity.all(result).isSubset(of: known)
  }

  private func variations(of trial: ReductionTrial) -> [ReductionTrial] {
    guard world == .simulated else { return Array(repeating: trial, count: attempts) }
    guard trial.scenario.schedule == nil else { return [trial] }
    return (0...Self.otherSeeds).map { offset in
      var other = trial
      other.seed = trial.seed &+ UInt64(offset)
      return other
    }
  }

  /// Takes the first of the changes that shows the finding.
  private func takeOnce(_ stage: String, _ changes: [(ReductionTrial) -> ReductionTrial?]) throws {
    self.stage = stage
    for change in changes {
      guard let candidate = change(best), candidate != best else { continue }
      if let found = try showing([candidate])[0] { best = found }
    }
  }

  // MARK: What is around the story

  private var shorterLimits: [(ReductionTrial) -> ReductionTrial?] {
    _ = original
    guard world == .loopback else { return [] }
    return [.seconds(3), .seconds(1)].map { (limit: Duration) -> (ReductionTrial) -> ReductionTrial? in
      { trial in
        guard trial.scenario.limit > limit, trial.scenario.settle < limit else { return nil }
        var shorter = trial
        shorter.scenario.limit = limit
        return shorter
      }
    }
  }

  private func reduceVariant() throws {
    func at(_ change: @escaping (inout Variant) -> Void) -> (ReductionTrial) -> ReductionTrial? {
      { trial in
        var variant = trial.variant
        change(&variant)
        return variant == trial.variant ? nil : trial.alone(at: variant)
      }
    }
    if let alone = best.alone(at: best.variant), let found = try showing([alone])[0] { best = found }
    try takeOnce(
      "the variant",
      [
        at { $0.subject = .gcd }, at { $0.family = .ipv4 }, at { $0.cut = .whole }, at { $0.queues = .separate },
        at { $0.security = .plain }, at { $0.speed = .all },
      ])
  }

  private func quiet(_ trial: ReductionTrial) -> ReductionTrial? {
    var quiet = trial
    quiet.scenario.schedule = .quiet
    return quiet
  }

  /// Nothing is judged but what must hold in every case.
  private func unjudged(_ trial: ReductionTrial) -> ReductionTrial? {
    var unjudged = trial
    unjudged.scenario.expectations = []
    (unjudged.scenario.ending, unjudged.scenario.endingPosition) = (nil, nil)
    for index in unjudged.scenario.reactions.indices { unjudged.scenario.reactions[index].isOptional = true }
    return unjudged
  }

  /// Without what a file says of other files, and checks that hold.
  private func lean(_ trial: ReductionTrial) -> ReductionTrial? {
    var lean = trial
    (lean.scenario.control, lean.scenario.recordedForms) = (nil, nil)
    lean.scenario.tags = []
    let flat = lean.scenario.flattened
    let checks = flat.items.filter { item in
      guard case .call(let lane, let place) = item, case .check(let checks, _) = flat.subjects[lane].steps[place].step
      else { return false }
      return !checks.contains { $0.position == identity.position }
    }
    lean.scenario = flat.without(Set(checks))
    return lean
  }

  private func withoutIdleWaits(_ trial: ReductionTrial) -> ReductionTrial? {
    var rest = trial
    rest.scenario = trial.scenario.flattened.withoutIdleWaits
    return rest
  }

  private func withoutEnding(_ trial: ReductionTrial) -> ReductionTrial? {
    var open = trial
    (open.scenario.ending, open.scenario.endingPosition) = (nil, nil)
    return open
  }

  // MARK: The story

  /// Whole connections, with all that is done on them.
  private func reduceConnections() throws {
    stage = "connections"
    let parts = best.scenario.flattened.connectionParts
    guard parts.count > 1 else { return }
    let flat = best.scenario.flattened
    try reduce(parts.count) { left -> Scenario? in
      flat.without(Set(left.flatMap { parts[$0] }).union([.ending]))
    }
  }

  private func reduceUnits() throws {
    stage = "steps"
    let units = ScenarioUnits(best.scenario)
    let removable = units.removable
    try reduce(removable.count) { left in
      let gone = Set(left.map { removable[$0] })
      return units.admits(without: gone) ? units.scenario(without: gone) : nil
    }
  }

  /// Whether whatever is left is right: no case may show the finding, and nothing else is judged. Peers expect, too.
  private var isFree: Bool { identity.isUniversal && best.scenario.expectations.isEmpty }

  /// Single steps and expectations, where whatever is left is right, or an oracle says that it is.
  private func reduceItems() throws {
    stage = "single steps"
    let (flat, items) = (best.scenario.flattened, best.scenario.flattened.items)
    try reduce(items.count, isValidated: !isFree) { left in flat.without(Set(left.map { items[$0] })) }
  }

  /// Leaves out as many of `count` things as possible.
  private func reduce(
    _ count: Int, isValidated: Bool = false, _ scenario: ([Int]) -> Scenario?
  ) throws {
    guard count > 0 else { return }
    let base = best
    var known: [[Int]: ReductionTrial] = [:]
    _ = try DeltaDebugging.minimise(
      count,
      test: { candidates in
        let trials = candidates.map { kept -> ReductionTrial? in
          let stay = Set(kept)
          return scenario((0..<count).filter { !stay.contains($0) }).map {
            ReductionTrial(scenario: $0, variant: base.variant, seed: best.seed)
          }
        }
        var found = try showing(trials.compactMap(\.self))
        if isValidated { found = try validated(found) }
        var answers = found[...]
        return zip(candidates, trials).map { candidate, trial in
          guard trial != nil, let shown = answers.removeFirst() else { return false }
          known[candidate] = shown
          return true
        }
      },
      accepted: { kept in if let shown = known[kept] { best = shown } })
  }

  // MARK: The oracle

  /// Says which trials a sound subject passes; nil: there is no oracle.
  private lazy var oracle: (([ReductionTrial]) throws -> [Bool])? = {
    if let validate = means.validate { return validate }
    guard world == .simulated, best.scenario.schedule == nil, !identity.isUniversal,
      let other = try? witness()
    else { return nil }
    return { [means] trials in
      try means.probe(trials.map { other($0) }).map { $0?.verdict == .passed }
    }
  }()

  /// Another schedule under which the subject passes; nil: none is known.
  private func witness() throws -> ((ReductionTrial) -> ReductionTrial)? {
    var changes: [(ReductionTrial) -> ReductionTrial] = [
      { trial in
        var quiet = trial
        quiet.scenario.schedule = .quiet
        return quiet
      }
    ]
    changes += (1...16).map { (seed: UInt64) -> (ReductionTrial) -> ReductionTrial in
      { trial in
        var other = trial
        other.seed = trial.seed &+ seed &* 1_000_003
        return other
      }
    }
    let results = try means.probe(changes.map { $0(best) })
    return zip(changes, results).first { $1?.verdict == .passed }?.0
  }

  /// Those that show the finding and, where a sound subject can be asked, are passed by it.
  private func showingRightly(_ trials: [ReductionTrial]) throws -> [ReductionTrial?] {
    isFree || oracle == nil ? try showing(trials) : try validated(showing(trials))
  }

  private func validated(_ found: [ReductionTrial?]) throws -> [ReductionTrial?] {
    guard let oracle else { return found.map { _ in nil } }
    let asked = found.compactMap(\.self)
    guard !asked.isEmpty else { return found }
    var answers = try oracle(asked)[...]
    return found.map { trial in
      guard let trial else { return nil }
      return answers.removeFirst() ? trial : nil
    }
  }

  // MARK: Payloads and draws

  private func shorten() throws {
    stage = "payloads"
    var place = 0
    while place < ScenarioUnits(best.scenario).shortenings.count, !means.isStopped() {
      var step = ScenarioUnits(best.scenario).shortenings[place].count
      while step > 0 {
        let units = ScenarioUnits(best.scenario)
        guard units.shortenings.indices.contains(place) else { break }
        let shortening = units.shortenings[place]
        let count = max(shortening.least, shortening.count - step)
        if let shorter = units.scenario(shortening, keeping: count),
          let found = try showingRightly([.init(scenario: shorter, variant: best.variant, seed: best.seed)])[0]
        {
          best = found
        } else {
          step /= 2
        }
      }
      place += 1
    }
  }

  /// Leaves as little of the schedule to chance as shows the finding.
  private func reduceDraws() throws {
    stage = "the schedule"
    guard best.scenario.schedule == nil else { return }
    var told = best
    told.scenario.schedule = Schedule(seed: best.seed, draws: nil, isTold: true)
    guard let result = try means.probe([told])[0], shows(result),
      let draws = Schedule.draws(in: result.trace)
    else { return }
    let base = best
    try reduce(draws.count) { left in
      let gone = Set(left)
      let kept = draws.indices.filter { !gone.contains($0) }
      var scenario = base.scenario
      scenario.schedule = Schedule(seed: kept.isEmpty ? 1 : base.seed, draws: Set(kept.map { draws[$0] }))
      return scenario
    }
  }
}
