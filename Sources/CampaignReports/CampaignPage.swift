import FuzzCampaign
import FuzzHarness
import ReportMarkup

/// `index.html`: the campaign as one page that needs nothing else.
enum CampaignPage {
  static let mostFindings = 50
  static let mostReasons = 40

  /// UTF-8, ending with a line feed.
  static func make(_ campaign: Campaign) throws -> [UInt8] {
    Array(try CampaignTemplate.render(CampaignView(campaign)).html.utf8)
  }
}

/// What the template shows, in the template's words.
struct CampaignView {
  var headline: Markup
  var id: Markup
  var isGood: Bool
  var number: Markup
  var unit: Markup
  var outcome: Markup
  var gates: [GateView]
  var reasons: [ReasonsView]
  var facts: [FactView]
  var links: [LinkView]
  var missing: Markup?
  var hasFindings: Bool
  var findings: [FindingView]
  var moreFindings: Markup?
  var comparison: ComparisonView?
  var growth: GrowthView?
  var runs: Markup?
  var hasCoverage: Bool
  var coverage: [BlockView]
  var hasStates: Bool
  var states: [BlockView]
  var zoo: Markup?
  var targets: Markup
  var provenance: Markup
  var style = Markup(built: PageStyle.css + CampaignTemplate.style)
  var script = Markup(built: CampaignTemplate.script)

  struct GateView { var tone, glyph, title, state, actual, threshold: Markup }
  struct ReasonsView { var title, count, list: Markup }
  struct FactView { var name, value: Markup }
  struct LinkView { var anchor, title: Markup }
  struct ComparisonView { var base, body: Markup }
  struct GrowthView { var charts: [ChartView] }
  struct ChartView { var title, facts, time, executions: Markup }
  struct BlockView { var title, facts, body: Markup }

  init(_ campaign: Campaign) {
    let news = campaign.findings.count(where: \.isNews)
    headline = Markup(text: CampaignWords.headline(campaign))
    id = Markup(text: campaign.id)
    isGood = campaign.hasPassed
    number = Markup(text: "\(news)")
    unit = Markup(text: news == 1 ? "new finding" : "new findings")
    outcome = Markup(text: CampaignWords.outcome(campaign))
    gates = campaign.gates.map(Self.gate)
    reasons = campaign.gates.filter { $0.state == .failed && !$0.reasons.isEmpty }.map(Self.reasons)
    facts = Self.facts(campaign)
    missing = Self.missing(campaign)
    findings = campaign.findings.sorted { $0.isNews && !$1.isNews }.prefix(CampaignPage.mostFindings)
      .map(FindingView.init)
    hasFindings = !campaign.findings.isEmpty
    moreFindings =
      campaign.findings.count > CampaignPage.mostFindings
      ? Markup(text: "and \(campaign.findings.count - CampaignPage.mostFindings) more, see campaign.json") : nil
    comparison = campaign.comparison.map {
      ComparisonView(base: Markup(text: $0.base), body: Markup(built: CampaignTables.comparison($0)))
    }
    growth = Self.growth(campaign)
    runs = CampaignRuns.table(campaign)
    coverage = campaign.targets.compactMap(Self.coverage)
    hasCoverage = !coverage.isEmpty
    states = campaign.targets.compactMap { target in
      target.states.map {
        BlockView(
          title: Markup(text: target.name), facts: Markup(text: ""), body: Markup(built: CampaignTables.states($0)))
      }
    }
    hasStates = !states.isEmpty
    zoo = campaign.validation.map { Markup(built: CampaignTables.zoo($0)) }
    targets = CampaignRuns.targets(campaign)
    provenance = CampaignRuns.provenance(campaign)
    links = []
    links = sections.filter(\.isThere).map { LinkView(anchor: Markup(text: $0.anchor), title: Markup(text: $0.title)) }
  }

  private var sections: [(anchor: String, title: String, isThere: Bool)] {
    [
      ("missing", "Missing", missing != nil), ("findings", "Findings", hasFindings),
      ("comparison", "Comparison", comparison != nil), ("growth", "Growth", growth != nil),
      ("runs", "Throughput", runs != nil), ("coverage", "Coverage", hasCoverage), ("states", "States", hasStates),
      ("zoo", "Bug zoo", zoo != nil), ("targets", "Targets", true), ("provenance", "Provenance", true),
    ]
  }

  private static func gate(_ gate: Gate) -> GateView {
    GateView(
      tone: Markup(text: CampaignWords.tone(gate.state)), glyph: Markup(text: CampaignWords.glyph(gate.state)),
      title: Markup(text: CampaignWords.title(gate.name)), state: Markup(text: gate.state.rawValue),
      actual: Markup(text: VisibleText.clipped(gate.actual, to: 160)),
      threshold: Markup(text: VisibleText.clipped(gate.threshold, to: 160)))
  }

  private static func reasons(_ gate: Gate) -> ReasonsView {
    ReasonsView(
      title: Markup(text: CampaignWords.title(gate.name)), count: Markup(text: "\(gate.reasons.count)"),
      list: list(gate.reasons))
  }

  private static func list(_ lines: [String]) -> Markup {
    let shown = lines.prefix(CampaignPage.mostReasons)
    let items = shown.map { "<li>\(CampaignTables.text($0, to: 400))</li>" }.joined()
    return Markup(built: "<ul>\(items)</ul>" + CampaignTables.more(lines.count - shown.count, "lines"))
  }

  private static func facts(_ campaign: Campaign) -> [FactView] {
    let provenance = campaign.provenance
    let commit = provenance.commit.map { String($0.prefix(12)) + (provenance.isDirty == true ? " with changes" : "") }
    return [
      ("Mode", campaign.isInterrupted ? "\(campaign.mode), interrupted" : campaign.mode),
      ("Started", campaign.startedAt), ("Took", CampaignWords.seconds(campaign.wallSeconds)),
      ("Fuzzing time", CampaignWords.seconds(campaign.fuzzingSeconds)),
      ("Executions", CampaignWords.count(campaign.executions)), ("Targets", "\(campaign.targets.count)"),
      ("Runs", "\(campaign.targets.map(\.runs.count).reduce(0, +))"), ("Commit", commit ?? "not known"),
      ("Host", "\(provenance.system), \(provenance.processors) processors"), ("SocketLab", provenance.version),
    ].map { FactView(name: Markup(text: $0), value: Markup(text: VisibleText.clipped($1, to: 120))) }
  }

  private static func missing(_ campaign: Campaign) -> Markup? {
    let lines = campaign.missing.map { "\($0.what): \($0.reason)" }
    return lines.isEmpty ? nil : list(lines)
  }

  private static func growth(_ campaign: Campaign) -> GrowthView? {
    var charts: [ChartView] = []
    for target in campaign.targets {
      for lane in target.lanes {
        let runs = target.runs.filter { $0.lane == lane }
        let title = "\(target.name), \(lane.rawValue)"
        guard let time = GrowthChart(runs, .time), let executions = GrowthChart(runs, .executions) else { continue }
        charts.append(
          ChartView(
            title: Markup(text: title), facts: Markup(text: growthFacts(runs)),
            time: time.markup(label: "\(title): edges over time"),
            executions: executions.markup(label: "\(title): edges over executions")))
      }
    }
    return charts.isEmpty ? nil : GrowthView(charts: charts)
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

  private static func coverage(_ target: CampaignTarget) -> BlockView? {
    guard let (table, own) = target.coverage?.apart else { return nil }
    let share = table.total > 0 ? CampaignWords.percent(Double(table.covered) / Double(table.total)) : "–"
    return BlockView(
      title: Markup(text: target.name),
      facts: Markup(text: "\(share): \(table.covered) of \(table.total) \(table.unit.rawValue)"),
      body: Markup(
        built: CampaignTables.coverage(table) + CampaignTables.neverEntered(table) + CampaignTables.own(own)))
  }
}
