import ScenarioModel
import ScenarioYAML
import Testing

@testable import SoloPeer

@Suite struct SoloLaneTests {
  static func lane(_ steps: String) throws -> PeerLane {
    let text = "title: a lane\nrequirements: [INV-05]\npeer: [\(steps)]\nsubject: [connect]\nexpect: [didConnect]\n"
    let result = ScenarioReader.read(text, id: "lane")
    return try #require(result.scenario?.peers.first, "\(result.diagnostics)")
  }

  private static func words(_ lane: PeerLane) -> [String] {
    lane.steps.map { step in
      switch step.value {
      case .accept: "accept"
      case .send: "send"
      case .close: "close"
      case .after: "after"
      case .repeated(let times, let inner): "repeat \(times) of \(inner.count)"
      default: "other"
      }
    }
  }

  @Test("what waits for others is left out, and counted")
  func leavingOut() throws {
    let lane = try Self.lane(
      "accept, after: didConnect, send: \"x\", reach: sent, repeat: { times: 1, steps: [send: \"y\", after: sent] }")
    let solo = SoloLane(lane, stepByStep: false)
    #expect(Self.words(solo.lane) == ["accept", "send", "repeat 1 of 1"])
    #expect(solo.leftOut == 3)
    #expect(solo.gates.isEmpty)
  }

  @Test("step by step, each step but the first waits")
  func gates() throws {
    let solo = SoloLane(try Self.lane("accept, send: \"x\", close"), stepByStep: true)
    #expect(Self.words(solo.lane) == ["accept", "after", "send", "after", "close"])
    #expect(solo.gates.count == 2)
  }
}
