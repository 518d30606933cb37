import ScenarioModel
import ScenarioRunner
import Testing

/// What is judged of sockets of the run-loop class alone, with traces that keep it and that break it.
@Suite struct RunLoopInvariantTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var events: [TraceEvent]
    var requirements: [String]
    var sockets: [SocketSetup] = [SocketSetup(name: "socket")]
    var testDescription: String { name }
  }

  private static func on(
    _ loop: String, _ callback: Callback, mode: String = "default", of socket: String = "socket",
    at milliseconds: Int = 0
  ) -> TraceEvent {
    let delivered = DeliveredCallback(
      socket: socket, delegate: "delegate", callback: callback, runLoop: loop, mode: mode)
    return TraceEvent(at: .milliseconds(milliseconds), kind: .callback(delivered))
  }

  private static func call(_ call: RunLoopCommand.Call, answer: Bool = true, inCallback: Bool = true) -> TraceEvent {
    command(.runLoop(RunLoopCommand(call, returns: true)), result: .returned(answer), inCallback: inCallback)
  }

  private static func unread(_ value: PropertyValue) -> TraceEvent {
    let check = PropertyCheck(property: .unreadData, expected: .present, position: line(1))
    return TraceEvent(at: .zero, kind: .checked(check, socket: "socket", actual: value, holds: true))
  }

  private static let main = RunLoopName.main
  private static let start = [command(connectCommand), on(main, .willConnect), saw(.connected), on(main, connected)]
  private static let reset = SubjectError(domain: .posix, code: 104, message: "reset")
  private static let tooLate = SubjectError(
    domain: .runLoop, code: RunLoopErrorCode.readTimeout.rawValue, message: "too late")
  private static let remoteEnd = SubjectError(domain: .remoteEnd, code: 0, message: "closed by the peer")
  private static let end = [did(.close), on(main, .willDisconnect(nil)), on(main, .didDisconnect(remoteEnd))]
  private static let listen = command(.listen(ListenCommand(place: .anywhere(port: .free))))

  static let ends: [Row] = [
    Row(name: "an end that the peer made", events: start + end, requirements: []),
    Row(
      name: "an error before any connection",
      events: [command(connectCommand), on(main, .willDisconnect(reset)), on(main, .didDisconnect(reset))],
      requirements: []),
    Row(
      name: "a question after the end, and no call that it belongs to",
      events: start + end + [on(main, .willConnect)], requirements: ["INV-02"]),
    Row(
      name: "a question after the end, of a start that is recorded when it has returned",
      events: start + end + [on(main, .willConnect), command(connectCommand)], requirements: []),
    Row(
      name: "a question after the end, of a start that was refused",
      events: start + end + [on(main, .willConnect), command(connectCommand, result: .refused(reset))],
      requirements: []),
    Row(
      name: "no error, and nobody ended anything",
      events: start + [on(main, .willDisconnect(nil)), on(main, .didDisconnect(nil))], requirements: ["RL-01"]),
    Row(
      name: "no error, and another socket is told later why it had ended",
      events: start + [
        on(main, .willDisconnect(nil)), on(main, .didDisconnect(remoteEnd)),
        command(connectCommand, on: "other"), on(main, .didDisconnect(tooLate), of: "other"),
      ], requirements: [], sockets: [SocketSetup(name: "socket"), SocketSetup(name: "other")]),
    Row(
      name: "Closed, and nobody ended anything", events: start + [on(main, .didDisconnect(remoteEnd))],
      requirements: ["ERR-09"]),
    Row(
      name: "willDisconnect twice",
      events: start + [did(.reset)] + [on(main, .willDisconnect(reset)), on(main, .willDisconnect(reset))],
      requirements: ["RL-01"]),
    Row(
      name: "willDisconnect after the end", events: start + end + [on(main, .willDisconnect(nil))],
      requirements: ["INV-02"]),
    Row(
      name: "a write that completes in between",
      events: start + [command(write("x", tag: 1)), did(.close), on(main, .willDisconnect(nil))]
        + [on(main, .didWrite(tag: 1)), on(main, .didDisconnect(remoteEnd))], requirements: ["RL-01"]),
    Row(
      name: "a read of the rest in between",
      events: start + [did(.send(bytes("x"))), did(.close), on(main, .willDisconnect(nil))]
        + [command(read(4), inCallback: true), on(main, .didRead(bytes: bytes("x"), tag: 4))]
        + [on(main, .didDisconnect(remoteEnd))], requirements: []),
    Row(
      name: "a read of a length in between",
      events: start + [did(.send(bytes("x"))), did(.close), on(main, .willDisconnect(nil))]
        + [command(.read(ReadCommand(boundary: .exactly(1), tag: 4)), inCallback: true)]
        + [on(main, .didRead(bytes: bytes("x"), tag: 4)), on(main, .didDisconnect(remoteEnd))],
      requirements: ["INV-04"]),
    Row(
      name: "willConnect of a connect that is refused",
      events: [on(main, .willConnect)]
        + [command(connectCommand, result: .refused(SubjectError(domain: .runLoop, code: 1, message: "no")))],
      requirements: []),
    Row(
      name: "NoError of its own domain",
      events: start + [on(main, .didDisconnect(SubjectError(domain: .runLoop, code: 0, message: "none")))],
      requirements: ["ERR-03"]),
    Row(
      name: "disconnect in a callback, and no end inside",
      events: start + [command(.disconnect, inCallback: true), command(read(1), inCallback: true)]
        + [on(main, .didDisconnect(nil))], requirements: ["DIS-02"]),
    Row(
      name: "disconnect in a callback, and the end inside",
      events: start + [on(main, .didDisconnect(nil)), command(.disconnect, inCallback: true)]
        + [command(read(1), inCallback: true)], requirements: []),
    Row(
      name: "disconnect in a callback, written down where it began",
      events: start + [command(.disconnect, inCallback: true), on(main, .didDisconnect(nil))]
        + [command(read(1), inCallback: true)], requirements: []),
    Row(
      name: "disconnect in willDisconnect",
      events: start + [did(.close), on(main, .willDisconnect(nil)), command(.disconnect, inCallback: true)]
        + [on(main, .didDisconnect(remoteEnd))], requirements: []),
    Row(
      name: "a child that is disconnected before it was connected",
      events: [listen, on(main, .didAccept(child: "child"))]
        + [command(.disconnect, on: "child", inCallback: true)]
        + [command(read(1), on: "child", inCallback: true)], requirements: []),
  ]

  static let places: [Row] = [
    Row(name: "on another loop", events: start + [on("worker", .didSecure)], requirements: ["THR-16"]),
    Row(
      name: "on the loop of its own", events: [command(connectCommand), on("worker", connected)], requirements: [],
      sockets: [SocketSetup(name: "socket", runLoop: "worker")]),
    Row(name: "in another mode", events: start + [on(main, .didSecure, mode: "private")], requirements: ["RL-22"]),
    Row(
      name: "a timer in another mode",
      events: start + [command(read(1))]
        + [on(main, .shouldTimeoutRead(tag: 1, elapsed: 1, bytesDone: 0), mode: "private")],
      requirements: ["TMO-24"]),
    Row(
      name: "in a mode of its own", events: start + [on(main, .didSecure, mode: "private")], requirements: [],
      sockets: [SocketSetup(name: "socket", modes: ["default", "private"])]),
    Row(
      name: "a local end in the caller's mode",
      events: start + [on(main, .didDisconnect(nil), mode: "private"), command(.disconnect, inCallback: true)],
      requirements: []),
    Row(
      name: "an end by the peer in another mode",
      events: start + [did(.close), on(main, .willDisconnect(nil), mode: "private")]
        + [on(main, .didDisconnect(remoteEnd), mode: "private")], requirements: ["RL-22", "RL-22"]),
    Row(
      name: "moved", events: start + [call(.move(to: "worker")), on("worker", .didSecure)], requirements: []),
    Row(
      name: "moved, and told on the old loop", events: start + [call(.move(to: "worker")), on(main, .didSecure)],
      requirements: ["THR-16"]),
    Row(
      name: "not moved", events: start + [call(.move(to: nil), answer: false), on(main, .didSecure)], requirements: []),
    Row(
      name: "a mode added and removed",
      events: start + [call(.addMode("private")), on(main, .didSecure, mode: "private")]
        + [call(.removeMode("private")), on(main, .didSecure, mode: "private")], requirements: ["RL-22"]),
    Row(
      name: "other modes",
      events: start + [call(.setModes(["private"])), on(main, .didSecure)], requirements: ["RL-22"]),
    Row(
      name: "the common modes are not every mode",
      events: start + [
        call(.setModes([RunLoopName.commonModes])), on(main, .didSecure), on(main, .didSecure, mode: "private"),
      ], requirements: ["RL-22"]),
    Row(
      name: "a child on its listener's loop, then on another",
      events: [listen, on(main, .didAccept(child: "child")), on(main, connected, of: "child")]
        + [on("worker", .didSecure, of: "child")], requirements: ["THR-16"]),
    Row(
      name: "a child with its listener's modes",
      events: [listen, on(main, .didAccept(child: "child"), mode: "a"), on(main, connected, mode: "a", of: "child")]
        + [on(main, .didSecure, of: "child")], requirements: ["RL-22"],
      sockets: [SocketSetup(name: "socket", modes: ["a"])]),
  ]

  static let unreads: [Row] = [
    Row(
      name: "all that was left",
      events: start + [did(.send(bytes("abc"))), did(.close), on(main, .willDisconnect(nil))]
        + [unread(.bytes(bytes("abc"))), on(main, .didDisconnect(remoteEnd))], requirements: []),
    Row(
      name: "less than was left",
      events: start + [did(.send(bytes("abc"))), did(.close), on(main, .willDisconnect(nil))]
        + [unread(.bytes(bytes("ab"))), on(main, .didDisconnect(remoteEnd))], requirements: ["INV-05"]),
    Row(
      name: "less than was left at an error",
      events: start + [did(.send(bytes("abc"))), did(.reset), on(main, .willDisconnect(reset))]
        + [unread(.bytes(bytes("ab"))), on(main, .didDisconnect(reset))], requirements: []),
    Row(
      name: "what was delivered, once more",
      events: start + [command(read(1)), did(.send(bytes("abc"))), on(main, .didRead(bytes: bytes("ab"), tag: 1))]
        + [did(.close), on(main, .willDisconnect(nil)), unread(.bytes(bytes("bc")))], requirements: ["INV-05"]),
    Row(
      name: "what was not delivered",
      events: start + [command(read(1)), did(.send(bytes("abc"))), on(main, .didRead(bytes: bytes("ab"), tag: 1))]
        + [did(.close), on(main, .willDisconnect(nil)), unread(.bytes(bytes("c")))], requirements: []),
    Row(
      name: "consumed by asking",
      events: start + [did(.send(bytes("abc"))), did(.close), on(main, .willDisconnect(nil))]
        + [unread(.bytes(bytes("abc"))), unread(.bytes([]))], requirements: ["RL-06"]),
    Row(name: "while connected", events: start + [unread(.bytes(bytes("abc")))], requirements: ["RL-04"]),
    Row(name: "none while connected", events: start + [unread(.none)], requirements: []),
  ]

  @Test(arguments: ends + places + unreads) func areJudged(_ row: Row) {
    let scenario = scenario {
      $0.peers = [PeerLane(name: "peer", steps: [])]
      $0.sockets = row.sockets
    }
    var checker = InvariantChecker(scenario: scenario, subject: .runLoop)
    for (index, event) in row.events.enumerated() { checker.observe(event, index: index) }
    checker.finish()
    #expect(checker.deviations.map { $0.requirement ?? "" } == row.requirements, "\(checker.deviations)")
  }

  @Test func anAnswerToWantsRunLoopIsAPlaceForChildren() {
    let answer = LocatedStep(.decide(.runLoop("worker")), at: line(3))
    let events = [
      Self.listen, Self.on(Self.main, .didAccept(child: "child")), Self.on("worker", connected, of: "child"),
      Self.on("worker", .didSecure, of: "child"), Self.on(Self.main, .didSecure, of: "child"),
    ]
    let scenario = scenario {
      $0.sockets = [SocketSetup(name: "socket")]
      $0.reactions = [
        Reaction(pattern: pattern(.wantsRunLoop), socket: nil, times: 1, steps: [answer], position: line(2))
      ]
    }
    var checker = InvariantChecker(scenario: scenario, subject: .runLoop)
    for (index, event) in events.enumerated() { checker.observe(event, index: index) }
    #expect(checker.deviations.map(\.traceIndex) == [4])
  }

  @Test func aDescriptionIsOneLine() {
    let check = PropertyCheck(property: .description, expected: .present, position: line(1))
    func requirements(_ text: String) -> [String?] {
      var checker = InvariantChecker(scenario: scenario(), subject: .runLoop)
      let event = TraceEvent(at: .zero, kind: .checked(check, socket: "socket", actual: .text(text), holds: true))
      checker.observe(event, index: 0)
      return checker.deviations.map(\.requirement)
    }
    #expect(requirements("not connected") == [])
    #expect(requirements("one\ntwo") == ["DIAG-10"])
  }
}

/// Whole cases of run-loop sockets in a world that is a table.
@Suite struct RunLoopCaseTests {
  private static let variant = Variant(subject: .runLoop, family: .ipv4, cut: .whole, queues: .separate)

  private static func run(
    _ steps: [LocatedStep], _ expectations: [Expectation] = [], subject: SubjectKind = .runLoop,
    answering: @escaping @Sendable (SubjectCommand, Duration) -> (CommandResult, [WorldEvent])
  ) -> CaseResult {
    let scenario = scenario(expectations) {
      $0.subjects = [SubjectLane(name: "socket", steps: steps)]
      $0.sockets = [SocketSetup(name: "socket")]
    }
    var world = FakeWorld()
    world.onCommand = { command, _, at in answering(command, at) }
    var variant = Self.variant
    variant.subject = subject
    return CaseRunner.run(
      scenario, variant: variant, seed: 1, profile: .documented, in: &world,
      tolerance: Tolerance(early: .zero, late: .zero))
  }

  private static func told(_ callback: Callback, on loop: String = "main", at instant: Duration) -> WorldEvent {
    let delivered = DeliveredCallback(
      socket: "socket", delegate: "delegate", callback: callback, runLoop: loop, mode: "default")
    return WorldEvent(at: instant, kind: .callback(delivered))
  }

  /// Answers a disconnect with an end that comes so much later.
  private static func ending(after delay: Duration) -> CaseResult {
    run([step(connectCommand), step(.disconnect)]) { command, at in
      switch command {
      case .connect: (.done, [told(connected, at: at)])
      case .disconnect: (.done, [told(.didDisconnect(nil), at: at + delay)])
      default: (.done, [])
      }
    }
  }

  @Test func theEndComesBeforeDisconnectReturns() {
    #expect(Self.ending(after: .zero).deviations == [])
    #expect(Self.ending(after: .milliseconds(1)).deviations.map(\.requirement) == ["DIS-02"])
  }

  @Test func aMoveIsSeenFromItsReturnOn() {
    func result(_ loop: String, after delay: Duration) -> CaseResult {
      let move = SubjectCommand.runLoop(RunLoopCommand(.move(to: "worker"), returns: true))
      return Self.run([step(connectCommand), step(read(1)), step(move)]) { command, at in
        switch command {
        case .connect: (.done, [Self.told(connected, at: at)])
        case .runLoop: (.returned(true), [Self.told(.didSecure, on: loop, at: at + delay)])
        default: (.done, [])
        }
      }
    }
    #expect(result("main", after: .zero).deviations == [])
    #expect(result("worker", after: .milliseconds(1)).deviations == [])
    #expect(result("main", after: .milliseconds(1)).deviations.map(\.requirement) == ["THR-16"])
  }

  @Test(arguments: [(true, true, true), (false, false, true), (true, false, false), (false, true, false)])
  func callsMustReturnWhatTheScenarioSays(wanted: Bool, answer: Bool, isGood: Bool) {
    let call = SubjectCommand.runLoop(RunLoopCommand(.addMode("a"), returns: wanted))
    let result = Self.run([step(call, line: 7)]) { _, _ in (.returned(answer), []) }
    #expect(result.deviations.isEmpty == isGood)
    guard let deviation = result.deviations.first else { return }
    #expect(deviation.kind == .refusal)
    #expect(deviation.expected == "socket.addRunLoopMode returns \(wanted)")
    #expect(deviation.position == line(7))
  }

  /// A shared scenario runs unchanged with either class.
  @Test func whatOnlyOneClassTellsIsIncidental() {
    let error = SubjectError(domain: .runLoop, code: 4, message: "timeout")
    let expectations = [event(.didConnect), event(.didDisconnect) { $0.error = .oneOf([.library(.readTimeout)]) }]
    let result = Self.run([step(connectCommand)], expectations) { _, at in
      (
        .done,
        [
          Self.told(.willConnect, at: at), Self.told(connected, at: at), Self.told(.willDisconnect(error), at: at),
          Self.told(.didDisconnect(error), at: at),
        ]
      )
    }
    #expect(result.verdict == .passed, "\(result.deviations)")
  }

  @Test(arguments: SubjectKind.allCases) func aChildMayBeToldThatItIsConnected(subject: SubjectKind) {
    let listen = SubjectCommand.listen(ListenCommand(place: .anywhere(port: .free)))
    let result = Self.run([step(listen)], [event(.didAccept), event(.didRead, on: "child")], subject: subject) {
      _, at in
      (
        .done,
        [
          happens(.didAccept(child: "child"), at: at), happens(connected, on: "child", at: at),
          happens(.didRead(bytes: [1], tag: 0), on: "child", at: at),
        ]
      )
    }
    let isUnexpected = result.deviations.contains { $0.kind == .unexpected || $0.kind == .wrongOrder }
    #expect(isUnexpected == (subject == .gcd))
  }

  @Test func aChildsConnectIsJudgedWhereItIsNamed() {
    let expectations = [event(.didConnect, on: "child", line: 4) { $0.runLoop = "worker" }]
    var judge = Judge(
      program: ExpectationProgram(expectations, profile: .documented, subject: .runLoop),
      tolerance: Tolerance(early: .zero, late: .zero))
    let delivered = DeliveredCallback(
      socket: "child", delegate: "delegate", callback: connected, runLoop: "main", mode: "default")
    judge.observe(TraceEvent(at: .zero, kind: .callback(delivered)), index: 0)
    #expect(judge.deviations.map(\.kind) == [.wrongContent])
    #expect(judge.deviations.first?.actual.contains("it came on main") == true)
  }
}
