import CaseReduction
import ScenarioModel

/// Says what a trial's result means.
///
/// Laws
/// - A disturbed scenario has no expectations to be held to: only broken invariants, crashes and calls that do not
///   return count.
/// - A case in which the lab itself was late, or failed, proves nothing.
package enum TrialJudge {
  /// The result reduced to what the judgement covers. A result that then shows nothing has passed.
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
  /// without a requirement counts for the first one that its scenario cites.
  package static func subject(_ result: CaseResult, of trial: ExploredTrial) -> String {
    let judged = judged(result, by: trial.judgement)
    guard let deviation = judged.deviations.first else { return judged.verdict.rawValue }
    let requirement = deviation.requirement ?? trial.scenario.requirements.first ?? "INV-03"
    return "\(requirement) \(deviation.kind.rawValue)"
  }
}
