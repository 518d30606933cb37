import RunReports
import ScenarioModel
import ScenarioRunner

/// Decides what is reported while cases run, and when: a deviation that many variants share once, and no details of
/// cases whose control has failed.
///
/// Laws
/// - Results of a scenario and world are held until the round is complete and all controls of that world are known, so
///   that controls are reported first; but not longer than `maxHold`.
/// - Results of a scenario with a control are held until the control's are there, or for `maxHoldForControl`, which is
///   longer than a case that runs into its limit takes.
/// - Deadlines are checked when results come. `finish()` releases everything.
/// - A case that its control voids is not reported here; the summary counts it, and the reports have all of it.
/// - What was reported before, in an earlier round or before the hold ended, is counted and reported once more at the
///   end.
package struct ResultStream {
  static let maxHold = Duration.seconds(5)
  static let maxHoldForControl = Duration.seconds(30)
  /// The number of accounts that are remembered; repetitions of later ones are reported in full.
  private static let maxReported = 20_000

  struct Key: Hashable {
    var scenario: String
    var world: WorldName
  }

  private struct RoundState {
    /// Cases in a round.
    var planned = 0
    var seen = 0
    /// Whether a whole round has come.
    var isKnown = false
    /// Place of each variant in the plan.
    var order: [Variant: Int] = [:]
    var held: [CaseResult] = []
  }

  private var health: ControlHealth
  private var rounds: [Key: RoundState] = [:]
  /// Whole rounds of results whose control is not known yet, by the control.
  private var awaitingControl: [Key: [[CaseResult]]] = [:]
  /// Whole rounds of results that wait for no control of their own, held until all controls of their world are known.
  private var awaitingAllControls: [WorldName: [[CaseResult]]] = [:]
  /// How many controls are not known yet.
  private var pending: [WorldName: Int] = [:]
  /// When held results must be released.
  private var deadlines = Deadlines()
  /// When results that wait for a control must be released.
  private var controlDeadlines = Deadlines()
  private var told: [CaseAccount: Int] = [:]
  private var repeats: [Repeat] = []
  private var isOpen = true

  /// Something reported before, and its further cases without their traces.
  private struct Repeat {
    let first: AlikeCases
    var results: [CaseResult] = []
  }

  /// Instants in the order in which they were set, which is that of the instants.
  private struct Deadlines {
    private var entries: [(at: Duration, key: Key)] = []
    private var next = 0

    mutating func add(_ key: Key, at instant: Duration) { entries.append((instant, key)) }

    mutating func pop(until now: Duration) -> Key? {
      guard next < entries.count, entries[next].at <= now else { return nil }
      next += 1
      return entries[next - 1].key
    }
  }

  /// Follows a run of these cases; each names its scenario by index.
  package init(_ plan: [PlannedCase], scenarios: [Scenario]) {
    health = ControlHealth(scenarios)
    for planned in plan {
      let key = Key(scenario: scenarios[planned.scenario].id, world: planned.world)
      rounds[key, default: RoundState()].planned += 1
      let place = rounds[key]?.order.count ?? 0
      if rounds[key]?.order[planned.variant] == nil { rounds[key]?.order[planned.variant] = place }
    }
    for key in rounds.keys where health.isControl(key.scenario) { pending[key.world, default: 0] += 1 }
  }

  /// Takes a result that came at that instant of the run; returns what is to be told now.
  package mutating func take(_ result: CaseResult, at now: Duration) -> [AlikeCases] {
    health.note(result)
    let key = Key(scenario: result.scenario, world: result.world)
    let isWhole = enter(result, key, at: now)
    var released: [[CaseResult]] = []
    if isWhole || !isOpen { released += release(key, at: now) }
    if isWhole { released += awaitingControl.removeValue(forKey: key) ?? [] }
    if pending[key.world] ?? 0 <= 0 { released += awaitingAllControls.removeValue(forKey: key.world) ?? [] }
    while let overdue = deadlines.pop(until: now) {
      released += release(overdue, at: now) + (awaitingAllControls.removeValue(forKey: overdue.world) ?? [])
    }
    while let control = controlDeadlines.pop(until: now) {
      released += awaitingControl.removeValue(forKey: control) ?? []
    }
    return released.flatMap { tell($0) }
  }

  /// Enters the result; true: it completes a round. In place: a copy of what is held for each result would cost
  /// quadratic time.
  private mutating func enter(_ result: CaseResult, _ key: Key, at now: Duration) -> Bool {
    rounds[key, default: RoundState()].seen += 1
    if !result.isAsExpected {
      if rounds[key]?.held.isEmpty == true { deadlines.add(key, at: now + Self.maxHold) }
      rounds[key]?.held.append(result)
    }
    guard let round = rounds[key], round.seen >= round.planned else { return false }
    if !round.isKnown, health.isControl(key.scenario) { pending[key.world, default: 0] -= 1 }
    rounds[key]?.isKnown = true
    rounds[key]?.seen = 0
    return true
  }

  /// Releases everything that is held, and holds nothing from now on.
  package mutating func finish() -> [AlikeCases] {
    isOpen = false
    let keys = rounds.keys.sorted { ($0.world.rawValue, $0.scenario) < ($1.world.rawValue, $1.scenario) }
    var released = keys.flatMap { awaitingControl.removeValue(forKey: $0) ?? [] }
    for world in WorldName.allCases { released += awaitingAllControls.removeValue(forKey: world) ?? [] }
    for key in keys { released += release(key, at: .zero) }
    return released.flatMap { tell($0) }
  }

  /// What was seen again after it had been told, for the end of the run.
  package mutating func takeRepeats() -> [(first: AlikeCases, again: AlikeCases)] {
    defer { repeats = [] }
    return repeats.compactMap { entry in
      AlikeCases.groups(entry.results).first.map { (entry.first, $0) }
    }
  }

  /// The held results of the scenario, unless they must wait for its control.
  private mutating func release(_ key: Key, at now: Duration) -> [[CaseResult]] {
    guard var held = rounds[key]?.held, !held.isEmpty, let order = rounds[key]?.order else { return [] }
    rounds[key]?.held = []
    // Workers end in any order.
    held.sort { (order[$0.variant] ?? 0, $0.seed) < (order[$1.variant] ?? 0, $1.seed) }
    guard isOpen else { return [held] }
    let controlKey = health.control(of: key.scenario).map { Key(scenario: $0, world: key.world) }
    if let controlKey, let round = rounds[controlKey], !round.isKnown {
      if awaitingControl[controlKey] == nil { controlDeadlines.add(controlKey, at: now + Self.maxHoldForControl) }
      awaitingControl[controlKey, default: []].append(held)
      return []
    }
    guard !health.isControl(key.scenario), pending[key.world] ?? 0 > 0 else { return [held] }
    if awaitingAllControls[key.world] == nil { deadlines.add(key, at: now + Self.maxHold) }
    awaitingAllControls[key.world, default: []].append(held)
    return []
  }

  // MARK: - Telling

  private mutating func tell(_ results: [CaseResult]) -> [AlikeCases] {
    let own = results.filter { health.voiding(of: $0)?.controlVerdict == nil }
    return AlikeCases.groups(own).filter { group in
      let account = CaseAccount(group.first)
      if let place = told[account] {
        repeats[place].results += group.places.map { Self.withoutTrace(own[$0]) }
        return false
      }
      guard told.count < Self.maxReported else { return true }
      told[account] = repeats.count
      repeats.append(Repeat(first: group))
      return true
    }
  }

  private static func withoutTrace(_ result: CaseResult) -> CaseResult {
    var result = result
    (result.trace, result.matches) = (Trace(), [:])
    return result
  }
}
