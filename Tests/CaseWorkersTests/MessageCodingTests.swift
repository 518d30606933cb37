import CaseWorkers
import ScenarioModel
import TestSupport
import Testing

@Suite struct MessageCodingTests {
  private static let kinds: [TraceKind] = [
    .command(.connect(ConnectCommand(target: .peer("peer"))), socket: "socket", result: .done, inCallback: false),
    .command(
      .read(
        ReadCommand(
          boundary: .through(.repeated(unit: .bytes([13, 10]), times: 3), limit: 7),
          timeout: TimeoutValue(seconds: .nan), tag: .min, buffer: .init(name: "b", size: nil, offset: 3, fill: 255))),
      socket: "s", result: .refused(SubjectError(domain: .ssl, code: -9807, message: "no", reason: nil)),
      inCallback: true),
    .command(.perform([.disconnect, .perform([.release])]), socket: "s", result: .hung, inCallback: false),
    .command(.setDelegate(nil), socket: "s", result: .unsupported("x"), inCallback: false),
    .callback(DeliveredCallback(socket: "s", delegate: "d", callback: .didRead(bytes: Array(0...255), tag: .max))),
    .callback(DeliveredCallback(socket: "s", delegate: "d", callback: .didDisconnect(nil))),
    .callback(
      DeliveredCallback(
        socket: "s", delegate: "d", callback: .shouldTimeoutRead(tag: 1, elapsed: 0.25, bytesDone: 0))),
    .peerAction(.send([]), peer: "p"), .peerAction(.setReading(.atMost(9)), peer: "p"),
    .peerSaw(.broken(104), peer: "p"), .peerSaw(.received([0]), peer: "p"),
    .tls(
      .established(
        TLSFacts(version: .tls13, cipher: "TLS_AES_128_GCM_SHA256", serverName: "é", alpn: "", isResumed: true)),
      peer: "p"),
    .tls(.alertSent(TLSAlert(level: 2, description: 0)), peer: "p"), .point("über"), .note(""),
  ]

  /// A case that nothing is known of.
  private static var blank: CaseResult {
    CaseResult(
      scenario: Scenario(id: "read/line", title: "A line"),
      variant: Variant(family: .ipv6, cut: .split(at: 3), queues: .own, security: .tls12), world: .simulated,
      seed: .max)
  }

  private static var result: CaseResult {
    var result = blank
    result.verdict = .failed
    (result.reason, result.traceHash, result.duration) = ("why", "0123456789abcdef", .milliseconds(3))
    (result.forms, result.hasWholeTrace) = ([2, 0], false)
    result.trace = Trace(
      events: kinds.map { TraceEvent(at: .nanoseconds(-1), kind: $0, position: SourcePosition(line: 3, column: 9)) },
      keyLog: ["a"])
    result.matches = [4: SourcePosition(line: 1, column: 2), 0: SourcePosition(line: 5, column: 6)]
    result.deviations = [Deviation(kind: .crash, expected: "a", actual: "b", traceIndex: 2)]
    return result
  }

  @Test func everythingThatTravelsComesBackAsItWas() throws {
    let reply = WorkerReply.finished(number: 12, CaseFindings(Self.result))
    let bytes = try MessageCoding.encode(reply)
    let back = try MessageCoding.decode(WorkerReply.self, from: bytes)
    guard case .finished(12, let findings) = back else {
      Issue.record("\(back)")
      return
    }
    let sent = Self.result
    let result = findings.result(of: Self.blank)
    // By their bytes, because a timeout that is no number is equal to nothing, itself included.
    let encode: (TraceEvent) throws -> [UInt8] = { try MessageCoding.encode($0) }
    #expect(try result.trace.events.map(encode) == sent.trace.events.map(encode))
    #expect(result.trace.keyLog == sent.trace.keyLog)
    #expect(result.trace.events[4] == sent.trace.events[4])
    var rest = (result, sent)
    (rest.0.trace, rest.1.trace) = (Trace(), Trace())
    #expect(rest.0 == rest.1)
  }

  /// Of most cases there is little to tell, and every byte of it is written, read and kept thousands of times.
  @Test func littleTravelsOfACaseThatPassed() throws {
    var result = Self.blank
    (result.verdict, result.traceHash, result.duration) = (.passed, "0123456789abcdef", .milliseconds(3))
    let bytes = try MessageCoding.encode(WorkerReply.finished(number: 20_000, CaseFindings(result)))
    #expect(bytes.count < 200)
  }

  private struct Shapes: Hashable, Codable {
    struct Empty: Hashable, Codable {}
    indirect enum Tree: Hashable, Codable {
      case leaf
      case fork(Tree, Tree)
    }

    var nothing: Int?
    var gaps: [Int?] = [nil, 1, nil]
    var hollow: [[Empty]] = [[], [Empty(), Empty()]]
    var tree = Tree.fork(.leaf, .fork(.fork(.leaf, .leaf), .leaf))
    var far: [String: [Double]] = ["": [], "é": [.infinity, -0.0], "key": [1]]
    var single: UInt8? = 7
  }

  private class Base: Codable {
    var number = 1
  }

  private final class Derived: Base {
    var text = "a"

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      text = try container.decode(String.self, forKey: .text)
      try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try super.encode(to: container.superEncoder())
      // Asked for again, it is the same one, and goes on.
      container = encoder.container(keyedBy: Key.self)
      try container.encode(text, forKey: .text)
    }

    enum Key: CodingKey { case text }
  }

  @Test func valuesOfAnyShape() throws {
    #expect(try MessageCoding.decode(Shapes.self, from: MessageCoding.encode(Shapes())) == Shapes())
    let derived = Derived()
    (derived.number, derived.text) = (5, "b")
    let back = try MessageCoding.decode(Derived.self, from: MessageCoding.encode(derived))
    #expect(back.number == 5)
    #expect(back.text == "b")
    #expect(try MessageCoding.decode(Int?.self, from: MessageCoding.encode(Int?.none)) == nil)
  }

  /// A record of many keys is read in the order in which it was written: each is found where the last one ended.
  @Test func manyKeysAreFoundWithoutLookingThroughAllOfThem() throws {
    let many = Dictionary(uniqueKeysWithValues: (0..<200_000).map { ($0, SourcePosition(line: $0, column: 1)) })
    #expect(try MessageCoding.decode([Int: SourcePosition].self, from: MessageCoding.encode(many)) == many)
  }

  @Test(
    arguments: [
      (0, 0), (-1, 0), (.max, .max), (.min, 1), (127, 127), (128, 128), (-64, 1 << 63),
    ] as [(Int, UInt64)]) func numbersOfAnySize(_ signed: Int, _ unsigned: UInt64) throws
  {
    #expect(try MessageCoding.decode(Int.self, from: MessageCoding.encode(signed)) == signed)
    #expect(try MessageCoding.decode(UInt64.self, from: MessageCoding.encode(unsigned)) == unsigned)
  }

  @Test func aNumberThatDoesNotFitIsAnError() throws {
    #expect(throws: DecodingError.self) { try MessageCoding.decode(Int8.self, from: MessageCoding.encode(300)) }
  }

  /// A worker may be damaged by what it judges, and send anything.
  @Test func damagedMessagesAreErrors() throws {
    let bytes = try MessageCoding.encode(WorkerReply.finished(number: 1, CaseFindings(Self.result)))
    for end in bytes.indices {
      #expect(throws: (any Error).self) { try MessageCoding.decode(WorkerReply.self, from: Array(bytes[..<end])) }
    }
    var random = SeededGenerator(seed: 7)
    for _ in 0..<4_000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      // It returns or throws, and never traps.
      _ = try? MessageCoding.decode(WorkerReply.self, from: damaged)
    }
  }

  @Test func nestingWithoutEndIsRefused() throws {
    var command = SubjectCommand.disconnect
    for _ in 0..<400 { command = .perform([command]) }
    let bytes = try MessageCoding.encode(command)
    #expect(throws: DecodingError.self) { try MessageCoding.decode(SubjectCommand.self, from: bytes) }
  }
}

@Suite struct MessageChannelTests {
  @Test func messagesComeWholeAndInOrder() throws {
    let pair = try ChannelPair()
    let texts = ["", "a", String(repeating: "long ", count: 200_000), "end"]
    let sender = Task.detached { for text in texts { try pair.here.send(text) } }
    _ = sender
    for text in texts { #expect(try pair.there.receive(String.self) == text) }
    #expect(try pair.there.next(String.self) == nil)
  }

  @Test func anEndIsAnErrorOfItsOwn() throws {
    let pair = try ChannelPair()
    try pair.here.send(1)
    pair.closeHere()
    #expect(try pair.there.receive(Int.self) == 1)
    #expect(throws: MessageChannel.Trouble.ended) { try pair.there.receive(Int.self) }
    #expect(throws: MessageChannel.Trouble.ended) { try pair.there.send(1) }
  }

  @Test func anotherTypeIsDamage() throws {
    let pair = try ChannelPair()
    try pair.here.send("text")
    do {
      _ = try pair.there.receive(Int.self)
      Issue.record("a text was taken for a number")
    } catch MessageChannel.Trouble.damaged {}
  }
}
