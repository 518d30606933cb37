import FuzzHarness
import FuzzPrograms
import ReferenceModel
import ScenarioModel
import ScenarioRunner
import ScenarioYAML
import Simulation
import Testing

@Suite struct ProgramScenarioTests {
  private func run(_ scenario: Scenario, seed: UInt64 = 1) throws -> CaseResult {
    var world = SimulatedWorld()
    let variant = try #require(scenario.variants.first)
    return CaseRunner.run(
      scenario, variant: variant, seed: seed, profile: .documented, in: &world, tolerance: .simulated)
  }

  private func told(_ seed: Int) throws -> (CertainProgram, Scenario) {
    var generator = ProgramGenerator(seed: seed)
    let certain = CertainProgram(generator.program())
    return (certain, try ProgramScenario.scenario(certain, id: "found/x", title: "A finding"))
  }

  /// The scenario passes under any seed, and its trace is what the model foretells.
  @Test(arguments: 0..<300) func scenarioOfAProgramPasses(seed: Int) throws {
    let (certain, scenario) = try told(seed)
    for worldSeed in [UInt64(1), 2, 77] {
      let result = try run(scenario, seed: worldSeed)
      #expect(result.verdict == .passed, "\(result.deviations) \(certain.program)")
      let pace = try ProgramScenario.pace(of: certain.program)
      #expect(ProgramTrace.difference(result.trace, certain, pace: pace) == nil, "\(certain.program)")
    }
  }

  /// As a file it says the same.
  @Test(arguments: 0..<300) func textOfAScenarioIsRead(seed: Int) throws {
    let (certain, scenario) = try told(seed)
    let text = ScenarioWriter.yaml(scenario)
    let read = ScenarioReader.read(text, id: scenario.id)
    let back = try #require(read.scenario, "\(read.diagnostics) \(certain.program)\n\(text)")
    #expect(ScenarioWriter.yaml(back) == text)
    #expect(try run(back).verdict == .passed)
  }

  /// There and back: what a scenario does is what its program did, as far as the model can see.
  @Test(arguments: 0..<300) func programComesBack(seed: Int) throws {
    let (certain, scenario) = try told(seed)
    let back = CertainProgram(try ScenarioProgram.program(scenario).get())
    let told = certain.run.entries.map(\.event).filter { !$0.isPartial && !isTimed($0) }
    let again = back.run.entries.map(\.event).filter { !$0.isPartial && !isTimed($0) }
    #expect(Set(told) == Set(again), "\(certain.program)\n\(back.program)")
  }

  /// Times come back with the lab's pace in them.
  private func isTimed(_ event: ModelEvent) -> Bool {
    switch event {
    case .readTimeout, .writeTimeout: true
    default: false
    }
  }

  @Test func falseExpectationFails() throws {
    var program = SocketProgram()
    program.steps = [.call(.read(.exactly(2), timeout: nil)), .arrive([1, 2])]
    var scenario = try ProgramScenario.scenario(CertainProgram(program), id: "x", title: "x")
    #expect(try run(scenario).verdict == .passed)
    scenario.peers[0].steps = scenario.peers[0].steps.map { step in
      if case .send = step.value { Located(.send(.bytes([1, 3])), at: step.position) } else { step }
    }
    #expect(try run(scenario).verdict == .failed)
  }

  @Test func differenceIsSeen() throws {
    var program = SocketProgram()
    program.steps = [.call(.read(.exactly(2), timeout: nil)), .arrive([1, 2]), .call(.write([3], timeout: nil))]
    let certain = CertainProgram(program)
    let scenario = try ProgramScenario.scenario(certain, id: "x", title: "x")
    let trace = try run(scenario).trace
    let pace = try ProgramScenario.pace(of: program)
    #expect(ProgramTrace.difference(trace, certain, pace: pace) == nil)
    let callbacks = trace.events.indices.filter { if case .callback = trace.events[$0].kind { true } else { false } }
    for index in callbacks {
      var other = trace
      let event = other.events.remove(at: index)
      guard case .callback(let delivered) = event.kind, !delivered.callback.kind.isIncidental else { continue }
      #expect(ProgramTrace.difference(other, certain, pace: pace) != nil)
      other.events += [event, event]
      #expect(ProgramTrace.difference(other, certain, pace: pace) != nil)
    }
    var deaf = trace
    deaf.events.removeAll { if case .peerSaw(.received, _) = $0.kind { true } else { false } }
    #expect(ProgramTrace.difference(deaf, certain, pace: pace) != nil)
  }

  @Test func programOfDaysIsTold() throws {
    var program = SocketProgram()
    program.steps = [.wait(500_000)]
    #expect(try ProgramScenario.pace(of: program).secondsPerMillisecond == 0.1)
    program.steps = [.wait(900_000)]
    #expect(throws: ProgramScenario.Obstacle.tooLong(900_000)) {
      try ProgramScenario.scenario(CertainProgram(program), id: "x", title: "x")
    }
  }
}
