import Mustache
import ReportMarkup
import ScenarioModel

/// What the page template shows, in the template's words.
struct PageView {
  var headline: Markup
  /// What the run does not say, since it was interrupted.
  var banner: Markup?
  var subject: Markup
  /// A CSS class: `good`, `cut` for an interrupted run without a deviation, or `look`.
  var mood: Markup
  var good: Markup
  var total: Markup
  var state: Markup
  var facts: [FactView]
  var tones: [ToneView]
  /// Failed controls with what hangs on them.
  var folds: [FoldView]
  var concerns: [ConcernView]
  var moreConcerns: Markup?
  var divergences: [DivergenceView]
  var moreDivergences: Markup?
  var hasConcerns: Bool
  var hasDivergences: Bool
  var matrix: MatrixView?
  var groups: [GroupView]
  var meanings: [MeaningView]
  var style: Markup
  var script: Markup

  struct FactView {
    var name: Markup
    var value: Markup
  }

  struct ToneView {
    var name: Markup
    var label: Markup
    var glyph: Markup
    var count: Markup
    var isLook: Bool
  }

  struct ConcernView {
    var anchor: Markup
    var search: Markup
    var tone: Markup
    var glyph: Markup
    var title: Markup
    var place: Markup
    /// How many cases it stands for, when those are several.
    var company: Markup?
    var headline: Markup
  }

  struct FoldView {
    var search: Markup
    var control: Markup
    /// Said of a control that did not run.
    var absent: Markup?
    var concerns: [ConcernView]
    var cost: Markup
    var remainder: Markup?
    var scenarios: [FoldedView]
    var more: Markup?
  }

  struct FoldedView {
    var anchor: Markup
    var name: Markup
    var count: Markup
    var deviating: Markup?
  }

  struct DivergenceView {
    var scenario: Markup
    var variant: Markup
    var loopback: ToneView
    var simulated: ToneView
  }

  struct GroupView {
    var anchor: Markup
    var title: Markup
    var area: Markup
    var scenario: Markup
    var search: Markup
    var chips: [Markup]
    var tags: [Markup]
    var panels: [Markup]
    var hasLines: Bool
    var lineCount: Markup
    var lines: [Markup]
    var omitted: Markup?
  }

  struct MeaningView {
    var tone: Markup
    var glyph: Markup
    var label: Markup
    var text: Markup
  }

  init(_ report: RunReport, _ groups: [ScenarioGroup], _ shelf: PanelShelf) {
    let totals = RunTotals(report.cases)
    let entries = groups.flatMap(\.cases)
    let looks = groups.flatMap { group in
      group.cases.filter { $0.rank == 1 && $0.leader == nil }.map {
        ($0, anchor: shelf.shows($0) ? $0.anchor : group.anchor, search: group.search)
      }
    }
    let controls = FailedControl.all(in: report.cases)
    let divergences = WorldDivergence.all(in: report.cases)
    headline = Markup(text: "\(report.subject): \(totals.asExpected) of \(totals.cases) as expected")
    subject = Markup(text: report.subject)
    let isClean = totals.notAsExpected == 0 && totals.cases > 0
    mood = Markup(text: isClean ? report.casesNotJudged == 0 ? "good" : "cut" : "look")
    banner = Self.banner(report.casesNotJudged)
    good = Markup(text: "\(totals.asExpected)")
    total = Markup(text: "\(totals.cases)")
    state = Markup(text: Self.state(totals, controls.count, divergences.count, isWhole: report.casesNotJudged == 0))
    facts = Self.facts(report, totals)
    tones = Self.tones(entries)
    folds = FoldMaker(report.cases, groups, shelf).views(of: controls)
    concerns = looks.sorted { $0.0.tone.order > $1.0.tone.order }.prefix(HTMLReport.mostConcerns)
      .map { Self.concern($0, anchor: $1, search: $2) }
    moreConcerns = Self.more(looks.count - HTMLReport.mostConcerns)
    self.divergences = divergences.prefix(HTMLReport.mostConcerns).map(Self.divergence)
    moreDivergences = Self.more(divergences.count - HTMLReport.mostConcerns)
    hasConcerns = !concerns.isEmpty || !folds.isEmpty
    hasDivergences = !self.divergences.isEmpty
    matrix = groups.isEmpty ? nil : MatrixView(groups, shelf)
    self.groups = groups.map { Self.group($0, shelf) }
    meanings = Self.meanings
    style = Markup(built: PageStyle.css)
    script = Markup(built: PageScript.js)
  }

  private static func banner(_ count: Int) -> Markup? {
    guard count > 0 else { return nil }
    let verb = count == 1 ? "was" : "were"
    return Markup(text: "Interrupted: \(CountText.of(count, "planned case")) \(verb) not judged.")
  }

  private static func state(_ totals: RunTotals, _ controls: Int, _ divergences: Int, isWhole: Bool) -> String {
    guard totals.cases > 0 else { return "Nothing ran." }
    var text = isWhole ? "All as expected." : "All that was judged is as expected."
    if totals.notAsExpected > 0 { text = "\(totals.notAsExpected) need a look." }
    if controls > 0 { text += " \(CountText.of(controls, "control")) did not pass." }
    if divergences == 1 { text += " The two worlds disagree once." }
    if divergences > 1 { text += " The two worlds disagree \(divergences) times." }
    return text
  }

  private static func facts(_ report: RunReport, _ totals: RunTotals) -> [FactView] {
    let processors = report.host.processors == 1 ? "1 processor" : "\(report.host.processors) processors"
    return [
      ("Profile", report.profile.rawValue),
      ("Scenarios", "\(totals.scenarios)"),
      ("Seed", report.seeds > 1 ? "\(report.seed), \(report.seeds) seeds" : "\(report.seed)"),
      ("Started", report.startedAt),
      ("Took", MeasureText.duration(report.duration)),
      ("Host", "\(report.host.system), \(processors)"),
      ("Jitter", MeasureText.duration(report.host.jitter)),
      ("SocketLab", report.version),
    ].map { FactView(name: Markup(text: $0.0), value: Markup(text: VisibleText.clipped($0.1, to: 120))) }
  }

  private static func view(_ tone: Tone, count: Int) -> ToneView {
    ToneView(
      name: Markup(text: tone.name), label: Markup(text: tone.label), glyph: Markup(text: tone.glyph),
      count: Markup(text: "\(count)"), isLook: tone.needsLook)
  }

  private static func tones(_ entries: [ScenarioGroup.Case]) -> [ToneView] {
    Dictionary(grouping: entries, by: \.tone).sorted { $0.key.order < $1.key.order }
      .map { view($0, count: $1.count) }
  }

  static func concern(_ entry: ScenarioGroup.Case, anchor: String, search: Markup) -> ConcernView {
    let result = entry.result
    return ConcernView(
      anchor: Markup(text: anchor), search: search, tone: Markup(text: entry.tone.name),
      glyph: Markup(text: entry.tone.glyph),
      title: Markup(text: VisibleText.clipped(result.title, to: 160)),
      place: Markup(text: "\(result.variant.name) · \(result.world.rawValue)"),
      company: entry.company.map { Markup(text: "\($0.count) cases alike") },
      headline: Markup(text: VisibleText.clipped(CaseSummary.headline(result), to: 200)))
  }

  private static func divergence(_ divergence: WorldDivergence) -> DivergenceView {
    DivergenceView(
      scenario: Markup(text: VisibleText.clipped(divergence.scenario, to: 160)),
      variant: Markup(text: "\(divergence.variant) · seed \(divergence.seed)"),
      loopback: view(Tone(divergence.loopback), count: 1), simulated: view(Tone(divergence.simulated), count: 1))
  }

  private static func group(_ group: ScenarioGroup, _ shelf: PanelShelf) -> GroupView {
    let lines = group.cases.compactMap(shelf.line)
    let panels = group.cases.sorted { $0.tone.order > $1.tone.order }.compactMap(shelf.panel)
    let hidden = group.cases.count - lines.count - panels.count
    return GroupView(
      anchor: Markup(text: group.anchor), title: Markup(text: VisibleText.clipped(group.title, to: 200)),
      area: Markup(text: group.area), scenario: Markup(text: group.name), search: group.search,
      chips: (group.cases.first?.result.requirements ?? []).map { Markup(text: VisibleText.clipped($0, to: 60)) },
      tags: (group.cases.first?.result.tags ?? []).map { Markup(text: VisibleText.clipped($0, to: 60)) },
      panels: panels, hasLines: !lines.isEmpty || hidden > 0,
      lineCount: Markup(text: "\(lines.count + hidden) more \(lines.count + hidden == 1 ? "case" : "cases")"),
      lines: lines, omitted: hidden > 0 ? Markup(text: "\(hidden) are left out; report.json has them all.") : nil)
  }

  private static var meanings: [MeaningView] {
    Verdict.allCases.map { verdict in
      let tone = Tone(verdict)
      return MeaningView(
        tone: Markup(text: tone.name), glyph: Markup(text: tone.glyph), label: Markup(text: tone.label),
        text: Markup(text: verdict.meaning))
    } + [
      MeaningView(
        tone: Markup(text: Tone.canary.name), glyph: Markup(text: Tone.canary.glyph), label: Markup(text: "canary"),
        text: Markup(text: "Must fail: it proves that the judge can see. Anything else needs a look."))
    ]
  }

  private static func more(_ count: Int) -> Markup? {
    count > 0 ? Markup(text: "and \(count) more, see the matrix") : nil
  }
}
