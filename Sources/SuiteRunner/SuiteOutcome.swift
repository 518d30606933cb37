import HostTools
import ScenarioModel

/// What a run came to: what is reported, and what it means.
package struct SuiteOutcome {
  package let report: RunReport
  package let isInterrupted: Bool
  /// Time spent inside the cases of each world, summed over all workers.
  package let spent: [WorldName: Duration]
  package let counts: [WorldName: Int]

  package var exit: LabExit {
    let unexpected = report.cases.filter { !$0.isAsExpected }
    if unexpected.contains(where: { $0.verdict != .error && $0.verdict != .inconclusive }) { return .deviation }
    if unexpected.contains(where: { $0.verdict == .error }) { return .subjectNotDriven }
    if !unexpected.isEmpty { return .deviation }
    let ran = report.cases.contains { !$0.canary && $0.verdict != .skipped && $0.verdict != .unsupported }
    if !ran { return .nothingRan }
    return isInterrupted ? .deviation : .asExpected
  }
}
