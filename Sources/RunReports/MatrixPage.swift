import ReportMarkup
import ScenarioModel

/// `matrix.html`: subjects as columns, scenarios by requirement as rows, and of scenarios in which subjects differ two
/// cases side by side, with the first difference marked.
struct MatrixPage {
  private let matrix: SubjectMatrix
  private let report: RunReport

  /// More pairs of diagrams would be a page that no browser likes; the others have their commands.
  private static let maxDiagrams = 120

  init(_ matrix: SubjectMatrix, _ report: RunReport) { (self.matrix, self.report) = (matrix, report) }

  var markup: Markup {
    var body: Markup = """
      <header class="top"><p class="eyebrow">SocketLab \(report.version), \(report.startedAt)</p>\
      <h1>Subjects beside each other</h1>\
      <p class="quiet">\(report.subjectTitle), profile \(report.profile.rawValue), seed \(report.seed). \
      <a href="index.html">All of the run</a></p>\(Self.leftOut(report))\(totals)</header>
      <main>

      """
    // What needs a look comes before what is all there is.
    for subject in matrix.subjects { body += summary(subject) }
    body += differences
    body += "<h2>Every scenario</h2>\n<p class=\"quiet\">\(legend)</p>\n\(table)"
    body += "</main>\n"
    return HTMLPage.make(
      title: "Subjects beside each other", style: PageStyle.css + Self.style, script: HTMLPage.deferralScript,
      body: body)
  }

  /// The subjects that were asked for and could not be judged, with the reasons; those that have left something
  /// running; and those that did something wrong when their cases were over.
  static func leftOut(_ report: RunReport) -> [Markup] {
    report.leftOut.map { program in
      "<p class=\"banner\">\(program.name) was left out: \(program.leftOut ?? "", clipped: 400)</p>"
    }
      + report.programs.compactMap { program in
        program.remains.map { "<p class=\"banner\">\(program.name) \($0, clipped: 400)</p>" }
      }
      + report.programs.flatMap { program in
        (program.exitFaults ?? []).map { fault in
          let words: Markup = fault.lastWords.isEmpty ? "" : "<pre>\(fault.lastWords.joined(separator: "\n"))</pre>"
          return "<p class=\"banner\">\(program.name): \(fault.text, clipped: 400)</p>\(words)"
        }
      }
  }

  private var totals: Markup {
    let verdicts = Verdict.byUrgency.filter { verdict in
      matrix.subjects.contains { (matrix.counts($0)[verdict] ?? 0) > 0 }
    }
    let rows = matrix.subjects.map { subject -> Markup in
      let counts = matrix.counts(subject)
      let cells = verdicts.map { verdict -> Markup in
        guard let count = counts[verdict] else { return "<td class=\"none\">–</td>" }
        return "<td class=\"\(verdict.rawValue)\"><b>\(verdict.glyph) \(count)</b></td>"
      }
      let known = matrix.known(subject)
      let last: Markup =
        known == 0 ? "<td class=\"none\">–</td>" : "<td class=\"known\"><b>≠ \(known)</b></td>"
      return
        "<tr><th scope=\"row\">\(report.title(of: subject))</th><td>\(matrix.asked(subject))</td>\(cells)\(last)</tr>\n"
    }
    return """
      <div class="scroll"><table class="matrix"><thead><tr><td></td><th scope="col">scenarios asked</th>\
      \(verdicts.map { "<th scope=\"col\">\($0.label)</th>" })<th scope="col">of these known</th></tr></thead><tbody>
      \(rows)</tbody></table></div>
      """
  }

  private var legend: String {
    Verdict.byUrgency.map { "\($0.glyph) \($0.label)" }.joined(separator: ", ")
      + "; of several cases the one that needs a look, and how many of how many"
  }

  private var table: Markup {
    var rows: Markup = ""
    var family = ""
    for row in matrix.rows {
      let own = String(row.requirement.prefix { $0 != "-" })
      if own != family {
        family = own
        rows += """
          <tr class="family"><th colspan="\(matrix.subjects.count + 2)">\
          \(own.isEmpty ? "No requirement" : own)</th></tr>

          """
      }
      let title: Markup =
        row.hasDifference ? "<a href=\"#d-\(row.scenario)\">\(row.scenario)</a>" : "\(row.scenario)"
      rows += """
        <tr><td class="quiet">\(row.requirement)</td><th scope="row" title="\(row.title)">\(title)</th>\
        \(matrix.subjects.map { cell(row.cells[$0]) })</tr>

        """
    }
    return """
      <div class="scroll"><table class="matrix rows"><thead><tr><td></td><td></td>\
      \(matrix.subjects.map { "<th scope=\"col\">\($0.name)</th>" })</tr></thead><tbody>
      \(rows)</tbody></table></div>

      """
  }

  private func cell(_ cell: SubjectMatrix.Cell?) -> Markup {
    guard let cell, let worst = cell.worst, let first = cell.cases.first else { return "<td class=\"none\"></td>" }
    let count = cell.counts[worst] ?? 0
    let share = cell.total == 1 ? "" : count == cell.total ? " \(count)" : " \(count)/\(cell.total)"
    let why = MatrixReport.why(report.cases[first]) ?? worst.label
    let name = cell.known > 0 && report.cases[first].known != nil ? "known" : worst.rawValue
    return "<td class=\"\(name)\" title=\"\(why, clipped: 300)\"><b>\(worst.glyph)\(share)</b></td>"
  }

  // MARK: - Two subjects, one case

  private var differences: Markup {
    guard matrix.isComparison else { return "" }
    let rows = matrix.rows.filter(\.hasDifference)
    guard !rows.isEmpty else { return "<h2>Where subjects differ</h2>\n<p>Nowhere.</p>\n" }
    var markup: Markup = "<h2>Where subjects differ: \(QuantityText.count(rows.count, "scenario"))</h2>\n"
    for (place, row) in rows.enumerated() {
      guard let difference = row.difference else { continue }
      let (left, right) = (report.cases[difference.left], report.cases[difference.right])
      markup += """
        <details class="pair" id="d-\(row.scenario)"><summary><span>\(row.title)</span> \
        \(badge(left)) \(badge(right))</summary>\
        \(HTMLPage.deferred(place < Self.maxDiagrams ? pair(left, right) : commands(left, right)))</details>

        """
    }
    return markup
  }

  private func badge(_ result: CaseResult) -> Markup {
    let (verdict, name) = (result.verdict, result.variant.label.name)
    return "<b class=\"badge \(verdict.rawValue)\">\(verdict.glyph) \(name)</b>"
  }

  private func commands(_ left: CaseResult, _ right: CaseResult) -> Markup {
    HTMLPage.command(ReproCommand.text(left)) + HTMLPage.command(ReproCommand.text(right))
  }

  private func pair(_ left: CaseResult, _ right: CaseResult) -> Markup {
    let difference =
      left.hasWholeTrace && right.hasWholeTrace ? TraceDifference(left.trace, right.trace) : nil
    let text: Markup? = difference.map { difference in
      """
      <dl class="facts"><div><dt>first difference: \(left.variant.label.name)</dt>\
      <dd>\(difference.leftText, clipped: 200)</dd></div>\
      <div><dt>\(right.variant.label.name)</dt><dd>\(difference.rightText, clipped: 200)</dd></div></dl>
      """
    }
    return """
      \(text)<div class="sides">\(side(left, difference?.left, difference?.rightText, right))\
      \(side(right, difference?.right, difference?.leftText, left))</div>
      """
  }

  private func side(_ result: CaseResult, _ index: Int?, _ other: String?, _ rival: CaseResult) -> Markup {
    let shown =
      other.map {
        TraceDifference.marked(
          result, at: index, "\(rival.variant.label.name) has \(VisibleText.clipped($0, to: 80))")
      } ?? result
    let drawing = DiagramRow.rows(of: shown)
    let diagram: Markup =
      result.hasWholeTrace
      ? SwimLaneDiagram.make(drawing.rows, unplaced: drawing.unplaced, title: result.name) { _ in nil }
      : HTMLPage.note("What was seen was not kept: run it again.")
    return """
      <section><h3>\(badge(result)) \(result.name)</h3><div class="scroll">\(diagram)</div>\
      \(HTMLPage.command(ReproCommand.text(result)))</section>
      """
  }

  // MARK: - One subject

  /// So many deviations are there before anything is unfolded.
  private static let maxOpen = 12

  private func summary(_ subject: SubjectLabel) -> Markup {
    let deviating = matrix.deviating(subject, report.cases)
    let items = deviating.map { index -> Markup in
      let result = report.cases[index]
      return """
        <li><b>\(result.title)</b> \(result.requirements.map { "<span class=\"pill\">\($0)</span>" })\
        <p>\(MatrixReport.why(result) ?? "", clipped: 400)</p>\(HTMLPage.command(ReproCommand.text(result)))</li>

        """
    }
    let count = QuantityText.count(deviating.count, "scenario")
    let known = matrix.known(subject, report.cases).map(known)
    let open: Markup =
      items.isEmpty
      ? ""
      : """
      <details\(" open", if: items.count <= Self.maxOpen)><summary>\(count) with deviations</summary>\
      <ul class="plain">\(items)</ul></details>

      """
    let list: Markup = known.isEmpty ? "" : "<ul class=\"plain\">\(known)</ul>\n"
    let none: Markup =
      items.isEmpty && known.isEmpty && matrix.asked(subject) > 0 ? "<p>Everything was as expected.</p>\n" : ""
    return """
      <h2>\(report.title(of: subject)): asked \(matrix.asked(subject)) of \(matrix.rows.count) scenarios</h2>
      \(withoutControl(subject))\(open)\(list)\(none)
      """
  }

  private func withoutControl(_ subject: SubjectLabel) -> [Markup] {
    report.withoutControl.filter { $0.subject == subject }.map { entry in
      """
      <p class="quiet">\(QuantityText.count(entry.count, "case")) judged without a control: it does not offer \
      <code>\(entry.control)</code>.</p>
      """
    }
  }

  /// A known deviation: its reason, one case that shows it, and the names of the others.
  private func known(_ known: SubjectMatrix.Known) -> Markup {
    let example = report.cases[known.cases[0]]
    let names = known.cases.map { report.cases[$0].scenario }.joined(separator: ", ")
    return """
      <li><b class="badge known">≠ \(QuantityText.count(known.cases.count, "scenario"))</b> \
      <b>\(Self.linked(known.reason))</b>\
      <p>\(MatrixReport.why(example) ?? "", clipped: 400)</p>\(HTMLPage.command(ReproCommand.text(example)))\
      <details><summary>all of them</summary><p class="quiet">\(names)</p></details></li>

      """
  }

  /// A reason that ends with an address in parentheses, as those of the records do.
  private static func linked(_ reason: String) -> Markup {
    guard reason.hasSuffix(")"), let place = reason.range(of: " (https://", options: .backwards) else {
      return "\(reason)"
    }
    let address = String(reason[place.lowerBound...].dropFirst(2).dropLast())
    return "\(String(reason[..<place.lowerBound])) <a href=\"\(address)\">source</a>"
  }

  private static let style: Markup = """

    table.matrix { border-collapse: collapse; margin-top: 1rem; font-variant-numeric: tabular-nums; }
    .matrix th, .matrix td { padding: .15rem .6rem; text-align: left; border-bottom: 1px solid var(--rule);
      white-space: nowrap; font-weight: 400; }
    .matrix thead th { font-weight: 600; } .matrix td b { color: var(--c); font-weight: 600; }
    .matrix td.none { color: var(--soft); } .matrix .family th { font-weight: 650; padding-top: 1rem; }
    .rows thead th { position: sticky; top: 0; background: var(--paper); }
    .pair { border: 1px solid var(--rule); border-radius: 8px; margin: .35rem 0; background: var(--card); }
    .pair summary { padding: .4rem .75rem; cursor: pointer; } .pair[open] { padding-bottom: .75rem; }
    .pair .facts { padding: .25rem .75rem; }
    .sides { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem; padding: 0 .75rem; }
    .sides h3 { font-size: .85rem; font-weight: 500; margin: .5rem 0; overflow-wrap: anywhere; }
    .sides svg.lanes { min-width: 620px; }
    @media (min-width: 1300px) { .pair[open] { margin-inline: calc((1200px - 100vw) / 2 + 1.5rem); } }
    @media (max-width: 800px) { .sides { grid-template-columns: minmax(0, 1fr); } }
    ul.plain { list-style: none; padding: .5rem 0 0; } ul.plain li { margin: .75rem 0; overflow-wrap: anywhere; }

    """
}
