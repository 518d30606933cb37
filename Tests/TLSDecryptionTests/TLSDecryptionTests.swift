import Conversations
import ScenarioModel
import Testing

@testable import TLSDecryption

@Suite struct TLSDecryptionTests {
  /// A suite, and how its records are protected where there is a choice.
  struct Row: CustomTestStringConvertible, Sendable {
    var version: TLSVersion
    var suite: String
    var encryptsFirst = true
    var testDescription: String { "\(version.rawValue) \(suite)\(encryptsFirst ? "" : ", authenticated first")" }

    var options: TalkingPair.Options {
      var options = TalkingPair.Options()
      (options.version, options.suite, options.encryptsFirst) = (version, suite, encryptsFirst)
      return options
    }
  }

  private static let modern = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"]
  private static let sealed = [
    "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305",
    "DHE-RSA-AES128-GCM-SHA256", "AES256-GCM-SHA384",
  ]
  private static let blocks = [
    "ECDHE-ECDSA-AES128-SHA", "ECDHE-RSA-AES128-SHA256", "ECDHE-RSA-AES256-SHA384", "AES256-SHA256", "AES128-SHA",
  ]
  static let rows =
    modern.map { Row(version: .tls13, suite: $0) } + sealed.map { Row(version: .tls12, suite: $0) }
    + blocks.flatMap { suite in
      [true, false].map { Row(version: .tls12, suite: suite, encryptsFirst: $0) }
    }

  private static func payload(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7 ^ $0) } }

  /// Says something, both ways, and ends.
  private static func talk(_ options: TalkingPair.Options) throws -> TalkingPair {
    let pair = try TalkingPair(options)
    pair.say(.client, Array("GET / HTTP/1.1\r\n\r\n".utf8))
    pair.say(.server, payload(40_000))
    pair.say(.client, Array("x".utf8))
    pair.say(.server, Array("bye".utf8))
    pair.close(.client)
    pair.close(.server)
    return pair
  }

  @Test("what was said inside comes out", arguments: rows)
  func suites(row: Row) throws {
    let pair = try Self.talk(row.options)
    let (opened, outcome) = pair.opened()
    #expect(outcome == .opened, "\(opened.notes)")
    #expect(opened.told == pair.told)
    let handshake = try #require(opened.handshake)
    #expect(handshake.version == row.version)
    #expect(handshake.suite == row.suite)
    #expect(handshake.serverName == "good.example")
    #expect(handshake.offered == ["h2", "http/1.1"])
    #expect(handshake.chosen == "http/1.1")
    let shown = try #require(handshake.serverCertificate)
    #expect(shown.text.contains("DNS:good.example") && shown.text.contains("valid 20"), "\(shown.text)")
    #expect(shown.isRSA == (row.version == .tls12 && !row.suite.contains("ECDSA")))
    #expect(!handshake.asksForCertificate)
    #expect(handshake.duration > .zero)
  }

  @Test("each side changes its keys, several times")
  func keyUpdates() throws {
    let pair = try TalkingPair(TalkingPair.Options())
    for round in 0..<3 {
      pair.say(.client, [UInt8(round)])
      pair.updateKeys(.client)
      pair.say(.client, [UInt8(round), 1])
      pair.updateKeys(.server)
      pair.say(.server, Self.payload(20_000))
    }
    #expect(pair.opened().0.told == pair.told)
  }

  @Test("a HelloRetryRequest, and a certificate of the client's")
  func retry() throws {
    var options = TalkingPair.Options()
    (options.groups, options.asksClient, options.padding) = ("P-384", true, 512)
    let pair = try Self.talk(options)
    let (opened, _) = pair.opened()
    #expect(opened.told == pair.told)
    let handshake = try #require(opened.handshake)
    #expect(handshake.isRetried)
    #expect(handshake.retryGroup == "P-384")
    #expect(handshake.asksForCertificate)
    #expect(handshake.clientCertificate != nil)
  }

  @Test("a session that is resumed has no certificate", arguments: [TLSVersion.tls12, .tls13])
  func resumption(version: TLSVersion) throws {
    var options = TalkingPair.Options()
    options.version = version
    if version == .tls12 { options.suite = "ECDHE-ECDSA-AES128-GCM-SHA256" }
    let first = try TalkingPair(options)
    first.say(.client, [1])
    #expect(first.opened().0.handshake?.serverCertificate != nil)
    let second = try TalkingPair(options, resuming: first)
    second.say(.client, [2])
    let (opened, outcome) = second.opened()
    #expect(outcome == .opened, "\(opened.notes)")
    #expect(opened.told == second.told)
    #expect(opened.handshake?.serverCertificate == nil)
  }

  @Test("what stood in front of the handshake stays in clear")
  func upgrade() throws {
    var options = TalkingPair.Options()
    options.clear = [(.server, "220 mail\r\n"), (.client, "STARTTLS\r\n"), (.server, "220 go\r\n")]
    let pair = try Self.talk(options)
    let (opened, _) = pair.opened()
    #expect(opened.told == pair.told)
    guard case .handshake = opened.events[3].act else { return #expect(Bool(false), "\(opened.events[3])") }
  }

  @Test("cuts of the wire change nothing", arguments: [1, 2, 7, 1_000])
  func chunks(size: Int) throws {
    var options = TalkingPair.Options()
    options.clear = [(.server, "220 go\r\n")]
    let pair = try Self.talk(options)
    let whole = pair.opened().0
    var cut = pair.conversation
    cut.events = pair.events.flatMap { event -> [Conversation.Event] in
      guard case .bytes(let bytes) = event.act else { return [event] }
      return stride(from: 0, to: bytes.count, by: size).map {
        Conversation.Event(
          at: event.at, side: event.side, act: .bytes(Array(bytes[$0..<min($0 + size, bytes.count)])))
      }
    }
    let inPieces = pair.decryption().opened(cut).0
    let acts = { (conversation: Conversation) in
      conversation.events.filter { $0.act != .bytes(Array("220 go\r\n".utf8)) }
    }
    #expect(inPieces.told == whole.told)
    #expect(acts(inPieces).suffix(10) == acts(whole).suffix(10))
  }

  // MARK: - What stays closed

  private static func isUntouched(_ opened: Conversation, _ original: Conversation, saying words: String) -> Bool {
    opened.events == original.events && opened.notes.count == 1 && opened.notes[0].contains(words)
  }

  @Test(
    "a secret that is missing is named",
    arguments: [
      "CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_HANDSHAKE_TRAFFIC_SECRET", "CLIENT_TRAFFIC_SECRET_0",
      "SERVER_TRAFFIC_SECRET_0",
    ])
  func missing(label: String) throws {
    let pair = try Self.talk(TalkingPair.Options())
    let (opened, outcome) = pair.opened(without: label)
    #expect(outcome == .closed)
    #expect(Self.isUntouched(opened, pair.conversation, saying: "has no \(label)"), "\(opened.notes)")
  }

  @Test("without any key log nothing is said of it, and with another session's it is")
  func others() throws {
    let (pair, other) = (try Self.talk(TalkingPair.Options()), try Self.talk(TalkingPair.Options()))
    let (closed, outcome) = TLSDecryption().opened(pair.conversation)
    #expect(outcome == .closed)
    #expect(closed == pair.conversation)
    let (opened, _) = other.decryption().opened(pair.conversation)
    #expect(Self.isUntouched(opened, pair.conversation, saying: "no secret of this session"), "\(opened.notes)")
    let plain = Conversation(
      client: "a", server: "b",
      events: [Conversation.Event(at: .zero, side: .client, act: .bytes([22, 3, 1, 0, 0, 2]))])
    #expect(other.decryption().opened(plain) == (plain, .plain))
  }

  @Test("a byte that was changed anywhere behind the hellos closes the whole", arguments: rows)
  func damage(row: Row) throws {
    let pair = try TalkingPair(row.options)
    let handshakes = pair.events.count
    pair.say(.client, Array("hello".utf8))
    pair.say(.server, Array("world".utf8))
    let decryption = pair.decryption()
    for place in pair.events.indices[handshakes...] {
      guard case .bytes(let bytes) = pair.events[place].act else { continue }
      for index in bytes.indices {
        var damaged = pair.conversation
        var changed = bytes
        changed[index] ^= 0x10
        damaged.events[place].act = .bytes(changed)
        let (opened, outcome) = decryption.opened(damaged)
        // A longer length in a header makes a record that never ends.
        if (3...4).contains(index), outcome == .opened,
          opened.notes.contains(where: { $0.contains("part of a record") })
        {
          continue
        }
        #expect(outcome == .closed, "byte \(index) of \(bytes.count), \(opened.notes)")
        #expect(opened.events == damaged.events)
      }
    }
  }

  @Test("a hole, urgent data, a handshake that was broken off and one that is none are told")
  func reasons() throws {
    let pair = try Self.talk(TalkingPair.Options())
    let decryption = pair.decryption()
    var changed = pair.conversation
    changed.events.insert(Conversation.Event(at: .zero, side: .server, act: .missing(9, .unseen)), at: 3)
    #expect(Self.isUntouched(decryption.opened(changed).0, changed, saying: "9 bytes of the server are missing"))
    changed = pair.conversation
    changed.events.insert(Conversation.Event(at: .zero, side: .server, act: .urgent(9)), at: 3)
    #expect(Self.isUntouched(decryption.opened(changed).0, changed, saying: "urgent data"))
    changed.events = Array(pair.conversation.events.prefix(2))
    #expect(Self.isUntouched(decryption.opened(changed).0, changed, saying: "handshake was not completed"))
    changed.events[0].act = .bytes([22, 3, 1, 0, 8, 1, 0, 0, 4, 3, 3, 0, 0])
    #expect(Self.isUntouched(decryption.opened(changed).0, changed, saying: "ClientHello is cut off"))
  }

  /// Records are numbered; a number of one byte would not do.
  @Test("a session may have as many records as it likes", arguments: [TLSVersion.tls12, .tls13])
  func manyRecords(version: TLSVersion) throws {
    var options = TalkingPair.Options()
    options.version = version
    if version == .tls12 { options.suite = "ECDHE-ECDSA-AES128-SHA" }
    let pair = try TalkingPair(options)
    for number in 0..<600 { pair.say(.client, Self.payload(1 + number % 5)) }
    pair.say(.server, Array("all of it".utf8))
    let (opened, outcome) = pair.opened()
    #expect(outcome == .opened, "\(opened.notes)")
    #expect(opened.count(of: .client) == (0..<600).reduce(0) { $0 + 1 + $1 % 5 } && opened.count(of: .server) == 9)
  }

  @Test("what a session's rules forbid closes the whole, and is named")
  func forbidden() throws {
    var options = TalkingPair.Options()
    (options.version, options.suite) = (.tls12, "ECDHE-ECDSA-AES128-GCM-SHA256")
    let again = try TalkingPair(options)
    again.say(.client, [1])
    again.beginAgain()
    #expect(Self.isUntouched(again.opened().0, again.conversation, saying: "client began another handshake"))

    for version in [TLSVersion.tls12, .tls13] {
      let refused = try TalkingPair(version == .tls13 ? TalkingPair.Options() : options)
      refused.say(.client, [1])
      refused.refuse(.server)
      let (opened, outcome) = refused.opened()
      #expect(outcome == .closed)
      #expect(Self.isUntouched(opened, refused.conversation, saying: "server objected to something"), "\(opened.notes)")
    }

    let closed = try Self.talk(TalkingPair.Options())
    var longer = closed.conversation
    longer.events.append(
      Conversation.Event(at: .seconds(1), side: .client, act: .bytes([23, 3, 3, 0, 20] + Self.payload(20))))
    let (opened, _) = closed.decryption().opened(longer)
    #expect(Self.isUntouched(opened, longer, saying: "client went on behind its close_notify"), "\(opened.notes)")
  }

  @Test("the beginning of a last record is left out, and said")
  func cutOff() throws {
    let pair = try TalkingPair(TalkingPair.Options())
    pair.say(.client, Array("hello".utf8))
    pair.say(.server, Array("world".utf8))
    var cut = pair.conversation
    let last = cut.events.count - 1
    guard case .bytes(let bytes) = cut.events[last].act else { return #expect(Bool(false), "no bytes") }
    cut.events[last].act = .bytes(bytes.dropLast())
    let (opened, outcome) = pair.decryption().opened(cut)
    #expect(outcome == .opened)
    #expect(opened.told == Array(pair.told.dropLast()))
    #expect(opened.notes == ["The server's last \(bytes.count - 1) bytes are a part of a record, which is left out."])
  }

  @Test("what was only counted is missing, and the end of its side is taken for an orderly one")
  func counted() throws {
    let pair = try TalkingPair(TalkingPair.Options())
    pair.say(.client, Array("hello".utf8))
    pair.say(.server, Array("world".utf8))
    var long = pair.conversation
    for act in [Conversation.Act.missing(9, .tooMany), .finish] {
      long.events.append(Conversation.Event(at: .seconds(1), side: .server, act: act))
    }
    let (opened, outcome) = pair.decryption().opened(long)
    #expect(outcome == .opened)
    #expect(opened.told == pair.told + ["server something else", "server close_notify", "server fin"])
    #expect(opened.count(of: .server) == 14)
  }

  @Test("a key log is taken line by line, whatever stands in it")
  func keyLog() {
    var log = TLSKeyLog()
    let (random, secret) = (String(repeating: "0a", count: 32), String(repeating: "Bc", count: 48))
    log.take("# comment\nCLIENT_RANDOM 00 11\nCLIENT_RANDOM \(random) zz\nEXPORTER_SECRET \(random) \(secret)\n\r\n")
    #expect(log.count == 0)
    log.take("CLIENT_RANDOM \(random) \(secret)\r\nSERVER_TRAFFIC_SECRET_0 \(random) \(secret)")
    #expect(log.count == 1)
    let found = log.secrets(of: [UInt8](repeating: 10, count: 32))
    #expect(Set(found.keys) == [.masterSecret, .serverTraffic])
    #expect(found[.masterSecret] == [UInt8](repeating: 0xBC, count: 48))
    func counted(_ number: Int) -> String {
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 64 - digits.count) + digits
    }
    func bytes(_ number: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: 31) + [number] }
    for number in 0..<20_000 { log.take("CLIENT_RANDOM \(counted(number)) \(secret)") }
    // Those of the generation before count as well, and of a secret that comes twice the last one.
    #expect(log.secrets(of: bytes(7))[.masterSecret] == [UInt8](repeating: 0xBC, count: 48))
    log.take("CLIENT_RANDOM \(counted(7)) \(String(repeating: "0d", count: 48))")
    #expect(log.secrets(of: bytes(7))[.masterSecret] == [UInt8](repeating: 0x0D, count: 48))
    for number in 20_000..<40_000 { log.take("CLIENT_RANDOM \(counted(number)) \(secret)") }
    #expect((16_384...32_768).contains(log.count))
    #expect(log.secrets(of: [UInt8](repeating: 10, count: 32)).isEmpty)
  }
}
