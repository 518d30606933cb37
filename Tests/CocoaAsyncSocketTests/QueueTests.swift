import CocoaAsyncSocket
import Foundation
import Glibc
import SocketPOSIX
import TestSupport
import Testing

/// Socket queues, delegate queues, and what is exclusive to `perform` (THR).
@Suite struct QueueTests {
  // MARK: perform

  @Test("perform is synchronous and nests (THR-04)", arguments: [false, true])
  func performNests(hasQueue: Bool) {
    let queue = DispatchQueue(label: "socket")
    let socket = GCDAsyncSocket(socketQueue: hasQueue ? queue : nil)
    var order: [Int] = []
    socket.perform {
      // The queue of the initialiser is the socket's own (LIFE-24).
      if hasQueue { dispatchPrecondition(condition: .onQueue(queue)) }
      order.append(1)
      socket.perform {
        order.append(2)
        socket.perform { order.append(3) }
      }
      order.append(4)
    }
    order.append(5)
    #expect(order == [1, 2, 3, 4, 5])
  }

  /// A queue that the thread waits for hides which queue it came from.
  @Test("perform nests through another queue that the thread waits for (THR-04)", arguments: [false, true])
  func performNestsThroughAnotherQueue(inCallback: Bool) throws {
    let queue = DispatchQueue(label: "socket")
    let other = DispatchQueue(label: "other")
    let isOver = Latch()
    @Sendable func nest(_ socket: GCDAsyncSocket) {
      other.sync { socket.perform {} }
      isOver.signal()
    }
    let delegate = RecorderDelegate { socket, kind in
      if inCallback, case .connected = kind { nest(socket) }
    }
    let accepting = RecorderDelegate()
    let listener = GCDAsyncSocket(delegate: accepting, delegateQueue: DispatchQueue(label: "listener"))
    try listener.accept(onPort: 0)
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: queue, socketQueue: queue)
    if inCallback {
      try socket.connect(toHost: "127.0.0.1", onPort: listener.localPort)
    } else {
      DispatchQueue.global().async { socket.perform { nest(socket) } }
    }
    try isOver.wait("the inner perform to return")
  }

  /// The callbacks that `disconnect` delivers inside of one are over before it is.
  @Test("perform nests in a callback that has delivered others inside of disconnect (THR-04)")
  func performNestsBehindAnEndThatWasDelivered() throws {
    let queue = DispatchQueue(label: "socket")
    let other = DispatchQueue(label: "other")
    let isOver = Latch()
    let delegate = RecorderDelegate { socket, kind in
      guard case .connected = kind else { return }
      socket.notifiesDisconnectBeforeReturning = true
      socket.disconnect()
      other.sync { socket.perform {} }
      isOver.signal()
    }
    let accepting = RecorderDelegate()
    let listener = GCDAsyncSocket(delegate: accepting, delegateQueue: DispatchQueue(label: "listener"))
    try listener.accept(onPort: 0)
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: queue, socketQueue: queue)
    try socket.connect(toHost: "127.0.0.1", onPort: listener.localPort)
    try isOver.wait("the inner perform to return")
    withExtendedLifetime((socket, accepting)) {}
  }

  /// The end that a callback has delivered inside of itself has been told: nobody waits for the rest of that callback.
  @Test("disconnect waits for no callback that has delivered the end and goes on (INV-12)")
  func nobodyWaitsForACallbackThatGoesOn() throws {
    let (isOver, hasReturned) = (Latch(), Latch())
    let delegate = RecorderDelegate { socket, kind in
      guard case .connected = kind else { return }
      socket.notifiesDisconnectBeforeReturning = true
      socket.disconnect()
      Thread.detachNewThread {
        socket.disconnect()
        hasReturned.signal()
      }
      do { try hasReturned.wait("the other thread's disconnect") } catch { Issue.record(error) }
      isOver.signal()
    }
    let accepting = RecorderDelegate()
    let listener = GCDAsyncSocket(delegate: accepting, delegateQueue: DispatchQueue(label: "listener"))
    try listener.accept(onPort: 0)
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    try socket.connect(toHost: "127.0.0.1", onPort: listener.localPort)
    try isOver.wait("the callback")
    withExtendedLifetime((socket, accepting)) {}
  }

  /// What `disconnect` delivers on the queue does not wait for a block of `perform` that waits for the queue.
  @Test("disconnect that notifies and perform do not wait for each other (INV-12)")
  func notificationAndPerform() throws {
    let queue = DispatchQueue(label: "delegate")
    let link = try SocketAndPeer(delegate: RecorderDelegate(), queue: queue)
    link.socket.notifiesDisconnectBeforeReturning = true
    let (ended, performed) = (Latch(), Latch())
    let gate = try QueueBlocker(blocking: queue)
    Thread.detachNewThread {
      link.socket.disconnect()
      ended.signal()
    }
    usleep(20_000)
    Thread.detachNewThread {
      link.socket.perform { queue.sync {} }
      performed.signal()
    }
    usleep(20_000)
    gate.open()
    try ended.wait("disconnect")
    try performed.wait("perform")
  }

  /// It may be taken back while `disconnect` is about to deliver on its own queue, for which it must not wait.
  @Test("notifiesDisconnectBeforeReturning is set from other threads at any time (THR-01)")
  func notificationIsToggled() throws {
    let queue = DispatchQueue(label: "delegate")
    let (accepting, delegate) = (RecorderDelegate(), RecorderDelegate())
    let listener = GCDAsyncSocket(delegate: accepting, delegateQueue: DispatchQueue(label: "listener"))
    try listener.accept(onPort: 0)
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: queue)
    let isStopped = LockedValue(false)
    let toggler = Thread {
      while !isStopped.withLock({ $0 }) { socket.notifiesDisconnectBeforeReturning.toggle() }
    }
    toggler.start()
    for _ in 0..<300 {
      try queue.sync {
        try socket.connect(toHost: "127.0.0.1", onPort: listener.localPort)
        socket.disconnect()
      }
      #expect(socket.isDisconnected)
    }
    isStopped.withLock { $0 = true }
    withExtendedLifetime((accepting, delegate)) {}
  }

  @Test("a descriptor that was had inside perform is not kept for anybody outside (THR-18)")
  func descriptorsOutside() throws {
    let pair = try SocketPair()
    func identity(_ descriptor: Int32) -> ino_t? {
      var facts = stat()
      return fstat(descriptor, &facts) == 0 ? facts.st_ino : nil
    }
    var descriptor: Int32 = -1
    var inside: ino_t?
    pair.client.perform {
      descriptor = pair.client.socketFD()
      inside = identity(descriptor)
    }
    #expect(inside != nil)
    pair.client.disconnect()
    // Another test may have its number by now.
    #expect(identity(descriptor) != inside)
  }

  @Test("descriptors are told inside perform only, by family (THR-05, THR-06, THR-07)")
  func descriptorsInside() throws {
    func inside(_ socket: GCDAsyncSocket) -> [Int32] {
      var found: [Int32] = []
      socket.perform { found = [socket.socketFD(), socket.socket4FD(), socket.socket6FD()] }
      #expect([socket.socketFD(), socket.socket4FD(), socket.socket6FD()] == [-1, -1, -1])
      return found
    }
    func isOpen(_ descriptor: Int32) -> Bool { descriptor >= 0 && fcntl(descriptor, F_GETFD) >= 0 }

    let pair = try SocketPair()
    let both = inside(pair.listener)
    #expect(both[0] == both[1] && both[1] != both[2] && both.allSatisfy(isOpen))
    for socket in [pair.client, pair.server] {
      let found = inside(socket)
      #expect(found[0] == found[1] && isOpen(found[0]) && found[2] == -1)
      // Accepted and connected descriptors don't block and don't leak into other programs (ACC-41).
      socket.perform {
        #expect(fcntl(socket.socketFD(), F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(socket.socketFD(), F_GETFD) & FD_CLOEXEC != 0)
      }
    }
    pair.client.disconnect()
    #expect(inside(pair.client) == [-1, -1, -1])

    let six = try SocketAndPeer(family: .ipv6)
    let found = inside(six.socket)
    #expect(found[0] == found[2] && isOpen(found[0]) && found[1] == -1)

    let path = freshSocketPath()
    let delegate = RecorderDelegate()
    let unix = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    try unix.accept(on: URL(fileURLWithPath: path))
    #expect(isOpen(inside(unix)[0]) && inside(unix)[1...] == [-1, -1])
    let client = try RawPeer.connect(path: path)
    let child = try delegate.child()
    #expect(isOpen(inside(child)[0]))
    unix.disconnect()
    client.close()
  }

  @Test("options set inside perform stay (THR-08)")
  func optionsStay() throws {
    let link = try SocketAndPeer()
    link.socket.perform {
      // The library's own choice is the other one.
      var off: Int32 = 0
      setsockopt(
        link.socket.socketFD(), Int32(IPPROTO_TCP), TCP_NODELAY, &off, socklen_t(MemoryLayout<Int32>.size))
    }
    link.socket.write(data("x"), withTimeout: -1, tag: 0)
    #expect(try link.peer.receive(1) == [UInt8(ascii: "x")])
    var value: Int32 = -1
    link.socket.perform {
      var size = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(link.socket.socketFD(), Int32(IPPROTO_TCP), TCP_NODELAY, &value, &size)
    }
    #expect(value == 0)
  }

  @Test("starting and disconnecting inside perform (THR-13)", arguments: [false, true])
  func startInside(hasQueue: Bool) throws {
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(
      delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"),
      socketQueue: hasQueue ? DispatchQueue(label: "socket") : nil)
    let listener = try RawListener()
    var failure: (any Error)?
    socket.perform {
      do {
        try socket.accept(onPort: 0)
        #expect(socket.localPort != 0 && socket.socketFD() >= 0)
        socket.disconnect()
        #expect(socket.socketFD() == -1 && socket.isDisconnected)
        try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
        socket.write(data("inside"), withTimeout: -1, tag: 1)
      } catch { failure = error }
    }
    #expect(failure == nil)
    let peer = try listener.accept()
    #expect(try peer.receive(6) == Array("inside".utf8))
    try delegate.waitForConnect(of: socket)
    socket.perform { socket.disconnect() }
    #expect(try peer.ending() == .endOfStream)
    try delegate.waitForDisconnect(of: socket, times: 2)
  }

  @Test("a marked target queue counts as the socket queue (THR-11)")
  func targetQueue() throws {
    let target = DispatchQueue(label: "target")
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(
      delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"),
      socketQueue: DispatchQueue(label: "socket", target: target))
    let listener = try RawListener()
    try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
    let peer = try listener.accept()
    try delegate.waitForConnect(of: socket)
    socket.markSocketQueueTargetQueue(target)
    let done = Latch()
    target.async {
      var descriptor: Int32 = -1
      socket.perform { descriptor = socket.socketFD() }
      #expect(descriptor >= 0 && socket.isConnected)
      socket.write(data("from the target"), withTimeout: -1, tag: 1)
      done.signal()
    }
    try done.wait("code on the marked target queue")
    #expect(try peer.receive(15) == Array("from the target".utf8))
    socket.unmarkSocketQueueTargetQueue(target)
    target.sync { #expect(socket.socketFD() == -1) }
  }

  @Test("input and output happen on the given socket queue: a blocked queue stops them (THR-12)")
  func blockedSocketQueue() throws {
    let socketQueue = DispatchQueue(label: "socket")
    let link = try SocketAndPeer(socketQueue: socketQueue)
    let gate = try QueueBlocker(blocking: socketQueue)
    link.socket.readData(toLength: 2, withTimeout: -1, tag: 1)
    link.socket.write(data("out"), withTimeout: -1, tag: 2)
    try link.peer.send("in")
    #expect(stays(for: 0.2) { link.delegate.occurrences.count == 1 })
    #expect(throws: WaitFailure.self) { try link.peer.receiveSome(within: 0.05) }
    gate.open()
    #expect(try link.delegate.bytes(ofRead: 1, of: link.socket) == data("in"))
    #expect(try link.peer.receive(3) == Array("out".utf8))
  }

  @Test("nor does an accepted connection do anything before its blocked queue is free (THR-12)")
  func childWithABlockedSocketQueue() throws {
    let socketQueue = DispatchQueue(label: "socket")
    let gate = try QueueBlocker(blocking: socketQueue)
    let delegate = RecorderDelegate(
      childQueue: { socketQueue },
      onAccept: { child in
        child.readData(toLength: 2, withTimeout: -1, tag: 1)
        child.write(data("out"), withTimeout: -1, tag: 2)
      })
    let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    try listener.accept(onPort: 0)
    let peer = try RawPeer.connect(port: listener.localPort)
    try peer.send("in")
    try delegate.wait("accepted", count: 1) { $0.kind == .accepted }
    #expect(throws: WaitFailure.self) { try peer.receiveSome(within: 0.2) }
    gate.open()
    #expect(try peer.receive(3) == Array("out".utf8))
    listener.disconnect()
  }

  @Test("a blocked delegate queue does not stop output that is queued (THR-09)")
  func blockedDelegateQueue() throws {
    let link = try SocketAndPeer()
    let gate = try QueueBlocker(blocking: link.queue)
    let bytes = countingBytes(4 << 20)
    link.socket.write(Data(bytes), withTimeout: -1, tag: 1)
    link.socket.write(data("end"), withTimeout: -1, tag: 2)
    #expect(try link.peer.receive(bytes.count) == bytes)
    #expect(try link.peer.receive(3) == Array("end".utf8))
    gate.open()
    try link.delegate.wait(for: .wrote(tag: 2), of: link.socket)
  }

  @Test("readiness of a connection that is over, still waiting for the socket queue, does not meet the next (INV-18)")
  func staleReadiness() throws {
    let path = freshSocketPath()
    let listener = try RawListener(path: path)
    defer { unlink(path) }
    let socketQueue = DispatchQueue(label: "socket")
    let link = try SocketAndPeer(socketQueue: socketQueue)
    link.socket.autoDisconnectOnClosedReadStream = false
    let gate = try QueueBlocker(blocking: socketQueue)
    link.peer.reset()
    // Time for the loop to hear of the reset; the queue hears of it only after the next connection is there.
    _ = stays(for: 0.1) { true }
    link.socket.disconnect()
    try link.socket.connect(to: URL(fileURLWithPath: path), withTimeout: -1)
    #expect(link.socket.isConnected)
    gate.open()
    let second = try listener.accept()
    second.finish()
    try link.delegate.wait("the end of the second connection") {
      if case .readStreamClosed = $0.kind { true } else { $0.kind != .disconnected(nil) && $0.isDisconnect }
    }
    #expect(link.delegate.kinds(of: link.socket).last == .readStreamClosed)
    #expect(link.socket.isConnected)
  }

  // MARK: Swapping

  @Test("events before a swap go to the old target, events after it to the new one (CFG-09, CFG-17, THR-10)")
  func swapSplitsEvents() throws {
    let link = try SocketAndPeer()
    let new = RecorderDelegate()
    let gate = try QueueBlocker(blocking: link.queue)
    for tag in 1...6 { link.socket.readData(toLength: 1, withTimeout: -1, tag: tag) }
    try link.peer.send("abc")
    try eventually("three reads are done") { link.socket.description.contains("reads: 3") }
    link.socket.setDelegate(new, delegateQueue: DispatchQueue(label: "new"))
    try link.peer.send("def")
    #expect(try new.bytes(ofRead: 6, of: link.socket) == data("f"))
    #expect(link.delegate.count { $0.isRead } == 0)
    link.socket.disconnect()
    // The end is the last event of all, so it waits for the former queue too (INV-02, DIS-04).
    #expect(stays(for: 0.05) { new.count { $0.isDisconnect } == 0 })
    gate.open()
    try new.waitForDisconnect(of: link.socket)
    #expect(link.delegate.count { $0.isRead } == 3)
    func tags(_ delegate: RecorderDelegate) -> [Int] {
      delegate.occurrences.compactMap { if case .read(_, let tag) = $0.kind { tag } else { nil } }
    }
    #expect(tags(link.delegate) == [1, 2, 3])
    #expect(tags(new) == [4, 5, 6])
    #expect(link.delegate.count { $0.isDisconnect } == 0)
  }

  @Test("without a delegate or without a queue a connection lives on and reads go nowhere (CFG-11, TMO-16)")
  func withoutDelegate() throws {
    for part in 0..<2 {
      let link = try SocketAndPeer()
      if part == 0 { link.socket.delegate = nil } else { link.socket.delegateQueue = nil }
      link.socket.readData(toLength: 3, withTimeout: -1, tag: 1)
      try link.peer.send("abcdef")
      link.socket.write(data("alive"), withTimeout: -1, tag: 2)
      #expect(try link.peer.receive(5) == Array("alive".utf8))
      try eventually("the read is consumed") { link.socket.description.contains("reads: 0") }
      link.socket.readData(toLength: 10, withTimeout: 0.05, tag: 3)
      // Unread bytes may make the close a reset.
      _ = try link.peer.ending()
      try eventually("the socket is disconnected") { link.socket.isDisconnected }
      link.queue.sync {}
      #expect(link.delegate.occurrences.count == 1)
    }
  }

  // MARK: Children

  @Test("200 children on one socket queue all echo (ACC-24, ACC-25)")
  func manyChildrenOnOneQueue() throws {
    let mark = DispatchSpecificKey<Bool>()
    let shared = DispatchQueue(label: "all children")
    shared.setSpecific(key: mark, value: true)
    let addresses = LockedValue<[UInt16]>([])
    let delegate = RecorderDelegate(
      childQueue: { shared },
      onAccept: { child in
        var isMarked = false
        child.perform { isMarked = DispatchQueue.getSpecific(key: mark) == true }
        #expect(isMarked)
        child.readData(toLength: 8, withTimeout: -1, tag: 1)
      },
      reaction: { socket, kind in
        switch kind {
        case .read(let bytes, _): socket.write(bytes, withTimeout: -1, tag: 1)
        case .childQueue(let address):
          addresses.withLock { $0.append(GCDAsyncSocket.port(fromAddress: address)) }
        default: break
        }
      })
    let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    try listener.accept(onPort: 0)
    let peers = try (0..<200).map { _ in try RawPeer.connect(port: listener.localPort) }
    for (index, peer) in peers.enumerated() { try peer.send(String(format: "%08d", index)) }
    for (index, peer) in peers.enumerated() {
      #expect(try peer.receive(8) == Array(String(format: "%08d", index).utf8))
    }
    #expect(addresses.withLock { Set($0) } == Set(peers.map(\.localPort)))
  }

  struct ChildRow: Sendable, CustomTestStringConvertible {
    let name: String
    let sharesQueues: Bool
    let keeps: Bool
    var testDescription: String { name }
  }

  @Test(
    "a child that is disconnected inside didAccept closes, without a read (ACC-27)",
    arguments: [
      ChildRow(name: "own queues", sharesQueues: false, keeps: true),
      ChildRow(name: "delegate queue is socket queue", sharesQueues: true, keeps: true),
      ChildRow(name: "own queues, not kept", sharesQueues: false, keeps: false),
      ChildRow(name: "delegate queue is socket queue, not kept", sharesQueues: true, keeps: false),
    ])
  func disconnectInsideAccept(_ row: ChildRow) throws {
    let queue = DispatchQueue(label: "delegate")
    let delegate = RecorderDelegate(
      keepsChildren: row.keeps, childQueue: { row.sharesQueues ? queue : nil },
      onAccept: { child in
        child.readData(withTimeout: -1, tag: 1)
        child.write(data("never mind"), withTimeout: -1, tag: 1)
        child.disconnect()
        #expect(child.isDisconnected)
      })
    let listener = GCDAsyncSocket(
      delegate: delegate, delegateQueue: queue, socketQueue: row.sharesQueues ? queue : nil)
    try listener.accept(onPort: 0)
    for _ in 0..<200 {
      let peer = try RawPeer.connect(port: listener.localPort)
      _ = try peer.ending()
    }
    #expect(delegate.count { $0.isRead } == 0)
    if row.keeps {
      try delegate.wait("didDisconnect of each child", count: 200) { $0.isDisconnect }
      queue.sync {}
      #expect(delegate.count { $0.isDisconnect } == 200)
    }
  }

  @Test("a child that is closed and started anew inside didAccept is an ordinary socket")
  func restartInsideAccept() throws {
    let elsewhere = try RawListener()
    let failures = LockedValue<[String]>([])
    let delegate = RecorderDelegate(onAccept: { child in
      child.disconnect()
      do {
        try child.connect(toHost: "127.0.0.1", onPort: elsewhere.port)
        try eventually("connected inside didAccept", limit: 20) { child.isConnected }
      } catch { failures.withLock { $0.append("\(error)") } }
      child.readData(toLength: 2, withTimeout: -1, tag: 9)
    })
    let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    try listener.accept(onPort: 0)
    let client = try RawPeer.connect(port: listener.localPort)
    _ = try client.ending()
    let peer = try elsewhere.accept()
    let child = try delegate.child()
    try delegate.waitForConnect(of: child)
    try peer.send("ok")
    #expect(try delegate.bytes(ofRead: 9, of: child) == data("ok"))
    #expect(failures.withLock { $0 } == [])
    #expect(child.isConnected)
  }

  @Test("a child gets its own target inside didAccept before any event of its own (ACC-23, ACC-26)")
  func retargetInsideAccept() throws {
    let childDelegate = RecorderDelegate()
    let childQueue = DispatchQueue(label: "child")
    let inside = Latch()
    let delegate = RecorderDelegate(onAccept: { child in
      child.readData(toLength: 2, withTimeout: -1, tag: 1)
      // The bytes are there before the new target is.
      try? inside.wait("the client to have sent")
      child.setDelegate(childDelegate, delegateQueue: childQueue)
    })
    let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    try listener.accept(onPort: 0)
    let peer = try RawPeer.connect(port: listener.localPort)
    try peer.send("hi")
    inside.signal()
    let child = try delegate.child()
    #expect(try childDelegate.bytes(ofRead: 1, of: child) == data("hi"))
    #expect(delegate.kinds(of: child).isEmpty)
  }

  @Test("what happens after a synchronous change of delegate and queue goes to the new ones (CFG-10)")
  func synchronousChange() throws {
    for round in 0..<50 {
      let link = try SocketAndPeer()
      link.socket.readData(toLength: 1, withTimeout: -1, tag: round)
      let queue = DispatchQueue(label: "new")
      let key = DispatchSpecificKey<Bool>()
      queue.setSpecific(key: key, value: true)
      let isOnNewQueue = LockedValue(false)
      let delegate = RecorderDelegate { _, kind in
        if kind.isRead { isOnNewQueue.withLock { $0 = DispatchQueue.getSpecific(key: key) == true } }
      }
      switch round % 3 {
      case 0: link.socket.synchronouslySetDelegate(delegate, delegateQueue: queue)
      case 1:
        link.socket.synchronouslySetDelegateQueue(queue)
        link.socket.synchronouslySetDelegate(delegate)
      default:
        link.socket.synchronouslySetDelegate(delegate)
        link.socket.synchronouslySetDelegateQueue(queue)
      }
      // The event is made when the call has returned, and not before.
      try link.peer.send("x")
      #expect(try delegate.bytes(ofRead: round, of: link.socket) == data("x"))
      queue.sync {}
      #expect(isOnNewQueue.withLock { $0 } && !link.delegate.occurrences.contains(where: \.isRead))
    }
  }
}
