import CocoaAsyncSocket
import Foundation
import Glibc
import SocketPOSIX
import TestSupport
import Testing

/// What one socket, its peer or its user does is not to be felt by the others that share its queue or its loop.
@Suite(.serialized) struct NeighbourTests {
  enum Flood: String, CaseIterable, Sendable { case lines, writes, extensions }
  enum SocketQueue: CaseIterable, Sendable { case none, own, same }

  /// Echoes everything it reads.
  private static func echo(on queue: DispatchQueue) throws -> SocketAndPeer {
    let delegate = RecorderDelegate { socket, kind in
      guard case .read(let bytes, let tag) = kind else { return }
      socket.write(bytes, withTimeout: -1, tag: tag)
      socket.readData(withTimeout: -1, tag: tag)
    }
    let link = try SocketAndPeer(delegate: delegate, queue: queue)
    link.socket.readData(withTimeout: -1, tag: 0)
    return link
  }

  /// A delegate for which there is always another callback.
  private final class Flooded: GCDAsyncSocketDelegate {
    let kind: Flood
    let count = LockedValue(0)

    init(_ kind: Flood) { self.kind = kind }

    func begin(_ socket: GCDAsyncSocket) {
      if kind == .extensions { socket.readData(toLength: 1, withTimeout: 0, tag: 0) } else { goOn(socket) }
    }

    private func goOn(_ socket: GCDAsyncSocket) {
      count.withLock { $0 += 1 }
      switch kind {
      case .lines: socket.readData(to: GCDAsyncSocket.lfData(), withTimeout: -1, tag: 0)
      case .writes: socket.write(data("0123456789"), withTimeout: -1, tag: 0)
      case .extensions: break
      }
    }

    func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) { goOn(sock) }

    func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) { goOn(sock) }

    func socket(
      _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
    ) -> TimeInterval {
      goOn(sock)
      return 1e-9
    }
  }

  @Test(
    "a socket that is never done leaves its delegate queue to others (INV-17)", arguments: Flood.allCases,
    SocketQueue.allCases)
  func flood(kind: Flood, socketQueue: SocketQueue) throws {
    let queue = DispatchQueue(label: "shared")
    let own: DispatchQueue? =
      switch socketQueue {
      case .none: nil
      case .own: DispatchQueue(label: "socket")
      case .same: queue
      }
    let other = try Self.echo(on: queue)
    let busy = try SocketAndPeer(queue: queue, socketQueue: own)
    let flooded = Flooded(kind)
    busy.socket.synchronouslySetDelegate(flooded)
    let isOver = LockedValue(false)
    let ended = Latch()
    Thread {
      let lines = Array(repeatElement(Array("hello\n".utf8), count: 5000).joined())
      while !isOver.withLock({ $0 }) {
        if kind == .lines { try? busy.peer.send(lines) } else { _ = try? busy.peer.receiveSome(within: 0.01) }
      }
      ended.signal()
    }.start()
    flooded.begin(busy.socket)
    try eventually("the flood has begun") { flooded.count.withLock { $0 } > 100 }
    for round in 0..<20 {
      try other.peer.send("x")
      #expect(try other.peer.receive(1) == Array("x".utf8), "round \(round)")
    }
    isOver.withLock { $0 = true }
    busy.socket.disconnect()
    try ended.wait("the flood ends")
  }

  @Test("callbacks of a flood that were in line come before a block that was put on the queue behind them (CFG-09)")
  func barrier() throws {
    let queue = DispatchQueue(label: "delegate")
    for _ in 0..<20 {
      let delegate = RecorderDelegate { _, kind in if kind.isRead { usleep(300) } }
      let link = try SocketAndPeer(delegate: delegate, queue: queue)
      for tag in 0..<20 { link.socket.readData(toLength: 1, withTimeout: -1, tag: tag) }
      try link.peer.send(String(repeating: "x", count: 20))
      try eventually("callbacks run") { delegate.kinds(of: link.socket).contains(where: \.isRead) }
      link.socket.synchronouslySetDelegate(nil)
      queue.sync {}
      let count = delegate.kinds(of: link.socket).count
      usleep(3000)
      #expect(delegate.kinds(of: link.socket).count == count)
    }
  }

  @Test("the end is in line when disconnect returns, however long callbacks have gone on (DIS-03)")
  func endInLine() throws {
    let queue = DispatchQueue(label: "delegate")
    for _ in 0..<20 {
      let delegate = RecorderDelegate { socket, kind in
        guard kind.isRead else { return }
        usleep(500)
        socket.readData(toLength: 1, withTimeout: -1, tag: 0)
      }
      let link = try SocketAndPeer(delegate: delegate, queue: queue)
      link.socket.readData(toLength: 1, withTimeout: -1, tag: 0)
      try link.peer.send(String(repeating: "x", count: 100))
      try eventually("callbacks run") { delegate.kinds(of: link.socket).count { $0.isRead } > 5 }
      link.socket.disconnect()
      queue.sync {}
      #expect(delegate.disconnectError(of: link.socket) == nil)
      #expect(delegate.kinds(of: link.socket).last == .disconnected(nil))
    }
  }

  /// A buffer whose end runs code of the caller's.
  private final class LastingBuffer: NSMutableData {
    private let storage = NSMutableData()
    nonisolated(unsafe) var atEnd: () -> Void = {}

    override var length: Int {
      get { storage.length }
      set { storage.length = newValue }
    }
    override var bytes: UnsafeRawPointer { storage.bytes }
    override var mutableBytes: UnsafeMutableRawPointer { storage.mutableBytes }

    deinit { atEnd() }
  }

  @Test("the end of a caller's buffer holds up nobody (INV-17)", arguments: [false, true])
  func bufferThatEnds(completes: Bool) throws {
    let other = try Self.echo(on: DispatchQueue(label: "other"))
    let link = try SocketAndPeer()
    let begins = Latch()
    let release = Latch()
    do {
      let buffer = LastingBuffer()
      buffer.atEnd = {
        begins.signal()
        try? release.wait("the other's answer")
      }
      link.socket.readData(toLength: 4, withTimeout: -1, buffer: buffer, bufferOffset: 0, tag: 1)
    }
    if completes {
      // Nobody is told, so the loop's thread drops the read.
      link.socket.synchronouslySetDelegate(nil)
      try link.peer.send("full")
    } else {
      link.peer.close()
    }
    try begins.wait("the buffer ends")
    try other.peer.send("x")
    #expect(try other.peer.receive(1) == Array("x".utf8))
    release.signal()
  }

  @Test("a listener that another program has made blocking holds up nobody (INV-17)")
  func blockingListener() throws {
    let other = try Self.echo(on: DispatchQueue(label: "other"))
    let delegate = RecorderDelegate()
    let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "listener"))
    try listener.accept(onInterface: "127.0.0.1", port: 0)
    listener.perform { try? SocketCall.setNonBlocking(listener.socketFD(), false) }
    let first = try RawPeer.connect(port: listener.localPort)
    defer { first.close() }
    _ = try delegate.child()
    try other.peer.send("x")
    let answer = try? other.peer.receive(1)
    #expect(answer == Array("x".utf8))
    // So that a loop that waits for a client goes on.
    try RawPeer.connect(port: listener.localPort).close()
  }

  // MARK: The main queue and the global ones, for which there is another object each time

  private static func isIdle(_ socket: GCDAsyncSocket) -> Bool {
    socket.progress(ofReadReturningTag: nil, bytesDone: nil, total: nil).isNaN
  }

  @Test("the main queue that is set once more is the same queue: events keep their order (INV-03)")
  func mainQueueAgain() throws {
    let delegate = RecorderDelegate()
    let link = try SocketAndPeer(delegate: delegate, queue: .main)
    let gate = try QueueBlocker(blocking: .main)
    link.socket.readData(toLength: 1, withTimeout: -1, tag: 1)
    try link.peer.send("a")
    try eventually("the first byte is read") { Self.isIdle(link.socket) }
    link.socket.write(data("x"), withTimeout: -1, tag: 2)
    #expect(try link.peer.receive(1) == Array("x".utf8))
    link.socket.delegateQueue = .main
    link.socket.readData(toLength: 1, withTimeout: -1, tag: 3)
    try link.peer.send("b")
    try eventually("the second byte is read") { Self.isIdle(link.socket) }
    gate.open()
    try delegate.wait(for: .read(data("b"), tag: 3), of: link.socket)
    let kinds = delegate.kinds(of: link.socket).suffix(3)
    #expect(Array(kinds) == [.read(data("a"), tag: 1), .wrote(tag: 2), .read(data("b"), tag: 3)])
    link.socket.disconnect()
  }

  @Test("disconnect on the main queue tells before it returns, though the main queue was set twice (DIS-03)")
  func mainQueueTellsBefore() throws {
    let delegate = RecorderDelegate()
    let link = try SocketAndPeer(delegate: delegate, queue: .main)
    link.socket.notifiesDisconnectBeforeReturning = true
    DispatchQueue.main.sync {
      link.socket.readData(toLength: 1, withTimeout: -1, tag: 1)
      #expect(throws: Never.self) {
        try link.peer.send("a")
        try eventually("the byte is read") { Self.isIdle(link.socket) }
      }
      link.socket.setDelegate(delegate, delegateQueue: .main)
      link.socket.disconnect()
      #expect(delegate.kinds(of: link.socket).last == .disconnected(nil))
    }
  }

  @Test("callbacks on a global queue come one at a time, though it was set again (THR-03)")
  func globalQueueAgain() throws {
    let inside = LockedValue((now: 0, most: 0))
    let delegate = RecorderDelegate { _, kind in
      guard kind.isRead else { return }
      inside.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      usleep(5000)
      inside.withLock { $0.now -= 1 }
    }
    let link = try SocketAndPeer(delegate: delegate, queue: .global())
    for tag in 0..<20 {
      link.socket.readData(toLength: 1, withTimeout: -1, tag: tag)
      try link.peer.send("x")
      usleep(1000)
      link.socket.delegateQueue = .global()
    }
    try delegate.wait(for: .read(data("x"), tag: 19), of: link.socket)
    #expect(inside.withLock { $0.most } == 1)
    #expect(
      delegate.kinds(of: link.socket).filter(\.isRead) == (0..<20).map { Occurrence.Kind.read(data("x"), tag: $0) })
  }

  @Test("a mark on the main queue is taken back (THR-11)")
  func mainQueueUnmarked() throws {
    let link = try SocketAndPeer(socketQueue: DispatchQueue(label: "socket", target: .main))
    link.socket.markSocketQueueTargetQueue(.main)
    #expect(DispatchQueue.main.sync { link.socket.socketFD() } >= 0)
    link.socket.unmarkSocketQueueTargetQueue(.main)
    #expect(DispatchQueue.main.sync { link.socket.socketFD() } == -1)
  }
}
