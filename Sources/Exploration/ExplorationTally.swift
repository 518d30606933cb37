import FuzzCampaign
import FuzzPrograms
import ReferenceModel
import ScenarioModel

/// What an exploration has covered.
///
/// Law: only a case that was judged counts as explored; what could not be judged is counted apart.
package struct ExplorationTally: Hashable, Sendable {
  /// Trials that were played, by who judged them.
  package private(set) var trials: [ExploredTrial.Judgement: Int] = [:]
  /// Cases that were played, by world.
  package private(set) var cases: [WorldName: Int] = [:]
  /// How often each kind of change was played.
  package private(set) var changes: [String: Int] = [:]
  /// What was drawn and is no valid scenario, or says nothing.
  package private(set) var discarded = 0
  /// Cases that proved nothing: the lab was late, or failed.
  package private(set) var void = 0
  /// Cases whose subject, or host, does not offer what they need.
  package private(set) var unsupported = 0
  /// Findings over the real kernel that did not show again.
  package var unconfirmed = 0
  /// The model's states and transitions, with how many programs took them.
  package private(set) var states = StateCoverage([], known: ModelState.all.map(\.name))
  /// Trials by the requirements that they were judged by.
  package private(set) var judged: [String: Int] = [:]
  /// Trials of scenarios that cite the requirement and were disturbed: it was at work, and not judged.
  package private(set) var touched: [String: Int] = [:]
  /// The committed scenarios that trials were made of.
  package private(set) var scenarios: Set<String> = []

  package init() {}

  /// The invariants that every case is held to (`InvariantChecker`).
  package static let universal = [
    "DIAG-11", "DIAG-13", "ERR-03", "ERR-09", "ERR-12", "INV-01", "INV-02", "INV-04", "INV-05", "INV-06", "INV-15",
    "INV-16", "RDQ-10", "TLS-21", "TMO-09",
  ]

  /// Counts something drawn that could not be played.
  package mutating func discard() { discarded += 1 }

  /// Counts a trial and its results; nil: that case was not played.
  package mutating func count(_ trial: ExploredTrial, _ results: [CaseResult?]) {
    var isJudged = false
    for (point, result) in zip(trial.points, results) {
      guard let result else { continue }
      cases[point.world, default: 0] += 1
      switch result.verdict {
      case .error, .inconclusive: void += 1
      case .unsupported, .skipped: unsupported += 1
      default: isJudged = true
      }
    }
    guard isJudged else { return }
    trials[trial.judgement, default: 0] += 1
    for text in Set(trial.changes.texts) { changes[text, default: 0] += 1 }
    if let id = trial.origin.scenario { scenarios.insert(id) }
    for id in Self.universal { judged[id, default: 0] += 1 }
    for id in trial.scenario.requirements {
      if trial.judgement == .laws {
        touched[id, default: 0] += 1
      } else if !Self.universal.contains(id) {
        judged[id, default: 0] += 1
      }
    }
    if let program = trial.program { countStates(program) }
  }

  private mutating func countStates(_ program: SocketProgram) {
    let certain = CertainProgram(program)
    _ = ModelRun(certain.program) { transition in
      states.add(
        StateCoverage.Transition(
          from: transition.from.name, event: transition.event, to: transition.to.name, count: 1))
    }
  }

  /// Over both worlds.
  package var allCases: Int { cases.values.reduce(0, +) }

  /// No case could be judged, if any was played at all: that nothing was found says nothing.
  package var provesNothing: Bool { allTrials == 0 }
  /// Over all judgements.
  package var allTrials: Int { trials.values.reduce(0, +) }

  /// States of the model that no program came to.
  package var unreached: [String] {
    let reached = Set(states.reached)
    return states.states.filter { !reached.contains($0) }
  }

  /// Of these requirements, those that no trial was judged by: the ones never exercised, and the ones exercised all the
  /// same.
  package func open(of requirements: [String]) -> (never: [String], touched: [String]) {
    let open = requirements.filter { judged[$0] == nil }
    return (open.filter { touched[$0] == nil }, open.filter { touched[$0] != nil })
  }
}
