import CocoaAsyncSocket
import Foundation
import TestSupport
import Testing

// Code as it was written for the original library: if this file compiles, such code compiles (API checklist).

/// A program's own kind of socket.
class ChatSocket: GCDAsyncSocket, @unchecked Sendable {
  var nickname = "nobody"
}

/// A delegate that implements every method, as the original's users write them.
class EverythingDelegate: NSObject, GCDAsyncSocketDelegate {
  private let log: RecorderDelegate
  private(set) var accepted: [GCDAsyncSocket] = []
  let childQueue = DispatchQueue(label: "child")

  init(log: RecorderDelegate) { self.log = log }

  func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket) -> DispatchQueue? {
    _ = log.newSocketQueueForConnection(fromAddress: address, on: sock)
    return childQueue
  }

  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    accepted.append(newSocket)
    log.socket(sock, didAcceptNewSocket: newSocket)
  }

  func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) {
    log.socket(sock, didConnectToHost: host, port: port)
  }

  func socket(_ sock: GCDAsyncSocket, didConnectTo url: URL) { log.socket(sock, didConnectTo: url) }

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    log.socket(sock, didRead: data, withTag: tag)
  }

  func socket(_ sock: GCDAsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    log.socket(sock, didReadPartialDataOfLength: partialLength, tag: tag)
  }

  func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) { log.socket(sock, didWriteDataWithTag: tag) }

  func socket(_ sock: GCDAsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    log.socket(sock, didWritePartialDataOfLength: partialLength, tag: tag)
  }

  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    log.socket(sock, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length)
  }

  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    log.socket(sock, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: length)
  }

  func socketDidCloseReadStream(_ sock: GCDAsyncSocket) { log.socketDidCloseReadStream(sock) }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: Error?) {
    log.socketDidDisconnect(sock, withError: err)
  }

  func socketDidSecure(_ sock: GCDAsyncSocket) {}

  func socket(_ sock: GCDAsyncSocket, didReceive trust: SecTrust, completionHandler: @escaping (Bool) -> Void) {
    completionHandler(false)
  }
}

@Suite struct OriginalAPITests {
  @Test("constants and error codes have the original's names and values (ERR-01, ERR-15, UTIL-06)")
  func constants() {
    #expect(GCDAsyncSocketException == "GCDAsyncSocketException")
    #expect(GCDAsyncSocketErrorDomain == "GCDAsyncSocketErrorDomain")
    #expect(GCDAsyncSocketQueueName == "GCDAsyncSocket")
    #expect(GCDAsyncSocketThreadName == "GCDAsyncSocket-CFStream")
    #expect(GCDAsyncSocketLoggingContext == 65535)
    let codes: [GCDAsyncSocketError.Code] = [
      .noError, .badConfigError, .badParamError, .connectTimeoutError, .readTimeoutError, .writeTimeoutError,
      .readMaxedOutError, .closedError, .otherError,
    ]
    #expect(codes.map(\.rawValue) == Array(0...8))
    let ofTheError: [GCDAsyncSocketError.Code] = [
      GCDAsyncSocketError.noError, GCDAsyncSocketError.badConfigError, GCDAsyncSocketError.badParamError,
      GCDAsyncSocketError.connectTimeoutError, GCDAsyncSocketError.readTimeoutError,
      GCDAsyncSocketError.writeTimeoutError, GCDAsyncSocketError.readMaxedOutError, GCDAsyncSocketError.closedError,
      GCDAsyncSocketError.otherError,
    ]
    #expect(ofTheError == codes)
    #expect(GCDAsyncSocketError.errorDomain == GCDAsyncSocketErrorDomain)
    #expect(GCDAsyncSocket.crlfData() == Data([13, 10]))
    #expect(GCDAsyncSocket.crData() == Data([13]))
    #expect(GCDAsyncSocket.lfData() == Data([10]))
    #expect(GCDAsyncSocket.zeroData() == Data([0]))
  }

  @Test("the keys of the TLS settings go into a dictionary for startTLS")
  func securityKeys() {
    let keys = [
      GCDAsyncSocketManuallyEvaluateTrust, GCDAsyncSocketUseCFStreamForTLS, GCDAsyncSocketSSLPeerName,
      GCDAsyncSocketSSLCertificates, GCDAsyncSocketSSLIsServer, GCDAsyncSocketSSLPeerID,
      GCDAsyncSocketSSLProtocolVersionMin, GCDAsyncSocketSSLProtocolVersionMax,
      GCDAsyncSocketSSLSessionOptionFalseStart, GCDAsyncSocketSSLSessionOptionSendOneByteRecord,
      GCDAsyncSocketSSLCipherSuites, GCDAsyncSocketSSLALPN, GCDAsyncSocketSSLDiffieHellmanParameters,
    ]
    #expect(Set(keys).count == keys.count)
    let seedKeys = [
      kCFStreamSSLLevel as String, kCFStreamSSLAllowsExpiredCertificates as String,
      kCFStreamSSLAllowsExpiredRoots as String, kCFStreamSSLAllowsAnyRoot as String,
      kCFStreamSSLValidatesCertificateChain as String, kCFStreamSSLPeerName as String,
      kCFStreamSSLCertificates as String, kCFStreamSSLIsServer as String,
    ]
    #expect(Set(seedKeys).count == seedKeys.count)
    let socket = GCDAsyncSocket()
    socket.startTLS(nil)
    socket.startTLS([GCDAsyncSocketSSLPeerName: "example.org" as NSString, seedKeys[3]: NSNumber(value: true)])
    #expect(socket.isSecure == false)
    #expect(socket.isDisconnected)
  }

  @Test(
    "every initialiser, and every setting with its default and its setter (LIFE-24, CFG-01, CFG-06, CFG-07, CFG-13)")
  func settings() {
    let delegate = RecorderDelegate()
    let queue = DispatchQueue(label: "delegate")
    let socketQueue = DispatchQueue(label: "socket")
    let sockets = [
      GCDAsyncSocket(), GCDAsyncSocket(socketQueue: socketQueue), GCDAsyncSocket(socketQueue: nil),
      GCDAsyncSocket(delegate: delegate, delegateQueue: queue),
      GCDAsyncSocket(delegate: delegate, delegateQueue: queue, socketQueue: socketQueue),
      GCDAsyncSocket(delegate: nil, delegateQueue: nil, socketQueue: nil),
    ]
    for socket in sockets {
      #expect(socket.isIPv4Enabled && socket.isIPv6Enabled && socket.isIPv4PreferredOverIPv6)
      #expect(socket.autoDisconnectOnClosedReadStream)
      #expect(socket.alternateAddressDelay == 0.3)
      #expect(socket.userData == nil)
      socket.isIPv4Enabled = false
      socket.isIPv6Enabled = false
      socket.setPreferIPv4OverIPv6(false)
      #expect(!socket.isIPv4PreferredOverIPv6)
      socket.isIPv4PreferredOverIPv6 = true
      socket.autoDisconnectOnClosedReadStream = false
      socket.alternateAddressDelay = 1.5
      socket.userData = ["session": 7]
      #expect(!socket.isIPv4Enabled && !socket.isIPv6Enabled && socket.isIPv4PreferredOverIPv6)
      #expect(!socket.autoDisconnectOnClosedReadStream)
      #expect(socket.alternateAddressDelay == 1.5)
      #expect((socket.userData as? [String: Int])?["session"] == 7)
      #expect(socket.notifiesDisconnectBeforeReturning == false)
    }
    #expect(sockets[3].delegate === delegate)
    #expect(sockets[3].delegateQueue === queue)
    #expect(sockets[0].delegate == nil && sockets[0].delegateQueue == nil)
  }

  @Test("delegate and queue are read and set one by one, together, and synchronously (CFG-08, CFG-10)")
  func delegatePointers() {
    let first = RecorderDelegate()
    let second = RecorderDelegate()
    let queue = DispatchQueue(label: "one")
    let other = DispatchQueue(label: "other")
    let socket = GCDAsyncSocket()
    socket.delegate = first
    socket.delegateQueue = queue
    var delegate: GCDAsyncSocketDelegate?
    var delegateQueue: DispatchQueue?
    socket.getDelegate(&delegate, delegateQueue: &delegateQueue)
    #expect(delegate === first && delegateQueue === queue)
    socket.setDelegate(second, delegateQueue: other)
    socket.getDelegate(&delegate, delegateQueue: nil)
    socket.getDelegate(nil, delegateQueue: &delegateQueue)
    #expect(delegate === second && delegateQueue === other)
    socket.synchronouslySetDelegate(first)
    #expect(socket.delegate === first)
    socket.synchronouslySetDelegateQueue(queue)
    #expect(socket.delegateQueue === queue)
    socket.synchronouslySetDelegate(second, delegateQueue: other)
    #expect(socket.delegate === second && socket.delegateQueue === other)
    socket.synchronouslySetDelegate(nil, delegateQueue: nil)
    #expect(socket.delegate == nil && socket.delegateQueue == nil)
  }

  @Test("a fresh socket has nothing to tell (LIFE-01, DIAG-01, DIAG-02, DIAG-11, DIAG-12, DIAG-14, THR-05, THR-14)")
  func freshSocket() {
    let socket = GCDAsyncSocket()
    #expect(socket.isDisconnected && !socket.isConnected)
    #expect(socket.connectedHost == nil && socket.connectedPort == 0 && socket.connectedUrl == nil)
    #expect(socket.localHost == nil && socket.localPort == 0)
    #expect(socket.connectedAddress == nil && socket.localAddress == nil)
    #expect(!socket.isIPv4 && !socket.isIPv6 && !socket.isSecure)
    var tag = 5
    var done: UInt = 5
    var total: UInt = 5
    #expect(socket.progress(ofReadReturningTag: &tag, bytesDone: &done, total: &total).isNaN)
    #expect(tag == 0 && done == 0 && total == 0)
    #expect(socket.progress(ofWriteReturningTag: nil, bytesDone: nil, total: nil).isNaN)
    var inside: Int32 = 0
    socket.perform { inside = socket.socketFD() }
    #expect(inside == -1)
    #expect(socket.socketFD() == -1 && socket.socket4FD() == -1 && socket.socket6FD() == -1)
    #expect(socket.readStream() == nil && socket.writeStream() == nil && socket.sslContext() == nil)
    #expect(socket.enableBackgroundingOnSocket() == false)
    #expect(!socket.description.isEmpty)
    let queue = DispatchQueue(label: "target")
    socket.markSocketQueueTargetQueue(queue)
    socket.unmarkSocketQueueTargetQueue(queue)
  }

  @Test(
    "errors are caught the ways Swift code catches the original's (LIFE-05, LIFE-06, CON-03, CON-29, ERR-08, ERR-12)")
  func catchingErrors() {
    let socket = GCDAsyncSocket()
    do {
      try socket.accept(onPort: 0)
      Issue.record("a socket without a delegate started")
    } catch let error as NSError {
      #expect(error.domain == GCDAsyncSocketErrorDomain)
      #expect(error.code == GCDAsyncSocketError.badConfigError.rawValue)
      #expect(!error.localizedDescription.isEmpty)
    }
    do {
      try socket.connect(toHost: "", onPort: 80)
      Issue.record("an empty host was taken")
    } catch GCDAsyncSocketError.badConfigError {
      Issue.record("the host comes before the delegate")
    } catch GCDAsyncSocketError.badParamError {
    } catch {
      Issue.record("another error: \(error)")
    }
    do {
      try socket.connect(toHost: "127.0.0.1", onPort: 80, withTimeout: 3)
    } catch let error as GCDAsyncSocketError where error.code == .badConfigError {
      #expect(error.errorCode == 1)
    } catch {
      Issue.record("another error: \(error)")
    }
    let err: Error? = #expect(throws: (any Error).self) { try socket.connect(toAddress: Data([1, 2, 3])) }
    #expect((err as NSError?)?.code == GCDAsyncSocketError.Code.badParamError.rawValue)
    #expect((err as? GCDAsyncSocketError)?.code == .badParamError)
    #expect((err as NSError?)?.domain == GCDAsyncSocketErrorDomain)
    let foreign: Error? = NSError(domain: NSPOSIXErrorDomain, code: 7)
    #expect((foreign as? GCDAsyncSocketError) == nil)
  }

  @Test("start methods in all their forms throw for a socket without a delegate, and connect when all is well")
  func startMethods() throws {
    let url = URL(fileURLWithPath: "/nowhere")
    let address = Data([2, 0, 0, 80, 127, 0, 0, 1] + [UInt8](repeating: 0, count: 8))
    let starts: [(String, (GCDAsyncSocket) throws -> Void)] = [
      ("accept(onPort:)", { try $0.accept(onPort: 0) }),
      ("accept(onInterface:port:)", { try $0.accept(onInterface: "localhost", port: 0) }),
      ("accept(on:)", { try $0.accept(on: url) }),
      ("connect(toHost:onPort:)", { try $0.connect(toHost: "127.0.0.1", onPort: 1) }),
      ("…withTimeout:)", { try $0.connect(toHost: "127.0.0.1", onPort: 1, withTimeout: 1) }),
      (
        "…viaInterface:withTimeout:)",
        { try $0.connect(toHost: "127.0.0.1", onPort: 1, viaInterface: "lo", withTimeout: 1) }
      ),
      ("connect(toAddress:)", { try $0.connect(toAddress: address) }),
      ("connect(toAddress:withTimeout:)", { try $0.connect(toAddress: address, withTimeout: 1) }),
      (
        "connect(toAddress:viaInterface:withTimeout:)",
        { try $0.connect(toAddress: address, viaInterface: nil, withTimeout: 1) }
      ),
      ("connect(to: URL, withTimeout:)", { try $0.connect(to: url, withTimeout: 1) }),
      ("connect(to: NetService)", { try $0.connect(to: NetService(addresses: [Data(), address])) }),
    ]
    for (name, start) in starts {
      let error = #expect(throws: (any Error).self, "\(name)") { try start(GCDAsyncSocket()) }
      #expect((error as? GCDAsyncSocketError)?.code == .badConfigError, "\(name)")
    }
    let descriptor = Int32(-1)
    for make in [
      { try GCDAsyncSocket(fromConnectedSocketFD: descriptor, socketQueue: nil) },
      { try GCDAsyncSocket(fromConnectedSocketFD: descriptor, delegate: nil, delegateQueue: nil) },
      { try GCDAsyncSocket(fromConnectedSocketFD: descriptor, delegate: nil, delegateQueue: nil, socketQueue: nil) },
    ] as [() throws -> GCDAsyncSocket] {
      let error = #expect(throws: (any Error).self) { _ = try make() }
      #expect((error as? GCDAsyncSocketError)?.code == .otherError)
    }
  }

  /// The raw address of a port at 127.0.0.1.
  private static func loopback(_ port: UInt16) -> Data {
    Data([2, 0, UInt8(port >> 8), UInt8(port & 0xFF), 127, 0, 0, 1] + [UInt8](repeating: 0, count: 8))
  }

  @Test("of a service's addresses the first that starts is connected to, and without any the call fails (CON-46)")
  func netService() throws {
    let listener = try RawListener()
    let other = try RawListener()
    let (good, second) = (Self.loopback(listener.port), Self.loopback(other.port))
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    for addresses in [nil, [], [Data()], [Data([1, 2, 3]), Data()]] as [[Data]?] {
      #expect(throws: (any Error).self, "\(String(describing: addresses))") {
        try socket.connect(to: NetService(addresses: addresses))
      }
      #expect(socket.isDisconnected)
    }
    try socket.connect(to: NetService(addresses: [Data(), Data([1, 2, 3]), good, second]))
    try delegate.waitForConnect(of: socket)
    #expect(socket.connectedPort == listener.port)
  }

  @Test("a whole conversation with every read and write method, every callback, and a subclass (LIFE-27, DIAG-05)")
  func conversation() throws {
    let log = RecorderDelegate()
    let delegate = EverythingDelegate(log: log)
    let queue = DispatchQueue(label: "delegate")
    let listener = ChatSocket(delegate: delegate, delegateQueue: queue)
    try listener.accept(onInterface: "localhost", port: 0)
    let client = GCDAsyncSocket(delegate: delegate, delegateQueue: queue)
    try client.connect(toHost: "127.0.0.1", onPort: listener.localPort, viaInterface: "lo", withTimeout: 20)
    let server = try #require(try log.child() as? ChatSocket)
    #expect(server.nickname == "nobody")
    try log.waitForConnect(of: client)
    #expect(client.connectedPort == listener.localPort && server.connectedPort == client.localPort)
    #expect(client.connectedAddress?.count == 16 && client.localAddress?.count == 16)

    let crlf = GCDAsyncSocket.crlfData()
    let buffer = NSMutableData(data: data("##"))
    client.readData(withTimeout: -1, tag: 1)
    server.write(data("a"), withTimeout: -1, tag: 100)
    #expect(try log.bytes(ofRead: 1, of: client) == data("a"))
    client.readData(withTimeout: 30, buffer: buffer, bufferOffset: 2, tag: 2)
    server.write(data("b"), withTimeout: 30, tag: 101)
    #expect(try log.bytes(ofRead: 2, of: client) == data("b"))
    #expect(buffer as Data == data("##b"))
    client.readData(withTimeout: -1, buffer: nil, bufferOffset: 0, maxLength: 2, tag: 3)
    client.readData(toLength: 2, withTimeout: -1, tag: 4)
    client.readData(toLength: 3, withTimeout: -1, buffer: buffer, bufferOffset: 3, tag: 5)
    client.readData(to: crlf, withTimeout: -1, tag: 6)
    client.readData(to: crlf, withTimeout: -1, buffer: buffer, bufferOffset: 3, tag: 7)
    client.readData(to: crlf, withTimeout: -1, maxLength: 5, tag: 8)
    client.readData(to: crlf, withTimeout: -1, buffer: nil, bufferOffset: 0, maxLength: 5, tag: 9)
    server.write(data("ccddeeef\r\ng\r\nh\r\ni\r\n"), withTimeout: -1, tag: 102)
    let expected = [3: "cc", 4: "dd", 5: "eee", 6: "f\r\n", 7: "g\r\n", 8: "h\r\n", 9: "i\r\n"]
    for (tag, text) in expected.sorted(by: { $0.key < $1.key }) {
      #expect(try log.bytes(ofRead: tag, of: client) == data(text), "tag \(tag)")
    }
    #expect(buffer as Data == data("##bg\r\n"))
    try log.wait(for: .wrote(tag: 102), of: server)

    server.disconnectAfterReading()
    try log.waitForDisconnect(of: server)
    try log.waitForDisconnect(of: client)
    #expect(log.disconnectError(of: server) == nil)
    #expect(log.disconnectError(of: client)?.isLibrary(.closedError) == true)
    client.disconnectAfterWriting()
    client.disconnectAfterReadingAndWriting()
    client.disconnect()
    listener.disconnect()
    try log.waitForDisconnect(of: listener)
    #expect(delegate.accepted.count == 1)
  }

  /// A delegate without a single method.
  private final class Nothing: NSObject, GCDAsyncSocketDelegate {}

  @Test("a delegate without a single method is a delegate (CFG-12)")
  func emptyDelegate() throws {
    let (listener, nothing) = (try RawListener(), Nothing())
    let socket = GCDAsyncSocket(delegate: nothing, delegateQueue: DispatchQueue(label: "delegate"))
    try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
    socket.readData(toLength: 3, withTimeout: -1, tag: 0)
    socket.write(data("abc"), withTimeout: -1, tag: 0)
    socket.readData(toLength: 3, withTimeout: 0.05, tag: 1)
    let peer = try listener.accept()
    #expect(try peer.receive(3) == Array("abc".utf8))
    try peer.send("xyz")
    // The second read times out without anybody to ask.
    #expect(try peer.ending() == .endOfStream)
    try eventually("the socket is disconnected") { socket.isDisconnected }
  }

  @Test("a delegate without a single method gives a write no more time (CFG-12, TMO-07)")
  func emptyDelegateOfAWrite() throws {
    let (listener, nothing) = (try RawListener(), Nothing())
    let socket = GCDAsyncSocket(delegate: nothing, delegateQueue: DispatchQueue(label: "delegate"))
    try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
    let peer = try listener.accept()
    socket.write(Data(count: 32 << 20), withTimeout: 0.05, tag: 0)
    try eventually("the socket is disconnected") { socket.isDisconnected }
    withExtendedLifetime(peer) {}
  }
}
