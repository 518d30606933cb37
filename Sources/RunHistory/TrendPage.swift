import ReportMarkup
import RunComparison
import ScenarioModel

/// The trend as a page that loads nothing: what is worse first, then the course of every measure.
package struct TrendPage {
  /// Measures of a kind that are drawn before anything is unfolded.
  private static let maxOpen = 12
  private static let maxEntries = 60

  private let trend: Trend

  package init(_ trend: Trend) { self.trend = trend }

  /// UTF-8, ending with a line feed.
  package var bytes: [UInt8] {
    let page = HTMLPage.make(
      title: "SocketLab trend: \(TrendWords.headline(trend))", style: PageStyle.css + Self.style,
      script: HTMLPage.deferralScript, body: "\(head)<main>\n\(HistoryEntry.Kind.allCases.compactMap(section))</main>\n"
    )
    return Array(page.html.utf8)
  }

  private var head: Markup {
    let worse = trend.regressions.count
    return """
      <header class="top">
      <div class="verdict \(worse == 0 ? "good" : "look")">
      <p class="number"><b>\(worse)</b></p>
      <div><p class="eyebrow">SocketLab trend</p><h1>\(TrendWords.headline(trend))</h1>\
      <p class="quiet">\(TrendWords.extent(trend))</p></div>
      </div>
      </header>

      """
  }

  private func section(_ kind: HistoryEntry.Kind) -> Markup? {
    guard let entries = trend.entries[kind], let last = entries.last else { return nil }
    // What changed is looked at first.
    let courses = trend.courses.filter { $0.kind == kind }
    let told = courses.filter { $0.judgement.change == .worse } + courses.filter { $0.judgement.change == .better }
    let others = courses.filter { [.same, .unknown].contains($0.judgement.change) }
    let names = entries.map(\.name)
    let open = (told + others).prefix(max(Self.maxOpen, told.count))
    let folded = (told + others).dropFirst(open.count)
    let more: Markup = """
      <details class="lines"><summary>\(QuantityText.count(folded.count, "more measure"))</summary>\
      \(HTMLPage.deferred("<div class=\"plots\">\(folded.map { figure($0, names) })</div>"))</details>
      """
    return """
      <section id="\(kind.rawValue)"><h2>\(TrendWords.title(kind))</h2>
      \(HTMLPage.facts(facts(last, entries.count), clipped: 80))
      <div class="plots">
      \(open.map { figure($0, names) })</div>
      \(more, if: !folded.isEmpty)
      \(slowest(entries))\(table(entries))</section>

      """
  }

  private func facts(_ last: HistoryEntry, _ count: Int) -> [(name: String, value: String)] {
    [
      ("Entries", QuantityText.count(count)), ("Last", last.startedAt),
      ("Commit", last.commitText ?? "not known"), ("Host", last.host),
    ]
  }

  private func figure(_ course: Trend.Course, _ names: [String]) -> Markup {
    let change = course.judgement.change
    let pooled = (course.last.noise == .counted ? Trend.pooled(course) : nil).map { "all together \($0.text)" }
    return """
      <figure class="\(change.rawValue)"><figcaption><span>\(course.name, clipped: 90)</span>\
      <b>\(course.last.text)</b></figcaption>
      \(TrendPlot(course, names: names).markup)
      <p class="quiet"><em>\(TrendWords.mark(change)) \(TrendWords.word(change))</em> \
      \(course.judgement.reason, clipped: 200)\(pooled.map { "; \($0)" })</p></figure>

      """
  }

  /// The slowest cases of the last entry, beside what they took before.
  private func slowest(_ entries: [HistoryEntry]) -> Markup? {
    guard let last = entries.last, !last.slowest.isEmpty else { return nil }
    let rows = last.slowest.map { slow -> Markup in
      let before = entries.dropLast().compactMap { entry in
        entry.slowest.first { $0.name == slow.name }?.milliseconds
      }
      let words = SampleMath.median(before).map { HistoryMeasure.text($0, .milliseconds) } ?? "–"
      return """
        <tr><th scope="row"><code>\(slow.name, clipped: 160)</code></th>\
        <td class="n">\(HistoryMeasure.text(slow.milliseconds, .milliseconds))</td><td class="n">\(words)</td></tr>

        """
    }
    return """
      <h3>Slowest cases</h3><div class="scroll"><table class="rows"><thead><tr><th>Case</th><th class="n">last</th>\
      <th class="n">median before, where it was among the slowest</th></tr></thead><tbody>
      \(rows)</tbody></table></div>

      """
  }

  private func table(_ entries: [HistoryEntry]) -> Markup {
    let rows = entries.suffix(Self.maxEntries).reversed().map { entry -> Markup in
      let failing = entry.failing.first.map { "\($0)\(entry.failing.count > 1 ? " and others" : "")" } ?? ""
      return """
        <tr><th scope="row">\(entry.name, clipped: 60)</th>\
        <td><code>\(entry.commitText ?? "–")</code></td>\
        <td class="n">\(QuantityText.count(entry.size))</td>\
        <td class="n">\(entry.measure("pass rate")?.text ?? "–")</td>\
        <td class="n">\(entry.measure("duration")?.text ?? "–")</td><td>\(failing, clipped: 120)</td></tr>

        """
    }
    guard entries.last?.kind == .suite else { return "" }
    let table: Markup = """
      <div class="scroll"><table class="rows"><thead><tr><th>Run</th><th>Commit</th><th class="n">cases</th>\
      <th class="n">pass rate</th><th class="n">duration</th><th>Not as expected</th></tr></thead><tbody>
      \(rows)</tbody></table></div>
      """
    return """
      <details class="lines"><summary>\(QuantityText.count(rows.count, "run"))</summary>\(HTMLPage.deferred(table))\
      </details>

      """
  }

  private static let style: Markup = """

    .plots { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr));
      margin: 1rem 0; }
    .plots figure { background: var(--card); border: 1px solid var(--rule); border-left: 3px solid var(--c);
      border-radius: 12px; padding: .7rem .9rem; box-shadow: var(--shadow); min-width: 0; margin: 0; }
    .same, .unknown { --c: var(--rule); } .better { --c: var(--passed); } .worse { --c: var(--failed); }
    .plots figcaption { display: flex; gap: .8rem; justify-content: space-between; align-items: baseline;
      font-size: .9rem; } .plots figcaption span { overflow-wrap: anywhere; min-width: 0; }
    .plots figcaption b { white-space: nowrap; font-variant-numeric: tabular-nums; }
    .plots p { font-size: .8rem; overflow-wrap: anywhere; } .plots em { font-style: normal; font-weight: 600; }
    .worse p em { color: var(--failed); } .better p em { color: var(--passed); }
    svg.trend { width: 100%; height: auto; display: block; }
    .trend text { font-size: 10px; fill: var(--soft); } .trend .end { text-anchor: end; }
    .trend .scale { fill: none; stroke: var(--rule); stroke-width: 1; }
    .trend .line { fill: none; stroke: var(--call); stroke-width: 1.5; }
    .trend .spread { stroke: var(--call); stroke-width: 5; stroke-linecap: round; opacity: .25; }
    .trend .point { fill: var(--call); } .trend .other { fill: var(--card); stroke: var(--soft); }
    .trend .last { fill: var(--call); } .trend .last.worse { fill: var(--failed); }
    .trend .last.better { fill: var(--passed); }
    .rows { width: 100%; font-size: .88rem; } .rows :is(th, td) { padding: .3rem .8rem .3rem 0; text-align: left; }
    .rows tbody tr + tr > * { border-top: 1px solid var(--rule); } .rows code { overflow-wrap: anywhere; }
    .rows thead th { color: var(--soft); font-size: .8rem; }
    .rows :is(td, th).n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    section > h3 { margin: 1.25rem 0 .4rem; } section > .facts { margin-top: .25rem; }
    section > .lines { border: 0; padding: .4rem 0; }

    """
}
