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
  /// The cases that it represents, when those are several.
  let alike: AlikeCases?
  /// Fragment of the case that represents it.
  let representative: String?
  let source: ScenarioSource?
  private let sentences: RequirementSentences

  init(_ entry: ScenarioGroup.Case, source: ScenarioSource?, sentences: RequirementSentences) {
    result = entry.result
    anchor = entry.anchor
    alike = entry.alike
    representative = entry.representative
    self.source = source
    self.sentences = sentences
  }

  /// Deviations told in one panel.
  private static let maxDeviations = 20

  func markup(_ size: Size) -> Markup {
    switch size {
    case .line: line
    case .short: panel(isFull: false)
    case .full: panel(isFull: true)
    }
  }

  private func panel(isFull: Bool) -> Markup {
    let tone = Tone(result)
    let left = result.deviations.count - (isFull ? Self.maxDeviations : 2)
    let drawing = isFull ? DiagramRow.rows(of: result) : nil
    let bytes = drawing.flatMap { HexDump.section($0.rows, most: tone.needsLook ? 24 : 8) }
    let hash = VisibleText.clipped(result.traceHash, to: 40)
    return """
      <details class="panel \(tone.name)" id="\(anchor)" data-v="\(tone.name)"\(" open", if: tone.needsLook)>
      <summary><b class="badge \(tone.name)">\(tone.glyph) \(result.verdictText)</b><span class="place">\
      \(result.variant.name) · \(result.world.rawValue) · seed \(result.seed)\
      \(alike.map { " <span class=\"pill\">and \($0.count - 1) alike</span>" })</span>\
      \("<span class=\"headline\">\(CaseSummary.headline(result), clipped: 110)</span>", if: tone.needsLook)\
      <i>\(QuantityText.duration(result.duration))</i></summary>
      <div class="inside">
      \(alike.map { HTMLPage.note(Self.text($0)) })
      \(reason.map { "<p class=\"reason\">\($0, clipped: 600)</p>" })
      \(backtrace(isFull: isFull))\(deviations(isFull: isFull))\(left > 0 ? HTMLPage.note("and \(left) more") : nil)
      \(HTMLPage.command(ReproCommand.text(result)))\(shrinking(isFull: isFull))
      \(isFull ? nil : HTMLPage.note("The page is full: run the command, or see report.json, for the trace."))
      \(isFull ? tlsSections : [])\(drawing.map { "<div class=\"scroll\">\(diagram($0))</div>" })
      \(bytes)
      \(result.capture.map { "<p class=\"quiet\">Packets: <a href=\"\($0)\">\($0)</a></p>" })
      \(isFull ? source.map(sourceText) : nil)
      \("<p class=\"hash\">trace \(hash)</p>", if: !hash.isEmpty)
      </div>
      </details>

      """
  }

  /// What to type next: the command that makes the case smaller.
  private func shrinking(isFull: Bool) -> Markup? {
    guard isFull, !result.isAsExpected, !result.canary, result.voided == nil, !result.deviations.isEmpty else {
      return nil
    }
    return HTMLPage.command(ReproCommand.text(result, verb: "shrink"))
  }

  private func sourceText(_ source: ScenarioSource) -> Markup {
    let lines = SourceView.make(source, result: result, anchor: anchor)
    return "<details class=\"script\" open><summary>\(source.path, clipped: 240)</summary>\(lines)</details>"
  }

  private func deviations(isFull: Bool) -> [Markup] {
    let limit = isFull ? 600 : 160
    return result.deviations.prefix(isFull ? Self.maxDeviations : 2).map { deviation in
      """
      <div class="delta"><p><b>\(deviation.kind.label)</b>\
      \(deviation.requirement.map { " \(sentences.pill($0))" })\
      \(deviation.position.map { " <span class=\"quiet\">line \($0.line):\($0.column)</span>" })</p>\
      \(sentences.line(deviation.requirement))
      <dl><dt>expected</dt><dd class="expected">\(deviation.expected, clipped: limit)</dd>\
      <dt>actual</dt><dd class="actual">\(deviation.actual, clipped: limit)</dd></dl></div>

      """
    }
  }

  /// The reason of the verdict, where the deviations do not give it.
  private var reason: String? {
    if let voided = result.voided, let reason = result.reason {
      return "\(reason), so it proves nothing. By itself it is \(voided.verdict.label)."
    }
    if let known = result.known {
      return "A known deviation until \(known.expires), \(known.place): \(known.reason)"
    }
    if let missing = result.missingControl, result.reason == nil { return CaseSummary.missing(missing) }
    return result.reason ?? (result.deviations.isEmpty && Tone(result).needsLook ? CaseSummary.headline(result) : nil)
  }

  /// `In 8 variants: ipv4, ipv6-bytes and 6 more; seeds 3, 17 and 4 more.`
  private static func text(_ alike: AlikeCases) -> String {
    var text = alike.variants.count > 1 ? "In \(alike.variants.count) variants: \(alike.variantsText())" : ""
    if alike.seeds.count > 1 { text += (text.isEmpty ? "With " : "; ") + alike.seedsText() }
    if text.isEmpty { text = "\(alike.count) times" }
    return text + (alike.differs ? ". Instants, addresses and counts are those of the first." : ".")
  }

  /// A longer backtrace is collapsed; a still longer one loses its end.
  private static let maxOpenLines = 24
  private static let maxLines = 400

  /// What the process said as it ended; in a full panel the whole backtrace, collapsed when it is long.
  private func backtrace(isFull: Bool) -> Markup? {
    guard !result.backtrace.isEmpty else { return nil }
    let isLong = result.backtrace.count > Self.maxOpenLines
    let excerpt = isLong || !isFull ? BacktraceExcerpt(result.backtrace) : nil
    let frames = excerpt?.frames ?? []
    return """
      <div class="words">\((excerpt?.messages ?? []).map { "<p>\($0)</p>" })
      \("<ol>\(frames.map { "<li>\($0)</li>" })</ol>", if: !frames.isEmpty)
      \(isFull ? wholeBacktrace(isOpen: !isLong) : nil)</div>

      """
  }

  private func wholeBacktrace(isOpen: Bool) -> Markup {
    let lines = result.backtrace.prefix(Self.maxLines).map { VisibleText.clipped($0, to: 300) }
    var text = lines.joined(separator: "\n")
    let left = result.backtrace.count - lines.count
    if left > 0 { text += "\n… \(left) more lines, see report.json" }
    return """
      <details\(" open", if: isOpen)>\
      <summary>Backtrace, \(QuantityText.count(result.backtrace.count, "line"))</summary><pre>\(text)</pre></details>

      """
  }

  private func diagram(_ drawing: (rows: [DiagramRow], unplaced: [Deviation])) -> Markup {
    guard !result.trace.events.isEmpty else { return HTMLPage.note("Nothing was recorded.") }
    let lines = source.map { SourceView.shownLines($0) } ?? 0
    return SwimLaneDiagram.make(drawing.rows, unplaced: drawing.unplaced, title: result.name) { line in
      (1...max(1, lines)).contains(line) && lines > 0 ? "\(anchor)-l\(line)" : nil
    }
  }

  /// Handshakes told in one panel.
  private static let maxSessions = 4

  /// The case's TLS sessions, and the errors that the subject reported of them.
  private var tlsSections: [Markup] {
    guard let tls = TLSSummary(result.trace) else { return [] }
    var views = tls.sessions.prefix(Self.maxSessions).map { session in
      let facts = session.factLines.map { fact in
        Self.fact(fact, tone: fact.name == "alerts" || fact.name == "closed" ? "alert" : "")
      }
      return (title: session.title, facts: facts)
    }
    let errors = tls.errors.prefix(Self.maxSessions).map { error in
      Self.fact(
        TLSFactLine(name: "\(error.socket) says", lines: [error.text]), tone: error.isGracefulClosure ? "" : "refusal")
    }
    if views.isEmpty { views.append((title: "TLS", facts: [])) }
    views[views.count - 1].facts += errors
    return views.map { view in
      """
      <div class="secured"><h4>\(view.title, clipped: 80)</h4><dl>
      \(view.facts)</dl></div>

      """
    }
  }

  /// - Parameter tone: a CSS class.
  private static func fact(_ fact: TLSFactLine, tone: String) -> Markup {
    """
    <dt>\(fact.name, clipped: 40)</dt><dd class="\(tone)">\(fact.lines.map { "<span>\($0, clipped: 300)</span>" })</dd>

    """
  }

  private var line: Markup {
    let tone = Tone(result)
    return """
      <li id="\(anchor)" class="\(tone.name)" data-v="\(tone.name)"><b>\(tone.glyph)</b> \
      \(result.variant.name) · \(result.world.rawValue) · seed \(result.seed)\
      \(" <em>\(result.verdictText)</em>", if: tone.order > Tone(.passed).order)\
      \(representative.map { " <a href=\"#\($0)\">as told above</a>" })\
      \(representative == nil ? result.reason.map { " \($0, clipped: 160)" } : nil) \
      <i>\(QuantityText.duration(result.duration))</i></li>
      """
  }
}
