import Exploration
import Foundation
import FuzzCampaign
import ScenarioModel

/// What an exploration came to, for programs: `explore.json`, and what `--json` prints.
package struct ExplorationSummary: Hashable, Sendable, Codable {
  /// A finding, shortly; the campaign has the rest.
  package struct Entry: Hashable, Sendable, Codable {
    /// What makes findings the same.
    package var key: String
    /// Expected and seen.
    package var detail: String
    /// The kept file.
    package var file: String?
    /// Shows it again.
    package var command: String
    /// Since the start.
    package var seconds: Double?
    /// Cases that showed it.
    package var hits: Int
  }

  /// The version of this form; it grows when a key changes its meaning or goes.
  package var schema = 1
  /// The campaign's name.
  package var campaign: String
  /// What everything was drawn from.
  package var seed: UInt64
  /// Trials that were drawn.
  package var drawn: Int
  /// Of them, those that are no valid scenario or say nothing.
  package var discarded: Int
  /// Trials that were played, by who judged them.
  package var trials: [String: Int]
  /// Cases that were played, by world.
  package var cases: [String: Int]
  /// Cases that proved nothing, because the lab was late or failed.
  package var void: Int
  /// Cases whose subject or host does not offer what they need.
  package var unsupported: Int
  /// Findings that did not show again.
  package var unconfirmed: Int
  /// Cases that showed what is on record of the subject.
  package var onRecord: Int
  /// Wall seconds.
  package var seconds: Double
  /// How often each kind of change was played.
  package var changes: [String: Int]
  /// Committed scenarios that trials were made of.
  package var scenarios: Int
  /// States of the model that programs came to, of how many.
  package var reached: [String]
  /// States of the model that no program came to.
  package var unreached: [String]
  /// Different transitions that were taken.
  package var transitions: Int
  /// Trials by the requirement that they were judged by.
  package var judged: [String: Int]
  /// Requirements that were at work in disturbed scenarios only.
  package var touched: [String]
  /// Requirements that nothing was about.
  package var never: [String]
  /// In the order in which they were found.
  package var findings: [Entry]

  /// - Parameter requirements: the ids of the register, in its order.
  package init(_ outcome: ExplorationRun.Outcome, seed: UInt64, requirements: [String]) {
    let (campaign, tally) = (outcome.campaign, outcome.tally)
    self.campaign = campaign.id
    self.seed = seed
    drawn = outcome.drawn
    discarded = tally.discarded
    trials = Dictionary(uniqueKeysWithValues: tally.trials.map { ($0.key.rawValue, $0.value) })
    cases = Dictionary(uniqueKeysWithValues: tally.cases.map { ($0.key.rawValue, $0.value) })
    void = tally.void
    unsupported = tally.unsupported
    unconfirmed = tally.unconfirmed
    onRecord = outcome.onRecord
    seconds = campaign.wallSeconds
    changes = tally.changes
    scenarios = tally.scenarios.count
    reached = tally.states.reached
    unreached = tally.unreached
    transitions = tally.states.taken.count
    judged = tally.judged
    (never, touched) = tally.open(of: requirements)
    findings = campaign.findings.map {
      Entry(
        key: $0.key, detail: $0.detail, file: $0.scenarioPath, command: $0.reproduce,
        seconds: $0.firstSeen?.seconds, hits: $0.hits)
    }
  }

  /// As JSON with sorted keys, ending with a line break.
  package var json: [UInt8] {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
      return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
  }
}
