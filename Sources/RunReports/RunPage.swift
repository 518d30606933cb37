import ReportMarkup
import ScenarioModel

/// The page of a run: its outcome, what needs a look, the matrix, and the cases as far as there is room for them.
struct RunPage {
  private let report: RunReport
  private let groups: [ScenarioGroup]
  private let panels: CasePanels
  private let totals: RunTotals
  private let controls: [FailedControl]
  private let divergences: [WorldDivergence]
  private let sentences: RequirementSentences

  init(_ report: RunReport, _ groups: [ScenarioGroup], _ panels: CasePanels) {
    self.report = report
    self.groups = groups
    self.panels = panels
    totals = RunTotals(report.cases)
    controls = FailedControl.all(in: report.cases)
    divergences = WorldDivergence.all(in: report.cases)
    sentences = RequirementSentences(report.sentences)
  }

  var markup: Markup {
    HTMLPage.make(
      title: "\(report.subject): \(totals.asExpected) of \(totals.cases) as expected", style: PageStyle.css,
      script: RunPageScript.js,
      body: """
        \(head)<main>
        \(concerns)\(divergenceTable)\(VerdictMatrix(groups, panels)?.markup)\(cases)\(meanings)\
        \(sentences.section(groups))</main>

        """)
  }

  // MARK: - Head

  private var head: Markup {
    let tones = Dictionary(grouping: groups.flatMap(\.cases), by: \.tone).mapValues(\.count)
      .sorted { $0.key.order < $1.key.order }
    return """
      <header class="top">
      <div class="verdict \(mood)">
      <p class="number"><b>\(totals.asExpected)</b><span>/ \(totals.cases)</span></p>
      <div><p class="eyebrow">SocketLab run report</p><h1>\(report.subject)</h1><p class="state">\(state)</p></div>
      </div>
      <div class="bar" aria-hidden="true">\
      \(tones.map { "<i class=\"\($0.key.name)\" style=\"flex-grow:\($0.value)\"></i>" })</div>
      <div class="filter">
      <div class="chips" role="group" aria-label="Show only these verdicts">
      \(tones.map { chip($0.key, count: $0.value) })</div>
      <label class="search" hidden><span>Filter</span><input id="filter" type="search" autocomplete="off" \
      placeholder="scenario, requirement or tag ( / )"><output></output></label>
      </div>
      \(banner.map { "<p class=\"banner\">\($0)</p>" })
      \(HTMLPage.facts(facts, clipped: 120))
      </header>

      """
  }

  private func chip(_ tone: Tone, count: Int) -> Markup {
    """
    <button type="button" class="chip \(tone.name)" data-chip="\(tone.name)" aria-pressed="false">\
    <b aria-hidden="true">\(tone.glyph)</b> \(tone.label) <span>\(count)</span></button>

    """
  }

  /// A CSS class: `good`, `cut` for an interrupted run without a deviation, or `look`.
  private var mood: String {
    guard totals.notAsExpected == 0, totals.cases > 0 else { return "look" }
    return report.casesNotJudged == 0 ? "good" : "cut"
  }

  /// What the run does not say, since it was interrupted.
  private var banner: String? {
    let count = report.casesNotJudged
    guard count > 0 else { return nil }
    return "Interrupted: \(QuantityText.count(count, "planned case")) \(count == 1 ? "was" : "were") not judged."
  }

  private var state: String {
    guard totals.cases > 0 else { return "Nothing ran." }
    var text = report.casesNotJudged == 0 ? "All as expected." : "All that was judged is as expected."
    if totals.notAsExpected > 0 { text = "\(totals.notAsExpected) need a look." }
    if !controls.isEmpty { text += " \(QuantityText.count(controls.count, "control")) did not pass." }
    if divergences.count == 1 { text += " The two worlds disagree once." }
    if divergences.count > 1 { text += " The two worlds disagree \(divergences.count) times." }
    return text
  }

  private var facts: [(name: String, value: String)] {
    let processors = report.host.processors == 1 ? "1 processor" : "\(report.host.processors) processors"
    return [
      ("Profile", report.profile.rawValue),
      ("Scenarios", "\(totals.scenarios)"),
      ("Seed", report.seeds > 1 ? "\(report.seed), \(report.seeds) seeds" : "\(report.seed)"),
      ("Started", report.startedAt),
      ("Took", QuantityText.duration(report.duration)),
      ("Host", "\(report.host.system), \(processors)"),
      ("Jitter", QuantityText.duration(report.host.jitter)),
      ("SocketLab", report.version),
    ]
  }

  // MARK: - What needs a look

  private var concerns: Markup {
    let looks = groups.flatMap { group in
      group.cases.filter { $0.rank == 1 && $0.representative == nil }.map { (entry: $0, group: group) }
    }
    guard !looks.isEmpty || !controls.isEmpty else { return "" }
    let shown = looks.sorted { $0.entry.tone.order > $1.entry.tone.order }.prefix(HTMLReport.mostConcerns)
    let entries = shown.map { entry, group in
      Self.concern(entry, anchor: panels.anchor(entry, in: group), search: group.search)
    }
    return """
      <section class="concerns"><h2>Needs a look</h2><ol>
      \(FailedControlList(report.cases, groups, panels).markup(of: controls))\(entries)</ol>
      \(Self.more(looks.count - HTMLReport.mostConcerns))
      </section>

      """
  }

  /// An entry of the list, which leads to the anchor.
  static func concern(_ entry: ScenarioGroup.Case, anchor: String, search: String) -> Markup {
    let (tone, result) = (entry.tone, entry.result)
    return """
      <li data-v="\(tone.name)" data-s="\(search)"><a href="#\(anchor)"><b class="badge \(tone.name)">\(tone.glyph)</b>\
      <span><strong>\(result.title, clipped: 160)</strong> <i>\(result.variant.name) · \(result.world.rawValue)</i>\
      \(entry.alike.map { " <i class=\"pill\">\($0.count) cases alike</i>" })\
      <br>\(CaseSummary.headline(result), clipped: 200)</span></a></li>

      """
  }

  private static func more(_ count: Int) -> Markup? {
    count > 0 ? HTMLPage.note("and \(count) more, see the matrix") : nil
  }

  private var divergenceTable: Markup {
    guard !divergences.isEmpty else { return "" }
    return """
      <section class="divergences"><h2>The worlds disagree</h2>
      <p class="quiet">The same scenario, variant and seed, judged differently on the real kernel and in virtual \
      time.</p>
      <div class="scroll"><table>
      <thead><tr><th>Scenario</th><th>Variant</th><th>loopback</th><th>simulated</th></tr></thead><tbody>
      \(divergences.prefix(HTMLReport.mostConcerns).map(Self.row))</tbody></table></div>
      \(Self.more(divergences.count - HTMLReport.mostConcerns))
      </section>

      """
  }

  private static func row(_ divergence: WorldDivergence) -> Markup {
    """
    <tr><th><code>\(divergence.scenario, clipped: 160)</code></th>\
    <td>\(divergence.variant) · seed \(divergence.seed)</td>\
    <td>\(Tone(divergence.loopback).badge)</td><td>\(Tone(divergence.simulated).badge)</td></tr>

    """
  }

  // MARK: - Cases

  private var cases: Markup {
    """
    <section class="cases"><h2>Cases</h2>
    <p class="key"><span class="action"><svg viewBox="-8 -8 16 16"><path class="mark" d="M-5 -5h10v10h-10z"/></svg> \
    peer acts</span><span class="sight"><svg viewBox="-8 -8 16 16"><path class="mark open" d="M-4 -4h8v8h-8z"/></svg> \
    peer sees</span><span class="call"><svg viewBox="-8 -8 16 16"><path class="mark" d="M5 -6v12l-10 -6z"/></svg> \
    call</span><span class="callback"><svg viewBox="-8 -8 16 16"><circle class="mark" r="5"/></svg> callback</span>\
    <span class="check"><svg viewBox="-8 -8 16 16"><path class="mark open" d="M0 -6l6 6l-6 6l-6 -6z"/></svg> \
    property</span><span class="tls"><svg viewBox="-8 -8 16 16"><path class="mark shackle" \
    d="M-3 -1v-2.5a3 3 0 0 1 6 0v2.5"/><path class="mark" d="M-5 -2h10v7h-10z"/></svg> TLS of the peer</span>\
    <span class="met">✓ 12 meets line 12</span></p>
    \(groups.map(article))</section>

    """
  }

  private func article(_ group: ScenarioGroup) -> Markup {
    let first = group.cases.first?.result
    let shown = group.cases.sorted { $0.tone.order > $1.tone.order }.compactMap(panels.panel)
    return """
      <article class="group" id="\(group.anchor)" data-s="\(group.search)">
      <header><h3>\(group.title, clipped: 200)</h3><p><code><span>\(group.area)/</span>\(group.name)</code>\
      \((first?.requirements ?? []).map { " \(sentences.pill($0))" })\
      \((first?.tags ?? []).map { " <span class=\"pill tag\">\($0, clipped: 60)</span>" })</p></header>
      \(shown.map { "\($0)\n" })\(lines(group, besides: shown.count))</article>

      """
  }

  /// The cases without a panel.
  private func lines(_ group: ScenarioGroup, besides panelCount: Int) -> Markup? {
    let lines = group.cases.compactMap(panels.line)
    let count = group.cases.count - panelCount
    guard count > 0 else { return nil }
    let hidden = count - lines.count
    return """
      <details class="lines"><summary>\(count) more \(count == 1 ? "case" : "cases")</summary><ul>
      \(lines.map { "\($0)\n" })\
      </ul>\(hidden > 0 ? HTMLPage.note("\(hidden) are left out; report.json has them all.") : nil)</details>

      """
  }

  private var meanings: Markup {
    let canary = "Must fail: it proves that the judge can see. Anything else needs a look."
    let rows = Verdict.allCases.map { Self.meaning(Tone($0), label: $0.label, $0.meaning) }
    return """
      <section class="meanings"><h2>What the verdicts mean</h2><dl>
      \(rows)\(Self.meaning(.canary, label: "canary", canary))</dl></section>

      """
  }

  private static func meaning(_ tone: Tone, label: String, _ text: String) -> Markup {
    """
    <div><dt><b class="badge \(tone.name)">\(tone.glyph) \(label)</b></dt><dd>\(text)</dd></div>

    """
  }
}

extension Tone {
  var badge: Markup { "<b class=\"badge \(name)\">\(glyph) \(label)</b>" }
}
