import BenchmarkModel

/// One line of the tables: a subject against a rival.
struct ComparisonRow {
  let workload, title, unit: String
  let subject, subjectValue: String
  let rival, rivalValue: String
  let ratio, quartiles, processor: String
  let bar, aim: String
  let verdict: Verdict

  static func rows(of report: BenchmarkReport) -> [ComparisonRow] {
    report.workloads.flatMap { workload in workload.comparisons.map { ComparisonRow(workload, $0) } }
  }

  init(_ workload: WorkloadResult, _ result: ComparisonResult) {
    let entries = Dictionary(workload.entries.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let subject = entries[result.comparison.subject]
    let rival = result.comparison.rival.flatMap { entries[$0] }
    self.workload = workload.id
    title = workload.title
    unit = workload.unit
    self.subject = subject?.title ?? result.comparison.subject
    subjectValue = subject.map { Quantity.text($0.spread.median, workload.unit) } ?? "—"
    let allowance = result.comparison.allowance.map { " + \(Quantity.text($0, workload.unit))" } ?? ""
    self.rival = (rival?.title ?? "—") + allowance
    rivalValue = rival.map { Quantity.text($0.spread.median, workload.unit) } ?? "—"
    // Without a rival the value itself is judged, and is in its own column already.
    ratio = Self.number(result.spread.median)
    quartiles = "\(Self.number(result.spread.lowerQuartile))–\(Self.number(result.spread.upperQuartile))"
    processor = result.processorRatio.map(Quantity.digits) ?? "—"
    let sign = workload.direction == .higher ? "≥" : "≤"
    bar = result.comparison.bar.map { "\(sign) \(Quantity.limit($0))" } ?? "—"
    aim = result.comparison.aim.map { "\(sign) \(Quantity.limit($0))" } ?? "—"
    verdict = result.verdict
  }

  /// A ratio, or a value that is judged itself.
  static func number(_ value: Double) -> String {
    value >= 1000 ? Quantity.text(value, "").trimmed : Quantity.digits(value)
  }
}

extension Verdict {
  /// A word for it.
  var word: String {
    switch self {
    case .aim: "aim met"
    case .bar: "bar met"
    case .missed: "missed"
    case .underHalf: "under half"
    case .unjudged: "—"
    }
  }

  /// The page's tone for it.
  var tone: String {
    switch self {
    case .aim: "passed"
    case .bar: "passedNonStrict"
    case .missed: "timeout"
    case .underHalf: "failed"
    case .unjudged: "skipped"
    }
  }
}

extension String {
  /// Without the spaces at its ends.
  var trimmed: String { String(drop(while: { $0 == " " }).reversed().drop(while: { $0 == " " }).reversed()) }
}
