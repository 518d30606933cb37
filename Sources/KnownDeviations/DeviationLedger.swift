import RunReports
import ScenarioModel

/// Holds what a run shows to what is on record of the subject's deviations.
///
/// Laws
/// - Every case is played. A case that fails as an entry says counts as expected, and keeps its verdict and deviations.
/// - What is on record must be so: each case that an entry covers fails, and shows its evidence. A case that passes
///   with one seed and shows it with another is as on record.
/// - Nothing of the lab's own is excused: neither an error nor what was inconclusive; nor a case that its control does
///   not vouch for, which says nothing for or against an entry either.
/// - An entry whose last day is over excuses nothing. The day is an argument.
package struct DeviationLedger: Sendable {
  /// What was seen of one case over its seeds and rounds.
  private struct Sight {
    var showed = false
    var passed = false
    /// What it says of itself, where that is not the evidence.
    var other: String?
    /// Entries that cover it.
    var entries: [Int]
  }

  private let path: String
  private let entries: [DeviationEntry]
  private let today: CalendarDate
  /// The subject that is a program of its own; nil: the library that comes with the lab.
  private let program: String?
  private var sights: [String: Sight] = [:]

  /// - Parameters:
  ///   - today: the day on which the run begins.
  ///   - program: of a subject that is a program of its own, its name.
  package init(_ file: DeviationFile, today: CalendarDate, program: String? = nil) {
    (path, entries, self.today, self.program) = (file.path, file.entries, today, program)
  }

  /// The result with what is on record of it.
  package mutating func judged(_ result: CaseResult) -> CaseResult {
    guard !entries.isEmpty, result.verdict.saysSomething, result.variant.program == program else { return result }
    let covering = entries.indices.filter { entries[$0].expires >= today && entries[$0].covers(result) }
    guard !covering.isEmpty else { return result }
    var result = result
    var sight = sights[result.name] ?? Sight(entries: covering)
    if result.verdict.isAsExpected {
      sight.passed = true
    } else if let fitting = covering.first(where: { entries[$0].isShown(by: result) }) {
      sight.showed = true
      result.known = known(entries[fitting])
    } else {
      sight.other = CaseSummary.headline(result)
    }
    sights[result.name] = sight
    return result
  }

  /// Whether the result of a changed scenario shows what is on record of the scenario that it was made of.
  ///
  /// - Parameter scenario: the id of the unchanged one.
  package func isOnRecord(_ result: CaseResult, of scenario: String) -> Bool {
    guard result.verdict.saysSomething, result.variant.program == program else { return false }
    var result = result
    result.scenario = scenario
    return entries.contains { $0.expires >= today && $0.covers(result) && $0.isShown(by: result) }
  }

  private func known(_ entry: DeviationEntry) -> KnownDeviation {
    KnownDeviation(
      reason: entry.link.map { "\(entry.reason) (\($0))" } ?? entry.reason, evidence: entry.evidenceWords,
      expires: entry.expires.text, path: path,
      position: entry.position)
  }

  /// What is wrong with the entries, in the order of the file.
  ///
  /// - Parameters:
  ///   - results: as the whole run leaves them, with what controls say.
  ///   - scenarios: all that there are, chosen or not: an entry that fits none of their cases is stale.
  package func faults(_ results: [CaseResult], scenarios: [Scenario]) -> [DeviationFault] {
    guard !entries.isEmpty else { return [] }
    let voided = Set(results.lazy.filter { $0.voided != nil }.map(\.name))
    let judged = sights.filter { !voided.contains($0.key) }.sorted { $0.key < $1.key }
    return entries.indices.flatMap { index -> [DeviationFault] in
      let entry = entries[index]
      guard entry.expires >= today else { return [expired(entry)] }
      let own = judged.filter { $0.value.entries.contains(index) }
      guard !own.isEmpty || fitsAny(entry, scenarios) else { return [unmatched(entry)] }
      let passed =
        entry.isIntermittent ? [] : own.filter { $0.value.passed && !$0.value.showed && $0.value.other == nil }
      let other = own.filter { $0.value.other != nil }
      return (passed.isEmpty ? [] : [unexpectedPass(entry, passed.map(\.key))])
        + (other.isEmpty ? [] : [otherEvidence(entry, other.map { ($0.key, $0.value.other ?? "") })])
    }
  }

  private func fitsAny(_ entry: DeviationEntry, _ scenarios: [Scenario]) -> Bool {
    scenarios.contains { scenario in
      guard !scenario.canary, entry.pattern.covers(scenario: scenario.id) else { return false }
      return scenario.variants.contains { variant in
        let variant = program.map { variant.of(program: $0) } ?? variant
        return variant.subject == entry.subject
          && scenario.worlds.contains { world in
            entry.pattern.covers(scenario: scenario.id, variant: variant.name, world: world)
          }
      }
    }
  }

  private func expired(_ entry: DeviationEntry) -> DeviationFault {
    DeviationFault(
      kind: .expired, path: path, position: entry.expiryPosition,
      says: "this known deviation expired on \(entry.expires.text), and today is \(today.text)",
      help: "mend the subject and take the entry out, or decide on a later day")
  }

  private func unmatched(_ entry: DeviationEntry) -> DeviationFault {
    DeviationFault(
      kind: .unmatched, path: path, position: entry.patternPosition,
      says: "no case of \(program ?? entry.subject.className) fits `\(entry.pattern.text)`",
      help: "take the entry out, or correct its pattern; `socketlab list` shows all ids")
  }

  private func unexpectedPass(_ entry: DeviationEntry, _ names: [String]) -> DeviationFault {
    DeviationFault(
      kind: .unexpectedPass, path: path, position: entry.patternPosition, cases: names, says: "passes",
      saysOfMany: "pass", help: "take the entry out, or narrow its pattern to the cases that fail")
  }

  private func otherEvidence(_ entry: DeviationEntry, _ cases: [(name: String, says: String)]) -> DeviationFault {
    let other = "something other than \(entry.evidenceWords): \(cases[0].says)"
    return DeviationFault(
      kind: .otherEvidence, path: path, position: entry.evidencePosition, cases: cases.map(\.name),
      says: "shows \(other)", saysOfMany: "show \(other)",
      help: "look at the case: it is another deviation, or the evidence says too much")
  }
}

extension Verdict {
  /// Whether it says something about the subject.
  fileprivate var saysSomething: Bool {
    switch self {
    case .passed, .passedNonStrict, .failed, .timeout, .hang, .crash, .violation: true
    case .unsupported, .skipped, .inconclusive, .error: false
    }
  }
}
