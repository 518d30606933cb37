import ScenarioModel
import ScenarioRunner
import ScriptedPeer
import Testing

/// When a case is over, and what the runner looks at before its lanes go on.
@Suite struct CaseRestTests {
  private static func run(_ scenario: Scenario, in world: inout FakeWorld) -> CaseResult {
    CaseRunner.run(
      scenario, variant: Variant(family: .ipv4, cut: .whole, queues: .separate), seed: 1, profile: .documented,
      in: &world, tolerance: Tolerance(early: .zero, late: .zero))
  }

  /// A case must have been watched for as long as it says; its limit is no excuse.
  @Test(arguments: [(499, Verdict.passed), (500, .passed), (501, .timeout), (999, .timeout)])
  func quietIsWatchedBeforeTheLimit(connect: Int, verdict: Verdict) {
    let story = scenario([event(.didConnect)]) {
      $0.subjects = [SubjectLane(name: "socket", steps: [step(connectCommand)])]
      $0.settle = .milliseconds(500)
      $0.limit = .seconds(1)
    }
    var world = FakeWorld([happens(connected, at: .milliseconds(connect))])
    let result = Self.run(story, in: &world)
    #expect(result.verdict == verdict, "\(result.deviations)")
    if verdict == .timeout {
      #expect(result.deviations.map(\.expected) == ["nothing happens for 500ms at the end"])
      #expect(result.deviations.first?.actual.contains("didConnect") == true)
      #expect(result.deviations.first?.actual.contains(", at \(connect)ms, was too close to the limit of 1s") == true)
    }
  }

  /// A connection that comes about inside a call is not read before its lane has said whether it is to be.
  @Test(arguments: [0, 80]) func aPeerStallsFromTheFirstByte(callLength: Int) throws {
    var world = FakeWorld()
    world.callLength = .milliseconds(callLength)
    world.onCommand = { command, _, at in
      guard case .connect = command else { return (.done, []) }
      return (
        .done,
        [WorldEvent(at: at, kind: .peer("peer", .connected)), WorldEvent(at: at, kind: .peer("peer", .received([1])))]
      )
    }
    world.onAction = { _, _, _ in [] }
    let story = scenario {
      let steps: [PeerStep] = [.accept, .stall, .wait(.milliseconds(200))]
      $0.peers = [PeerLane(name: "peer", steps: steps.map { Located($0, at: line(1)) })]
      $0.subjects = [SubjectLane(name: "socket", steps: [step(connectCommand)])]
    }
    let result = Self.run(story, in: &world)
    let kinds = result.trace.events.map(\.kind)
    let stall = try #require(kinds.firstIndex { if case .peerAction(.setReading, _) = $0 { true } else { false } })
    let received = try #require(kinds.firstIndex { if case .peerSaw(.received, _) = $0 { true } else { false } })
    #expect(stall < received, "\(kinds)")
  }
}
