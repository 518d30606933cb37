import ScenarioModel

extension EventWords {
  /// An event of a peer's TLS.
  init(_ remark: TLSEvent, peer: String) {
    self.init(lane: .peer(peer), kind: .tls, word: "TLS")
    switch remark {
    case .began(let role): detail = "begins as \(role.rawValue)"
    case .messageSent(let name): detail = "sends \(name)"
    case .messageReceived(let name): detail = "receives \(name)"
    case .alertSent(let alert): detail = "sends alert \(alert.text)"
    case .alertReceived(let alert):
      (detail, isTrouble) = ("receives alert \(alert.text)", alert.description != TLSAlert.closeNotify)
    case .presents(let name, let summary): detail = "shows \(name.rawValue): \(summary)"
    case .certificates(let lines):
      detail = "is shown " + (lines.isEmpty ? "no certificate" : lines.joined(separator: " < "))
    case .established(let facts): (word, detail) = ("TLS established", facts.text)
    case .forged(let what): detail = "by hand: \(what)"
    case .failed(let reason): (word, detail, isTrouble) = ("TLS failed", reason, true)
    case .plainSent(let bytes):
      detail = "encrypts \(QuantityText.size(bytes.count))"
      payload = PayloadHead(bytes)
    case .plainReceived(let bytes):
      detail = "decrypts \(QuantityText.size(bytes.count))"
      payload = PayloadHead(bytes)
    case .leftover(let bytes, let areRecords):
      let what = "\(QuantityText.size(bytes.count)) \(areRecords ? "in records" : "in clear")"
      (word, detail, isTrouble) = ("TLS is over", "\(what) came behind its end", !areRecords)
      payload = PayloadHead(bytes)
    case .secret: detail = "secret"
    }
  }
}

extension EventWords {
  /// Handshakes, certificates and the texts of errors are longer than a line.
  var wraps: Bool { kind == .tls || records != nil || word == CallbackKind.didDisconnect.rawValue }
}

/// Messages and data in the records of one row, as the peer's TLS sent or received them.
struct RecordContent: Hashable {
  /// Handshake messages and alerts, in order.
  var meanings: [String] = []
  /// The application data inside; nil: none.
  var plain: PayloadHead?
  /// A fatal alert came in.
  var isTrouble = false

  /// Of a message, an alert or application data; nil for remarks that are about no bytes.
  init?(_ remark: TLSEvent) {
    switch remark {
    case .messageSent(let name), .messageReceived(let name): meanings = [name]
    case .alertSent(let alert): meanings = ["alert \(alert.text)"]
    case .alertReceived(let alert):
      meanings = ["alert \(alert.text)"]
      isTrouble = alert.description != TLSAlert.closeNotify
    case .plainSent(let bytes), .plainReceived(let bytes): plain = PayloadHead(bytes)
    case .began, .presents, .certificates, .established, .forged, .failed, .leftover, .secret: return nil
    }
  }

  init() {}

  init(plain: PayloadHead?) { self.plain = plain }

  mutating func add(_ next: RecordContent) {
    meanings += next.meanings
    if let more = next.plain { plain = plain?.joined(more) ?? more }
    isTrouble = isTrouble || next.isTrouble
  }

  /// `client-hello`, `finished, 18 B of data`, `session-ticket ×2`; empty: nothing is known.
  var text: String {
    var parts: [(text: String, times: Int)] = []
    for meaning in meanings {
      if parts.last?.text == meaning { parts[parts.count - 1].times += 1 } else { parts.append((meaning, 1)) }
    }
    var words = parts.map { $0.times > 1 ? "\($0.text) ×\($0.times)" : $0.text }
    if let plain { words.append("\(QuantityText.size(plain.total)) of data") }
    return words.joined(separator: ", ")
  }
}
