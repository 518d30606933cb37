import HostTools
import ScenarioModel
import ScenarioRunner
import Synchronization

@testable import SuiteRunner

/// What an executor made of scenarios whose workers are played.
struct PlayedCases: Sendable {
  /// By scenario id; the last that was reported.
  var results: [String: CaseResult] = [:]
  var reported: [String] = []
  var amended: [CaseResult] = []
  var falseAlarms = 0
  var repeated = 0
  var repeatedHangs = 0
  var notJudged: [String] = []
  var seen = FakeCrew.Record()

  func verdict(_ id: String) -> Verdict? { results[id]?.verdict }

  /// Plays each scenario once. `onCase` is called with the number of cases that were asked for so far.
  static func play(
    _ courses: [(String, FakeCourse)], in world: WorldName, _ variant: Variant, options: SuiteExecutor.Options,
    stop: StopFlag = StopFlag(), onCase: @escaping @Sendable (Int) -> Void = { _ in }
  ) throws -> PlayedCases {
    let scenarios = courses.map { Scenario.named($0.0) }
    let crew = FakeCrew(Dictionary(courses) { first, _ in first }, onCase: onCase)
    let executor = SuiteExecutor(scenarios: scenarios, options: options, stop: stop, start: crew.start)
    let cases = scenarios.indices.map { PlannedCase(scenario: $0, variant: variant, world: world, seed: 1) }
    let played = Mutex(PlayedCases())
    let amended = try executor.run(cases) { result in
      played.withLock { played in
        played.results[result.scenario] = result
        played.reported.append(result.scenario)
      }
    }
    var all = played.withLock { $0 }
    (all.amended, all.seen) = (amended, crew.seen)
    (all.falseAlarms, all.repeated, all.notJudged) = (
      executor.falseAlarms, executor.repeatedCases, executor.leaksNotJudged
    )
    all.repeatedHangs = executor.repeatedHangs
    return all
  }
}
