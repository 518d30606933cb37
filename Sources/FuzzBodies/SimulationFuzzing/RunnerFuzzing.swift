import FuzzHarness
import FuzzPrograms
import ReferenceModel
import ScenarioModel
import ScenarioRunner
import Simulation

/// A program as a scenario of the simulated world, against the model.
///
/// Laws
/// - `runner/trace`: the callbacks of the trace, and what the peer received, are what the model foretells.
/// - `runner/verdict`: the judge passes the scenario that expects the model's events.
/// - `runner/judge`: it fails the same scenario when one expectation is falsified.
package enum RunnerFuzzing {
  package static let body: FuzzBody = { bytes in check(bytes, world: { SimulatedWorld() }) }

  private static let variant = Variant(family: .ipv4, cut: .whole, queues: .separate)

  /// The body over a world of the caller's: tests pass broken worlds, to see that the body notices.
  package static func check<W: World>(_ bytes: UnsafeRawBufferPointer, world make: () -> W) -> Violation? {
    return check(RunnerProgram.program(from: bytes), seed: UInt64(bytes.count), world: make)
  }

  /// `seed`: of what is random in the world, and of whether the judge is tested, too.
  package static func check<W: World>(_ program: SocketProgram, seed: UInt64, world make: () -> W) -> Violation? {
    let certain = CertainProgram(program)
    guard let pace = try? ProgramScenario.pace(of: certain.program),
      let scenario = try? ProgramScenario.scenario(certain, id: "fuzz/runner", title: "as the model foretells")
    else { return nil }
    let result = run(scenario, seed: seed, world: make)
    if let difference = ProgramTrace.difference(result.trace, certain, pace: pace) {
      return Violation("runner/trace", difference)
    }
    guard result.verdict == .passed else {
      let first = result.deviations.first.map { "\($0.kind): expected \($0.expected), saw \($0.actual)" }
      return Violation(
        "runner/verdict", "\(result.verdict) although the trace is right; \(first ?? result.reason ?? "")")
    }
    guard seed % 4 == 3, let falsified = Falsehood.falsified(scenario, choice: Int(seed / 4)) else { return nil }
    let verdict = run(falsified, seed: seed, world: make).verdict
    return verdict == .failed || verdict == .timeout
      ? nil : Violation("runner/judge", "\(verdict) although an expectation is false")
  }

  private static func run<W: World>(_ scenario: Scenario, seed: UInt64, world make: () -> W) -> CaseResult {
    var world = make()
    return CaseRunner.run(
      CaseScript(scenario, profile: .documented), variant: variant, seed: seed, in: &world, tolerance: .simulated)
  }
}

/// Scenarios that expect what does not happen.
enum Falsehood {
  /// The scenario with one of its expectations falsified: a tag that no operation has, an error that is not told, or
  /// one connect more.
  static func falsified(_ scenario: Scenario, choice: Int) -> Scenario? {
    guard !scenario.expectations.isEmpty else { return nil }
    var scenario = scenario
    let index = choice % scenario.expectations.count
    scenario.expectations[index] = falsified(scenario.expectations[index])
    return scenario
  }

  private static func falsified(_ expectation: Expectation) -> Expectation {
    switch expectation {
    case .event(var event):
      switch event.pattern.kind {
      case .didDisconnect: event.pattern.error = .oneOf([.library(.badConfig)])
      case .didConnect, .didCloseRead: event.times = 2
      default: event.pattern.tag = -1
      }
      return .event(event)
    case .anyOrder(var inner, let position):
      if let first = inner.first { inner[0] = falsified(first) }
      return .anyOrder(inner, position: position)
    default: return expectation
    }
  }
}
