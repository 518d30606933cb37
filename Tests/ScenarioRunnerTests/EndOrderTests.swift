import ScenarioModel
import ScenarioRunner
import Testing

/// Which of the peer's end and a lane's call comes first.
@Suite struct EndOrderTests {
  /// The peer sends and ends at once; the subject's lane reads when it has heard of the connection, or of the data.
  private static func scenario(_ end: PeerStep, after kind: CallbackKind) -> Scenario {
    var waiting = CallbackPattern(kind: kind)
    waiting.tag = kind == .didRead ? 7 : nil
    let steps: [PeerStep] = [.accept, .send(.bytes(bytes("HELLO"))), end]
    var scenario = Scenario(id: "area/case", title: "A case")
    scenario.peers = [PeerLane(name: "peer", steps: steps.enumerated().map { Located($1, at: line(20 + $0)) })]
    scenario.subjects = [
      SubjectLane(
        name: "socket",
        steps: [
          step(connectCommand, line: 5),
          LocatedStep(.after(.callback(waiting, socket: "socket", occurrence: 1)), at: line(6)), step(read(7), line: 7),
        ])
    ]
    scenario.limit = .seconds(2)
    return scenario
  }

  /// What was called and done, in order, in a world where the connection is told 5 ms after it is there.
  private static func story(_ scenario: Scenario, in name: WorldName, of subject: SubjectKind) -> [(Duration, String)] {
    var world = FakeWorld()
    world.name = name
    world.onCommand = { command, _, at in
      guard case .connect = command else { return (.done, []) }
      return (.done, [happens(connected, at: at + .milliseconds(5))])
    }
    let result = CaseRunner.run(
      scenario, variant: Variant(subject: subject, family: .ipv4, cut: .whole, queues: .separate), seed: 1,
      profile: .documented, in: &world, tolerance: Tolerance(early: .zero, late: .zero))
    return result.trace.events.compactMap { event in
      switch event.kind {
      case .command(let command, _, _, _): (event.at, command.name)
      case .peerAction(.send, _): (event.at, "send")
      case .peerAction(.finish, _), .peerAction(.close, _), .peerAction(.reset, _): (event.at, "end")
      default: nil
      }
    }
  }

  @Test(arguments: [PeerStep.finish, .close, .reset])
  func overTheKernelTheEndComesBehindTheCallOfALane(end: PeerStep) {
    let scenario = Self.scenario(end, after: .didConnect)
    let words = { Self.story(scenario, in: $0, of: $1).map(\.1) }
    #expect(words(.loopback, .runLoop) == ["connect", "send", "read", "end"])
    #expect(words(.loopback, .gcd) == ["connect", "send", "end", "read"])
    #expect(words(.simulated, .runLoop) == ["connect", "send", "end", "read"])
  }

  @Test func anEndThatALaneWaitsForIsNotHeld() {
    let story = Self.story(Self.scenario(.finish, after: .didDisconnect), in: .loopback, of: .runLoop)
    #expect(story.map(\.1) == ["connect", "send", "end"])
    #expect(story.last?.0 == .zero)
  }

  @Test func anEndThatACallbackHangsOnIsMadeWhenNothingElseHappens() {
    let story = Self.story(Self.scenario(.finish, after: .didRead), in: .loopback, of: .runLoop)
    #expect(story.map(\.1) == ["connect", "send", "end"])
    #expect(story.last?.0 == .milliseconds(305))
  }
}
