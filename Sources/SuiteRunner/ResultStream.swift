import RunReports
import ScenarioModel
import ScenarioRunner

/// Decides what is told while cases run, and when: the same deviation of many variants once, and nothing in full of
/// what hangs on a failed control.
///
/// Laws
/// - Results of a scenario and world are held until the last one of the round is there, and until all controls of that
///   world are, so that those are told first; but not longer than `maxHold`.
/// - Results of a scenario with a control are held until the control's are there, or `maxHoldForControl` has passed:
///   that is longer than a case that waits for its limit takes.
/// - Time is looked at when results come. `finish()` lets go of everything.
/// - A case that its control voids is not told; the summary counts it, and the reports tell all of it.
/// - What was told before, in an earlier round or before the hold ended, is counted and told once more at the end.
package struct ResultStream {
  static let maxHold = Duration.seconds(5)
  static let maxHoldForControl = Duration.seconds(30)
  /// More accounts than this are not remembered: what comes then is told in full.
  private static let maxReported = 20_000

  struct Key: Hashable {
    var scenario: String
    var world: WorldName
  }

  private struct Course {
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
  private var courses: [Key: Course] = [:]
  /// Whole rounds of results whose control is not known yet, by the control.
  private var waiting: [Key: [[CaseResult]]] = [:]
  /// Whole rounds of results that only let the controls of their world go first.
  private var polite: [WorldName: [[CaseResult]]] = [:]
  /// How many controls are not known yet.
  private var pending: [WorldName: Int] = [:]
  /// When what is held must go.
  private var deadlines = Deadlines()
  /// When what waits for a control must go.
  private var controlDeadlines = Deadlines()
  private var told: [CaseAccount: Int] = [:]
  private var repeats: [Repeat] = []
  private var isOpen = true

  /// Something told before, and its further cases without their traces.
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
      courses[key, default: Course()].planned += 1
      let place = courses[key]?.order.count ?? 0
      if courses[key]?.order[planned.variant] == nil { courses[key]?.order[planned.variant] = place }
    }
    for key in courses.keys where health.isControl(key.scenario) { pending[key.world, default: 0] += 1 }
  }

  /// Takes a result that came at that instant of the run; returns what is to be told now.
  package mutating func take(_ result: CaseResult, at now: Duration) -> [AlikeCases] {
    health.note(result)
    let key = Key(scenario: result.scenario, world: result.world)
    let isWhole = enter(result, key, at: now)
    var released: [[CaseResult]] = []
    if isWhole || !isOpen { released += release(key, at: now) }
    if isWhole { released += waiting.removeValue(forKey: key) ?? [] }
    if pending[key.world] ?? 0 <= 0 { released += polite.removeValue(forKey: key.world) ?? [] }
    while let overdue = deadlines.pop(until: now) {
      released += release(overdue, at: now) + (polite.removeValue(forKey: overdue.world) ?? [])
    }
    while let control = controlDeadlines.pop(until: now) { released += waiting.removeValue(forKey: control) ?? [] }
    return released.flatMap { tell($0) }
  }

  /// Whether it is the last one of a round. In place: a copy of what is held for each result would cost its square.
  private mutating func enter(_ result: CaseResult, _ key: Key, at now: Duration) -> Bool {
    courses[key, default: Course()].seen += 1
    if !result.isAsExpected {
      if courses[key]?.held.isEmpty == true { deadlines.add(key, at: now + Self.maxHold) }
      courses[key]?.held.append(result)
    }
    guard let course = courses[key], course.seen >= course.planned else { return false }
    if !course.isKnown, health.isControl(key.scenario) { pending[key.world, default: 0] -= 1 }
    courses[key]?.isKnown = true
    courses[key]?.seen = 0
    return true
  }

  /// Lets go of everything that is held, and holds nothing from now on.
  package mutating func finish() -> [AlikeCases] {
    isOpen = false
    let keys = courses.keys.sorted { ($0.world.rawValue, $0.scenario) < ($1.world.rawValue, $1.scenario) }
    var released = keys.flatMap { waiting.removeValue(forKey: $0) ?? [] }
    for world in WorldName.allCases { released += polite.removeValue(forKey: world) ?? [] }
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

  /// What is held of the scenario, unless it must wait for its control.
  private mutating func release(_ key: Key, at now: Duration) -> [[CaseResult]] {
    guard var held = courses[key]?.held, !held.isEmpty, let order = courses[key]?.order else { return [] }
    courses[key]?.held = []
    // Workers end in any order.
    held.sort { (order[$0.variant] ?? 0, $0.seed) < (order[$1.variant] ?? 0, $1.seed) }
    guard isOpen else { return [held] }
    let controlKey = health.control(of: key.scenario).map { Key(scenario: $0, world: key.world) }
    if let controlKey, let course = courses[controlKey], !course.isKnown {
      if waiting[controlKey] == nil { controlDeadlines.add(controlKey, at: now + Self.maxHoldForControl) }
      waiting[controlKey, default: []].append(held)
      return []
    }
    guard !health.isControl(key.scenario), pending[key.world] ?? 0 > 0 else { return [held] }
    if polite[key.world] == nil { deadlines.add(key, at: now + Self.maxHold) }
    polite[key.world, default: []].append(held)
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
