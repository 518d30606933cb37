import ScenarioModel
import ScriptedPeer
import Testing

/// What a peer does to TLS on purpose.
@Suite struct PeerMachineForgingTests {
  private func options(_ version: TLSVersion) -> Counterpart.Options { Counterpart.Options(version: version) }

  // MARK: - Stopping halfway

  private static let stops: [(TLSVersion, HandshakeMessage, last: String)] = [
    (.tls12, .clientHello, "<client-hello"), (.tls12, .serverHello, ">server-hello"),
    (.tls12, .certificate, ">certificate"), (.tls12, .serverKeyExchange, ">server-key-exchange"),
    (.tls12, .serverHelloDone, ">server-hello-done"), (.tls12, .clientKeyExchange, "<client-key-exchange"),
    (.tls12, .changeCipherSpec, "<change-cipher-spec"), (.tls12, .finished, "<finished"),
    (.tls13, .clientHello, "<client-hello"), (.tls13, .serverHello, ">server-hello"),
    (.tls13, .encryptedExtensions, ">encrypted-extensions"), (.tls13, .certificate, ">certificate"),
    (.tls13, .certificateVerify, ">certificate-verify"), (.tls13, .finished, ">finished"),
  ]

  @Test(arguments: stops.indices) func stopsAt(index: Int) throws {
    let row = Self.stops[index]
    let bench = try TLSBench([tls { $0.until = row.1 }, .reset], options(row.0))
    let place = try #require(bench.names.firstIndex(of: row.last))
    #expect(!bench.names[(place + 1)...].contains { $0.hasPrefix(">") })
    #expect(!bench.other.isEstablished || row.1 == .finished)
    #expect(bench.acts == [.reset] && bench.deviation == nil)
  }

  @Test(arguments: [TLSVersion.tls12, .tls13]) func goesOn(version: TLSVersion) throws {
    let bench = try TLSBench(
      [
        tls { $0.until = .clientHello }, .wait(.milliseconds(5)), tls { $0.until = .certificate },
        .wait(.milliseconds(5)),
        tls(), .send(payload("HELLO")),
      ], options(version))
    #expect(bench.other.plain == Array("HELLO".utf8))
    #expect(bench.deviation == nil && bench.isFinished)
  }

  /// Whether the answer to a change of keys is asked for.
  @Test(arguments: [true, false]) func newKeysAreAskedForOrNot(isRequested: Bool) throws {
    let bench = try TLSBench([tls(), .keyUpdate(requested: isRequested)], options(.tls13))
    bench.say("HELLO")
    #expect(bench.names.contains("<key-update") == isRequested)
  }

  // MARK: - Edited messages

  private static let edits: [(TLSVersion, HandshakeMessage, HandshakeEdit.Change, reason: String)] = [
    (.tls12, .certificate, .drop, "missing"), (.tls12, .serverHelloDone, .drop, "nothing"),
    (.tls12, .serverHello, .double, "unexpected message"), (.tls12, .certificate, .swapWithNext, "unexpected message"),
    (.tls12, .serverHello, .truncate(1), "length"), (.tls12, .serverHello, .extend(payload("x")), "length"),
    (.tls12, .serverKeyExchange, .flip(at: nil), "signature"),
    (.tls12, .serverHello, .retype(99), "unexpected message"),
    (.tls12, .certificate, .empty, "length"), (.tls12, .serverHello, .wrongLength(by: -1), "any"),
    (.tls12, .finished, .flip(at: 0), "digest check failed"),
    (.tls12, .serverHello, .reframe(type: .heartbeat, version: nil, length: nil), "unexpected"),
    (.tls12, .serverHello, .reframe(type: nil, version: 0x0505, length: nil), "version"),
    (.tls12, .serverHello, .reframe(type: nil, version: nil, length: 20_000), "length too long"),
    (.tls12, .serverHello, .overwrite(at: 0, .bytes([0x03, 0x09])), "unsupported protocol"),
    (.tls12, .changeCipherSpec, .drop, "unexpected message"),
    (.tls12, .changeCipherSpec, .extend(payload("x")), "change cipher spec"),
    (.tls13, .serverHello, .drop, "any"), (.tls13, .serverHello, .flip(at: 5), "bad record mac"),
    (.tls13, .encryptedExtensions, .drop, "unexpected message"),
    (.tls13, .certificate, .double, "unexpected message"),
    (.tls13, .certificateVerify, .flip(at: nil), "signature"), (.tls13, .finished, .flip(at: 3), "digest check failed"),
    (.tls13, .certificate, .swapWithNext, "unexpected message"), (.tls13, .certificateVerify, .truncate(3), "any"),
    (.tls13, .encryptedExtensions, .extend(payload("x")), "any"),
  ]

  @Test(arguments: edits.indices) func editsBite(index: Int) throws {
    let row = Self.edits[index]
    let step = tls {
      $0.edits = [HandshakeEdit(message: row.1, change: row.2)]
      $0.failure = .any
    }
    let bench = try TLSBench([step], options(row.0))
    if row.reason == "nothing" { return #expect(bench.other.failure == nil && !bench.isFinished) }
    let failure = try #require(bench.other.failure)
    #expect(["any", "missing"].contains(row.reason) || failure.contains(row.reason), "\(failure)")
    #expect(bench.tlsEvents.contains { if case .forged = $0 { true } else { false } })
  }

  @Test(arguments: [CertificateName.mismatchedKey, .malformedDER], [TLSVersion.tls12, .tls13])
  func showsCertificatesThatOpenSSLRefuses(name: CertificateName, version: TLSVersion) throws {
    let bench = try TLSBench([tls { ($0.certificate, $0.failure) = (name, .any) }], options(version))
    #expect(bench.other.failure != nil && !bench.other.isEstablished)
    #expect(bench.other.seen.contains("11") && bench.deviation == nil)
  }

  // MARK: - Records of another size

  @Test(arguments: [TLSVersion.tls12, .tls13], [1, 100]) func cutsRecords(version: TLSVersion, size: Int) throws {
    let bench = try TLSBench([tls { $0.recordSize = size }, .send(payload("HELLO"))], options(version))
    #expect(bench.other.plain == Array("HELLO".utf8) && bench.deviation == nil)
    let first = Int(bench.sent[3]) << 8 | Int(bench.sent[4])
    #expect((1...size).contains(first))
  }

  @Test(arguments: [TLSVersion.tls12, .tls13]) func packsAFlight(version: TLSVersion) throws {
    let bench = try TLSBench([tls { $0.coalesces = true }, .send(payload("HELLO"))], options(version))
    #expect(bench.other.plain == Array("HELLO".utf8) && bench.deviation == nil)
    if version == .tls12 { #expect(Int(bench.sent[3]) << 8 | Int(bench.sent[4]) > 900) }
  }

  // MARK: - Records by hand

  private static func record(_ change: (inout HandMadeRecord) -> Void) -> PeerStep {
    var record = HandMadeRecord(payload: payload("FORGED"))
    change(&record)
    return .record(record)
  }

  private static let records: [(PeerStep, outcome: String)] = [
    (record { _ in }, "FORGED"), (record { $0.padding = 100 }, "FORGED"), (record { $0.payload = .bytes([]) }, ""),
    (record { $0.corruption = .tag }, "bad record mac"), (record { $0.corruption = .body }, "bad record mac"),
    (record { $0.corruption = .header }, "any"), (record { $0.length = 65_535 }, "length too long"),
    (record { $0.type = .handshake }, "any"), (record { $0.encrypts = false }, "any"),
    (record { $0.payload = .pattern(seed: 1, count: 16_385) }, "data length too long"),
  ]

  @Test(arguments: [TLSVersion.tls12, .tls13], records.indices) func recordsByHand(
    version: TLSVersion, index: Int
  ) throws {
    let row = Self.records[index]
    let bench = try TLSBench([tls(), .send(payload("A")), row.0, .send(payload("Z"))], options(version))
    if row.outcome.allSatisfy(\.isUppercase) {
      #expect(bench.other.failure == nil, "\(bench.other.failure ?? "")")
      #expect(bench.other.plain == Array("A\(row.outcome)Z".utf8))
    } else {
      let failure = try #require(bench.other.failure)
      #expect(row.outcome == "any" || failure.contains(row.outcome), Comment(rawValue: failure))
      #expect(bench.other.plain == [0x41])
    }
  }

  @Test func paddingAlone() throws {
    let bench = try TLSBench(
      [
        tls(),
        Self.record {
          $0.payload = .bytes([])
          $0.innerType = TLSRecordType(rawValue: 0)
          $0.padding = 50
        },
      ], options(.tls13))
    #expect(bench.other.failure != nil)
  }

  @Test(arguments: [TLSVersion.tls12, .tls13]) func dataAfterTheNotice(version: TLSVersion) throws {
    let bench = try TLSBench([tls(), .closeNotify, Self.record { _ in }, .truncate], options(version))
    #expect(bench.other.isClosed && bench.deviation == nil && bench.acts == [.finish])
  }

  @Test(arguments: [TLSVersion.tls12, .tls13]) func alertsByHand(version: TLSVersion) throws {
    let bench = try TLSBench(
      [tls(), .send(payload("A")), .alert(TLSAlert(level: 2, description: 40)), .reset], options(version))
    #expect(bench.other.seen.contains("alert 40") && bench.other.plain == [0x41])
    #expect(bench.other.failure?.contains("alert handshake failure") == true)
  }

  @Test func alertsInClear() throws {
    let alert = TLSAlert(level: 2, description: 40)
    let before = try TLSBench([.alert(alert)], options(.tls13))
    #expect(before.other.seen == ["alert 40"])
    let amid = try TLSBench([tls { $0.until = .clientHello }, .alert(alert)], options(.tls12))
    #expect(amid.other.seen == ["alert 40"] && amid.deviation == nil)
  }

  @Test func rawBytesGoBelow() throws {
    let bench = try TLSBench([tls(), .raw(.bytes([23, 3, 3, 0, 1, 0]))], options(.tls13))
    #expect(bench.other.failure != nil && bench.deviation == nil)
    #expect(bench.sent.suffix(6) == [23, 3, 3, 0, 1, 0])
  }

  @Test func noRecordsOfOtherSuites() throws {
    let step = tls { $0.ciphers = ["TLS_CHACHA20_POLY1305_SHA256"] }
    let bench = try TLSBench([step, Self.record { _ in }], options(.tls13))
    #expect(bench.deviation?.contains("can't be made by hand") == true)
  }

  // MARK: - After the handshake

  @Test(arguments: [false, true]) func newKeys(forges: Bool) throws {
    var steps: [PeerStep] = [
      tls(), .keyUpdate(requested: true), .send(payload("A")), .keyUpdate(requested: false), .send(payload("B")),
      .expect(payload("HELLO")), .send(payload("C")),
    ]
    if forges { steps.insert(Self.record { _ in }, at: 4) }
    let bench = try TLSBench(steps, options(.tls13))
    bench.other.updateKeys()
    bench.say("HELLO")
    #expect(bench.other.plain == Array((forges ? "AFORGEDBC" : "ABC").utf8) && bench.deviation == nil)
    #expect(bench.names.count { $0 == ">key-update" } == 3)
  }

  @Test(arguments: [false, true]) func ticketsOnDemand(forges: Bool) throws {
    var steps: [PeerStep] = [tls { $0.tickets = 2 }, .send(payload("A")), .tickets(3), .send(payload("B"))]
    if forges { steps.append(Self.record { _ in }) }
    let bench = try TLSBench(steps, options(.tls13))
    #expect(bench.other.plain == Array((forges ? "ABFORGED" : "AB").utf8))
    #expect(bench.other.seen.count { $0 == "4" } == 5)
    let old = try TLSBench([tls(), .tickets(1)], options(.tls12))
    #expect(old.deviation?.contains("only an established server of TLS 1.3 can") == true)
  }

  @Test func asksAgainForAKeyShare() throws {
    var options = options(.tls13)
    options.groups = "X25519:P-384"
    let bench = try TLSBench([tls { $0.groups = ["P-384"] }, .send(payload("HELLO"))], options)
    #expect(bench.names.contains(">hello-retry-request"))
    #expect(bench.other.plain == Array("HELLO".utf8))
  }
}
