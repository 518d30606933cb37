import ScenarioModel

extension SampleReport {
  private static let delimiter = scenario(
    "read/delimiter-split-across-two-segments", "A delimiter split across two segments is found once", ["RD-DELIM-04"])

  private static func delimiterTrace(isWrong: Bool) -> [TraceEvent] {
    var trace = TraceBuilder()
    trace.open()
    trace.call(
      .read(
        ReadCommand(
          boundary: .through(.bytes(bytes("\r\n")), limit: 64), timeout: TimeoutValue(seconds: 1), tag: 7)))
    trace.send(bytes("HELLO\r"), after: 0.1)
    if isWrong { trace.back(.didRead(bytes: bytes("HELLO\r"), tag: 7), after: 0.05) }
    trace.send(bytes("\nREST"), after: 20)
    if !isWrong { trace.back(.didRead(bytes: bytes("HELLO\r\n"), tag: 7), after: 0.07) }
    trace.add(.note("settled for 50 ms"), after: 50)
    return trace.events
  }

  static var reading: [CaseResult] {
    var cases: [CaseResult] = []
    for world in WorldName.allCases {
      for family in [AddressFamily.ipv4, .ipv6] {
        for cut in [Variant.Cut.whole, .bytes] {
          for seed in 1...(world == .simulated ? 3 as UInt64 : 1) {
            cases.append(
              result(
                delimiter, .passed, world: world, family: family, cut: cut, seed: seed,
                milliseconds: world == .loopback ? 71.3 : 0.4, trace: delimiterTrace(isWrong: false),
                met: [3: 14, 9: 15]))
          }
        }
      }
    }
    let wrong = cases.firstIndex { $0.world == .simulated && $0.variant.cut == .bytes } ?? 0
    cases[wrong].verdict = .failed
    cases[wrong].trace = Trace(events: delimiterTrace(isWrong: true))
    cases[wrong].matches = [3: SourcePosition(line: 14, column: 5)]
    cases[wrong].deviations = [
      deviation(
        .wrongContent, expected: #"didRead tag 7, "HELLO\r\n" (7 B)"#, actual: #"didRead tag 7, "HELLO\r" (6 B)"#,
        line: 15, requirement: "RD-DELIM-04", at: 7)
    ]
    return cases + [drip(.ipv4), drip(.unix)]
  }

  private static func drip(_ family: AddressFamily) -> CaseResult {
    var trace = TraceBuilder()
    trace.open()
    trace.call(.read(ReadCommand(boundary: .exactly(57), tag: 1)))
    trace.call(.read(ReadCommand(boundary: .exactly(4096), tag: 2)))
    let drops = PatternBytes.make(seed: 9, count: 57)
    for drop in drops {
      trace.send([drop], after: 20)
      trace.back(.didReadPartial(count: 1, tag: 1), after: 0.05)
    }
    let first = trace.events.count
    trace.back(.didRead(bytes: drops, tag: 1), after: 0.02)
    let block = PatternBytes.make(seed: 4, count: 4096)
    trace.send(block, after: 20)
    trace.back(.didReadPartial(count: 1448, tag: 2), after: 0.03)
    trace.back(.didReadPartial(count: 2648, tag: 2), after: 0.03)
    trace.back(.didRead(bytes: block, tag: 2), after: 0.02)
    var met = [3: 14, first: 16, trace.events.count - 1: 17]
    for (index, event) in trace.events.enumerated() {
      if case .callback(let delivered) = event.kind, case .didReadPartial(_, tag: 1) = delivered.callback {
        met[index] = 15
      }
    }
    return result(
      scenario(
        "read/a-drip-fills-a-length", "A length is met one byte at a time", ["RD-LEN-01", "RD-PART-02"],
        tags: ["slow"]),
      .passed, family: family, milliseconds: 1_214.8, trace: trace.events, met: met)
  }

  static var accepting: [CaseResult] {
    let scenario = scenario(
      "accept/children-speak-to-their-own-peers", "Two accepted children speak to their own peers",
      ["ACC-03", "ACC-07"], tags: ["server"])
    let deviations = [
      deviation(
        .wrongContent, expected: #"child.didRead tag 1, "from alice\r\n" (12 B)"#,
        actual: #"child.didRead tag 1, "from bob\r\n" (10 B)"#, line: 27, requirement: "ACC-07", at: 14),
      deviation(
        .invariant, expected: "every child has its own delegate queue target",
        actual: "child and child2 were called back at the same time", requirement: "THR-04", at: 15),
      deviation(
        .missing, expected: #"child2.didRead tag 2, "from bob\r\n" (10 B)"#, actual: "nothing until the case's limit",
        line: 28, requirement: "ACC-07"),
    ]
    return [
      result(
        scenario, .failed, queues: .shared, milliseconds: 1_003.1, trace: childrenTrace, met: [5: 25, 9: 26],
        deviations: deviations),
      result(scenario, .passed, world: .simulated, queues: .shared, milliseconds: 0.9, trace: childrenTrace),
    ]
  }

  private static var childrenTrace: [TraceEvent] {
    var trace = TraceBuilder()
    trace.call(.listen(ListenCommand(place: .anywhere(port: .free))))
    trace.add(
      .checked(
        PropertyCheck(property: .localPort, expected: .present, position: SourcePosition(line: 16, column: 5)),
        socket: "socket", actual: .number(40_100), holds: true))
    trace.act(.connect(socket: "socket"), by: "alice", after: 0.2)
    trace.see(.connected, by: "alice", after: 0.1)
    trace.back(.newSocketQueue, after: 0.04)
    trace.back(.didAccept(child: "child"), after: 0.02)
    trace.call(
      .read(ReadCommand(boundary: .through(.bytes(bytes("\r\n")), limit: 0), tag: 1)), on: "child", inCallback: true)
    trace.act(.connect(socket: "socket"), by: "bob", after: 3)
    trace.see(.connected, by: "bob", after: 0.1)
    trace.back(.didAccept(child: "child2"), after: 0.05)
    trace.call(
      .read(ReadCommand(boundary: .through(.bytes(bytes("\r\n")), limit: 0), tag: 2)), on: "child2",
      inCallback: true)
    trace.add(.point("both accepted"), after: 0.3)
    trace.send(bytes("from bob\r\n"), by: "bob", after: 1)
    trace.back(.didRead(bytes: bytes("from bob\r\n"), tag: 1), on: "child", after: 0.06)
    trace.back(.didSecure, on: "child2", after: 0.01)
    trace.send(bytes("from alice\r\n"), by: "alice", after: 12)
    trace.call(
      .write(WriteCommand(payload: .bytes(bytes("hello alice")), tag: 9)), on: "child", after: 0.2)
    trace.see(.received(bytes("hello alice")), by: "alice", after: 0.2)
    trace.back(.didWrite(tag: 9), on: "child", after: 0.02)
    return trace.events
  }

  static var ending: [CaseResult] {
    let scenario = scenario(
      "ending/a-reset-is-reported-as-such", "A reset is reported with its errno, after what was read",
      ["DIS-05", "ERR-04"])
    var trace = TraceBuilder()
    trace.open()
    trace.call(.read(ReadCommand(boundary: .exactly(100), timeout: TimeoutValue(seconds: 2), tag: 3)))
    trace.send(bytes("last words"), after: 0.2)
    trace.back(.didReadPartial(count: 10, tag: 3), after: 0.05)
    trace.act(.reset, after: 0.4)
    trace.back(
      .didDisconnect(SubjectError(domain: .library, code: 7, message: "Socket closed by remote peer")), after: 0.11)
    trace.call(
      .connect(ConnectCommand(target: .host("localhost", port: .number(9)), timeout: TimeoutValue(seconds: 0.5))),
      .refused(SubjectError(domain: .library, code: 1, message: "bad configuration")), after: 1)
    trace.back(.didDisconnect(nil), after: 0.02)
    let deviations = [
      deviation(
        .wrongContent, expected: "didDisconnect error ECONNRESET", actual: "didDisconnect error Closed", line: 13,
        requirement: "ERR-04", at: 9),
      deviation(
        .unexpected, expected: "nothing after didDisconnect", actual: "didDisconnect error none",
        requirement: "DIS-01", at: 11),
      deviation(.ending, expected: "peer rst", actual: "peer fin", line: 14, requirement: "DIS-05"),
    ]
    return [
      result(scenario, .failed, milliseconds: 54.2, trace: trace.events, met: [3: 12], deviations: deviations),
      result(
        scenario, .passedNonStrict, world: .simulated, milliseconds: 0.3, trace: Array(trace.events.prefix(10)),
        met: [3: 12, 9: 13]),
    ]
  }

  static var timing: [CaseResult] {
    let scenario = scenario(
      "timing/a-read-timeout-can-be-extended", "A read timeout can be extended by the delegate", ["TMO-03", "TMO-06"])
    var trace = TraceBuilder()
    trace.open()
    trace.call(.read(ReadCommand(boundary: .exactly(4), timeout: TimeoutValue(seconds: 0.2), tag: 5)))
    trace.back(.shouldTimeoutRead(tag: 5, elapsed: 0.2, bytesDone: 0), after: 174)
    trace.send(bytes("late"), after: 426)
    trace.back(.didRead(bytes: bytes("late"), tag: 5), after: 0.04)
    let deviations = [
      deviation(
        .early, expected: "shouldTimeoutRead tag 5 not before 200 ms after the start", actual: "174 ms after the start",
        line: 16, requirement: "TMO-03", at: 5)
    ]
    let late = [
      deviation(
        .late, expected: "shouldTimeoutRead tag 5 at most 200 ms after the start, plus 3 ms", actual: "238 ms",
        line: 16, requirement: "TMO-03", at: 5)
    ]
    return [
      result(
        scenario, .failed, family: .ipv6, milliseconds: 652, trace: trace.events, met: [3: 15, 8: 17],
        deviations: deviations),
      result(
        scenario, .inconclusive, milliseconds: 690, trace: trace.events, met: [3: 15, 8: 17], deviations: late,
        reason: "the lab woke 31 ms late, so a deviation of 38 ms proves nothing"),
      result(scenario, .passed, world: .simulated, milliseconds: 0.2, trace: trace.events, met: [3: 15, 5: 16, 8: 17]),
    ]
  }
}
