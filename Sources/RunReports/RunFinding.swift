import ReportMarkup
import ScenarioModel

/// Cases that went wrong in the same way at the same place: one thing to look at.
package struct RunFinding: Hashable, Sendable {
  /// Eight hexadecimal digits, the same in every run in which the same thing goes wrong at the same place.
  package let id: String
  /// `missing: expected didRead, saw nothing`, as the example shows it.
  package let headline: String
  /// Of the scenario's file; nil: no line of a scenario says what is expected.
  package let place: FindingPlace?
  /// Places of its cases, in the report's order; never empty.
  package fileprivate(set) var cases: [Int]
  /// Place of the case that shows it with the fewest events.
  package fileprivate(set) var example: Int
  /// Ids of the scenarios of its cases, each once.
  package fileprivate(set) var scenarios: [String]
  fileprivate var events: Int
}

/// A line of a scenario's file.
package struct FindingPlace: Hashable, Sendable {
  /// Relative to the working folder of the run; the scenario's id where the file is not known.
  package let path: String
  /// Where in the file.
  package let position: SourcePosition

  package init(path: String, position: SourcePosition) {
    self.path = path
    self.position = position
  }

  /// `Scenarios/read/line.yaml:12:5`
  package var text: String { "\(path):\(position.line):\(position.column)" }
}

/// Findings that look like consequences of one defect: they first diverge at the same kind of event after the same
/// step.
package struct RunCause: Hashable, Sendable {
  /// `didRead does not come, after a read to a delimiter`
  package fileprivate(set) var title: String
  /// The one with most cases first.
  package fileprivate(set) var findings: [RunFinding] = []
  /// How many cases they have together.
  package fileprivate(set) var cases = 0
  /// How many scenarios those are of.
  package fileprivate(set) var scenarios = 0
  /// Whether a control's own case is among them: whatever fails a control fails much else.
  package fileprivate(set) var isOfControl = false
  /// The only subject that shows it, though others were played with its scenarios, too.
  package fileprivate(set) var onlySubject: SubjectLabel?
  fileprivate var likelihood = 0.0

  /// `312 cases of 78 scenarios`, or `4 cases of 1 scenario, AsyncSocket only`
  package var extent: String {
    let extent = "\(QuantityText.count(cases, "case")) of \(QuantityText.count(scenarios, "scenario"))"
    return onlySubject.map { "\(extent), \($0.name) only" } ?? extent
  }

  /// The first case to look at, by its place in the report: the shortest of the first finding.
  package var example: Int { findings.first?.example ?? 0 }
}

/// What went wrong in a run, grouped by finding and by cause.
///
/// Laws
/// - A case that is not as expected belongs to exactly one finding, by its first deviation: what comes later in a trace
///   is mostly a consequence. A case that its control does not vouch for, and that shows nothing of its own, belongs to
///   none; its control does.
/// - Two cases are one finding when kind, place and words of their first deviations are equal. Numbers, addresses and
///   bytes make no difference. The place is the line of the scenario's file; a deviation that belongs to no
///   line, such as a broken invariant, has none, and a crash has the innermost frame in the subject.
/// - The likeliest cause comes first: what shows in many scenarios rather than in many cases of one; what an event
///   proves rather than what did not come; what fails a control.
package struct RunFindings: Sendable {
  /// The likeliest first.
  package let causes: [RunCause]
  /// By the case's place in the report: the id of its finding.
  package let idOfCase: [String?]

  /// Groups the cases of a report.
  package init(_ cases: [CaseResult], sources: [String: ScenarioSource]) {
    let ranks = FailedControl.ranks(of: cases, FailedControl.all(in: cases))
    var findings: [Account: RunFinding] = [:]
    var divergences: [String: FirstDivergence] = [:]
    var controls: Set<String> = []
    var ids: [String?] = Array(repeating: nil, count: cases.count)
    for (place, result) in cases.enumerated() where ranks[place] < 3 {
      let account = Account(result, path: sources[result.scenario]?.path)
      let events = result.trace.events.isEmpty ? Int.max : result.trace.events.count
      if findings[account] == nil {
        let finding = RunFinding(
          id: account.id, headline: CaseSummary.headline(result), place: account.place, cases: [], example: place,
          scenarios: [], events: .max)
        findings[account] = finding
        divergences[finding.id] = FirstDivergence(result)
      }
      ids[place] = findings[account]?.id
      findings[account]?.add(result, at: place, events: events)
      if ranks[place] == 0, let id = ids[place] { controls.insert(id) }
    }
    causes = Self.causes(Array(findings.values), divergences, controls: controls, cases)
    idOfCase = ids
  }

  /// How many cases have a finding.
  package var caseCount: Int { causes.reduce(0) { $0 + $1.cases } }
  /// How many findings there are.
  package var count: Int { causes.reduce(0) { $0 + $1.findings.count } }

  private static func causes(
    _ findings: [RunFinding], _ divergences: [String: FirstDivergence], controls: Set<String>, _ cases: [CaseResult]
  ) -> [RunCause] {
    var played: [String: Set<SubjectLabel>] = [:]
    for result in cases { played[result.scenario, default: []].insert(result.variant.label) }
    return Dictionary(grouping: findings) { divergences[$0.id]?.key ?? $0.id }.values.map { findings in
      let findings = findings.sorted { ($1.cases.count, $0.cases[0]) < ($0.cases.count, $1.cases[0]) }
      var cause = RunCause(title: FirstDivergence.title(findings.compactMap { divergences[$0.id] }))
      cause.findings = findings
      cause.cases = findings.reduce(0) { $0 + $1.cases.count }
      cause.scenarios = Set(findings.flatMap(\.scenarios)).count
      let subjects = Set(findings.lazy.flatMap(\.cases).map { cases[$0].variant.label })
      let isShared = findings.contains { $0.scenarios.contains { played[$0, default: []].count > 1 } }
      cause.onlySubject = isShared && subjects.count == 1 ? subjects.first : nil
      cause.isOfControl = findings.contains { controls.contains($0.id) }
      cause.likelihood = Double(cause.scenarios) * weight(of: cases[cause.example]) * (cause.isOfControl ? 2 : 1)
      return cause
    }.sorted {
      ($1.likelihood, $1.cases, $0.findings[0].cases[0]) < ($0.likelihood, $0.cases, $1.findings[0].cases[0])
    }
  }

  /// How much a case says of what is wrong, rather than of what follows from it.
  private static func weight(of result: CaseResult) -> Double {
    // A judge that does not see proves nothing of anything.
    if result.canary { return 8 }
    switch result.verdict {
    case .crash, .hang, .violation: return 4
    case .inconclusive, .error: return 0.5
    default: break
    }
    return switch result.deviations.first?.kind {
    case .crash, .hang, .violation: 4
    case .wrongContent, .wrongOrder, .unexpected, .refusal, .check, .invariant, .disputed: 2
    case .early, .late, .peer, .resource: 1.5
    case .missing, .ending, nil: 1
    }
  }

  /// The text without what is quoted and without how much of it was clipped, and with one digit for all numbers: what
  /// is equal in all cases of a finding.
  package static func words(_ text: String) -> String {
    var words: [UInt8] = []
    var isQuoted = false
    var isEscaped = false
    for byte in VariantNeutral.text(text).utf8 {
      if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
      guard !isQuoted else { continue }
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      if isDigit, words.last == UInt8(ascii: "0") { continue }
      words.append(isDigit ? UInt8(ascii: "0") : byte)
    }
    let told = String(decoding: words, as: UTF8.self)
    // Bytes that were clipped are bytes all the same; their number stands behind the mark.
    return told.contains("\"…") ? told.replacing("\"… (# bytes)", with: "\"") : told
  }

  /// Where the process stood, in the subject; nil: unknown.
  package static func innermostFrame(_ backtrace: [String]) -> String? {
    BacktraceExcerpt(backtrace, maxFrames: 1).frames.first
  }

  /// What is equal in all cases of a finding.
  private struct Account: Hashable {
    let place: FindingPlace?
    let id: String

    init(_ result: CaseResult, path: String?) {
      let deviation = result.deviations.first
      place = deviation?.position.map { FindingPlace(path: path ?? result.scenario, position: $0) }
      var words = [place?.text ?? ""]
      if let deviation, !result.endedItsProcess {
        words += [deviation.kind.rawValue, deviation.requirement ?? ""]
        words += [RunFindings.words(deviation.expected), RunFindings.words(deviation.actual)]
      } else {
        words += [result.canary ? result.scenario : "", result.verdict.rawValue]
        words += [result.reason.map(RunFindings.words) ?? ""]
        words += BacktraceExcerpt(result.backtrace, maxFrames: 1).frames.map(RunFindings.words)
      }
      id = String(ContentHash(of: words.joined(separator: "\u{0}").utf8).text.suffix(8))
    }
  }
}

extension RunFinding {
  fileprivate mutating func add(_ result: CaseResult, at place: Int, events: Int) {
    cases.append(place)
    // The report is sorted by scenario.
    if scenarios.last != result.scenario { scenarios.append(result.scenario) }
    guard events < self.events else { return }
    (example, self.events) = (place, events)
  }
}
