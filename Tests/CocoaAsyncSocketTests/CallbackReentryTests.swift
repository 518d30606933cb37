import CocoaAsyncSocket
import Foundation
import SocketPOSIX
import TestSupport
import Testing

/// Any call is allowed inside any callback (INV-12, DIS-07).
@Suite struct CallbackReentryTests {
  enum Topology: String, CaseIterable, Sendable {
    case noSocketQueue, ownSocketQueue, sharedQueue

    func socketQueue(_ delegateQueue: DispatchQueue) -> DispatchQueue? {
      switch self {
      case .noSocketQueue: nil
      case .ownSocketQueue: DispatchQueue(label: "socket")
      case .sharedQueue: delegateQueue
      }
    }
  }

  /// Calls everything that looks or sets.
  static func touchEverything(_ socket: GCDAsyncSocket) {
    _ = (socket.delegate, socket.delegateQueue, socket.userData, socket.description)
    _ = (socket.isConnected, socket.isDisconnected, socket.isIPv4, socket.isIPv6, socket.isSecure)
    _ = (socket.connectedHost, socket.connectedPort, socket.connectedUrl, socket.connectedAddress)
    _ = (socket.localHost, socket.localPort, socket.localAddress)
    _ = (socket.isIPv4Enabled, socket.isIPv6Enabled, socket.isIPv4PreferredOverIPv6)
    _ = (socket.alternateAddressDelay, socket.notifiesDisconnectBeforeReturning)
    socket.autoDisconnectOnClosedReadStream = socket.autoDisconnectOnClosedReadStream
    socket.userData = "touched"
    _ = socket.progress(ofReadReturningTag: nil, bytesDone: nil, total: nil)
    _ = socket.progress(ofWriteReturningTag: nil, bytesDone: nil, total: nil)
    _ = socket.socketFD()
    var isInside = false
    socket.perform {
      socket.perform { isInside = socket.socketFD() == socket.socketFD() }
    }
    #expect(isInside)
    let (delegate, queue) = (socket.delegate, socket.delegateQueue)
    socket.setDelegate(delegate, delegateQueue: queue)
  }

  @Test("every getter, setter and perform in every callback", arguments: Topology.allCases)
  func everythingEverywhere(_ topology: Topology) throws {
    let seen = LockedValue<Set<String>>([])
    let delegate = RecorderDelegate(
      timeoutExtension: { socket, _ in
        Self.touchEverything(socket)
        return 30
      }, onAccept: { Self.touchEverything($0) },
      reaction: { socket, kind in
        Self.touchEverything(socket)
        let name = String("\(kind)".prefix { $0 != "(" })
        seen.withLock { _ = $0.insert(name) }
      })
    let queue = DispatchQueue(label: "delegate")
    let listener = GCDAsyncSocket(
      delegate: delegate, delegateQueue: queue, socketQueue: topology.socketQueue(queue))
    try listener.accept(onPort: 0)
    let client = GCDAsyncSocket(delegate: delegate, delegateQueue: queue, socketQueue: topology.socketQueue(queue))
    client.autoDisconnectOnClosedReadStream = false
    try client.connect(toHost: "127.0.0.1", onPort: listener.localPort)
    let server = try delegate.child()
    try delegate.waitForConnect(of: client)
    // A read that gets some, runs out of time, is extended, and completes.
    client.readData(toLength: 6, withTimeout: 0.05, tag: 1)
    server.write(data("abc"), withTimeout: -1, tag: 1)
    try delegate.wait("a timeout question") {
      if case .readTimeout = $0.kind { true } else { false }
    }
    server.write(data("def"), withTimeout: -1, tag: 2)
    #expect(try delegate.bytes(ofRead: 1, of: client) == data("abcdef"))
    // A write that stalls, is extended, and completes.
    server.write(Data(count: 16 << 20), withTimeout: 0.05, tag: 3)
    try delegate.wait("a timeout question") {
      if case .writeTimeout = $0.kind { true } else { false }
    }
    client.readData(toLength: 16 << 20, withTimeout: -1, tag: 2)
    try delegate.wait(for: .wrote(tag: 3), of: server)
    _ = try delegate.bytes(ofRead: 2, of: client)
    server.disconnectAfterWriting()
    try delegate.wait(for: .readStreamClosed, of: client)
    client.disconnect()
    try delegate.waitForDisconnect(of: client)
    try delegate.waitForDisconnect(of: server)
    listener.disconnect()
    try delegate.waitForDisconnect(of: listener)
    #expect(
      seen.withLock { $0 }.isSuperset(of: [
        "connected", "read", "readPartial", "wrote", "wrotePartial", "readTimeout", "writeTimeout", "childQueue",
        "readStreamClosed", "disconnected",
      ]))
  }

  @Test(
    "a callback that hands the connection over may wait for its first message there (INV-17, CFG-17)",
    arguments: [Topology.noSocketQueue, .ownSocketQueue])
  func handingOver(_ topology: Topology) throws {
    let queue = DispatchQueue(label: "first")
    let second = RecorderDelegate()
    let hasAnswer = LockedValue<Bool?>(nil)
    let delegate = RecorderDelegate { socket, kind in
      guard case .read(_, tag: 1) = kind else { return }
      socket.setDelegate(second, delegateQueue: DispatchQueue(label: "second"))
      // The message is in the library's memory already.
      socket.readData(toLength: 2, withTimeout: -1, tag: 2)
      let answer = try? second.bytes(ofRead: 2, of: socket)
      hasAnswer.withLock { $0 = answer == data("cd") }
    }
    let link = try SocketAndPeer(delegate: delegate, queue: queue, socketQueue: topology.socketQueue(queue))
    link.socket.readData(toLength: 2, withTimeout: -1, tag: 1)
    try link.peer.send("abcd")
    try eventually("the callback has returned") { hasAnswer.withLock { $0 } != nil }
    #expect(hasAnswer.withLock { $0 } == true)
  }

  enum Place: String, CaseIterable, Sendable {
    case connected, read, readPartial, wrote, wrotePartial, readTimeout, writeTimeout, readStreamClosed

    func matches(_ kind: Occurrence.Kind) -> Bool {
      switch (self, kind) {
      case (.connected, .connected), (.read, .read), (.readPartial, .readPartial), (.wrote, .wrote),
        (.wrotePartial, .wrotePartial), (.readTimeout, .readTimeout), (.writeTimeout, .writeTimeout),
        (.readStreamClosed, .readStreamClosed):
        true
      default: false
      }
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let place: Place
    let topology: Topology
    let notifies: Bool
    /// Lets the last reference go inside the callback instead of disconnecting.
    var testDescription: String {
      "\(place.rawValue), \(topology.rawValue)\(notifies ? ", notifying" : "")"
    }
  }

  static let rows = Place.allCases.flatMap { place in
    Topology.allCases.flatMap { topology in
      [false, true].map { Row(place: place, topology: topology, notifies: $0) }
    }
  }

  @Test("disconnect inside each callback is final: one didDisconnect, with nil (DIS-07, TMO-20)", arguments: rows)
  func disconnectInside(_ row: Row) throws {
    let isDone = LockedValue(false)
    let delegate = RecorderDelegate(
      timeoutExtension: { _, _ in 30 },
      reaction: { socket, kind in
        guard row.place.matches(kind), !isDone.withLock({ $0 }) else { return }
        isDone.withLock { $0 = true }
        socket.disconnect()
        #expect(socket.isDisconnected)
      })
    let queue = DispatchQueue(label: "delegate")
    let listener = try RawListener()
    let socket = GCDAsyncSocket(
      delegate: delegate, delegateQueue: queue, socketQueue: row.topology.socketQueue(queue))
    socket.autoDisconnectOnClosedReadStream = false
    socket.notifiesDisconnectBeforeReturning = row.notifies
    try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
    let peer = try listener.accept()
    socket.readData(toLength: 1, withTimeout: -1, tag: 1)
    socket.readData(toLength: 4, withTimeout: row.place == .readTimeout ? 0.05 : -1, tag: 2)
    socket.write(data("x"), withTimeout: -1, tag: 1)
    if row.place == .wrotePartial || row.place == .writeTimeout {
      socket.write(Data(count: 32 << 20), withTimeout: 0.05, tag: 2)
    }
    // The socket may be gone by now, in the rows where it disconnects early.
    try? peer.send("ab")
    if row.place == .readStreamClosed { peer.finish() }
    try delegate.waitForDisconnect(of: socket)
    #expect(delegate.disconnectError(of: socket) == nil)
    queue.sync {}
    guard case .disconnected? = delegate.kinds(of: socket).last else {
      Issue.record("something came after didDisconnect: \(delegate.kinds(of: socket))")
      return
    }
    #expect(delegate.count { $0.isDisconnect } == 1)
  }

  @Test("the socket is started again inside didDisconnect, many times (LIFE-09)", arguments: Topology.allCases)
  func restartInside(_ topology: Topology) throws {
    let rounds = 100
    let listener = try RawListener(backlog: 256)
    let failures = LockedValue<[String]>([])
    let starts = LockedValue(1)
    let delegate = RecorderDelegate { socket, kind in
      switch kind {
      case .connected: socket.disconnect()
      case .disconnected:
        let isLast = starts.withLock { count in
          defer { count += 1 }
          return count == rounds
        }
        guard !isLast else { return }
        do {
          try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      default: break
      }
    }
    let queue = DispatchQueue(label: "delegate")
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: queue, socketQueue: topology.socketQueue(queue))
    try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
    for _ in 0..<rounds { _ = try listener.accept() }
    try delegate.waitForDisconnect(of: socket, times: rounds)
    #expect(failures.withLock { $0 } == [])
    // didConnect and didDisconnect in turns.
    for (index, kind) in delegate.kinds(of: socket).enumerated() {
      let isConnect = if case .connected = kind { true } else { false }
      guard isConnect == (index % 2 == 0) else {
        Issue.record("event \(index) is \(kind)")
        break
      }
    }
  }

  @Test("the owner lets the socket go inside its own callbacks", arguments: Place.allCases)
  func releaseInside(_ place: Place) throws {
    let owned = LockedValue<GCDAsyncSocket?>(nil)
    let delegate = RecorderDelegate(
      timeoutExtension: { _, _ in
        owned.withLock { $0 = nil }
        return 30
      },
      reaction: { _, kind in if place.matches(kind) { owned.withLock { $0 = nil } } })
    let listener = try RawListener()
    weak var witness: GCDAsyncSocket?
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    witness = socket
    socket.autoDisconnectOnClosedReadStream = false
    owned.withLock { $0 = socket }
    let peer = try start(socket, at: listener, place)
    try? peer.send("ab")
    if place == .readStreamClosed { peer.finish() }
    _ = consume socket
    // Before anything is read, so that the long write stalls where it is to stall.
    try eventually("the socket is freed") { witness == nil }
    _ = try peer.ending()
    #expect(delegate.count { $0.isDisconnect } == 0)
  }

  private func start(_ socket: GCDAsyncSocket, at listener: RawListener, _ place: Place) throws -> RawPeer {
    try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
    socket.readData(toLength: 1, withTimeout: -1, tag: 1)
    socket.readData(toLength: 4, withTimeout: place == .readTimeout ? 0.05 : -1, tag: 2)
    socket.write(data("x"), withTimeout: -1, tag: 1)
    if place == .wrotePartial || place == .writeTimeout {
      socket.write(Data(count: 32 << 20), withTimeout: 0.05, tag: 2)
    }
    return try listener.accept()
  }
}
