import CocoaAsyncSocket
import Foundation
import Glibc
import SocketPOSIX
import TestSupport
import Testing

/// Calls of one thread take effect in order: what was written before a call that ends or bypasses the stream has been
/// given to the kernel when that call acts, wherever it was made (DIS-23, THR-04).
@Suite(.serialized) struct CallOrderTests {
  /// Every way to give a socket its queues.
  enum Queues: String, CaseIterable, Sendable {
    case noSocketQueue, ownSocketQueue, sharedQueue

    func make() -> (delegate: DispatchQueue, socket: DispatchQueue?) {
      let queue = DispatchQueue(label: "delegate")
      return switch self {
      case .noSocketQueue: (queue, nil)
      case .ownSocketQueue: (queue, DispatchQueue(label: "socket"))
      case .sharedQueue: (queue, queue)
      }
    }
  }

  /// What follows the write.
  enum Follower: String, CaseIterable, Sendable {
    case disconnect, shutdownInsidePerform

    func callAsFunction(_ socket: GCDAsyncSocket) {
      switch self {
      case .disconnect: socket.disconnect()
      case .shutdownInsidePerform: socket.perform { shutdown(socket.socketFD(), Int32(SHUT_WR)) }
      }
    }
  }

  private static let rounds = 200

  /// How many of so many rounds go wrong.
  private static func wrong(_ isRight: () throws -> Bool) rethrows -> Int {
    var wrong = 0
    for _ in 0..<rounds where try !isRight() { wrong += 1 }
    return wrong
  }

  private static func link(
    _ queues: Queues, _ reaction: @escaping RecorderDelegate.Reaction = { _, _ in }
  ) throws -> SocketAndPeer {
    let (queue, socketQueue) = queues.make()
    return try SocketAndPeer(delegate: RecorderDelegate(reaction), queue: queue, socketQueue: socketQueue)
  }

  @Test("a write outside callbacks", arguments: Queues.allCases, Follower.allCases)
  func outside(queues: Queues, follower: Follower) throws {
    let wrong = try Self.wrong {
      let link = try Self.link(queues)
      link.socket.write(data("bye"), withTimeout: -1, tag: 1)
      follower(link.socket)
      return try link.peer.receiveToEnd() == Array("bye".utf8)
    }
    #expect(wrong == 0)
  }

  @Test("a write inside didRead", arguments: Queues.allCases, Follower.allCases)
  func insideRead(queues: Queues, follower: Follower) throws {
    let wrong = try Self.wrong {
      let link = try Self.link(queues) { socket, kind in
        guard kind.isRead else { return }
        socket.write(data("bye"), withTimeout: -1, tag: 1)
        follower(socket)
      }
      link.socket.readData(withTimeout: -1, tag: 0)
      try link.peer.send("x")
      return try link.peer.receiveToEnd() == Array("bye".utf8)
    }
    #expect(wrong == 0)
  }

  @Test("a write inside didConnect", arguments: Queues.allCases, Follower.allCases)
  func insideConnect(queues: Queues, follower: Follower) throws {
    let wrong = try Self.wrong {
      let link = try Self.link(queues) { socket, kind in
        guard case .connected = kind else { return }
        socket.write(data("bye"), withTimeout: -1, tag: 1)
        follower(socket)
      }
      return try link.peer.receiveToEnd() == Array("bye".utf8)
    }
    #expect(wrong == 0)
  }

  @Test("a write to a client that was just accepted", arguments: Queues.allCases, Follower.allCases)
  func insideAccept(queues: Queues, follower: Follower) throws {
    let (queue, socketQueue) = queues.make()
    let childQueue: @Sendable () -> DispatchQueue? = { queues == .noSocketQueue ? nil : queues.make().socket }
    let delegate = RecorderDelegate(
      childQueue: childQueue,
      onAccept: { child in
        child.write(data("421 busy\r\n"), withTimeout: -1, tag: 1)
        follower(child)
      })
    let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: queue, socketQueue: socketQueue)
    try listener.accept(onPort: 0)
    let wrong = try Self.wrong {
      let peer = try RawPeer.connect(port: listener.localPort)
      return try peer.receiveToEnd() == Array("421 busy\r\n".utf8)
    }
    #expect(wrong == 0)
  }

  @Test("twenty answered lines, and disconnect behind the last", arguments: Queues.allCases)
  func answeredLines(queues: Queues) throws {
    let wrong = try Self.wrong {
      let link = try Self.link(queues) { socket, kind in
        guard case .read(let line, let tag) = kind else { return }
        socket.write(line, withTimeout: -1, tag: tag)
        if tag == 19 { return socket.disconnect() }
        socket.readData(to: data("\n"), withTimeout: -1, tag: tag + 1)
      }
      let lines = (0..<20).map { "line \($0)\n" }.joined()
      link.socket.readData(to: data("\n"), withTimeout: -1, tag: 0)
      try link.peer.send(lines)
      return try link.peer.receiveToEnd() == Array(lines.utf8)
    }
    #expect(wrong == 0)
  }

  @Test("the last reference is dropped right after a write", arguments: Queues.allCases)
  func lastReference(queues: Queues) throws {
    let wrong = try Self.wrong {
      var link: SocketAndPeer? = try Self.link(queues)
      let peer = try #require(link?.peer)
      link?.socket.write(data("bye"), withTimeout: -1, tag: 1)
      link = nil
      return try peer.receiveToEnd() == Array("bye".utf8)
    }
    #expect(wrong == 0)
  }

  @Test("a new delegate, set right behind a write, is not told of it (CFG-09)", arguments: Queues.allCases)
  func delegateChange(queues: Queues) throws {
    let wrong = try Self.wrong {
      let second = RecorderDelegate()
      let link = try Self.link(queues) { socket, kind in
        guard kind.isRead else { return }
        socket.write(data("a"), withTimeout: -1, tag: 1)
        socket.delegate = second
        socket.write(data("b"), withTimeout: -1, tag: 2)
      }
      link.socket.readData(withTimeout: -1, tag: 0)
      try link.peer.send("x")
      try second.wait(for: .wrote(tag: 2), of: link.socket)
      guard queues != .ownSocketQueue else { return true }
      return !second.kinds(of: link.socket).contains(.wrote(tag: 1))
    }
    #expect(wrong == 0)
  }

  @Test("the progress of a read is known when the call has returned, also inside a callback (DIAG-11)")
  func progressInsideCallback() throws {
    let seen = Latch()
    let tags = LockedValue<[Int]>([])
    let link = try Self.link(.noSocketQueue) { socket, kind in
      guard kind.isRead else { return }
      socket.readData(toLength: 9, withTimeout: -1, tag: 5)
      var tag = 0
      var total: UInt = 0
      _ = socket.progress(ofReadReturningTag: &tag, bytesDone: nil, total: &total)
      tags.withLock { $0 += [tag, Int(total)] }
      seen.signal()
    }
    link.socket.readData(withTimeout: -1, tag: 0)
    try link.peer.send("x")
    try seen.wait("didRead")
    #expect(tags.withLock { $0 } == [5, 9])
  }

  /// How the bytes get past the library.
  enum Bypass: CaseIterable {
    case perform, performOnSocketQueue, descriptorOnSocketQueue

    func send(_ socket: GCDAsyncSocket, _ socketQueue: DispatchQueue) {
      let send = { _ = Glibc.send(socket.socketFD(), "!", 1, Int32(MSG_NOSIGNAL)) }
      switch self {
      case .perform: socket.perform { send() }
      case .performOnSocketQueue: socketQueue.sync { socket.perform { send() } }
      case .descriptorOnSocketQueue: socketQueue.sync { send() }
      }
    }
  }

  @Test("bytes sent past the library inside perform come behind what was written before", arguments: Queues.allCases)
  func rawSendInsidePerform(queues: Queues) throws {
    let (queue, socketQueue) = queues.make()
    try sendPast(.perform, queue, socketQueue, looksBefore: false)
  }

  @Test("and whoever goes to the socket queue for that, too", arguments: Bypass.allCases, [false, true])
  func rawSendOnTheSocketQueue(bypass: Bypass, looksBefore: Bool) throws {
    try sendPast(bypass, DispatchQueue(label: "delegate"), DispatchQueue(label: "socket"), looksBefore: looksBefore)
  }

  private func sendPast(
    _ bypass: Bypass, _ queue: DispatchQueue, _ socketQueue: DispatchQueue?, looksBefore: Bool
  ) throws {
    let wrong = try Self.wrong {
      let delegate = RecorderDelegate { socket, kind in
        guard kind.isRead else { return }
        for tag in 0..<3 { socket.write(data("\(tag)"), withTimeout: -1, tag: tag) }
        // A look takes up what was put off.
        if looksBefore { _ = socket.progress(ofWriteReturningTag: nil, bytesDone: nil, total: nil) }
        bypass.send(socket, socketQueue ?? queue)
      }
      let link = try SocketAndPeer(delegate: delegate, queue: queue, socketQueue: socketQueue)
      link.socket.readData(withTimeout: -1, tag: 0)
      try link.peer.send("x")
      return try link.peer.receive(4) == Array("012!".utf8)
    }
    #expect(wrong == 0)
  }

  /// Where a callback goes to write and then to bypass the library.
  enum Detour: CaseIterable {
    case socketQueue, nestedPerform, descriptorInPerform

    func write(_ socket: GCDAsyncSocket, _ socketQueue: DispatchQueue) {
      let write = { socket.write(data("012"), withTimeout: -1, tag: 1) }
      let send = { _ = Glibc.send(socket.socketFD(), "!", 1, Int32(MSG_NOSIGNAL)) }
      switch self {
      case .socketQueue:
        socketQueue.sync {
          write()
          socket.perform { send() }
        }
      case .nestedPerform:
        socket.perform {
          write()
          socket.perform { send() }
        }
      case .descriptorInPerform:
        socket.perform {
          write()
          send()
        }
      }
    }
  }

  @Test(
    "nor does what a callback writes on the socket queue or inside perform wait (THR-04)", arguments: Detour.allCases)
  func writeOnTheSocketQueue(detour: Detour) throws {
    let socketQueue = DispatchQueue(label: "socket")
    let wrong = try Self.wrong {
      let delegate = RecorderDelegate { socket, kind in if kind.isRead { detour.write(socket, socketQueue) } }
      let link = try SocketAndPeer(
        delegate: delegate, queue: DispatchQueue(label: "delegate"), socketQueue: socketQueue)
      link.socket.readData(withTimeout: -1, tag: 0)
      try link.peer.send("x")
      return try link.peer.receive(4) == Array("012!".utf8)
    }
    #expect(wrong == 0)
  }

  @Test("a block of perform gets the callbacks of a large write that is about to return (THR-04)")
  func partialWriteDuringPerform() throws {
    let partial = DispatchSemaphore(value: 0)
    let link = try Self.link(.noSocketQueue) { _, kind in if case .wrotePartial = kind { partial.signal() } }
    let bytes = Data(count: 64 << 20)
    // The kernel takes a part of it, and the rest is copied, which takes long: meanwhile the block begins.
    Thread { link.socket.write(bytes, withTimeout: -1, tag: 1) }.start()
    var isTold: DispatchTimeoutResult?
    try eventually("the write has begun") {
      link.socket.perform {
        var done: UInt = 0
        _ = link.socket.progress(ofWriteReturningTag: nil, bytesDone: &done, total: nil)
        if done > 0 { isTold = partial.wait(timeout: .now() + .seconds(30)) }
      }
      return isTold != nil
    }
    #expect(isTold == .success)
  }

  @Test("the write is told before the end that follows it")
  func toldBeforeTheEnd() throws {
    let link = try Self.link(.noSocketQueue) { socket, kind in
      guard kind.isRead else { return }
      socket.write(data("bye"), withTimeout: -1, tag: 7)
      socket.disconnect()
    }
    link.socket.readData(withTimeout: -1, tag: 0)
    try link.peer.send("x")
    try link.delegate.waitForDisconnect(of: link.socket)
    #expect(link.delegate.kinds(of: link.socket).suffix(2) == [.wrote(tag: 7), .disconnected(nil)])
  }
}
