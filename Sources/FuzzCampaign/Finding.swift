import FuzzHarness

/// Something wrong in the code under test, however many inputs showed it.
package struct Finding: Hashable, Sendable, Codable {
  /// In which way it is wrong.
  package enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
    /// A promise of the target that was not kept.
    case violation
    /// A trap, a signal, or an end of the process that was not asked for.
    case crash
    /// AddressSanitizer.
    case memory
    case timeout
    case oom
    case leak
    case race
  }

  package enum Severity: String, CaseIterable, Hashable, Sendable, Codable {
    case critical, high, medium, low
  }

  /// Whether it is news.
  package enum Status: String, CaseIterable, Hashable, Sendable, Codable {
    case new
    /// Has an entry among the known ones, and is open.
    case known
    /// Known, and gone.
    case fixed
    /// Was fixed once.
    case regressed
    /// Does not show on every replay.
    case flaky
  }

  /// Short, unique in the campaign, stable between campaigns: from the key.
  package var id: String
  /// What makes two crashes the same finding; `FindingKey`.
  package var key: String
  /// The target's name in the catalogue.
  package var target: String
  /// In which it was seen first.
  package var lane: FuzzTarget.Lane
  /// What kind of fault it is.
  package var kind: Kind
  /// The requirement or law of a violation, or the sanitizer's word (`heap-buffer-overflow`).
  package var subject: String
  /// What was expected and seen, of the first input.
  package var detail: String
  /// `usualSeverity` of its kind, unless it was judged by hand.
  package var severity: Severity
  /// Whether it is news, and whether it shows every time.
  package var status: Status
  /// nil: not from a run of this campaign.
  package var firstSeen: FirstSeen?
  /// Inputs that showed it.
  package var hits: Int
  /// Replays, a lane each.
  package var replays: [LaneReplay] = []
  /// The input that shows it.
  package var input: FindingInput
  /// In-app frames, the innermost first, demangled.
  package var stack: [String] = []
  /// In one paste, from the top of a checkout.
  package var reproduce: String
  /// The same as a scenario file; nil: it can't be said as one.
  package var scenario: String?
  /// Where it lies relative to the campaign's folder.
  package var scenarioPath: String?
  /// The file of the regression test, once promoted.
  package var regression: String?

  package init(
    key: FindingKey, lane: FuzzTarget.Lane, detail: String, status: Status = .new, hits: Int = 1, input: FindingInput,
    reproduce: String
  ) {
    id = key.id
    self.key = key.text
    target = key.target
    self.lane = lane
    kind = key.kind
    subject = key.subject
    self.detail = detail
    severity = key.kind.usualSeverity
    self.status = status
    self.hits = hits
    self.input = input
    self.reproduce = reproduce
  }

  /// Whether the campaign fails for it.
  package var isNews: Bool { status == .new || status == .regressed || status == .flaky }
}

extension Finding.Kind {
  /// The severity until it is judged by hand: memory errors and races are worst, a slow input least.
  package var usualSeverity: Finding.Severity {
    switch self {
    case .memory, .race: .critical
    case .violation, .crash: .high
    case .oom, .leak: .medium
    case .timeout: .low
    }
  }
}

/// When a campaign came upon a finding.
package struct FirstSeen: Hashable, Sendable, Codable {
  /// Since the start of the run.
  package var seconds: Double
  /// nil: the log did not say.
  package var executions: Int?
  /// The run's, from 1.
  package var trial: Int

  package init(seconds: Double, executions: Int?, trial: Int) {
    self.seconds = seconds
    self.executions = executions
    self.trial = trial
  }
}

/// Replays of a finding in one lane.
package struct LaneReplay: Hashable, Sendable, Codable {
  /// The lane it was replayed in.
  package var lane: FuzzTarget.Lane
  /// How many of the replays showed it.
  package var reproduced: Int
  /// How many replays there were.
  package var tries: Int

  package init(_ lane: FuzzTarget.Lane, reproduced: Int, of tries: Int) {
    self.lane = lane
    self.reproduced = reproduced
    self.tries = tries
  }
}

/// The bytes that show a finding. Paths are relative to the campaign's folder.
package struct FindingInput: Hashable, Sendable, Codable {
  /// In bytes: of a longer input only the file is kept.
  package static let maxInline = 256

  /// The input as the fuzzer wrote it; nil: it was lost.
  package var originalPath: String?
  /// The input made smaller; nil: not tried, or without success.
  package var minimisedPath: String?
  /// Of the smaller of the two.
  package var count: Int
  /// The smaller of the two itself, when it has at most 256 bytes.
  package var base64: String?

  package init(originalPath: String?, minimisedPath: String? = nil, count: Int, base64: String? = nil) {
    self.originalPath = originalPath
    self.minimisedPath = minimisedPath
    self.count = count
    self.base64 = base64
  }
}
