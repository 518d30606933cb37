import RunReports
import ScenarioModel

/// What a comparison needs to know of a run: its facts, its cases without their traces, and the causes of its failures.
package struct ComparedRun: Sendable {
  /// ISO 8601.
  package var startedAt = ""
  /// Of the lab.
  package var version = ""
  /// The subjects, by names that stay from release to release.
  package var subject = ""
  /// What the programs among them say of themselves.
  package var programs: [ProgramFacts] = []
  /// Of the lab's sources; nil: not known.
  package var labCommit: String?
  /// Of the subject's sources; nil: not known.
  package var subjectCommit: String?
  /// Which profile's alternatives applied.
  package var profile = ""
  /// How many seeds each simulated case ran with.
  package var seeds = 1
  /// How often everything ran.
  package var rounds = 1
  /// Cases of further seeds and rounds that went as expected and are not among `cases`.
  package var unlistedCases = 0
  /// Those of them whose deviation is on record; reports of earlier labs do not tell them from others.
  package var unlistedKnown = 0
  /// Real time of the whole run, in milliseconds.
  package var milliseconds = 0.0
  /// The kernel and the number of processors: what times may be compared on.
  package var host = ""
  /// What it took of the machine; nil: the report does not say.
  package var resources: RunResources?
  /// Planned cases that an interruption kept from being judged.
  package var casesNotJudged = 0
  /// In the order of the report.
  package var cases: [ComparedCase] = []
  /// By the id of a finding: the title of its cause, and the place of the cause among the others.
  package var causes: [String: (title: String, rank: Int)] = [:]

  package init() {}
}

/// One case of a run.
package struct ComparedCase: Hashable, Sendable {
  /// What makes cases of two runs the same: all but the seed.
  package struct Key: Hashable, Sendable, Comparable {
    /// The scenario's id.
    package var scenario: String
    /// The variant's name.
    package var variant: String
    /// Where it ran.
    package var world: WorldName

    package init(scenario: String, variant: String, world: WorldName) {
      self.scenario = scenario
      self.variant = variant
      self.world = world
    }

    /// `read/line [ipv4-bytes, simulated]`
    package var name: String { "\(scenario) [\(variant), \(world.rawValue)]" }

    package static func < (left: Self, right: Self) -> Bool {
      (left.scenario, left.variant, left.world.rawValue) < (right.scenario, right.variant, right.world.rawValue)
    }
  }

  /// Scenario, variant and world.
  package var key: Key
  /// The seed it ran with.
  package var seed: UInt64 = 1
  /// What the judge said.
  package var verdict = Verdict.error
  /// A canary's case fails when all is well.
  package var canary = false
  /// The scenario's title.
  package var title = ""
  /// Real time spent, in milliseconds.
  package var milliseconds = 0.0
  /// As in `CaseResult`.
  package var traceHash = ""
  /// Of the scenario's file; empty: not known.
  package var scenarioHash = ""
  /// The scenario's file; empty: not known.
  package var path = ""
  /// Of what went wrong; nil: nothing, or its control's finding tells of it.
  package var finding: String?
  /// The kind of the first deviation; nil: there is none.
  package var kind: Deviation.Kind?
  /// The first deviation's or the reason's words.
  package var headline = ""
  /// The first deviation's place in the file.
  package var position: SourcePosition?
  /// The event of its trace that the first deviation belongs to; nil: none.
  package var deviationIndex: Int?
  /// Whether what went wrong was on record.
  package var isKnown = false
  /// Whether its control did not vouch for it.
  package var isVoided = false
  /// Where its trace lies in the report's bytes; nil: it has none there.
  package var trace: Range<Int>?

  package init(_ key: Key) { self.key = key }

  /// As `CaseResult.isAsExpected`.
  package var isAsExpected: Bool { canary ? verdict == .failed : verdict.isAsExpected || isKnown }

  /// Whether the judge ended it for something that was seen, before the subject had done all that it would have. Of
  /// what was missing, and of a case that came to its limit, the judge had waited for what would come: there the end
  /// of the trace is what the case shows.
  var isCut: Bool { verdict == .failed && kind != nil && kind != .missing }

  /// The verdict, whether it is on record, and of a canary whether it did its duty.
  package var verdictText: String {
    if isKnown { return "\(verdict.label), a known deviation" }
    return canary && isAsExpected ? "failed, as a canary must" : verdict.label
  }
}
