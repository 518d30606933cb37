import FuzzHarness

/// A fuzzer's log, line by line as it comes.
///
/// Laws
/// - Total: unknown lines are passed over, and no line can end it. A log may stop anywhere.
/// - Strict about lies: a program without counters, without statistics or without executions, and an end that does not
///   fit what the log says, is a harness error and never a clean run.
/// - libFuzzer prints no time, so the caller stamps each line.
package struct LibFuzzerLog: Sendable {
  /// Growth so far; as long as the log, so that nothing is lost before the end.
  package private(set) var series: [SeriesPoint] = []
  /// What went wrong, in the order of the log.
  package private(set) var crashes: [CrashReport] = []
  /// Inline 8-bit counters of the whole program; nil: the log does not say.
  package private(set) var counters: Int?
  /// libFuzzer's; nil: the log does not say.
  package private(set) var seed: UInt64?
  package private(set) var hasStatistics = false
  package private(set) var isForkMode = false
  /// Whether libFuzzer said that it was stopped from outside.
  package private(set) var isInterrupted = false
  /// Nothing the fuzzer made changed what it sees: the code is not instrumented, or does not look at its input.
  package private(set) var foundNothingInteresting = false
  package private(set) var startedFromNothing = false
  /// Inputs were only run; said at the beginning and, if nothing went wrong, at the end.
  package private(set) var isReplay = false
  package private(set) var forkCounts = LibFuzzerLine.ForkCounts(ooms: 0, timeouts: 0, crashes: 0)
  /// Inputs that took long, but not too long.
  package private(set) var slowUnits: [String] = []
  /// Of libFuzzer about how it was called.
  package private(set) var complaints: [String] = []

  private var statistics: [String: Int] = [:]
  private var fatal: [String] = []
  private var isInFatal = false
  private var pendingArtifact: String?
  private var pendingBase64: String?
  private var base64BelongsToPending = false
  private var framesAreOpen = false

  private static let maxComplaints = 20
  private static let maxFatalLines = 40
  private static let maxFrames = 60

  package init() {}

  /// - Parameter seconds: since the start of the run.
  package mutating func take(_ line: some StringProtocol, at seconds: Double) {
    let read = LibFuzzerLine(line)
    if case .frame(let frame) = read { return take(frame) }
    if isInFatal, continueFatal(read, String(line)) { return }
    if let last = crashes.last, !last.frames.isEmpty { framesAreOpen = false }
    switch read {
    case .status(let moment, var point, let counts):
      point.seconds = seconds
      if moment != .read { series.append(point) }
      if let counts { forkCounts = counts }
      if moment == .fork { isForkMode = true }
    case .statistic(let name, let value):
      // Can come twice when a run is interrupted; the later ones may be of a moment before.
      statistics[name] = max(value, statistics[name] ?? value)
      hasStatistics = true
    case .loadedCounters(let count): counters = count
    case .seed(let number): seed = seed ?? number
    case .forkMode: isForkMode = true
    case .forkEnd: hasStatistics = true
    case .emptyCorpus: startedFromNothing = true
    case .noInterestingInputs: foundNothingInteresting = true
    case .replay: isReplay = true
    case .interrupted: isInterrupted = true
    case .artifact(let path): take(artifact: path)
    case .base64(let text): take(base64: text)
    case .header(let kind, let subject, let detail): open(kind, subject, detail, at: seconds)
    case .fatal(let text): (fatal, isInFatal) = ([text], true)
    case .complaint(let text): if complaints.count < Self.maxComplaints { complaints.append(text) }
    case .summary, .other, .frame: break
    }
  }

  /// So far; nil: the log says nothing yet.
  package var executions: Int? {
    [statistics["number_of_executed_units"], series.last?.executions].compactMap(\.self).max()
  }
  /// The most memory in bytes; without statistics, the most of the series. nil: the log does not say.
  package var peakRssBytes: Int? {
    guard let megabytes = statistics["peak_rss_mb"] else { return series.map(\.rssBytes).max() }
    let (bytes, overflows) = megabytes.multipliedReportingOverflow(by: 1 << 20)
    return overflows ? nil : bytes
  }
  /// In whole seconds, as libFuzzer rounds; nil: without statistics.
  package var slowestUnitSeconds: Double? { statistics["slowest_unit_time_sec"].map(Double.init) }

  private mutating func open(_ kind: Finding.Kind, _ subject: String, _ detail: String, at seconds: Double) {
    // LeakSanitizer and AddressSanitizer end with libFuzzer's own word for the same; the first says more. A message of
    // its own makes it another crash.
    if let last = crashes.last, last.artifact == nil, kind == .crash, subject.hasPrefix("fuzz target exited") == false,
      last.kind != .crash, last.frames.isEmpty, fatal.isEmpty
    {
      return
    }
    var crash = CrashReport(kind: kind, subject: subject, detail: detail, seconds: seconds, executions: executions)
    if kind == .crash, !fatal.isEmpty {
      let message = fatal.joined(separator: "\n")
      if let violation = LibFuzzerLine.violation(message) {
        (crash.kind, crash.subject, crash.detail) = (.violation, violation.invariant, violation.detail)
      } else {
        crash.detail = message
      }
    }
    if kind == .timeout || kind == .oom {
      (crash.artifact, crash.base64) = (pendingArtifact, pendingBase64)
      (pendingArtifact, pendingBase64) = (nil, nil)
    }
    fatal = []
    crashes.append(crash)
    framesAreOpen = true
  }

  private mutating func take(_ frame: StackFrame) {
    isInFatal = false
    guard framesAreOpen, !crashes.isEmpty else { return }
    let last = crashes.count - 1
    if crashes[last].kind == .crash, frame.function.hasPrefix(StackFrame.runtimeFailure) {
      // Only some lanes print it, so it is no part of the subject, which tells findings apart.
      crashes[last].detail = String(frame.function.dropFirst(StackFrame.runtimeFailure.count))
    }
    if crashes[last].frames.count < Self.maxFrames { crashes[last].frames.append(frame) }
  }

  /// A message of several lines goes on until a line that is the fuzzer's.
  private mutating func continueFatal(_ read: LibFuzzerLine, _ line: String) -> Bool {
    guard case .other(let text) = read, !text.hasPrefix("=="), fatal.count < Self.maxFatalLines else {
      isInFatal = false
      return false
    }
    fatal.append(text)
    return true
  }

  /// libFuzzer writes the input of a timeout before it says so, and that of a crash afterwards.
  private mutating func take(artifact path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    base64BelongsToPending = false
    if name.hasPrefix("slow-unit-") {
      slowUnits.append(path)
    } else if name.hasPrefix("timeout-") || name.hasPrefix("oom-"), crashes.last?.artifact != nil || crashes.isEmpty {
      pendingArtifact = path
      base64BelongsToPending = true
    } else if !crashes.isEmpty, crashes[crashes.count - 1].artifact == nil {
      crashes[crashes.count - 1].artifact = path
    }
  }

  private mutating func take(base64 text: String) {
    if base64BelongsToPending {
      pendingBase64 = text
    } else if !crashes.isEmpty, crashes[crashes.count - 1].base64 == nil {
      crashes[crashes.count - 1].base64 = text
    }
  }
}

/// One thing that went wrong, as a log tells it.
package struct CrashReport: Hashable, Sendable, Codable {
  /// What kind of fault it is.
  package var kind: Finding.Kind
  /// The requirement or law of a violation, or the sanitizer's word (`heap-buffer-overflow`).
  package var subject: String
  /// What was expected and seen, or the line that says what happened.
  package var detail: String
  /// Since the start of the run.
  package var seconds: Double
  /// Executions until then; nil: the log did not say.
  package var executions: Int?
  /// The innermost first, as printed.
  package var frames: [StackFrame] = []
  /// Where libFuzzer wrote the input.
  package var artifact: String?
  /// The input as libFuzzer printed it; nil: it did not, because it was too long.
  package var base64: String?

  package init(kind: Finding.Kind, subject: String, detail: String, seconds: Double, executions: Int?) {
    self.kind = kind
    self.subject = subject
    self.detail = detail
    self.seconds = seconds
    self.executions = executions
  }
}
