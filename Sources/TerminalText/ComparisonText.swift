import HostTools
import RunComparison
import RunReports
import ScenarioModel

/// A comparison in words for the terminal: regressions by cause, and of the rest the numbers.
package enum ComparisonText {
  /// Causes of a kind that are told, and other changes; of the rest the number.
  private static let maxCauses = 6
  private static let maxOthers = 5

  /// Lines, the answer first.
  package static func lines(_ comparison: RunComparison) -> [String] {
    let (mark, tone): (String, Console.Style) =
      comparison.isRegression ? ("✗", .bad) : comparison.isCut ? ("!", .caution) : ("✓", .good)
    var lines = [Console.styled("\(mark) \(comparison.headline)", tone)]
    lines.append("  \(comparison.remainder)")
    lines.append(
      Console.styled("  old  \(comparison.old.name), \(QuantityText.count(comparison.old.cases.count, "case"))", .quiet)
    )
    lines.append(
      Console.styled("  new  \(comparison.new.name), \(QuantityText.count(comparison.new.cases.count, "case"))", .quiet)
    )
    for note in comparison.notes { lines.append(Console.styled("  \(Console.visible(note))", .caution)) }
    for kind in CaseChange.Kind.allCases where kind.isRegression { lines += regressions(kind, comparison) }
    for kind in CaseChange.Kind.allCases where !kind.isRegression && kind != .added {
      lines += others(kind, comparison)
    }
    if !comparison.divergences.isEmpty {
      let entries = comparison.divergences.map {
        "\($0.scenario) [\($0.variant)]: loopback \($0.loopback.label), simulated \($0.simulated.label)"
      }
      lines += listed("The worlds now disagree", entries)
    }
    if !comparison.drifts.isEmpty {
      lines += listed("Timing drifted", comparison.drifts.map { "\($0.scenario): \($0.text)" })
    }
    return lines
  }

  private static func regressions(_ kind: CaseChange.Kind, _ comparison: RunComparison) -> [String] {
    let causes = comparison.causes(kind)
    guard !causes.isEmpty else { return [] }
    var lines = ["", Console.styled(comparison.countText(kind), .bad)]
    for cause in causes.prefix(maxCauses) { lines += describe(cause) }
    let left = causes.dropFirst(maxCauses)
    if !left.isEmpty {
      let cases = QuantityText.count(left.reduce(0) { $0 + $1.count }, "case")
      lines.append("  and \(QuantityText.count(left.count, "more cause")), \(cases), see the page")
    }
    return lines
  }

  private static func describe(_ cause: ChangeCause) -> [String] {
    let first = cause.findings[0].first
    var lines = ["  \(Console.styled(Console.visible(cause.title), .strong))", "    \(Console.visible(cause.extent))"]
    let place = (first.place?.text).map(Console.visible)
    lines.append("    e.g. \(Console.visible(first.key.name))\(place.map { Console.styled("  \($0)", .quiet) } ?? "")")
    let words = first.words == cause.title ? first.course : "\(first.course), \(first.words)"
    lines.append("      \(Console.visible(words))")
    if let rates = first.rates { lines.append("      \(rates)") }
    if let remark = first.remark { lines.append(Console.styled("      \(Console.visible(remark))", .caution)) }
    if let again = first.again { lines.append(Console.styled("    again: \(Console.visible(again))", .quiet)) }
    return lines
  }

  private static func others(_ kind: CaseChange.Kind, _ comparison: RunComparison) -> [String] {
    let changes = comparison.changes.filter { $0.kind == kind }
    guard !changes.isEmpty else { return [] }
    return listed(comparison.countText(kind), changes.map { "\($0.key.name)  \($0.course)" })
  }

  private static func listed(_ title: String, _ entries: [String]) -> [String] {
    let left = entries.count - maxOthers
    return ["", title] + entries.prefix(maxOthers).map { "  \(Console.visible($0))" }
      + (left > 0 ? ["  and \(QuantityText.count(left)) more, see the page"] : [])
  }
}
