import COpenSSL
import SocketCore
import Testing

@testable import SocketTLS

@Suite struct HandshakeTests {
  @Test(arguments: [ProtocolVersion.tls12, .tls13], SessionPair.Chunking.allCases)
  func completesInAnyPieces(_ version: ProtocolVersion, _ chunking: SessionPair.Chunking) throws {
    let pair = try SessionPair.established(chunking, version: version)
    #expect(pair.client.version == version)
    #expect(pair.server.version == version)
    #expect(pair.client.handshake().isComplete)
    #expect(pair.client.cipherSuite?.hasPrefix("TLS_") == true)
    #expect(pair.client.peerCertificates.map(\.subject) == ["CN=good", "CN=Intermediate"])
    #expect(pair.server.peerCertificates.isEmpty)
    #expect(pair.server.serverName == "good.example")
    pair.carryAll()
    #expect(pair.client.hear().end == .needsInput)
    #expect(pair.server.hear().end == .needsInput)
  }

  @Test func noCertificateIsAskedOfTheClientByDefault() throws {
    let pair = try SessionPair(
      SessionPair.clientSettings {
        $0.maximumVersion = .tls12
        $0.identity = try? Mint.good.identity
      }, try SessionPair.serverSettings())
    try pair.shakeHands()
    #expect(pair.server.peerCertificates.isEmpty)
  }

  @Test(arguments: [
    (["h2", "http/1.1"], ["http/1.1", "h2"], "http/1.1"), (["a"], [], nil), ([], ["a"], nil),
  ])
  func agreesOnAProtocol(_ client: [String], _ server: [String], _ chosen: String?) throws {
    let pair = try SessionPair(
      SessionPair.clientSettings { $0.applicationProtocols = client },
      try SessionPair.serverSettings { $0.applicationProtocols = server })
    try pair.shakeHands()
    #expect(pair.client.applicationProtocol == chosen)
    #expect(pair.server.applicationProtocol == chosen)
  }

  @Test func noCommonProtocolEndsBoth() throws {
    let pair = try SessionPair(
      SessionPair.clientSettings { $0.applicationProtocols = ["a"] },
      try SessionPair.serverSettings { $0.applicationProtocols = ["b"] })
    let (client, server) = pair.run()
    #expect(client.code == -9824)
    #expect(server.code == -9824)
  }

  /// OpenSSL itself looks from 3.0.15 on.
  @Test func aProtocolThatWasNotOfferedIsRefused() throws {
    let client = try TLSSession(SessionPair.clientSettings { $0.applicationProtocols = ["http/1.1"] })
    let server = RawPeer(.server, party: Mint.good) { context in
      SSL_CTX_set_alpn_select_cb(
        context,
        { _, chosen, count, offered, _, _ in
          // One byte of the name that was offered.
          chosen?.pointee = offered.map { $0 + 1 }
          count?.pointee = 1
          return SSL_TLSEXT_ERR_OK
        }, nil)
    }
    let progress = server.shakeHands(with: client)
    #expect(progress.code != nil && client.applicationProtocol == nil, "\(progress)")
  }

  @Test(arguments: [
    ("good.example", "good.example"), ("GOOD.example.", "good.example"), ("192.0.2.1", nil), (nil, nil),
  ])
  func tellsTheServerNamesButNotAddresses(_ name: String?, _ seen: String?) throws {
    let pair = try SessionPair(SessionPair.clientSettings { $0.peerName = name }, try SessionPair.serverSettings())
    try pair.shakeHands()
    #expect(pair.server.serverName == seen)
  }

  @Test func noCommonVersionEndsBoth() throws {
    let pair = try SessionPair(
      SessionPair.clientSettings { $0.maximumVersion = .tls12 },
      try SessionPair.serverSettings { $0.minimumVersion = .tls13 })
    let (client, server) = pair.run()
    #expect(client.code == -9836)
    #expect(server.code == -9836)
  }

  @Test(arguments: [ProtocolVersion.tls10, .tls11])
  func oldVersionsOnlyWhenAskedFor(_ version: ProtocolVersion) throws {
    let old = SessionPair.clientSettings { $0.maximumVersion = version }
    let refused = try SessionPair(old, try SessionPair.serverSettings())
    let (client, server) = refused.run()
    #expect(client.code == -9836)
    #expect(server.code == -9836)
    let pair = try SessionPair(old, try SessionPair.serverSettings { try $0.apply(.tls1) })
    try pair.shakeHands()
    #expect(pair.client.version == version)
  }

  @Test func noSharedCipherEndsBoth() throws {
    let pair = try SessionPair(
      SessionPair.clientSettings { $0.cipherSuites = ["ECDHE-ECDSA-AES128-GCM-SHA256"] },
      try SessionPair.serverSettings { $0.cipherSuites = ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"] })
    let (client, server) = pair.run()
    #expect(client.code == -9824)
    #expect(server.code == -9824)
    #expect(server.failure?.text.contains("no shared cipher") == true)
  }

  @Test(arguments: [
    ("TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384", ProtocolVersion.tls13),
    ("TLS_AES_128_CCM_SHA256", "TLS_AES_128_CCM_SHA256", .tls13),
    ("0x1303", "TLS_CHACHA20_POLY1305_SHA256", .tls13),
    ("ECDHE-ECDSA-AES256-GCM-SHA384", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", .tls12),
    ("tls_ecdhe_ecdsa_with_aes_128_gcm_sha256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", .tls12),
  ])
  func usesTheCiphersOfTheSettings(_ name: String, _ used: String, _ version: ProtocolVersion) throws {
    let pair = try SessionPair(
      SessionPair.clientSettings { $0.cipherSuites = [name] },
      try SessionPair.serverSettings { if name.hasSuffix("CCM_SHA256") { $0.cipherSuites = [name] } })
    try pair.shakeHands()
    #expect(pair.client.cipherSuite == used)
    #expect(pair.client.version == version)
  }

  @Test func aServerWithoutAnIdentityFailsOnBothEnds() throws {
    let pair = try SessionPair(SessionPair.clientSettings(), try SessionPair.serverSettings { $0.identity = nil })
    let (client, server) = pair.run()
    #expect(client.code == -9824)
    #expect(server.code == -9824)
  }

  @Test(arguments: [
    ("HTTP/1.0 400 Bad Request\r\n\r\n", HandshakeRole.client), ("220 go\r\n", .client),
    ("GET / HTTP/1.0\r\n\r\n", .server),
    ("\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}", .client), ("EVIL\r\n", .server),
  ])
  func clearTextIsNoTLS(_ text: String, _ role: HandshakeRole) throws {
    let session = try TLSSession(
      role == .client ? SessionPair.clientSettings() : try SessionPair.serverSettings())
    #expect(session.handshake().needsInput)
    session.feed(Array(text.utf8))
    let progress = session.handshake()
    #expect(progress.code == -9847)
    #expect(progress.failure?.text.contains("does not speak TLS") == true, "\(progress)")
    #expect(session.handshake().failure == progress.failure)
  }

  @Test(arguments: [HandshakeRole.client, .server], [0, 1, 40])
  func theEndOfTheWireEndsTheHandshake(_ role: HandshakeRole, _ count: Int) throws {
    let session = try TLSSession(
      role == .client ? SessionPair.clientSettings() : try SessionPair.serverSettings())
    _ = session.handshake()
    session.feed(Array(([22, 3, 3, 0, 100, 2, 0, 0, 96] + [UInt8](repeating: 1, count: 64)).prefix(count)))
    session.inputEnded()
    let progress = session.handshake()
    #expect(progress.code == -9806, "\(progress)")
    session.close()
    #expect(session.hear().end.failure == progress.failure)
    #expect([1].withUnsafeBytes { session.seal($0) } == progress.failure)
  }

  @Test(
    arguments: [
      (10, -9819), (20, -9820), (21, -9821), (22, -9822), (40, -9824), (42, -9825), (43, -9826), (44, -9827),
      (45, -9828), (46, -9829), (47, -9830), (48, -9831), (49, -9832), (50, -9833), (51, -9834), (70, -9836),
      (71, -9837), (80, -9838), (112, -9824), (0, -9805),
    ] as [(UInt8, Int32)])
  func alertsOfThePeerHaveTheirCodes(_ alert: UInt8, _ code: Int32) throws {
    let session = try TLSSession(SessionPair.clientSettings())
    _ = session.handshake()
    session.feed([21, 3, 3, 0, 2, alert == 0 ? 1 : 2, alert])
    let progress = session.handshake()
    #expect(progress.code == code, "\(progress)")
    #expect(progress.failure?.text.isEmpty == false)
  }

  /// The whole registry of alerts, in the words of the standards or OpenSSL's.
  @Test(
    arguments: [
      (0, "close notify"), (10, "unexpected_message"), (20, "bad record mac"), (21, "decryption failed"),
      (22, "record overflow"), (30, "decompression failure"), (40, "handshake failure"), (41, "no certificate"),
      (42, "bad certificate"), (43, "unsupported certificate"), (44, "certificate revoked"),
      (45, "certificate expired"), (46, "certificate unknown"), (47, "illegal parameter"), (48, "unknown CA"),
      (49, "access denied"), (50, "decode error"), (51, "decrypt error"), (52, "too many cids requested"),
      (60, "export restriction"), (70, "protocol version"), (71, "insufficient security"), (80, "internal error"),
      (86, "inappropriate fallback"), (90, "user canceled"), (100, "no renegotiation"), (109, "missing extension"),
      (110, "unsupported extension"), (111, "certificate unobtainable"), (112, "unrecognized name"),
      (113, "bad certificate status response"), (114, "bad certificate hash value"), (115, "unknown PSK identity"),
      (116, "certificate required"), (117, "general error"), (120, "no application protocol"),
      (121, "ech required"), (200, "unknown"),
    ] as [(Int32, String)])
  func everyAlertHasItsName(_ alert: Int32, _ name: String) {
    #expect(TLSFailure.peerAlert(alert, .handshake).text.contains("\"\(name)\" (\(alert))"))
  }

  @Test func garbageInsideTLSIsAFailureOfTLS() throws {
    for seed in 0..<200 as Range<UInt64> {
      let pair = try SessionPair(SessionPair.clientSettings(), try SessionPair.serverSettings())
      _ = pair.client.handshake()
      var state = seed
      func next() -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33)
      }
      var hello = pair.client.takeOutput()
      for _ in 0...(next() % 4) { hello[next() % hello.count] = UInt8(next() & 255) }
      pair.server.feed(hello)
      pair.server.inputEnded()
      if case .failed(let failure) = pair.server.handshake() {
        #expect(failure.code != nil && !failure.text.isEmpty, "\(failure)")
      }
      // And what the server made of it, cut and changed, to the client.
      var answer = pair.server.takeOutput()
      if !answer.isEmpty { answer[next() % answer.count] ^= UInt8(next() & 255) }
      pair.client.feed(answer)
      pair.client.inputEnded()
      #expect(pair.client.handshake().failure?.code != nil || pair.client.isEstablished)
    }
  }

  /// In TLS 1.2 the certificate travels in clear, and can be spoilt under way.
  @Test func aMalformedCertificateIsOne() throws {
    let pair = try SessionPair(
      SessionPair.clientSettings { $0.maximumVersion = .tls12 }, try SessionPair.serverSettings())
    _ = pair.client.handshake()
    pair.server.feed(pair.client.takeOutput())
    _ = pair.server.handshake()
    var flight = pair.server.takeOutput()
    let der = Mint.good.der
    let start = try #require(flight.indices.first { flight[$0...].starts(with: der) })
    flight[start + 4] = 0x31
    pair.client.feed(flight)
    let progress = pair.client.handshake()
    #expect(progress.code == -9808, "\(progress)")
  }

  @Test func contextsCanBeShared() throws {
    let contexts = TLSContextCache()
    let settings = try SessionPair.serverSettings()
    for _ in 0..<3 {
      let server = try TLSSession(settings, contexts: contexts)
      let client = try TLSSession(SessionPair.clientSettings(), contexts: contexts)
      #expect(client.handshake().needsInput)
      server.feed(client.takeOutput())
      #expect(server.handshake().needsInput)
      client.feed(server.takeOutput())
      #expect(client.handshake().isComplete)
    }
  }
}
