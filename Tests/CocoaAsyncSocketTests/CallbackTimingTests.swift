import CocoaAsyncSocket
import Foundation
import SocketPOSIX
import TestSupport
import Testing

/// When callbacks may come: never before the call they are about has returned, and behind a block that the caller puts
/// on the delegate queue right after it (CON-01, D-34); and an end that was asked for has no error, however quick the
/// peer is (DIS-05, D-35).
@Suite(.serialized) struct CallbackTimingTests {
  /// Where a call is made.
  enum Place: String, CaseIterable, Sendable {
    case thread, delegateQueue

    func run(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) throws {
      switch self {
      case .thread: body()
      case .delegateQueue:
        let done = Latch()
        queue.async {
          body()
          done.signal()
        }
        try done.wait("the block on the delegate queue")
      }
    }
  }

  enum Queues: String, CaseIterable, Sendable {
    case noSocketQueue, ownSocketQueue, sharedQueue

    func socketQueue(_ queue: DispatchQueue) -> DispatchQueue? {
      switch self {
      case .noSocketQueue: nil
      case .ownSocketQueue: DispatchQueue(label: "socket")
      case .sharedQueue: queue
      }
    }
  }

  /// Of so many rounds, in how many the callback came before the block.
  private static func early(
    rounds: Int, _ place: Place, _ queues: Queues, prepare: (GCDAsyncSocket, RecorderDelegate) throws -> Void,
    call: @escaping @Sendable (GCDAsyncSocket) -> Void, isCallback: @escaping @Sendable (Occurrence.Kind) -> Bool,
    afterwards: () throws -> Void = {}
  ) throws -> Int {
    var (early, judged) = (0, 0)
    for _ in 0..<rounds {
      let order = LockedValue<[String]>([])
      let both = Latch()
      let delegate = RecorderDelegate { _, kind in
        guard isCallback(kind) else { return }
        order.withLock { $0.append("callback") }
        both.signal()
      }
      let queue = DispatchQueue(label: "delegate")
      let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: queue, socketQueue: queues.socketQueue(queue))
      try prepare(socket, delegate)
      let took = LockedValue(0.0)
      try place.run(on: queue) {
        let begin = monotonicSeconds()
        call(socket)
        queue.async {
          order.withLock { $0.append("block") }
          both.signal()
        }
        took.withLock { $0 = monotonicSeconds() - begin }
      }
      try both.wait("the block and the callback", count: 2)
      // A thread that loses its processor between the two statements is overtaken, and rightly so; a queue is not.
      if place == .delegateQueue || took.withLock({ $0 }) < heldBack {
        judged += 1
        if order.withLock({ $0 }) != ["block", "callback"] { early += 1 }
      }
      socket.disconnect()
      try afterwards()
    }
    #expect(judged > rounds / 10, "this thread was held up nearly always")
    return early
  }

  /// The same, of calls on a connection whose peer has said that.
  private static func earlyWhenConnected(
    _ queues: Queues, peerSays text: String? = nil, call: @escaping @Sendable (GCDAsyncSocket) -> Void,
    isCallback: @escaping @Sendable (Occurrence.Kind) -> Bool
  ) throws -> Int {
    let listener = try RawListener()
    let peers = LockedValue<[RawPeer]>([])
    return try early(
      rounds: 150, .delegateQueue, queues,
      prepare: { socket, delegate in
        try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
        let peer = try listener.accept()
        if let text { try peer.send(text) }
        peers.withLock { $0 = [peer] }
        try delegate.waitForConnect(of: socket)
      }, call: call, isCallback: isCallback)
  }

  /// For so long an outcome is held back, in seconds.
  private static let heldBack = 0.001

  /// Bytes that the kernel does not take at once are copied, which takes long for so many.
  @Test("nothing is told of a large write before it has returned", arguments: Queues.allCases)
  func largeWrite(queues: Queues) throws {
    let listener = try RawListener()
    let (told, first) = (LockedValue<Double?>(nil), Latch())
    let delegate = RecorderDelegate { _, kind in
      guard case .wrotePartial = kind else { return }
      let now = monotonicSeconds()
      let isFirst = told.withLock { told in
        defer { told = told ?? now }
        return told == nil
      }
      if isFirst { first.signal() }
    }
    let queue = DispatchQueue(label: "delegate")
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: queue, socketQueue: queues.socketQueue(queue))
    try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
    let peer = try listener.accept()
    try delegate.waitForConnect(of: socket)
    let bytes = Data(count: 64 << 20)
    let begin = monotonicSeconds()
    socket.write(bytes, withTimeout: -1, tag: 1)
    let took = monotonicSeconds() - begin
    try first.wait("progress")
    let came = try #require(told.withLock { $0 }) - begin
    #expect(came > took * 0.8, "told \(came) s after the call began, which took \(took) s")
    socket.disconnect()
    withExtendedLifetime(peer) {}
  }

  @Test("a refused connect is told behind the block that follows it", arguments: Place.allCases, Queues.allCases)
  func refusedConnect(place: Place, queues: Queues) throws {
    let rounds = 150
    // Bound and not listening: nobody else gets the port meanwhile.
    let holder = try RawListener(backlog: nil)
    let port = holder.port
    let early = try Self.early(
      rounds: rounds, place, queues, prepare: { _, _ in }, call: { try? $0.connect(toHost: "127.0.0.1", onPort: port) },
      isCallback: { if case .disconnected = $0 { true } else { false } })
    #expect(early == 0)
    withExtendedLifetime(holder) {}
  }

  @Test("a connection is told behind the block that follows the call", arguments: Place.allCases, Queues.allCases)
  func connected(place: Place, queues: Queues) throws {
    let rounds = 150
    let listener = try RawListener()
    let early = try Self.early(
      rounds: rounds, place, queues, prepare: { _, _ in },
      call: { try? $0.connect(toHost: "127.0.0.1", onPort: listener.port) },
      isCallback: { if case .connected = $0 { true } else { false } }, afterwards: { _ = try listener.accept() })
    #expect(early == 0)
  }

  @Test("a Unix-domain connection is told behind the block", arguments: Place.allCases, Queues.allCases)
  func connectedToPath(place: Place, queues: Queues) throws {
    let rounds = 150
    let path = freshSocketPath()
    defer { unlink(path) }
    let listener = try RawListener(path: path)
    let early = try Self.early(
      rounds: rounds, place, queues, prepare: { _, _ in },
      call: { try? $0.connect(to: URL(fileURLWithPath: path), withTimeout: -1) },
      isCallback: { if case .connectedToPath = $0 { true } else { false } }, afterwards: { _ = try listener.accept() })
    #expect(early == 0)
  }

  @Test("a write is told behind the block that follows it", arguments: Queues.allCases, [3, 20_000])
  func write(queues: Queues, size: Int) throws {
    let early = try Self.earlyWhenConnected(
      queues, call: { $0.write(Data(count: size), withTimeout: -1, tag: 1) },
      isCallback: { if case .wrote = $0 { true } else { false } })
    #expect(early == 0)
  }

  @Test("a read of what is there is told behind the block", arguments: Queues.allCases)
  func read(queues: Queues) throws {
    let early = try Self.earlyWhenConnected(
      queues, peerSays: "here", call: { $0.readData(withTimeout: -1, tag: 1) }, isCallback: { $0.isRead })
    #expect(early == 0)
  }

  // MARK: Ends that were asked for

  /// For so long, in seconds, the peer's end is held back behind a write, and for some more.
  private static let grace = 0.005

  /// Where `write; disconnectAfterWriting` is called.
  enum Caller: String, CaseIterable, Sendable { case thread, block, didConnect, ownSocketQueue }

  /// A peer that closes every connection as soon as something has come.
  private final class Closer: Sendable {
    let listener: RawListener
    let port: UInt16

    init() throws {
      listener = try RawListener()
      port = listener.port
      let listener = listener
      Thread.detachNewThread {
        while let peer = try? listener.accept() {
          _ = try? peer.receiveSome()
          peer.close()
        }
      }
    }
  }

  @Test(
    "a peer that closes on receipt does not make an error of the end that was asked for", arguments: Caller.allCases,
    [2, 20_000])
  func askedForEnd(caller: Caller, size: Int) throws {
    let closer = try Closer()
    // Enough for one in a thousand over all rows.
    let rounds = 300
    var errors = 0
    for _ in 0..<rounds {
      let took = LockedValue(0.0)
      let bye: @Sendable (GCDAsyncSocket) -> Void = { socket in
        let begin = monotonicSeconds()
        socket.write(Data(count: size), withTimeout: 5, tag: 2)
        socket.disconnectAfterWriting()
        took.withLock { $0 = monotonicSeconds() - begin }
      }
      let delegate = RecorderDelegate { socket, kind in
        if case .connected = kind, caller == .didConnect { bye(socket) }
      }
      let queue = DispatchQueue(label: "delegate")
      let socketQueue = caller == .ownSocketQueue ? DispatchQueue(label: "socket") : nil
      let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: queue, socketQueue: socketQueue)
      try socket.connect(toHost: "127.0.0.1", onPort: closer.port)
      try delegate.waitForConnect(of: socket)
      switch caller {
      case .thread, .ownSocketQueue: bye(socket)
      case .block: queue.async { bye(socket) }
      case .didConnect: break
      }
      try delegate.waitForDisconnect(of: socket)
      // Who loses the processor between the two calls for longer than the peer's end is held back has not asked yet.
      guard took.withLock({ $0 }) < Self.grace else { continue }
      if delegate.disconnectError(of: socket)?.isLibrary(.closedError) == true { errors += 1 }
    }
    // A reset, which a peer that leaves bytes unread sends, is another matter.
    #expect(errors <= 1, "\(errors) of \(rounds)")
  }

  @Test("an end that nobody asks for is told all the same, and soon")
  func unaskedEnd() throws {
    let closer = try Closer()
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    try socket.connect(toHost: "127.0.0.1", onPort: closer.port)
    try delegate.waitForConnect(of: socket)
    let begin = monotonicSeconds()
    socket.write(data("bye"), withTimeout: -1, tag: 1)
    try delegate.waitForDisconnect(of: socket)
    #expect(delegate.disconnectError(of: socket)?.isLibrary(.closedError) == true)
    #expect(monotonicSeconds() - begin < 5)
  }
}
