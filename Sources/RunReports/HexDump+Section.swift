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
    var html: Markup = "<details class=\"bytes\"><summary>Bytes <span>\(carriers.count)</span></summary>"
    html += "<div class=\"dumps\">"
    for (row, words, payload) in carriers.prefix(most) {
      html += "<figure><figcaption><b>\(row.index)</b> \(caption(row, words))</figcaption>"
      html += "<pre>\(text(payload.bytes, total: payload.total))</pre>"
      if let plain = words.records?.plain {
        html += "<figcaption>inside: \(QuantityText.size(plain.total)) of data</figcaption>"
        html += "<pre>\(text(plain.bytes, total: plain.total))</pre>"
      }
      html += "</figure>"
    }
    html += "</div>"
    if carriers.count > most { html += "<p class=\"quiet\">\(carriers.count - most) more are left out.</p>" }
    return html + "</details>"
  }

  private static func caption(_ row: DiagramRow, _ words: EventWords) -> Markup {
    let lane =
      switch words.lane {
      case .peer(let name), .socket(let name): name + " "
      case .wire, .all: ""
      }
    let count = row.times > 1 ? " ×\(row.times)" : ""
    return "\("\(lane)\(words.text)\(count)", clipped: 80) <i>\(QuantityText.duration(row.at))</i>"
  }
}
