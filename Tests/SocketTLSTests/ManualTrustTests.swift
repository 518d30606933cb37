import COpenSSL
import SocketCore
import Testing

@testable import SocketTLS

/// The delegate decides (TLS-20…TLS-25).
@Suite struct ManualTrustTests {
  static func pair(_ version: ProtocolVersion, _ chunking: SessionPair.Chunking = .whole) throws -> SessionPair {
    try SessionPair(
      SessionPair.clientSettings {
        $0.manualTrust = true
        $0.maximumVersion = version
        $0.applicationProtocols = ["a"]
      },
      try SessionPair.serverSettings {
        $0.identity = try VerificationTests.selfSigned.identity
        $0.applicationProtocols = ["a"]
      }, chunking)
  }

  @Test(arguments: [ProtocolVersion.tls12, .tls13], SessionPair.Chunking.allCases)
  func yesGoesOn(_ version: ProtocolVersion, _ chunking: SessionPair.Chunking) throws {
    let pair = try Self.pair(version, chunking)
    let progress = pair.run().client
    let trust = try #require(progress.trust)
    #expect(trust.chain == [VerificationTests.selfSigned.der])
    // Asked again, nothing moves, and it is the same question.
    for _ in 0..<3 {
      let again = pair.client.handshake()
      #expect(again.trust === trust)
      #expect(!pair.client.isEstablished)
      #expect(pair.client.output.isEmpty)
    }
    pair.client.answerTrust(true)
    pair.client.answerTrust(false)
    try pair.shakeHands()
    #expect(pair.client.version == version)
    // The other settings count, too (D-18).
    #expect(pair.client.applicationProtocol == "a")
    #expect(pair.server.serverName == "good.example")
    pair.server.say([1])
    pair.carryAll()
    #expect(pair.client.hear().bytes == [1])
  }

  @Test(arguments: [ProtocolVersion.tls12, .tls13])
  func theWholeChainIsShown(_ version: ProtocolVersion) throws {
    let pair = try SessionPair(
      SessionPair.clientSettings {
        $0.manualTrust = true
        $0.maximumVersion = version
      },
      try SessionPair.serverSettings { $0.identity = try Mint.good.identity })
    let trust = try #require(pair.run().client.trust)
    #expect(trust.chain == [Mint.good.der, Mint.intermediate.der])
  }

  @Test(arguments: [ProtocolVersion.tls12, .tls13])
  func noEndsBoth(_ version: ProtocolVersion) throws {
    let pair = try Self.pair(version)
    _ = pair.run()
    pair.client.answerTrust(false)
    pair.client.answerTrust(true)
    let (client, server) = pair.run()
    #expect(client.code == -9825)
    #expect(server.code == -9825, "\(server)")
    #expect(pair.client.handshake().failure == client.failure)
  }

  @Test(arguments: [ProtocolVersion.tls12, .tls13])
  func theEndIsNoticedWhileWaiting(_ version: ProtocolVersion) throws {
    let pair = try Self.pair(version)
    _ = pair.run()
    pair.client.inputEnded()
    #expect(pair.client.handshake().code == -9806)
    pair.client.answerTrust(true)
    #expect(pair.client.handshake().code == -9806)
  }

  @Test func anAlertIsNoticedWhileWaiting() throws {
    let pair = try Self.pair(.tls12)
    _ = pair.run()
    for byte in [21, 3, 3, 0, 2, 2] as [UInt8] {
      pair.client.feed([byte])
      #expect(pair.client.handshake().trust != nil)
    }
    pair.client.feed([80])
    #expect(pair.client.handshake().code == -9838)
  }

  @Test func whatKeepsComingIsKept() throws {
    let pair = try Self.pair(.tls12)
    _ = pair.run()
    let before = pair.client.wire.buffers.pointee.input.count
    pair.client.feed([UInt8](repeating: 0, count: 300_000))
    #expect(pair.client.handshake().trust != nil)
    #expect(pair.client.wire.buffers.pointee.input.count == before + 300_000)
    pair.client.answerTrust(true)
    #expect(pair.client.handshake().failure != nil)
  }

  @Test func anAnswerToNoQuestionIsNothing() throws {
    let pair = try Self.pair(.tls13)
    pair.client.answerTrust(true)
    #expect(pair.run().client.trust != nil)
    let other = try SessionPair.established()
    other.client.answerTrust(false)
    #expect(other.client.handshake().isComplete)
  }

  @Test func onlyWhatHasSignedTheOneBeforeIsOfThePath() {
    func path(_ shown: [Mint.Party]) -> [[UInt8]] {
      PeerTrust(shown.map(\.tls), peerName: nil).signedPath.map(\.der)
    }
    let (good, intermediate, root) = (Mint.good, Mint.intermediate, Mint.root)
    let whole = [good, intermediate, root].map(\.der)
    #expect(path([good, intermediate, root]) == whole)
    #expect(path([good, root, intermediate, good, intermediate]) == whole)
    #expect(path([good, root]) == [good.der])
    #expect(path([]).isEmpty)
    #expect(path([root, good, intermediate]) == [root.der])
    // Of the same name, but with a key of their own: one is passed by, too many are not.
    let namesake = Mint.make("Intermediate", by: root, ca: true)
    #expect(path([good, namesake, intermediate, root]) == whole)
    let many = (0..<32).map { Mint.make("Intermediate", by: root, ca: true, serial: 100 + $0) }
    #expect(path([good] + many + [intermediate]) == [good.der])
    // Signed by it, but by its own word no authority.
    let leafAsIssuer = Mint.make(
      "x", by: Mint.make("Leaf", by: root, extensions: [(NID_basic_constraints, "CA:FALSE")]))
    #expect(path([leafAsIssuer] + leafAsIssuer.issuers).count == 1)
  }

  @Test func aChainForAnyPurposeIsAChainAllTheSame() {
    func isTrusted(_ party: Mint.Party, as role: HandshakeRole?) -> Bool {
      PeerTrust(([party] + party.issuers).map(\.tls), peerName: nil).evaluate(
        anchors: [Mint.root.tls], anchorsOnly: true, time: Mint.now, peerRole: role
      ).isTrusted
    }
    let signer = Mint.make("x", by: Mint.intermediate, extensions: [(NID_ext_key_usage, "codeSigning")])
    #expect(!isTrusted(signer, as: .server) && !isTrusted(signer, as: .client) && isTrusted(signer, as: nil))
    #expect(isTrusted(Mint.good, as: nil))
    // By no authority, expired, by a stranger.
    let below = Mint.make("y", by: signer)
    let old = Mint.make("z", by: Mint.intermediate, to: Mint.now - 1)
    let alone = Mint.make("alone")
    for party in [below, old, alone] { #expect(!isTrusted(party, as: nil)) }
  }

  @Test func theQuestionCanBeEvaluated() throws {
    let pair = try SessionPair(
      SessionPair.clientSettings { $0.manualTrust = true }, try SessionPair.serverSettings())
    let trust = try #require(pair.run().client.trust)
    #expect(trust.peerName == "good.example")
    let anchors = [Mint.root.tls]
    #expect(trust.evaluate(anchors: anchors, host: "good.example", time: Mint.now).isTrusted)
    let rows: [([TLSCertificate], String?, Int64, String)] = [
      ([], nil, Mint.now, "not known here"), (anchors, "bad.example", Mint.now, "not for bad.example"),
      (anchors, nil, Mint.now + 999 * Mint.day, "expired"), (anchors, "", Mint.now, "empty"),
    ]
    for (anchors, host, time, says) in rows {
      let verdict = trust.evaluate(anchors: anchors, anchorsOnly: true, host: host, time: time)
      #expect(verdict.reason?.contains(says) == true, "\(verdict)")
    }
  }

  /// Whoever evaluates the question has no other way to the lists, and means the anchors and the time that he has set.
  @Test(arguments: [(1, "revoked"), (2, nil)])
  func theQuestionIsEvaluatedAsTheSettingsSay(serial: Int, says: String?) throws {
    let list = VerificationTests.list(Mint.revocationList(by: Mint.intermediate, serial: serial))
    let pair = try SessionPair(
      SessionPair.clientSettings {
        ($0.manualTrust, $0.revocationLists) = (true, [list])
        ($0.anchors, $0.anchorsOnly, $0.verificationTime) = ([Mint.root.tls], true, Mint.now)
      }, try SessionPair.serverSettings())
    let trust = try #require(pair.run().client.trust)
    for verdict in [
      trust.evaluate(host: "good.example"), trust.evaluate(anchors: [Mint.root.tls], anchorsOnly: true, time: Mint.now),
    ] {
      #expect(verdict.isTrusted == (says == nil), "\(verdict)")
      if let says { #expect(verdict.reason?.contains(says) == true, "\(verdict)") }
    }
    #expect(trust.evaluate(revocationLists: []).isTrusted)
    #expect(trust.evaluate(anchors: [], revocationLists: []).reason?.contains("not known here") == true)
    #expect(trust.evaluate(time: Mint.now + 999 * Mint.day).reason?.contains("expired") == true)
  }

  @Test(
    "a text that is no name does no harm where nothing compares it (TLS-25)",
    arguments: ["", "My Mac", "m\u{FC}nchen.example", "[127.0.0.1]", "localhost:443", "good.example\u{0}"])
  func aTextThatIsNoName(_ text: String) throws {
    let judged = try SessionPair(
      SessionPair.clientSettings { ($0.manualTrust, $0.peerName) = (true, text) }, try SessionPair.serverSettings())
    let trust = try #require(judged.run().client.trust)
    #expect(trust.peerName == text)
    #expect(!trust.evaluate(anchors: [Mint.root.tls], host: trust.peerName, time: Mint.now).isTrusted)
    judged.client.answerTrust(true)
    #expect(judged.run().client.isComplete)
    #expect(judged.server.serverName == nil)

    let unchecked = try SessionPair(
      SessionPair.clientSettings {
        $0.verification.checksChain = false
        $0.peerName = text
      }, try SessionPair.serverSettings())
    #expect(unchecked.run().client.isComplete)
    #expect(unchecked.server.serverName == nil)
  }
}
