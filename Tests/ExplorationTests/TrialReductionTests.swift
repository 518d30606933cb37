import CaseReduction
import ReferenceModel
import ScenarioModel
import ScenarioYAML
import Testing

@testable import Exploration

/// What is left of a program that shows something: no more than shows it, and nothing else.
@Suite("Programs made smaller")
struct TrialReductionTests {
  /// What a subject shows of a scenario; nil: nothing.
  typealias Fault = (ReductionTrial) -> Deviation?

  private static func result(_ trial: ReductionTrial, _ fault: Fault) -> CaseResult {
    var result = CaseResult(scenario: trial.scenario, variant: trial.variant, world: .simulated, seed: trial.seed)
    if let deviation = fault(trial) { (result.verdict, result.deviations) = (.failed, [deviation]) }
    return result
  }

  private static func reduced(
    _ program: SocketProgram, queues: QueueTopology = .separate, _ fault: @escaping Fault
  ) throws -> TrialReduction.Reduced {
    let variant = Variant(subject: .gcd, family: .ipv6, cut: .whole, queues: queues)
    let scenario = try #require(
      ProgramTrial.scenario(program, id: "explore/1", .init(world: .simulated, variant: variant)))
    let trial = ExploredTrial(
      number: 1, origin: .drawn, judgement: .model, changes: .program([]), scenario: scenario,
      points: [.init(variant: variant, world: .simulated, seed: 1)], program: program)
    var reduction = TrialReduction(
      trial, in: .simulated, base: nil, play: { trials, _ in trials.map { result($0, fault) } })
    return try #require(try reduction.reduced(variant, seed: 1))
  }

  private static func program(_ steps: [SocketProgram.Step]) -> SocketProgram {
    var program = SocketProgram()
    program.steps = steps
    return program
  }

  private static func count(_ word: String, in trial: ReductionTrial) -> Int {
    ScenarioWriter.yaml(trial.scenario).split(separator: word, omittingEmptySubsequences: false).count - 1
  }

  @Test("what is left out stays out, whatever else is left out afterwards") func trifles() throws {
    var program = Self.program([
      .call(.read(.exactly(2), timeout: 50)), .call(.write([1, 2, 3], timeout: 100)), .arrive(Array("abcdefg".utf8)),
    ])
    program.closesOnEndOfStream = false
    let missing = Deviation(kind: .missing, expected: "didRead", actual: "not seen")
    let best = try Self.reduced(program) { trial in
      let sent = trial.scenario.peers[0].steps.compactMap { step -> [UInt8]? in
        if case .send(let payload) = step.value { payload.materialised } else { nil }
      }
      let hasAll = Self.count("read:", in: trial) > 0 && Self.count("write:", in: trial) > 0
      return hasAll && sent.joined().contains(UInt8(ascii: "d")) ? missing : nil
    }.best
    let text = ScenarioWriter.yaml(best.scenario)
    #expect(!text.contains("timeout") && !text.contains("autoDisconnect"), "\(text)")
    #expect(text.contains("send: \"d\""), "\(text)")
  }

  @Test("one broken law is not taken for another") func laws() throws {
    let reads = Array(repeating: SocketProgram.Step.call(.read(.exactly(2), timeout: nil)), count: 3)
    let program = Self.program(reads + [.arrive([1, 2, 3, 4, 5, 6])])
    let reduced = try Self.reduced(program) { trial in
      let law = Self.count("read:", in: trial) > 1 ? "INV-05" : "INV-06"
      return Deviation(kind: .invariant, expected: "the bytes of \(law)", actual: "others", requirement: law)
    }
    #expect(Self.count("read:", in: reduced.best) == 2 && reduced.text.contains("INV-05"), "\(reduced.text)")
  }

  @Test("a setting that it takes holds up no other one") func settings() throws {
    let program = Self.program([.arrive([1]), .call(.read(.exactly(1), timeout: nil))])
    let best = try Self.reduced(program, queues: .own) { trial in
      let missing = Deviation(kind: .missing, expected: "didRead", actual: "not seen")
      return trial.variant.queues == .own ? missing : nil
    }.best
    #expect(best.variant.queues == .own && best.variant.family == .ipv4, "\(best.variant.name)")
  }
}
