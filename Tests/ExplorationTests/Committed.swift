import Exploration
import FuzzPrograms
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import Simulation

/// Scenarios of the repository, and how they are played without workers.
enum Committed {
  /// Every twenty-third that runs in the simulated world, and is no canary: something of every folder. Not one whose
  /// peers take thousands of steps: it was half of the time of all trials, which draw each scenario several times.
  static let scenarios = Result {
    let all = try ScenarioLibrary(folder: "Scenarios").scenarios
      .filter { $0.worlds.contains(.simulated) && !$0.canary && $0.limit <= .seconds(30) }
    // Sends that can be joined are rare.
    let joining = all.filter { ScenarioChange(.joins, seed: 1).applied(to: $0) != nil }.prefix(2)
    let some = all.enumerated().filter { $0.offset % 23 == 0 }.map(\.element)
    return some.filter { $0.peers.allSatisfy { count($0.steps) < 1_000 } } + joining
  }

  private static func count(_ steps: [Located<PeerStep>]) -> Int {
    steps.reduce(0) { sum, step in
      if case .repeated(let times, let steps) = step.value { return sum + times * count(steps) }
      return sum + 1
    }
  }

  /// The one with this id.
  static func scenario(_ id: String) throws -> Scenario? {
    try ScenarioLibrary(folder: "Scenarios").scenarios.first { $0.id == id }
  }

  /// With the programs that they tell.
  static func bases() throws -> [ExplorationBase] { try told.get() }

  private static let told = Result {
    try scenarios.get().map { scenario in
      ExplorationBase(scenario: scenario, program: try? ScenarioProgram.program(scenario).get())
    }
  }

  /// Plays a case with the sound subject.
  static func play(_ scenario: Scenario, _ variant: Variant, seed: UInt64) -> CaseResult {
    var world = SimulatedWorld()
    return CaseRunner.run(
      CaseScript(scenario, profile: .documented), variant: variant, seed: seed, in: &world, tolerance: .simulated)
  }

  /// Plays a case with a subject that shows one thing wrongly: the first that the mutation fits.
  static func play(
    _ scenario: Scenario, _ variant: Variant, seed: UInt64, with bug: EventMutation
  ) -> CaseResult {
    var world = MutatedWorld(SimulatedWorld(), bug, occurrence: 0)
    return CaseRunner.run(
      CaseScript(scenario, profile: .documented), variant: variant, seed: seed, in: &world, tolerance: .simulated)
  }
}
