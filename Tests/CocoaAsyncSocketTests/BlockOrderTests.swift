import CocoaAsyncSocket
import Foundation
import SocketPOSIX
import TestSupport
import Testing

/// Blocks that a program puts on the delegate queue, and callbacks: what was put there before a call was made runs
/// before what the call leads to (D-34).
@Suite struct BlockOrderTests {
  @Test("a block put on the delegate queue before disconnect runs before didDisconnect", arguments: [false, true])
  func beforeDisconnect(inCallback: Bool) throws {
    let queue = DispatchQueue(label: "delegate")
    let order = LockedValue<[String]>([])
    let entered = Latch()
    let left = Latch()
    let delegate = RecorderDelegate { _, kind in
      switch kind {
      case .read where inCallback:
        // A callback is under way, so that what comes next could be told in the same visit to the queue.
        entered.signal()
        try? left.wait("the calls to be made")
      case .disconnected: order.withLock { $0.append("didDisconnect") }
      default: break
      }
    }
    let link = try SocketAndPeer(delegate: delegate, queue: queue)
    var gate: QueueBlocker?
    if inCallback {
      link.socket.readData(withTimeout: -1, tag: 0)
      try link.peer.send("x")
      try entered.wait("the callback")
    } else {
      gate = try QueueBlocker(blocking: queue)
    }
    queue.async { order.withLock { $0.append("block") } }
    link.socket.disconnect()
    left.signal()
    gate?.open()
    try delegate.waitForDisconnect(of: link.socket)
    queue.sync {}
    #expect(order.withLock { $0 } == ["block", "didDisconnect"])
  }

  /// Where `disconnect()` is called, with a block put on the queue behind it.
  enum Caller: CaseIterable { case thread, blockBehindWrite, callback }

  @Test(
    "a block put on the delegate queue behind disconnect runs behind didDisconnect (DIS-03)",
    arguments: Caller.allCases)
  func behindDisconnect(caller: Caller) throws {
    for _ in 0..<100 {
      let queue = DispatchQueue(label: "delegate")
      let order = LockedValue<[String]>([])
      let done = Latch()
      let end: @Sendable (GCDAsyncSocket) -> Void = { socket in
        if caller == .blockBehindWrite { socket.write(data("a"), withTimeout: -1, tag: 1) }
        socket.disconnect()
        queue.async {
          order.withLock { $0.append("block") }
          done.signal()
        }
      }
      let delegate = RecorderDelegate { socket, kind in
        if case .disconnected = kind { order.withLock { $0.append("didDisconnect") } }
        if kind.isRead, caller == .callback { end(socket) }
      }
      let link = try SocketAndPeer(delegate: delegate, queue: queue)
      switch caller {
      case .thread: end(link.socket)
      case .blockBehindWrite: queue.async { end(link.socket) }
      case .callback:
        link.socket.readData(withTimeout: -1, tag: 0)
        try link.peer.send("x")
      }
      try done.wait("the block")
      #expect(order.withLock { $0 } == ["didDisconnect", "block"])
    }
  }

  /// Two sockets share a socket queue: the loop's thread is in a callback of one there, and has yet to make one of the
  /// other's on another queue.
  @Test("the same where the loop's thread has callbacks to make (DIS-03)")
  func behindDisconnectOfASocketThatTheLoopServes() throws {
    for _ in 0..<60 {
      let (shared, queue) = (DispatchQueue(label: "socket"), DispatchQueue(label: "delegate"))
      let order = LockedValue<[String]>([])
      let done = Latch()
      let told = RecorderDelegate { _, kind in
        if case .disconnected = kind { order.withLock { $0.append("didDisconnect") } }
      }
      let first = try SocketAndPeer(delegate: told, queue: queue, socketQueue: shared)
      let ending = RecorderDelegate { _, kind in
        guard kind.isRead else { return }
        first.socket.disconnect()
        queue.async {
          order.withLock { $0.append("block") }
          done.signal()
        }
      }
      let second = try SocketAndPeer(delegate: ending, queue: shared, socketQueue: shared)
      first.socket.readData(withTimeout: -1, tag: 0)
      second.socket.readData(withTimeout: -1, tag: 0)
      try first.peer.send("x")
      try second.peer.send("x")
      try done.wait("the block")
      #expect(order.withLock { $0 } == ["didDisconnect", "block"])
    }
  }

  /// The bytes of a large write are copied while other threads may use the socket.
  @Test("the same while a large write has not returned (DIS-03)")
  func behindDisconnectDuringALargeWrite() throws {
    for _ in 0..<10 {
      let queue = DispatchQueue(label: "delegate")
      let order = LockedValue<[String]>([])
      let (done, begins, returned) = (Latch(), Latch(), Latch())
      let delegate = RecorderDelegate { _, kind in
        if case .disconnected = kind { order.withLock { $0.append("didDisconnect") } }
      }
      let link = try SocketAndPeer(delegate: delegate, queue: queue)
      Thread.detachNewThread {
        begins.signal()
        link.socket.write(Data(count: 32 << 20), withTimeout: -1, tag: 1)
        returned.signal()
      }
      try begins.wait("the thread")
      usleep(8_000)
      link.socket.disconnect()
      queue.async {
        order.withLock { $0.append("block") }
        done.signal()
      }
      try done.wait("the block")
      #expect(order.withLock { $0 } == ["didDisconnect", "block"])
      try returned.wait("the write")
    }
  }

  @Test("what a callback writes does not wait for a block that it puts on the queue")
  func writeBeforeBlock() throws {
    let queue = DispatchQueue(label: "both")
    let arrived = Latch()
    let left = Latch()
    let delegate = RecorderDelegate { socket, kind in
      guard case .wrote(tag: 1) = kind else { return }
      socket.write(data("c"), withTimeout: -1, tag: 3)
      queue.async { if (try? arrived.wait("the write", limit: 20)) != nil { left.signal() } }
    }
    let link = try SocketAndPeer(delegate: delegate, queue: queue, socketQueue: queue)
    queue.async {
      link.socket.write(data("a"), withTimeout: -1, tag: 1)
      link.socket.write(data("b"), withTimeout: -1, tag: 2)
    }
    #expect(try link.peer.receive(3) == Array("abc".utf8))
    arrived.signal()
    try left.wait("the block", limit: 30)
  }
}
