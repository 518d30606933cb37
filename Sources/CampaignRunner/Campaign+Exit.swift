import FuzzCampaign
import HostTools

extension Campaign {
  /// The exit code of the command.
  package var exit: LabExit {
    guard targets.contains(where: { !$0.runs.isEmpty }) else {
      return isInterrupted || missing.isEmpty ? .nothingRan : .subjectNotDriven
    }
    if findings.contains(where: \.isNews) { return .deviation }
    // A target that could not be built or started is worse than a gate that failed over the others.
    if missing.contains(where: { $0.what.hasPrefix("target ") }) { return .subjectNotDriven }
    return hasPassed ? .asExpected : .deviation
  }
}
