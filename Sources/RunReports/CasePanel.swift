import Mustache
import ReportMarkup
import ScenarioModel

/// One case on the page, in one of three sizes.
struct CasePanel {
  enum Size {
    /// Deviations, diagram, bytes, source and command.
    case full
    /// Deviations and command.
    case short
    /// One line.
    case line
  }

  let result: CaseResult
  /// Fragment of the case on the page.
  let anchor: String
  /// The cases it speaks for, when those are several.
  let company: AlikeCases?
  /// Fragment of the case that speaks for it.
  let leader: String?
  let source: ScenarioSource?

  init(_ entry: ScenarioGroup.Case, source: ScenarioSource?) {
    result = entry.result
    anchor = entry.anchor
    company = entry.company
    leader = entry.leader
    self.source = source
  }

  /// Deviations told in one panel.
  private static let mostDeviations = 20

  func render(_ size: Size, with templates: PageTemplates) -> Markup {
    switch size {
    case .line: Markup(built: line)
    case .short: templates.render(.panel, view(isFull: false))
    case .full: templates.render(.panel, view(isFull: true))
    }
  }

  struct View {
    var anchor: Markup
    var tone: Markup
    var glyph: Markup
    var verdict: Markup
    var place: Markup
    var company: Markup?
    var duration: Markup
    var headline: Markup?
    var isOpen: Bool
    var reason: Markup?
    var alike: Markup?
    var lastWords: BacktraceView?
    var deviations: [DeviationView]
    var moreDeviations: Markup?
    var command: Markup
    var traceHash: Markup?
    var isShort: Bool
    var stories: [StoryView]
    var diagram: Markup?
    var capture: Markup?
    var bytes: Markup?
    var path: Markup?
    var source: Markup?
  }

  struct BacktraceView {
    var messages: [Markup]
    var frames: [Markup]
    var hasFrames: Bool
    /// Of the whole, which follows collapsed when it is long.
    var title: Markup
    var isOpen: Bool
    /// Preformatted; nil: the panel is short.
    var text: Markup?
  }

  struct StoryView {
    var title: Markup
    var facts: [StoryFactView]
  }

  struct StoryFactView {
    var name: Markup
    /// A CSS class.
    var tone: Markup
    var value: Markup
  }

  struct DeviationView {
    var kind: Markup
    var requirement: Markup?
    var line: Markup?
    var expected: Markup
    var actual: Markup
  }

  func view(isFull: Bool) -> View {
    let tone = Tone(result)
    let told = isFull ? Self.mostDeviations : 2
    let left = result.deviations.count - told
    let drawing = isFull ? DiagramRow.rows(of: result) : nil
    return View(
      anchor: Markup(text: anchor), tone: Markup(text: tone.name), glyph: Markup(text: tone.glyph),
      verdict: Markup(text: result.verdictText),
      place: Markup(text: "\(result.variant.name) · \(result.world.rawValue) · seed \(result.seed)"),
      company: company.map { Markup(text: "and \($0.count - 1) alike") },
      duration: Markup(text: MeasureText.duration(result.duration)),
      headline: tone.needsLook ? clipped(CaseSummary.headline(result), 110) : nil, isOpen: tone.needsLook,
      reason: reason.map { clipped($0, 600) }, alike: company.map { Markup(text: Self.text($0)) },
      lastWords: lastWords(isFull: isFull),
      deviations: result.deviations.prefix(told).map { view($0, limit: isFull ? 600 : 160) },
      moreDeviations: left > 0 ? Markup(text: "and \(left) more") : nil,
      command: Markup(text: ReproCommand.text(result)),
      traceHash: result.traceHash.isEmpty ? nil : clipped(result.traceHash, 40), isShort: !isFull,
      stories: stories(isFull: isFull), diagram: drawing.map { diagram($0) },
      capture: result.capture.map { Markup(text: $0) },
      bytes: drawing.flatMap { HexDump.section($0.rows, most: tone.needsLook ? 24 : 8) },
      path: source.map { clipped($0.path, 240) },
      source: isFull ? source.map { SourceView.make($0, result: result, anchor: anchor) } : nil)
  }

  /// What the deviations do not say.
  private var reason: String? {
    if let voided = result.voided, let reason = result.reason {
      return "\(reason), so it proves nothing. By itself it is \(voided.verdict.label)."
    }
    return result.reason ?? (result.deviations.isEmpty && Tone(result).needsLook ? CaseSummary.headline(result) : nil)
  }

  /// `In 8 variants: ipv4, ipv6-bytes and 6 more; seeds 3, 17 and 4 more.`
  private static func text(_ company: AlikeCases) -> String {
    var text = company.variants.count > 1 ? "In \(company.variants.count) variants: \(company.variantsText())" : ""
    if company.seeds.count > 1 { text += (text.isEmpty ? "With " : "; ") + company.seedsText() }
    if text.isEmpty { text = "\(company.count) times" }
    return text + (company.differs ? ". Instants, addresses and counts are those of the first." : ".")
  }

  /// A longer backtrace is collapsed; a still longer one loses its end.
  private static let mostOpenLines = 24
  private static let mostLines = 400

  private func lastWords(isFull: Bool) -> BacktraceView? {
    guard !result.backtrace.isEmpty else { return nil }
    let excerpt = BacktraceExcerpt(result.backtrace)
    let lines = result.backtrace.prefix(Self.mostLines).map { VisibleText.clipped($0, to: 300) }
    var text = lines.joined(separator: "\n")
    let left = result.backtrace.count - lines.count
    if left > 0 { text += "\n… \(left) more lines, see report.json" }
    let isLong = result.backtrace.count > Self.mostOpenLines
    return BacktraceView(
      messages: isLong || !isFull ? excerpt.messages.map(Markup.init(text:)) : [],
      frames: isLong || !isFull ? excerpt.frames.map(Markup.init(text:)) : [],
      hasFrames: (isLong || !isFull) && !excerpt.frames.isEmpty,
      title: Markup(text: "Backtrace, \(CountText.of(result.backtrace.count, "line"))"), isOpen: !isLong,
      text: isFull ? Markup(text: text) : nil)
  }

  private func diagram(_ drawing: (rows: [DiagramRow], homeless: [Deviation])) -> Markup {
    guard !result.trace.events.isEmpty else { return Markup(built: "<p class=\"quiet\">Nothing was recorded.</p>") }
    let lines = source.map { SourceView.shownLines($0) } ?? 0
    return SwimLaneDiagram.make(drawing.rows, homeless: drawing.homeless, title: result.name) { line in
      (1...max(1, lines)).contains(line) && lines > 0 ? "\(anchor)-l\(line)" : nil
    }
  }

  /// Handshakes told in one panel.
  private static let mostSessions = 4

  /// What came of the case's handshakes, and what the subject says of them.
  private func stories(isFull: Bool) -> [StoryView] {
    guard isFull, let story = TLSStory(result.trace) else { return [] }
    var views = story.sessions.prefix(Self.mostSessions).map { session in
      StoryView(
        title: clipped(session.title, 80),
        facts: session.factLines.map { fact in
          view(fact, tone: fact.name == "alerts" || fact.name == "closed" ? "alert" : "")
        })
    }
    let errors = story.errors.prefix(Self.mostSessions).map { error in
      view(TLSFactLine(name: "\(error.socket) says", lines: [error.text]), tone: error.isFarewell ? "" : "refusal")
    }
    guard !errors.isEmpty else { return views }
    if views.isEmpty { views.append(StoryView(title: Markup(text: "TLS"), facts: [])) }
    views[views.count - 1].facts += errors
    return views
  }

  private func view(_ fact: TLSFactLine, tone: String) -> StoryFactView {
    let lines = fact.lines.map { "<span>\(Markup.escape(VisibleText.clipped($0, to: 300)))</span>" }
    return StoryFactView(name: clipped(fact.name, 40), tone: Markup(text: tone), value: Markup(built: lines.joined()))
  }

  private func view(_ deviation: Deviation, limit: Int) -> DeviationView {
    DeviationView(
      kind: Markup(text: deviation.kind.label), requirement: deviation.requirement.map { clipped($0, 60) },
      line: deviation.position.map { Markup(text: "line \($0.line):\($0.column)") },
      expected: clipped(deviation.expected, limit), actual: clipped(deviation.actual, limit))
  }

  private func clipped(_ text: String, _ limit: Int) -> Markup {
    Markup(text: VisibleText.clipped(text, to: limit))
  }

  private var line: String {
    let tone = Tone(result)
    var html = "<li id=\"\(anchor)\" class=\"\(tone.name)\" data-v=\"\(tone.name)\"><b>\(tone.glyph)</b> "
    html += "\(Markup.escape(result.variant.name)) · \(result.world.rawValue) · seed \(result.seed)"
    if tone.order > Tone(.passed).order { html += " <em>\(Markup.escape(result.verdictText))</em>" }
    if let leader { html += " <a href=\"#\(leader)\">as told above</a>" }
    if leader == nil, let reason = result.reason { html += " \(Markup.escape(VisibleText.clipped(reason, to: 160)))" }
    return html + " <i>\(MeasureText.duration(result.duration))</i></li>"
  }
}
