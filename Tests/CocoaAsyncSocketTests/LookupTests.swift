import CocoaAsyncSocket
import Foundation
import Glibc
import SocketPOSIX
import SocketValues
import TestSupport
import Testing

/// Many names at once, and slow ones (CON-06, CON-11, LIFE-20).
@Suite struct LookupTests {
  /// Knows every name as the loopback address; names that begin with "slow" only when released.
  private final class Resolver: HostResolving {
    private let release = DispatchSemaphore(value: 0)
    let begun = LockedValue<[String]>([])

    func resolve(_ host: String, port: UInt16) -> Result<[SocketAddress], LookupFailure> {
      begun.withLock { $0.append(host) }
      if host.hasPrefix("slow") {
        release.wait()
        release.signal()
      }
      return .success([.loopback(.ipv4, port: port)])
    }

    func open() { release.signal() }
  }

  @Test("800 slow lookups have at most 64 threads, hold up no quick one, are all told; their threads end (LIFE-20)")
  func manySlowNames() async {
    await #expect(processExitsWith: .success) {
      ProcessFacts.allowMostDescriptors()
      let threads = "socket-resolver"
      let resolver = Resolver()
      let refusing = try RawListener(backlog: nil)
      let delegate = RecorderDelegate()
      let queue = DispatchQueue(label: "delegate")
      let sockets = (0..<800).map { _ in GCDAsyncSocket(delegate: delegate, delegateQueue: queue) }
      for (index, socket) in sockets.enumerated() {
        socket.hostResolver = resolver
        try socket.connect(toHost: "slow\(index).example.org", onPort: refusing.port)
      }
      try eventually("lookups begin") { resolver.begun.withLock { !$0.isEmpty } }
      #expect((1...64).contains(ProcessFacts.threads(named: threads)))
      // Kept, so that none has the identity of another.
      var quickOnes: [GCDAsyncSocket] = []
      for host in ["127.0.0.1", "localhost", "quick.test"] {
        let quick = GCDAsyncSocket(delegate: delegate, delegateQueue: queue)
        quickOnes.append(quick)
        quick.hostResolver = resolver
        try quick.connect(toHost: host, onPort: refusing.port)
        try delegate.waitForDisconnect(of: quick)
        #expect(delegate.disconnectError(of: quick)?.isPOSIX(ECONNREFUSED) == true, "\(host)")
      }
      // Those that are given up before they have begun are never looked up.
      for socket in sockets[400...] { socket.disconnect() }
      #expect(ProcessFacts.threads(named: threads) <= 64)
      resolver.open()
      try delegate.wait("all ends", count: 803) { $0.isDisconnect }
      #expect(delegate.occurrences.count == 803)
      let names = resolver.begun.withLock { $0 }
      #expect(names.count < 500 && Set(names).count == names.count)
      for socket in sockets[..<400] { #expect(delegate.disconnectError(of: socket)?.isPOSIX(ECONNREFUSED) == true) }
      try eventually("the threads end") { ProcessFacts.threads(named: threads) == 0 }
    }
  }

  @Test("a socket that is let go during its lookup is freed at once, and nothing comes of it (LIFE-20)")
  func letGo() throws {
    let resolver = Resolver()
    let delegate = RecorderDelegate()
    var socket: GCDAsyncSocket? = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    weak let seen = socket
    socket?.hostResolver = resolver
    try socket?.connect(toHost: "slow.let.go", onPort: 1)
    try eventually("the lookup begins") { resolver.begun.withLock { !$0.isEmpty } }
    socket = nil
    #expect(seen == nil)
    resolver.open()
    #expect(delegate.occurrences.isEmpty)
  }

  @Test("an answer that comes while the socket queue is busy waits for it (THR-12)")
  func onTheSocketQueue() throws {
    let listener = try RawListener()
    let resolver = Resolver()
    let delegate = RecorderDelegate()
    let socketQueue = DispatchQueue(label: "socket")
    let socket = GCDAsyncSocket(
      delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"), socketQueue: socketQueue)
    socket.hostResolver = resolver
    try socket.connect(toHost: "slow.name", onPort: listener.port)
    socketQueue.suspend()
    resolver.open()
    #expect((try? listener.accept(within: 0.05)) == nil)
    socketQueue.resume()
    try delegate.waitForConnect(of: socket)
  }

  @Test("names end at their first zero, for connecting and for looking up (CON-03)")
  func terminatedNames() throws {
    let listener = try RawListener()
    for host in ["127.0.0.1\0\0", "localhost\0", "quick.test\0.evil.test"] {
      let resolver = Resolver()
      let delegate = RecorderDelegate()
      let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
      socket.hostResolver = resolver
      try socket.connect(toHost: host, onPort: listener.port, viaInterface: "lo\0", withTimeout: -1)
      try delegate.waitForConnect(of: socket)
      #expect(resolver.begun.withLock { $0 } == (host.hasPrefix("quick") ? ["quick.test"] : []))
    }
    let nameless = GCDAsyncSocket(delegate: RecorderDelegate(), delegateQueue: DispatchQueue(label: "delegate"))
    let error = #expect(throws: (any Error).self) { try nameless.connect(toHost: "\0", onPort: 1) }
    #expect((error as? GCDAsyncSocketError)?.code == .badParamError)
    #expect(try GCDAsyncSocket.lookupHost("localhost\0", port: 9).count == 2)
    #expect(try GCDAsyncSocket.lookupHost("127.0.0.1\0", port: 9).count == 1)
  }
}
