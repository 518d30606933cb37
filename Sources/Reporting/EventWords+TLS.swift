import ScenarioModel

extension EventWords {
  /// What a peer's TLS did: a line of its own beside the bytes it explains.
  init(_ remark: TLSRemark, peer: String) {
    self.init(lane: .peer(peer), kind: .sight, word: "TLS")
    switch remark {
    case .began(let role): detail = "begins as \(role.rawValue)"
    case .messageSent(let name): detail = "sends \(name)"
    case .messageReceived(let name): detail = "receives \(name)"
    case .alertSent(let alert): detail = "sends \(alert.text)"
    case .alertReceived(let alert): (detail, isTrouble) = ("receives \(alert.text)", alert.description != 0)
    case .certificates(let lines): detail = "is shown " + lines.joined(separator: " < ")
    case .established(let facts): detail = "established: \(facts.text)"
    case .forged(let what): detail = "by hand: \(what)"
    case .failed(let reason): (detail, isTrouble) = ("failed: \(reason)", true)
    case .plainSent(let bytes):
      detail = "encrypts \(MeasureText.size(bytes.count))"
      payload = PayloadHead(bytes)
    case .plainReceived(let bytes):
      detail = "decrypts \(MeasureText.size(bytes.count))"
      payload = PayloadHead(bytes)
    case .secret: detail = "secret"
    }
  }
}
