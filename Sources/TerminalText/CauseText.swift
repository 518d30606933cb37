import HostTools
import RunReports
import ScenarioModel

/// Causes and findings in words, for the terminal.
enum CauseText {
  /// Causes that are told; of the rest the number.
  private static let maxCauses = 8

  /// All that went wrong in a run of many failures: each cause with its extent and its shortest case.
  static func lines(_ report: RunReport) -> [String] {
    let findings = RunFindings(report.cases, sources: report.sources)
    guard findings.count > 0 else { return [] }
    let order = findings.causes.count > 1 ? ", the likeliest cause first" : ""
    var lines = [
      Console.styled(
        "✗ \(QuantityText.count(findings.caseCount, "case")), \(QuantityText.count(findings.count, "finding")), "
          + "\(QuantityText.count(findings.causes.count, "cause"))\(order)", .bad)
    ]
    for (place, cause) in findings.causes.prefix(maxCauses).enumerated() {
      lines += describe(cause, number: place + 1, report)
    }
    let left = findings.causes.dropFirst(maxCauses)
    if !left.isEmpty {
      let cases = QuantityText.count(left.reduce(0) { $0 + $1.cases }, "case")
      lines.append("  and \(QuantityText.count(left.count, "more cause")), \(cases), see the reports")
    }
    return lines + [""]
  }

  private static func describe(_ cause: RunCause, number: Int, _ report: RunReport) -> [String] {
    guard let finding = cause.findings.first else { return [] }
    let result = report.cases[finding.example]
    let count = cause.findings.count > 1 ? ", \(QuantityText.count(cause.findings.count, "finding"))" : ""
    let place = (finding.place?.text).map(Console.visible)
    var lines = [
      "  \(number)  \(Console.styled(Console.visible(cause.title), .strong))",
      "     \(cause.extent)\(count)\(cause.isOfControl ? ", a control among them" : "")",
      "     e.g. \(Console.visible(result.name))\(place.map { Console.styled("  \($0)", .quiet) } ?? "")",
    ]
    if let deviation = result.deviations.first {
      lines.append("       expected  \(Console.visible(deviation.expected))")
      lines.append("       actual    \(Console.visible(deviation.actual))")
      // Of an end of the process what it died of: its words are the only ones about the cause.
      for message in BacktraceExcerpt(result.backtrace).messages.prefix(1) {
        lines.append("       it said   \(Console.visible(message))")
      }
    } else if let reason = result.reason {
      lines.append("       \(Console.quotation(reason))")
    }
    return lines + [Console.styled("     again: \(Console.visible(ReproCommand.text(result)))", .quiet)]
  }
}
