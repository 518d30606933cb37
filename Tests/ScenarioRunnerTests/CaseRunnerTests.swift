import ScenarioModel
import ScenarioRunner
import Testing

/// Whole cases in a world that is a table.
@Suite struct CaseRunnerTests {
  private static let variant = Variant(family: .ipv4, cut: .whole, queues: .separate)
  private static let millisecond = Duration.milliseconds(1)

  private static func located(_ steps: PeerStep...) -> [Located<PeerStep>] {
    steps.enumerated().map { Located($1, at: line(20 + $0)) }
  }

  /// The subject connects and the peer greets; the subject closes when the peer finishes.
  private static func greeting(_ edit: (inout Scenario) -> Void = { _ in }) -> Scenario {
    scenario([
      event(.didConnect, line: 11), event(.didRead, line: 12) { $0.bytes = .bytes(bytes("HELLO")) },
    ]) {
      $0.peers = [PeerLane(name: "peer", steps: located(.accept, .send(.bytes(bytes("HELLO")))))]
      $0.subjects = [SubjectLane(name: "socket", steps: [step(connectCommand, line: 5), step(read(7), line: 6)])]
      edit(&$0)
    }
  }

  /// A subject that does what it should, one millisecond later.
  private static func subject() -> FakeWorld {
    var world = FakeWorld()
    world.onCommand = { command, socket, at in
      switch command {
      case .connect: (.done, [happens(connected, at: at + millisecond)])
      case .disconnect: (.done, [happens(.didDisconnect(nil), at: at + millisecond)])
      default: (.done, [])
      }
    }
    world.onAction = { action, peer, at in
      var events = FakeWorld.obliging(action, peer, at)
      if case .send(let bytes) = action {
        events.append(happens(.didRead(bytes: bytes, tag: 7), at: at + millisecond * 2))
      }
      if action == .finish {
        events.append(happens(.didDisconnect(closed), at: at + millisecond))
        events.append(WorldEvent(at: at + millisecond, kind: .peer(peer, .endOfStream)))
      }
      return events
    }
    return world
  }

  private static func run(
    _ scenario: Scenario, in world: inout FakeWorld, profile: Profile = .documented
  ) -> CaseResult {
    CaseRunner.run(
      scenario, variant: variant, seed: 1, profile: profile, in: &world,
      tolerance: Tolerance(early: .zero, late: .zero))
  }

  @Test func aGoodCasePasses() {
    var world = Self.subject()
    let result = Self.run(Self.greeting { $0.ending = .open }, in: &world)
    #expect(result.verdict == .passed)
    #expect(result.deviations == [])
    #expect(world.isClosed)
    #expect(result.matches.values.sorted() == [line(11), line(12)])
    // didRead comes at 2 ms, and the case is watched for 50 ms more.
    #expect(world.now == .milliseconds(52))
    let kinds = result.trace.events.map { event in
      switch event.kind {
      case .command: "command"
      case .callback(let delivered): delivered.callback.kind.rawValue
      case .peerAction: "action"
      case .peerSaw: "saw"
      default: "other"
      }
    }
    #expect(
      kinds == ["action", "command", "command", "saw", "action", "saw", "didConnect", "didRead"])
  }

  @Test func whatAFaultySubjectToldBeforeItsCallReturnedIsNoStray() {
    var world = Self.subject()
    world.faultOfHang = SubjectFault(kind: .crash, text: "it is gone")
    world.onCommand = { _, _, at in (.hung, [happens(connected, at: at)]) }
    let result = Self.run(Self.greeting(), in: &world)
    #expect(result.verdict == .crash)
    #expect(result.deviations.map(\.kind) == [.crash])
  }

  @Test func theSameRunGivesTheSameHash() {
    let hashes = (0..<3).map { _ in
      var world = Self.subject()
      return Self.run(Self.greeting(), in: &world).traceHash
    }
    #expect(Set(hashes).count == 1)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var scenario: Scenario
    var verdict: Verdict
    var kinds: [Deviation.Kind]
    var lateness = Duration.zero
    var processorWait = Duration.zero
    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(
      name: "what is expected never comes", scenario: greeting { $0.expectations.append(event(.didWrite, line: 13)) },
      verdict: .timeout, kinds: [.missing]),
    Row(
      name: "a lane waits for ever",
      scenario: greeting { $0.peers[0].steps += located(.expect(.bytes(bytes("0123456789")))) },
      verdict: .timeout, kinds: [.missing]),
    Row(
      name: "wrong content", scenario: greeting { $0.expectations[1] = event(.didRead) { $0.tag = 8 } },
      verdict: .failed, kinds: [.wrongContent]),
    Row(
      name: "one callback too many", scenario: greeting { $0.expectations.removeLast() }, verdict: .failed,
      kinds: [.unexpected]),
    Row(
      name: "a window that closes", scenario: greeting { $0.expectations[1] = event(.didRead, window: window(nil, 0)) },
      verdict: .failed, kinds: [.late]),
    Row(
      name: "the same while the lab was late",
      scenario: greeting { $0.expectations[1] = event(.didRead, window: window(nil, 0)) }, verdict: .inconclusive,
      kinds: [.late], lateness: .milliseconds(60)),
    Row(
      name: "the same while a thread waited for a processor",
      scenario: greeting { $0.expectations[1] = event(.didRead, window: window(nil, 0)) }, verdict: .inconclusive,
      kinds: [.late], processorWait: .milliseconds(60)),
    Row(
      name: "the same after a wait as short as any",
      scenario: greeting { $0.expectations[1] = event(.didRead, window: window(nil, 0)) }, verdict: .failed,
      kinds: [.late], processorWait: .milliseconds(50)),
    Row(
      name: "what never comes, after a wait that was short for so long a case",
      scenario: greeting { $0.expectations.append(event(.didWrite, line: 13)) }, verdict: .timeout, kinds: [.missing],
      processorWait: .milliseconds(60)),
    Row(
      name: "what never comes, after a wait as long as the case",
      scenario: greeting { $0.expectations.append(event(.didWrite, line: 13)) }, verdict: .inconclusive,
      kinds: [.missing], processorWait: .seconds(60)),
    Row(
      name: "early although a thread waited for a processor",
      scenario: greeting { $0.expectations[1] = event(.didRead, window: window(5, nil)) }, verdict: .failed,
      kinds: [.early], processorWait: .milliseconds(60)),
    Row(
      name: "early although the lab was late",
      scenario: greeting { $0.expectations[1] = event(.didRead, window: window(5, nil)) }, verdict: .failed,
      kinds: [.early], lateness: .milliseconds(60)),
    Row(
      name: "a window that closes for good",
      scenario: greeting { $0.expectations.append(event(.didWrite, window: window(nil, 10))) }, verdict: .failed,
      kinds: [.missing]),
    Row(
      name: "another ending", scenario: greeting { $0.ending = .bySubject(.fin) }, verdict: .failed, kinds: [.ending]),
    Row(
      name: "an ending contradicted",
      scenario: greeting {
        $0.peers[0].steps += located(.wait(.milliseconds(5)), .finish)
        $0.expectations.append(event(.didDisconnect))
        $0.ending = .byPeer(.fin, answer: .rst)
      }, verdict: .failed, kinds: [.ending]),
    Row(
      name: "an ending as expected",
      scenario: greeting {
        $0.peers[0].steps += located(.wait(.milliseconds(5)), .finish)
        $0.expectations.append(event(.didDisconnect))
        $0.ending = .byPeer(.fin, answer: .fin)
      }, verdict: .passed, kinds: []),
    Row(
      name: "a peer that sees something else",
      scenario: greeting { $0.peers[0].steps += located(.wait(.milliseconds(5)), .finish, .expectEnd(.rst)) },
      verdict: .failed,
      kinds: [.unexpected, .peer]),
    Row(
      name: "a refusal that does not come",
      scenario: greeting { $0.subjects[0].steps[0] = step(connectCommand, refusal: .any) },
      verdict: .failed, kinds: [.refusal]),
    Row(
      name: "a subject's lane waits for ever",
      scenario: greeting { $0.subjects[0].steps.append(LocatedStep(.after(.point("never")), at: line(9))) },
      verdict: .timeout, kinds: [.missing]),
    Row(
      name: "the network waits for ever",
      scenario: greeting {
        var network = NetworkSetup()
        network.steps = [LocatedStep(.after(.point("never")), at: line(9))]
        $0.network = network
      }, verdict: .timeout, kinds: [.missing]),
    Row(
      name: "a step of a peer that nobody may connect to",
      scenario: scenario {
        $0.peers = [PeerLane(name: "peer", steps: located(.send(.bytes([1]))))]
        $0.ending = .neverConnected
      }, verdict: .failed, kinds: [.peer]),
    Row(
      name: "a check that does not hold",
      scenario: greeting {
        let check = PropertyCheck(property: .isConnected, expected: .value(.flag(true)), position: line(9))
        $0.subjects[0].steps.append(LocatedStep(.check([check], socket: "socket"), at: line(9)))
      }, verdict: .failed, kinds: [.check]),
    Row(
      name: "a check that does not hold, long after all that was expected",
      scenario: greeting {
        let check = PropertyCheck(property: .isConnected, expected: .value(.flag(true)), position: line(9))
        $0.subjects[0].steps += [
          LocatedStep(.wait(.seconds(1)), at: line(8)), LocatedStep(.check([check], socket: "socket"), at: line(9)),
        ]
      }, verdict: .failed, kinds: [.check]),
    Row(
      name: "tolerated",
      scenario: greeting {
        $0.expectations[1] = .oneOf(
          [Alternative(grade: .nonStrict, profile: nil, expectations: [event(.didRead)])], position: line(12))
      }, verdict: .passedNonStrict, kinds: []),
    Row(
      name: "an invariant broken",
      scenario: greeting {
        $0.subjects[0].steps.removeLast()
        $0.expectations.removeLast()
        $0.expectations.append(event(.didRead))
      }, verdict: .failed, kinds: [.invariant]),
    Row(
      name: "a silence watched to its end", scenario: greeting { $0.expectations.append(nothing(200)) },
      verdict: .passed, kinds: []),
  ]

  @Test(arguments: rows) func decides(_ row: Row) {
    var world = Self.subject()
    (world.lateness, world.processorWait) = (row.lateness, row.processorWait)
    let result = Self.run(row.scenario, in: &world)
    #expect(result.deviations.map(\.kind) == row.kinds)
    #expect(result.verdict == row.verdict)
    if row.verdict == .timeout { #expect(world.now == row.scenario.limit) }
  }

  /// The peer's bytes come a millisecond after the read has given up.
  @Test(
    "time that runs out says nothing of the subject while the lab is late",
    arguments: [
      (true, 60, 1, Verdict.inconclusive), (false, 60, 1, .inconclusive), (true, 0, 1, .failed), (false, 0, 1, .failed),
      // An end told twice is wrong at any time.
      (false, 60, 2, .failed),
    ])
  func expires(asks: Bool, lateness: Int, ends: Int, verdict: Verdict) {
    var world = Self.subject()
    world.lateness = .milliseconds(lateness)
    let tooLate = SubjectError(domain: .library, code: LibraryErrorCode.readTimeout.rawValue, message: "too late")
    world.onCommand = { command, socket, at in
      guard case .read = command else { return (.done, [happens(connected, at: at)]) }
      let asked = happens(.shouldTimeoutRead(tag: 7, elapsed: 0.001, bytesDone: 0), at: at + Self.millisecond)
      let end = happens(.didDisconnect(tooLate), at: at + Self.millisecond)
      return (.done, (asks ? [asked] : []) + Array(repeating: end, count: ends))
    }
    world.onAction = { action, peer, at in
      if case .send = action { return [] }
      return FakeWorld.obliging(action, peer, at)
    }
    #expect(Self.run(Self.greeting(), in: &world).verdict == verdict)
  }

  @Test func whatWasWaitedForIsSaidInWords() {
    var world = Self.subject()
    world.schedule([WorldEvent(at: .milliseconds(3), kind: .peer("peer", .received(bytes("0123"))))])
    let waiting = Self.greeting {
      $0.peers[0].steps += Self.located(.expect(.bytes(bytes("0123456789"))))
      $0.subjects[0].steps += [
        step(write("0123")), LocatedStep(.after(.point("never")), at: line(9)),
      ]
    }
    let result = Self.run(waiting, in: &world)
    #expect(result.deviations.map(\.expected) == ["peer waits for 10 bytes, has 4", "socket waits for point never"])
    #expect(result.deviations.allSatisfy { $0.actual == "still so at the limit of 10s" })
  }

  @Test func obstaclesDecideBeforeAnythingHappens() {
    for (obstacle, verdict, reason) in [
      (CaseObstacle.skip("no IPv6"), Verdict.skipped, "no IPv6"),
      (.failure(LabFailure("no descriptors")), .error, "no descriptors"),
    ] {
      var world = FakeWorld()
      world.obstacle = obstacle
      let result = Self.run(Self.greeting(), in: &world)
      #expect(result.verdict == verdict)
      #expect(result.reason == reason)
      #expect(result.trace.events.isEmpty)
    }
  }

  @Test func hangsAndMissingFeaturesStopTheCase() {
    for (answer, verdict) in [(CommandResult.hung, Verdict.hang), (.unsupported("TLS"), .unsupported)] {
      var world = FakeWorld()
      world.onCommand = { _, _, _ in (answer, []) }
      world.notes = ["left open"]
      let result = Self.run(Self.greeting(), in: &world)
      #expect(result.verdict == verdict)
      #expect(result.trace.events.last?.kind == .note("left open"))
    }
  }

  /// What does not return is no value, least of all the one that is expected.
  @Test func aPropertyThatCannotBeReadIsAHang() {
    var world = Self.subject()
    world.stuckProperties = [.progressOfWrite]
    let check = PropertyCheck(property: .progressOfWrite, expected: .value(.none), position: line(9))
    let step = LocatedStep(.check([check], socket: "socket"), at: line(9))
    let result = Self.run(Self.greeting { $0.subjects[0].steps.append(step) }, in: &world)
    #expect(result.verdict == .hang)
    #expect(result.reason == "socket.progressOfWrite did not return", "\(result.reason ?? "")")
  }

  @Test func whatTheSubjectDoesNotLetGoOfIsWrong() {
    var world = Self.subject()
    world.faults = ["disconnect() of socket did not return"]
    let result = Self.run(Self.greeting(), in: &world)
    #expect(result.verdict == .failed)
    #expect(result.deviations.map(\.kind) == [.invariant])
    #expect(result.deviations.first?.actual == "disconnect() of socket did not return")
    var noted = Self.subject()
    noted.notes = ["a callback did not return"]
    #expect(Self.run(Self.greeting(), in: &noted).verdict == .passed)
  }

  /// The kernel takes connections for a peer that does not accept them.
  @Test(arguments: [["peer"], ["other"], []]) func aConnectionThatNobodyAcceptsIsOne(_ uninvited: [String]) {
    var world = FakeWorld()
    world.uninvitedPeers = uninvited
    let story = scenario {
      $0.peers = [PeerLane(name: "peer", steps: [])]
      $0.subjects = [SubjectLane(name: "socket", steps: [step(connectCommand)])]
      $0.ending = .neverConnected
    }
    let result = Self.run(story, in: &world)
    #expect(result.verdict == (uninvited == ["peer"] ? .failed : .passed))
    #expect(result.deviations.map(\.kind) == (uninvited == ["peer"] ? [.ending] : []))
  }

  /// The call took longer than a case stays at rest; what it has set off comes behind it all the same.
  @Test func whatALongCallSetsOffIsSeen() {
    var world = Self.subject()
    world.callLength = .milliseconds(80)
    let base = world.onCommand
    world.onCommand = { command, socket, at in
      guard case .disconnect = command else { return base(command, socket, at) }
      return (.done, [happens(.didDisconnect(nil), at: at + .milliseconds(100))])
    }
    let story = scenario([event(.didConnect, line: 11)]) {
      $0.peers = [PeerLane(name: "peer", steps: Self.located(.accept))]
      $0.subjects = [SubjectLane(name: "socket", steps: [step(connectCommand), step(.disconnect)])]
    }
    let result = Self.run(story, in: &world)
    #expect(result.verdict == .failed, "nobody expects didDisconnect")
    #expect(result.deviations.first?.actual.contains("didDisconnect") == true)
  }

  /// An event that came in time is in time, though the runner was held up until its window was over.
  @Test func whatHappenedWhileTheRunnerWasHeldUpIsTakenFirst() {
    var world = FakeWorld([happens(.didDisconnect(nil), at: .milliseconds(10))])
    world.readLength = .milliseconds(200)
    let check = PropertyCheck(property: .isConnected, expected: .value(.none), position: line(9))
    let story = scenario([event(.didDisconnect, window: window(nil, 20), line: 11)]) {
      $0.subjects = [
        SubjectLane(name: "socket", steps: [LocatedStep(.check([check], socket: "socket"), at: line(9))])
      ]
    }
    let result = Self.run(story, in: &world)
    #expect(result.deviations.allSatisfy { $0.kind != .late && $0.kind != .missing }, "\(result.deviations)")
  }

  /// Behind a callback that holds its queue others may wait.
  @Test func aCaseGoesOnWhileACallbackHoldsItsQueue() {
    var world = Self.subject()
    let base = world.onCommand
    world.onCommand = { command, socket, at in
      guard case .connect = command else { return base(command, socket, at) }
      return (.done, [happens(connected, at: at), happens(.didDisconnect(nil), at: at + .milliseconds(590))])
    }
    let hold = Reaction(
      pattern: pattern(.didConnect), socket: "socket", times: 1,
      steps: [
        LocatedStep(.repeated(times: 2, steps: [LocatedStep(.hold(.milliseconds(300)), at: line(31))]), at: line(30))
      ],
      position: line(29))
    let story = scenario([event(.didConnect, line: 11)]) {
      $0.peers = [PeerLane(name: "peer", steps: Self.located(.accept))]
      $0.subjects = [SubjectLane(name: "socket", steps: [step(connectCommand)])]
      $0.reactions = [hold]
    }
    #expect(Self.run(story, in: &world).verdict == .failed)
  }

  @Test func whatWasWrongBeforeAMissingFeatureStaysWrong() {
    var world = FakeWorld()
    world.onCommand = { command, _, _ in
      if case .connect = command { (.done, []) } else { (.unsupported("reads"), []) }
    }
    let steps = [
      LocatedStep(.command(connectCommand, socket: "socket", refusal: .any), at: SourcePosition(line: 1, column: 1)),
      LocatedStep(.command(read(), socket: "socket", refusal: nil), at: SourcePosition(line: 2, column: 1)),
    ]
    let scenario = scenario { $0.subjects = [SubjectLane(name: "socket", steps: steps)] }
    let result = Self.run(scenario, in: &world)
    #expect(result.verdict == .failed && result.deviations.first?.kind == .refusal)
    #expect(result.reason == "reads")
  }

  @Test func refusalsAreComparedByPattern() {
    let busy = SubjectError(domain: .posix, code: 98, message: "busy")
    for (pattern, verdict) in [
      (ErrorPattern.any, Verdict.passed), (.oneOf([.posix(98)]), .passed), (.oneOf([.posix(13)]), .failed),
    ] {
      var world = FakeWorld()
      world.onCommand = { _, _, _ in (.refused(busy), []) }
      let refused = scenario {
        $0.subjects = [SubjectLane(name: "socket", steps: [step(connectCommand, refusal: pattern)])]
      }
      #expect(Self.run(refused, in: &world).verdict == verdict)
    }
  }

  @Test func aRefusalThatNobodyExpectsIsADeviation() {
    var world = FakeWorld()
    world.onCommand = { _, _, _ in (.refused(SubjectError(domain: .posix, code: 98, message: "busy")), []) }
    let refused = scenario { $0.subjects = [SubjectLane(name: "socket", steps: [step(connectCommand)])] }
    let result = Self.run(refused, in: &world)
    #expect(result.verdict == .failed && result.deviations.map(\.kind) == [.refusal])
  }

  /// What it had done wrong before is told beside its end.
  @Test func aFaultHidesNothing() {
    var world = Self.subject()
    world.faultOfHang = SubjectFault(kind: .crash, text: "it is gone")
    world.onCommand = { command, _, _ in
      if case .connect = command { (.done, []) } else { (.hung, []) }
    }
    let result = Self.run(
      Self.greeting { $0.subjects[0].steps[0] = step(connectCommand, refusal: .any) }, in: &world)
    #expect(result.verdict == .crash && result.deviations.map(\.kind) == [.refusal, .crash])
  }

  @Test func whatReactionsDoIsJudgedToo() {
    let check = PropertyCheck(property: .localPort, expected: .port(.listener("socket")), position: line(30))
    for (port, verdict) in [(4000.0, Verdict.passed), (4001, .failed)] {
      var world = FakeWorld([
        WorldEvent(at: .milliseconds(1), kind: .point("here"), position: line(31)),
        WorldEvent(at: .milliseconds(1), kind: .checked(check, socket: "socket", actual: .number(port))),
        WorldEvent(
          at: .milliseconds(2), kind: .command(read(), socket: "socket", result: .done, refusal: nil),
          position: line(32)),
      ])
      world.ports = ["socket": 4000]
      let reacting = scenario {
        $0.subjects = [
          SubjectLane(name: "socket", steps: [LocatedStep(.after(.point("here")), at: line(1)), step(read())])
        ]
      }
      let result = Self.run(reacting, in: &world)
      #expect(result.verdict == verdict)
      #expect(result.trace.events.count == 4)
    }
  }

  @Test func lanesSetEachOtherOff() {
    let together = scenario {
      $0.peers = [
        PeerLane(name: "peer", steps: Self.located(.after(.point("b")), .reach("c"), .connect(socket: "socket")))
      ]
      $0.subjects = [
        SubjectLane(
          name: "socket",
          steps: [
            LocatedStep(.after(.point("c")), at: line(1)),
            step(.listen(ListenCommand(place: .anywhere(port: .free)))),
          ]),
        SubjectLane(
          name: "two",
          steps: [
            LocatedStep(.wait(.milliseconds(20)), at: line(2)), LocatedStep(.reach("b"), at: line(3)),
            LocatedStep(.repeated(times: 3, steps: [step(read())]), at: line(4)),
          ]),
      ]
    }
    var world = FakeWorld()
    let result = Self.run(together, in: &world)
    #expect(result.verdict == .passed)
    // The peer connects only once the subject listens.
    #expect(world.actions == [.connect(socket: "socket")])
    #expect(result.trace.events.filter { $0.at == .milliseconds(20) }.count == result.trace.events.count)
  }

  @Test func aPeerThatMustNotGetThroughMayFailToConnect() {
    for (ending, verdict) in [(EndingExpectation.neverConnected, Verdict.passed), (.open, .failed)] {
      var world = FakeWorld()
      world.onAction = { _, peer, at in [WorldEvent(at: at, kind: .peer(peer, .connectFailed(111)))] }
      let refused = scenario {
        $0.peers = [PeerLane(name: "peer", steps: Self.located(.connect(socket: "socket")))]
        $0.subjects = [
          SubjectLane(name: "socket", steps: [step(.listen(ListenCommand(place: .anywhere(port: .free))))])
        ]
        $0.ending = ending
      }
      #expect(Self.run(refused, in: &world).verdict == verdict)
    }
  }

  @Test func aLateEventIsStillSeen() {
    var world = Self.subject()
    world.schedule([happens(.didWrite(tag: 1), at: .milliseconds(340))])
    let late = Self.greeting {
      $0.subjects[0].steps.append(step(write("a", tag: 1)))
      $0.expectations.append(event(.didWrite, window: window(nil, 300, from: .start)))
    }
    let result = Self.run(late, in: &world)
    #expect(result.deviations.map(\.kind) == [.late])
    #expect(result.deviations.first?.actual == "didWrite { tag: 1 } at 340ms, counted from the start")
  }

  /// A program hears of a call later, with a large payload noticeably later: windows count from the call itself.
  @Test func aPointRightBeforeACallIsReachedWhenTheCallIsMade() {
    func result(elapsed: Int64) -> CaseResult {
      var world = FakeWorld()
      world.callDelay = .milliseconds(200)
      world.onCommand = { command, _, at in
        guard case .write = command else { return (.done, []) }
        return (.done, [happens(.didWrite(tag: 1), at: at + .milliseconds(elapsed))])
      }
      let timed = scenario {
        $0.subjects = [
          SubjectLane(
            name: "socket",
            steps: [step(connectCommand), LocatedStep(.reach("writing"), at: line(1)), step(write("a", tag: 1))])
        ]
        $0.expectations = [event(.didWrite, window: window(10, 10, from: .point("writing")))]
      }
      return Self.run(timed, in: &world)
    }
    #expect(result(elapsed: 10).deviations.isEmpty)
    #expect(result(elapsed: 12).deviations.map(\.kind) == [.late])
    let points = result(elapsed: 10).trace.events.filter { if case .point = $0.kind { true } else { false } }
    #expect(points.map(\.at) == [.milliseconds(400)])
  }

  /// What comes inside a call belongs before the next one, however quick the call was: a connection that is given up in
  /// its first callback is no part of the next connection.
  @Test(arguments: [300, 3_000]) func whatComesInsideACallIsBeforeTheNext(_ microseconds: Int64) {
    var world = FakeWorld()
    world.callLength = .microseconds(microseconds)
    world.onCommand = { command, _, at in
      guard case .connect = command else { return (.done, []) }
      return (.done, [happens(.willConnect, at: at + .microseconds(100))])
    }
    let story = scenario {
      $0.subjects = [SubjectLane(name: "socket", steps: [step(connectCommand), step(write("a", tag: 1))])]
      $0.expectations = [event(.willConnect)]
    }
    let result = Self.run(story, in: &world)
    let order = result.trace.events.compactMap { event in
      switch event.kind {
      case .command(let command, _, _, _): command.name
      case .callback(let delivered): delivered.callback.kind.rawValue
      default: nil
      }
    }
    #expect(order == ["connect", "willConnect", "write"])
  }

  @Test func aCaseThatNeverRestsIsStopped() {
    var world = FakeWorld([WorldEvent(at: .zero, kind: .peer("peer", .received([1])))])
    world.onAction = { _, peer, at in
      [
        WorldEvent(at: at, kind: .peer(peer, .connected)), WorldEvent(at: at, kind: .peer(peer, .sent(1))),
        WorldEvent(at: at, kind: .peer(peer, .received([1]))),
      ]
    }
    var script = CaseScript(
      scenario { $0.peers = [PeerLane(name: "peer", steps: Self.located(.accept, .echo(count: nil)))] },
      profile: .documented)
    script.maxEvents = 1000
    let result = CaseRunner.run(
      script, variant: Self.variant, seed: 1, in: &world, tolerance: Tolerance(early: .zero, late: .zero))
    #expect(result.verdict == .hang)
    #expect(result.reason == "the case is not at rest after 1000 events")
  }

  @Test func aHundredThousandTurnsNeedNoStack() {
    let long = scenario {
      $0.subjects = [
        SubjectLane(
          name: "socket",
          steps: [
            step(connectCommand), LocatedStep(.repeated(times: 100_000, steps: [step(read())]), at: line(2)),
          ])
      ]
    }
    var world = FakeWorld()
    #expect(Self.run(long, in: &world).trace.events.count == 100_001)
  }
}
