import ScenarioModel

/// The TCP connections that began here: as much of each as it takes to tell of its segments by numbers that begin at 0,
/// and to forge one that its receiver takes.
struct ConnectionTable: Sendable {
  private struct Key: Hashable {
    /// Address and port of the subject's end, then of the peer's.
    var subject: [UInt8]
    var peer: [UInt8]
  }

  private struct Ends<Value: Sendable>: Sendable {
    var subject: Value
    var peer: Value

    subscript(side: NetworkSide) -> Value {
      get { side == .subject ? subject : peer }
      set { if side == .subject { subject = newValue } else { peer = newValue } }
    }
  }

  private struct Connection {
    var isIPv6: Bool
    /// The first number that each end sent.
    var start: Ends<UInt32?> = Ends(subject: nil, peer: nil)
    /// What each end waits for next.
    var awaited: Ends<UInt32?> = Ends(subject: nil, peer: nil)
    /// What each end sends next.
    var next: Ends<UInt32?> = Ends(subject: nil, peer: nil)
    /// Which end has sent a SYN, in answer to the other's or not.
    var hasBegun = Ends(subject: false, peer: false)
    /// In the order in which they began, from 1.
    var number = 0

    /// How new it counts: attempts that nobody has answered are older than all that both ends have begun.
    var rank: (Int, Int) { (hasBegun.subject && hasBegun.peer ? 1 : 0, number) }
  }

  private var connections: [Key: Connection] = [:]
  /// How many have begun.
  private var begun = 0

  /// Whether a segment that is on its way to `side` is of no connection that began here: no SYN for its two ends came
  /// by, and it is none itself.
  func isForeign(_ segment: TCPSegment, in packet: IPPacket, to side: NetworkSide) -> Bool {
    !segment.isOpening && connections[Self.key(of: segment, in: packet, to: side)] == nil
  }

  private static func key(of segment: TCPSegment, in packet: IPPacket, to side: NetworkSide) -> Key {
    let source = Array(packet.source) + segment.sourcePort.bigEndianBytes
    let target = Array(packet.target) + segment.targetPort.bigEndianBytes
    return side == .peer ? Key(subject: source, peer: target) : Key(subject: target, peer: source)
  }

  /// Takes a segment that is on its way to `side` and says what it is: `TCP 40312→7001 SYN seq 0 win 64240`.
  mutating func note(_ segment: TCPSegment, in packet: IPPacket, to side: NetworkSide) -> String {
    let sender = side.other
    let key = Self.key(of: segment, in: packet, to: side)
    let known = connections[key]
    var connection = known ?? Connection(isIPv6: packet.isIPv6)
    let former = connection.start[sender]
    // A SYN that is sent again begins nothing, nor does the other end's. One with another number uses the ports again.
    if segment.isOpening, known == nil || (former != nil && former != segment.sequence) {
      connection = Connection(isIPv6: packet.isIPv6)
      begun += 1
      connection.number = begun
    }
    if segment.flags.contains(.syn) || connection.start[sender] == nil { connection.start[sender] = segment.sequence }
    if segment.flags.contains(.syn) { connection.hasBegun[sender] = true }
    let end = segment.sequence &+ segment.advance
    // What is sent again moves nothing.
    let isAgain = connection.next[sender].map { Int32(bitPattern: end &- $0) < 0 } ?? false
    if !isAgain || segment.flags.contains(.syn) { connection.next[sender] = end }
    if segment.flags.contains(.ack) { connection.awaited[sender] = segment.acknowledged }
    connections[key] = connection
    var text = "TCP \(segment.sourcePort)→\(segment.targetPort) \(segment.flags.text)"
    text += " seq \(segment.sequence &- (connection.start[sender] ?? segment.sequence))"
    if segment.flags.contains(.ack), let start = connection.start[side] {
      text += " ack \(segment.acknowledged &- start)"
    }
    text += " win \(segment.window)"
    return segment.count > 0 ? text + ", \(segment.count) B" : text
  }

  /// A reset of the connection that began last, of those that both ends have begun if there is one, from the other end,
  /// `beyond` bytes off what the end at `side` waits for; nil: too little is known of it.
  func reset(to side: NetworkSide, beyond: Int) -> [UInt8]? {
    guard let (newest, connection) = connections.max(by: { $0.value.rank < $1.value.rank }),
      // What the end has said it waits for may lag behind: it acknowledges late.
      let awaited = connection.next[side.other] ?? connection.awaited[side]
    else { return nil }
    let (to, from) = side == .subject ? (newest.subject, newest.peer) : (newest.peer, newest.subject)
    return IPPacket.segment(
      isIPv6: connection.isIPv6, from: Array(from.dropLast(2)), port: from.word(from.count - 2),
      to: Array(to.dropLast(2)),
      targetPort: to.word(to.count - 2), sequence: awaited &+ UInt32(truncatingIfNeeded: beyond),
      acknowledged: connection.next[side] ?? 0, flags: [.rst, .ack])
  }
}
