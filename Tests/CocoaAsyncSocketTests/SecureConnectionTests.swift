import CocoaAsyncSocket
import Foundation
import ScenarioModel
import SocketPOSIX
import SocketTLS
import TestCertificates
import TestSupport
import Testing

/// TLS between two sockets of the library, over the real kernel (TLS-01…TLS-42).
@Suite struct SecureConnectionTests {
  /// A listener that secures what it accepts, and a client that has not started TLS.
  struct Pair {
    let serverSide: RecorderDelegate
    let clientSide: RecorderDelegate
    let listener: GCDAsyncSocket
    let client: GCDAsyncSocket

    init(
      server: [String: NSObject], clientSide: RecorderDelegate = RecorderDelegate(), sharesQueue: Bool = false
    ) throws {
      let settings = SettingsBox(server)
      serverSide = RecorderDelegate(onAccept: { $0.startTLS(settings.dictionary) })
      self.clientSide = clientSide
      listener = GCDAsyncSocket(delegate: serverSide, delegateQueue: DispatchQueue(label: "server"))
      try listener.accept(onInterface: "127.0.0.1", port: 0)
      let queue = DispatchQueue(label: "client")
      client = GCDAsyncSocket(delegate: clientSide, delegateQueue: queue, socketQueue: sharesQueue ? queue : nil)
      try client.connect(toHost: "127.0.0.1", onPort: listener.localPort)
    }

    var child: GCDAsyncSocket { get throws { try serverSide.child() } }
  }

  /// Unchecked: the dictionary is never changed.
  final class SettingsBox: @unchecked Sendable {
    let dictionary: [String: NSObject]
    init(_ dictionary: [String: NSObject]) { self.dictionary = dictionary }
  }

  static let pinned = NSDate(timeIntervalSince1970: TimeInterval(TestPKI.pinnedNow))

  static func server(_ name: CertificateName = .leaf, extra: [String: NSObject] = [:]) throws -> [String: NSObject] {
    let identity = try TestPKI.shared.identity(name)
    let settings: [String: NSObject] = [
      kCFStreamSSLIsServer: NSNumber(value: true),
      kCFStreamSSLCertificates: [try SecIdentity(pem: Data(identity.chain), key: Data(identity.key))] as NSArray,
      GCDAsyncSocketSSLVerifyDate: pinned,
    ]
    return settings.merging(extra) { $1 }
  }

  static func client(_ extra: [String: NSObject] = [:]) throws -> [String: NSObject] {
    let root = try SecCertificate.certificates(Data(try TestPKI.shared.rootPEM))
    let settings: [String: NSObject] = [
      GCDAsyncSocketSSLTrustAnchors: root as NSArray, GCDAsyncSocketSSLTrustAnchorsOnly: NSNumber(value: true),
      GCDAsyncSocketSSLVerifyDate: pinned,
    ]
    return settings.merging(extra) { $1 }
  }

  static func version(_ version: SSLProtocol) -> [String: NSObject] {
    [
      GCDAsyncSocketSSLProtocolVersionMin: NSNumber(value: version.rawValue),
      GCDAsyncSocketSSLProtocolVersionMax: NSNumber(value: version.rawValue),
    ]
  }

  @Test(
    "bytes in both directions, 4 MiB each, in both versions and on a shared queue (TLS-02, TLS-26, TLS-30)",
    arguments: [SSLProtocol.tlsProtocol12, .tlsProtocol13], [false, true])
  func bothWays(version: SSLProtocol, sharesQueue: Bool) throws {
    let pair = try Pair(server: Self.server(extra: Self.version(version)), sharesQueue: sharesQueue)
    pair.client.startTLS(try Self.client([GCDAsyncSocketSSLPeerName: "good.example" as NSString]))
    let bytes = Data(countingBytes(4 << 20))
    let child = try pair.child
    pair.client.write(bytes, withTimeout: -1, tag: 1)
    pair.client.readData(toLength: UInt(bytes.count), withTimeout: -1, tag: 2)
    child.readData(toLength: UInt(bytes.count), withTimeout: -1, tag: 3)
    child.write(bytes, withTimeout: -1, tag: 4)
    #expect(try pair.clientSide.bytes(ofRead: 2, of: pair.client) == bytes)
    #expect(try pair.serverSide.bytes(ofRead: 3, of: child) == bytes)
    #expect(pair.client.isSecure && child.isSecure)
    #expect(pair.client.negotiatedTLSVersion == (version == .tlsProtocol12 ? "TLS 1.2" : "TLS 1.3"))
    #expect(pair.clientSide.kinds(of: pair.client).count { $0 == .secured } == 1)
    child.disconnectAfterWriting()
    try pair.clientSide.waitForDisconnect(of: pair.client)
    #expect(pair.clientSide.disconnectError(of: pair.client)?.isLibrary(.closedError) == true)
    #expect(!pair.client.isSecure)
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    let name: CertificateName
    let code: Int
    var peerName = "good.example"
    var testDescription: String { name.rawValue }
  }

  static let refusals = [
    Refusal(name: .expiredLeaf, code: -9814), Refusal(name: .notYetValidLeaf, code: -9815),
    Refusal(name: .expiredIntermediate, code: -9814), Refusal(name: .wrongHost, code: -9843),
    Refusal(name: .selfSigned, code: -9812), Refusal(name: .leaf, code: -9843, peerName: "bad.example"),
  ]

  @Test("a bad certificate ends the connection on both sides, and nothing leaks (TLS-12…TLS-15)", arguments: refusals)
  func refused(_ row: Refusal) throws {
    let pair = try Pair(server: Self.server(row.name))
    pair.client.startTLS(try Self.client([GCDAsyncSocketSSLPeerName: row.peerName as NSString]))
    pair.client.write(Data("secret".utf8), withTimeout: -1, tag: 1)
    try pair.clientSide.waitForDisconnect(of: pair.client)
    let error = try #require(pair.clientSide.disconnectError(of: pair.client))
    #expect(error.domain == "kCFStreamErrorDomainSSL" && error.code == row.code, "\(error)")
    let child = try pair.child
    try pair.serverSide.waitForDisconnect(of: child)
    #expect(pair.serverSide.disconnectError(of: child)?.domain == "kCFStreamErrorDomainSSL")
    #expect(pair.clientSide.kinds(of: pair.client).allSatisfy { $0 != .secured && $0 != .wrote(tag: 1) })
  }

  @Test("without a verify date the certificate must be valid now", arguments: [0, -400] as [Int64])
  func today(days: Int64) throws {
    let pki = TestPKI(now: Int64(Date().timeIntervalSince1970) + days * 86_400)
    let identity = try pki.identity(.leaf)
    var server = try Self.server()
    server[kCFStreamSSLCertificates] =
      [try SecIdentity(pem: Data(identity.chain), key: Data(identity.key))] as NSArray
    let pair = try Pair(server: server)
    let root = try SecCertificate.certificates(Data(try pki.rootPEM))
    pair.client.startTLS([GCDAsyncSocketSSLTrustAnchors: root as NSArray])
    if days == 0 {
      try pair.clientSide.wait(for: .secured, of: pair.client)
    } else {
      try pair.clientSide.waitForDisconnect(of: pair.client)
      #expect(pair.clientSide.disconnectError(of: pair.client)?.code == -9814)
    }
  }

  @Test(
    "a chain is judged for the name that the settings ask for, unless it is judged for another or for none",
    arguments: [
      (nil, nil, true, true), ("good.example", nil, true, true), ("other.example", nil, true, false),
      ("other.example", "good.example", true, true), ("good.example", "other.example", true, false),
      (nil, "other.example", true, false), ("other.example", nil, false, true),
    ] as [(String?, String?, Bool, Bool)])
  func evaluatedName(peerName: String?, host: String?, checksName: Bool, isTrusted: Bool) throws {
    let chain = try SecCertificate.certificates(Data(try TestPKI.shared.identity(.leaf).chain))
    let shown = try chain.map { try TLSCertificate(der: [UInt8]($0.data)) }
    let trust = SecTrust(core: PeerTrust(shown, peerName: peerName))
    let root = try SecCertificate.certificates(Data(try TestPKI.shared.rootPEM))
    let failure = trust.evaluate(
      anchors: root, anchorsOnly: true, host: host, checksName: checksName, date: Self.pinned as Date)
    #expect((failure == nil) == isTrusted)
  }

  @Test(
    "cipher suites are named by numbers of any size, as Apple's constants are",
    arguments: [0x009C, 0x002F, 0xC02F, 0x1301] as [UInt16])
  func suiteNumbers(_ suite: UInt16) throws {
    let suites: [String: NSObject] = [GCDAsyncSocketSSLCipherSuites: [NSNumber(value: suite)] as NSArray]
    let pair = try Pair(server: try Self.server(.leafRSA, extra: suites))
    pair.client.startTLS(try Self.client(suites))
    try pair.clientSide.wait(for: .secured, of: pair.client)
    try pair.serverSide.wait(for: .secured, of: try pair.child)
  }

  @Test("a date out of reach is no leave to judge as of now", arguments: [Double.infinity, -.infinity, .nan, 1e300])
  func dateOutOfReach(seconds: Double) throws {
    let pki = TestPKI(now: Int64(Date().timeIntervalSince1970))
    let root = try SecCertificate.certificates(Data(try pki.rootPEM))
    var terms = TrustTerms()
    terms.date = Date(timeIntervalSinceReferenceDate: seconds)
    let chain = try SecCertificate.certificates(Data(try pki.identity(.leaf).chain))
    let trust = SecTrust(certificates: chain, terms: terms)
    #expect(trust.evaluate(anchors: root, anchorsOnly: true) == nil)
    #expect(trust.evaluate(anchors: root, anchorsOnly: true, date: terms.date) != nil)
  }

  @Test("the delegate's word counts: at once or later, from anywhere, once (TLS-20…TLS-22)", arguments: [true, false])
  func manualTrust(isTrusted: Bool) throws {
    let answer = LockedValue<(@Sendable (Bool) -> Void)?>(nil)
    let chain = LockedValue<[Data]>([])
    let delegate = RecorderDelegate(onTrust: { _, trust, handler in
      chain.withLock { $0 = trust.certificateChain }
      answer.withLock { $0 = handler }
    })
    let pair = try Pair(server: Self.server(.selfSigned), clientSide: delegate)
    pair.client.startTLS(try Self.client([GCDAsyncSocketManuallyEvaluateTrust: NSNumber(value: true)]))
    try delegate.wait(for: .trustAsked, of: pair.client)
    #expect(!pair.client.isSecure)
    #expect(chain.withLock { $0 }.count == 1)
    let handler = try #require(answer.withLock { $0 })
    // Twice, from a thread of its own.
    let thread = Thread {
      handler(isTrusted)
      handler(!isTrusted)
    }
    thread.start()
    if isTrusted {
      try delegate.wait(for: .secured, of: pair.client)
      try pair.serverSide.wait(for: .secured, of: try pair.child)
      pair.client.disconnect()
      try delegate.waitForDisconnect(of: pair.client)
      #expect(delegate.disconnectError(of: pair.client) == nil)
    } else {
      try delegate.waitForDisconnect(of: pair.client)
      #expect(delegate.disconnectError(of: pair.client)?.code == -9825)
    }
    // After the end, and after a new start.
    handler(true)
    try pair.client.connect(toHost: "127.0.0.1", onPort: pair.listener.localPort)
    pair.client.startTLS(try Self.client([GCDAsyncSocketManuallyEvaluateTrust: NSNumber(value: true)]))
    try delegate.wait("a second question", count: 2) { $0.kind == .trustAsked }
    handler(true)
    #expect(!pair.client.isSecure)
    pair.client.disconnect()
  }

  @Test(
    "the first answer counts, though it waits for the block of perform in which another one is given (TLS-22)",
    arguments: [true, false])
  func firstAnswerWaits(isTrusted: Bool) throws {
    let answer = LockedValue<(@Sendable (Bool) -> Void)?>(nil)
    let delegate = RecorderDelegate(onTrust: { _, _, handler in answer.withLock { $0 = handler } })
    let pair = try Pair(server: Self.server(), clientSide: delegate)
    pair.client.startTLS(try Self.client([GCDAsyncSocketManuallyEvaluateTrust: NSNumber(value: true)]))
    try delegate.wait(for: .trustAsked, of: pair.client)
    let handler = try #require(answer.withLock { $0 })
    pair.client.perform {
      let isGiven = DispatchSemaphore(value: 0)
      Thread {
        handler(isTrusted)
        isGiven.signal()
      }.start()
      isGiven.wait()
      handler(!isTrusted)
    }
    if isTrusted {
      try delegate.wait(for: .secured, of: pair.client)
    } else {
      try delegate.waitForDisconnect(of: pair.client)
      #expect(delegate.disconnectError(of: pair.client)?.code == -9825)
    }
  }

  @Test(
    "a disconnect loses nothing to what TLS itself has received: written bytes, then the end of the stream (DIS-23)")
  func disconnectOverTickets() throws {
    for round in 0..<20 {
      // The server sends its session tickets as soon as it is secured, and the client reads nothing.
      let delegate = RecorderDelegate { socket, kind in
        switch kind {
        case .secured: socket.write(Data(count: 300_000), withTimeout: -1, tag: 1)
        case .wrote: socket.disconnect()
        default: break
        }
      }
      let pair = try Pair(server: Self.server(), clientSide: delegate)
      pair.client.startTLS(try Self.client())
      try pair.serverSide.wait(for: .secured, of: try pair.child)
      try pair.child.readData(toLength: 300_000, withTimeout: -1, tag: 2)
      try pair.serverSide.waitForDisconnect(of: try pair.child)
      #expect(pair.serverSide.kinds(of: try pair.child).contains(.read(Data(count: 300_000), tag: 2)), "round \(round)")
      #expect(pair.serverSide.disconnectError(of: try pair.child)?.code == 7, "round \(round)")
    }
  }

  @Test("while the answer is missing no processor time is spent, though the peer has more to say (TLS-24, UB-12)")
  func waitingIsIdle() async {
    // In a process of its own: nothing else may be busy beside it.
    await #expect(processExitsWith: .success) {
      let unanswered = LockedValue<(@Sendable (Bool) -> Void)?>(nil)
      let delegate = RecorderDelegate(onTrust: { _, _, handler in unanswered.withLock { $0 = handler } })
      let server = try SecureConnectionTests.server(extra: SecureConnectionTests.version(.tlsProtocol12))
      let pair = try SecureConnectionTests.Pair(server: server, clientSide: delegate)
      let settings = [GCDAsyncSocketManuallyEvaluateTrust: NSNumber(value: true)]
      pair.client.startTLS(try SecureConnectionTests.client(settings))
      try delegate.wait(for: .trustAsked, of: pair.client)
      // The rest of the server's flight is there, and bytes that belong to no handshake.
      try pair.child.write(Data(count: 100_000), withTimeout: -1, tag: 1)
      try eventually("the process is idle", limit: 20) { ProcessFacts.idleLoad() < 0.1 }
      pair.client.disconnect()
      try delegate.waitForDisconnect(of: pair.client)
      #expect(delegate.disconnectError(of: pair.client) == nil)
    }
  }

  /// Where a handler about trust is let go of.
  enum Dropping: CaseIterable { case inCallback, later, whileOwning, whileAnotherThreadOwns }

  @Test(
    "a handler that is let go of without an answer has said no, wherever that is (TLS-24)",
    arguments: Dropping.allCases)
  func droppedHandler(dropping: Dropping) throws {
    let kept = LockedValue<(@Sendable (Bool) -> Void)?>(nil)
    let delegate = RecorderDelegate(onTrust: { _, _, handler in
      if dropping != .inCallback { kept.withLock { $0 = handler } }
    })
    let pair = try Pair(server: Self.server(), clientSide: delegate)
    pair.client.startTLS(try Self.client([GCDAsyncSocketManuallyEvaluateTrust: NSNumber(value: true)]))
    try delegate.wait(for: .trustAsked, of: pair.client)
    // What the lock gives up is released behind it.
    let drop: @Sendable () -> Void = { _ = kept.withLock { $0.take() } }
    switch dropping {
    case .inCallback: break
    case .later: drop()
    case .whileOwning: pair.client.perform(drop)
    case .whileAnotherThreadOwns:
      pair.client.perform {
        let isDropped = DispatchSemaphore(value: 0)
        Thread {
          drop()
          isDropped.signal()
        }.start()
        isDropped.wait()
      }
    }
    try delegate.waitForDisconnect(of: pair.client)
    #expect(delegate.disconnectError(of: pair.client)?.code == -9825)
    #expect(delegate.kinds(of: pair.client).allSatisfy { $0 != .secured })
  }

  @Test("letting go of a handler that was called changes nothing (TLS-22)")
  func droppedAfterAnswer() throws {
    let delegate = RecorderDelegate(onTrust: { _, _, handler in handler(true) })
    let pair = try Pair(server: Self.server(), clientSide: delegate)
    pair.client.startTLS(try Self.client([GCDAsyncSocketManuallyEvaluateTrust: NSNumber(value: true)]))
    try delegate.wait(for: .secured, of: pair.client)
    #expect(pair.client.isSecure)
  }

  @Test("anchors that are set to nil are the system's, whatever the settings name")
  func systemAnchorsAgain() throws {
    let verdicts = LockedValue<[Bool]>([])
    let delegate = RecorderDelegate(onTrust: { _, trust, handler in
      let before = SecTrustEvaluateWithError(trust, nil)
      SecTrustSetAnchorCertificates(trust, nil)
      let after = SecTrustEvaluateWithError(trust, nil)
      SecTrustSetAnchorCertificates(trust, [] as CFArray)
      let last = SecTrustEvaluateWithError(trust, nil)
      verdicts.withLock { $0 = [before, after, last] }
      handler(false)
    })
    let pair = try Pair(server: Self.server(), clientSide: delegate)
    // The test root, and nothing else.
    pair.client.startTLS(try Self.client([GCDAsyncSocketManuallyEvaluateTrust: NSNumber(value: true)]))
    try delegate.wait(for: .trustAsked, of: pair.client)
    #expect(verdicts.withLock { $0 } == [true, false, false])
  }

  /// Knows nothing of trust.
  final class SilentDelegate: GCDAsyncSocketDelegate, Sendable {
    let error = LockedValue<RecordedError?>(nil)
    func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {
      error.withLock { $0 = err.map(RecordedError.init) }
    }
  }

  @Test("manual trust with a delegate that has no method for it is an otherError (TLS-23)")
  func nobodyToAsk() throws {
    let pair = try Pair(server: Self.server())
    let delegate = SilentDelegate()
    let client = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "silent"))
    try client.connect(toHost: "127.0.0.1", onPort: pair.listener.localPort)
    client.startTLS(try Self.client([GCDAsyncSocketManuallyEvaluateTrust: NSNumber(value: true)]))
    try eventually("closed") { delegate.error.withLock { $0 != nil } }
    #expect(delegate.error.withLock { $0 }?.isLibrary(.otherError) == true)
  }

  @Test("a second connection of the same socket is clear (TLS-37), and ALPN is agreed on (TLS-40)")
  func again() throws {
    let protocols: [String: NSObject] = [GCDAsyncSocketSSLALPN: ["h2", "lab"] as NSArray]
    let pair = try Pair(server: Self.server(extra: [GCDAsyncSocketSSLALPN: ["lab"] as NSArray]))
    pair.client.startTLS(try Self.client(protocols))
    try pair.clientSide.wait(for: .secured, of: pair.client)
    #expect(pair.client.negotiatedApplicationProtocol == "lab")
    pair.client.disconnect()
    let peer = try RawListener()
    try pair.client.connect(toHost: "127.0.0.1", onPort: peer.port)
    pair.client.write(Data("clear".utf8), withTimeout: -1, tag: 1)
    let raw = try peer.accept()
    #expect(try raw.receive(5) == Array("clear".utf8))
    #expect(!pair.client.isSecure)
    #expect(pair.client.negotiatedApplicationProtocol == nil)
  }

  @Test("two hundred handshakes leave no descriptor behind (LIFE-20)")
  func descriptors() async {
    await #expect(processExitsWith: .success) {
      let settings = try Self.client()
      let pair = try Pair(server: Self.server())
      pair.client.startTLS(settings)
      func disconnect(_ rounds: Int) throws {
        try pair.clientSide.wait("secured", count: rounds) { $0.kind == .secured }
        pair.client.disconnect()
        try pair.clientSide.waitForDisconnect(of: pair.client, times: rounds)
        pair.serverSide.dropChildren()
      }
      try disconnect(1)
      let before = try ProcessFacts.settledDescriptors()
      for round in 2...201 {
        try pair.client.connect(toHost: "127.0.0.1", onPort: pair.listener.localPort)
        pair.client.startTLS(settings)
        try disconnect(round)
      }
      try eventually("descriptors back to \(before)") { ProcessFacts.openDescriptors() <= before }
    }
  }
}
