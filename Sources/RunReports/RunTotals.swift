import ScenarioModel

/// The numbers of a run that every report starts with, counted once for all of them.
///
/// Laws
/// - What was played is counted, whether it is listed or not: cases of further seeds and repetitions that went as
///   expected are only counted by then, each under its verdict.
/// - Canaries are counted apart: they fail for the judge's sake.
struct RunTotals: Hashable {
  /// Cases by verdict; every verdict has an entry.
  private(set) var byVerdict: [Verdict: Int]
  private(set) var byColumn: [CaseColumn: Part] = [:]
  private(set) var cases = 0
  private(set) var scenarios = 0
  private(set) var asExpected = 0
  /// Those of the cases that are counted only.
  let unlisted: Int
  private(set) var canaries = 0
  /// Canaries that failed, as they must.
  private(set) var canariesAsExpected = 0
  /// Cases whose deviation is on record.
  private(set) var known = 0
  /// Entries of the known deviations that are not as the run shows them.
  let deviationFaults: Int

  /// What one subject came to in one world.
  struct Part: Hashable {
    fileprivate(set) var byVerdict: [Verdict: Int] = [:]
    fileprivate(set) var cases = 0
    fileprivate(set) var asExpected = 0
    fileprivate(set) var scenarios = 0
    fileprivate(set) var canaries = 0
    fileprivate var latest: String?

    fileprivate mutating func add(_ result: CaseResult) {
      guard !result.canary else {
        canaries += 1
        return
      }
      byVerdict[result.verdict, default: 0] += 1
      cases += 1
      if result.isAsExpected { asExpected += 1 }
      // A report is sorted by scenario.
      if latest != result.scenario { (latest, scenarios) = (result.scenario, scenarios + 1) }
    }

    fileprivate mutating func add(unlisted: UnlistedCases) {
      byVerdict.merge(unlisted.byVerdict, uniquingKeysWith: +)
      cases += unlisted.total
      asExpected += unlisted.total
    }
  }

  init(_ report: RunReport) {
    byVerdict = Dictionary(uniqueKeysWithValues: Verdict.allCases.map { ($0, 0) })
    unlisted = report.unlistedCases.values.reduce(0) { $0 + $1.total }
    deviationFaults = report.deviationFaults.count
    scenarios = Set(report.cases.lazy.filter { !$0.canary }.map(\.scenario)).count
    for result in report.cases {
      byColumn[result.column, default: Part()].add(result)
      if result.canary {
        canaries += 1
        if result.isAsExpected { canariesAsExpected += 1 }
      }
      if result.known != nil { known += 1 }
    }
    for (column, cases) in report.unlistedCases {
      byColumn[column, default: Part()].add(unlisted: cases)
      known += cases.knownTotal
    }
    for part in byColumn.values {
      cases += part.cases
      asExpected += part.asExpected
      byVerdict.merge(part.byVerdict, uniquingKeysWith: +)
    }
  }

  /// Whether not even a canary was played.
  var isEmpty: Bool { cases + canaries == 0 }

  /// Cases that need a look, canaries that did not fail among them.
  var notAsExpected: Int { cases - asExpected + canaries - canariesAsExpected }

  /// `1 needs a look`, or `4 need a look: 2 cases, and 2 known deviations that are not as on record`, as many as
  /// `junit.xml` has failures and errors of cases and records; nil: nothing does.
  var concern: String? {
    let isOne = deviationFaults == 1
    let faults = QuantityText.count(deviationFaults, "known deviation")
    guard notAsExpected > 0 else {
      return deviationFaults > 0 ? "\(faults) \(isOne ? "is" : "are") not as on record" : nil
    }
    guard deviationFaults > 0 else { return "\(notAsExpected) \(notAsExpected == 1 ? "needs" : "need") a look" }
    return "\(notAsExpected + deviationFaults) need a look: \(QuantityText.count(notAsExpected, "case")), and "
      + "\(faults) that \(isOne ? "is" : "are") not as on record"
  }

  /// What of the cases a report does not list, in a sentence; nil: it lists them all.
  var unlistedText: String? {
    guard unlisted > 0 else { return nil }
    return "\(QuantityText.count(unlisted)) of \(QuantityText.count(cases, "case")), of further seeds and repetitions, "
      + "went as expected and \(unlisted == 1 ? "is" : "are") not listed."
  }

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
