import HostTools
import ScenarioModel
import ScenarioRunner
import SubjectAdapters
import Synchronization

/// Finds out which form the subject takes where scenarios tolerate several.
package struct DisputeSurvey {
  /// The scenarios with disputed behaviours, judged without the record, so that a new form is no failure.
  package let scenarios: [Scenario]
  var startWorker: WorkerStart = { try WorkerProcess($0, environment: $1) }

  /// Keeps those of the scenarios that tolerate several forms.
  package init(_ scenarios: [Scenario]) {
    self.scenarios = scenarios.filter(DisputeRecord.concerns).map { scenario in
      var unjudged = scenario
      unjudged.recordedForms = nil
      return unjudged
    }
  }

  /// Runs every variant, in the simulated world with `seeds` seeds and over loopback `rounds` times. Gives the forms
  /// that came, and the names of cases that were not as expected, sorted.
  package func run(seeds: Int, rounds: Int, jobs: Int) throws -> (record: DisputeRecord, failed: [String]) {
    let executor = SuiteExecutor(
      scenarios: scenarios, options: .init(jobs: jobs, profile: .documented, jitter: HostProbe.jitter()),
      stop: StopFlag(), start: startWorker)
    let cases = scenarios.indices.flatMap { index in
      scenarios[index].variants.flatMap { variant in
        WorldName.allCases.filter(scenarios[index].worlds.contains).flatMap { world in
          (1...UInt64(world == .simulated ? seeds : rounds)).map {
            PlannedCase(scenario: index, variant: variant, world: world, seed: $0)
          }
        }
      }
    }
    let places = Dictionary(scenarios.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    let collected = Mutex((record: DisputeRecord(), failed: Set<String>()))
    _ = try executor.run(cases) { result in
      collected.withLock {
        if result.isAsExpected, let place = places[result.scenario] {
          $0.record.add(result, of: scenarios[place])
        } else {
          $0.failed.insert(result.name)
        }
      }
    }
    return collected.withLock { ($0.record, $0.failed.sorted()) }
  }
}
