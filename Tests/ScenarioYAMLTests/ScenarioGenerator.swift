import ScenarioModel

/// Scenarios at random, such that they make sense: each says what it can say, from a seed.
struct ScenarioGenerator {
  private var random: SplitMix64
  var hasOwnTLS = true
  private var readsAll = true
  private var worlds = Set(WorldName.allCases)
  private let nowhere = SourcePosition(line: 0, column: 0)

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func scenario() -> Scenario {
    var scenario = Scenario(id: "a/b/generated", title: text())
    if scenario.title.isEmpty { scenario.title = "untitled" }
    scenario.requirements = ["RD-DELIM-04"]
    scenario.tags = chance(2) ? ["slow"] : []
    if chance(3) {
      scenario.worlds = [pick(WorldName.allCases)]
      scenario.worldsReason = "because " + text()
    }
    worlds = scenario.worlds
    readsAll = chance(2)
    scenario.matrix = Matrix(
      families: some(AddressFamily.allCases), segmentations: some(Segmentation.allCases),
      queues: some(QueueTopology.allCases))
    // TLS is either the matrix's or the steps'.
    hasOwnTLS = chance(2)
    if !hasOwnTLS { scenario.matrix.securities = some(Security.allCases) }
    if scenario.matrix.securities == [.plain] { hasOwnTLS = true }
    scenario.matrix.speeds = some(Speed.allCases)
    scenario.matrix.subjects = chance(2) ? some(SubjectKind.allCases) : nil
    // Waits, repeated and all, fit into it.
    scenario.limit = .seconds(80_000) + duration()
    scenario.settle = min(duration(), .seconds(999))
    scenario.hosts = chance(2) ? [HostEntry(name: "one.example", addresses: ["::1"], delay: duration())] : []
    scenario.sockets = [SocketSetup(name: "socket"), SocketSetup(name: "server")]
    if chance(2) { scenario.sockets.swapAt(0, 1) }
    if chance(2) { scenario.sockets[0].queues = pick(QueueTopology.allCases) }
    scenario.sockets[1].hasDelegate = chance(2)
    scenario.sockets[1].hasConcurrentDelegateQueue = chance(2)
    scenario.sockets[0].runLoop = chance(3) ? "worker" : nil
    scenario.sockets[0].modes = chance(3) ? ["default", "private"] : nil
    scenario.sockets[1].userNumber = chance(3) ? number(99) - 50 : nil
    scenario.peers = [
      PeerLane(
        name: "peer",
        steps: [Located(.accept, at: nowhere)] + (0..<number(6)).map { _ in peerStep(2) }
          + (hasOwnTLS ? tlsSteps().map { Located($0, at: nowhere) } : [])),
      PeerLane(
        name: "caller", family: chance(2) ? .ipv6 : nil, receiveBuffer: chance(2) ? 1 + number(9999) : nil,
        steps: [Located(.connect(socket: "server"), at: nowhere)]),
    ]
    // There has to be something to split.
    let cuts = scenario.matrix.segmentations.filter { $0 != .everySplit || !scenario.splitPoints.isEmpty }
    scenario.matrix.segmentations = cuts.isEmpty ? [.random] : cuts
    scenario.subjects = [
      SubjectLane(name: "socket", steps: opening + (0..<number(9)).map { _ in step(lane: "socket", 2) }),
      SubjectLane(name: "child", steps: (0..<number(4)).map { _ in step(lane: "child", 2) }),
    ]
    scenario.reactions = (0..<number(3)).map { _ in reaction() }
    // One that takes every callback leaves none to the next.
    for index in scenario.reactions.indices.dropLast() where scenario.reactions[index].times == nil {
      scenario.reactions[index].times = 2
    }
    scenario.expectations = (0..<number(8)).map { _ in expectation(2) }
    scenario.ending = chance(2) ? .bySubject(pick(StreamEnd.allCases)) : nil
    scenario.canary = true
    if scenario.expectations.isEmpty { scenario.expectations = [expectation(0)] }
    return scenario
  }

  /// What makes every later wait possible.
  private var opening: [LocatedStep] {
    let commands: [(SubjectCommand, String)] = [
      (.set(.autoDisconnectOnClosedReadStream(false)), "socket"),
      (.connect(ConnectCommand(target: .peer("peer"))), "socket"),
      (.listen(ListenCommand(place: .anywhere(port: .free))), "server"), (.setDelegate("second"), "socket"),
    ]
    return commands.map { LocatedStep(.command($0.0, socket: $0.1, refusal: nil), at: nowhere) }
  }

  private mutating func step(lane: String, _ depth: Int, isRepeated: Bool = false) -> LocatedStep {
    let socket = chance(3) ? "server" : lane
    let step: SubjectStep =
      switch number(depth > 0 ? 7 : 5) {
      case 0: .wait(duration() + .microseconds(1))
      case 1 where !isRepeated:
        .after(.callback(CallbackPattern(kind: .didConnect), socket: "socket", occurrence: 1 + number(3)))
      case 2: .check(checks(), socket: socket)
      case 3, 4: startOrCommand(socket)
      case 5: .repeated(times: 1 + number(9), steps: [self.step(lane: lane, depth - 1, isRepeated: true)])
      default: .command(.perform([command(), command()]), socket: socket, refusal: nil)
      }
    return LocatedStep(step, at: nowhere)
  }

  private mutating func startOrCommand(_ socket: String) -> SubjectStep {
    guard chance(3) else { return .command(command(), socket: socket, refusal: nil) }
    let refusal: ErrorPattern? = chance(2) ? .oneOf([errorName(), errorName()]) : chance(2) ? .any : nil
    let port = pick([PortReference.number(UInt16(number(65_536))), .peer("peer"), .listener("server")])
    let target = pick([
      ConnectCommand.Target.peer("peer"), .host("::1", port: port), .address(bytes()), .path(text()),
    ])
    let connect = ConnectCommand(target: target, timeout: timeout(), interface: chance(2) ? text() : nil)
    let listenPort = pick([ListenCommand.ListenPort.free, .number(9), .of("peer"), .of("server")])
    let place = pick([
      ListenCommand.Place.anywhere(port: listenPort), .interface("lo", port: listenPort), .path(text()),
    ])
    return .command(
      chance(2) ? .connect(connect) : .listen(ListenCommand(place: place)), socket: socket, refusal: refusal)
  }

  private mutating func command() -> SubjectCommand {
    let options: [SubjectSetting] =
      worlds.contains(.simulated)
      ? []
      : [
        .keepAlive(Double(number(9) + 1)), .userTimeout(Double(number(9999) + 1) / 1_000), .linger(Double(number(9))),
      ]
    let settings: [SubjectSetting] =
      options + [
        .ipv4Enabled(chance(2)), .ipv6Enabled(chance(2)), .ipv4Preferred(chance(2)),
        .userData(chance(2) ? text() : nil),
        .userNumber(number(99) - 50),
        .autoDisconnectOnClosedReadStream(chance(2)), .alternateAddressDelay(Double(number(9999)) / 7),
        .notifiesDisconnectBeforeReturning(chance(2)),
      ]
    let boundary = pick([
      ReadCommand.Boundary.available(limit: number(99)), .exactly(chance(4) ? .max : number(9999)),
      .through(payload(1), limit: number(3)),
    ])
    let buffer = chance(3) ? ReadCommand.Buffer(name: "page", size: 4096, offset: number(9), fill: 0xEE) : nil
    let security: [SubjectCommand] = hasOwnTLS ? [.startTLS(TLSCommand()), .startTLS(tlsCommand())] : []
    let commands: [SubjectCommand] =
      security + (worlds.contains(.loopback) ? [] : [.exhaustDescriptors]) + [
        .read(ReadCommand(boundary: boundary, timeout: timeout(), tag: number(9) - 4, buffer: buffer)),
        .write(WriteCommand(payload: payload(2), timeout: timeout(), tag: number(3))), .set(pick(settings)),
        .disconnect,
        .disconnectAfterReading, .disconnectAfterWriting, .disconnectAfterReadingAndWriting,
        .setDelegate(chance(2) ? "second" : nil), .setDelegateQueue(chance(2) ? "queue" : nil), .blockDelegateQueue,
        .unblockDelegateQueue, .freeDescriptors, .runLoop(runLoopCommand()),
      ]
    return pick(commands)
  }

  private mutating func runLoopCommand() -> RunLoopCommand {
    let loop = chance(3) ? nil : "worker"
    let mode = chance(3) ? nil : "private"
    switch number(6) {
    case 0: return RunLoopCommand(.move(to: loop), returns: chance(2))
    case 1: return RunLoopCommand(.setModes(chance(3) ? [] : ["default", "private"]), returns: chance(2))
    case 2: return RunLoopCommand(.addMode(mode), returns: chance(2))
    case 3: return RunLoopCommand(.removeMode(mode), returns: chance(2))
    case 4: return RunLoopCommand(.run(mode: "private", duration: duration() + .milliseconds(1)))
    default: return RunLoopCommand(.enablePrebuffering)
    }
  }

  private mutating func checks() -> [PropertyCheck] {
    let checks: [(SubjectProperty, PropertyCheck.Expected)] = [
      (.isConnected, .value(.flag(chance(2)))), (.connectedHost, chance(2) ? .value(.text(text())) : .value(.none)),
      (.connectedPort, chance(2) ? .port(.peer("peer")) : .value(.number(80))), (.localPort, .present),
      (.localAddress, .payload(.bytes(bytes()))), (.alternateAddressDelay, .value(.number(Double(number(99)) / 7))),
      (.progressOfRead, .progress(tag: number(9), done: 0...number(9), total: chance(2) ? 9 : nil, active: true)),
      (.progressOfWrite, .progress(tag: nil, done: nil, total: nil, active: chance(2))),
      (.peerCertificate, chance(2) ? .value(.text(CertificateName.leaf.rawValue)) : .value(.none)),
      (.unreadData, chance(2) ? .payload(.bytes(bytes())) : .value(.none)),
      (.canSafelySetDelegate, .value(.flag(chance(2)))), (.runLoopModes, .value(.names(["private"]))),
      (.description, chance(2) ? .mentions([text(), "127.0.0.1"]) : .present), (.userData, .value(.number(7))),
    ]
    return (0...number(checks.count - 1)).map {
      PropertyCheck(property: checks[$0].0, expected: checks[$0].1, position: nowhere)
    }
  }

  private mutating func reaction() -> Reaction {
    var pattern = CallbackPattern(kind: pick([.didDisconnect, .willDisconnect, .willConnect, .wantsRunLoop]))
    let socket =
      pattern.kind == .willConnect
      ? "socket" : pattern.kind == .wantsRunLoop ? "server" : pick(["socket", "server", nil])
    if [.didDisconnect, .willDisconnect].contains(pattern.kind), chance(2) {
      pattern.error = .oneOf([errorName()])
    }
    var steps: [SubjectStep] = [
      .hold(duration() + .milliseconds(1)), .command(command(), socket: socket ?? "socket", refusal: nil),
      .check(checks(), socket: "child"),
    ]
    if pattern.kind == .willConnect { steps.append(.decide(.connect(chance(2)))) }
    if pattern.kind == .wantsRunLoop { steps.append(.decide(.runLoop(chance(2) ? "worker" : nil))) }
    return Reaction(
      pattern: pattern, socket: socket, times: chance(2) ? nil : 1 + number(5), isOptional: chance(3),
      steps: steps.map { LocatedStep($0, at: nowhere) }, position: nowhere)
  }

  private mutating func peerStep(_ depth: Int, isRepeated: Bool = false) -> Located<PeerStep> {
    // What is not read proves no silence.
    let reading: [PeerStep] =
      readsAll
      ? [.expectSilence(.milliseconds(1) + duration())]
      : [.shutdownRead, .stall, .drain(chunk: 1024, every: .milliseconds(5))]
    let urgent: [PeerStep] = worlds.contains(.simulated) ? [] : [.sendUrgent(UInt8(number(256)))]
    let steps: [PeerStep] =
      reading + urgent + [
        .send(payload(2)),
        .drip(payload(1), chunk: 1 + number(99), every: .milliseconds(2)),
        .expect(.joined([.bytes([1]), payload(1)])),
        .expectCount(1 + number(9999), hash: chance(2) ? "0123456789abcdef" : nil),
        .echo(count: chance(2) ? 1 + number(99) : nil), .drain(chunk: nil, every: nil), .wait(.nanoseconds(1)), .accept,
        isRepeated
          ? .listenAgain : .after(.callback(CallbackPattern(kind: .didConnect), socket: "socket", occurrence: 1)),
      ]
    if depth > 0, chance(5) {
      return Located(.repeated(times: 1 + number(9), steps: [peerStep(depth - 1, isRepeated: true)]), at: nowhere)
    }
    return Located(pick(steps), at: nowhere)
  }

  private mutating func expectation(_ depth: Int) -> Expectation {
    let socket = pick(["socket", "server", "child", "child12"])
    switch number(depth > 0 ? 6 : 4) {
    case 0:
      return .stream(
        StreamExpectation(payload: .joined([.bytes([1]), payload(2)]), socket: socket, position: nowhere))
    case 1: return .nothing(duration() + .milliseconds(1), socket: socket, position: nowhere)
    case 2, 3: return .event(event(socket))
    case 4: return .anyOrder([expectation(depth - 1), expectation(depth - 1)], position: nowhere)
    default:
      let alternatives = (0...number(3)).map { _ in
        Alternative(
          grade: pick(Grade.allCases), profile: pick([nil] + Profile.allCases),
          expectations: (0..<number(3)).map { _ in expectation(depth - 1) })
      }
      return .oneOf(alternatives, position: nowhere)
    }
  }

  private mutating func event(_ socket: String) -> EventExpectation {
    var pattern = CallbackPattern(kind: pick(CallbackKind.allCases))
    switch pattern.kind {
    case .didRead:
      pattern.tag = number(9)
      pattern.bytes = chance(2) ? payload(2) : nil
      // Both say the same.
      let count = pattern.bytes?.count ?? 3
      pattern.count = chance(2) ? max(0, count - number(3))...(count + number(9)) : nil
    case .didConnect:
      pattern.host = chance(2) ? text() : nil
      pattern.port = UInt16(number(65_536))
    case .shouldTimeoutRead: pattern.elapsed = Double(number(1000)) / 7
    case .shouldTimeoutWrite: pattern.bytesDone = 5...5
    case .didDisconnect, .willDisconnect:
      pattern.runLoop = chance(3) ? "worker" : nil
      pattern.mode = chance(3) ? "private" : nil
      pattern.error = pick([ErrorPattern.none, .any, .oneOf([errorName()]), .oneOf([.none, errorName()])])
    case .didAccept: pattern.child = "child7"
    case .didConnectToURL: pattern.path = text()
    default: pattern.delegate = chance(2) ? "other" : nil
    }
    var event = EventExpectation(pattern: pattern, socket: socket, times: 1 + number(3), position: nowhere)
    event.optional = chance(3)
    let late = duration() + .milliseconds(1)
    let windows: [TimeWindow?] = [
      nil, TimeWindow(origin: .previous, earliest: nil, latest: late),
      TimeWindow(origin: .start, earliest: late, latest: late),
      TimeWindow(origin: .previous, earliest: duration() + .nanoseconds(1), latest: nil),
      TimeWindow(origin: .start, earliest: .milliseconds(1), latest: late + .seconds(1)),
    ]
    event.window = pick(windows)
    return event
  }

  private mutating func errorName() -> ErrorName {
    pick([
      .library(pick(LibraryErrorCode.allCases)), .runLoop(pick(RunLoopErrorCode.own)), .misuse, .posix(104), .posix(71),
      .netDB(-2), .netDB(-99), .netDB(nil),
      .ssl(nil),
      .ssl(-9806), .ssl(-1),
    ])
  }

  mutating func payload(_ depth: Int) -> Payload {
    switch number(depth > 0 ? 5 : 3) {
    case 0: .bytes(Array(text().utf8))
    case 1: .bytes(bytes())
    case 2: .pattern(seed: UInt64(number(99)) &* 0x0123_4567_89AB_CDEF, count: number(9999))
    case 3: .repeated(unit: payload(depth - 1), times: number(9))
    default: .joined((0...number(3)).map { _ in payload(depth - 1) })
    }
  }

  mutating func bytes() -> [UInt8] { (0..<number(chance(4) ? 99 : 9)).map { _ in UInt8(number(256)) } }

  mutating func text() -> String {
    let scraps = [
      "a", " ", "HELLO", "\r\n", "\"", "\\", "\t", "é", "漢", "👩‍👩‍👧", ": ", " #", "{", "\u{85}", "\u{2028}", "\u{FEFF}",
      "\0", "'", "-",
    ]
    return (0..<number(6)).map { _ in pick(scraps) }.joined()
  }

  private mutating func timeout() -> TimeoutValue {
    TimeoutValue(seconds: pick([-1, 0, 0.3, 1e18, .infinity, -0.001, Double(number(9999)) / 7, 1e-300]))
  }

  private mutating func duration() -> Duration {
    pick([.zero, .milliseconds(number(999)), .seconds(number(99)), Duration(attoseconds: Int128(number(9999)))])
  }

  mutating func some<Value>(_ values: [Value]) -> [Value] {
    let kept = values.filter { _ in chance(2) }
    return kept.isEmpty ? [values[0]] : kept
  }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[number(values.count)] }

  mutating func chance(_ oneIn: Int) -> Bool { number(oneIn) == 0 }

  /// Below the bound.
  mutating func number(_ bound: Int) -> Int { random.below(bound) }
}
