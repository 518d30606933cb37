import ScenarioModel
import ScenarioRunner
import SubjectAdapters
import Testing

@Suite("Whole cases in the loopback world")
struct LoopbackWorldCourseTests {
  static let cuts: [Variant.Cut] = [.whole, .bytes, .split(at: 6), .random]
  static let variants = AddressFamily.allCases.flatMap { family in
    QueueTopology.allCases.flatMap { queues in cuts.map { Variant(family: family, cut: $0, queues: queues) } }
  }

  @Test("a line is read, however it is cut", arguments: variants)
  func line(variant: Variant) {
    let result = run(Self.lineScenario(answer: "HELLO\r\n", family: variant.family), variant)
    #expect(result.verdict == .passed, "\(result.deviations) \(result.reason ?? "")")
  }

  @Test("what did not happen is noticed")
  func canary() {
    let result = run(Self.lineScenario(answer: "HULLO\r\n"), Variant(family: .ipv4, cut: .whole, queues: .separate))
    #expect(result.verdict == .failed)
    #expect(result.deviations.first?.kind == .wrongContent)
  }

  private func run(_ scenario: Scenario, _ variant: Variant) -> CaseResult {
    var world = LoopbackWorld()
    return CaseRunner.run(
      scenario, variant: variant, seed: 3, profile: .documented, in: &world,
      tolerance: Tolerance(early: .milliseconds(5), late: .seconds(1)))
  }

  private static func lineScenario(answer: String, family: AddressFamily = .ipv4) -> Scenario {
    func peer(_ steps: PeerStep...) -> [Located<PeerStep>] {
      steps.map { Located($0, at: LoopbackWorldBench.nowhere) }
    }
    let delimiter = Payload.bytes([13, 10])
    let read = ReadCommand(boundary: .through(delimiter, limit: 64), timeout: TimeoutValue(seconds: 2), tag: 7)
    var scenario = Scenario(id: "test/line", title: "A line")
    scenario.peers = [
      PeerLane(
        name: "peer",
        steps: peer(
          .accept, .send(.bytes(Array("HELLO\r".utf8))), .wait(.milliseconds(5)), .send(.bytes(Array("\nREST".utf8)))))
    ]
    scenario.subjects = [
      SubjectLane(
        name: "socket",
        steps: [
          .command(.connect(ConnectCommand(target: .peer("peer"))), socket: "socket", refusal: nil),
          .command(.read(read), socket: "socket", refusal: nil),
        ].map { LocatedStep($0, at: LoopbackWorldBench.nowhere) })
    ]
    var line = CallbackPattern(kind: .didRead)
    line.bytes = .bytes(Array(answer.utf8))
    line.tag = 7
    scenario.expectations = [CallbackPattern(kind: family == .unix ? .didConnectToURL : .didConnect), line].map {
      .event(EventExpectation(pattern: $0, socket: "socket", position: LoopbackWorldBench.nowhere))
    }
    scenario.ending = .open
    return scenario
  }
}
