import HostTools
import RunReports
import ScenarioModel

/// The known deviations of a run in words for the terminal.
package enum DeviationText {
  /// Entries that are not as on record, each with its place and what to do; then those that excuse cases.
  static func lines(_ report: RunReport) -> [String] {
    var lines: [String] = []
    for fault in report.deviationFaults {
      lines.append("\(Console.styled("✗ known deviation: \(fault.kind.label)", .bad))  \(Console.visible(fault.place))")
      lines.append("    \(Console.visible(fault.message))")
      lines.append(Console.styled("    help: \(Console.visible(fault.help))", .quiet))
    }
    for entry in KnownDeviationList(report).entries {
      let cases = QuantityText.count(entry.cases.count, "case")
      lines.append(
        Console.styled(
          "  known until \(entry.deviation.expires): \(cases), \(Console.visible(entry.deviation.reason))", .caution))
      let place = Console.visible("\(entry.deviation.place), such as \(entry.cases[0])")
      lines.append(Console.styled("    \(place)", .quiet))
    }
    return lines
  }
}
