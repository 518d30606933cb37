import FuzzCampaign
import FuzzHarness
import ReportMarkup
import ScenarioModel

/// `index.html`: the campaign as one page that needs nothing else.
struct CampaignPage {
  private static let maxFindings = 50
  private static let maxReasons = 40

  private let campaign: Campaign

  /// UTF-8, ending with a line feed.
  static func make(_ campaign: Campaign) -> [UInt8] {
    Array(CampaignPage(campaign: campaign).markup.html.utf8)
  }

  private var markup: Markup {
    let sections = sections
    return HTMLPage.make(
      title: CampaignWords.headline(campaign), bodyClass: "campaign", style: PageStyle.css + CampaignStyle.css,
      script: CampaignStyle.script,
      body: """
        \(head(sections))<main>
        \(sections.map(\.markup))</main>

        """)
  }

  // MARK: - Head

  private func head(_ sections: [Section]) -> Markup {
    let news = campaign.findings.count(where: \.isNews)
    return """
      <header class="top">
      <div class="verdict \(campaign.hasPassed ? "good" : "look")">
      <p class="number"><b>\(news)</b><span>\(news == 1 ? "new finding" : "new findings")</span></p>
      <div><p class="eyebrow">SocketLab fuzz campaign \(campaign.id)</p><h1>\(CampaignWords.headline(campaign))</h1>\
      <p class="state">\(CampaignWords.outcome(campaign))</p></div>
      </div>
      <ul class="gates">
      \(campaign.gates.map(Self.gate))</ul>
      \(campaign.gates.filter { $0.state == .failed && !$0.reasons.isEmpty }.map(Self.reasons))\
      \(HTMLPage.facts(facts, clipped: 120))
      <nav>\(sections.map { "<a href=\"#\($0.anchor)\">\($0.title)</a>" })</nav>
      </header>

      """
  }

  private static func gate(_ gate: Gate) -> Markup {
    """
    <li class="\(CampaignWords.tone(gate.state))"><b aria-hidden="true">\(CampaignWords.glyph(gate.state))</b>\
    <div><strong>\(CampaignWords.title(gate.name))</strong> <span class="word">\(gate.state.rawValue)</span>\
    <p>\(gate.actual, clipped: 160)</p><p class="quiet">\(gate.threshold, clipped: 160)</p></div></li>

    """
  }

  private static func reasons(_ gate: Gate) -> Markup {
    """
    <details class="fold why"><summary>Why \(CampaignWords.title(gate.name)) failed \
    <span class="pill">\(gate.reasons.count)</span></summary>\(list(gate.reasons))</details>

    """
  }

  private static func list(_ lines: [String]) -> Markup {
    let items = lines.prefix(maxReasons).map { line -> Markup in "<li>\(line, clipped: 400)</li>" }
    return "<ul>\(items)</ul>\(CampaignTables.more(lines.count - items.count, "lines"))"
  }

  private var facts: [(name: String, value: String)] {
    let provenance = campaign.provenance
    let commit = provenance.commit.map { String($0.prefix(12)) + (provenance.isDirty == true ? " with changes" : "") }
    return [
      ("Mode", campaign.isInterrupted ? "\(campaign.mode), interrupted" : campaign.mode),
      ("Started", campaign.startedAt), ("Took", CampaignWords.seconds(campaign.wallSeconds)),
      ("Fuzzing time", CampaignWords.seconds(campaign.fuzzingSeconds)),
      ("Executions", QuantityText.count(campaign.executions)), ("Targets", "\(campaign.targets.count)"),
      ("Runs", "\(campaign.targets.map(\.runs.count).reduce(0, +))"), ("Commit", commit ?? "not known"),
      ("Host", "\(provenance.system), \(provenance.processors) processors"), ("SocketLab", provenance.version),
    ]
  }

  // MARK: - Sections

  private struct Section {
    var anchor: String
    /// Among the links to the sections.
    var title: String
    var heading: String?
    /// A CSS class.
    var style: String?
    var body: Markup

    var markup: Markup {
      """
      <section id="\(anchor)"\(style.map { " class=\"\($0)\"" })><h2>\(heading ?? title)</h2>\(body)</section>

      """
    }
  }

  /// Those that have something to say, in their order.
  private var sections: [Section] {
    let missing = campaign.missing.map { "\($0.what): \($0.reason)" }
    let runs = CampaignRuns.table(campaign)
    let all = [
      missing.isEmpty
        ? nil
        : Section(
          anchor: "missing", title: "Missing", heading: "Missing from this report",
          body: Self.block(Self.list(missing))),
      findings,
      campaign.comparison.map {
        Section(
          anchor: "comparison", title: "Comparison", heading: "Against \($0.base)",
          body: Self.block(CampaignTables.comparison($0)))
      },
      growth,
      runs.map {
        Section(
          anchor: "runs", title: "Throughput", heading: "Throughput and health", body: Self.block($0, scrolls: true))
      },
      Self.blocks(campaign.targets.compactMap(Self.coverage), anchor: "coverage", title: "Coverage"),
      Self.blocks(
        campaign.targets.compactMap(Self.states), anchor: "states", title: "States", heading: "States of the machine"),
      campaign.validation.map {
        Section(anchor: "zoo", title: "Bug zoo", body: Self.block(CampaignTables.zoo($0)))
      },
      Section(
        anchor: "targets", title: "Targets", body: Self.block(CampaignRuns.targets(campaign), scrolls: true)),
      Section(
        anchor: "provenance", title: "Provenance",
        body: Self.block(CampaignRuns.provenance(campaign), scrolls: true)),
    ]
    return all.compactMap { $0 }
  }

  private static func block(_ body: Markup, scrolls: Bool = false) -> Markup {
    "<div class=\"block\(scrolls ? " scroll" : "")\">\(body)</div>"
  }

  /// A section of several blocks; nil: there are none.
  private static func blocks(_ blocks: [Markup], anchor: String, title: String, heading: String? = nil) -> Section? {
    guard !blocks.isEmpty else { return nil }
    return Section(
      anchor: anchor, title: title, heading: heading, body: "\n\(blocks.map { "<div class=\"block\">\($0)</div>\n" })")
  }

  private var findings: Section? {
    guard !campaign.findings.isEmpty else { return nil }
    let shown = campaign.findings.sorted { $0.isNews && !$1.isNews }.prefix(Self.maxFindings)
    let left = campaign.findings.count - shown.count
    return Section(
      anchor: "findings", title: "Findings", style: "cases",
      body: """

        \(shown.map { FindingView(finding: $0).markup })\
        \(left > 0 ? HTMLPage.note("and \(left) more, see campaign.json") : nil)

        """)
  }

  private var growth: Section? {
    let charts = campaign.targets.flatMap { target in target.lanes.compactMap { Self.chart(target, $0) } }
    guard !charts.isEmpty else { return nil }
    return Section(
      anchor: "growth", title: "Growth",
      body: """

        <p class="quiet">Edges passed, for each lane: over time, and over executions (logarithmic). Thin: each trial; \
        thick: their median; band: lowest to highest.</p>
        <div class="charts">
        \(charts)</div>
        """)
  }

  private static func chart(_ target: CampaignTarget, _ lane: FuzzTarget.Lane) -> Markup? {
    let runs = target.runs.filter { $0.lane == lane }
    let title = "\(target.name), \(lane.rawValue)"
    guard let time = GrowthChart(runs, .time), let executions = GrowthChart(runs, .executions) else { return nil }
    return """
      <figure class="chart"><figcaption><strong>\(title)</strong> <span class="quiet">\(growthFacts(runs))</span>\
      </figcaption><div class="pair">\(time.markup(label: "\(title): edges over time"))\
      \(executions.markup(label: "\(title): edges over executions"))</div></figure>

      """
  }

  private static func growthFacts(_ runs: [FuzzRun]) -> String {
    var words = [runs.count == 1 ? "1 trial" : "\(runs.count) trials"]
    if let coverage = Spread(runs.compactMap { $0.final.map { Double($0.coverage) } }) {
      words.append("\(CampaignWords.spread(coverage)) edges")
    }
    let soon = runs.compactMap { Series.reaching(0.95, of: $0.series).map { Double($0.executions) } }
    if let executions = Spread(soon) {
      words.append("95 % of them after \(CampaignWords.short(executions.median)) executions")
    }
    return words.joined(separator: " · ")
  }

  private static func coverage(_ target: CampaignTarget) -> Markup? {
    guard let (table, own) = target.coverage?.apart else { return nil }
    let share = table.total > 0 ? CampaignWords.percent(Double(table.covered) / Double(table.total)) : "–"
    return """
      <h3>\(target.name) <span class="quiet">\(share): \(table.covered) of \(table.total) \(table.unit.rawValue)</span>\
      </h3>\(CampaignTables.coverage(table))\(CampaignTables.neverEntered(table))\(CampaignTables.own(own))
      """
  }

  private static func states(_ target: CampaignTarget) -> Markup? {
    target.states.map { "<h3>\(target.name)</h3>\(CampaignTables.states($0))" }
  }
}
