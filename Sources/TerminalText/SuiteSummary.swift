import Foundation
import HostTools
import RunReports
import ScenarioModel
import SuiteRunner

/// What a run came to, in words for the terminal.
package struct SuiteSummary {
  private let outcome: SuiteOutcome
  private let tellsCauses: Bool
  private var report: RunReport { outcome.report }

  /// - Parameter tellsCauses: whether the causes of what went wrong are told: there was more of it than could be told
  ///   case by case.
  package init(_ outcome: SuiteOutcome, tellsCauses: Bool = false) {
    self.outcome = outcome
    self.tellsCauses = tellsCauses
  }

  /// The lines that end the output of a run.
  package var lines: [String] {
    var lines = [
      "",
      Console.styled("SocketLab \(report.version)", .strong) + "  \(Console.visible(report.subjectTitle)), profile "
        + "\(report.profile.rawValue), seed \(report.seed)"
        + (report.seeds > 1 ? "…\(report.seed &+ UInt64(report.seeds - 1))" : ""),
    ]
    lines += table
    lines += MatrixReport.lines(report).map(Console.visible)
    let scenarios = Set(report.cases.filter { !$0.canary }.map(\.scenario))
    let bad = Set(report.cases.filter { !$0.canary && !$0.isAsExpected }.map(\.scenario))
    let canaries = report.cases.filter(\.canary)
    lines.append("")
    lines += failedControls
    if tellsCauses { lines += CauseText.lines(report) }
    let faults = report.deviationFaults.isEmpty ? nil : "known deviations are not as on record"
    if bad.isEmpty, askedNothing.isEmpty, let but = report.reservations.first ?? faults {
      let count = QuantityText.count(scenarios.count, "scenario")
      lines.append(Console.styled("✗ \(count) as expected, but \(Console.visible(but))", .bad))
    } else if bad.isEmpty, outcome.judgedCases > 0 || askedNothing.isEmpty {
      let count = QuantityText.count(scenarios.count, "scenario")
      // What was not judged may be wrong, and the exit code says so.
      lines.append(
        outcome.isInterrupted
          ? Console.styled("! \(count), all that was judged is as expected", .caution)
          : Console.styled("✓ \(count), all as expected", .good))
    } else if !bad.isEmpty {
      lines.append(
        Console.styled("✗ \(bad.count) of \(QuantityText.count(scenarios.count, "scenario")) not as expected", .bad))
    }
    lines += askedNothing
    lines += report.programs.compactMap { program in
      program.remains.map { Console.styled("  \(Console.visible("\(program.name) \($0)"))", .caution) }
    }
    lines += report.programs.flatMap { program in
      (program.exitFaults ?? []).flatMap { Self.lines(program.name, $0) }
    }
    lines += DeviationText.lines(report)
    if let line = line(forCanaries: canaries) { lines.append(line) }
    let skipped = Dictionary(grouping: report.cases.filter { $0.verdict == .skipped }, by: { $0.reason ?? "" })
    for (reason, cases) in skipped.sorted(by: { $0.key < $1.key }) {
      let cases = QuantityText.count(cases.count, "case")
      lines.append(Console.styled("  \(cases) skipped: \(Console.visible(reason))", .caution))
    }
    lines += report.withoutControl.map { subject, control, count in
      let cases = "\(QuantityText.count(count, "case")) of \(subject.name)"
      let control = Console.visible(control)
      return Console.styled("  \(cases) judged without a control: it does not offer \(control)", .quiet)
    }
    lines += unsupported
    if outcome.isInterrupted {
      let left = report.casesNotJudged
      let cases = "\(QuantityText.count(left, "case")) \(left == 1 ? "was" : "were") not judged"
      let text = left > 0 ? "not everything ran; \(cases)" : "it had not come to its end"
      lines.append(Console.styled("  interrupted: \(text)", .caution))
    }
    lines += repetitions
    lines.append("  \(QuantityText.duration(report.duration)) in all")
    return lines
  }

  /// What ran more than once, and why.
  private var repetitions: [String] {
    var lines: [String] = []
    if outcome.falseAlarms > 0 {
      let times = QuantityText.count(outcome.falseAlarms, "worker")
      lines.append("  the cases of \(times) were run again: they seemed to leave something behind, and did not")
    }
    if outcome.repeatedCases > 0 {
      let cases = QuantityText.count(outcome.repeatedCases, "case")
      lines.append("  \(cases) ran again alone: the lab itself had been late")
    }
    if outcome.repeatedHangs > 0 {
      lines.append("  \(QuantityText.count(outcome.repeatedHangs, "case")) ran again alone, having hung at first")
    }
    return lines
  }

  /// Programs that could be asked nothing of what was chosen.
  private var askedNothing: [String] {
    report.askedNothing.map { subject, reason in
      Console.styled("✗ \(Console.visible("\(report.title(of: subject)) was asked nothing: \(reason)"))", .bad)
    }
  }

  /// More reasons why programs were not asked something are left to the reports.
  private static let maxReasons = 5

  /// Why subjects that are programs of their own were not asked something, the commonest reasons first.
  private var unsupported: [String] {
    let cases = report.cases.filter { $0.verdict == .unsupported && $0.variant.program != nil }
    let reasons = Dictionary(grouping: cases) { "\($0.variant.label.name): \($0.reason ?? "")" }
      .map { (reason: $0.key, count: $0.value.count) }.sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
    let lines = reasons.prefix(Self.maxReasons).map {
      Console.styled("  \(QuantityText.count($0.count, "case")) unsupported by \(Console.visible($0.reason))", .quiet)
    }
    let left = reasons.dropFirst(Self.maxReasons).reduce(0) { $0 + $1.count }
    return left == 0
      ? lines : lines + [Console.styled("  \(QuantityText.count(left, "case")) more, see the reports", .quiet)]
  }

  /// What a subject did wrong when its cases were over.
  private static func lines(_ name: String, _ fault: SubjectExit.Fault) -> [String] {
    [Console.styled("✗ \(Console.visible("\(name): \(fault.text)"))", .bad)]
      + fault.lastWords.map { "    \(Console.quotation($0))" }
  }

  /// Failed controls come first: what hangs on them says nothing of the subject.
  private var failedControls: [String] {
    let controls = FailedControl.all(in: report.cases)
    guard !controls.isEmpty else { return [] }
    var lines = [Console.styled("✗ \(QuantityText.count(controls.count, "control")) did not pass", .bad)]
    for control in controls {
      let absence = control.cases.isEmpty ? " did not run" : ""
      lines.append("    \(Console.styled(Console.visible(control.scenario), .strong))\(absence): \(control.cost)")
      guard let remainder = control.remainder, let first = control.deviating.first else { continue }
      let result = report.cases[first]
      let deviation = result.deviations.first.map { CaseSummary.headline($0) } ?? ""
      lines.append("      \(remainder), see the reports; the first is \(Console.visible(result.name))")
      if !deviation.isEmpty { lines.append("      \(Console.visible(deviation))") }
    }
    return lines
  }

  private func line(forCanaries canaries: [CaseResult]) -> String? {
    guard !canaries.isEmpty else { return nil }
    let failing = canaries.filter(\.isAsExpected).count
    let unjudged = canaries.filter { $0.verdict == .error }.count
    if failing == canaries.count {
      return "  canary: \(QuantityText.count(canaries.count, "case")) failed, as they must"
    }
    if failing + unjudged < canaries.count {
      return Console.styled("  canary: \(canaries.count - failing - unjudged) did not fail: the judge is blind", .bad)
    }
    return Console.styled("  canary: \(unjudged) could not be judged, so nobody knows what the judge sees", .bad)
  }

  /// A line for each world and a column for each subject; with one subject the column needs no head.
  private var table: [String] {
    let worlds = WorldName.allCases.reversed().filter { outcome.counts[$0] != nil }
    let played = Set(report.cases.lazy.filter { !$0.canary }.map(\.variant.label))
    let subjects = played.isEmpty ? [SubjectLabel(.gcd)] : played.sorted()
    let heads = subjects.count > 1 ? [[""] + subjects.map(\.name)] : []
    let rows = heads + worlds.map { world in [world.rawValue] + subjects.map { cell(CaseColumn($0, world)) } }
    let widths = (0...subjects.count).map { column in rows.map { $0[column].count }.max() ?? 0 }
    let remarks = heads.map { _ in "" } + worlds.map { $0 == .simulated ? speed : "" }
    return zip(rows, remarks).map { row, remark in
      let cells = zip(row, widths).enumerated().map { place, cell in
        cell.0.padding(toLength: max(cell.1, place == 0 ? 10 : 0), withPad: " ", startingAt: 0)
      }
      let line = "  " + cells.joined(separator: "  ")
      return remark.isEmpty ? String(line.reversed().drop { $0 == " " }.reversed()) : line + remark
    }
  }

  /// `1,234 passed, 3 failed`.
  private func cell(_ column: CaseColumn) -> String {
    var counts = report.unlistedCases[column]?.byVerdict ?? [:]
    for result in report.cases where !result.canary && result.column == column {
      counts[result.verdict, default: 0] += 1
    }
    return Verdict.allCases.compactMap { verdict -> String? in
      guard let count = counts[verdict], count > 0 else { return nil }
      return "\(QuantityText.count(count)) \(verdict.label)"
    }.joined(separator: ", ")
  }

  private var speed: String {
    guard let spent = outcome.spent[.simulated], spent > .zero else { return "" }
    let count = outcome.counts[.simulated] ?? 0
    return "  (\(QuantityText.count(Int(Double(count) / spent.inSeconds))) case-runs a second and core)"
  }
}
