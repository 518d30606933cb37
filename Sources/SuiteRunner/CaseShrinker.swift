import CaseReduction
import Foundation
import HostTools
import RunReports
import ScenarioModel
import ScenarioRunner
import ScenarioYAML
import SubjectAdapters
import Synchronization

/// Makes a failing case smaller by running ever smaller ones in workers, and writes what is left as a scenario file.
///
/// For a program's case, the library that comes with the lab is the oracle: a step or expectation is removed if the
/// library passes what is left.
package struct CaseShrinker {
  /// The case that fails.
  package struct Case: Sendable {
    /// Its scenario.
    package var scenario: Scenario
    /// Where the scenario's file lies, as a person would name it.
    package var path: String
    /// At which point of the matrix it fails.
    package var variant: Variant
    /// Where it fails.
    package var world: WorldName
    /// With which seed.
    package var seed: UInt64
    /// Which profile's alternatives apply.
    package var profile: Profile
    /// The program that it fails with; nil: the library that comes with the lab.
    package var subject: SubjectEntry?

    package init(
      scenario: Scenario, path: String, variant: Variant, world: WorldName, seed: UInt64, profile: Profile,
      subject: SubjectEntry? = nil
    ) {
      self.subject = subject
      self.scenario = scenario
      self.path = path
      self.variant = variant
      self.world = world
      self.seed = seed
      self.profile = profile
    }
  }

  /// What came of it.
  package struct Outcome {
    /// The smallest case that shows the finding.
    package var best: ReductionTrial
    /// What it shows.
    package var identity: FindingIdentity
    /// How large the case was.
    package var before: ReductionSize
    /// In how many of the runs the original case showed the finding.
    package var hits: Int
    /// How often the case was run as it was.
    package var runs: Int
    /// How many trials were run.
    package var trials: Int
    /// Whether the search was ended before its end.
    package var isInterrupted: Bool
  }

  private let failing: Case
  private let jitter: Duration
  private let stop: StopFlag
  private let sound: ReferenceLab?

  /// - Parameters:
  ///   - sound: a lab whose subject is sound; nil: there is none at hand.
  ///   - stop: ends the search with what it has.
  package init(_ failing: Case, sound: ReferenceLab?, stop: StopFlag) {
    self.failing = failing
    self.sound = sound
    self.stop = stop
    jitter = failing.world == .loopback ? HostProbe.jitter() : .zero
  }

  /// Makes the case smaller. Throws a `CaseReducer.Refusal` if there is nothing to do, and `LabFailure` if cases can't
  /// be run.
  package func run(report: @escaping (CaseReducer.Progress) -> Void) throws -> Outcome {
    let start = ReductionTrial(scenario: failing.scenario, variant: failing.variant, seed: failing.seed)
    var validate: (([ReductionTrial]) throws -> [Bool])?
    if let sound {
      validate = { [failing] trials in try sound.passes(trials, in: failing.world) }
    } else if failing.subject != nil {
      validate = libraryPasses
    }
    let reducer = try CaseReducer(
      start, in: failing.world,
      .init(probe: probe, validate: validate, isStopped: { [stop] in stop.isSet }, report: report))
    try reducer.reduce()
    return Outcome(
      best: reducer.best, identity: reducer.identity, before: start.size, hits: reducer.hits, runs: reducer.runs,
      trials: reducer.trials, isInterrupted: stop.isSet)
  }

  /// Whether the library that comes with the lab passes each of a program's trials.
  private func libraryPasses(_ trials: [ReductionTrial]) throws -> [Bool] {
    let own = trials.map(\.ofLibrary)
    var results = try probe(own.compactMap(\.self))[...]
    return own.map { trial in
      guard trial != nil, let found = results.popFirst(), let result = found else { return false }
      return result.verdict == .passed || result.verdict == .passedNonStrict
    }
  }

  /// Plays the trials, side by side.
  private func probe(_ trials: [ReductionTrial]) throws -> [CaseResult?] {
    let scenarios = trials.enumerated().map { number, trial in
      var scenario = trial.scenario
      scenario.id = "\(number)"
      return scenario
    }
    let planned = trials.enumerated().map { number, trial in
      PlannedCase(scenario: number, variant: trial.variant, world: failing.world, seed: trial.seed)
    }
    let executor = SuiteExecutor(
      scenarios: scenarios,
      options: .init(
        jobs: 16, profile: failing.profile, jitter: jitter, programs: [failing.subject].compactMap(\.self)),
      stop: StopFlag())
    let results = Mutex<[Int: CaseResult]>([:])
    let take: @Sendable (CaseResult) -> Void = { result in
      guard let number = Int(result.scenario) else { return }
      results.withLock { $0[number] = result }
    }
    for result in try executor.run(planned, report: take) { take(result) }
    return results.withLock { results in trials.indices.map { results[$0] } }
  }

  // MARK: The file

  /// The text of the file that the smallest case becomes: a scenario that is played at this point of its matrix only,
  /// with its story in comments.
  package func text(of outcome: Outcome, id: String, path: String) -> String {
    var scenario = outcome.best.scenario
    scenario.id = id
    scenario.canary = false
    scenario.worlds = [failing.world]
    // A schedule is one of simulated time.
    if failing.world != .simulated { scenario.schedule = nil }
    scenario.worldsReason = failing.scenario.worldsReason ?? "that is where it was made smaller"
    // No schema lies beside the file.
    let lines = ScenarioWriter.yaml(scenario).split(separator: "\n", omittingEmptySubsequences: false)
      .drop { $0.hasPrefix("# yaml-language-server:") }
    let comments = [
      "Made smaller by `shrink` from \(failing.scenario.id) [\(failing.variant.name), \(failing.world.rawValue)],",
      "\(failing.path): \(outcome.before.text).", "Left: \(outcome.best.size.text).",
      "It shows: \(Self.line(outcome.identity.text))", "Again: \(command(outcome, path: path))",
    ]
    return (comments.map { "# \($0)"[...] } + lines).joined(separator: "\n")
  }

  /// The command that runs the smallest case.
  package func command(_ outcome: Outcome, path: String) -> String {
    ReproCommand.text(
      scenario: path, variant: outcome.best.variant.name, world: failing.world, seed: outcome.best.seed,
      subject: failing.subject?.word)
  }

  /// One line of printable text, not too long.
  private static func line(_ text: String) -> String {
    String(String(text.unicodeScalars.map { $0.value < 0x20 ? " " : Character($0) }).prefix(200))
  }
}
