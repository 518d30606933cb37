import ScenarioModel
import ScriptedPeer

/// Byte conservation between one scripted peer and one subject socket (INV-05, INV-06), and of what was reported of
/// operations under way.
///
/// Only judged where it is plain who spoke to whom: one peer, one subject socket that was ever connected, as many
/// connections at the peer as connected generations at the socket (paired in order), no urgent data. Under TLS what
/// counts is what the peer gave to its TLS and got out of it, so only connections that were secured before anything was
/// said are judged: by the peer, and by the subject, which may have read a handshake in clear.
struct Conservation: Sendable {
  private struct Connection: Sendable {
    var sent: [[UInt8]] = []
    var received: [[UInt8]] = []
    var isSecured = false
    /// TLS began after something had been said, or the peer made bytes by hand.
    var isMixed = false
    /// The peer read up to the subject's FIN, and understood all of it.
    var wasReadToTheEnd = false
    /// It no longer reads, or its TLS gave up: it can't tell what arrived.
    var ignoresInput = false
  }

  /// The subject has started TLS somewhere.
  var isEncrypted = false
  /// It had read or written before it did.
  var beganInClear = false
  private let isPlain: Bool
  private var hasUrgentData = false
  private var connections: [Connection] = []

  init(scenario: Scenario) { isPlain = scenario.peers.count == 1 }

  mutating func observe(_ kind: TraceKind) {
    guard isPlain else { return }
    switch kind {
    case .peerSaw(.connected, _): connections.append(Connection())
    case .peerSaw(.received(let bytes), _): update { if !$0.isSecured { $0.received.append(bytes) } }
    case .peerAction(.send(let bytes), _): update { if !$0.isSecured { $0.sent.append(bytes) } }
    case .tls(.began, _):
      update {
        $0.isMixed = $0.isMixed || !$0.sent.isEmpty || !$0.received.isEmpty
        $0.isSecured = true
      }
    case .tls(.forged, _): update { $0.isMixed = true }
    case .tls(.plainReceived(let bytes), _): update { $0.received.append(bytes) }
    case .tls(.plainSent(let bytes), _): update { $0.sent.append(bytes) }
    case .peerAction(.sendUrgent, _): hasUrgentData = true
    case .peerAction(.shutdownRead, _): update { $0.ignoresInput = true }
    // A stream that merely ended without close_notify was understood up to its end.
    case .tls(.failed, _): update { $0.ignoresInput = $0.ignoresInput || !$0.wasReadToTheEnd }
    case .peerSaw(.endOfStream, _): update { $0.wasReadToTheEnd = true }
    default: break
    }
  }

  private mutating func update(_ body: (inout Connection) -> Void) {
    guard let last = connections.indices.last else { return }
    body(&connections[last])
  }

  func deviations(_ sockets: [SocketRecord]) -> [Deviation] {
    guard isPlain, !hasUrgentData, !beganInClear, connections.allSatisfy({ $0.isSecured == isEncrypted && !$0.isMixed })
    else {
      return []
    }
    let connected = sockets.filter { $0.generations.contains { $0.isConnected } }
    guard connected.count == 1, let socket = connected.first else { return [] }
    let generations = socket.generations.filter { $0.isConnected }
    guard generations.count == connections.count else { return [] }
    var found: [Deviation] = []
    for (generation, connection) in zip(generations, connections) {
      if !socket.isMuted, !socket.isOrderless {
        check(generation.delivered, connection.sent, "INV-05", "delivered to \(socket.name)", "the peer sent", &found)
        checkUnread(generation, connection, of: socket.name, &found)
      }
      if !socket.isOrderless { checkProgress(generation, connection, of: socket.name, &found) }
      if !generation.writes.isMixed, !generation.mayLackWrites, !connection.received.isEmpty {
        check(
          connection.received, generation.written.map(\.materialised), "INV-06", "received by the peer",
          "\(socket.name) accepted to write", &found)
      }
    }
    return found
  }

  /// The bytes of reads and of unreadData together are what the peer sent, all of it after an orderly end (INV-05).
  private func checkUnread(
    _ generation: Generation, _ connection: Connection, of socket: String, _ found: inout [Deviation]
  ) {
    guard let unread = generation.unread else { return }
    let told = generation.delivered.prefix(unread.reads) + [unread.bytes]
    check(Array(told), connection.sent, "INV-05", "delivered to \(socket) and unread", "the peer sent", &found)
    let (count, sent) = (Self.count(Array(told)), Self.count(connection.sent))
    guard generation.isEndedByPeer, count < sent else { return }
    found.append(
      Deviation(
        kind: .invariant,
        expected: "what \(socket) read, and its unreadData, are all that the peer sent: \(Wording.count(sent))",
        actual: "\(Wording.count(count)), of which \(Wording.count(unread.bytes.count)) unread", requirement: "INV-05"))
  }

  /// Checks reports of operations that never completed: a read can't have got further than the peer has sent, and bytes
  /// that a write has given to the kernel precede the FIN (INV-16, INV-06).
  private func checkProgress(
    _ generation: Generation, _ connection: Connection, of socket: String, _ found: inout [Deviation]
  ) {
    let delivered = Self.count(generation.delivered)
    let sent = Self.count(connection.sent)
    if let read = generation.reads.progress, read.reported > 0, read.reported > sent - delivered {
      found.append(
        Deviation(
          kind: .invariant,
          expected: "no more is reported than the peer sent: \(Wording.count(sent)), of which \(socket) had "
            + "\(Wording.count(delivered)) delivered",
          actual: "\(Wording.count(read.reported)) more in didReadPartial of tag \(read.tag)", requirement: "INV-16"))
    }
    let received = Self.count(connection.received)
    let (completed, reported) = (generation.writes.completed, generation.writes.progress?.reported ?? 0)
    guard connection.wasReadToTheEnd, !connection.ignoresInput, reported > received - completed else { return }
    found.append(
      Deviation(
        kind: .invariant,
        expected: "what was reported as written by \(socket) is in front of its FIN: \(Wording.count(completed)) in "
          + "didWrite, \(Wording.count(reported)) in didWritePartial",
        actual: "\(Wording.count(received)) arrived", requirement: "INV-06"))
  }

  private static func count(_ chunks: [[UInt8]]) -> Int { chunks.reduce(0) { $0 + $1.count } }

  private func check(
    _ part: [[UInt8]], _ whole: [[UInt8]], _ requirement: String, _ what: String, _ source: String,
    _ found: inout [Deviation]
  ) {
    guard let offset = Self.firstDifference(part, whole) else { return }
    let expected = Self.byte(at: offset, of: whole).map(Wording.byte) ?? "no more bytes"
    let actual = Self.byte(at: offset, of: part).map(Wording.byte) ?? "nothing"
    found.append(
      Deviation(
        kind: .invariant, expected: "the bytes \(what) are a prefix of what \(source): at offset \(offset) \(expected)",
        actual: "at offset \(offset) \(actual)", requirement: requirement))
  }

  /// The first offset at which the chunks in `part`, joined, are not what those in `whole` are; nil: a prefix.
  static func firstDifference(_ part: [[UInt8]], _ whole: [[UInt8]]) -> Int? {
    var offset = 0
    var chunk = 0
    var start = 0
    for piece in part {
      var done = 0
      while done < piece.count {
        while chunk < whole.count, start == whole[chunk].count {
          chunk += 1
          start = 0
        }
        guard chunk < whole.count else { return offset }
        let count = min(piece.count - done, whole[chunk].count - start)
        if let difference = ByteComparison.firstDifference(piece, from: done, whole[chunk], from: start, count: count) {
          return offset + difference
        }
        done += count
        start += count
        offset += count
      }
    }
    return nil
  }

  private static func byte(at offset: Int, of chunks: [[UInt8]]) -> UInt8? {
    var left = offset
    for chunk in chunks {
      if left < chunk.count { return chunk[left] }
      left -= chunk.count
    }
    return nil
  }
}
