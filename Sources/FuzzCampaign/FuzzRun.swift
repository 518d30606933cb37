import FuzzHarness

/// One process of a fuzzer, from its start to its end.
package struct FuzzRun: Hashable, Sendable, Codable {
  /// The lane it ran in.
  package var lane: FuzzTarget.Lane
  /// 1, 2, …: repetitions of the same with another seed.
  package var trial: Int
  /// libFuzzer's; nil: its log did not say.
  package var seed: UInt64?
  /// In one paste.
  package var command: String
  /// ISO 8601, UTC; nil: it never started.
  package var startedAt: String?
  /// From the start of the process to its end.
  package var wallSeconds = 0.0
  /// Processor time, user and system; nil: not measured.
  package var cpuSeconds: Double?
  /// nil: the log did not say; an unknown count is not 0.
  package var executions: Int?
  /// Executions a second over the whole run, and what it went below in a tenth of the series' steps only.
  package var rate: Double?
  /// The rate that a tenth of the series' steps stayed below; nil: not known.
  package var rateP10: Double?
  /// The most memory it held at once, in bytes; nil: not known.
  package var peakRssBytes: Int?
  /// How long the slowest input took, in whole seconds as libFuzzer rounds; nil: its log did not say.
  package var slowestUnitSeconds: Double?
  /// Of the whole program, from `INFO: Loaded`.
  package var counters: Int?
  /// How it ended.
  package var exit: RunExit
  /// Growth, by time; the last point is the end.
  package var series: [SeriesPoint] = []
  /// Relative to the campaign's folder; nil: there is none.
  package var log: String?
  /// What the run ought to have told and did not.
  package var missing: [String] = []

  package init(lane: FuzzTarget.Lane, trial: Int, command: String, exit: RunExit) {
    self.lane = lane
    self.trial = trial
    self.command = command
    self.exit = exit
  }

  /// Executions a second as the process alone would make them: on a busy machine wall seconds are not its own, and with
  /// several threads processor seconds are not; the better of the two.
  package var ownRate: Double? {
    let byProcessor = executions.flatMap { count in
      cpuSeconds.flatMap { $0 > 0 ? Double(count) / $0 : nil }
    }
    return [rate, byProcessor].compactMap(\.self).max()
  }

  /// Final coverage, features and corpus.
  package var final: SeriesPoint? { series.last }
}

/// How a run ended.
package struct RunExit: Hashable, Sendable, Codable {
  /// What the end means.
  package var kind: ExitClass
  /// nil: ended by a signal, or never started.
  package var code: Int?
  /// The signal that ended it; nil: none.
  package var signal: Int?
  /// Of a harness error: what does not fit.
  package var reason: String?

  package init(_ kind: ExitClass, code: Int? = nil, signal: Int? = nil, reason: String? = nil) {
    self.kind = kind
    self.code = code
    self.signal = signal
    self.reason = reason
  }
}

/// What the end of a run means.
package enum ExitClass: String, CaseIterable, Hashable, Sendable, Codable {
  /// Ran to its end and found nothing.
  case clean
  /// Stopped from outside with its statistics written: by its user, or by the campaign's clock.
  case interrupted
  /// A violation, a trap, or what a sanitizer calls an error.
  case crash
  /// One input took longer than it may.
  case timeout
  /// Memory.
  case oom
  case leak
  case race
  /// Ended from outside before it could write its statistics; what it found until then is kept.
  case killed
  /// The run proves nothing: no statistics, no counters, nothing executed, or an end that does not fit.
  case harnessError = "harness-error"

  /// Something was found in the code under test.
  package var isFinding: Bool { [.crash, .timeout, .oom, .leak, .race].contains(self) }
}

/// A fuzzer's state at one moment. In JSON a list of its eight numbers in this order, so that a long series stays
/// short.
package struct SeriesPoint: Hashable, Sendable {
  /// Since the start of the run.
  package var seconds: Double
  /// Inputs run since the start.
  package var executions: Int
  /// libFuzzer's `cov`: edges of the program that were passed.
  package var coverage: Int
  /// libFuzzer's `ft`: edges with their counts, and values when it profiles them.
  package var features: Int
  /// Inputs in the corpus.
  package var corpusFiles: Int
  /// The lengths of those inputs together.
  package var corpusBytes: Int
  /// Executions a second as libFuzzer says, over the run so far.
  package var rate: Int
  /// Resident memory at this moment.
  package var rssBytes: Int

  package init(
    seconds: Double, executions: Int, coverage: Int = 0, features: Int = 0, corpusFiles: Int = 0,
    corpusBytes: Int = 0, rate: Int = 0, rssBytes: Int = 0
  ) {
    self.seconds = seconds
    self.executions = executions
    self.coverage = coverage
    self.features = features
    self.corpusFiles = corpusFiles
    self.corpusBytes = corpusBytes
    self.rate = rate
    self.rssBytes = rssBytes
  }
}

extension SeriesPoint: Codable {
  /// Reads the eight numbers in the order of the properties.
  package init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    seconds = try list.decode(Double.self)
    executions = try list.decode(Int.self)
    coverage = try list.decode(Int.self)
    features = try list.decode(Int.self)
    corpusFiles = try list.decode(Int.self)
    corpusBytes = try list.decode(Int.self)
    rate = try list.decode(Int.self)
    rssBytes = try list.decode(Int.self)
  }

  package func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    try list.encode(seconds)
    for number in [executions, coverage, features, corpusFiles, corpusBytes, rate, rssBytes] { try list.encode(number) }
  }
}
