import ScenarioModel

/// Bytes as a table of offset, hexadecimal and ASCII, sixteen to a line.
enum HexDump {
  /// The head of the payload, and a last line that counts the bytes that are not shown.
  static func text(_ payload: PayloadHead) -> String {
    var lines: [String] = []
    for start in stride(from: 0, to: payload.bytes.count, by: 16) {
      let chunk = payload.bytes[start..<min(start + 16, payload.bytes.count)]
      var columns = ""
      for column in 0..<min(16, payload.bytes.count) {
        if column == 8 { columns += " " }
        let index = start + column
        columns += index < payload.bytes.count ? VisibleText.hexPair(payload.bytes[index]) + " " : "   "
      }
      let letters = chunk.map { (0x20...0x7E).contains($0) ? String(UnicodeScalar($0)) : "·" }.joined()
      lines.append("\(offset(start))  \(columns) \(letters)")
    }
    let hidden = payload.total - payload.bytes.count
    if hidden > 0 { lines.append("…     \(hidden) more \(hidden == 1 ? "byte" : "bytes")") }
    return lines.joined(separator: "\n")
  }

  private static func offset(_ offset: Int) -> String {
    let digits = String(offset, radix: 16)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

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
      html += "<pre>\(Markup.escape(text(payload)))</pre>"
      if let plain = words.sealed?.plain {
        html += "<figcaption>inside: \(MeasureText.size(plain.total)) of data</figcaption>"
        html += "<pre>\(Markup.escape(text(plain)))</pre>"
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
