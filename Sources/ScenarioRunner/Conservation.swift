import ScenarioModel
import ScriptedPeer

/// Byte conservation between the scripted peers and the subject's sockets (INV-05, INV-06), and of what was reported of
/// operations under way.
///
/// Who spoke to whom is not in the trace. With one peer, one socket that was ever connected, and as many connections at
/// the peer as lives of the socket, they belong together in order. Otherwise there has to be a pairing in which
/// everything is conserved: see `deviations(of:)` in `Conservation+Pairing`. Not judged is what a mere observer can't
/// know: input around urgent data, callbacks that went nowhere or came on several queues, records read in clear.
struct Conservation: Sendable {
  /// One life of one socket.
  struct Life: Sendable {
    let socket: SocketRecord
    let generation: Generation
    /// What its accepted writes say.
    let written: [[UInt8]]

    init(_ socket: SocketRecord, _ generation: Generation) {
      self.socket = socket
      self.generation = generation
      written = generation.written.map(\.materialised)
    }
  }

  private(set) var connections: [ObservedConnection] = []
  let hasOnePeer: Bool

  init(scenario: Scenario) { hasOnePeer = scenario.peers.count == 1 }

  mutating func observe(_ kind: TraceKind) {
    switch kind {
    case .peerSaw(.connected, let peer): connections.append(ObservedConnection(peer: peer))
    case .peerSaw(_, let peer), .peerAction(_, let peer), .tls(_, let peer):
      guard let newest = connections.lastIndex(where: { $0.peer == peer }) else { return }
      connections[newest].observe(kind)
    default: break
    }
  }

  func deviations(_ sockets: [SocketRecord]) -> [Deviation] {
    let connected = sockets.filter { $0.generations.contains { $0.isConnected } }
    if hasOnePeer, connected.count == 1, let socket = connected.first {
      let generations = socket.generations.filter { $0.isConnected }
      if generations.count == connections.count {
        return zip(generations, connections).flatMap { deviations(of: Life(socket, $0), with: $1) }
      }
    }
    return pairedDeviations(sockets)
  }

  /// What is not conserved if this life was at the other end of this connection.
  func deviations(of life: Life, with connection: ObservedConnection) -> [Deviation] {
    var found: [Deviation] = []
    let (socket, generation) = (life.socket, life.generation)
    let arrived = connection.arrived(of: life.written, usesTLS: socket.usesTLS)
    if !socket.isOrderless, let sent = sent(to: life, by: connection) {
      let source = "\(name(of: connection)) sent"
      if !socket.isMuted {
        check(generation.delivered, sent, "INV-05", "delivered to \(socket.name)", source, &found)
        checkUnread(of: life, sent, source, &found)
      }
      checkReadProgress(of: life, sent, source, &found)
    }
    // What comes in clear to a peer that speaks TLS is not told as received.
    guard socket.usesTLS || !connection.isSecured else { return found }
    if !socket.isOrderless { checkWriteProgress(of: life, connection, ByteChunks.count(arrived), &found) }
    guard !generation.writes.isMixed, !generation.mayLackWrites else { return found }
    check(
      arrived, life.written, "INV-06", "received by \(name(of: connection))", "\(socket.name) accepted to write",
      &found)
    return found
  }

  /// In words; the only peer has no name that its author gave it.
  func name(of connection: ObservedConnection) -> String { hasOnePeer ? "the peer" : connection.peer }

  /// nil: not known.
  private func sent(to life: Life, by connection: ObservedConnection) -> [[UInt8]]? {
    let (delivered, inClear) = (life.generation.delivered, life.generation.deliveredInClear)
    return connection.sent(
      inClear: Array(delivered.prefix(inClear ?? delivered.count)), isSubjectSecured: inClear != nil)
  }

  /// The bytes of reads and of unreadData together are what the peer sent, all of it after an orderly end (INV-05).
  private func checkUnread(of life: Life, _ sent: [[UInt8]], _ source: String, _ found: inout [Deviation]) {
    guard let unread = life.generation.unread else { return }
    let told = life.generation.delivered.prefix(unread.reads) + [unread.bytes]
    check(Array(told), sent, "INV-05", "delivered to \(life.socket.name) and unread", source, &found)
    let (count, whole) = (ByteChunks.count(Array(told)), ByteChunks.count(sent))
    guard life.generation.isEndedByPeer, count < whole else { return }
    found.append(
      Deviation(
        kind: .invariant,
        expected: "what \(life.socket.name) read, and its unreadData, are all that \(source): \(Wording.count(whole))",
        actual: "\(Wording.count(count)), of which \(Wording.count(unread.bytes.count)) unread", requirement: "INV-05"))
  }

  /// Checks reports of a read that never completed: it can't have got further than the peer has sent (INV-16).
  private func checkReadProgress(of life: Life, _ sent: [[UInt8]], _ source: String, _ found: inout [Deviation]) {
    let (delivered, whole) = (ByteChunks.count(life.generation.delivered), ByteChunks.count(sent))
    guard let read = life.generation.reads.progress, read.reported > 0, read.reported > whole - delivered else {
      return
    }
    found.append(
      Deviation(
        kind: .invariant,
        expected: "no more is reported than \(source): \(Wording.count(whole)), of which \(life.socket.name) had "
          + "\(Wording.count(delivered)) delivered",
        actual: "\(Wording.count(read.reported)) more in didReadPartial of tag \(read.tag)", requirement: "INV-16"))
  }

  /// Checks reports of writes: bytes that one has given to the kernel precede the FIN (INV-06).
  private func checkWriteProgress(
    of life: Life, _ connection: ObservedConnection, _ arrived: Int, _ found: inout [Deviation]
  ) {
    let writes = life.generation.writes
    let (completed, reported) = (writes.completed, writes.progress?.reported ?? 0)
    guard connection.wasReadToTheEnd, !connection.ignoresInput, reported > arrived - completed else { return }
    found.append(
      Deviation(
        kind: .invariant,
        expected: "what was reported as written by \(life.socket.name) is in front of its FIN: "
          + "\(Wording.count(completed)) in didWrite, \(Wording.count(reported)) in didWritePartial",
        actual: "\(Wording.count(arrived)) arrived", requirement: "INV-06"))
  }

  private func check(
    _ part: [[UInt8]], _ whole: [[UInt8]], _ requirement: String, _ what: String, _ source: String,
    _ found: inout [Deviation]
  ) {
    guard let offset = ByteChunks.firstDifference(part, whole) else { return }
    let expected = ByteChunks.byte(at: offset, of: whole).map(Wording.byte) ?? "no more bytes"
    let actual = ByteChunks.byte(at: offset, of: part).map(Wording.byte) ?? "nothing"
    found.append(
      Deviation(
        kind: .invariant, expected: "the bytes \(what) are a prefix of what \(source): at offset \(offset) \(expected)",
        actual: "at offset \(offset) \(actual)", requirement: requirement))
  }
}
