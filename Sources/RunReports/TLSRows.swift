import ScenarioModel

/// Makes the rows of a case with TLS readable: bytes that are records are named as such, and the messages in them stand
/// on the row of the bytes, a whole flight on one row.
///
/// Laws
/// - Only what happened in one go is merged: what TLS said between a receive and the next send of the same peer, with
///   nothing else of the case in between.
/// - Rows with deviations, and rows that met an expectation, are never merged.
struct TLSRows {
  /// State of a peer's present connection.
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
  /// Rows of the records that the present peer's TLS made for its next send.
  private var outgoing: [DiagramRow] = []
  private var outgoingContent = RecordContent()
  /// Place in `kept` of the last receive of the peer whose turn it is.
  private var lastReceive: Int?
  private var turn: EventWords.Lane?

  /// One row an event, in order, to fewer rows.
  static func merge(_ rows: [DiagramRow], _ trace: Trace) -> [DiagramRow] {
    let secured = Set(
      trace.events.compactMap { event in
        if case .tls(_, let peer) = event.kind { peer } else { nil }
      })
    guard !secured.isEmpty else { return rows }
    var merging = TLSRows(trace.events, secured)
    for row in rows { merging.take(row) }
    merging.flush()
    return merging.kept
  }

  private init(_ events: [TraceEvent], _ secured: Set<String>) {
    self.events = events
    securedPeers = secured
  }

  private mutating func take(_ row: DiagramRow) {
    guard case .event(var words) = row.content else { return }
    if words.lane != turn {
      flush()
      (turn, lastReceive) = (words.lane, nil)
    }
    var row = row
    switch events[row.index].kind {
    case .tls(let remark, let peer):
      note(remark, peer)
      take(row, remark)
    case .peerAction(let action, let peer) where securedPeers.contains(peer):
      describe(action, peer, &words)
      if words.records != nil { attach(to: &row, &words) } else { flush() }
      row.content = .event(words)
      kept.append(row)
      lastReceive = nil
    case .peerSaw(let observation, let peer) where securedPeers.contains(peer):
      flush()
      describe(observation, peer, &words)
      row.content = .event(words)
      kept.append(row)
      if case .received = observation, words.records != nil { lastReceive = kept.count - 1 }
    default:
      flush()
      kept.append(row)
    }
  }

  // MARK: - Merging

  private mutating func take(_ row: DiagramRow, _ remark: TLSEvent) {
    guard row.deviations.isEmpty, row.met == nil else {
      flush()
      kept.append(row)
      return
    }
    guard let content = RecordContent(remark) else {
      if case .presents(let name, _) = remark, introduce(name) { return }
      kept.append(row)
      return
    }
    switch remark {
    case .messageSent, .alertSent, .plainSent:
      outgoing.append(row)
      outgoingContent.add(content)
    default:
      guard let lastReceive, kept[lastReceive].deviations.isEmpty,
        case .event(var words) = kept[lastReceive].content
      else {
        kept.append(row)
        return
      }
      words.records?.add(content)
      words.isTrouble = words.isTrouble || content.isTrouble
      words.describeRecords()
      kept[lastReceive].content = .event(words)
      kept[lastReceive].mergedCount += 1
    }
  }

  /// Adds the peer's certificate to the row of the handshake's beginning, if that is the last row.
  private mutating func introduce(_ name: CertificateName) -> Bool {
    guard let last = kept.last, case .event(var words) = last.content, words.lane == turn,
      case .tls(.began, _) = events[last.index].kind, last.deviations.isEmpty, last.mergedCount == 0
    else { return false }
    words.detail += ", shows \(name.rawValue)"
    kept[kept.count - 1].content = .event(words)
    kept[kept.count - 1].mergedCount = 1
    return true
  }

  /// Merges the records that TLS made into the row of the send that carries them.
  private mutating func attach(to row: inout DiagramRow, _ words: inout EventWords) {
    words.records?.add(outgoingContent)
    words.describeRecords()
    row.mergedCount += outgoing.count
    (outgoing, outgoingContent) = ([], RecordContent())
  }

  /// Records that no send carried get a row of their own.
  private mutating func flush() {
    guard var row = outgoing.first, case .event(var words) = row.content else { return }
    if outgoing.count > 1 {
      words.detail = "sends \(outgoingContent.text)"
      words.isTrouble = false
      words.payload = outgoingContent.plain
      row.content = .event(words)
      row.mergedCount = outgoing.count - 1
    }
    kept.append(row)
    (outgoing, outgoingContent) = ([], RecordContent())
  }

  // MARK: - Wires

  private mutating func note(_ remark: TLSEvent, _ peer: String) {
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
      if wire.isSecure, wire.outward.take(bytes) { words.markAsRecords() }
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
      if wire.isSecure, wire.inward.take(bytes) { words.markAsRecords() }
    case .endOfStream:
      if wire.isEstablished, !wire.wasNotified { (words.detail, words.isTrouble) = ("without close_notify", true) }
    default: break
    }
    wires[peer] = wire
  }
}

extension EventWords {
  fileprivate mutating func markAsRecords() {
    records = RecordContent()
    describeRecords()
  }

  /// Sets the detail to the messages in the records, or to their size.
  mutating func describeRecords() {
    guard let records, let payload else { return }
    let size = "\(QuantityText.size(payload.total)) of TLS"
    detail = records.text.isEmpty ? size : records.text
    wire = size
  }
}
