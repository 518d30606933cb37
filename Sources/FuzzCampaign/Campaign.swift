import FuzzHarness

/// What a fuzz campaign did and found: `campaign.json`.
///
/// Laws
/// - Nothing is passed over: a log that could not be read, a fuzzer that was killed, a disk that was full stand under
///   `missing` with the reason, and the gates count them.
/// - A value that was not measured is absent, never 0.
/// - No clock, no files: the caller gives times and texts. The same campaign gives the same bytes.
package struct Campaign: Hashable, Sendable, Codable {
  /// The version of the schema; it grows when a key changes its meaning or goes away, not when one is added.
  package static let schemaVersion = 1

  /// The version under which this campaign was written; the only one that is read.
  package private(set) var schema = Self.schemaVersion
  /// The name of its folder.
  package var id: String
  /// What was asked for, in a word: `run`, `pr`, `batch`, `zoo`, `coverage`.
  package var mode: String
  /// ISO 8601, UTC.
  package var startedAt: String
  /// Wall time of the whole campaign, builds and replays included; of merged campaigns, that of the longest.
  package var wallSeconds = 0.0
  /// Stopped by its user before its time; the report has what was done until then.
  package var isInterrupted = false
  /// Under way, or it died: there are no results. nil: it has ended.
  package var isUnfinished: Bool?
  /// `2/5`: which part of a campaign that several machines share; nil: all of it.
  package var shard: String?
  /// Where and of what the campaign was made.
  package var provenance: Provenance
  /// In the order of the catalogue.
  package var targets: [CampaignTarget] = []
  /// Told apart by their keys, the first seen first.
  package var findings: [Finding] = []
  /// The bug zoo; nil: it was not part of this campaign.
  package var validation: BugZoo?
  /// The verdict: passed when no gate failed.
  package var gates: [Gate] = []
  /// nil: not compared with an earlier one.
  package var comparison: CampaignComparison?
  /// In the order in which it was noticed; empty: the report is whole.
  package var missing: [Missing] = []

  package init(id: String, mode: String, startedAt: String, provenance: Provenance) {
    self.id = id
    self.mode = mode
    self.startedAt = startedAt
    self.provenance = provenance
  }

  /// A campaign without a single gate proves nothing, so it has not passed.
  package var hasPassed: Bool { !gates.isEmpty && gates.allSatisfy { $0.state != .failed } }
  /// Over all runs.
  package var executions: Int { targets.flatMap(\.runs).compactMap(\.executions).total }
  /// Processor-seconds of fuzzing: wall seconds summed over all runs.
  package var fuzzingSeconds: Double { targets.flatMap(\.runs).map(\.wallSeconds).reduce(0, +) }

  /// nil: the target had no part in the campaign.
  package func target(_ name: String) -> CampaignTarget? { targets.first { $0.name == name } }
}

/// Something that ought to be in the report and is not.
package struct Missing: Hashable, Sendable, Codable {
  /// `log of scanner, asan, trial 2`.
  package var what: String
  /// `the file can't be read: Permission denied`.
  package var reason: String

  package init(_ what: String, reason: String) {
    self.what = what
    self.reason = reason
  }
}

/// Where the figures come from: enough to run the same again.
package struct Provenance: Hashable, Sendable, Codable {
  /// Of the lab.
  package var version: String
  /// Full hash; nil: not in a git checkout.
  package var commit: String?
  /// Whether the checkout differed from the commit.
  package var isDirty: Bool?
  /// As the compiler says it; nil: not known.
  package var swiftVersion: String?
  /// Kernel and architecture.
  package var system: String
  /// Processors that were on line.
  package var processors: Int
  /// Variables that change how a fuzzer runs, sorted by name.
  package var environment: [EnvironmentEntry] = []
  /// One per target and lane.
  package var builds: [FuzzBuild] = []

  package init(version: String, system: String, processors: Int) {
    self.version = version
    self.system = system
    self.processors = processors
  }

  /// nil: the target was not built for the lane.
  package func build(of target: String, _ lane: FuzzTarget.Lane) -> FuzzBuild? {
    builds.first { $0.target == target && $0.lane == lane }
  }
}

/// A variable of the environment.
package struct EnvironmentEntry: Hashable, Sendable, Codable {
  /// The variable's name.
  package var name: String
  /// The variable's value, as it was set.
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A target's program as it was built for a lane.
package struct FuzzBuild: Hashable, Sendable, Codable {
  /// The target's name in the catalogue.
  package var target: String
  /// The lane that the target was built for.
  package var lane: FuzzTarget.Lane
  /// In one paste.
  package var command: String
  /// Hexadecimal, of the binary; nil: it could not be read.
  package var sha256: String?
  /// The proof of instrumentation. The library's modules below this program, sorted by name; empty: not looked at.
  package var modules: [ModuleCounters] = []

  package init(target: String, lane: FuzzTarget.Lane, command: String) {
    self.target = target
    self.lane = lane
    self.command = command
  }

  /// Equal: coverage and features of the two mean the same.
  package func isInstrumented(as other: FuzzBuild) -> Bool {
    guard lane == other.lane else { return false }
    return sha256 != nil && sha256 == other.sha256 || !modules.isEmpty && modules == other.modules
  }
}

/// How much of a module the fuzzer sees.
package struct ModuleCounters: Hashable, Sendable, Codable {
  /// The module's name in the package.
  package var module: String
  /// Inline 8-bit counters (`sancov`).
  package var counters: Int
  /// Checks that the lane's sanitizer put in; nil in a lane without one.
  package var sanitizerChecks: Int?

  package init(_ module: String, counters: Int, sanitizerChecks: Int? = nil) {
    self.module = module
    self.counters = counters
    self.sanitizerChecks = sanitizerChecks
  }
}
