import ReportMarkup
import ScenarioModel

/// A scenario's text with line numbers, ticks at the expectations that were met and the deviations below their lines.
enum SourceView {
  /// A list of lines; lines that are met or fail can be linked to as `ANCHOR-lLINE`.
  static func make(_ source: ScenarioSource, result: CaseResult, anchor: String) -> Markup {
    let met = Set(result.matches.values.map(\.line))
    var failing: [Int: [Deviation]] = [:]
    for deviation in result.deviations {
      if let line = deviation.position?.line { failing[line, default: []].append(deviation) }
    }
    var html: Markup = "<ol class=\"source\">"
    for (index, line) in SourceLines(source.text).lines.prefix(maxLines).enumerated() {
      let number = index + 1
      let mark = failing[number] != nil ? "bad" : met.contains(number) ? "met" : ""
      html += mark.isEmpty ? "<li>" : "<li class=\"\(mark)\" id=\"\(anchor)-l\(number)\">"
      html += tinted(VisibleText.clipped(String(line), to: 240))
      for deviation in (failing[number] ?? []).prefix(3) { html += note(deviation) }
      html += "</li>"
    }
    return html + "</ol>"
  }

  private static let maxLines = 400

  /// How many lines `make` shows of it.
  static func shownLines(_ source: ScenarioSource) -> Int { min(maxLines, SourceLines(source.text).lines.count) }

  private static func note(_ deviation: Deviation) -> Markup {
    let indent = max(1, min(deviation.position?.column ?? 1, 61)) - 1
    return "<em style=\"margin-left:\(indent)ch\">▲ \(CaseSummary.headline(deviation), clipped: 300)</em>"
  }

  /// One line of YAML: comments and keys get a tint of their own. A guess by the line alone, which is enough to look
  /// at.
  private static func tinted(_ line: String) -> Markup {
    let body = line.drop { $0 == " " || $0 == "-" }
    let indent = line.prefix(line.count - body.count)
    if body.first == "#" { return "\(indent)<s>\(body)</s>" }
    let key = body.prefix { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" || $0 == "-" }
    guard !key.isEmpty, body.dropFirst(key.count).first == ":" else { return Markup(text: line) }
    return "\(indent)<b>\(key)</b>\(body.dropFirst(key.count))"
  }
}
