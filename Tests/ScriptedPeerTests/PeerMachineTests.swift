import ScenarioModel
import ScriptedPeer
import Testing

/// A machine and what drives it in these tests: time by hand, answers by hand.
struct MachineBench {
  var machine: PeerMachine
  var board = SyncBoard()
  var now = Duration.zero

  init(
    _ steps: [PeerStep], cut: Variant.Cut = .whole, seed: UInt64 = 1, connected: Bool = true
  ) {
    let lane = PeerLane(
      name: "peer",
      steps: (connected ? [.accept] : []) + steps.enumerated().map { Located($1, at: MachineBench.line($0)) })
    machine = PeerMachine(lane: lane, cut: cut, seed: seed)
    guard connected else { return }
    _ = actions()
    see(.connected)
  }

  static func line(_ index: Int) -> SourcePosition { SourcePosition(line: index + 1, column: 3) }

  /// Everything the machine does now.
  mutating func actions() -> [PeerAction] {
    var actions: [PeerAction] = []
    while let action = machine.nextAction(now: now, sync: &board) { actions.append(action) }
    return actions
  }

  mutating func see(_ observations: PeerObservation...) {
    for observation in observations { machine.observe(observation, at: now) }
  }

  mutating func receive(_ text: String) { see(.received(Array(text.utf8))) }

  /// Answers every send at once and lets time run to each deadline until the machine does nothing more.
  mutating func run(limit: Duration = .seconds(100)) -> [(at: Duration, action: PeerAction)] {
    var done: [(at: Duration, action: PeerAction)] = []
    while true {
      let actions = actions()
      for action in actions {
        done.append((now, action))
        if case .send(let bytes) = action { see(.sent(bytes.count)) }
      }
      if !actions.isEmpty { continue }
      guard let deadline = machine.deadline, deadline <= limit else { return done }
      now = max(now, deadline)
    }
  }
}

extension Located where Value == PeerStep {
  static var accept: Located<PeerStep> { Located(.accept, at: SourcePosition(line: 0, column: 3)) }
}

func payload(_ text: String) -> Payload { .bytes(Array(text.utf8)) }

func sends(_ texts: String...) -> [PeerAction] { texts.map { .send(Array($0.utf8)) } }

@Suite struct PeerMachineTests {
  @Test func stepsThatNeedNoAnswerFollowAtOnce() {
    var bench = MachineBench([
      .stall, .drain(chunk: nil, every: nil), .stopListening, .listenAgain, .finish, .shutdownRead, .close,
    ])
    #expect(
      bench.actions() == [
        .setReading(.paused), .setReading(.everything), .stopListening, .listenAgain, .finish, .shutdownRead, .close,
      ])
    #expect(bench.machine.isFinished)
    #expect(bench.machine.deadline == nil)
  }

  @Test func aSendHoldsBackWhatFollows() {
    var bench = MachineBench([.send(payload("HELLO")), .finish])
    #expect(bench.actions() == sends("HELLO"))
    #expect(bench.machine.waitingFor == "peer waits for the wire to take 5 bytes, 0 went")
    bench.machine.takenUnderWay = 2
    #expect(bench.machine.waitingFor == "peer waits for the wire to take 5 bytes, 2 went")
    bench.see(.sent(3))
    #expect(bench.actions() == [])
    bench.see(.sent(2))
    #expect(bench.actions() == [.finish])
  }

  @Test func anEmptySendIsNothing() {
    var bench = MachineBench([.send(payload("")), .finish])
    #expect(bench.actions() == [.finish])
  }

  @Test func dripsCountFromTheStartOfEachChunk() {
    var bench = MachineBench([.drip(payload("abcde"), chunk: 2, every: .milliseconds(20)), .finish])
    let done = bench.run()
    #expect(done.map(\.action) == sends("ab", "cd", "e") + [.finish])
    #expect(done.map(\.at) == [0, 20, 40, 40].map { .milliseconds($0) })
  }

  @Test func aFailedSendPassesOverTheRest() {
    var bench = MachineBench([
      .drip(payload("abc"), chunk: 1, every: .zero), .send(payload("x")), .sendUrgent(1), .finish,
    ])
    #expect(bench.actions() == sends("a"))
    bench.see(.sendFailed(32))
    #expect(bench.actions() == [.finish])
    #expect(bench.machine.deviation == nil)
  }

  @Test func waitsRepeatsAndPoints() {
    var bench = MachineBench([
      .repeated(
        times: 2,
        steps: [
          Located(.wait(.milliseconds(5)), at: MachineBench.line(10)), Located(.reach("p"), at: MachineBench.line(11)),
          Located(
            .repeated(times: 2, steps: [Located(.sendUrgent(1), at: MachineBench.line(12))]),
            at: MachineBench.line(12)),
        ]), .after(.point("q")), .finish,
    ])
    let done = bench.run()
    #expect(done.map(\.at) == [5, 5, 10, 10].map { .milliseconds($0) })
    #expect(bench.board.points.map(\.name) == ["p"])
    #expect(bench.board.instant(of: "p") == .milliseconds(5))
    #expect(bench.machine.waitingFor == "peer waits for point q")
    bench.board.reach("q", at: bench.now)
    #expect(bench.actions() == [.finish])
  }

  @Test func callbacksAreMoments() {
    var bench = MachineBench([
      .after(.callback(CallbackPattern(kind: .didRead), socket: "socket", occurrence: 2)), .finish,
    ])
    bench.board.watch(.callback(CallbackPattern(kind: .didRead), socket: "socket", occurrence: 1))
    for (socket, isEnough) in [("socket", false), ("other", false), ("socket", true)] {
      bench.board.count(
        DeliveredCallback(socket: socket, delegate: "delegate", callback: .didRead(bytes: [], tag: 0)))
      #expect(bench.actions() == (isEnough ? [.finish] : []))
    }
  }

  @Test func acceptAndConnectAwaitTheirAnswer() {
    var bench = MachineBench([.blackhole, .accept, .send(payload("a"))], connected: false)
    #expect(bench.actions() == [.accept])
    #expect(bench.machine.waitingFor == "peer waits for the subject to connect")
    bench.see(.connected)
    #expect(bench.machine.hasConnected)
    #expect(bench.actions() == sends("a"))
  }

  @Test func aConnectAwaitsTheListener() {
    var bench = MachineBench([.connect(socket: "socket"), .finish], connected: false)
    #expect(bench.actions() == [])
    #expect(bench.machine.waitingFor == "peer waits for socket to listen")
    bench.board.listens("socket")
    #expect(bench.actions() == [.connect(socket: "socket")])
    bench.see(.connectFailed(111))
    #expect(bench.actions() == [])
    #expect(bench.machine.isFinished)
    #expect(bench.machine.connectFailure == 111)
    #expect(bench.machine.deviation?.actual == "peer: it failed with ECONNREFUSED")
  }

  @Test func eachConnectionBeginsAfresh() {
    var bench = MachineBench([.close, .accept, .expect(payload("b")), .expectEnd(.fin)])
    bench.receive("a")
    bench.see(.endOfStream)
    #expect(bench.actions() == [.close, .accept])
    bench.receive("stale")
    bench.see(.connected)
    bench.receive("b")
    bench.see(.endOfStream)
    #expect(bench.actions() == [])
    #expect(bench.machine.isFinished)
    #expect(bench.machine.deviation == nil)
  }

  @Test func speakingWithoutAConnectionDeviates() {
    var bench = MachineBench([.close, .send(payload("x"))])
    #expect(bench.actions() == [.close])
    #expect(bench.machine.deviation?.position == MachineBench.line(1))
  }

  @Test func echoesToTheEndOrSoMany() {
    var bench = MachineBench([.echo(count: 3), .echo(count: nil), .finish])
    bench.receive("ab")
    #expect(bench.actions() == sends("ab"))
    bench.receive("cd")
    #expect(bench.actions() == [])
    bench.see(.sent(2))
    #expect(bench.actions() == sends("c"))
    bench.see(.sent(1))
    #expect(bench.actions() == sends("d"))
    bench.see(.sent(1), .endOfStream)
    #expect(bench.actions() == [.finish])
  }

  @Test("an echo of so many bytes that gets fewer says so", arguments: [PeerObservation.endOfStream, .broken(104)])
  func anEchoThatIsLeftShort(_ end: PeerObservation) {
    for (count, isSent) in [(3, true), (3, false), (2, false), (nil, false)] where isSent || end != .endOfStream {
      var bench = MachineBench([.echo(count: count), .wait(.milliseconds(1))])
      bench.receive("ab")
      #expect(bench.actions() == sends("ab"))
      if isSent { bench.see(.sent(2)) }
      bench.see(end)
      #expect(bench.actions() == [])
      #expect(bench.machine.deviation?.expected == count.map { _ in "peer: the rest of the echo" })
      #expect(bench.machine.deviation?.position == count.map { _ in MachineBench.line(0) })
    }
  }

  @Test func aPacedDrainGrantsAsBytesAreUsed() {
    var bench = MachineBench([.stall, .drain(chunk: 4, every: .milliseconds(5)), .expect(payload("abcdefgh"))])
    #expect(bench.actions() == [.setReading(.paused), .setReading(.atMost(4))])
    #expect(bench.machine.deadline == nil)
    bench.now = .milliseconds(1)
    bench.receive("abcd")
    #expect(bench.machine.deadline == .milliseconds(5))
    bench.now = .milliseconds(4)
    #expect(bench.actions() == [])
    bench.now = .milliseconds(5)
    #expect(bench.actions() == [.setReading(.atMost(4))])
    bench.now = .milliseconds(20)
    bench.receive("efgh")
    #expect(bench.actions() == [.setReading(.atMost(4))])
    #expect(bench.machine.isFinished)
  }

  struct EndRow: CustomTestStringConvertible, Sendable {
    var wanted: StreamEnd
    var seen: PeerObservation
    var actual: String?
    var testDescription: String { "\(wanted) \(seen)" }
  }

  static let ends: [EndRow] = [
    EndRow(wanted: .fin, seen: .endOfStream, actual: nil),
    EndRow(wanted: .rst, seen: .broken(104), actual: nil),
    EndRow(wanted: .either, seen: .endOfStream, actual: nil),
    EndRow(wanted: .either, seen: .broken(104), actual: nil),
    EndRow(wanted: .fin, seen: .broken(104), actual: "peer: rst, ECONNRESET"),
    EndRow(wanted: .rst, seen: .endOfStream, actual: "peer: fin"),
  ]

  @Test(arguments: ends) func finAndRstAreNeverFolded(_ row: EndRow) {
    for isSeenBefore in [false, true] {
      var bench = MachineBench([.wait(.zero), .expectEnd(row.wanted)])
      if !isSeenBefore { _ = bench.actions() }
      bench.see(row.seen)
      _ = bench.actions()
      #expect(bench.machine.isFinished)
      #expect(bench.machine.deviation?.actual == row.actual)
    }
  }

  @Test func theEndComesAfterAllBytesThatWereExpected() {
    var bench = MachineBench([.expect(payload("ab")), .expectEnd(.either)])
    _ = bench.actions()
    bench.receive("abc")
    #expect(bench.machine.deviation == nil)
    _ = bench.actions()
    #expect(bench.machine.deviation?.expected == "peer: the end of the subject's stream after byte 2")
    #expect(bench.machine.deviation?.actual == "peer: another 0x63 ('c'), then \"c\"")
  }

  @Test func silenceIsHeldToTheTick() {
    for (instant, isBroken) in [(Duration.milliseconds(99), true), (.milliseconds(100), false)] {
      var bench = MachineBench([.expectSilence(.milliseconds(100)), .expect(payload("x"))])
      #expect(bench.actions() == [])
      #expect(bench.machine.deadline == .milliseconds(100))
      bench.now = instant
      bench.receive("x")
      _ = bench.actions()
      #expect((bench.machine.deviation != nil) == isBroken)
      #expect(bench.machine.isFinished)
    }
  }

  @Test func silenceIsBrokenByWhatLiesUnread() {
    for observation in [PeerObservation.received([1]), .endOfStream] {
      var bench = MachineBench([.wait(.milliseconds(1)), .expectSilence(.milliseconds(100))])
      _ = bench.actions()
      bench.see(observation)
      bench.now = .milliseconds(1)
      _ = bench.actions()
      #expect(bench.machine.deviation != nil)
    }
  }

  @Test func silenceIsBrokenByAnEnd() {
    for end in [PeerObservation.endOfStream, .broken(104)] {
      var bench = MachineBench([.expectSilence(.milliseconds(100))])
      _ = bench.actions()
      bench.now = .milliseconds(99)
      bench.see(end)
      #expect(bench.machine.deviation?.actual.contains("the subject's stream ended") == true)
    }
  }

  @Test func anUrgentByteIsNoOrdinaryOne() {
    var bench = MachineBench([.sendUrgent(7)])
    #expect(bench.actions() == [.sendUrgent(7)])
  }

  @Test func aCallbackIsAwaitedWithItsFields() {
    var pattern = CallbackPattern(kind: .didWrite)
    pattern.tag = 2
    let wanted = SyncPoint.callback(pattern, socket: "socket", occurrence: 1)
    var board = SyncBoard()
    board.watch(wanted)
    for (socket, tag, hasCome) in [("socket", 1, false), ("other", 2, false), ("socket", 2, true)] {
      board.count(DeliveredCallback(socket: socket, delegate: "delegate", callback: .didWrite(tag: tag)))
      #expect(board.hasCome(wanted) == hasCome)
    }
  }

  @Test func anEchoWithoutAnEndIsFinishedOnlyIfNothingFollows() {
    var alone = MachineBench([.echo(count: nil)])
    var followed = MachineBench([.echo(count: nil), .reset])
    _ = (alone.actions(), followed.actions())
    #expect(alone.machine.isFinished && !followed.machine.isFinished)
  }

  @Test func anEndThatWasExpectedDoesNotBreakSilence() {
    var bench = MachineBench([.expectEnd(.fin), .expectSilence(.milliseconds(100))])
    _ = bench.actions()
    bench.see(.endOfStream)
    _ = bench.run()
    #expect(bench.machine.deviation == nil)
    #expect(bench.now == .milliseconds(100))
  }

  @Test func itsOwnShutdownIsNoEnd() {
    var bench = MachineBench([.shutdownRead, .expectEnd(.either)])
    _ = bench.actions()
    bench.see(.endOfStream)
    #expect(!bench.machine.isFinished)
  }
}
