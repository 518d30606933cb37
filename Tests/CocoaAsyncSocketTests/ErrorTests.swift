import CocoaAsyncSocket
import Foundation
import Glibc
import SocketPOSIX
import SocketValues
import TestSupport
import Testing

/// Domains, codes, descriptions and reasons of what goes wrong (ERR).
@Suite struct ErrorTests {
  struct FakeResolver: HostResolving {
    func resolve(_ host: String, port: UInt16) -> Result<[SocketAddress], LookupFailure> {
      .failure(LookupFailure(code: EAI_NONAME))
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let domain: String
    let code: Int
    /// A word of the failure reason; "" if there need not be one.
    var reason = ""
    /// It has a socket queue of its own, which does nothing before all is done.
    var usesSocketQueue = false
    let provoke: @Sendable (GCDAsyncSocket, RawListener) throws -> Void
    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "refused (CON-05)", domain: NSPOSIXErrorDomain, code: Int(ECONNREFUSED), reason: "connect") { socket, _ in
      try socket.connect(toHost: "127.0.0.1", onPort: try RawListener(backlog: nil).port)
    },
    Row(
      name: "refused in both families (CON-19)", domain: NSPOSIXErrorDomain, code: Int(ECONNREFUSED), reason: "connect"
    ) { socket, _ in
      try socket.connect(toHost: "localhost", onPort: try RawListener(backlog: nil).port)
    },
    Row(name: "port 0 (CON-36)", domain: NSPOSIXErrorDomain, code: Int(ECONNREFUSED), reason: "connect") { socket, _ in
      try socket.connect(toHost: "127.0.0.1", onPort: 0)
    },
    Row(name: "local port taken", domain: NSPOSIXErrorDomain, code: Int(EADDRINUSE), reason: "bind") {
      let local = "127.0.0.1:\($1.port)"
      try $0.connect(toHost: "127.0.0.1", onPort: $1.port, viaInterface: local, withTimeout: -1)
    },
    Row(name: "no such path", domain: NSPOSIXErrorDomain, code: Int(ENOENT), reason: "connect") { socket, _ in
      try socket.connect(to: URL(fileURLWithPath: freshSocketPath()), withTimeout: -1)
    },
    Row(name: "unknown name", domain: "kCFStreamErrorDomainNetDB", code: Int(EAI_NONAME)) { socket, _ in
      socket.hostResolver = FakeResolver()
      try socket.connect(toHost: "nobody.example", onPort: 80)
    },
    Row(name: "disabled family (CON-30)", domain: GCDAsyncSocketErrorDomain, code: 8) {
      $0.isIPv4Enabled = false
      try $0.connect(toHost: "127.0.0.1", onPort: $1.port)
    },
    Row(name: "connect timeout", domain: GCDAsyncSocketErrorDomain, code: 3) { socket, _ in
      let hole = try BlackHole()
      try socket.connect(toHost: "127.0.0.1", onPort: hole.port, withTimeout: 0.01)
      try eventually("the attempt is given up") { socket.isDisconnected }
    },
    Row(name: "read timeout", domain: GCDAsyncSocketErrorDomain, code: 4) {
      try $0.connect(toHost: "127.0.0.1", onPort: $1.port)
      $0.readData(toLength: 1, withTimeout: 0, tag: 1)
    },
    Row(name: "write timeout", domain: GCDAsyncSocketErrorDomain, code: 5) {
      try $0.connect(toHost: "127.0.0.1", onPort: $1.port)
      $0.write(Data(count: 64 << 20), withTimeout: 0.01, tag: 1)
    },
    Row(name: "too long a line", domain: GCDAsyncSocketErrorDomain, code: 6) {
      try $0.connect(toHost: "127.0.0.1", onPort: $1.port)
      let peer = try $1.accept()
      $0.readData(to: GCDAsyncSocket.crlfData(), withTimeout: -1, maxLength: 4, tag: 1)
      try peer.send("abcdef")
      _ = try peer.ending()
    },
    Row(name: "closed by the peer", domain: GCDAsyncSocketErrorDomain, code: 7) {
      try $0.connect(toHost: "127.0.0.1", onPort: $1.port)
      try $1.accept().close()
    },
    Row(name: "reset while a read waits", domain: NSPOSIXErrorDomain, code: Int(ECONNRESET), reason: "read") {
      socket, listener in
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      let peer = try listener.accept()
      try eventually("connected") { socket.isConnected }
      socket.readData(toLength: 10, withTimeout: -1, tag: 1)
      peer.reset()
    },
    Row(
      name: "reset after the half-close (HALF-09, ERR-11)", domain: NSPOSIXErrorDomain, code: Int(ECONNRESET),
      reason: "read"
    ) { socket, listener in
      socket.autoDisconnectOnClosedReadStream = false
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      let peer = try listener.accept()
      peer.finish()
      try eventually("connected") { socket.isConnected }
      socket.write(Data("nobody reads this".utf8), withTimeout: -1, tag: 1)
      // It has come, and is left unread.
      #expect(SocketCall.peek(peer.descriptor) == .bytes(1))
      peer.close()
    },
    Row(
      name: "reset before the connection was noticed (ERR-11)", domain: NSPOSIXErrorDomain, code: Int(ECONNRESET),
      reason: "connect", usesSocketQueue: true
    ) { socket, listener in
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      let peer = try listener.accept()
      peer.finish()
      peer.reset()
    },
    Row(name: "startTLS with a number as peer name", domain: GCDAsyncSocketErrorDomain, code: 8) {
      try $0.connect(toHost: "127.0.0.1", onPort: $1.port)
      $0.startTLS([GCDAsyncSocketSSLPeerName: NSNumber(value: 1)])
    },
    Row(name: "a peer that does not speak TLS", domain: "kCFStreamErrorDomainSSL", code: -9847) {
      try $0.connect(toHost: "127.0.0.1", onPort: $1.port)
      $0.startTLS(nil)
      let peer = try $1.accept()
      try peer.send(Array("HTTP/1.0 400 Bad Request\r\n\r\n".utf8))
      _ = try peer.ending()
    },
  ]

  @Test("didDisconnect's error names domain and code, and says so in words (ERR-04…ERR-06, ERR-12)", arguments: rows)
  func disconnectError(_ row: Row) throws {
    let listener = try RawListener()
    let delegate = RecorderDelegate()
    let socketQueue = row.usesSocketQueue ? DispatchQueue(label: "socket") : nil
    let socket = GCDAsyncSocket(
      delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"), socketQueue: socketQueue)
    socketQueue?.suspend()
    defer { withExtendedLifetime(socketQueue) {} }
    do {
      defer { socketQueue?.resume() }
      try row.provoke(socket, listener)
    }
    try delegate.waitForDisconnect(of: socket)
    let error = try #require(delegate.disconnectError(of: socket))
    #expect(error.domain == row.domain)
    #expect(error.code == row.code)
    #expect(!error.text.isEmpty)
    if error.domain == NSPOSIXErrorDomain {
      #expect(error.text == String(cString: strerror(Int32(error.code))))
      #expect(error.reason.contains(row.reason))
    }
    #expect(socket.isDisconnected)
    #expect(delegate.count { $0.isDisconnect } == 1)
  }

  @Test("a failing system call in a start call throws its errno and names the call (ERR-04, ACC-04)")
  func thrownErrors() throws {
    let busy = try RawListener(onAnyAddress: true)
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    let thrown = #expect(throws: (any Error).self) { try socket.accept(onPort: busy.port) }
    let error = RecordedError(try #require(thrown))
    #expect(error.isPOSIX(EADDRINUSE))
    #expect(error.reason.contains("bind") && !error.text.isEmpty)
    let address = try #require(try GCDAsyncSocket.lookupHost("127.0.0.1", port: busy.port).firstObject as? Data)
    let local = "127.0.0.1:\(busy.port)"
    let second = #expect(throws: (any Error).self) {
      try socket.connect(toAddress: address, viaInterface: local, withTimeout: -1)
    }
    let refused = RecordedError(try #require(second))
    #expect(refused.isPOSIX(EADDRINUSE) && refused.reason.contains("bind"))
    #expect(socket.isDisconnected && delegate.occurrences.isEmpty)
  }

  @Test("1,000 refusals all say so (CON-37)")
  func manyRefusals() throws {
    let refusing = try RawListener(backlog: nil)
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    for round in 1...1000 {
      try socket.connect(toHost: "127.0.0.1", onPort: refusing.port)
      try delegate.waitForDisconnect(of: socket, times: round)
    }
    #expect(
      delegate.kinds(of: socket).allSatisfy {
        if case .disconnected(let error) = $0 { error?.isPOSIX(ECONNREFUSED) == true } else { false }
      })
  }

  @Test("the bridge between NSError and GCDAsyncSocketError goes both ways and keeps codes (ERR-01)")
  func bridging() {
    for code in 0...8 {
      let error: any Error = NSError(domain: GCDAsyncSocketErrorDomain, code: code)
      #expect((error as? GCDAsyncSocketError)?.code.rawValue == code)
      #expect((error as? GCDAsyncSocketError)?.errorCode == code)
      #expect(!error.localizedDescription.isEmpty)
    }
    for foreign in [
      NSError(domain: GCDAsyncSocketErrorDomain, code: 9), NSError(domain: GCDAsyncSocketErrorDomain, code: -1),
      NSError(domain: NSPOSIXErrorDomain, code: 7),
    ] {
      #expect(((foreign as any Error) as? GCDAsyncSocketError) == nil)
    }
  }

  /// The domains that errors come in, and one of somebody else's.
  static let domains = [
    GCDAsyncSocketErrorDomain, NSPOSIXErrorDomain, "kCFStreamErrorDomainNetDB", "kCFStreamErrorDomainSSL",
    NSOSStatusErrorDomain, "example",
  ]

  @Test("a catch clause matches the code that it names, in the library's domain alone (ERR-01)", arguments: domains)
  func catching(domain: String) {
    let codes: [GCDAsyncSocketError.Code] = [
      .noError, .badConfigError, .badParamError, .connectTimeoutError, .readTimeoutError, .writeTimeoutError,
      .readMaxedOutError, .closedError, .otherError,
    ]
    for number in -1...9 {
      let error: any Error = NSError(domain: domain, code: number)
      let matching = codes.filter { $0 ~= error }.map(\.rawValue)
      #expect(matching == (domain == GCDAsyncSocketErrorDomain && (0...8).contains(number) ? [number] : []))
    }
    var wasCaught = false
    do { throw NSError(domain: domain, code: 7) } catch GCDAsyncSocketError.closedError { wasCaught = true } catch {}
    #expect(wasCaught == (domain == GCDAsyncSocketErrorDomain))
  }

  @Test("an error is made from an NSError, and gives it back, as Swift's imported errors do")
  func madeFromNSError() {
    let known = NSError(domain: GCDAsyncSocketErrorDomain, code: 7, userInfo: [NSLocalizedDescriptionKey: "over"])
    let error = GCDAsyncSocketError(_nsError: known)
    #expect(error.code == .closedError && error._nsError === known && error.message == "over")
    let other = GCDAsyncSocketError(_nsError: NSError(domain: NSPOSIXErrorDomain, code: 7))
    #expect(other.code == .otherError && other._nsError.domain == GCDAsyncSocketErrorDomain)
  }

  @Test(
    "a port that nobody listens on refuses, though the kernel connects from that port (CON-05, CON-37)",
    .enabled(if: getuid() == 0))
  func metItself() async {
    await #expect(processExitsWith: .success) {
      let failures = try IsolatedNetwork.run(connectingFrom: 40_000) {
        let delegate = RecorderDelegate()
        let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
        try socket.connect(toHost: "127.0.0.1", onPort: 40_000, withTimeout: 5)
        try delegate.waitForDisconnect(of: socket)
        guard delegate.disconnectError(of: socket)?.isPOSIX(ECONNREFUSED) == true else {
          throw WaitFailure("\(delegate.kinds(of: socket))")
        }
      }
      #expect(failures.isEmpty)
    }
  }
}
