import CocoaAsyncSocket
import Foundation
import SocketPOSIX
import TestSupport
import Testing

/// When didDisconnect runs, seen from whoever disconnects (D-01, DIS-03, DIS-04, LIFE-16, LIFE-17).
@Suite struct DisconnectNotificationTests {
  enum Caller: String, CaseIterable, Sendable {
    case delegateQueue, otherQueue, insidePerform, socketQueue
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let notifies: Bool
    let caller: Caller
    /// Delegate queue and socket queue are one.
    let sharesQueues: Bool
    /// Whether didDisconnect has run when `disconnect()` returns; nil: the contract leaves it open.
    let hasRun: Bool?
    var testDescription: String {
      "\(notifies ? "notifying" : "default"), called \(caller.rawValue)\(sharesQueues ? ", one queue for both" : "")"
    }
  }

  static let rows: [Row] = [
    Row(notifies: false, caller: .delegateQueue, sharesQueues: false, hasRun: false),
    Row(notifies: false, caller: .otherQueue, sharesQueues: false, hasRun: nil),
    Row(notifies: false, caller: .insidePerform, sharesQueues: false, hasRun: nil),
    Row(notifies: false, caller: .socketQueue, sharesQueues: false, hasRun: nil),
    Row(notifies: false, caller: .delegateQueue, sharesQueues: true, hasRun: false),
    Row(notifies: false, caller: .otherQueue, sharesQueues: true, hasRun: nil),
    Row(notifies: true, caller: .delegateQueue, sharesQueues: false, hasRun: true),
    Row(notifies: true, caller: .otherQueue, sharesQueues: false, hasRun: true),
    Row(notifies: true, caller: .insidePerform, sharesQueues: false, hasRun: nil),
    Row(notifies: true, caller: .socketQueue, sharesQueues: false, hasRun: nil),
    Row(notifies: true, caller: .delegateQueue, sharesQueues: true, hasRun: nil),
    Row(notifies: true, caller: .otherQueue, sharesQueues: true, hasRun: true),
    Row(notifies: true, caller: .insidePerform, sharesQueues: true, hasRun: nil),
  ]

  @Test("didDisconnect comes once, with a nil error, and when the setting says so", arguments: rows)
  func whenItRuns(_ row: Row) throws {
    let queue = DispatchQueue(label: "delegate")
    let socketQueue: DispatchQueue? =
      row.sharesQueues ? queue : row.caller == .socketQueue ? DispatchQueue(label: "socket") : nil
    let link = try SocketAndPeer(queue: queue, socketQueue: socketQueue)
    let (socket, delegate) = (link.socket, link.delegate)
    socket.notifiesDisconnectBeforeReturning = row.notifies
    let returned = Latch()
    let ran = LockedValue<Bool?>(nil)
    let work: @Sendable () -> Void = {
      socket.disconnect()
      let seen = delegate.count { $0.isDisconnect } == 1
      ran.withLock { $0 = seen }
      #expect(socket.isDisconnected && !socket.isConnected)
      returned.signal()
    }
    switch row.caller {
    case .delegateQueue: queue.async(execute: work)
    case .otherQueue: DispatchQueue(label: "other").async(execute: work)
    case .insidePerform: DispatchQueue(label: "other").async { socket.perform(work) }
    case .socketQueue: socketQueue?.async(execute: work)
    }
    try returned.wait("disconnect to return")
    if let hasRun = row.hasRun { #expect(ran.withLock { $0 } == hasRun) }
    try delegate.waitForDisconnect(of: socket)
    #expect(delegate.disconnectError(of: socket) == nil)
    socket.disconnect()
    queue.sync {}
    #expect(delegate.count { $0.isDisconnect } == 1)
    #expect(try link.peer.ending() == .endOfStream)
  }

  @Test("disconnect inside a callback", arguments: [false, true])
  func insideCallback(notifies: Bool) throws {
    let seen = LockedValue<[Bool]>([])
    let holder = LockedValue<RecorderDelegate?>(nil)
    let delegate = RecorderDelegate { socket, kind in
      guard case .read = kind else { return }
      socket.disconnect()
      let ended = holder.withLock { $0?.count { $0.isDisconnect } } == 1
      seen.withLock { $0.append(ended) }
    }
    holder.withLock { $0 = delegate }
    let link = try SocketAndPeer(delegate: delegate)
    link.socket.notifiesDisconnectBeforeReturning = notifies
    link.socket.readData(toLength: 1, withTimeout: -1, tag: 1)
    link.socket.readData(toLength: 1, withTimeout: -1, tag: 2)
    try link.peer.send("a")
    try delegate.waitForDisconnect(of: link.socket)
    try eventually("the callback returned") { seen.withLock { $0.count } == 1 }
    #expect(seen.withLock { $0 } == [notifies])
    holder.withLock { $0 = nil }
  }

  @Test(
    "where the delegate queue may wait for the caller, a notifying disconnect returns without it (DIS-03)",
    arguments: [Caller.socketQueue, .insidePerform])
  func delegateQueueWaits(for caller: Caller) throws {
    let socketQueue = DispatchQueue(label: "socket")
    let link = try SocketAndPeer(socketQueue: socketQueue)
    let (socket, delegate) = (link.socket, link.delegate)
    socket.notifiesDisconnectBeforeReturning = true
    let isBlocked = Latch()
    let isInside = Latch()
    let returned = Latch()
    let inside: @Sendable () -> Void = {
      isInside.signal()
      do { try isBlocked.wait("the delegate queue to wait for this block") } catch { Issue.record(error) }
      socket.disconnect()
      #expect(delegate.count { $0.isDisconnect } == 0)
      returned.signal()
    }
    DispatchQueue(label: "caller").async {
      if caller == .socketQueue { socketQueue.sync(execute: inside) } else { socket.perform(inside) }
    }
    try isInside.wait("the block to begin")
    link.queue.async {
      isBlocked.signal()
      if caller == .socketQueue { socketQueue.sync {} } else { socket.perform {} }
    }
    try returned.wait("disconnect to return")
    try delegate.waitForDisconnect(of: socket)
    #expect(delegate.disconnectError(of: socket) == nil)
  }

  @Test("a caller that holds a lock which the callback takes does not deadlock by default")
  func callerHoldsLock() throws {
    let lock = NSLock()
    let delegate = RecorderDelegate { _, kind in
      guard case .disconnected = kind else { return }
      lock.withLock {}
    }
    for sharesQueues in [false, true] {
      let queue = DispatchQueue(label: "delegate")
      let link = try SocketAndPeer(delegate: delegate, queue: queue, socketQueue: sharesQueues ? queue : nil)
      let returned = Latch()
      let work: @Sendable () -> Void = {
        lock.withLock { link.socket.disconnect() }
        returned.signal()
      }
      DispatchQueue(label: "other").async(execute: work)
      try returned.wait("disconnect under a lock to return")
      try delegate.waitForDisconnect(of: link.socket)

      let second = try SocketAndPeer(delegate: delegate, queue: queue, socketQueue: sharesQueues ? queue : nil)
      queue.async {
        lock.withLock { second.socket.disconnect() }
        returned.signal()
      }
      try returned.wait("disconnect under a lock on the delegate queue to return")
      try delegate.waitForDisconnect(of: second.socket)
    }
  }

  @Test("earlier events come before didDisconnect and none is lost (DIS-04)", arguments: [false, true])
  func earlierEventsFirst(notifies: Bool) throws {
    let link = try SocketAndPeer()
    let (socket, delegate) = (link.socket, link.delegate)
    socket.notifiesDisconnectBeforeReturning = notifies
    let gate = try QueueBlocker(blocking: link.queue)
    for tag in 1...5 { socket.readData(toLength: 2, withTimeout: -1, tag: tag) }
    socket.readData(toLength: 1, withTimeout: -1, tag: 6)
    try link.peer.send("aabbccddee")
    try eventually("the five reads are done") { socket.description.contains("reads: 1") }
    let returned = Latch()
    DispatchQueue(label: "other").async {
      socket.disconnect()
      returned.signal()
    }
    try eventually("the socket is disconnected") { socket.isDisconnected }
    if !notifies { try returned.wait("disconnect to return while the delegate queue is blocked") }
    #expect(delegate.kinds(of: socket).count == 1)
    gate.open()
    if notifies { try returned.wait("disconnect to return") }
    try delegate.waitForDisconnect(of: socket)
    let texts = ["aa", "bb", "cc", "dd", "ee"]
    let reads = zip(1...5, texts).map { Occurrence.Kind.read(data($1), tag: $0) }
    let finals = delegate.kinds(of: socket).dropFirst()
    #expect(Array(finals) == reads + [.disconnected(nil)])
  }

  @Test("clear the delegate, then disconnect: nothing comes (LIFE-16)", arguments: [false, true])
  func silentTeardown(notifies: Bool) throws {
    let link = try SocketAndPeer()
    link.socket.notifiesDisconnectBeforeReturning = notifies
    link.socket.readData(toLength: 10, withTimeout: -1, tag: 1)
    link.queue.sync {
      link.socket.setDelegate(nil, delegateQueue: nil)
      link.socket.disconnect()
    }
    #expect(try link.peer.ending() == .endOfStream)
    link.queue.sync {}
    #expect(link.delegate.kinds(of: link.socket).count == 1)
  }

  @Test("clear the delegate, disconnect, set it, connect: the first event is didConnect (LIFE-17)")
  func reconnectRecipe() throws {
    let listener = try RawListener()
    let delegate = RecorderDelegate()
    let queue = DispatchQueue(label: "delegate")
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: queue)
    try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
    var peer = try listener.accept()
    try delegate.waitForConnect(of: socket)
    for round in 1...20 {
      try queue.sync {
        socket.delegate = nil
        socket.disconnect()
        socket.delegate = delegate
        try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      }
      #expect(try peer.ending() == .endOfStream)
      peer = try listener.accept()
      try delegate.waitForConnect(of: socket, times: round + 1)
    }
    #expect(delegate.kinds(of: socket).allSatisfy { $0 == .connected(host: "127.0.0.1", port: listener.port) })
  }

  @Test("notifying after a swap of the delegate queue, from a callback on the former queue, does not deadlock")
  func swapInsideCallback() throws {
    let newQueue = DispatchQueue(label: "new")
    let delegate = RecorderDelegate { socket, kind in
      guard case .read(_, tag: 1) = kind else { return }
      socket.delegateQueue = newQueue
      socket.disconnect()
    }
    let link = try SocketAndPeer(delegate: delegate)
    link.socket.notifiesDisconnectBeforeReturning = true
    let gate = try QueueBlocker(blocking: link.queue)
    for tag in 1...3 { link.socket.readData(toLength: 1, withTimeout: -1, tag: tag) }
    link.socket.readData(toLength: 1, withTimeout: -1, tag: 4)
    try link.peer.send("abc")
    try eventually("the three reads are done") { link.socket.description.contains("reads: 1") }
    gate.open()
    try delegate.waitForDisconnect(of: link.socket)
    #expect(delegate.count { $0.isRead } == 3)
    guard case .disconnected(nil)? = delegate.occurrences.last?.kind else {
      Issue.record("something came after didDisconnect: \(delegate.occurrences.map(\.kind))")
      return
    }
  }

  @Test("a queue that outlives its socket carries no mark that another socket mistakes for its own (THR-04)")
  func marksDoNotOutliveSockets() throws {
    let queue = DispatchQueue(label: "long-lived")
    for _ in 0..<50 {
      let notifying = GCDAsyncSocket(delegate: nil, delegateQueue: queue)
      notifying.notifiesDisconnectBeforeReturning = true
      _ = GCDAsyncSocket(socketQueue: queue)
    }
    // A key of a freed socket lies where the next one's is likely to be.
    for _ in 0..<50 {
      let socketQueue = DispatchQueue(label: "socket")
      let mark = DispatchSpecificKey<Bool>()
      socketQueue.setSpecific(key: mark, value: true)
      let socket = GCDAsyncSocket(socketQueue: socketQueue)
      var isOnSocketQueue = false
      queue.sync {
        socket.perform { isOnSocketQueue = DispatchQueue.getSpecific(key: mark) == true }
      }
      #expect(isOnSocketQueue)
    }
  }

  @Test("in didDisconnect nothing is left of the connection (DIS-08), and the port is free (DIS-28)")
  func insideDidDisconnect() async {
    // In a process of its own: a program that another test starts has all descriptors for a moment, and so the port.
    await #expect(processExitsWith: .success) { try Self.checkInsideDidDisconnect() }
  }

  private static func checkInsideDidDisconnect() throws {
    let hosts = LockedValue<[String?]>([])
    let rebound = LockedValue<[String]>([])
    let delegate = RecorderDelegate { socket, kind in
      guard case .disconnected = kind else { return }
      hosts.withLock { $0 += [socket.connectedHost, socket.localHost] }
      #expect(socket.connectedPort == 0 && socket.localPort == 0 && !socket.isConnected && socket.isDisconnected)
      #expect(socket.connectedAddress == nil && socket.localAddress == nil && !socket.isIPv4 && !socket.isIPv6)
      guard let port = socket.userData as? UInt16 else { return }
      socket.userData = nil
      do {
        try socket.accept(onPort: port)
        rebound.withLock { $0.append("again") }
      } catch {
        rebound.withLock { $0.append("\(error)") }
      }
    }
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    socket.userData = try socket.acceptOnQuietPort()
    socket.disconnect()
    try delegate.waitForDisconnect(of: socket)
    try eventually("the callback has run") { rebound.withLock { !$0.isEmpty } }
    #expect(rebound.withLock { $0 } == ["again"])
    #expect(hosts.withLock { $0 } == [nil, nil])
  }
}
