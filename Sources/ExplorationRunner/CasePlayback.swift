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
  /// The program that loopback cases are played with, at its own variants; nil: the library that comes with the lab.
  var subject: SubjectEntry?
  /// Whom a requirement of the register binds: what binds the program no more than another is none of its cases.
  var scope: @Sendable (String) -> RequirementScope = { _ in .any }

  /// Plays all of them; nil for one that was not played. Throws when no worker can be had.
  func play(
    _ cases: [(scenario: Scenario, point: ExploredTrial.Point)], keepsTraces: Bool = false, jobs: Int? = nil
  ) throws -> [CaseResult?] {
    guard !cases.isEmpty else { return [] }
    var scenarios: [Scenario] = []
    var planned: [PlannedCase] = []
    var refused: [Key: CaseResult] = [:]
    for (place, one) in cases.enumerated() {
      if place == 0 || cases[place - 1].scenario != one.scenario {
        var scenario = one.scenario
        scenario.id = "\(scenarios.count)"
        scenarios.append(scenario)
      }
      let own = PlannedCase(
        scenario: scenarios.count - 1, variant: variant(of: one.point), world: one.point.world, seed: one.point.seed)
      planned.append(own)
      guard own.variant.program != nil,
        let reason = subject?.refusal(of: one.scenario, own.variant, scope: scope)
      else { continue }
      refused[Key(own)] = CaseResult(unsupported: own, of: scenarios[own.scenario], because: reason)
    }
    var options = SuiteExecutor.Options(
      jobs: jobs ?? self.jobs, profile: .documented, jitter: jitter, keepsTraces: keepsTraces,
      programs: [subject].compactMap(\.self))
    options.keepsExamples = false
    let executor = SuiteExecutor(scenarios: scenarios, options: options, stop: stop)
    let results = Mutex<[Key: CaseResult]>(refused)
    let take: @Sendable (CaseResult) -> Void = { result in
      let key = Key(scenario: result.scenario, variant: result.variant, world: result.world, seed: result.seed)
      results.withLock { $0[key] = result }
    }
    for result in try executor.run(planned.filter { refused[Key($0)] == nil }, report: take) { take(result) }
    let found = results.withLock { $0 }
    return planned.map { found[Key($0)] }
  }

  /// Where a point is played: over loopback with the program, if there is one.
  func variant(of point: ExploredTrial.Point) -> Variant {
    variant(point.variant, in: point.world)
  }

  /// The same of a variant in a world.
  func variant(_ variant: Variant, in world: WorldName) -> Variant {
    guard world == .loopback, let subject else { return variant }
    return variant.of(program: subject.name)
  }

  /// The same for trials of a reduction.
  func play(_ trials: [ReductionTrial], in world: WorldName, jobs: Int? = nil) throws -> [CaseResult?] {
    try play(
      trials.map { ($0.scenario, ExploredTrial.Point(variant: $0.variant, world: world, seed: $0.seed)) }, jobs: jobs)
  }

  fileprivate struct Key: Hashable {
    var scenario: String
    var variant: Variant
    var world: WorldName
    var seed: UInt64
  }
}

extension CasePlayback.Key {
  fileprivate init(_ planned: PlannedCase) {
    self.init(scenario: "\(planned.scenario)", variant: planned.variant, world: planned.world, seed: planned.seed)
  }
}
