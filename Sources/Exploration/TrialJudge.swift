import CaseReduction
import ScenarioModel

/// Says what a trial's result means.
///
/// Laws
/// - What nobody can say must be seen is no finding: of a scenario that was disturbed only broken invariants, crashes
///   and calls that do not return count.
/// - A case in which the lab itself was late, or failed, proves nothing.
package enum TrialJudge {
  /// The result with nothing in it but what the judgement covers. One that shows nothing then has passed.
  package static func judged(_ result: CaseResult, by judgement: ExploredTrial.Judgement) -> CaseResult {
    guard judgement == .laws, !result.isAsExpected, result.verdict != .error else { return result }
    // A process that ended, or had to be ended, is wrong whatever was asked of it.
    if result.verdict == .crash || result.verdict == .hang && !result.backtrace.isEmpty { return result }
    var judged = result
    judged.backtrace = []
    judged.deviations = result.deviations.filter { $0.kind == .invariant }
    judged.verdict = judged.deviations.isEmpty ? .passed : .failed
    if judged.deviations.isEmpty { judged.reason = nil }
    return judged
  }

  /// What the result shows; nil: nothing that is wrong, or nothing that proves anything.
  package static func finding(_ result: CaseResult, by judgement: ExploredTrial.Judgement) -> FindingIdentity? {
    FindingIdentity(judged(result, by: judgement))
  }

  /// What makes two findings the same, in a few words: the requirement at stake and the kind of deviation. A finding
  /// whose requirement nobody named goes by the first that its scenario cites.
  package static func subject(_ result: CaseResult, of trial: ExploredTrial) -> String {
    let judged = judged(result, by: trial.judgement)
    guard let deviation = judged.deviations.first else { return judged.verdict.rawValue }
    let requirement = deviation.requirement ?? trial.scenario.requirements.first ?? "INV-03"
    return "\(requirement) \(deviation.kind.rawValue)"
  }
}
