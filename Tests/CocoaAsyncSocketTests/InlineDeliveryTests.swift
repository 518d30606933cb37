import CocoaAsyncSocket
import Foundation
import Glibc
import SocketPOSIX
import TestSupport
import Testing

/// The loop's thread serves queues itself while that is quick; nobody may notice but by the clock.
@Suite(.serialized) struct InlineDeliveryTests {
  /// Every way to give a socket its queues.
  enum Queues: CaseIterable { case same, separate, two, main, global }

  private static func make(_ queues: Queues) -> (delegate: DispatchQueue, socket: DispatchQueue?) {
    let queue = DispatchQueue(label: "delegate")
    return switch queues {
    case .same: (queue, queue)
    case .separate: (queue, nil)
    case .two: (queue, DispatchQueue(label: "socket"))
    case .main: (.main, nil)
    case .global: (.global(), nil)
    }
  }

  @Test("callbacks run on their queue, whoever serves it", arguments: [Queues.same, .separate, .two, .global])
  func onTheirQueue(queues: Queues) throws {
    let (queue, socketQueue) = Self.make(queues)
    let delegate = RecorderDelegate { socket, kind in
      dispatchPrecondition(condition: .onQueue(queue))
      if case .read(_, let tag) = kind { socket.readData(withTimeout: -1, tag: tag + 1) }
    }
    let link = try SocketAndPeer(delegate: delegate, queue: queue, socketQueue: socketQueue)
    link.socket.readData(withTimeout: -1, tag: 0)
    for round in 0..<200 {
      try link.peer.send("x")
      try eventually("round \(round)") { delegate.kinds(of: link.socket).filter(\.isRead).count == round + 1 }
    }
  }

  @Test(
    "a callback that waits for another socket's event gets it",
    arguments: [Queues.same, .separate, .two], [Queues.same, .separate, .two])
  func callbackThatWaits(waiting: Queues, bringing: Queues) throws {
    let brought = Latch()
    let passed = Latch()
    let other = RecorderDelegate { socket, kind in
      guard kind.isRead else { return }
      brought.signal()
      socket.readData(withTimeout: -1, tag: 0)
    }
    let (otherQueue, otherSocketQueue) = Self.make(bringing)
    let bringer = try SocketAndPeer(delegate: other, queue: otherQueue, socketQueue: otherSocketQueue)
    bringer.socket.readData(withTimeout: -1, tag: 0)
    let delegate = RecorderDelegate { socket, kind in
      guard kind.isRead else { return }
      try? bringer.peer.send("now")
      try? brought.wait("the other socket's bytes")
      passed.signal()
      socket.readData(withTimeout: -1, tag: 0)
    }
    let (queue, socketQueue) = Self.make(waiting)
    let link = try SocketAndPeer(delegate: delegate, queue: queue, socketQueue: socketQueue)
    link.socket.readData(withTimeout: -1, tag: 0)
    for _ in 0..<20 {
      try link.peer.send("x")
      try passed.wait("a callback waits for ever")
    }
  }

  @Test("a queue that is suspended holds up nobody else", arguments: [Queues.same, .separate, .two])
  func suspendedQueue(queues: Queues) throws {
    let (queue, socketQueue) = Self.make(queues)
    let held = try SocketAndPeer(queue: queue, socketQueue: socketQueue)
    let (otherQueue, otherSocketQueue) = Self.make(queues)
    let free = try SocketAndPeer(queue: otherQueue, socketQueue: otherSocketQueue)
    held.socket.readData(withTimeout: -1, tag: 0)
    // A block that runs already is not held up; what the call has put on the queue is done by then.
    queue.sync {}
    queue.suspend()
    try held.peer.send("held")
    for round in 0..<50 {
      free.socket.readData(withTimeout: -1, tag: round)
      try free.peer.send("x")
      try eventually("round \(round)") { free.delegate.kinds(of: free.socket).filter(\.isRead).count == round + 1 }
    }
    #expect(!held.delegate.kinds(of: held.socket).contains { $0.isRead })
    queue.resume()
    try eventually("the held bytes") { held.delegate.kinds(of: held.socket).contains(.read(data("held"), tag: 0)) }
  }

  @Test(
    "what a callback writes leaves though the callback goes on (THR-09)", arguments: [false, true],
    [Queues.separate, .two])
  func writesLeave(amongMany: Bool, queues: Queues) throws {
    let peerRead = Latch()
    let seen = Latch()
    let left = Latch()
    let delegate = RecorderDelegate { socket, kind in
      // Of many completions at once the first callback is still running when the others are in line.
      guard case .wrote(tag: 0) = kind else { return }
      socket.write(data("!"), withTimeout: -1, tag: 1000)
      seen.signal()
      // Less than the peer waits, and told when in vain: that the write leaves behind the callback is no proof.
      if (try? peerRead.wait("the peer got what the callback wrote", limit: 20)) != nil { left.signal() }
    }
    let (queue, socketQueue) = Self.make(queues)
    let link = try SocketAndPeer(delegate: delegate, queue: queue, socketQueue: socketQueue)
    let count = amongMany ? 50 : 1
    let expected = [UInt8](repeating: UInt8(ascii: "x"), count: count) + [UInt8(ascii: "!")]
    // More than once: who has looked after the socket must do so again.
    for round in 1...6 {
      link.socket.perform {
        for tag in 0..<count { link.socket.write(data("x"), withTimeout: -1, tag: tag) }
      }
      try seen.wait("didWrite")
      #expect(try link.peer.receive(count + 1) == expected)
      peerRead.signal()
      try left.wait("the write left while its callback ran", limit: 30)
      try eventually("round \(round) is told") {
        delegate.kinds(of: link.socket).count { $0 == .wrote(tag: 1000) } == round
      }
    }
  }

  @Test(
    "what a callback writes after a long time leaves, too, and what it reads is received",
    arguments: [0, 2000, 50_000], [Queues.separate, .two])
  func lateWritesLeave(microseconds: UInt32, queues: Queues) throws {
    let peerRead = Latch()
    let left = Latch()
    let delegate = RecorderDelegate { socket, kind in
      guard case .read(_, tag: 0) = kind else { return }
      usleep(microseconds)
      socket.write(data("!"), withTimeout: -1, tag: 1)
      socket.readData(withTimeout: -1, tag: 1)
      if (try? peerRead.wait("the peer got what the callback wrote", limit: 20)) != nil { left.signal() }
    }
    let (queue, socketQueue) = Self.make(queues)
    let link = try SocketAndPeer(delegate: delegate, queue: queue, socketQueue: socketQueue)
    for round in 0..<5 {
      link.socket.readData(withTimeout: -1, tag: 0)
      try link.peer.send("x")
      #expect(try link.peer.receive(1) == Array("!".utf8))
      peerRead.signal()
      try left.wait("the write left while its callback ran", limit: 30)
      try link.peer.send("y")
      try eventually("round \(round)") {
        delegate.kinds(of: link.socket).count { $0 == .read(data("y"), tag: 1) } == round + 1
      }
    }
  }

  @Test("what is written when the delegate is asked about a timeout leaves while it thinks (THR-09, TMO-07)")
  func writesAtTimeouts() throws {
    let peerRead = Latch()
    let delegate = RecorderDelegate(timeoutExtension: { socket, _ in
      socket.write(data("!"), withTimeout: -1, tag: 1)
      return (try? peerRead.wait("the peer got what the callback wrote", limit: 20)) == nil ? 0 : 100
    })
    let link = try SocketAndPeer(delegate: delegate, queue: DispatchQueue(label: "delegate"))
    link.socket.readData(toLength: 2, withTimeout: 0.02, tag: 0)
    #expect(try link.peer.receive(1) == Array("!".utf8))
    peerRead.signal()
    try link.peer.send("ok")
    try eventually("the read goes on") { delegate.kinds(of: link.socket).contains(.read(data("ok"), tag: 0)) }
  }

  @Test("many sockets that share a queue echo whole and in order", arguments: [Queues.same, .separate, .two])
  func manyEcho(queues: Queues) throws {
    let (queue, socketQueue) = Self.make(queues)
    let delegate = RecorderDelegate { socket, kind in
      guard case .read(let bytes, let tag) = kind else { return }
      dispatchPrecondition(condition: .onQueue(queue))
      socket.write(bytes, withTimeout: -1, tag: tag)
      // Now and then with a timeout, which is no matter for the fast path.
      socket.readData(withTimeout: tag % 7 == 6 ? 100 : -1, tag: tag + 1)
    }
    let links = try (0..<20).map { _ in
      try SocketAndPeer(delegate: delegate, queue: queue, socketQueue: socketQueue)
    }
    for link in links { link.socket.readData(withTimeout: -1, tag: 0) }
    for round in 0..<30 {
      for (index, link) in links.enumerated() { try link.peer.send("\(round),\(index);") }
      for (index, link) in links.enumerated() {
        let expected = Array("\(round),\(index);".utf8)
        #expect(try link.peer.receive(expected.count) == expected)
      }
    }
    try eventually("all writes are told") {
      links.allSatisfy { link in
        let kinds = delegate.kinds(of: link.socket)
        return kinds.count(where: \.isRead) == kinds.count { if case .wrote = $0 { true } else { false } }
      }
    }
  }

  @Test(
    "reads that were queued before are all served by what came at once",
    arguments: [Queues.same, .separate, .two])
  func readsAhead(queues: Queues) throws {
    let (queue, socketQueue) = Self.make(queues)
    let delegate = RecorderDelegate()
    let links = try (0..<8).map { _ in
      try SocketAndPeer(delegate: delegate, queue: queue, socketQueue: socketQueue)
    }
    for round in 0..<20 {
      for link in links { for tag in 0..<3 { link.socket.readData(toLength: 2, withTimeout: -1, tag: tag) } }
      for link in links { try link.peer.send("aabbcc") }
      try eventually("round \(round)") {
        links.allSatisfy { delegate.kinds(of: $0.socket).filter(\.isRead).count == 3 * (round + 1) }
      }
    }
  }

  @Test("reads that are queued in didRead come one after the other, in order and whole", arguments: Queues.allCases)
  func linesInOrder(queues: Queues) throws {
    guard queues != .main else { return }
    let lines = (0..<3000).map { "line \($0) " + String(repeating: "-", count: $0 % 90) + "\r\n" }
    let (queue, socketQueue) = Self.make(queues)
    let delegate = RecorderDelegate { socket, kind in
      if case .read(_, let tag) = kind {
        socket.readData(to: GCDAsyncSocket.crlfData(), withTimeout: -1, tag: tag + 1)
      }
    }
    let link = try SocketAndPeer(delegate: delegate, queue: queue, socketQueue: socketQueue)
    link.socket.readData(to: GCDAsyncSocket.crlfData(), withTimeout: -1, tag: 0)
    let text = Array(lines.joined().utf8)
    var sent = 0
    while sent < text.count {
      let piece = min(text.count - sent, 1 + (sent * 7919) % 5000)
      try link.peer.send(Array(text[sent..<(sent + piece)]))
      sent += piece
    }
    try eventually("all lines") { delegate.kinds(of: link.socket).filter(\.isRead).count == lines.count }
    let expected = lines.enumerated().map { Occurrence.Kind.read(data($1), tag: $0) }
    #expect(delegate.kinds(of: link.socket).filter(\.isRead) == expected)
  }

  @Test("a large write is captured when the call returns (WR-07)", arguments: [Queues.same, .separate, .two])
  func largeWriteIsCaptured(queues: Queues) throws {
    let (queue, socketQueue) = Self.make(queues)
    let link = try SocketAndPeer(queue: queue, socketQueue: socketQueue)
    // More than the kernel buffers: a part is taken in the call, the rest later.
    let size = 8 << 20
    let expected = [UInt8](unsafeUninitializedCapacity: size) { memory, count in
      let unit = countingBytes(1 << 16)
      for start in stride(from: 0, to: size, by: unit.count) {
        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(memory)[start...]).copyBytes(from: unit)
      }
      count = size
    }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    defer { memory.deallocate() }
    expected.withUnsafeBytes { memory.copyMemory(from: $0) }
    let base = try #require(memory.baseAddress)
    link.socket.write(Data(bytesNoCopy: base, count: size, deallocator: .none), withTimeout: -1, tag: 1)
    memset(base, 0, size)
    #expect(try link.peer.receive(size) == expected)
  }

  @Test("a delegate that is changed between reads gets its own (CFG-09)")
  func delegateChanges() throws {
    let second = RecorderDelegate { socket, kind in
      if case .read(_, let tag) = kind {
        socket.readData(to: GCDAsyncSocket.lfData(), withTimeout: -1, tag: tag + 1)
      }
    }
    let first = RecorderDelegate { socket, kind in
      guard case .read(_, let tag) = kind else { return }
      if tag == 4 { socket.delegate = second }
      socket.readData(to: GCDAsyncSocket.lfData(), withTimeout: -1, tag: tag + 1)
    }
    let link = try SocketAndPeer(delegate: first)
    link.socket.readData(to: GCDAsyncSocket.lfData(), withTimeout: -1, tag: 0)
    try link.peer.send((0..<10).map { "\($0)\n" }.joined())
    try eventually("all lines") { second.kinds(of: link.socket).filter(\.isRead).count == 5 }
    #expect(first.kinds(of: link.socket).filter(\.isRead) == (0...4).map { .read(data("\($0)\n"), tag: $0) })
    #expect(second.kinds(of: link.socket).filter(\.isRead) == (5...9).map { .read(data("\($0)\n"), tag: $0) })
  }

  @Test("sockets that share a queue know it as theirs, and marks are each socket's own (THR-11)")
  func sharedQueues() throws {
    let target = DispatchQueue(label: "target")
    let queue = DispatchQueue(label: "socket", target: target)
    let sockets = (0..<3).map { _ in GCDAsyncSocket(socketQueue: queue) }
    func isInline(_ socket: GCDAsyncSocket, on place: DispatchQueue) -> Bool {
      place.sync { !socket.isConnected && socket.socketFD() == -1 }
    }
    for socket in sockets { #expect(isInline(socket, on: queue)) }
    sockets[0].markSocketQueueTargetQueue(target)
    sockets[1].markSocketQueueTargetQueue(target)
    sockets[0].unmarkSocketQueueTargetQueue(target)
    var order: [Int] = []
    // On the marked target queue `perform` runs inline; a hop would wait for itself.
    target.sync { sockets[1].perform { order.append(1) } }
    #expect(order == [1])
  }
}
