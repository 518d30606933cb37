import ScenarioModel

/// The numbers of a run that every report starts with, counted once for all of them.
struct RunTotals: Hashable {
  /// Cases by verdict; every verdict has an entry.
  private(set) var byVerdict: [Verdict: Int]
  private(set) var byColumn: [CaseColumn: Part] = [:]
  private(set) var cases = 0
  private(set) var scenarios = 0
  private(set) var asExpected = 0
  private(set) var canaries = 0
  /// Cases whose deviation is on record.
  private(set) var known = 0

  /// What one subject came to in one world.
  struct Part: Hashable {
    fileprivate(set) var byVerdict: [Verdict: Int] = [:]
    fileprivate(set) var cases = 0
    fileprivate(set) var asExpected = 0
    fileprivate(set) var scenarios = 0
    fileprivate var latest: String?

    fileprivate mutating func add(_ result: CaseResult) {
      byVerdict[result.verdict, default: 0] += 1
      cases += 1
      if result.isAsExpected { asExpected += 1 }
      // A report is sorted by scenario.
      if latest != result.scenario { (latest, scenarios) = (result.scenario, scenarios + 1) }
    }
  }

  init(_ cases: [CaseResult]) {
    byVerdict = Dictionary(uniqueKeysWithValues: Verdict.allCases.map { ($0, 0) })
    self.cases = cases.count
    scenarios = Set(cases.map(\.scenario)).count
    for result in cases {
      byVerdict[result.verdict, default: 0] += 1
      byColumn[result.column, default: Part()].add(result)
      if result.isAsExpected { asExpected += 1 }
      if result.canary { canaries += 1 }
      if result.known != nil { known += 1 }
    }
  }

  var notAsExpected: Int { cases - asExpected }

  /// The subjects and worlds that have cases, in order.
  var columns: [CaseColumn] { byColumn.keys.sorted() }

  /// The subjects that have cases, in order.
  var subjects: [SubjectLabel] { Set(byColumn.keys.map(\.subject)).sorted() }

  func count(_ verdict: Verdict, in column: CaseColumn? = nil) -> Int {
    (column.map { byColumn[$0]?.byVerdict ?? [:] } ?? byVerdict)[verdict] ?? 0
  }
}

/// The same scenario, variant and seed judged differently in the two worlds: one of the worlds lies, or the subject
/// depends on something only one of them has.
package struct WorldDivergence: Hashable, Sendable {
  /// The scenario's id.
  package var scenario: String
  /// The variant's name.
  package var variant: String
  /// The seed that both cases ran with.
  package var seed: UInt64
  /// The verdict in the loopback world.
  package var loopback: Verdict
  /// The verdict in the simulated world.
  package var simulated: Verdict

  package init(scenario: String, variant: String, seed: UInt64, loopback: Verdict, simulated: Verdict) {
    self.scenario = scenario
    self.variant = variant
    self.seed = seed
    self.loopback = loopback
    self.simulated = simulated
  }

  /// All divergences of the cases, in the order of the loopback cases. A world that could not judge (skipped,
  /// unsupported, inconclusive) diverges from nothing.
  package static func all(in cases: [CaseResult]) -> [WorldDivergence] {
    var simulated: [Key: Verdict] = [:]
    for result in cases where result.world == .simulated && result.verdict.isJudgement {
      simulated[Key(result)] = result.verdict
    }
    return cases.compactMap { result in
      guard result.world == .loopback, result.verdict.isJudgement, let other = simulated[Key(result)],
        other != result.verdict
      else { return nil }
      return WorldDivergence(
        scenario: result.scenario, variant: result.variant.name, seed: result.seed, loopback: result.verdict,
        simulated: other)
    }
  }

  private struct Key: Hashable {
    var scenario: String
    var variant: Variant
    var seed: UInt64

    init(_ result: CaseResult) {
      scenario = result.scenario
      variant = result.variant
      seed = result.seed
    }
  }
}

extension Verdict {
  /// Whether the verdict says something about the subject.
  fileprivate var isJudgement: Bool {
    switch self {
    case .passed, .passedNonStrict, .failed, .timeout, .hang, .crash, .violation: true
    case .unsupported, .skipped, .inconclusive, .error: false
    }
  }
}
