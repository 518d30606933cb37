import ReportMarkup
import ScenarioModel

/// What went wrong, as the page begins with it: causes, the likeliest first, and below each its findings, which lead to
/// the cases.
struct CauseList {
  /// Causes that are listed, and findings of one of them.
  private static let maxCauses = 100
  private static let maxFindings = 60
  /// Findings that are there before anything is unfolded.
  private static let maxOpen = 12

  private let cases: [CaseResult]
  private let findings: RunFindings
  private let entries: [Int: (entry: ScenarioGroup.Case, group: ScenarioGroup)]
  private let panels: CasePanels

  init(_ report: RunReport, _ groups: [ScenarioGroup], _ panels: CasePanels) {
    cases = report.cases
    findings = RunFindings(report.cases, sources: report.sources)
    self.panels = panels
    let examples = Set(findings.causes.flatMap { $0.findings.prefix(Self.maxFindings).map(\.example) })
    var entries: [Int: (entry: ScenarioGroup.Case, group: ScenarioGroup)] = [:]
    for group in groups {
      for entry in group.cases where examples.contains(entry.place) { entries[entry.place] = (entry, group) }
    }
    self.entries = entries
  }

  var isEmpty: Bool { findings.causes.isEmpty }

  /// `14 causes and 230 findings in 1,765 cases, the likeliest cause first.`
  private var summary: String {
    let causes = QuantityText.count(findings.causes.count, "cause")
    let count = QuantityText.count(findings.count, "finding")
    let text = "\(causes) and \(count) in \(QuantityText.count(findings.caseCount, "case"))"
    return text + (findings.causes.count > 1 ? ", the likeliest cause first." : ".")
  }

  var markup: Markup {
    let left = findings.causes.count - Self.maxCauses
    return """
      \(HTMLPage.note(summary))
      <ol class="causes">
      \(findings.causes.prefix(Self.maxCauses).enumerated().map { cause($1, isFirst: $0 == 0) })</ol>
      \(left > 0 ? HTMLPage.note("and \(QuantityText.count(left, "cause")) more, see report.json") : nil)
      """
  }

  private func cause(_ cause: RunCause, isFirst: Bool) -> Markup {
    let tone = Tone(cases[cause.example])
    let isOpen = isFirst && cause.findings.count <= Self.maxOpen
    let list: Markup = "<ul>\(cause.findings.prefix(Self.maxFindings).map(row))</ul>\(more(cause))"
    let findings = cause.findings.count > 1 ? ", \(QuantityText.count(cause.findings.count, "finding"))" : ""
    return """
      <li class="cause \(tone.name)" data-v="\(tone.name)" data-s="\(search(cause))">\
      <details\(" open", if: isOpen)><summary><b class="badge \(tone.name)">\(tone.glyph)</b>\
      <span><strong>\(cause.title)</strong><br>\(cause.extent)\(findings)\
      \(cause.isOfControl ? ", a control among them" : "")</span></summary>\(isOpen ? list : HTMLPage.deferred(list))\
      </details></li>

      """
  }

  private func more(_ cause: RunCause) -> Markup? {
    let left = cause.findings.count - Self.maxFindings
    return left > 0 ? HTMLPage.note("and \(QuantityText.count(left, "finding")) more, see report.json") : nil
  }

  /// What the filter looks into.
  private func search(_ cause: RunCause) -> String {
    let words = [cause.title] + cause.findings.prefix(8).flatMap { [$0.id] + $0.scenarios.prefix(4) }
    return VisibleText.clipped(words.joined(separator: " ").lowercased(), to: 400)
  }

  private func row(_ finding: RunFinding) -> Markup {
    guard let (entry, group) = entries[finding.example] else { return "" }
    let result = entry.result
    let others = finding.cases.count > 1 ? " and \(QuantityText.count(finding.cases.count - 1, "more case"))" : ""
    return """
      <li id="f-\(finding.id)"><a href="#\(panels.anchor(entry, in: group))"><strong>\(result.title, clipped: 160)\
      </strong><br>\(finding.headline, clipped: 200)<br><i>\(finding.place?.text ?? result.scenario, clipped: 200) · \
      \(result.variant.name), \(result.world.rawValue)\(others)</i></a></li>

      """
  }
}
