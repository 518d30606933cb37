import CocoaAsyncSocket
import Foundation
import SocketPOSIX
import TestSupport
import Testing

/// Many threads at once. These are the tests to run under the thread sanitizer and the address sanitizer.
@Suite struct ConcurrencyTests {
  // MARK: Every method from every thread

  /// Starts that succeeded, by socket.
  private final class StartCounter: Sendable {
    private let counts = LockedValue<[ObjectIdentifier: Int]>([:])

    func attempt(_ socket: GCDAsyncSocket, _ start: () throws -> Void) {
      guard (try? start()) != nil else { return }
      counts.withLock { $0[ObjectIdentifier(socket), default: 0] += 1 }
    }

    func count(of socket: GCDAsyncSocket) -> Int { counts.withLock { $0[ObjectIdentifier(socket)] ?? 0 } }
  }

  /// One call, chosen by the number; never one that changes the delegate to another.
  private static func call(
    _ choice: Int, _ socket: GCDAsyncSocket, port: UInt16, delegate: RecorderDelegate, queue: DispatchQueue,
    starts: StartCounter
  ) {
    switch choice % 26 {
    case 0: starts.attempt(socket) { try socket.connect(toHost: "127.0.0.1", onPort: port) }
    case 1: starts.attempt(socket) { try socket.connect(toHost: "localhost", onPort: port, withTimeout: 5) }
    case 2: starts.attempt(socket) { try socket.accept(onPort: 0) }
    case 3: starts.attempt(socket) { try socket.accept(onInterface: "localhost", port: 0) }
    case 4, 5: socket.disconnect()
    case 6: socket.disconnectAfterWriting()
    case 7: socket.disconnectAfterReading()
    case 8: socket.disconnectAfterReadingAndWriting()
    case 9: socket.readData(withTimeout: -1, tag: choice)
    case 10: socket.readData(toLength: 3, withTimeout: 0.01, tag: choice)
    case 11: socket.readData(to: GCDAsyncSocket.lfData(), withTimeout: 1, maxLength: 100, tag: choice)
    case 12: socket.write(data("hello\n"), withTimeout: 1, tag: choice)
    case 13: socket.write(Data(count: 20_000), withTimeout: 0.01, tag: choice)
    case 14: socket.setDelegate(delegate, delegateQueue: queue)
    case 15: socket.synchronouslySetDelegate(delegate)
    case 16: socket.autoDisconnectOnClosedReadStream = choice % 2 == 0
    case 17: socket.isIPv6Enabled = choice % 3 != 0
    case 18: socket.setPreferIPv4OverIPv6(choice % 2 == 0)
    case 19: socket.userData = "\(choice)"
    case 20: socket.perform { _ = (socket.socketFD(), socket.socket4FD(), socket.socket6FD()) }
    case 21: _ = (socket.connectedHost, socket.connectedPort, socket.localHost, socket.localPort)
    case 22: _ = (socket.connectedAddress, socket.localAddress, socket.isIPv4, socket.isIPv6, socket.connectedUrl)
    case 23: _ = (socket.isConnected, socket.isDisconnected, socket.description, socket.userData)
    case 24:
      _ = socket.progress(ofReadReturningTag: nil, bytesDone: nil, total: nil)
      _ = socket.progress(ofWriteReturningTag: nil, bytesDone: nil, total: nil)
    default: socket.alternateAddressDelay = Double(choice % 4) / 100
    }
  }

  @Test("all methods from many threads: every start ends exactly once (THR-01, DIAG-07, INV-01, INV-03)")
  func everyMethodFromEveryThread() throws {
    let serverDelegate = RecorderDelegate(onAccept: { child in
      child.readData(withTimeout: 2, tag: 0)
      child.write(data("welcome\n"), withTimeout: 2, tag: 0)
      child.disconnectAfterReading()
    })
    let server = GCDAsyncSocket(delegate: serverDelegate, delegateQueue: DispatchQueue(label: "server"))
    try server.accept(onPort: 0)
    let port = server.localPort

    let delegate = RecorderDelegate()
    let queue = DispatchQueue(label: "delegate")
    let shared = DispatchQueue(label: "shared")
    let sockets = [
      GCDAsyncSocket(delegate: delegate, delegateQueue: queue),
      GCDAsyncSocket(delegate: delegate, delegateQueue: queue, socketQueue: DispatchQueue(label: "socket")),
      GCDAsyncSocket(delegate: delegate, delegateQueue: queue, socketQueue: shared),
      GCDAsyncSocket(delegate: delegate, delegateQueue: queue, socketQueue: queue),
    ]
    let starts = StartCounter()
    try onThreads(6) { thread in
      var random = SeededGenerator(seed: UInt64(thread + 1))
      for _ in 0..<1500 {
        let socket = sockets[Int.random(in: 0..<sockets.count, using: &random)]
        let choice = Int.random(in: 0..<26_000, using: &random)
        Self.call(choice, socket, port: port, delegate: delegate, queue: queue, starts: starts)
      }
    }
    for socket in sockets { socket.disconnect() }
    for socket in sockets {
      let expected = starts.count(of: socket)
      if expected > 0 { try delegate.waitForDisconnect(of: socket, times: expected) }
    }
    server.disconnect()
    try serverDelegate.waitForDisconnect(of: server)
    for child in delegate.children + serverDelegate.children { child.disconnect() }
    queue.sync {}
    for socket in sockets {
      #expect(
        delegate.kinds(of: socket).count { if case .disconnected = $0 { true } else { false } }
          == starts.count(of: socket))
    }
  }

  // MARK: Ends

  @Test("four threads disconnect while the peer resets and a timeout comes: one end (DIS-06, INV-01)")
  func oneEnd() throws {
    let listener = try RawListener()
    let delegate = RecorderDelegate()
    let queue = DispatchQueue(label: "delegate")
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: queue)
    for round in 1...200 {
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      let peer = try listener.accept()
      try delegate.waitForConnect(of: socket, times: round)
      socket.readData(withTimeout: round % 2 == 0 ? 0.0005 : -1, tag: round)
      DispatchQueue.concurrentPerform(iterations: 5) { index in
        if index == 2 { peer.reset() } else { socket.disconnect() }
      }
      #expect(socket.isDisconnected)
      try delegate.waitForDisconnect(of: socket, times: round)
    }
    queue.sync {}
    var isConnected = false
    for kind in delegate.kinds(of: socket) {
      switch kind {
      case .connected:
        #expect(!isConnected)
        isConnected = true
      case .disconnected:
        #expect(isConnected)
        isConnected = false
      default: #expect(isConnected, "\(kind) outside of a connection")
      }
    }
    #expect(delegate.count { $0.isDisconnect } == 200)
  }

  @Test("disconnect and connect elsewhere at any moment: only the second connection counts (INV-18, CON-23)")
  func restartAnywhere() throws {
    let first = try RawListener(backlog: 512)
    let second = try RawListener(backlog: 512)
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    socket.alternateAddressDelay = 0.001
    var random = SeededGenerator(seed: 7)
    for round in 1...300 {
      try socket.connect(toHost: round % 2 == 0 ? "localhost" : "127.0.0.1", onPort: first.port)
      socket.write(data("old"), withTimeout: -1, tag: 1)
      let pause = Double.random(in: 0...0.001, using: &random)
      let end = monotonicSeconds() + pause
      while monotonicSeconds() < end {}
      socket.disconnect()
      try socket.connect(toHost: "127.0.0.1", onPort: second.port)
      socket.write(data("new"), withTimeout: -1, tag: 2)
      let peer = try second.accept()
      #expect(try peer.receive(3) == Array("new".utf8))
      try delegate.wait("didConnect to the second", count: round) {
        $0.kind == .connected(host: "127.0.0.1", port: second.port)
      }
      socket.disconnect()
      #expect(try peer.ending() == .endOfStream)
    }
    try delegate.waitForDisconnect(of: socket, times: 600)
    #expect(
      delegate.kinds(of: socket).allSatisfy {
        if case .disconnected(let error) = $0 { error == nil } else { true }
      })
  }

  // MARK: Writers

  @Test("the records of eight writing threads arrive whole (WR-13)")
  func atomicWrites() throws {
    let (threads, records) = (8, 1000)
    let link = try SocketAndPeer()
    let parsed = Latch()
    let problems = LockedValue<[String]>([])
    Thread {
      do {
        var next = [Int](repeating: 0, count: threads)
        for _ in 0..<(threads * records) {
          let header = try link.peer.receive(4)
          let (thread, number) = (Int(header[0]), Int(header[1]) << 8 | Int(header[2]))
          let body = try link.peer.receive(Int(header[3]))
          guard body.allSatisfy({ $0 == UInt8(thread) }), thread < threads, next[thread] == number else {
            throw WaitFailure("record \(number) of thread \(thread) is torn or out of turn")
          }
          next[thread] += 1
        }
      } catch {
        problems.withLock { $0.append("\(error)") }
      }
      parsed.signal()
    }.start()
    try onThreads(threads) { thread in
      for number in 0..<records {
        let length = 1 + (number * 7 + thread) % 200
        let header = [UInt8(thread), UInt8(number >> 8), UInt8(number & 0xFF), UInt8(length)]
        let body = [UInt8](repeating: UInt8(thread), count: length)
        link.socket.write(Data(header + body), withTimeout: -1, tag: thread)
      }
    }
    try parsed.wait("all records")
    #expect(problems.withLock { $0 } == [])
    try link.delegate.wait("didWrite", count: threads * records) {
      if case .wrote = $0.kind { true } else { false }
    }
  }

  // MARK: Swapping delegates

  /// Knows the queue its callbacks must come on; echoes.
  private final class PairedDelegate: NSObject, GCDAsyncSocketDelegate, Sendable {
    static let mark = DispatchSpecificKey<String>()
    let name: String
    let queue: DispatchQueue
    let strays = LockedValue(0)
    let calls = LockedValue(0)
    let children = LockedValue<[GCDAsyncSocket]>([])

    init(name: String) {
      self.name = name
      queue = DispatchQueue(label: name)
      queue.setSpecific(key: Self.mark, value: name)
    }

    private func check() {
      calls.withLock { $0 += 1 }
      if DispatchQueue.getSpecific(key: Self.mark) != name { strays.withLock { $0 += 1 } }
    }

    func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
      check()
      sock.write(data, withTimeout: -1, tag: tag)
      sock.readData(toLength: 1, withTimeout: -1, tag: tag + 1)
    }

    func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) { check() }

    func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
      check()
      var delegate: (any GCDAsyncSocketDelegate)?
      var queue: DispatchQueue?
      newSocket.getDelegate(&delegate, delegateQueue: &queue)
      if let paired = delegate as? PairedDelegate, paired.queue === queue {
        children.withLock { $0.append(newSocket) }
      } else {
        strays.withLock { $0 += 1 }
      }
    }
  }

  @Test("a swapped pair of delegate and queue is never mixed, under traffic (CFG-08, INV-13)")
  func pairsStayTogether() throws {
    let pairs = [PairedDelegate(name: "one"), PairedDelegate(name: "two")]
    let listener = try RawListener()
    let socket = GCDAsyncSocket(delegate: pairs[0], delegateQueue: pairs[0].queue)
    try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
    let peer = try listener.accept()
    socket.readData(toLength: 1, withTimeout: -1, tag: 0)
    let isSwapping = LockedValue(true)
    let exchanged = LockedValue(0)
    try onThreads(2) { thread in
      if thread == 0 {
        for round in 0..<10_000 {
          socket.setDelegate(pairs[round % 2], delegateQueue: pairs[round % 2].queue)
          if round % 333 == 0 {
            let before = exchanged.withLock { $0 }
            try? eventually("some traffic") { exchanged.withLock { $0 } > before + 5 }
          }
        }
        isSwapping.withLock { $0 = false }
      } else {
        while isSwapping.withLock({ $0 }) {
          guard (try? peer.send([7])) != nil, (try? peer.receive(1)) == [7] else { break }
          exchanged.withLock { $0 += 1 }
        }
      }
    }
    #expect(exchanged.withLock { $0 } > 100)
    #expect(pairs.map { $0.strays.withLock { $0 } } == [0, 0])
    #expect(pairs.allSatisfy { $0.calls.withLock { $0 } > 0 })
  }

  @Test("an accepted socket inherits delegate and queue as a pair, while they are swapped (CFG-08, CFG-15)")
  func childrenInheritPairs() throws {
    let pairs = [PairedDelegate(name: "one"), PairedDelegate(name: "two")]
    let listener = GCDAsyncSocket(delegate: pairs[0], delegateQueue: pairs[0].queue)
    try listener.accept(onPort: 0)
    let port = listener.localPort
    let isOver = LockedValue(false)
    try onThreads(2) { thread in
      if thread == 0 {
        var round = 0
        while !isOver.withLock({ $0 }) {
          listener.setDelegate(pairs[round % 2], delegateQueue: pairs[round % 2].queue)
          round += 1
        }
      } else {
        for _ in 0..<300 { _ = try? RawPeer.connect(port: port) }
        isOver.withLock { $0 = true }
      }
    }
    try eventually("all were accepted") { pairs.map { $0.children.withLock { $0.count } }.reduce(0, +) == 300 }
    #expect(pairs.map { $0.strays.withLock { $0 } } == [0, 0])
  }

  // MARK: Letting go

  /// Owns a socket and is its delegate; disconnects it at the end, as programs do.
  private final class Owner: NSObject, GCDAsyncSocketDelegate, @unchecked Sendable {
    // Unchecked: nothing changes after the initialiser.
    private let socket: GCDAsyncSocket

    init(port: UInt16, queue: DispatchQueue, socketQueue: DispatchQueue?) throws {
      socket = GCDAsyncSocket(delegate: nil, delegateQueue: queue, socketQueue: socketQueue)
      super.init()
      socket.delegate = self
      try socket.connect(toHost: "127.0.0.1", onPort: port)
      for tag in 0..<20 { socket.readData(toLength: 1, withTimeout: 0.0005, tag: tag) }
    }

    deinit { socket.disconnect() }

    func socket(
      _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
    ) -> TimeInterval { 0.0005 }

    func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
      sock.readData(toLength: 1, withTimeout: 0.0005, tag: tag)
    }
  }

  @Test("an owner that is the delegate goes away in the middle of traffic (LIFE-21, LIFE-18)", arguments: 0...2)
  func ownerGoesAway(topology: Int) throws {
    let listener = try RawListener(backlog: 512)
    let queue = DispatchQueue(label: "delegate")
    let socketQueue = [nil, DispatchQueue(label: "socket"), queue][topology]
    for round in 0..<150 {
      let owner = LockedValue<Owner?>(try Owner(port: listener.port, queue: queue, socketQueue: socketQueue))
      let peer = try listener.accept()
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        if index == 0 {
          for _ in 0..<(round % 7) { try? peer.send([1]) }
        } else {
          let last = owner.withLock { owner -> Owner? in
            defer { owner = nil }
            return owner
          }
          withExtendedLifetime(last) {}
        }
      }
      _ = try peer.ending()
    }
  }

  @Test("userData that calls the socket when it ends is let go without a lock held")
  func userDataEnds() throws {
    final class Session {
      let atEnd: () -> Void
      init(_ atEnd: @escaping () -> Void) { self.atEnd = atEnd }
      deinit { atEnd() }
    }
    let socket = GCDAsyncSocket()
    let isFree = LockedValue(false)
    socket.userData = Session {
      // Another thread can use the socket now.
      let used = Latch()
      Thread {
        _ = socket.isConnected
        used.signal()
      }.start()
      let didUse = (try? used.wait("another thread to use the socket", limit: 20)) != nil
      isFree.withLock { $0 = didUse }
    }
    socket.userData = nil
    #expect(isFree.withLock { $0 })
  }
}
