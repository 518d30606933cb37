import Conversations
import Glibc
import ScenarioModel
import ScriptedPeer
import SocketPOSIX
import SocketValues

/// What the recorder gives out of one connection.
package struct ConversationRecording: Hashable, Sendable {
  /// What was said; TLS that was opened stands in it as its records.
  package var conversation: Conversation
  /// The lines of a key log for it, where the recorder opened TLS.
  package var secrets: [String] = []
}

/// A proxy between clients and a server that writes down what they say.
///
/// Laws
/// - One conversation for each connection, given out as soon as that is over; `end` gives out the others as far as they
///   have come.
/// - A server that can't be reached is told to the client as a reset, and the conversation says so.
/// - Bounded: beyond so many bytes of all open connections nothing more is kept of them; and where there are no more
///   descriptors than whoever writes files needs, clients wait until a connection is over.
/// - No more bytes are taken than are wanted in all.
/// - What is open at the end is reset on both sides, after what was taken of it has gone on, or had its time to.
/// - The path of a Unix-domain socket is there as long as the recorder is. One that nobody listens at is taken over.
package final class ConversationRecorder {
  private static let backlog: Int32 = 128
  private static let bufferSize = 1 << 20
  private static let maxKept = 192 << 20
  /// Descriptors that are left to others.
  private static let spareDescriptors = 24
  /// What was taken has so long to go on when the recording ends.
  private static let grace = Duration.milliseconds(500)
  /// The kernel tells nobody when the other side has got all.
  private static let graceTurn = Duration.milliseconds(5)

  /// Where clients connect to.
  package let address: RawAddress
  private let listener: Descriptor
  private let server: RawAddress
  private let interceptor: TLSInterceptor?
  private let most: Int
  private let name: (RawAddress) -> String
  private var connections: [RelayedConnection] = []
  private var readiness = ReadinessSet()
  private let buffer: UnsafeMutableRawBufferPointer
  private let maxConnections = affordableConnections()
  private var finished = 0
  /// No more connections can be had until one is over.
  private var isCrowded = false

  /// Bytes of all connections so far.
  package var count: Int { finished + connections.reduce(0) { $0 + $1.count } }
  /// How many connections are open.
  package var open: Int { connections.count }

  /// Listens. `interceptor` opens TLS; without one it passes through. `most`: so many bytes of all
  /// connections are taken. `name` says what an address is called in conversations.
  package init(
    at address: RawAddress, to server: RawAddress, interceptor: TLSInterceptor? = nil, most: Int = .max,
    name: @escaping (RawAddress) -> String
  ) throws(SystemCallFailure) {
    listener = try SocketCall.open(family: address.family)
    if address.family != AF_UNIX { try SocketCall.setReuseAddress(listener.rawValue) }
    try UnixPath.bind(listener.rawValue, to: address)
    do throws(SystemCallFailure) {
      try SocketCall.listen(listener.rawValue, backlog: Self.backlog)
    } catch {
      if let path = address.unixPath { unlink(path) }
      throw error
    }
    self.address = SocketCall.localAddress(listener.rawValue) ?? address
    self.server = server
    self.interceptor = interceptor
    self.most = most
    self.name = name
    // The last: `deinit`, which frees it, does not run for a recorder that could not listen.
    buffer = .allocate(byteCount: Self.bufferSize, alignment: 4_096)
  }

  deinit {
    buffer.deallocate()
    if let path = address.unixPath { unlink(path) }
  }

  /// Waits for something to do, `limit` at most, and does it. Gives out the conversations that are over.
  ///
  /// - Parameter most: so many more connections are let in at most; the others wait.
  package func turn(
    limit: Duration, accepting most: Int = .max, _ give: (ConversationRecording) -> Void
  ) throws(SystemCallFailure) {
    readiness.removeAll()
    let accepts = most > 0 && !isCrowded && connections.count < maxConnections
    if accepts { readiness.add(listener.rawValue, reading: true, writing: false) }
    var places: [Range<Int>] = []
    for connection in connections {
      let first = readiness.count
      connection.addInterest(to: &readiness)
      places.append(first..<readiness.count)
    }
    readiness.wait(until: Self.instant(after: limit))
    serve(zip(connections, places).filter { readiness.isAnyReady($1) }.map { $0.0 })
    if accepts, readiness.isReady(0) { try accept(most, give) }
    release(give) { $0.isOver }
  }

  /// Gives out what is still open, as far as it has come, and breaks it off.
  package func end(_ give: (ConversationRecording) -> Void) {
    for connection in connections { connection.beginEnd() }
    let deadline = Self.instant(after: Self.grace)
    serve(connections)
    while Instant.now() < deadline, connections.contains(where: \.isPassingOn) {
      readiness.removeAll()
      for connection in connections { connection.addLastInterest(to: &readiness) }
      readiness.wait(until: min(deadline, Self.instant(after: Self.graceTurn)))
      serve(connections)
    }
    for connection in connections {
      let kept = connections.reduce(0) { $0 + $1.kept }
      connection.breakOff(into: buffer, hasRoom: kept < Self.maxKept, most: max(0, most - count))
    }
    release(give) { _ in true }
  }

  private static func instant(after wait: Duration) -> Instant {
    Instant.now().advanced(by: Int64(wait / .nanoseconds(1)))
  }

  /// Has them do what can be done without waiting.
  private func serve(_ ready: [RelayedConnection]) {
    var kept = connections.reduce(0) { $0 + $1.kept }
    var left = max(0, most - count)
    for connection in ready {
      let before = connection.count
      kept -= connection.kept
      connection.serve(into: buffer, hasRoom: kept < Self.maxKept, most: left)
      kept += connection.kept
      left -= connection.count - before
    }
  }

  /// As many connections as there are descriptors for, two each, at least one.
  private static func affordableConnections() -> Int {
    var limits = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    return max(1, (Int(clamping: limits.rlim_cur) - spareDescriptors) / 2)
  }

  private func release(_ give: (ConversationRecording) -> Void, where isOver: (RelayedConnection) -> Bool) {
    let over = connections.filter(isOver)
    guard !over.isEmpty else { return }
    connections.removeAll(where: isOver)
    isCrowded = false
    for connection in over {
      finished += connection.count
      give(connection.recording)
    }
  }

  private func accept(_ most: Int, _ give: (ConversationRecording) -> Void) throws(SystemCallFailure) {
    var wanted = most
    do throws(SystemCallFailure) {
      while wanted > 0, connections.count < maxConnections, let accepted = try SocketCall.accept(listener.rawValue) {
        wanted -= 1
        var conversation = Conversation(client: accepted.address.map(name) ?? "a client", server: name(server))
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        conversation.startedAt = UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
        reach(from: accepted.takeDescriptor(), conversation, give)
      }
    } catch {
      guard Self.isWant(error), !connections.isEmpty else { throw error }
      isCrowded = true
    }
  }

  private static func isWant(_ failure: SystemCallFailure) -> Bool {
    [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(failure.code)
  }

  /// Opens the way from a client to the server.
  private func reach(from client: consuming Descriptor, _ begun: Conversation, _ give: (ConversationRecording) -> Void)
  {
    do throws(SystemCallFailure) {
      let outgoing = try SocketCall.open(family: server.family)
      let isConnected = try SocketCall.startConnect(outgoing.rawValue, to: server)
      connections.append(
        RelayedConnection(
          client: client, server: outgoing, isConnecting: !isConnected, conversation: begun,
          interceptor: interceptor))
    } catch {
      var conversation = begun
      // What is missing here says nothing of the server.
      guard !Self.isWant(error) else {
        isCrowded = true
        return
      }
      conversation.opening = RelayedConnection.opening(error.code)
      conversation.notes.append(RelayedConnection.unreached(error))
      try? SocketCall.setResetOnClose(client.rawValue)
      give(ConversationRecording(conversation: conversation))
    }
  }
}
