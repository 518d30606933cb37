import ReportMarkup
import RunReports
import ScenarioModel

/// The old and the new trace of a case side by side, on the page of a comparison.
struct TraceTable {
  private let comparison: RunComparison
  private let oldTraces: RecordedTraces
  private let newTraces: RecordedTraces

  init(_ comparison: RunComparison, _ oldTraces: RecordedTraces, _ newTraces: RecordedTraces) {
    (self.comparison, self.oldTraces, self.newTraces) = (comparison, oldTraces, newTraces)
  }

  func markup(_ change: CaseChange) -> Markup {
    guard let now = change.new.flatMap(newTraces.trace), let before = change.old.flatMap(oldTraces.trace) else {
      return HTMLPage.note("The reports have no traces of it to be set side by side.")
    }
    let alignment = TraceAlignment(before.events, now.events, isOldCut: before.of.isCut, isNewCut: now.of.isCut)
    let notes = [(before.of, change.old, "old"), (now.of, change.new, "new")].compactMap { shown, asked, name in
      shown.key == asked?.key ? nil : "The \(name) trace is that of \(shown.key.name)."
    }
    let rows = alignment.rows.enumerated().map { row($1, isFirst: $0 == alignment.divergence) }
    return """
      \(notes.map(HTMLPage.note))<div class="scroll"><table class="sides"><caption class="quiet">\
      \(alignment.summary)</caption>
      <thead><tr><th colspan="3">Old: \(comparison.old.startedAt)</th><th colspan="3">New: \
      \(comparison.new.startedAt)</th></tr><tr><th>ms</th><th>peer</th><th>socket</th><th>ms</th><th>peer</th>\
      <th>socket</th></tr></thead><tbody>
      \(rows)</tbody></table></div>
      """
  }

  private func row(_ row: TraceAlignment.Row, isFirst: Bool) -> Markup {
    """
    <tr class="\(Self.state(of: row))\(" first", if: isFirst)\(" deviation", if: row.isDeviation)">\
    \(side(row.old))\(side(row.new))</tr>

    """
  }

  /// A CSS class.
  private static func state(of row: TraceAlignment.Row) -> Markup {
    if row.isBeyond { return "beyond" }
    guard row.old != nil, row.new != nil else { return !row.differs ? "moved" : row.old == nil ? "gained" : "lost" }
    return row.differs ? "changed" : "same"
  }

  private func side(_ event: ReportedEvent?) -> Markup {
    guard let event else { return "<td class=\"ms\"></td><td class=\"gap\">–</td><td class=\"gap\">–</td>" }
    let lane = event.lane.map { $0 == "peer" || $0 == "socket" ? "" : "\($0): " } ?? ""
    let words: Markup = """
      \("<b class=\"badge failed\">✕</b> ", if: event.isDeviation)\
      <span class="\(event.isOfPeer ? "action" : "callback")">\(lane + event.what, clipped: 160)</span>
      """
    let isCall = event.kind == "call" ? "→ " : event.kind == "callback" ? "← " : ""
    return """
      <td class="ms">\(QuantityText.fixed(event.milliseconds, decimals: 2))</td>\
      <td>\(words, if: event.isOfPeer)</td><td>\("\(isCall)\(words)", if: !event.isOfPeer)</td>
      """
  }
}
