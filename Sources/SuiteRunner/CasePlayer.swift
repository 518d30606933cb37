import ScenarioModel
import ScenarioRunner
import Simulation
import SubjectAdapters
import SubjectPrograms

/// Runs single cases in this process.
struct CasePlayer: Sendable {
  /// The largest oversleep measured on this host.
  var jitter: Duration
  /// What network the process is in.
  var network: HostNetwork
  /// The subjects that are programs of their own, by name: the absolute path of each.
  var programs: [String: String] = [:]
  /// Those of them that run.
  let pool = SubjectPool()

  /// Runs one case and measures how long it really took, and how late the lab itself was at most.
  func run(
    _ script: CaseScript, variant: Variant, world: WorldName, seed: UInt64
  ) -> (result: CaseResult, lateness: Duration) {
    let clock = ContinuousClock()
    let start = clock.now
    var result: CaseResult
    var lateness = Duration.zero
    switch world {
    case .simulated:
      var world = SimulatedWorld()
      result = CaseRunner.run(script, variant: variant, seed: seed, in: &world, tolerance: .simulated)
    case .loopback:
      var world = loopback(variant)
      result = CaseRunner.run(script, variant: variant, seed: seed, in: &world, tolerance: .loopback(jitter: jitter))
      lateness = world.lateness
    }
    result.duration = clock.now - start
    return (result, lateness)
  }

  private func loopback(_ variant: Variant) -> LoopbackWorld {
    guard let name = variant.program else { return LoopbackWorld(network: network) }
    // A name without a path can't be started, and the world reports that.
    return LoopbackWorld(SubjectProgram(name: name, path: programs[name] ?? name), pool: pool)
  }
}
