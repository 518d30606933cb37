import Conversations
import ScenarioModel
import TLSDecryption

/// A capture's bytes in, the conversations in it out, each as soon as it is over.
///
/// Laws
/// - Total: any bytes make conversations, or a fault; a fault loses nothing that was there before it.
/// - Bounded: connections that are open at once, and the bytes that are held of them, have limits. What goes beyond
///   them is given out as far as it is there, and says so.
/// - Chunks may be cut anywhere.
/// - TLS is opened with the secrets that were there when its connection was over.
package struct CaptureImporter {
  /// What was seen that is in no conversation.
  package struct Counts: Hashable, Sendable {
    /// All packets.
    package var packets = 0
    /// Of them, those that carry no TCP.
    package var others = 0
    /// Packets of links that are not read, by their names.
    package var unknownLinks: [String: Int] = [:]
    /// TCP whose headers the capture has cut off, or that are none.
    package var broken = 0
    /// Fragments of packets that did not become whole.
    package var fragments = 0
    /// Packets with instants that can't be.
    package var doubtful = 0
    /// Data of connections that were over.
    package var late = 0
    /// Conversations.
    package var conversations = 0
    /// Of them, those whose TLS was opened.
    package var opened = 0
    /// Of them, those whose TLS was not.
    package var closed = 0
  }

  private struct Key: Hashable {
    var low: Endpoint
    var high: Endpoint

    init(_ segment: CapturedSegment) {
      let (one, two) = (segment.source, segment.target)
      let isOrdered = (one.high, one.low, one.port) <= (two.high, two.low, two.port)
      (low, high) = isOrdered ? (one, two) : (two, one)
    }
  }

  private static let maxOpen = 16_384
  private static let maxKept = 96 << 20
  private static let maxRemembered = 8_192

  /// So far.
  package private(set) var counts = Counts()
  private var reader = CaptureReader()
  private var fragments = FragmentStore()
  private var connections: [Key: TrackedConnection] = [:]
  private var kept = 0
  /// Connections that are over: packets of theirs that come late are no new ones.
  private var closed: Set<Key> = []
  private var closedOrder: [Key] = []

  private var decryption: TLSDecryption?

  /// With the secrets of `keyLog` besides those in the capture; nil: TLS stays as records.
  package init(keyLog: TLSKeyLog? = TLSKeyLog()) { decryption = keyLog.map { TLSDecryption($0) } }

  /// Sessions whose secrets are known.
  package var secretCount: Int { decryption?.keyLog.count ?? 0 }

  /// Takes the next bytes of the file.
  package mutating func take(
    _ chunk: ArraySlice<UInt8>, _ give: (Conversation) -> Void
  ) throws(CaptureFault) {
    // Apart while it is used: the packets go to the rest of this value.
    var reader = self.reader
    self.reader = CaptureReader()
    defer { self.reader = reader }
    try reader.take(chunk) { item in
      switch item {
      case .packet(let packet): take(packet, give)
      case .keyLog(let text): decryption?.keyLog.take(text)
      }
    }
  }

  /// To be called at the end of the file, or after a fault: gives out what is still open.
  package mutating func end(_ give: (Conversation) -> Void) throws(CaptureFault) {
    for (_, connection) in connections.sorted(by: { $0.value.seenAt < $1.value.seenAt }) { finish(connection, give) }
    connections = [:]
    kept = 0
    try reader.end()
  }

  private mutating func take(_ packet: CapturedPacket, _ give: (Conversation) -> Void) {
    counts.packets += 1
    if packet.doubt != nil { counts.doubtful += 1 }
    switch LinkLayer.content(of: packet) {
    case .other: counts.others += 1
    case .unknownLink: counts.unknownLinks[LinkLayer.name(packet.link), default: 0] += 1
    case .packet(let bytes):
      let header = packet.bytes.count - bytes.count
      guard let ip = InternetPacket(innermostOf: bytes, lengthOnWire: packet.length - header) else {
        return counts.broken += 1
      }
      guard ip.mayCarryTCP else { return counts.others += 1 }
      guard let fragment = ip.fragment else {
        return take(ip.content, length: ip.length, ip, packet, give)
      }
      let whole = fragments.take(fragment, ip.content, length: ip.length)
      counts.fragments = fragments.unused
      guard let whole else { return }
      guard let (transport, content) = ip.carried(by: whole) else { return counts.broken += 1 }
      guard transport == InternetPacket.tcp else { return counts.others += 1 }
      take(content, length: content.count, ip, packet, give)
    }
  }

  private mutating func take(
    _ content: ArraySlice<UInt8>, length: Int, _ ip: InternetPacket, _ packet: CapturedPacket,
    _ give: (Conversation) -> Void
  ) {
    guard let segment = CapturedSegment(content, length: length, from: ip.source, to: ip.target) else {
      return counts.broken += 1
    }
    let key = Key(segment)
    let isAsking = segment.flags.contains(.syn) && !segment.flags.contains(.ack)
    if isAsking, closed.contains(key) { closed.remove(key) }
    if isAsking, let open = connections[key], open.isSucceeded(by: segment) {
      kept -= open.kept
      connections[key] = nil
      finish(open, give)
    }
    guard let place = connections.index(forKey: key) ?? begin(segment, key, at: packet.nanoseconds) else { return }
    // In its place: it is moved nowhere for each of its packets.
    kept -= connections.values[place].kept
    connections.values[place].take(segment, at: packet.nanoseconds, doubt: packet.doubt)
    guard connections.values[place].isOver else {
      kept += connections.values[place].kept
      return makeRoom(give)
    }
    finish(connections.remove(at: place).value, give)
    remember(key)
  }

  /// nil: the segment begins nothing.
  private mutating func begin(
    _ segment: CapturedSegment, _ key: Key, at instant: UInt64
  ) -> Dictionary<Key, TrackedConnection>.Index? {
    let isLate = !segment.flags.contains(.syn) && closed.contains(key)
    if isLate, segment.length > 0 { counts.late += 1 }
    guard segment.flags.contains(.syn) || segment.length > 0 && !isLate, !segment.flags.contains(.rst) else {
      return nil
    }
    let connection = TrackedConnection(segment, at: instant)
    kept += connection.kept
    connections[key] = connection
    return connections.index(forKey: key)
  }

  private mutating func finish(
    _ connection: TrackedConnection, isEvicted: Bool = false, _ give: (Conversation) -> Void
  ) {
    counts.conversations += 1
    var connection = connection
    let conversation = connection.finished(isEvicted: isEvicted)
    guard let (opened, outcome) = decryption?.opened(conversation) else { return give(conversation) }
    if outcome == .opened { counts.opened += 1 }
    if outcome == .closed { counts.closed += 1 }
    give(opened)
  }

  private mutating func remember(_ key: Key) {
    guard closed.insert(key).inserted else { return }
    closedOrder.append(key)
    guard closedOrder.count > Self.maxRemembered else { return }
    for key in closedOrder.prefix(Self.maxRemembered / 2) { closed.remove(key) }
    closedOrder.removeFirst(Self.maxRemembered / 2)
  }

  /// Those that were silent for the longest time go first.
  private mutating func makeRoom(_ give: (Conversation) -> Void) {
    guard connections.count > Self.maxOpen || kept > Self.maxKept else { return }
    let order = connections.sorted { $0.value.seenAt < $1.value.seenAt }
    for (key, connection) in order.prefix(max(1, order.count / 8)) {
      connections[key] = nil
      kept -= connection.kept
      remember(key)
      finish(connection, isEvicted: true, give)
    }
  }
}
