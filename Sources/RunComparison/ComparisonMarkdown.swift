import ReportMarkup
import RunReports
import ScenarioModel

/// `summary.md`: a comparison as a comment on a pull request, with the cases folded.
enum ComparisonMarkdown {
  /// Causes of a kind that are told, and findings of a cause; of the rest the number.
  private static let maxCauses = 12
  private static let maxFindings = 3
  /// Cases of a group that are named.
  private static let maxCases = 40

  static func make(_ comparison: RunComparison) -> [UInt8] {
    let mark = comparison.isRegression ? "✗" : comparison.isCut ? "!" : "✓"
    var text = "## \(mark) \(comparison.headline)\n\n"
    text += "\(MarkdownText.escape(comparison.new.subjectTitle)), \(MarkdownText.escape(comparison.new.name)), "
    text += "against \(MarkdownText.escape(comparison.old.name)): \(comparison.remainder)\n"
    for note in comparison.notes { text += "\n> \(MarkdownText.escape(note))\n" }
    for kind in CaseChange.Kind.allCases where !last.contains(kind) {
      text += section(kind, comparison)
    }
    text += divergences(comparison) + drifts(comparison)
    for kind in last { text += section(kind, comparison) }
    text += failingAsBefore(comparison)
    return Array(text.utf8)
  }

  /// What is merely listed, behind all else.
  private static let last = [CaseChange.Kind.added, .removed, .notJudged]

  private static func failingAsBefore(_ comparison: RunComparison) -> String {
    guard comparison.stillFailing > 0 else { return "" }
    let names = comparison.failingAsBefore.map(\.key.name)
    return "\n### \(QuantityText.count(names.count)) failing as before\n\n" + folded(names)
  }

  private static func section(_ kind: CaseChange.Kind, _ comparison: RunComparison) -> String {
    let causes = comparison.causes(kind)
    guard !causes.isEmpty else { return "" }
    var text = "\n### \(comparison.countText(kind))\n\n"
    for cause in causes.prefix(maxCauses) {
      guard kind.isRegression else {
        let changes = cause.findings.flatMap(\.changes)
        text += folded(changes.map(\.key.name))
        continue
      }
      text += "**\(MarkdownText.escape(cause.title))**: \(cause.extent)\n\n"
      for finding in cause.findings.prefix(maxFindings) { text += entry(finding, of: cause) }
      let left = cause.findings.dropFirst(maxFindings).reduce(0) { $0 + $1.changes.count }
      if left > 0 { text += "\nand \(QuantityText.count(left, "more case")) of this kind, see the page\n\n" }
    }
    let left = causes.dropFirst(maxCauses).reduce(0) { $0 + $1.count }
    if left > 0 { text += "\nand \(QuantityText.count(left, "more case")), see the page\n" }
    return text
  }

  private static func entry(_ finding: ChangeFinding, of cause: ChangeCause) -> String {
    let first = finding.first
    var text = "- \(MarkdownText.escape(first.present.title)): \(first.course), \(finding.extent)\n"
    if first.kind.isAbsence { return text + "\n" + folded(finding.changes.map(\.key.name)) }
    if first.words != cause.title { text += "  \(MarkdownText.escape(first.words))\n" }
    if let place = first.place { text += "  at \(MarkdownText.code(place.text))\n" }
    if let remark = first.remark { text += "  **\(MarkdownText.escape(remark))**\n" }
    if let rates = first.rates { text += "  \(rates)\n" }
    for command in [first.again, first.shrinking].compactMap({ $0 }) { text += "  \(MarkdownText.code(command))\n" }
    let others = Array(finding.changes.dropFirst())
    return text + (others.isEmpty ? "" : "\n" + folded(others.map(\.key.name)))
  }

  private static func folded(_ cases: [String]) -> String {
    let names = cases.prefix(maxCases).map(MarkdownText.code)
    let left = cases.count - names.count
    return "<details><summary>\(QuantityText.count(cases.count, "case"))</summary>\n\n"
      + "\(names.joined(separator: ", "))\(left > 0 ? " and \(left) more" : "")\n\n</details>\n\n"
  }

  private static func divergences(_ comparison: RunComparison) -> String {
    guard !comparison.divergences.isEmpty else { return "" }
    let lines = comparison.divergences.prefix(maxCauses).map {
      "- \(MarkdownText.code("\($0.scenario) [\($0.variant)]")): loopback \($0.loopback.label), "
        + "simulated \($0.simulated.label)\n"
    }
    let left = comparison.divergences.count - lines.count
    return "\n### The worlds now disagree\n\n\(lines.joined())\(left > 0 ? "\nand \(left) more\n" : "")"
  }

  private static func drifts(_ comparison: RunComparison) -> String {
    guard !comparison.drifts.isEmpty else { return "" }
    let lines = comparison.drifts.prefix(maxCauses).map { "- \(MarkdownText.code($0.scenario)): \($0.text)\n" }
    let left = comparison.drifts.count - lines.count
    return "\n### Timing drifted\n\n\(lines.joined())\(left > 0 ? "\nand \(left) more\n" : "")"
  }
}
