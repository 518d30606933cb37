import Foundation
import FuzzHarness
import HostTools
import ScenarioModel
import Synchronization

/// Runs the units of a plan, a limited number at a time.
final class FuzzExecutor: Sendable {
  private let layout: FuzzLayout
  private let campaign: String
  /// The folder for logs.
  private let logs: String
  /// Each unit has a corpus of its own, which begins empty.
  private let isFresh: Bool
  private let deathPipe: ParentDeathPipe
  private let running = Mutex(Running())

  private struct Running {
    var units: [Int: FuzzUnitRun] = [:]
    var isStopped = false
  }

  init(layout: FuzzLayout, campaign: String, logs: String, isFresh: Bool, deathPipe: ParentDeathPipe) {
    self.layout = layout
    self.campaign = campaign
    self.logs = logs
    self.isFresh = isFresh
    self.deathPipe = deathPipe
  }

  /// Ends what is under way and starts nothing else. From any thread.
  func stop() {
    running.withLock { running in
      running.isStopped = true
      for unit in running.units.values { unit.stop() }
    }
  }

  /// Returns when all is done. `onEnd` is called for each process that ended, one at a time.
  func run(
    _ units: [FuzzUnit], jobs: Int, inputs: [String: FuzzInputs], observer: @escaping CampaignObserver,
    onEnd: @escaping @Sendable (Int, FuzzProcessRecord) -> Void
  ) {
    let next = Mutex(0)
    let ending = Mutex(())
    let workers = DispatchGroup()
    for worker in 0..<max(1, min(jobs, units.count)) {
      workers.enter()
      let thread = Thread { [self] in
        while true {
          let index = next.withLock { next in
            defer { next += 1 }
            return next
          }
          guard index < units.count, let run = start(worker, units[index], inputs) else { break }
          observer(.began(worker: worker, run.unit))
          run.run(
            onProgress: { observer(.reached(worker: worker, $0)) },
            onEnd: { record in ending.withLock { _ in onEnd(worker, record) } })
          running.withLock { $0.units[worker] = nil }
          observer(.ended(worker: worker))
        }
        workers.leave()
      }
      thread.name = "socketlab-fuzz-\(worker)"
      thread.stackSize = 1 << 20
      thread.start()
    }
    while workers.wait(timeout: .now() + .milliseconds(250)) == .timedOut { observer(.tick) }
  }

  /// nil: nothing may start any more.
  private func start(_ worker: Int, _ unit: FuzzUnit, _ inputs: [String: FuzzInputs]) -> FuzzUnitRun? {
    running.withLock { running in
      guard !running.isStopped, let inputs = inputs[unit.target.name] else { return nil }
      let corpus = isFresh ? "\(layout.work(unit.target))/fresh/\(campaign)/\(unit.name)" : nil
      let run = FuzzUnitRun(
        unit, inputs: inputs, layout: layout, campaign: campaign, logs: logs, corpus: corpus, deathPipe: deathPipe)
      running.units[worker] = run
      return run
    }
  }
}
