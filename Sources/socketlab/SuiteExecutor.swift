import Foundation
import ScenarioModel
import ScenarioRunner
import Simulation
import SubjectAdapters
import Synchronization

/// Runs planned cases on worker threads.
///
/// The simulated cases run first, one thread a core: they use the processor and nothing else. The loopback cases run
/// after them, many at a time: they mostly wait, and a busy processor would make the lab late.
final class SuiteExecutor: Sendable {
  struct Options: Sendable {
    var jobs: Int
    var profile: Profile
    /// The largest oversleep measured on this host.
    var jitter: Duration
  }

  private let scenarios: [Scenario]
  private let options: Options
  private let isStopped = Mutex(false)

  init(scenarios: [Scenario], options: Options) {
    self.scenarios = scenarios
    self.options = options
  }

  /// Lets the cases that are under way end and starts no others.
  func stop() { isStopped.withLock { $0 = true } }

  /// Runs the cases; `report` is called for each result, on the workers' threads, one at a time. Returns when all are
  /// done.
  func run(_ cases: [PlannedCase], report: @escaping @Sendable (CaseResult) -> Void) {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let reporting = Mutex(())
    let ordered: @Sendable (CaseResult) -> Void = { result in reporting.withLock { _ in report(result) } }
    run(cases.filter { $0.world == .simulated }, workers: min(options.jobs, cores), ordered)
    run(cases.filter { $0.world == .loopback }, workers: options.jobs, ordered)
  }

  private func run(_ cases: [PlannedCase], workers: Int, _ report: @escaping @Sendable (CaseResult) -> Void) {
    guard !cases.isEmpty else { return }
    let next = Mutex(0)
    let scripts = ScriptShelf(scenarios, profile: options.profile, uses: cases.map(\.scenario))
    let finished = DispatchGroup()
    for number in 0..<max(1, min(workers, cases.count)) {
      finished.enter()
      let thread = Thread { [self] in
        while !isStopped.withLock({ $0 }) {
          let index = next.withLock { next in
            defer { next += 1 }
            return next
          }
          guard index < cases.count else { break }
          report(scripts.with(cases[index].scenario) { run(cases[index], script: $0) })
        }
        finished.leave()
      }
      thread.name = "socketlab-\(number)"
      thread.stackSize = 8 << 20
      thread.start()
    }
    finished.wait()
  }

  /// Runs one case and measures how long it really took.
  func run(_ planned: PlannedCase) -> CaseResult {
    run(planned, script: CaseScript(scenarios[planned.scenario], profile: options.profile))
  }

  private func run(_ planned: PlannedCase, script: CaseScript) -> CaseResult {
    let clock = ContinuousClock()
    let start = clock.now
    var result: CaseResult
    switch planned.world {
    case .simulated:
      var world = SimulatedWorld()
      result = play(script, planned, in: &world, tolerance: .simulated)
    case .loopback:
      var world = LoopbackWorld()
      result = play(script, planned, in: &world, tolerance: .loopback(jitter: options.jitter))
    }
    result.duration = clock.now - start
    return result
  }

  private func play<W: World>(
    _ script: CaseScript, _ planned: PlannedCase, in world: inout W, tolerance: Tolerance
  ) -> CaseResult {
    CaseRunner.run(script, variant: planned.variant, seed: planned.seed, in: &world, tolerance: tolerance)
  }
}
