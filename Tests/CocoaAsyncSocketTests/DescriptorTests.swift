import CocoaAsyncSocket
import Foundation
import Glibc
import SocketPOSIX
import SocketValues
import TestSupport
import Testing

/// No descriptor is lost, none is closed that belongs to somebody else. The process's descriptors are counted, so these
/// tests run in processes of their own.
@Suite struct DescriptorTests {
  /// A resolver that knows nobody.
  struct NoResolver: HostResolving {
    func resolve(_ host: String, port: UInt16) -> Result<[SocketAddress], LookupFailure> {
      .failure(LookupFailure(code: EAI_NONAME))
    }
  }

  /// What a failing start has to fail at.
  struct Obstacles {
    let busyIPv4: RawListener
    /// Held, so that nobody else listens there.
    let refusing: RawListener
    let blackHole: BlackHole
    let file: String

    init() throws {
      busyIPv4 = try RawListener(onAnyAddress: true)
      refusing = try RawListener(backlog: nil)
      blackHole = try BlackHole()
      file = freshSocketPath()
      try Data("precious".utf8).write(to: URL(fileURLWithPath: file))
    }
  }

  struct FailingStart {
    enum Outcome {
      /// The call throws.
      case thrown
      /// didDisconnect follows.
      case told
      /// Nobody hears of it: the socket is gone.
      case silent
    }

    let name: String
    var outcome = Outcome.thrown
    let start: (GCDAsyncSocket, Obstacles) throws -> Void
  }

  static var failingStarts: [FailingStart] {
    let web = URL(fileURLWithPath: "/nonexistent-folder/socket")
    return [
      FailingStart(name: "port busy in IPv4") { try $0.accept(onPort: $1.busyIPv4.port) },
      FailingStart(name: "port busy in IPv6 only (ACC-05)") { socket, _ in
        // Another one each time: a listener that is kept for IPv4 makes the port busy in both families.
        let busy = try RawListener(family: .ipv6, onAnyAddress: true)
        try withExtendedLifetime(busy) { try socket.accept(onPort: busy.port) }
      },
      FailingStart(name: "unknown interface") { socket, _ in try socket.accept(onInterface: "nosuch0", port: 0) },
      FailingStart(name: "refused", outcome: .told) { try $0.connect(toHost: "127.0.0.1", onPort: $1.refusing.port) },
      FailingStart(name: "refused in both families", outcome: .told) {
        try $0.connect(toHost: "localhost", onPort: $1.refusing.port)
      },
      FailingStart(name: "unknown name", outcome: .told) { socket, _ in
        socket.hostResolver = NoResolver()
        try socket.connect(toHost: "nobody", onPort: 1)
      },
      FailingStart(name: "local port taken, by host (CON-27)", outcome: .told) {
        let local = "127.0.0.1:\($1.busyIPv4.port)"
        try $0.connect(toHost: "127.0.0.1", onPort: $1.refusing.port, viaInterface: local, withTimeout: -1)
      },
      FailingStart(name: "local port taken, by address (CON-27)") {
        let local = "127.0.0.1:\($1.busyIPv4.port)"
        let address = try #require(
          try GCDAsyncSocket.lookupHost("127.0.0.1", port: $1.refusing.port).firstObject as? Data)
        try $0.connect(toAddress: address, viaInterface: local, withTimeout: -1)
      },
      FailingStart(name: "no such path", outcome: .told) { socket, _ in try socket.connect(to: web, withTimeout: 5) },
      FailingStart(name: "no such folder to listen in") { socket, _ in try socket.accept(on: web) },
      FailingStart(name: "a file in the way") { try $0.accept(on: URL(fileURLWithPath: $1.file)) },
      FailingStart(name: "connect timeout", outcome: .told) {
        try $0.connect(toHost: "127.0.0.1", onPort: $1.blackHole.port, withTimeout: 0.001)
      },
      FailingStart(name: "disconnect while connecting", outcome: .told) {
        try $0.connect(toHost: "127.0.0.1", onPort: $1.blackHole.port)
        $0.disconnect()
      },
      FailingStart(name: "release while connecting", outcome: .silent) {
        try $0.connect(toHost: "localhost", onPort: $1.blackHole.port)
      },
    ]
  }

  @Test("a start that fails leaves no descriptor open (INV-08, CON-27, ACC-04, LIFE-14)")
  func failingStarts() async {
    await #expect(processExitsWith: .success) {
      let obstacles = try Obstacles()
      defer { unlink(obstacles.file) }
      for row in Self.failingStarts {
        for warmUp in [true, false] {
          let before = try ProcessFacts.settledDescriptors()
          for _ in 0..<(warmUp ? 1 : 50) { try Self.run(row, obstacles) }
          guard !warmUp else { continue }
          try eventually("\(row.name): descriptors back to \(before)", limit: 20) {
            ProcessFacts.openDescriptors() <= before
          }
        }
      }
      #expect(try String(contentsOfFile: obstacles.file, encoding: .utf8) == "precious")
    }
  }

  private static func run(_ row: FailingStart, _ obstacles: Obstacles) throws {
    let delegate = RecorderDelegate()
    let queue = DispatchQueue(label: "delegate")
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: queue)
    do {
      try row.start(socket, obstacles)
      #expect(row.outcome != .thrown, "\(row.name)")
    } catch {
      #expect(row.outcome == .thrown, "\(row.name)")
      #expect(socket.isDisconnected, "\(row.name)")
    }
    if row.outcome == .told {
      try delegate.waitForDisconnect(of: socket)
      #expect(socket.isDisconnected, "\(row.name)")
    }
    queue.sync {}
    let told = delegate.occurrences.map(\.kind)
    #expect(told.count == (row.outcome == .told ? 1 : 0), "\(row.name): \(told)")
  }

  @Test("an instance whose start failed starts elsewhere at once (LIFE-14)")
  func failedStartIsReusable() throws {
    let busy = try RawListener(onAnyAddress: true)
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    let error = #expect(throws: (any Error).self) { try socket.accept(onPort: busy.port) }
    let recorded = RecordedError(try #require(error))
    #expect(recorded.isPOSIX(EADDRINUSE) && recorded.reason.contains("bind"))
    try socket.accept(onPort: 0)
    let peer = try RawPeer.connect(port: socket.localPort)
    _ = try delegate.child()
    peer.close()
  }

  @Test("a listener that failed in one family closes nothing twice (ACC-05)")
  func closesOnce() async {
    await #expect(processExitsWith: .success) {
      let busy = try RawListener(family: .ipv6, onAnyAddress: true)
      let delegate = RecorderDelegate()
      var socket: GCDAsyncSocket? = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
      #expect(throws: (any Error).self) { try socket?.accept(onPort: busy.port) }
      let strangers = (0..<32).map { _ in open("/dev/null", O_RDONLY) }
      socket?.disconnect()
      socket = nil
      for stranger in strangers { #expect(fcntl(stranger, F_GETFD) >= 0) }
    }
  }

  @Test("connections, graceful ends, resets and releases leave no descriptor open (INV-08)")
  func connectionsLeaveNothing() async {
    await #expect(processExitsWith: .success) {
      func run(_ rounds: Int) throws {
        for round in 0..<rounds {
          let pair = try SocketPair()
          pair.client.write(Data(count: 100_000), withTimeout: -1, tag: 1)
          if round % 2 == 0 { pair.server.readData(toLength: 100_000, withTimeout: -1, tag: 1) }
          switch round % 4 {
          case 0: pair.client.disconnect()
          case 1: pair.client.disconnectAfterWriting()
          case 2: pair.server.disconnectAfterReading()
          default: pair.server.disconnect()
          }
          pair.listener.disconnect()
          pair.listenerDelegate.dropChildren()
        }
      }
      try run(4)
      let before = try ProcessFacts.settledDescriptors()
      try run(60)
      try eventually("descriptors back to \(before)", limit: 30) { ProcessFacts.openDescriptors() <= before }
    }
  }

  @Test("a client that comes when the listener has no delegate queue, or no delegate, is closed (ACC-32)")
  func nobodyToAccept() async {
    await #expect(processExitsWith: .success) {
      for part in 0..<3 {
        let delegate = RecorderDelegate(keepsChildren: false)
        let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
        try listener.accept(onPort: 0)
        _ = try RawPeer.connect(port: listener.localPort).ending()
        let before = try ProcessFacts.settledDescriptors()
        if part == 0 { listener.delegateQueue = nil }
        if part == 1 { listener.delegate = nil }
        for _ in 0..<100 { _ = try RawPeer.connect(port: listener.localPort).ending() }
        try eventually("descriptors back to \(before)", limit: 20) { ProcessFacts.openDescriptors() <= before }
      }
    }
  }

  @Test("out of descriptors a listener waits without spinning, and goes on when there are some (ACC-31, INV-10)")
  func outOfDescriptors() async {
    await #expect(processExitsWith: .success) {
      let delegate = RecorderDelegate()
      let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
      try listener.accept(onPort: 0)
      let port = listener.localPort
      let early = try RawPeer.connect(port: port)
      _ = try delegate.child()
      let peers = try (0..<30).map { _ in try RawPeer.unconnected() }
      // Enough for a reserve: with none left at all libdispatch may end the process.
      let ballast = (0..<256).map { _ in fcntl(early.descriptor, F_DUPFD_CLOEXEC, 0) }
      var reserve = 0
      repeat {
        reserve += 1
        ProcessFacts.allowDescriptors(more: 5 + reserve)
      } while DescriptorReserve.size(below: SocketCall.descriptorLimit) > reserve
      for peer in peers { try peer.connect(port: port) }
      try delegate.wait("as many clients as there are descriptors", count: 6) { $0.kind == .accepted }
      try eventually("the process is quiet", limit: 20) { ProcessFacts.idleLoad(over: 0.05) < 0.1 }
      let load = ProcessFacts.idleLoad()
      #expect(load < 0.1, "load \(load)")
      // Not to be exact: the process may have had a passing descriptor when they were counted.
      #expect(delegate.children.count < 10 && !listener.isDisconnected)
      early.close()
      delegate.dropChildren()
      // Those that were let go make room for others.
      try delegate.wait("more clients", count: 11) { $0.kind == .accepted }
      ProcessFacts.allowMostDescriptors()
      try delegate.wait("all clients", count: 31) { $0.kind == .accepted }
      let late = try RawPeer.connect(port: port)
      try delegate.wait("a late client", count: 32) { $0.kind == .accepted }
      late.close()
      listener.disconnect()
      for number in ballast { close(number) }
    }
  }

  /// libdispatch and Foundation end the process where they can't open a file.
  @Test("however many clients come, the rest of the process finds descriptors (ACC-31)")
  func reserve() async {
    await #expect(processExitsWith: .success) {
      let delegate = RecorderDelegate()
      let queue = DispatchQueue(label: "delegate")
      let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: queue)
      try listener.accept(onPort: 0)
      let peers = try (0..<200).map { _ in try RawPeer.unconnected() }
      ProcessFacts.allowDescriptors(more: 100)
      let size = DescriptorReserve.size(below: SocketCall.descriptorLimit)
      #expect(size > 16)
      let port = listener.localPort
      for peer in peers { try peer.connect(port: port) }
      let open = peers[0].descriptor
      try eventually("the reserve comes next") {
        (try? DescriptorReserve.spareNext(after: .max, duplicating: open)) == nil
      }
      // Longer than a pause in accepting.
      _ = ProcessFacts.idleLoad()
      // The listener has taken one.
      var spare = (1..<size - size / 2).map { _ in fcntl(open, F_DUPFD_CLOEXEC, 0) }
      // A connect leaves half of it.
      let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: queue)
      try socket.connect(toHost: "127.0.0.1", onPort: port)
      try delegate.waitForDisconnect(of: socket)
      #expect(delegate.disconnectError(of: socket)?.isPOSIX(EMFILE) == true)
      spare += (0..<size / 2).map { _ in fcntl(open, F_DUPFD_CLOEXEC, 0) }
      #expect(!spare.contains(-1), "\(spare)")
      for number in spare { close(number) }
      // Those that are let go make room for the others.
      for peer in peers[..<100] { peer.close() }
      delegate.dropChildren()
      try delegate.wait("all clients", count: 200) { $0.kind == .accepted }
    }
  }

  @Test("libdispatch is not asked for timers while it can't make the descriptors that they need (CON-35)")
  func timersWithoutDescriptors() async {
    await #expect(processExitsWith: .success) {
      // By whom else they are made does not matter; the process must not end for the lack of them while this runs.
      let made = DispatchSemaphore(value: 0)
      DispatchQueue.global().asyncAfter(deadline: .now()) { made.signal() }
      made.wait()
      for spare in 0...2 {
        ProcessFacts.allowDescriptors(more: spare)
        #expect(!QueueTimers.areReady, "\(spare)")
      }
      ProcessFacts.allowMostDescriptors()
      #expect(QueueTimers.areReady)
      ProcessFacts.allowDescriptors(more: 0)
      #expect(QueueTimers.areReady)
    }
  }

  @Test("out of descriptors a start fails and leaves a usable socket (LIFE-14, CON-35)")
  func startWithoutDescriptors() async {
    await #expect(processExitsWith: .success) {
      let raw = try RawListener()
      let delegate = RecorderDelegate()
      let queue = DispatchQueue(label: "delegate")
      let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: queue)
      let path = URL(fileURLWithPath: freshSocketPath())
      var begun = 0
      // One that fails in the call has ended with it; each other one has its didDisconnect, and no start has both.
      func begin(_ start: () throws -> Void) -> Bool {
        do {
          try start()
          begun += 1
          return true
        } catch {
          #expect(socket.isDisconnected)
          return false
        }
      }
      // From none to enough for the socket, but not for the event loop's own.
      for spare in 0...3 {
        ProcessFacts.allowDescriptors(more: spare)
        let connects = begin { try socket.connect(to: path, withTimeout: 5) }
        #expect(!connects || spare > 0)
        if connects { try eventually("the failure is told") { socket.isDisconnected } }
        let listens = begin { try socket.accept(onPort: 0) }
        #expect(!listens || spare > 0)
        socket.disconnect()
        _ = begin { try socket.connect(toHost: "127.0.0.1", onPort: raw.port) }
        socket.disconnect()
        #expect(socket.isDisconnected)
      }
      ProcessFacts.allowMostDescriptors()
      try eventually("\(begun) ends") { delegate.count(where: \.isDisconnect) >= begun }
      queue.sync {}
      #expect(delegate.count(where: \.isDisconnect) == begun)
      // One that has heard nothing of the attempts above.
      let fresh = RecorderDelegate()
      socket.delegate = fresh
      try socket.connect(toHost: "127.0.0.1", onPort: raw.port)
      try fresh.waitForConnect(of: socket)
      socket.disconnect()
      try socket.accept(onPort: 0)
      _ = try RawPeer.connect(port: socket.localPort)
      _ = try fresh.child()
    }
  }
}
