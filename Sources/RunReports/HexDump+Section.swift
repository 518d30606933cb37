import ReportMarkup
import ScenarioModel

extension HexDump {
  /// Dumps of the first `most` byte-carrying rows of a case, folded away; nil when there are none.
  static func section(_ rows: [DiagramRow], most: Int) -> Markup? {
    let carriers = rows.compactMap { row -> (DiagramRow, EventWords, PayloadHead)? in
      guard case .event(let words) = row.content, let payload = words.payload, payload.total > 0 else { return nil }
      return (row, words, payload)
    }
    guard !carriers.isEmpty else { return nil }
    var html = "<details class=\"bytes\"><summary>Bytes <span>\(carriers.count)</span></summary><div class=\"dumps\">"
    for (row, words, payload) in carriers.prefix(most) {
      html += "<figure><figcaption><b>\(row.index)</b> \(caption(row, words))</figcaption>"
      html += "<pre>\(Markup.escape(text(payload.bytes, total: payload.total)))</pre>"
      if let plain = words.sealed?.plain {
        html += "<figcaption>inside: \(MeasureText.size(plain.total)) of data</figcaption>"
        html += "<pre>\(Markup.escape(text(plain.bytes, total: plain.total)))</pre>"
      }
      html += "</figure>"
    }
    html += "</div>"
    if carriers.count > most { html += "<p class=\"quiet\">\(carriers.count - most) more are left out.</p>" }
    return Markup(built: html + "</details>")
  }

  private static func caption(_ row: DiagramRow, _ words: EventWords) -> String {
    let lane =
      switch words.lane {
      case .peer(let name), .socket(let name): name + " "
      case .all: ""
      }
    let count = row.times > 1 ? " ×\(row.times)" : ""
    let text = VisibleText.clipped("\(lane)\(words.text)\(count)", to: 80)
    return "\(Markup.escape(text)) <i>\(MeasureText.duration(row.at))</i>"
  }
}
