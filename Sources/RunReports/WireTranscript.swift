import ScenarioModel

/// A case's trace told as TCP: what the peers sent, received, opened and closed, segment by segment.
///
/// Laws
/// - The place of observation is the peers' end of the wire: bytes of the subject appear when a peer read them.
/// - Packets are in the order of the trace; none is earlier than the one before it, even if a host's threads told so.
/// - Sequence numbers are those of an undisturbed connection. Nothing is lost, repeated or out of order.
/// - What the trace does not say is made up in the simplest way: ports, the three segments of an opening, the size of
///   segments.
struct WireTranscript {
  struct Packet {
    var at: Duration
    var segment: SyntheticSegment
    /// Whether a peer sent it.
    var isFromPeer: Bool
    var comment: String?
  }

  private(set) var packets: [Packet] = []
  private let events: [TraceEvent]
  /// How many bytes of the send at this place went out; all of them where it does not say.
  private let sent: [Int: Int]
  private var tracks: [String: Track] = [:]
  private var listeners: [String: Int] = [:]
  private var connections = 0

  /// One peer and its present connection.
  private struct Track {
    /// In the order of appearance.
    var number: Int
    /// The subject's socket it is connecting to; nil: it accepts.
    var target: String?
    var connection: Connection?
  }

  private struct Connection {
    var peerPort: UInt16
    var subjectPort: UInt16
    var peerNext: UInt32
    var subjectNext: UInt32
  }

  /// Ports that analysers take for nothing in particular, so that they look at the bytes instead.
  private enum Port {
    static let peer = 47_001
    static let subject = 45_001
    static let opener = 61_001
    /// For a TLS client that begins with less than the header of a record, which says nothing yet.
    static let tls: UInt16 = 443

    static func number(_ base: Int, _ index: Int) -> UInt16 { UInt16(truncatingIfNeeded: base + index % 2_000) }
  }

  init(_ trace: Trace) {
    events = trace.events
    sent = Self.sentCounts(trace.events)
    for index in events.indices {
      switch events[index].kind {
      case .peerAction(let action, let peer): act(action, peer, at: index)
      case .peerSaw(let observation, let peer): see(observation, peer, at: index)
      default: break
      }
    }
  }

  private static func sentCounts(_ events: [TraceEvent]) -> [Int: Int] {
    var counts: [Int: Int] = [:]
    var answers: [String: Int] = [:]
    for index in events.indices.reversed() {
      switch events[index].kind {
      case .peerSaw(.sent(let count), let peer): answers[peer] = count
      case .peerSaw(.sendFailed, let peer): answers[peer] = 0
      case .peerAction(.send, let peer): counts[index] = answers.removeValue(forKey: peer)
      default: break
      }
    }
    return counts
  }

  // MARK: - Events

  private mutating func act(_ action: PeerAction, _ peer: String, at index: Int) {
    switch action {
    case .accept: (self[peer].target, self[peer].connection) = (nil, nil)
    case .connect(let socket): (self[peer].target, self[peer].connection) = (socket, nil)
    case .send(let bytes): send(bytes.prefix(max(0, sent[index] ?? bytes.count)), peer, at: index)
    case .sendUrgent(let byte): send([byte], peer, at: index, flags: [.push, .ack, .urgent])
    case .finish: end(peer, at: index, .fin, byPeer: true)
    case .close:
      end(peer, at: index, .fin, byPeer: true)
      self[peer].connection = nil
    case .reset:
      end(peer, at: index, .rst, byPeer: true)
      self[peer].connection = nil
    case .shutdownRead, .setReading, .stopListening, .listenAgain: break
    }
  }

  private mutating func see(_ observation: PeerObservation, _ peer: String, at index: Int) {
    switch observation {
    case .connected: open(peer, at: index)
    case .connectFailed(let number): refuse(peer, number, at: index)
    case .received(let bytes): carry(bytes[...], peer, at: index, byPeer: false)
    case .endOfStream: end(peer, at: index, .fin, byPeer: false)
    case .broken(let number):
      if ErrnoName.name(of: number) == "ECONNRESET" { end(peer, at: index, .rst, byPeer: false) }
      self[peer].connection = nil
    case .sent, .sendFailed: break
    }
  }

  private subscript(peer: String) -> Track {
    get { tracks[peer] ?? Track(number: tracks.count) }
    set { tracks[peer] = newValue }
  }

  // MARK: - Openings

  private mutating func open(_ peer: String, at index: Int) {
    let made = connection(of: peer, at: index)
    self[peer].connection = made
    let isPeerFirst = self[peer].target != nil
    let words = self[peer].target.map { "peer \(peer) connects to the subject's \($0)" }
    let comment = "Connection \(connections): \(words ?? "the subject connects to peer \(peer)")"
    segment(peer, at: index, .syn, byPeer: isPeerFirst, comment: comment)
    step(peer, byPeer: isPeerFirst, 1)
    segment(peer, at: index, [.syn, .ack], byPeer: !isPeerFirst)
    step(peer, byPeer: !isPeerFirst, 1)
    segment(peer, at: index, .ack, byPeer: isPeerFirst)
  }

  /// The peer asked for a connection and got none: its SYN, and RST if it was refused.
  private mutating func refuse(_ peer: String, _ number: Int32, at index: Int) {
    guard let target = self[peer].target else { return }
    self[peer].connection = connection(of: peer, at: index)
    let name = ErrnoName.name(of: number) ?? "errno \(number)"
    segment(
      peer, at: index, .syn, byPeer: true,
      comment: "Connection \(connections): peer \(peer) fails to connect to the subject's \(target), \(name)")
    step(peer, byPeer: true, 1)
    if name == "ECONNREFUSED" { segment(peer, at: index, [.rst, .ack], byPeer: false) }
    self[peer].connection = nil
  }

  private mutating func connection(of peer: String, at index: Int) -> Connection {
    let opener = Port.number(Port.opener, connections)
    connections += 1
    var listener = Port.number(Port.peer, self[peer].number)
    if let target = self[peer].target {
      listener = Port.number(Port.subject, listeners[target] ?? listeners.count)
      listeners[target] = listeners[target] ?? listeners.count
    }
    if beginsWithPartialHeader(peer, after: index) { listener = Port.tls }
    let (mine, others) = self[peer].target == nil ? (listener, opener) : (opener, listener)
    return Connection(peerPort: mine, subjectPort: others, peerNext: 1_000, subjectNext: 1_000)
  }

  /// Whether the first bytes of the connection are the beginning of a TLS record's header, and less than all of it.
  private func beginsWithPartialHeader(_ peer: String, after start: Int) -> Bool {
    for event in events[start...].dropFirst() {
      switch event.kind {
      case .peerAction(.send(let bytes), peer), .peerSaw(.received(let bytes), peer):
        return bytes.first == TLSRecordType.handshake.rawValue && bytes.count < 6
      case .peerSaw(.connected, peer): return false
      default: break
      }
    }
    return false
  }

  // MARK: - Segments

  private mutating func send(
    _ bytes: ArraySlice<UInt8>, _ peer: String, at index: Int, flags: SyntheticSegment.Flags = [.push, .ack]
  ) {
    carry(bytes, peer, at: index, byPeer: true, flags: flags)
  }

  private mutating func carry(
    _ bytes: ArraySlice<UInt8>, _ peer: String, at index: Int, byPeer: Bool,
    flags: SyntheticSegment.Flags = [.push, .ack]
  ) {
    var rest = bytes
    while !rest.isEmpty {
      let piece = rest.prefix(SyntheticSegment.maxPayload)
      rest = rest.dropFirst(piece.count)
      segment(peer, at: index, flags, byPeer: byPeer, payload: piece)
      step(peer, byPeer: byPeer, UInt32(truncatingIfNeeded: piece.count))
    }
  }

  private mutating func end(_ peer: String, at index: Int, _ flag: SyntheticSegment.Flags, byPeer: Bool) {
    segment(peer, at: index, [flag, .ack], byPeer: byPeer)
    step(peer, byPeer: byPeer, 1)
  }

  private mutating func segment(
    _ peer: String, at index: Int, _ flags: SyntheticSegment.Flags, byPeer: Bool, payload: ArraySlice<UInt8> = [],
    comment: String? = nil
  ) {
    guard let connection = tracks[peer]?.connection else { return }
    let (from, to) = (connection.peerNext, connection.subjectNext)
    packets.append(
      Packet(
        at: max(events[index].at, packets.last?.at ?? .zero),
        segment: SyntheticSegment(
          sourcePort: byPeer ? connection.peerPort : connection.subjectPort,
          targetPort: byPeer ? connection.subjectPort : connection.peerPort, sequence: byPeer ? from : to,
          acknowledged: flags.contains(.ack) ? (byPeer ? to : from) : 0, flags: flags, payload: payload),
        isFromPeer: byPeer, comment: comment))
  }

  private mutating func step(_ peer: String, byPeer: Bool, _ count: UInt32) {
    if byPeer { self[peer].connection?.peerNext &+= count } else { self[peer].connection?.subjectNext &+= count }
  }
}
