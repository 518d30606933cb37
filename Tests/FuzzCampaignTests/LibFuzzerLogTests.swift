import FuzzHarness
import Testing

@testable import FuzzCampaign

@Suite struct LibFuzzerLogTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var log: String
    var end: ProcessEnd
    var exit: ExitClass
    var kind: Finding.Kind?
    var subject = ""
    var executions: Int?
    var missing: [String] = []

    var testDescription: String { "\(log) \(end.code ?? end.signal ?? -1)" }
  }

  static let recorded: [Row] = [
    Row(log: "clean", end: ProcessEnd(code: 0), exit: .clean, executions: 3_000_000),
    Row(log: "interrupted", end: ProcessEnd(code: 72, wasStopped: true), exit: .interrupted, executions: 2_752_571),
    Row(
      log: "killed", end: ProcessEnd(signal: 9), exit: .killed, executions: 6, missing: ["statistics"]),
    Row(log: "killed", end: ProcessEnd(code: 137), exit: .killed, executions: 6, missing: ["statistics"]),
    Row(log: "killed", end: ProcessEnd(code: 75), exit: .killed, executions: 6, missing: ["statistics"]),
    Row(log: "killed", end: ProcessEnd(code: 124), exit: .killed, executions: 6, missing: ["statistics"]),
    Row(
      log: "crash", end: ProcessEnd(code: 77), exit: .crash, kind: .crash, subject: "deadly signal",
      executions: 19_679),
    Row(
      log: "timeout", end: ProcessEnd(code: 70), exit: .timeout, kind: .timeout, subject: "timeout",
      executions: 52_329),
    Row(
      log: "one-trap", end: ProcessEnd(code: 77), exit: .crash, kind: .crash, subject: "deadly signal", executions: 1),
    Row(
      log: "one-vio", end: ProcessEnd(code: 77), exit: .crash, kind: .violation, subject: "probe/vio", executions: 1),
    Row(
      log: "one-overflow", end: ProcessEnd(code: 1), exit: .crash, kind: .memory, subject: "heap-buffer-overflow",
      executions: 1),
    Row(log: "one-leak", end: ProcessEnd(code: 77), exit: .leak, kind: .leak, subject: "leak", executions: 2),
    Row(
      log: "one-eat", end: ProcessEnd(code: 71), exit: .oom, kind: .oom, subject: "out-of-memory", executions: 2),
    Row(log: "one-loop", end: ProcessEnd(code: 70), exit: .timeout, kind: .timeout, subject: "timeout", executions: 1),
    Row(
      log: "one-race", end: ProcessEnd(code: 66), exit: .race, kind: .race, subject: "Swift access race",
      executions: 1),
    Row(
      log: "race-going-on", end: ProcessEnd(code: 66), exit: .race, kind: .race, subject: "Swift access race",
      executions: 1),
    Row(
      log: "fork", end: ProcessEnd(code: 71), exit: .crash, kind: .crash, subject: "deadly signal", executions: 3709),
    Row(log: "coverage", end: ProcessEnd(code: 0), exit: .harnessError, executions: 138),
    Row(log: "no-folder", end: ProcessEnd(code: 1), exit: .harnessError),
  ]

  @Test(arguments: recorded)
  func readsRealLogs(_ row: Row) throws {
    let log = try RecordedLog.read(row.log)
    let run = log.run(lane: .asan, trial: 1, command: "fz", end: row.end, wallSeconds: 12)
    #expect(run.exit.kind == row.exit, "\(run.exit)")
    #expect(log.crashes.first?.kind == row.kind)
    #expect(log.crashes.first?.subject ?? "" == row.subject)
    #expect(run.executions == row.executions)
    #expect(run.missing == row.missing)
    #expect(log.isForkMode == (row.log == "fork"))
    if row.exit == .harnessError { #expect(run.exit.reason != nil) }
  }

  @Test func countersSeedAndMemory() throws {
    let run = try RecordedLog.read("clean").run(
      lane: .cov, trial: 2, command: "fz", end: ProcessEnd(code: 0), wallSeconds: 4)
    #expect(run.counters == 62)
    #expect(run.seed == 7)
    #expect(run.peakRssBytes == 32 << 20)
    #expect(run.slowestUnitSeconds == 0)
    #expect(run.rate == 750_000)
    let last = try #require(run.final)
    #expect((last.coverage, last.features, last.corpusFiles, last.corpusBytes) == (12, 15, 5, 8))
    #expect(last.seconds == 4 && last.executions == 3_000_000)
  }

  @Test func framesOfOursAndTheInput() throws {
    let crash = try #require(try RecordedLog.read("crash").crashes.first)
    #expect(crash.artifact == "out/crash-b4fe0f0c1934dc62c21af1e34ab25b546020159e")
    #expect(crash.base64?.hasPrefix("AAAA") == true)
    #expect(
      crash.frames.filter(\.isOurs).map(\.function) == [
        "$s3Lib7MachineV4trapyys5UInt8VFTf4nd_n", "$s5probe4bodyyAA9ViolationVSgSWF",
        "$s5probe5fzOneys5Int32VSPys5UInt8VGSg_SitF",
      ])
    #expect(crash.frames.first { $0.isOurs }?.place == "/src/lab/Sources/Lib/Lib.swift:26")
  }

  /// libFuzzer writes the input of a timeout before it says what happened.
  @Test func theInputOfATimeout() throws {
    let crash = try #require(try RecordedLog.read("timeout").crashes.first)
    #expect(crash.artifact == "out/timeout-17b778770ea7c7f1372197a0d8f5e45b23fdf459")
    #expect(crash.base64?.isEmpty == false)
  }

  @Test func whatTheRuntimeSaysIsTheDetail() throws {
    #expect(try RecordedLog.read("one-trap").crashes.first?.detail == "Index out of range")
    #expect(try RecordedLog.read("one-vio").crashes.first?.detail == "expected 1, saw 49")
    #expect(try RecordedLog.read("one-overflow").crashes.first?.detail == "heap-buffer-overflow")
  }

  /// Frames of where the memory was allocated, of the other thread and so on are not where it happened.
  @Test func onlyTheFirstStackCounts() throws {
    let overflow = try #require(try RecordedLog.read("one-overflow").crashes.first)
    #expect(overflow.frames.first?.function == "$s3Lib7MachineV8overflowyySpys5UInt8VGFTf4nd_n")
    #expect(!overflow.frames.contains { $0.function == "posix_memalign" })
    let race = try #require(try RecordedLog.read("one-race").crashes.first)
    #expect(race.frames.map(\.function).first == "$s5probe5touchyyF")
    #expect(race.frames.count == 4)
  }

  @Test func forkModeCounts() throws {
    let log = try RecordedLog.read("fork")
    #expect(log.forkCounts == LibFuzzerLine.ForkCounts(ooms: 2, timeouts: 1, crashes: 2))
    #expect(log.series.count == 6)
    #expect(log.series.last?.features == 247)
  }

  /// Whatever a run printed before it was cut off stays, and nothing that is cut off is clean.
  @Test(arguments: recorded.map(\.log))
  func aLogMayEndAnywhere(_ name: String) throws {
    let lines = try RecordedLog.lines(name)
    var series = 0
    var crashes = 0
    for count in 0...lines.count {
      let log = RecordedLog.read(Array(lines.prefix(count)))
      #expect(log.series.count >= series && log.crashes.count >= crashes)
      (series, crashes) = (log.series.count, log.crashes.count)
      if !log.hasStatistics, log.crashes.isEmpty {
        #expect(log.exit(ProcessEnd(code: 0)).kind == .harnessError)
      }
      #expect(log.exit(ProcessEnd(signal: 9)).kind == .killed)
    }
  }

  /// No line is so wrong that it ends the reader: bytes turned around, lines doubled, numbers too large.
  @Test func brokenLinesDoNoHarm() throws {
    for name in Set(Self.recorded.map(\.log)).sorted() {
      for line in try RecordedLog.lines(name) {
        var log = LibFuzzerLog()
        let huge = line.replacing("1", with: "99999999999999999999")
        for text in [String(line.reversed()), line + line, huge, String(line.dropLast(3)), "#" + line, " " + line] {
          log.take(text, at: .nan)
        }
        _ = log.run(lane: .cov, trial: 1, command: "", end: ProcessEnd(code: 77), wallSeconds: 0)
      }
    }
  }
}

/// Each of these logs says less than its exit code claims.
@Suite struct LyingLogTests {
  private static let loaded = "INFO: Loaded 1 modules   (62 inline 8-bit counters): 62 [0x1, 0x2),"
  private static let units = "stat::number_of_executed_units: 500"
  private static let new = "#5\tNEW    cov: 9 ft: 12 corp: 2/3b lim: 2 exec/s: 0 rss: 32Mb"
  private static let signal = "==1== ERROR: libFuzzer: deadly signal"

  static let rows: [(name: String, lines: [String], end: ProcessEnd, reason: String)] = [
    ("an empty main", [], ProcessEnd(code: 0), "no counters"),
    ("a program that prints something else", ["hello", "Done 3 runs"], ProcessEnd(code: 0), "no counters"),
    (
      "not instrumented", ["INFO: Loaded 1 modules (0 inline 8-bit counters): 0 [0x1, 0x1),", units],
      ProcessEnd(code: 0), "no counters"
    ),
    ("no statistics", [loaded, new], ProcessEnd(code: 0), "no statistics"),
    ("interrupted without statistics", [loaded, new], ProcessEnd(code: 72), "no statistics"),
    ("nothing executed", [loaded, "stat::number_of_executed_units: 0"], ProcessEnd(code: 0), "nothing was executed"),
    (
      "nothing interesting",
      [
        loaded, units,
        "WARNING: no interesting inputs were found so far. Is the code instrumented for coverage?",
      ], ProcessEnd(code: 0), "no interesting inputs"
    ),
    ("a crash that is none", [loaded, new, units], ProcessEnd(code: 77), "without a report"),
    ("a timeout that is none", [loaded, new, units], ProcessEnd(code: 70), "without a report"),
    ("a crash told as a timeout", [loaded, signal, units], ProcessEnd(code: 70), "tells of crash"),
    ("a lost crash", [loaded, new], ProcessEnd(code: 132), "libFuzzer did not see"),
    ("a lost crash by its signal", [loaded, new], ProcessEnd(signal: 11), "libFuzzer did not see"),
    ("no code of libFuzzer's", [loaded, new, units], ProcessEnd(code: 3), "none of libFuzzer's"),
    ("a wrong flag", ["ERROR: The required directory \"c\" does not exist"], ProcessEnd(code: 1), "c\" does not"),
    ("never started", [], .neverStarted, "could not be started"),
  ]

  @Test(arguments: rows.map(\.name))
  func isAHarnessError(_ name: String) throws {
    let row = try #require(Self.rows.first { $0.name == name })
    let exit = RecordedLog.read(row.lines).exit(row.end)
    #expect(exit.kind == .harnessError, "\(exit)")
    #expect(exit.reason?.contains(row.reason) == true, "\(exit)")
  }

  /// The same lines without the lie are fine: the table above does not pass for another reason.
  @Test func theHonestOnesAreNot() {
    #expect(RecordedLog.read([Self.loaded, Self.new, Self.units]).exit(ProcessEnd(code: 0)).kind == .clean)
    #expect(RecordedLog.read([Self.loaded, Self.signal, Self.units]).exit(ProcessEnd(code: 77)).kind == .crash)
    #expect(RecordedLog.read([Self.loaded, Self.new, Self.units]).exit(ProcessEnd(code: 72)).kind == .interrupted)
  }

  @Test func theLargerOfTwoStatisticsCounts() {
    let log = RecordedLog.read([Self.loaded, Self.units, "stat::number_of_executed_units: 499", Self.units])
    #expect(log.executions == 500)
  }

  @Test func aViolationOfSeveralLinesIsReadWhole() {
    let log = RecordedLog.read([
      Self.loaded, "X/F.swift:3: Fatal error: violation of a/law: expected", "  one: two", "saw three", Self.signal,
      "    #0 0x1 in $s3Lib1fyyF /x/y.swift:3",
    ])
    #expect(log.crashes.map(\.subject) == ["a/law"])
    #expect(log.crashes.first?.detail == "expected\n  one: two\nsaw three")
  }

  /// Fork mode tells its crashes by their numbers alone, and may end as if nothing had been.
  @Test(arguments: [("0/0/1", ExitClass.crash), ("1/0/0", .oom), ("0/1/0", .timeout), ("0/0/0", .clean)])
  func whatForkModeCountsIsFound(_ counts: String, _ kind: ExitClass) {
    let log = RecordedLog.read([
      Self.loaded, "INFO: -fork=2: fuzzing in separate process(s)",
      "#90: cov: 3 ft: 3 corp: 2 exec/s: 9 oom/timeout/crash: \(counts) time: 1s job: 1", "INFO: exiting: 0 time: 2s",
    ])
    #expect(log.exit(ProcessEnd(code: 0)).kind == kind)
  }

  @Test func whatWentWrongBeforeAnEndInOrderCounts() {
    let log = RecordedLog.read([Self.loaded, Self.new, Self.signal, Self.units])
    #expect(log.exit(ProcessEnd(code: 0)).kind == .crash && log.exit(ProcessEnd(code: 72)).kind == .crash)
  }

  @Test func aRunWithoutGrowthLacksIt() {
    let run = RecordedLog.read([Self.loaded, Self.units]).run(
      lane: .cov, trial: 1, command: "", end: ProcessEnd(code: 0), wallSeconds: 1)
    #expect(run.missing == ["growth"])
  }

  /// Each crash of a log has a message, a stack and an input of its own, or none.
  @Test func crashesOfALogAreToldApart() {
    let violation = "X/F.swift:3: Fatal error: violation of a/law: expected"
    let frame = "    #0 0x1 in $s3Lib1fyyF /x/y.swift:3"
    let slow = ["o'; Test unit written to o/timeout-1", "Base64: AAAA", "==1== ERROR: libFuzzer: timeout after 1 s"]
    let memory = "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1"
    let rows: [(lines: [String], kinds: [Finding.Kind], inputs: [String?])] = [
      ([violation, Self.signal, frame, "Base64: AAAA", Self.signal, frame], [.violation, .crash], ["AAAA", nil]),
      (
        slow + [frame, "SUMMARY: x", "==1== ERROR: libFuzzer: timeout after 2 s"], [.timeout, .timeout], ["AAAA", nil]
      ),
      ([memory, Self.signal, frame], [.memory], [nil]),
      ([memory, frame, "SUMMARY: x", Self.signal, frame], [.memory, .crash], [nil, nil]),
      (
        [memory, "o'; Test unit written to o/crash-1", Self.signal, frame], [.memory, .crash], [nil, nil]
      ),
    ]
    for (lines, kinds, inputs) in rows {
      let log = RecordedLog.read([Self.loaded] + lines)
      #expect(log.crashes.map(\.kind) == kinds, "\(lines)")
      #expect(log.crashes.map(\.base64) == inputs, "\(lines)")
    }
  }

  @Test func aSlowInputIsNoFinding() {
    let log = RecordedLog.read([
      Self.loaded, "Slowest unit: 12 s:", "artifact_prefix='o/'; Test unit written to o/slow-unit-12ab", Self.units,
    ])
    #expect(log.slowUnits == ["o/slow-unit-12ab"])
    #expect(log.exit(ProcessEnd(code: 0)).kind == .clean)
  }

  @Test func aCrashWhoseInputWasNotWrittenIsTold() {
    let log = RecordedLog.read([Self.loaded, Self.new, Self.signal, Self.units])
    let run = log.run(lane: .cov, trial: 1, command: "", end: ProcessEnd(code: 77), wallSeconds: 1)
    #expect(run.missing == ["the input of a crash"])
  }
}
