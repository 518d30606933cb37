import CaseReduction
import Exploration
import HostTools
import ScenarioModel
import ScenarioRunner
import SuiteRunner
import Synchronization

/// Plays scenarios of an exploration in workers: a case that ends its process, or hangs, ends no exploration.
struct CasePlayback: Sendable {
  /// Loopback cases at the same time.
  var jobs: Int
  /// The largest oversleep measured on this host.
  var jitter: Duration
  /// Once it is set, no other cases are started.
  var stop: StopFlag

  /// Plays all of them; nil for one that was not played. Throws when no worker can be had.
  func play(
    _ cases: [(scenario: Scenario, point: ExploredTrial.Point)], keepsTraces: Bool = false, jobs: Int? = nil
  ) throws -> [CaseResult?] {
    guard !cases.isEmpty else { return [] }
    var scenarios: [Scenario] = []
    var planned: [PlannedCase] = []
    for (place, one) in cases.enumerated() {
      if place == 0 || cases[place - 1].scenario != one.scenario {
        var scenario = one.scenario
        scenario.id = "\(scenarios.count)"
        scenarios.append(scenario)
      }
      planned.append(
        PlannedCase(
          scenario: scenarios.count - 1, variant: one.point.variant, world: one.point.world, seed: one.point.seed))
    }
    var options = SuiteExecutor.Options(
      jobs: jobs ?? self.jobs, profile: .documented, jitter: jitter, keepsTraces: keepsTraces)
    options.keepsExamples = false
    let executor = SuiteExecutor(scenarios: scenarios, options: options, stop: stop)
    let results = Mutex<[Key: CaseResult]>([:])
    let take: @Sendable (CaseResult) -> Void = { result in
      let key = Key(scenario: result.scenario, variant: result.variant, world: result.world, seed: result.seed)
      results.withLock { $0[key] = result }
    }
    for result in try executor.run(planned, report: take) { take(result) }
    let found = results.withLock { $0 }
    return planned.map {
      found[Key(scenario: "\($0.scenario)", variant: $0.variant, world: $0.world, seed: $0.seed)]
    }
  }

  /// The same for trials of a reduction.
  func play(_ trials: [ReductionTrial], in world: WorldName, jobs: Int? = nil) throws -> [CaseResult?] {
    try play(
      trials.map { ($0.scenario, ExploredTrial.Point(variant: $0.variant, world: world, seed: $0.seed)) }, jobs: jobs)
  }

  private struct Key: Hashable {
    var scenario: String
    var variant: Variant
    var world: WorldName
    var seed: UInt64
  }
}
