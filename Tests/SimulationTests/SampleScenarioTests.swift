import ScenarioModel
import ScenarioRunner
import Testing

@testable import Simulation

@Suite struct SampleScenarioTests {
  @Test(arguments: SampleScenarios.texts.map(\.name))
  func everySeedPasses(name: String) throws {
    let yaml = try #require(SampleScenarios.texts.first { $0.name == name }?.yaml)
    let scenario = try SampleScenarios.read(name, yaml)
    let script = CaseScript(scenario, profile: .documented)
    var failures = 0
    for variant in scenario.variants {
      for seed in 0..<SampleScenarios.seeds(for: scenario) {
        let result = SampleScenarios.run(script, variant, seed: seed)
        guard result.verdict != .passed || result.trace.hasNotes, failures < 2 else { continue }
        failures += 1
        Issue.record("\(result.story)")
      }
    }
  }

  @Test(arguments: SampleScenarios.texts.map(\.name))
  func equalSeedsGiveEqualTraces(name: String) throws {
    let yaml = try #require(SampleScenarios.texts.first { $0.name == name }?.yaml)
    let scenario = try SampleScenarios.read(name, yaml)
    let script = CaseScript(scenario, profile: .documented)
    for variant in scenario.variants.prefix(9) {
      for seed in [UInt64(0), 1, 77, .max] {
        let first = SampleScenarios.run(script, variant, seed: seed)
        let second = SampleScenarios.run(script, variant, seed: seed)
        #expect(first.trace == second.trace, "\(first.name) seed \(seed)")
      }
    }
  }
}

extension SampleScenarios {
  /// All variants under a few seeds.
  static func expectPasses(_ name: String, _ yaml: String, seeds: UInt64 = 20) throws {
    let scenario = try read(name, yaml)
    let script = CaseScript(scenario, profile: .documented)
    for variant in scenario.variants {
      for seed in 0..<seeds {
        let result = run(script, variant, seed: seed)
        guard result.verdict != .passed || result.trace.hasNotes else { continue }
        Issue.record("\(result.story)")
        return
      }
    }
  }
}

extension Trace {
  /// The world's own complaints.
  var hasNotes: Bool {
    events.contains { event in
      if case .note = event.kind { return true }
      return false
    }
  }
}

extension CaseResult {
  /// The verdict, why, and the trace with payloads cut short.
  var story: String {
    let why = deviations.map { "\($0.kind): \($0.expected) / \($0.actual)".prefix(400) }.joined(separator: "\n")
    let events = trace.events.map { "  \($0.at) \($0.kind)".replacing("ScenarioModel.", with: "").prefix(300) }
    return "\(name) seed \(seed): \(verdict) \(reason ?? "")\n\(why)\n\(events.joined(separator: "\n"))"
  }
}
