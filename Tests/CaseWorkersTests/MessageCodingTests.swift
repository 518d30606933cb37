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

  private static var result: CaseResult {
    var result = CaseResult(
      scenario: Scenario(id: "read/line", title: "A line"),
      variant: Variant(family: .ipv6, cut: .split(at: 3), queues: .own, security: .tls12), world: .simulated,
      seed: .max)
    result.verdict = .failed
    result.trace = Trace(
      events: kinds.map { TraceEvent(at: .nanoseconds(-1), kind: $0, position: SourcePosition(line: 3, column: 9)) },
      keyLog: ["a"])
    result.matches = [4: SourcePosition(line: 1, column: 2), 0: SourcePosition(line: 5, column: 6)]
    result.deviations = [Deviation(kind: .crash, expected: "a", actual: "b", traceIndex: 2)]
    return result
  }

  @Test func everythingThatTravelsComesBackAsItWas() throws {
    let reply = WorkerReply.finished(number: 12, Self.result)
    let bytes = try MessageCoding.encode(reply)
    let back = try MessageCoding.decode(WorkerReply.self, from: bytes)
    guard case .finished(12, let result) = back, case .finished(_, let sent) = reply else {
      Issue.record("\(back)")
      return
    }
    // By their bytes, because a timeout that is no number is equal to nothing, itself included.
    let encode: (TraceEvent) throws -> [UInt8] = { try MessageCoding.encode($0) }
    #expect(try result.trace.events.map(encode) == sent.trace.events.map(encode))
    #expect(result.matches == sent.matches)
    #expect(result.trace.events.map(\.at) == sent.trace.events.map(\.at))
    #expect(result.trace.events[4] == sent.trace.events[4])
    #expect(result.variant == sent.variant)
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
    let bytes = try MessageCoding.encode(WorkerReply.finished(number: 1, Self.result))
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
