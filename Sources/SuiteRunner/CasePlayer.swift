import ScenarioModel
import ScenarioRunner
import Simulation
import SubjectAdapters

/// Runs single cases in this process.
struct CasePlayer: Sendable {
  /// The largest oversleep measured on this host.
  var jitter: Duration
  /// What network the process is in.
  var network: HostNetwork

  /// Runs one case and measures how long it really took.
  func run(_ script: CaseScript, variant: Variant, world: WorldName, seed: UInt64) -> CaseResult {
    let clock = ContinuousClock()
    let start = clock.now
    var result: CaseResult
    switch world {
    case .simulated:
      var world = SimulatedWorld()
      result = CaseRunner.run(script, variant: variant, seed: seed, in: &world, tolerance: .simulated)
    case .loopback:
      var world = LoopbackWorld(network: network)
      result = CaseRunner.run(script, variant: variant, seed: seed, in: &world, tolerance: .loopback(jitter: jitter))
    }
    result.duration = clock.now - start
    return result
  }
}
