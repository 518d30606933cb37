import CocoaAsyncSocket
import Foundation
import SocketPOSIX
import TestSupport
import Testing

/// User code that takes its time holds up its own socket only (INV-17, THR-04): the loop's thread never waits for it.
@Suite(.serialized) struct IsolationTests {
  enum Queues: String, CaseIterable, Sendable {
    case noSocketQueue, ownSocketQueue, sharedQueue
  }

  /// Echoes everything it reads, on queues of its own.
  private static func echo(_ queues: Queues, queue: DispatchQueue? = nil) throws -> SocketAndPeer {
    let queue = queue ?? DispatchQueue(label: "echo")
    let delegate = RecorderDelegate { socket, kind in
      guard case .read(let bytes, let tag) = kind else { return }
      socket.write(bytes, withTimeout: -1, tag: tag)
      socket.readData(withTimeout: -1, tag: tag + 1)
    }
    let socketQueue: DispatchQueue? =
      switch queues {
      case .noSocketQueue: nil
      case .ownSocketQueue: DispatchQueue(label: "socket")
      case .sharedQueue: queue
      }
    let link = try SocketAndPeer(delegate: delegate, queue: queue, socketQueue: socketQueue)
    link.socket.readData(withTimeout: -1, tag: 0)
    return link
  }

  private static func expectEchoes(_ others: [SocketAndPeer], _ what: String) throws {
    for (index, other) in others.enumerated() {
      for round in 0..<3 {
        try other.peer.send("\(round)")
        #expect(try other.peer.receive(1) == Array("\(round)".utf8), "\(what): socket \(index), round \(round)")
      }
    }
  }

  @Test("a long perform stops nobody else", arguments: Queues.allCases)
  func longPerform(queues: Queues) throws {
    let busy = try Self.echo(queues)
    let others = try (0..<8).map { _ in try Self.echo(.noSocketQueue) } + [Self.echo(queues)]
    let inside = Latch()
    let release = Latch()
    let done = Latch()
    DispatchQueue.global().async {
      busy.socket.perform {
        inside.signal()
        try? release.wait("the others' answers")
      }
      done.signal()
    }
    try inside.wait("perform to begin")
    // Readiness for the busy socket, on every loop.
    try busy.peer.send("b")
    try Self.expectEchoes(others, "beside perform")
    release.signal()
    try done.wait("perform to end")
    #expect(try busy.peer.receive(1) == Array("b".utf8))
    try Self.expectEchoes([busy], "after perform")
  }

  @Test("a perform that waits for another socket's event returns", arguments: Queues.allCases)
  func performThatWaits(queues: Queues) throws {
    let brought = Latch()
    let delegate = RecorderDelegate { _, kind in if kind.isRead { brought.signal() } }
    let other = try SocketAndPeer(delegate: delegate)
    let waiting = try Self.echo(queues)
    for round in 0..<20 {
      other.socket.readData(withTimeout: -1, tag: round)
      waiting.socket.perform {
        try? waiting.peer.send("w")
        try? other.peer.send("o")
        #expect(throws: Never.self, "round \(round)") { try brought.wait("the other socket's bytes") }
      }
      #expect(try waiting.peer.receive(1) == Array("w".utf8))
    }
  }

  @Test("sockets that share the delegate queue go on beside a long perform")
  func sharedDelegateQueue() throws {
    let queue = DispatchQueue(label: "shared delegate")
    let busy = try Self.echo(.noSocketQueue, queue: queue)
    let others = try (0..<4).map { _ in try Self.echo(.noSocketQueue, queue: queue) }
    let inside = Latch()
    let release = Latch()
    let done = Latch()
    // A callback of the busy socket's is on its way when the block begins.
    let gate = try QueueBlocker(blocking: queue)
    busy.socket.write(data("w"), withTimeout: -1, tag: 100)
    DispatchQueue.global().async {
      busy.socket.perform {
        inside.signal()
        try? release.wait("the others' answers")
      }
      done.signal()
    }
    try inside.wait("perform to begin")
    gate.open()
    try Self.expectEchoes(others, "on one delegate queue")
    #expect(busy.delegate.kinds(of: busy.socket).contains(.wrote(tag: 100)))
    release.signal()
    try done.wait("perform to end")
  }

  @Test("a perform that waits for the delegate queue returns, unless a callback calls the socket")
  func performWaitsForDelegateQueue() throws {
    let link = try SocketAndPeer()
    for round in 0..<200 {
      link.socket.readData(withTimeout: -1, tag: round)
      link.socket.write(Data(count: 100), withTimeout: -1, tag: round)
      try link.peer.send("x")
      link.socket.perform { link.queue.sync {} }
      #expect(try link.peer.receive(100).count == 100)
      try link.delegate.wait(for: .read(data("x"), tag: round), of: link.socket)
    }
  }

  @Test("a timeout that comes during a long perform is enforced behind it, and others' in time")
  func timeoutsBesidePerform() throws {
    let busy = try SocketAndPeer()
    let other = try SocketAndPeer()
    let inside = Latch()
    let release = Latch()
    DispatchQueue.global().async {
      busy.socket.perform {
        busy.socket.readData(withTimeout: 0.05, tag: 1)
        inside.signal()
        try? release.wait("the other's timeout")
      }
    }
    try inside.wait("perform to begin")
    other.socket.readData(withTimeout: 0.05, tag: 1)
    try other.delegate.waitForDisconnect(of: other.socket)
    #expect(busy.delegate.disconnectError(of: busy.socket) == nil)
    release.signal()
    try busy.delegate.waitForDisconnect(of: busy.socket)
    #expect(busy.delegate.disconnectError(of: busy.socket)?.isLibrary(.readTimeoutError) == true)
  }

  @Test("a listener accepts while another socket's perform takes long")
  func acceptBesidePerform() throws {
    let busy = try Self.echo(.noSocketQueue)
    let inside = Latch()
    let release = Latch()
    DispatchQueue.global().async {
      busy.socket.perform {
        inside.signal()
        try? release.wait("the clients")
      }
    }
    try inside.wait("perform to begin")
    try busy.peer.send("x")
    let delegate = RecorderDelegate()
    let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "listener"))
    try listener.accept(onPort: 0)
    for index in 0..<4 {
      let peer = try RawPeer.connect(port: listener.localPort)
      _ = try delegate.child(index)
      withExtendedLifetime(peer) {}
    }
    release.signal()
  }

  /// Its end takes until it is allowed.
  private final class SlowToEnd: NSObject, GCDAsyncSocketDelegate, @unchecked Sendable {
    // Unchecked: both are immutable and guard themselves.
    let ending: Latch
    let release: Latch

    init(ending: Latch, release: Latch) {
      self.ending = ending
      self.release = release
    }

    deinit {
      ending.signal()
      try? release.wait("the others' answers")
    }
  }

  @Test("a delegate whose end takes long stops nobody else, whoever lets go of it last")
  func slowEnd() throws {
    let others = try (0..<4).map { _ in try Self.echo(.noSocketQueue) }
    for _ in 0..<200 {
      let ending = Latch()
      let release = Latch()
      let link = try Self.echo(.noSocketQueue)
      var delegate: SlowToEnd? = SlowToEnd(ending: ending, release: release)
      link.socket.delegate = delegate
      // The loop looks at the delegate while the last reference is dropped elsewhere.
      link.socket.readData(toLength: 1000, withTimeout: 100, tag: 1)
      try link.peer.send("abc")
      let dropped = Latch()
      let box = LockedValue(delegate)
      delegate = nil
      DispatchQueue.global().async {
        let last = box.withLock { $0.take() }
        withExtendedLifetime(last) {}
        dropped.signal()
      }
      try ending.wait("the delegate's end")
      try Self.expectEchoes(others, "beside the delegate's end")
      release.signal()
      try dropped.wait("the reference to be dropped")
    }
  }
}
