import ReportMarkup
import RunReports
import ScenarioModel

/// `index.html`: what changed, the likeliest cause first, and for each finding the old and the new trace side by side.
struct ComparisonPage {
  /// Causes of a kind that are listed, findings of a cause, each with its traces, and cases that are named.
  private static let maxCauses = 40
  private static let maxFindings = 8
  private static let maxCases = 100

  private let comparison: RunComparison
  private let traces: TraceTable
  private let pages: (old: String?, new: String?)

  /// - Parameter pages: those of both runs, relative to this one; nil: there is none.
  init(
    _ comparison: RunComparison, _ oldTraces: RecordedTraces, _ newTraces: RecordedTraces,
    pages: (old: String?, new: String?) = (nil, nil)
  ) {
    (self.comparison, self.pages) = (comparison, pages)
    traces = TraceTable(comparison, oldTraces, newTraces)
  }

  var bytes: [UInt8] {
    let page = HTMLPage.make(
      title: "\(comparison.new.subjectTitle): \(comparison.headline)", style: PageStyle.css + ComparisonStyle.css,
      script: HTMLPage.deferralScript + ComparisonStyle.script,
      body: "\(head)<main>\n\(sections)\(divergences)\(drifts)\(failingAsBefore)</main>\n")
    return Array(page.html.utf8)
  }

  private var head: Markup {
    let facts = [("Old", comparison.old), ("New", comparison.new)].flatMap { name, run in Self.facts(name, run) }
    return """
      <header class="top">
      <div class="verdict \(comparison.isRegression ? "look" : comparison.isCut ? "cut" : "good")">
      <p class="number"><b>\(QuantityText.count(comparison.changes.count { $0.kind.isRegression }))</b></p>
      <div><p class="eyebrow">SocketLab comparison</p><h1>\(comparison.new.subjectTitle)</h1>\
      <p class="state">\(comparison.headline)</p><p class="quiet">\(comparison.remainder)</p></div>
      </div>
      \(comparison.notes.map { "<p class=\"banner\">\($0)</p>" })
      \(HTMLPage.facts(facts, clipped: 60))\(reports)
      </header>

      """
  }

  private static func facts(_ name: String, _ run: ComparedRun) -> [(name: String, value: String)] {
    var facts = [
      (name: "\(name) run", value: run.startedAt),
      (name: "\(name) commit", value: run.shortCommit ?? "not known"),
      (name: "\(name) cases", value: QuantityText.count(run.cases.count)),
    ]
    if !run.host.isEmpty { facts.append((name: "\(name) machine", value: run.host)) }
    return facts
  }

  /// Links to the pages of both runs.
  private var reports: Markup? {
    let links = [("old", pages.old), ("new", pages.new)].compactMap { name, page -> Markup? in
      page.map { "<a href=\"\(URIText.path($0))\">the \(name) run</a>" }
    }
    return links.isEmpty ? nil : "<p class=\"quiet\">Reports: \(links.joined(separator: ", "))</p>"
  }

  private var sections: [Markup] {
    var isFirst = true
    return CaseChange.Kind.allCases.compactMap { kind in
      let causes = comparison.causes(kind)
      guard !causes.isEmpty else { return nil }
      let entries = causes.prefix(Self.maxCauses).map { cause in
        defer { isFirst = false }
        return entry(cause, kind, isOpen: isFirst && kind.isRegression)
      }
      let left = causes.dropFirst(Self.maxCauses).reduce(0) { $0 + $1.count }
      return """
        <section class="concerns" id="\(kind.word)"><h2>\(comparison.countText(kind))</h2>
        <ol class="causes">
        \(entries)</ol>
        \(left > 0 ? HTMLPage.note("and \(QuantityText.count(left, "more case")), see comparison.json") : nil)
        </section>

        """
    }
  }

  private func entry(_ cause: ChangeCause, _ kind: CaseChange.Kind, isOpen: Bool) -> Markup {
    let tone: Markup = kind.isRegression ? "failed" : kind == .fixed ? "passed" : "skipped"
    let glyph: Markup = kind.isRegression ? "✕" : kind == .fixed ? "✓" : "–"
    let content = content(of: cause, kind)
    return """
      <li class="cause \(tone)"><details\(" open", if: isOpen)><summary><b class="badge \(tone)">\(glyph)</b>\
      <span>\("<strong>\(cause.title)</strong><br>", if: !cause.title.isEmpty)\(cause.extent)</span></summary>\
      \(isOpen ? content : HTMLPage.deferred(content))</details></li>

      """
  }

  private func content(of cause: ChangeCause, _ kind: CaseChange.Kind) -> Markup {
    guard kind != .lost else { return "<div class=\"inside\">\n\(missing(cause))\n</div>" }
    let shown = kind.isRegression ? cause.findings.prefix(Self.maxFindings) : cause.findings.prefix(1)
    let left = cause.findings.dropFirst(shown.count).reduce(0) { $0 + $1.changes.count }
    return """
      <div class="inside">
      \(shown.enumerated().compactMap { finding($1, kind, isOpen: $0 == 0) })
      \(kind.isRegression ? nil : cases(cause.findings.flatMap(\.changes)))
      \(kind.isRegression && left > 0
        ? HTMLPage.note("and \(QuantityText.count(left, "more case")), see comparison.json") : nil)
      </div>
      """
  }

  private func finding(_ finding: ChangeFinding, _ kind: CaseChange.Kind, isOpen: Bool) -> Markup? {
    guard kind.isRegression || kind == .fixed else { return nil }
    let first = finding.first
    return """
      <details class="change"\(" open", if: isOpen)><summary><span><strong>\(first.present.title)</strong><br>\
      \(finding.extent), such as \(first.key.name), seed \(first.present.seed): \(first.course)</span></summary>
      \("<p>\(first.words, clipped: 400)</p>", if: kind.isRegression)
      \(first.remark.map { "<p class=\"banner\">In \(first.key.scenario) \($0).</p>" })
      \(first.rates.map { "<p>It \($0).</p>" })
      \(first.place.map { HTMLPage.note($0.text) })\(HTMLPage.command(first.command))
      \(first.shrinking.map(HTMLPage.command))
      \(traces.markup(first))\(kind.isRegression ? cases(finding.changes) : nil)</details>

      """
  }

  /// The scenarios of missing cases; of one alone the cases.
  private func missing(_ cause: ChangeCause) -> Markup {
    let first = cause.findings[0]
    guard cause.findings.count > 1 else { return list(first.changes, "case") { "<li>\($0.key.name)</li>\n" } }
    return list(cause.findings, "scenario") { finding in
      let cases = QuantityText.count(finding.changes.count, "case")
      return "<li>\(finding.first.key.scenario) <em>\(cases)</em></li>\n"
    }
  }

  private func cases(_ changes: [CaseChange]) -> Markup? {
    guard changes.count > 1 else { return nil }
    return list(changes, "case") { "<li>\($0.key.name) <em>\($0.course)</em></li>\n" }
  }

  /// A folded list, with the number of what does not fit.
  private func list<Item>(_ items: [Item], _ noun: String, _ row: (Item) -> Markup) -> Markup {
    let left = items.count - Self.maxCases
    return """
      <details class="lines"><summary>\(QuantityText.count(items.count, noun))</summary><ul>
      \(items.prefix(Self.maxCases).map(row))\
      </ul>\(left > 0 ? HTMLPage.note("and \(left) more, see comparison.json") : nil)</details>
      """
  }

  // MARK: - The rest

  private var failingAsBefore: Markup? {
    guard comparison.stillFailing > 0 else { return nil }
    let cases = list(comparison.failingAsBefore, "case") { found -> Markup in
      "<li>\(found.key.name) <em>\(found.verdictText)</em> \(found.headline, clipped: 160)</li>\n"
    }
    return """
      <section class="concerns" id="still-failing"><h2>\(QuantityText.count(comparison.stillFailing)) failing as \
      before</h2>
      \(cases)
      </section>

      """
  }

  private var divergences: Markup {
    guard !comparison.divergences.isEmpty else { return "" }
    let rows = comparison.divergences.prefix(Self.maxCases).map { divergence -> Markup in
      """
      <tr><th><code>\(divergence.scenario, clipped: 160)</code></th><td>\(divergence.variant)</td>\
      <td>\(divergence.loopback.label)</td><td>\(divergence.simulated.label)</td></tr>

      """
    }
    return section("divergences", "The worlds now disagree", ["Scenario", "Variant", "loopback", "simulated"], rows)
  }

  private var drifts: Markup {
    guard !comparison.drifts.isEmpty else { return "" }
    let rows = comparison.drifts.prefix(Self.maxCases).map { drift -> Markup in
      "<tr><th><code>\(drift.scenario, clipped: 160)</code></th><td>\(drift.text)</td></tr>\n"
    }
    return section("divergences", "Timing drifted", ["Scenario", "Time on loopback"], rows)
  }

  private func section(_ name: Markup, _ title: String, _ heads: [String], _ rows: [Markup]) -> Markup {
    let table: Markup = """
      <div class="scroll"><table><thead><tr>\(heads.map { "<th>\($0)</th>" })</tr></thead><tbody>
      \(rows)</tbody></table></div>
      """
    return """
      <section class="\(name)"><h2>\(title)</h2>
      <details\(" open", if: rows.count <= 20)><summary>\(QuantityText.count(rows.count, "scenario"))</summary>\
      \(rows.count <= 20 ? table : HTMLPage.deferred(table))</details>
      </section>

      """
  }
}
