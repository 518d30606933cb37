import ScenarioModel
import ScriptedPeer
import Testing

@Suite struct PeerMachineTLSTests {
  private static let versions: [TLSVersion] = [.tls12, .tls13]
  private static let talk: [PeerStep] = [tls(), .expect(payload("HELLO")), .send(payload("WORLD"))]

  private func options(_ version: TLSVersion) -> Counterpart.Options { Counterpart.Options(version: version) }

  @Test(arguments: versions) func talksAsServer(version: TLSVersion) throws {
    let bench = try TLSBench(Self.talk, options(version))
    #expect(bench.other.isEstablished && bench.other.failure == nil, "\(bench.other.failure ?? "")")
    bench.say("HELLO")
    #expect(bench.other.plain == Array("WORLD".utf8))
    #expect(bench.deviation == nil && bench.isFinished)
    #expect(bench.tlsEvents.contains(.plainReceived(Array("HELLO".utf8))))
    #expect(bench.tlsEvents.contains(.plainSent(Array("WORLD".utf8))))
  }

  @Test(arguments: versions) func talksAsClient(version: TLSVersion) throws {
    let steps = [tls { $0.anchors = .testRoot }] + Self.talk.dropFirst()
    let bench = try TLSBench(steps, Counterpart.Options(role: .server, version: version))
    #expect(bench.other.isEstablished)
    bench.say("HELLO")
    #expect(bench.other.plain == Array("WORLD".utf8))
    #expect(bench.deviation == nil && bench.isFinished)
    #expect(bench.names.contains("2 certificates"))
  }

  @Test func tellsItsMessages() throws {
    let bench = try TLSBench([tls { $0.tickets = 0 }], options(.tls12))
    #expect(
      bench.names == [
        "began server", "<client-hello", ">server-hello", ">certificate", ">server-key-exchange", ">server-hello-done",
        "<client-key-exchange", "<change-cipher-spec", "<finished", "established", ">change-cipher-spec", ">finished",
      ])
    let modern = try TLSBench([tls { $0.tickets = 1 }], options(.tls13))
    #expect(
      modern.names == [
        "began server", "<client-hello", ">server-hello", ">change-cipher-spec", ">encrypted-extensions",
        ">certificate", ">certificate-verify", ">finished", "<change-cipher-spec", "<finished", "established",
        ">new-session-ticket",
      ])
    #expect(modern.tlsEvents.contains { if case .secret(let line) = $0 { line.hasPrefix("SERVER_") } else { false } })
  }

  @Test(arguments: versions, [Variant.Cut.whole, .bytes, .random]) func chunksDoNotMatter(
    version: TLSVersion, cut: Variant.Cut
  ) throws {
    let whole = try TLSBench(Self.talk, options(version))
    let pieces = try TLSBench(Self.talk, options(version), cut: cut, chunk: 1)
    whole.say("HELLO")
    pieces.say("HELLO")
    #expect(pieces.names == whole.names)
    #expect(pieces.other.plain == whole.other.plain && pieces.isFinished)
    if cut == .bytes { #expect(pieces.sends == pieces.sent.count) }
  }

  @Test func aSplitIsForThePayload() throws {
    let bench = try TLSBench(Self.talk, options(.tls13), cut: .split(at: 3))
    let before = bench.sends
    // The handshake is not cut.
    #expect(try TLSBench(Self.talk, options(.tls13)).sends == before)
    bench.say("HELLO")
    #expect(bench.sends == before + 2)
  }

  @Test func whatCameEarlyIsForTLS() throws {
    let bench = try TLSBench([.wait(.milliseconds(1)), tls(), .send(payload("HELLO"))], options(.tls13))
    #expect(bench.other.plain == Array("HELLO".utf8) && bench.deviation == nil)
  }

  @Test func dripAndEcho() throws {
    let bench = try TLSBench(
      [tls(), .drip(payload("ABC"), chunk: 1, every: .milliseconds(5)), .echo(count: 4), .send(payload("!"))],
      options(.tls13))
    #expect(bench.other.plain == Array("ABC".utf8))
    bench.say("ECHO")
    #expect(bench.other.plain == Array("ABCECHO!".utf8) && bench.isFinished)
  }

  @Test func aMebibyteArrives() throws {
    let bytes = Payload.pattern(seed: 3, count: 1 << 20)
    let bench = try TLSBench([tls(), .send(bytes)], options(.tls13))
    #expect(bench.other.plain == bytes.materialised && bench.isFinished)
  }

  // MARK: - Endings

  @Test(arguments: [PeerStep.finish, .close]) func endsPolitely(step: PeerStep) throws {
    let bench = try TLSBench([tls(), .send(payload("X")), step], options(.tls13))
    #expect(bench.other.isClosed && bench.other.plain == [0x58])
    #expect(bench.acts == [step == .finish ? .finish : .close])
    #expect(bench.names.last == ">warning close_notify")
  }

  @Test func truncates() throws {
    let bench = try TLSBench([tls(), .truncate], options(.tls13))
    #expect(!bench.other.isClosed && bench.acts == [.finish])
  }

  @Test func expectsAlertThenEnd() throws {
    let bench = try TLSBench(
      [tls(), .expectAlert(.oneOf([0])), .closeNotify, .expectEnd(.fin), .close], options(.tls13))
    #expect(bench.bench.machine.waitingFor == "peer waits for close_notify")
    bench.other.close()
    bench.run()
    #expect(bench.other.isClosed)
    bench.end()
    #expect(bench.deviation == nil && bench.isFinished && bench.acts == [.close])
  }

  @Test func anEndWithoutNoticeIsNoAlert() throws {
    let bench = try TLSBench([tls(), .expectAlert(.oneOf([0]))], options(.tls13))
    bench.end()
    #expect(bench.deviation == "peer: close_notify / peer: the subject's stream ended (fin) without it")
    #expect(bench.tlsEvents.contains(.failed("the stream ended without close_notify")))
  }

  @Test func afterTheNoticeNothingIsExpectedInVain() throws {
    let bench = try TLSBench([tls(), .expect(payload("HELLO"))], options(.tls13))
    bench.say("HEL")
    bench.other.close()
    bench.run()
    #expect(bench.deviation?.hasSuffix("the subject's stream ended (close_notify) after 3 of them") == true)
  }

  // MARK: - Failures

  private static let refusals: [([PeerStep], isGood: Bool)] = [
    ([tls { ($0.certificate, $0.failure) = (.expiredLeaf, .oneOf([45])) }], true),
    ([tls { ($0.certificate, $0.failure) = (.expiredLeaf, .any) }, .expectSilence(.milliseconds(5))], true),
    ([tls { $0.certificate = .expiredLeaf }, .expectAlert(.oneOf([45]))], true),
    ([tls { $0.certificate = .expiredLeaf }, .expectAlert(.oneOf([42]))], false),
    ([tls { $0.certificate = .expiredLeaf }], false),
    ([tls { ($0.certificate, $0.failure) = (.expiredLeaf, .oneOf([48])) }], false),
    ([tls { ($0.certificate, $0.failure) = (.unknownRoot, .oneOf([48])) }], true),
  ]

  @Test(arguments: versions, refusals.indices) func refusalsAreJudged(version: TLSVersion, index: Int) throws {
    let row = Self.refusals[index]
    let bench = try TLSBench(row.0, options(version))
    #expect((bench.deviation == nil) == row.isGood, "\(bench.deviation ?? "none")")
    #expect(bench.isFinished)
  }

  /// As a client sends it that does not take the version of its session from the ServerHello that it refuses.
  @Test(arguments: [Int.max, 1], [UInt8(45), 42])
  func anAlertInARecordOfAnotherVersionIsRead(chunk: Int, wanted: UInt8) throws {
    let steps = [tls { ($0.certificate, $0.failure) = (.expiredLeaf, .oneOf([wanted])) }]
    let bench = try TLSBench(steps, options(.tls12), chunk: chunk) { bytes in
      bytes.starts(with: [21, 3, 3, 0, 2]) ? [21, 3, 1] + bytes.dropFirst(3) : bytes
    }
    #expect(bench.names.contains("<fatal certificate_expired"))
    #expect(bench.isFinished)
    #expect(
      bench.deviation.map { $0.contains("the subject sent fatal certificate_expired") } == (wanted == 45 ? nil : true))
    #expect(!bench.names.contains { $0.hasPrefix("leftover") })
  }

  @Test func aPeerRefusesItself() throws {
    let steps = [tls { ($0.anchors, $0.failure) = (.testRoot, .any) }, .expectEnd(.fin)]
    let bench = try TLSBench(steps, Counterpart.Options(role: .server, version: .tls13, certificate: .expiredLeaf))
    #expect(bench.other.failure != nil && bench.other.seen.contains("alert 45"))
    bench.end()
    #expect(bench.deviation == nil && bench.isFinished)
  }

  @Test func settingsOpenSSLRefusesAreADeviation() throws {
    let bench = try TLSBench([tls { $0.ciphers = ["TLS_NO_SUCH_THING"] }], options(.tls13))
    #expect(bench.deviation?.contains("OpenSSL does not know the suites TLS_NO_SUCH_THING") == true)
  }

  @Test func clearBytesWhereTLSShouldBe() throws {
    var bench = MachineBench([tls()])
    _ = bench.actions()
    bench.receive("GET / HTTP/1.0\r\n\r\n")
    _ = bench.run()
    #expect(bench.machine.deviation?.actual.contains("http request") == true)
  }

  // MARK: - Facts

  @Test func factsAreCompared() throws {
    var expected = TLSExpectation()
    expected.version = .tls13
    expected.serverName = "good.example"
    expected.alpn = "h2"
    expected.certificate = .named(.client)
    expected.isResumed = false
    let options = Counterpart.Options(
      version: .tls13, certificate: .client, serverName: "good.example", alpn: [2] + Array("h2".utf8))
    let server = tls {
      $0.alpn = ["h3", "h2"]
      $0.clientCertificate = .require
      $0.anchors = .testRoot
    }
    let bench = try TLSBench([server, .expectTLS(expected)], options)
    #expect(bench.deviation == nil, "\(bench.deviation ?? "")")
    #expect(bench.isFinished)
    expected.certificate = .nobody
    let other = try TLSBench([server, .expectTLS(expected)], options)
    #expect(other.deviation == "peer: TLS with certificate none / peer: certificate of somebody")
  }

  private static let wrongFacts: [(@Sendable (inout TLSExpectation) -> Void, String)] = [
    ({ $0.version = .tls12 }, "version"), ({ $0.cipher = "TLS_NO_SUCH_THING" }, "cipher"),
    ({ $0.serverName = "other.example" }, "server name"), ({ $0.alpn = "h3" }, "protocol"),
    ({ $0.isResumed = true }, "resumption"), ({ $0.certificate = .named(.leaf) }, "certificate"),
  ]

  @Test(arguments: wrongFacts.indices) func eachFactIsCompared(index: Int) throws {
    var expected = TLSExpectation()
    Self.wrongFacts[index].0(&expected)
    let options = Counterpart.Options(
      version: .tls13, certificate: .client, serverName: "good.example", alpn: [2] + Array("h2".utf8))
    let server = tls { ($0.alpn, $0.clientCertificate, $0.anchors) = (["h3", "h2"], .require, .testRoot) }
    let bench = try TLSBench([server, .expectTLS(expected)], options)
    #expect(bench.deviation?.hasPrefix("peer: TLS with \(Self.wrongFacts[index].1) ") == true)
  }

  @Test func aClientAsksForItsServerName() throws {
    for name in ["good.example", nil] {
      let bench = try TLSBench([tls { $0.serverName = name }], Counterpart.Options(role: .server, version: .tls12))
      #expect(String(decoding: bench.sent, as: UTF8.self).contains("good.example") == (name != nil))
    }
  }

  @Test func thereIsNothingToCompareWithoutTLS() {
    var bench = MachineBench([.expectTLS(TLSExpectation())])
    _ = bench.actions()
    #expect(bench.machine.deviation?.expected == "peer: an established TLS session")
  }

  @Test func newKeysThatDoNotComeAreWaitedForAndMissed() throws {
    let bench = try TLSBench([tls(), .expectKeyUpdate], options(.tls13))
    #expect(!bench.isFinished && bench.deviation == nil)
    bench.end()
    #expect(bench.deviation?.contains("new keys of the subject's (KeyUpdate)") == true)
  }

  /// A failure that no step has asked for does not pass as the end of the stream.
  @Test func aFailureIsNoEnd() throws {
    let bench = try TLSBench([tls(), .expectEnd(.either)], options(.tls13))
    bench.bench.see(.received([23, 3, 3, 0, 4, 1, 2, 3, 4]))
    bench.run()
    bench.end()
    #expect(bench.deviation?.contains("TLS failed") == true)
  }

  @Test func aHandshakeThatMustFailAndDoesNot() throws {
    let modern = try TLSBench([tls { $0.failure = .any }], options(.tls13))
    #expect(modern.deviation?.contains("it is complete: tls1.3") == true)
    // A server of TLS 1.2 speaks last, so that the client may refuse even then.
    let classic = try TLSBench([tls { $0.failure = .any }], options(.tls12))
    #expect(classic.deviation == nil && !classic.isFinished)
    classic.say("HELLO")
    #expect(classic.deviation?.contains("it is complete: tls1.2") == true)
    let finished = HandshakeEdit(message: .finished, change: .flip(at: nil))
    let refused = try TLSBench([tls { ($0.failure, $0.edits) = (.oneOf([51]), [finished]) }], options(.tls12))
    #expect(refused.deviation == nil && refused.isFinished)
  }

  @Test func aClientIsRefusedLate() throws {
    // A client of TLS 1.3 is done before its certificate was looked at.
    let bench = try TLSBench(
      [tls { $0.failure = .any }], Counterpart.Options(role: .server, version: .tls13, certificate: .leaf))
    #expect(!bench.isFinished)
    bench.end()
    #expect(bench.isFinished && bench.deviation == nil)
  }
}
