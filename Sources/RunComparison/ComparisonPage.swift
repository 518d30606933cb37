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
  private let oldTraces: RecordedTraces
  private let newTraces: RecordedTraces

  init(_ comparison: RunComparison, _ oldTraces: RecordedTraces, _ newTraces: RecordedTraces) {
    (self.comparison, self.oldTraces, self.newTraces) = (comparison, oldTraces, newTraces)
  }

  var bytes: [UInt8] {
    let page = HTMLPage.make(
      title: "\(comparison.new.subjectTitle): \(comparison.headline)", style: PageStyle.css + Self.style,
      script: HTMLPage.deferralScript + Self.script, body: "\(head)<main>\n\(sections)\(divergences)\(drifts)</main>\n")
    return Array(page.html.utf8)
  }

  private var head: Markup {
    let facts = [("Old", comparison.old), ("New", comparison.new)].flatMap { name, run in
      [
        (name: "\(name) run", value: run.startedAt),
        (name: "\(name) commit", value: run.shortCommit ?? "not known"),
        (name: "\(name) cases", value: QuantityText.count(run.cases.count)),
      ]
    }
    return """
      <header class="top">
      <div class="verdict \(comparison.isRegression ? "look" : comparison.isCut ? "cut" : "good")">
      <p class="number"><b>\(QuantityText.count(comparison.changes.count { $0.kind.isRegression }))</b></p>
      <div><p class="eyebrow">SocketLab comparison</p><h1>\(comparison.new.subjectTitle)</h1>\
      <p class="state">\(comparison.headline)</p><p class="quiet">\(comparison.remainder)</p></div>
      </div>
      \(comparison.notes.map { "<p class=\"banner\">\($0)</p>" })
      \(HTMLPage.facts(facts, clipped: 60))
      </header>

      """
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
    let shown = kind.isRegression ? cause.findings.prefix(Self.maxFindings) : cause.findings.prefix(1)
    let left = cause.findings.dropFirst(shown.count).reduce(0) { $0 + $1.changes.count }
    let content: Markup = """
      <div class="inside">
      \(shown.enumerated().compactMap { finding($1, kind, isOpen: $0 == 0) })
      \(kind.isRegression ? nil : cases(cause.findings.flatMap(\.changes)))
      \(kind.isRegression && left > 0
        ? HTMLPage.note("and \(QuantityText.count(left, "more case")), see comparison.json") : nil)
      </div>
      """
    return """
      <li class="cause \(tone)"><details\(" open", if: isOpen)><summary><b class="badge \(tone)">\(glyph)</b>\
      <span>\("<strong>\(cause.title)</strong><br>", if: !cause.title.isEmpty)\(cause.extent)</span></summary>\
      \(isOpen ? content : HTMLPage.deferred(content))</details></li>

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
      \(traces(first))\(kind.isRegression ? cases(finding.changes) : nil)</details>

      """
  }

  private func cases(_ changes: [CaseChange]) -> Markup? {
    guard changes.count > 1 else { return nil }
    let left = changes.count - Self.maxCases
    return """
      <details class="lines"><summary>\(QuantityText.count(changes.count, "case"))</summary><ul>
      \(changes.prefix(Self.maxCases).map { "<li>\($0.key.name) <em>\($0.course)</em></li>\n" })\
      </ul>\(left > 0 ? HTMLPage.note("and \(left) more, see comparison.json") : nil)</details>
      """
  }

  // MARK: - Traces

  private func traces(_ change: CaseChange) -> Markup? {
    guard let now = change.new.flatMap(newTraces.trace), let before = change.old.flatMap(oldTraces.trace) else {
      return HTMLPage.note("The reports have no traces of it to be set side by side.")
    }
    let alignment = TraceAlignment(before.events, now.events)
    let notes = [(before.of, change.old, "old"), (now.of, change.new, "new")].compactMap { shown, asked, name in
      shown.key == asked?.key ? nil : "The \(name) trace is that of \(shown.key.name)."
    }
    let rows = alignment.rows.enumerated().map { row($1, isFirst: $0 == alignment.divergence) }
    return """
      \(notes.map(HTMLPage.note))<div class="scroll"><table class="sides"><caption class="quiet">\
      \(alignment.divergence == nil ? "Both traces tell the same." : "The first difference is marked.")</caption>
      <thead><tr><th colspan="3">Old: \(comparison.old.startedAt)</th><th colspan="3">New: \
      \(comparison.new.startedAt)</th></tr><tr><th>ms</th><th>peer</th><th>socket</th><th>ms</th><th>peer</th>\
      <th>socket</th></tr></thead><tbody>
      \(rows)</tbody></table></div>
      """
  }

  private func row(_ row: TraceAlignment.Row, isFirst: Bool) -> Markup {
    let state: Markup =
      !row.differs ? row.old == nil || row.new == nil ? "moved" : "same" : row.old == nil ? "gained" : "lost"
    return """
      <tr class="\(state)\(" first", if: isFirst)">\
      \(side(row.old, other: row.new))\(side(row.new, other: row.old))</tr>

      """
  }

  private func side(_ event: ReportedEvent?, other: ReportedEvent?) -> Markup {
    guard let event else { return "<td></td><td class=\"gap\">–</td><td class=\"gap\">–</td>" }
    let lane = event.lane.map { $0 == "peer" || $0 == "socket" ? "" : "\($0): " } ?? ""
    let words: Markup =
      "<span class=\"\(event.isOfPeer ? "action" : "callback")\">\(lane + event.what, clipped: 160)</span>"
    let isCall = event.kind == "call" ? "→ " : event.kind == "callback" ? "← " : ""
    return """
      <td class="ms">\(QuantityText.fixed(event.milliseconds, decimals: 2))</td>\
      <td>\(words, if: event.isOfPeer)</td><td>\("\(isCall)\(words)", if: !event.isOfPeer)</td>
      """
  }

  // MARK: - The rest

  private var divergences: Markup {
    guard !comparison.divergences.isEmpty else { return "" }
    let rows = comparison.divergences.prefix(Self.maxCases).map { divergence -> Markup in
      """
      <tr><th><code>\(divergence.scenario, clipped: 160)</code></th><td>\(divergence.variant)</td>\
      <td>\(divergence.loopback.rawValue)</td><td>\(divergence.simulated.rawValue)</td></tr>

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

  private static let style: Markup = """

    .sides { width: 100%; min-width: 52rem; font-size: .82rem; border-collapse: collapse; }
    .sides caption { text-align: left; font-size: .88rem; padding: .3rem 0; }
    .sides :is(td, th) { padding: .12rem .5rem; vertical-align: top; text-align: left; overflow-wrap: anywhere; }
    .sides thead tr:first-child th { font-weight: 650; } .sides thead th { color: var(--soft); }
    .sides td { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; min-width: 3rem; }
    .sides :is(td, th):nth-child(4), .sides thead tr:first-child th:nth-child(2) { border-left: 1px solid var(--rule); }
    .sides .ms { color: var(--soft); text-align: right; white-space: nowrap; } .sides .gap { color: var(--soft); }
    .sides .lost, .sides .gained { background: color-mix(in srgb, var(--failed) var(--tint), transparent); }
    .sides .first { box-shadow: inset 0 2px var(--failed), inset 0 -2px var(--failed); }
    .sides .first td:first-child::before { content: "▶ "; color: var(--failed); }
    .sides .action { color: var(--peer); } .sides :is(td, th):is(:nth-child(2), :nth-child(5)) { min-width: 6.5rem; }
    .sides .moved { color: var(--soft); } .concerns .inside { padding: .25rem 1.1rem 1.1rem 3.6rem; gap: .4rem; }
    .causes .inside .quiet { padding: 0; margin: 0; } .change { border-top: 1px solid var(--rule); }
    .causes .change > summary { padding: .6rem 0; } .causes .change > :is(p, .command, .scroll) { margin: 0 0 .6rem; }
    .causes .change .lines { padding: .3rem 0; } .causes .lines ul { padding: .3rem 0; columns: 20rem; }
    @media (max-width: 700px) { .concerns .inside { padding-left: 1rem; } }

    """

  private static let script: Markup = #"""
    const armCopies = root => {
      for (const button of root.querySelectorAll(".copy")) {
        button.hidden = false;
        button.addEventListener("click", () => {
          navigator.clipboard.writeText(button.previousElementSibling.textContent);
          button.textContent = "Copied";
        });
      }
    };
    armCopies(document);
    whenUnfolded.push(armCopies);

    """#
}
