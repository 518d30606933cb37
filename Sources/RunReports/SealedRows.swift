import ScenarioModel

/// Makes the rows of a case with TLS readable: records are named as such, and what a peer's TLS said of them stands on
/// the very row of the bytes, a flight of messages on one.
///
/// Laws
/// - Only what happened in one go is folded: what TLS said between a receipt and the next send of the same peer, with
///   nothing else of the case in between.
/// - Rows with deviations, and rows that met an expectation, are never folded.
struct SealedRows {
  /// What is known of a peer's present connection.
  private struct Wire {
    var isSecure = false
    var isEstablished = false
    var outward = RecordFraming()
    var inward = RecordFraming()
    var hasNotified = false
    var wasNotified = false
  }

  private let events: [TraceEvent]
  private let securedPeers: Set<String>
  private var wires: [String: Wire] = [:]
  private var kept: [DiagramRow] = []
  /// What the present peer's TLS made for its next send.
  private var outgoing: [DiagramRow] = []
  private var outgoingContent = SealedContent()
  /// Place in `kept` of the last receipt of the peer whose turn it is.
  private var receipt: Int?
  private var turn: EventWords.Lane?

  /// One row an event, in order, to fewer rows.
  static func fold(_ rows: [DiagramRow], _ trace: Trace) -> [DiagramRow] {
    let secured = Set(
      trace.events.compactMap { event in
        if case .tls(_, let peer) = event.kind { peer } else { nil }
      })
    guard !secured.isEmpty else { return rows }
    var folding = SealedRows(trace.events, secured)
    for row in rows { folding.take(row) }
    folding.flush()
    return folding.kept
  }

  private init(_ events: [TraceEvent], _ secured: Set<String>) {
    self.events = events
    securedPeers = secured
  }

  private mutating func take(_ row: DiagramRow) {
    guard case .event(var words) = row.content else { return }
    if words.lane != turn {
      flush()
      (turn, receipt) = (words.lane, nil)
    }
    var row = row
    switch events[row.index].kind {
    case .tls(let remark, let peer):
      note(remark, peer)
      take(row, remark)
    case .peerAction(let action, let peer) where securedPeers.contains(peer):
      describe(action, peer, &words)
      if words.sealed != nil { attach(to: &row, &words) } else { flush() }
      row.content = .event(words)
      kept.append(row)
      receipt = nil
    case .peerSaw(let observation, let peer) where securedPeers.contains(peer):
      flush()
      describe(observation, peer, &words)
      row.content = .event(words)
      kept.append(row)
      if case .received = observation, words.sealed != nil { receipt = kept.count - 1 }
    default:
      flush()
      kept.append(row)
    }
  }

  // MARK: - Folding

  private mutating func take(_ row: DiagramRow, _ remark: TLSRemark) {
    guard row.deviations.isEmpty, row.met == nil else {
      flush()
      kept.append(row)
      return
    }
    guard let content = SealedContent(remark) else {
      if case .presents(let name, _) = remark, introduce(name) { return }
      kept.append(row)
      return
    }
    switch remark {
    case .messageSent, .alertSent, .plainSent:
      outgoing.append(row)
      outgoingContent.add(content)
    default:
      guard let receipt, kept[receipt].deviations.isEmpty, case .event(var words) = kept[receipt].content else {
        kept.append(row)
        return
      }
      words.sealed?.add(content)
      words.isTrouble = words.isTrouble || content.isTrouble
      words.tellSealed()
      kept[receipt].content = .event(words)
      kept[receipt].folded += 1
    }
  }

  /// The peer's certificate stands on the row of the handshake's beginning, if that is the last one.
  private mutating func introduce(_ name: CertificateName) -> Bool {
    guard let last = kept.last, case .event(var words) = last.content, words.lane == turn,
      case .tls(.began, _) = events[last.index].kind, last.deviations.isEmpty, last.folded == 0
    else { return false }
    words.detail += ", shows \(name.rawValue)"
    kept[kept.count - 1].content = .event(words)
    kept[kept.count - 1].folded = 1
    return true
  }

  /// What TLS made stands on the row of the send that carries it.
  private mutating func attach(to row: inout DiagramRow, _ words: inout EventWords) {
    words.sealed?.add(outgoingContent)
    words.tellSealed()
    row.folded += outgoing.count
    (outgoing, outgoingContent) = ([], SealedContent())
  }

  /// What TLS made and nothing carried is a row of its own.
  private mutating func flush() {
    guard var row = outgoing.first, case .event(var words) = row.content else { return }
    if outgoing.count > 1 {
      words.detail = "sends \(outgoingContent.text)"
      words.isTrouble = false
      words.payload = outgoingContent.plain
      row.content = .event(words)
      row.folded = outgoing.count - 1
    }
    kept.append(row)
    (outgoing, outgoingContent) = ([], SealedContent())
  }

  // MARK: - Wires

  private mutating func note(_ remark: TLSRemark, _ peer: String) {
    switch remark {
    case .began: wires[peer, default: Wire()].isSecure = true
    case .established: wires[peer, default: Wire()].isEstablished = true
    case .alertSent(let alert) where alert.description == TLSAlert.closeNotify:
      wires[peer, default: Wire()].hasNotified = true
    case .alertReceived(let alert) where alert.description == TLSAlert.closeNotify:
      wires[peer, default: Wire()].wasNotified = true
    default: break
    }
  }

  private mutating func describe(_ action: PeerAction, _ peer: String, _ words: inout EventWords) {
    var wire = wires[peer] ?? Wire()
    switch action {
    case .accept, .connect: wire = Wire()
    case .send(let bytes):
      wire.isSecure = wire.isSecure || RecordFraming.looksLikeHandshake(bytes)
      if wire.isSecure, wire.outward.take(bytes) { words.seal() }
    case .finish, .close: if wire.isEstablished, !wire.hasNotified { words.detail = "without close_notify" }
    default: break
    }
    wires[peer] = wire
  }

  private mutating func describe(_ observation: PeerObservation, _ peer: String, _ words: inout EventWords) {
    var wire = wires[peer] ?? Wire()
    switch observation {
    case .received(let bytes):
      wire.isSecure = wire.isSecure || RecordFraming.looksLikeHandshake(bytes)
      if wire.isSecure, wire.inward.take(bytes) { words.seal() }
    case .endOfStream:
      if wire.isEstablished, !wire.wasNotified { (words.detail, words.isTrouble) = ("without close_notify", true) }
    default: break
    }
    wires[peer] = wire
  }
}

extension EventWords {
  fileprivate mutating func seal() {
    sealed = SealedContent()
    tellSealed()
  }

  /// Says what the records carry, or how large they are.
  mutating func tellSealed() {
    guard let sealed, let payload else { return }
    let size = "\(QuantityText.size(payload.total)) of TLS"
    detail = sealed.text.isEmpty ? size : sealed.text
    wire = size
  }
}
