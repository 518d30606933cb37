import ScenarioModel
import ScenarioRunner
import Testing

@testable import Simulation

/// How many cases a second: printed, never asserted.
@Suite struct ThroughputTests {
  @Test(.serialized, arguments: ["echo with timeouts", "peer closes after its reply", "caller's buffer"])
  func casesASecond(name: String) throws {
    let yaml = try #require(SampleScenarios.texts.first { $0.name == name }?.yaml)
    let scenario = try SampleScenarios.read(name, yaml)
    let script = CaseScript(scenario, profile: .documented)
    let variant = try #require(scenario.variants.first)
    let runs: UInt64 = 300
    var events = 0
    let spent = ContinuousClock().measure {
      for seed in 0..<runs { events += SampleScenarios.run(script, variant, seed: seed).trace.events.count }
    }
    print("\(name): \(Int(Double(runs) / (spent / .seconds(1)))) cases a second, \(events / Int(runs)) events each")
  }
}
