import HostTools
import ScenarioModel

/// What a run came to: what is reported, and what it means.
package struct SuiteOutcome {
  /// The results, sorted by scenario, variant, world and seed; what was only counted is in `unlistedCases`.
  package internal(set) var report: RunReport
  /// Whether the run was stopped before all was played and looked into; then cases may lack a verdict.
  package let isInterrupted: Bool
  /// Time spent inside the cases of each world, summed over all workers.
  package let spent: [WorldName: Duration]
  /// Results by world, of all rounds and seeds; canaries and skipped cases count.
  package let counts: [WorldName: Int]
  /// How often the cases of a worker were run again because it seemed to hold too much, and did not.
  package var falseAlarms = 0
  /// How many cases ran again alone, because the lab itself had been late.
  package var repeatedCases = 0
  /// How many cases ran again alone, because they had hung.
  package var repeatedHangs = 0
  /// Programs of which it could not be seen whether they leave descriptors open.
  package var leaksNotJudged: [String] = []

  /// Adds what was found of how subjects have ended, by their names; see `RunReport.note`.
  package mutating func note(_ exits: [String: SubjectExit]) { report.note(exits) }

  /// Adds what was asked of the run as a whole and is not so. It belongs into the report before that is written: who
  /// reads only `junit.xml` must not take for green what the exit code does not.
  package mutating func fellShort(_ shortfall: RunShortfall) { report.shortfalls.append(shortfall) }

  /// A deviation, or a known one that is not as on record, outweighs an error of the lab or a subject that was asked
  /// for and could not be judged, which outweighs a run of nothing: of too few cases, or of none for one of the
  /// subjects. An interrupted run is never `asExpected`.
  package var exit: LabExit {
    let unexpected = report.cases.filter { !$0.isAsExpected }
    if unexpected.contains(where: { $0.verdict != .error && $0.verdict != .inconclusive }) { return .deviation }
    if !report.deviationFaults.isEmpty || report.hasExitFaults { return .deviation }
    if report.shortfalls.contains(where: { $0.kind == .disagreement }) { return .deviation }
    if unexpected.contains(where: { $0.verdict == .error }) { return .subjectNotDriven }
    if !unexpected.isEmpty { return .deviation }
    if !report.leftOut.isEmpty { return .subjectNotDriven }
    if !report.hasPlayed { return .nothingRan }
    // A subject that was asked nothing yet may have been asked something later.
    if isInterrupted { return .deviation }
    return report.askedNothing.isEmpty && report.shortfalls.isEmpty ? .asExpected : .nothingRan
  }
}
