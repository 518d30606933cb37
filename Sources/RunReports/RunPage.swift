import ReportMarkup
import ScenarioModel

/// The page of a run: its outcome, what needs a look, and the scenarios in folders, with their cases as far as there is
/// room for them.
struct RunPage {
  private let report: RunReport
  private let groups: [ScenarioGroup]
  private let panels: CasePanels
  private let totals: RunTotals
  private let controls: [FailedControl]
  private let divergences: [WorldDivergence]
  private let sentences: RequirementSentences

  private let requirementsPage: String?

  init(_ report: RunReport, _ groups: [ScenarioGroup], _ panels: CasePanels, requirementsPage: String?) {
    self.report = report
    self.requirementsPage = requirementsPage
    self.groups = groups
    self.panels = panels
    totals = RunTotals(report)
    controls = FailedControl.all(in: report.cases)
    divergences = WorldDivergence.all(in: report.cases)
    sentences = RequirementSentences(report.sentences, page: requirementsPage)
  }

  var markup: Markup {
    HTMLPage.make(
      title: "\(report.subjectTitle): \(totals.asExpected) of \(totals.cases) as expected", style: PageStyle.css,
      script: RunPageScript.js,
      body: """
        \(head)<main>
        \(concerns)\(KnownDeviationList(report).markup)\(divergenceTable)\
        \(cases)\(meanings)\(sentences.section(groups))</main>

        """)
  }

  // MARK: - Head

  private var head: Markup {
    var counts = Dictionary(grouping: groups.flatMap(\.cases), by: \.tone).mapValues(\.count)
    for cases in report.unlistedCases.values { counts.merge(cases.tones, uniquingKeysWith: +) }
    let tones = counts.sorted { $0.key.order < $1.key.order }
    return """
      <header class="top">
      <div class="verdict \(mood)">
      <p class="number"><b>\(totals.asExpected)</b><span>/ \(totals.cases)</span></p>
      <div><p class="eyebrow">SocketLab run report</p><h1>\(report.subjectTitle)</h1><p class="state">\(state)</p></div>
      </div>
      \(ClassTable(groups, totals.columns, unlisted: report.unlistedCases).markup)\
      <div class="bar" aria-hidden="true">\
      \(tones.map { "<i class=\"\($0.key.name)\" style=\"flex-grow:\($0.value)\"></i>" })</div>
      <div class="filter">
      <div class="chips" role="group" aria-label="Show only these verdicts">
      \(tones.map { chip($0.key, count: $0.value) })</div>
      <label class="search" hidden><span>Filter</span><input id="filter" type="search" autocomplete="off" \
      placeholder="scenario, requirement or tag ( / )"><output></output></label>
      </div>
      \(banner.map { "<p class=\"banner\">\($0)</p>" })\(subjects)
      \(totals.unlistedText.map(HTMLPage.note))\(HTMLPage.facts(facts, clipped: 120))
      \(requirementsPage.map { "<p><a href=\"\($0)\">Every requirement, with what proves it</a></p>\n" })</header>

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
    guard totals.concern == nil, !totals.isEmpty, report.reservations.isEmpty
    else {
      return "look"
    }
    return report.casesNotJudged == 0 ? "good" : "cut"
  }

  /// What the run does not say, since it was interrupted.
  private var banner: String? {
    let count = report.casesNotJudged
    guard count > 0 else { return nil }
    return "Interrupted: \(QuantityText.count(count, "planned case")) \(count == 1 ? "was" : "were") not judged."
  }

  /// The subjects that were asked for and not judged, with the reasons; and a link to the page that compares the
  /// others.
  private var subjects: [Markup] {
    guard report.hasMatrix else { return [] }
    return MatrixPage.leftOut(report)
      + report.askedNothing.map { subject, reason in
        "<p class=\"banner\">\(report.title(of: subject)) was asked nothing: \(reason, clipped: 400)</p>"
      } + ["<p class=\"quiet\"><a href=\"matrix.html\">The subjects beside each other</a></p>"]
  }

  private var state: String {
    guard !totals.isEmpty else { return "Nothing ran." }
    var text = report.casesNotJudged == 0 ? "All as expected." : "All that was judged is as expected."
    if let concern = totals.concern { text = "\(concern)." }
    if text.hasPrefix("All"), let reservation = report.reservations.first {
      text = "As expected, but \(VisibleText.clipped(reservation, to: 400))."
    }
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
      ("Canaries", QuantityText.count(totals.canaries, "case")),
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
    let causes = CauseList(report, groups, panels)
    guard !causes.isEmpty || !controls.isEmpty else { return "" }
    let folded = FailedControlList(report.cases, groups).markup(of: controls)
    return """
      <section class="concerns"><h2>What to look at</h2>
      \("<ol>\(folded)</ol>", if: !folded.isEmpty)\(causes.isEmpty ? nil : causes.markup)</section>

      """
  }

  private static func more(_ count: Int) -> Markup? {
    count > 0 ? HTMLPage.note("and \(count) more, see report.json") : nil
  }

  private var divergenceTable: Markup {
    guard !divergences.isEmpty else { return "" }
    let rows = divergences.prefix(HTMLReport.maxConcerns).map(Self.row)
    let table: Markup = """
      <div class="scroll"><table>
      <thead><tr><th>Scenario</th><th>Variant</th><th>loopback</th><th>simulated</th></tr></thead><tbody>
      \(rows)</tbody></table></div>
      \(Self.more(divergences.count - HTMLReport.maxConcerns))
      """
    let isLong = divergences.count > HTMLReport.maxOpenDivergences
    let summary = QuantityText.count(divergences.count, "case")
    return """
      <section class="divergences"><h2>The worlds disagree</h2>
      <p class="quiet">The same scenario, variant and seed, judged differently on the real kernel and in virtual \
      time.</p>
      \(isLong ? "<details><summary>\(summary)</summary>\(HTMLPage.deferred(table))</details>" : table)
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
    <section class="cases"><h2>Scenarios</h2>
    <p class="key"><span class="action"><svg viewBox="-8 -8 16 16"><path class="mark" d="M-5 -5h10v10h-10z"/></svg> \
    peer acts</span><span class="sight"><svg viewBox="-8 -8 16 16"><path class="mark open" d="M-4 -4h8v8h-8z"/></svg> \
    peer sees</span><span class="call"><svg viewBox="-8 -8 16 16"><path class="mark" d="M5 -6v12l-10 -6z"/></svg> \
    call</span><span class="callback"><svg viewBox="-8 -8 16 16"><circle class="mark" r="5"/></svg> callback</span>\
    <span class="check"><svg viewBox="-8 -8 16 16"><path class="mark open" d="M0 -6l6 6l-6 6l-6 -6z"/></svg> \
    property</span><span class="tls"><svg viewBox="-8 -8 16 16"><path class="mark shackle" \
    d="M-3 -1v-2.5a3 3 0 0 1 6 0v2.5"/><path class="mark" d="M-5 -2h10v7h-10z"/></svg> TLS of the peer</span>\
    <span class="met">✓ 12 meets line 12</span></p>
    \(ScenarioFolders(groups, panels, sentences, columns: totals.columns).markup)</section>

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
