import HostTools
import RunComparison
import ScenarioModel
import ScenarioRunner
import ScenarioYAML

/// The baseline in the folder of the reports: made from runs, and changed only by a person's commands.
///
/// Laws
/// - Cases that a command does not name stay as they were.
/// - The file is replaced at once: when it can't be written, the old one is still whole.
/// - A file that is wrong, or of another subject, is overwritten only if the command says so.
/// - Scenarios are no longer on record because they are gone, not because a run did not play them; otherwise the
///   command says so.
package struct BaselineKeeper {
  private let output: String
  private let citations: CitationRules?

  /// The file's path.
  package var path: String { "\(output)/\(Baseline.fileName)" }

  /// - Parameters:
  ///   - output: the folder of all reports.
  ///   - citations: whom requirements bind, which says what classes a scenario outside the library is played with; nil:
  ///     there is no register.
  package init(output: String, citations: CitationRules? = nil) { (self.output, self.citations) = (output, citations) }

  /// What is on record; what is in the way is wrong usage.
  package func baseline() throws(UsageFailure) -> Baseline { try EarlierRun.baseline(in: output) }

  /// Makes the baseline of a whole run.
  ///
  /// - Parameters:
  ///   - replaces: whether an existing baseline is overwritten, whatever it holds.
  ///   - isPartial: whether the run may lack scenarios.
  ///   - scenarios: gives those of the library; it is not asked if the run may lack some, or is of other files only.
  /// - Returns: the baseline, and how many cases of it are not as expected.
  package func save(
    _ name: String, replaces: Bool, isPartial: Bool, scenarios: () throws -> [Scenario]
  ) throws -> (baseline: Baseline, failing: Int) {
    if !replaces, PathText.exists(path) {
      throw UsageFailure(
        "There is a baseline \(path). `socketlab baseline accept` takes a part of a run into it; --replace "
          + "makes it anew."
      )
    }
    let run = try judged(name)
    let baseline = Baseline(run)
    if !isPartial { try refusePart(baseline, of: name, scenarios) }
    try write(baseline)
    return (baseline, baseline.run.cases.count { !$0.isAsExpected })
  }

  /// More scenarios that a run lacks are counted and not named.
  private static let maxNamed = 3

  /// A run of a few scenarios is no baseline: compared with it, all others could fail and nobody would be told.
  private func refusePart(_ new: Baseline, of name: String, _ scenarios: () throws -> [Scenario]) throws {
    // One that can't be read, or of another subject, says nothing of what the run should have.
    let old = (try? baseline()).flatMap { $0.subject == new.subject ? $0 : nil }
    var missing = Set((old?.scenarios ?? [:]).keys.filter { new.scenarios[$0] == nil })
    let outside = OutsideFiles(of: missing.filter(PathText.isPath), citations: citations)
    let files = Set(outside.scenarios.map(\.id))
    missing = missing.filter { !PathText.isPath($0) || files.contains($0) || outside.isUnknown($0) }
    let isOfLibrary = new.scenarios.keys.contains { !PathText.isPath($0) }
    if old == nil ? isOfLibrary : missing.contains(where: { !PathText.isPath($0) }) {
      let own = Self.whole(try scenarios(), of: new.subject)
      missing =
        old == nil
        ? own.filter { new.scenarios[$0] == nil } : missing.filter { PathText.isPath($0) || own.contains($0) }
    }
    guard !missing.isEmpty else { return }
    let some = missing.sorted().prefix(Self.maxNamed).joined(separator: ", ")
    let others = missing.count - Self.maxNamed
    throw UsageFailure(
      "The run \(name) lacks \(QuantityText.count(missing.count, "scenario")) that "
        + "\(old == nil ? "a whole run has" : "the baseline has and that are still there"): \(some)"
        + (others > 0 ? " and \(QuantityText.count(others)) more" : "")
        + ". Run the whole suite first. `socketlab baseline accept` takes a part of a run into a baseline; --partial "
        + "makes the baseline of this run as it is.")
  }

  /// The ids of what a run of all plays. Programs are asked what can be played over loopback; canaries are always.
  private static func whole(_ scenarios: [Scenario], of subject: String) -> Set<String> {
    let plan = SuitePlan(scenarios, selection: SuiteSelection(), worlds: Set(WorldName.allCases), seeds: [1])
    let hasReference = subject.split(separator: ", ").contains(SuiteRun.subject[...])
    let played = plan.cases.filter { hasReference || $0.world == .loopback || scenarios[$0.scenario].canary }
    return Set(played.map { scenarios[$0.scenario].id })
  }

  /// Takes what the run shows of the cases that fit a pattern; each pattern must fit some.
  package func accept(_ patterns: [CasePattern], from name: String) throws -> [Baseline.Change] {
    var baseline = try baseline()
    let run = try judged(name)
    guard run.subject == baseline.subject, run.profile == baseline.profile else {
      throw UsageFailure(
        "The run is of \(run.subject), profile \(run.profile), and the baseline of \(baseline.subject), profile "
          + "\(baseline.profile).")
    }
    for pattern in patterns where !run.cases.contains(where: { pattern.covers($0.key) }) {
      throw UsageFailure("No case of the run fits \(pattern.text). Nothing was taken.")
    }
    let changes = baseline.accept(run) { key in patterns.contains { $0.covers(key) } }
    if !changes.isEmpty { try write(baseline) }
    return changes
  }

  /// The cases that were removed, and notes on those that were not.
  package struct Pruning: Hashable {
    /// The cases that went.
    package var changes: [Baseline.Change] = []
    /// A sentence or two for each file whose cases stay because they are unknown.
    package var notes: [String] = []
  }

  /// Removes the cases that no scenario has any more. If the id is a path, that file is read; a file that can't be read
  /// as a scenario keeps its cases.
  ///
  /// - Parameter scenarios: gives those of the library; it is not asked if all on record have files of their own.
  package func prune(_ scenarios: () throws -> [Scenario]) throws -> Pruning {
    var baseline = try baseline()
    let programs = baseline.subject.split(separator: ", ").map(String.init)
    let outside = OutsideFiles(of: baseline.scenarios.keys.filter(PathText.isPath), citations: citations)
    var known = outside.scenarios
    if baseline.scenarios.keys.contains(where: { !PathText.isPath($0) }) {
      let own = try scenarios()
      guard !own.isEmpty else { throw UsageFailure("There are no scenarios, so that nothing would be left.") }
      known += own
    }
    var keys: Set<ComparedCase.Key> = []
    for scenario in known {
      let variants = scenario.variants + programs.flatMap { scenario.variants(of: $0) }
      for variant in variants {
        for world in scenario.worlds {
          keys.insert(ComparedCase.Key(scenario: scenario.id, variant: variant.name, world: world))
        }
      }
    }
    var pruning = Pruning(notes: outside.notes)
    pruning.changes = baseline.prune { keys.contains($0) || outside.isUnknown($0.scenario) }
    if !pruning.changes.isEmpty { try write(baseline) }
    return pruning
  }

  /// A run that came to its end.
  private func judged(_ name: String) throws(UsageFailure) -> ComparedRun {
    let run = try EarlierRun.compared(name, in: output).run
    guard run.casesNotJudged == 0 else {
      throw UsageFailure(
        "The run \(name) was interrupted: \(QuantityText.count(run.casesNotJudged, "planned case")) not judged. "
          + "Run again."
      )
    }
    guard !run.cases.isEmpty else { throw UsageFailure("The run \(name) has no cases.") }
    return run
  }

  private func write(_ baseline: Baseline) throws {
    try HostFiles.makeFolder(output)
    try HostFiles.write(baseline.bytes, to: path)
  }
}
