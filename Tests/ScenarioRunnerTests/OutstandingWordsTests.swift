import ScenarioModel
import ScenarioRunner
import Testing

/// What is said of a case that did not come to its end: what it waited for, and how near that had come.
@Suite struct OutstandingWordsTests {
  private static func run(_ scenario: Scenario, in world: FakeWorld) -> CaseResult {
    var world = world
    return CaseRunner.run(
      scenario, variant: Variant(family: .ipv4, cut: .whole, queues: .separate), seed: 1, profile: .documented,
      in: &world, tolerance: Tolerance(early: .zero, late: .zero))
  }

  private static func lane(_ steps: [SubjectStep]) -> SubjectLane {
    SubjectLane(name: "socket", steps: steps.enumerated().map { LocatedStep($1, at: line(5 + $0)) })
  }

  /// The subject connects and takes these steps; the peer accepts, sends `ab` and takes its own.
  private static func story(
    _ steps: [SubjectStep] = [], peer: [PeerStep] = [], _ expectations: Expectation...,
    edit: (inout Scenario) -> Void = { _ in }
  ) -> Scenario {
    scenario(expectations) {
      $0.subjects = [Self.lane([connects] + steps)]
      let lane: [PeerStep] = [.accept, .send(.bytes(bytes("ab")))] + peer
      $0.peers = [PeerLane(name: "peer", steps: lane.map { Located($0, at: line(20)) })]
      edit(&$0)
    }
  }

  private static let connects = SubjectStep.command(connectCommand, socket: "socket", refusal: nil)
  private static let reads = SubjectStep.command(read(7), socket: "socket", refusal: nil)

  /// A subject that is connected after a millisecond, and reads these texts, a millisecond apart.
  private static func reading(_ texts: String...) -> FakeWorld {
    let reads = texts.enumerated().map { number, text in
      happens(.didRead(bytes: bytes(text), tag: 7), at: .milliseconds(2 + number))
    }
    return FakeWorld([happens(connected, at: .milliseconds(1))] + reads)
  }

  private static let zzz = pattern(.didRead) { $0.bytes = .bytes(bytes("zzz")) }

  // MARK: Points

  /// The case ends at its first deviation, here before the point is due: that it was never reached proves nothing then.
  @Test(arguments: [true, false]) func aPointThatWasStillToCome(isToCome: Bool) {
    let wait = isToCome ? [SubjectStep.wait(.milliseconds(500)), .reach("done")] : []
    let story = Self.story(wait, event(.didConnect, window: window(0, nil, from: .point("done"))))
    let result = Self.run(story, in: Self.reading())
    #expect(result.deviations.map(\.kind) == [.early])
    let fate =
      isToCome ? "the case ended before it was, at 51ms, because of a deviation" : "done was never reached"
    #expect(result.deviations.first?.actual.hasSuffix("before done was reached; " + fate) == true)
  }

  /// At its limit the case has had its time.
  @Test func aPointThatWasNotReachedByTheLimit() {
    let early = event(.didConnect, window: window(0, nil, from: .point("done")))
    let story = Self.story([.wait(.milliseconds(500)), .reach("done")], early) { $0.limit = .milliseconds(40) }
    let result = Self.run(story, in: Self.reading())
    #expect(result.deviations.first?.actual.hasSuffix("; done was never reached") == true)
  }

  // MARK: Callbacks

  @Test func someOfManyAreCounted() {
    let story = Self.story([Self.reads, Self.reads], event(.didConnect), event(.didRead, times: 3, line: 12))
    let result = Self.run(story, in: Self.reading("a", "b"))
    #expect(result.verdict == .timeout)
    #expect(
      result.deviations.map(\.actual) == [
        "2 of 3 came, the last at 3ms, and no more by the limit of 10s; last asked of socket: read of tag 7, at 0s "
          + "in line 7"
      ])
  }

  /// A lane that waits for a callback which came otherwise says how, be it the subject's or a peer's.
  @Test(arguments: [true, false]) func aCallbackThatALaneWaitsForCameOtherwise(isPeer: Bool) {
    let wait = SyncPoint.callback(Self.zzz, socket: "socket", occurrence: 1)
    func result(_ world: FakeWorld) -> CaseResult {
      let story = Self.story(
        [Self.reads, Self.reads] + (isPeer ? [] : [.after(wait)]), peer: isPeer ? [.after(wait)] : [])
      return Self.run(story, in: world)
    }
    let near =
      "by the limit of 10s 2 didRead came, 0 of them fit; the last, at 3ms, was didRead { tag: 7, bytes: \"b\" }: "
      + "bytes differ first at offset 0: expected 0x7a ('z'), got 0x62 ('b')"
    #expect(result(Self.reading("a", "b")).deviations.map(\.actual) == [near])
    #expect(result(Self.reading()).deviations.map(\.actual) == ["still so at the limit of 10s"])
  }

  @Test func aCallbackThatALaneWaitsForCameTooSeldom() {
    let wait = SyncPoint.callback(pattern(.didRead), socket: "socket", occurrence: 3)
    let story = Self.story([Self.reads, Self.reads, .after(wait)])
    #expect(
      Self.run(story, in: Self.reading("a", "b")).deviations.map(\.actual) == [
        "by the limit of 10s 2 didRead came, 2 of them fit; the last, at 3ms, was didRead { tag: 7, bytes: \"b\" }"
      ])
  }

  @Test func aReactionsCallbackCameOtherwise() {
    func actual(_ pattern: CallbackPattern, in world: FakeWorld, earlier: Bool = false) -> String? {
      let story = Self.story([Self.reads]) {
        $0.reactions = (earlier ? [30, 31] : [31]).map {
          Reaction(pattern: pattern, socket: nil, times: 1, steps: [], position: line($0))
        }
      }
      let result = Self.run(story, in: world)
      #expect(result.deviations.map(\.position) == [line(31)])
      return result.deviations.first?.actual
    }
    let last = "the last, at 2ms, was didRead { tag: 7, bytes: \"a\" }"
    let flaw = "bytes differ first at offset 0: expected 0x7a ('z'), got 0x61 ('a')"
    #expect(
      actual(Self.zzz, in: Self.reading("a"))
        == "by the limit of 10s 1 didRead came, 0 of them fit; \(last): \(flaw)")
    let none = "by the limit of 10s no such callback came that no earlier reaction took; "
    #expect(
      actual(Self.zzz, in: Self.reading()) == none + "last asked of socket: read of tag 7, at 0s in line 6")
    #expect(
      actual(pattern(.didRead), in: Self.reading("a"), earlier: true)
        == none + "1 didRead came, 1 of them fit; " + last)
  }

  /// A callback that came otherwise than its reaction wants may be why another did not come; that none came is no news.
  @Test(arguments: [true, false]) func aReactionThatDidNotRunBesideWhatIsMissing(hasCallback: Bool) {
    let story = Self.story([Self.reads], event(.didConnect), event(.didRead), event(.didWrite, line: 22)) {
      $0.reactions = [Reaction(pattern: Self.zzz, socket: nil, times: 1, steps: [], position: line(31))]
    }
    let positions = Self.run(story, in: hasCallback ? Self.reading("a") : Self.reading()).deviations.map(\.position)
    #expect(positions.last == (hasCallback ? line(31) : line(22)) && !positions.dropLast().contains(line(31)))
  }

  // MARK: Peers and holds

  @Test func whatTheKernelTookOfASendIsCounted() {
    var world = Self.reading()
    world.taken = 1
    world.onAction = { action, peer, at in
      if case .send = action { [] } else { FakeWorld.obliging(action, peer, at) }
    }
    #expect(
      Self.run(Self.story(), in: world).deviations.map(\.expected)
        == ["peer waits for the wire to take 2 bytes, 1 went"])
  }

  /// A call that the scenario's own `hold` keeps from returning is no hang of the subject's.
  @Test(arguments: [true, false]) func aCallThatAHoldKeepsFromReturning(isHeld: Bool) {
    var world = FakeWorld([happens(connected, at: .seconds(3))])
    world.callLength = .seconds(2)
    world.hold = isHeld ? line(30) : nil
    world.onCommand = { command, _, _ in
      if case .read = command { (.hung, []) } else { (.done, []) }
    }
    let result = Self.run(Self.story([Self.reads], event(.didConnect), event(.didWrite)), in: world)
    #expect(result.verdict == (isHeld ? .timeout : .hang))
    guard isHeld else { return }
    #expect(result.deviations.map(\.kind) == [.missing])
    #expect(result.deviations.first?.position == line(30))
    #expect(result.deviations.first?.expected == "socket.read returns")
    #expect(result.reason == "the `hold` in line 30 kept socket.read from returning until 4s")
    #expect(
      result.trace.events.contains { if case .callback = $0.kind { true } else { false } },
      "what came before the hold is shown")
  }

  @Test func aPropertyThatAHoldKeepsFromBeingRead() {
    var world = Self.reading()
    world.stuckProperties = [.isConnected]
    world.hold = line(30)
    let check = PropertyCheck(property: .isConnected, expected: .value(.flag(true)), position: line(9))
    let result = Self.run(Self.story([.check([check], socket: "socket")]), in: world)
    #expect(result.verdict == .timeout && result.deviations.map(\.expected) == ["socket.isConnected returns"])
  }

  /// In virtual time, and with a queue of its own, a call returns all the same; what waits behind the callback does not
  /// come.
  @Test(arguments: [30, 1]) func aHoldThatOutlastsTheCase(seconds: Int) {
    let story = Self.story([Self.reads], event(.didConnect), event(.didRead, line: 12)) {
      $0.limit = .seconds(2)
      $0.reactions = [
        Reaction(
          pattern: pattern(.didConnect), socket: nil, times: 1,
          steps: [LocatedStep(.hold(.seconds(seconds)), at: line(30))], position: line(29))
      ]
    }
    let result = Self.run(story, in: Self.reading())
    #expect(result.verdict == .timeout)
    #expect(result.deviations.map(\.position) == (seconds == 30 ? [line(30), line(12)] : [line(12)]))
    guard seconds == 30 else { return }
    #expect(result.deviations.first?.actual == "under way since 1ms, and still so at the limit of 2s")
  }
}
