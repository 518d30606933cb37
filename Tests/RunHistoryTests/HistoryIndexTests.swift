import ReportTestSupport
import RunComparison
import RunReports
import ScenarioModel
import Testing

@testable import RunHistory

/// The index as a file, and what becomes of lines that are wrong.
@Suite struct HistoryIndexTests {
  private static func rich(_ text: String = "read/line [ipv4, loopback]") -> HistoryEntry {
    var entry = SampleHistory.entry(
      1,
      [
        SampleHistory.measure(1.5, samples: [1, 2], basis: text),
        SampleHistory.measure(0.25, noise: .counted, counted: (1, 4)),
      ])
    entry.measures[1].name = "flake rate"
    entry.slowest = [.init(name: text, milliseconds: 12.5)]
    entry.failing = [text]
    return entry
  }

  @Test func whatIsWrittenComesBack() {
    for text in HostileText.all + ["plain"] {
      let entries = [Self.rich(text), SampleHistory.entry(2, [], kind: .fuzz)]
      let bytes = entries.flatMap(HistoryIndex.line)
      #expect(bytes.count { $0 == 0x0A } == 2, "an entry is one line")
      let index = HistoryIndex(bytes)
      #expect(index.entries == entries && index.problems.isEmpty, "\(text)")
    }
    #expect(HistoryIndex([]).entries.isEmpty && HistoryIndex([]).problems.isEmpty)
  }

  /// Wherever the last line is cut off, it is said, and the first is read.
  @Test func aLineThatIsCutOffIsSaid() {
    let (first, last) = (HistoryIndex.line(SampleHistory.entry(1, [])), HistoryIndex.line(SampleHistory.entry(2, [])))
    for count in 1..<last.count {
      let index = HistoryIndex(first + last.prefix(count))
      #expect(index.entries.count == 1 && index.problems.map(\.line) == [2], "\(count)")
    }
  }

  @Test(arguments: [
    ("nonsense\n", 1, "expected {"), ("{}\n", 3, "without the key history"), ("{\"history\": 9}\n", 14, "format 9"),
    ("{\"history\": 1, \"history\": 1}\n", 16, "comes twice"), ("{\"kind\": \"moon\"}\n", 10, "moon is not a kind"),
    ("{\"size\": 9223372036854775807}\n", 29, "a size of 9223372036854775807"),
    ("{\"size\": -1}\n", 12, "a size of -1"),
    ("{\"started_at\": \"zzz\"}\n", 21, "zzz is no instant"),
    (
      "{\"measures\": [{\"name\": \"a\", \"value\": 1, \"of\": 0, \"all\": 9223372036854775807}]}\n", 77,
      "a share of 0 of"
    ),
    ("{\"measures\": [{\"name\": \"\", \"value\": 1}]}\n", 39, "without name"),
    ("{\"measures\": [{\"name\": \"a\", \"value\": 1, \"of\": 3, \"all\": 2}]}\n", 59, "a share of 3 of 2"),
  ])
  func whatIsWrongHasItsPlace(line: String, column: Int, words: String) throws {
    let good = HistoryIndex.line(SampleHistory.entry(1, []))
    let index = HistoryIndex(good + Array(line.utf8) + HistoryIndex.line(SampleHistory.entry(2, [])))
    let problem = try #require(index.problems.first)
    #expect(index.entries.count == 2 && index.problems.count == 1)
    #expect(problem.line == 2 && problem.text.contains(words), "\(problem)")
    #expect(problem.column == column, "\(problem)")
  }

  @Test func anEntryThatStandsTwiceIsSaid() {
    let line = HistoryIndex.line(SampleHistory.entry(1, []))
    let index = HistoryIndex(line + line)
    #expect(
      index.entries.count == 1 && index.problems.map(\.text) == ["suite 2026-01-01T12-00-00Z stands in line 1 already"])
    // A run and a campaign may begin at the same instant.
    let both = HistoryEntry.Kind.allCases.map { SampleHistory.entry(1, [], kind: $0) }
    #expect(HistoryIndex(both.flatMap(HistoryIndex.line)).entries == both)
  }
}

/// What is kept of a run and of a benchmark report.
@Suite struct HistoryEntryTests {
  private static func found(
    _ id: String, _ verdict: Verdict = .passed, world: WorldName = .simulated, seed: UInt64 = 1,
    milliseconds: Double = 1
  ) -> ComparedCase {
    var found = ComparedCase(.init(scenario: id, variant: "ipv4", world: world))
    (found.verdict, found.seed, found.milliseconds) = (verdict, seed, milliseconds)
    return found
  }

  @Test func ofARunWhatATrendNeeds() throws {
    var run = ComparedRun()
    (run.seeds, run.milliseconds, run.host, run.startedAt) = (10, 1_234, "Linux, 2 processors", "2026-01-31T12:00:00Z")
    run.unlistedCases = 18
    run.resources = RunResources(peakMemory: 1 << 20, processor: .seconds(2))
    run.cases = [
      Self.found("a/steady"), Self.found("a/mixed"), Self.found("a/mixed", .failed, seed: 2),
      Self.found("a/slow", .failed, world: .loopback, milliseconds: 900),
    ]
    let entry = HistoryEntry(run, name: "folder")
    #expect(
      entry.name == "folder" && entry.size == 22
        && entry.failing == ["a/mixed [ipv4, simulated]", "a/slow [ipv4, loopback]"])
    // Of 22 cases that were played 20 went as expected, 18 of which are not listed.
    #expect(entry.measure("pass rate")?.text == "90.91 %")
    #expect(entry.measure("pass rate")?.counted?.of == 20 && entry.measure("pass rate")?.counted?.all == 22)
    run.cases.append(Self.found("canary/x", .failed))
    run.cases[4].canary = true
    #expect(HistoryEntry(run, name: "folder").size == 22, "canaries are not the subject's")
    run.unlistedKnown = 3
    #expect(HistoryEntry(run, name: "folder").measure("known deviations")?.value == 3)
    #expect(entry.measure("flake rate")?.counted?.of == 1 && entry.measure("flake rate")?.counted?.all == 2)
    #expect(entry.measure("duration")?.value == 1_234 && entry.measure("processor time")?.value == 2_000)
    #expect(entry.measure("peak memory")?.value == 1_048_576)
    #expect(entry.slowest.map(\.milliseconds) == [900, 1, 1])
    #expect(HistoryIndex(HistoryIndex.line(entry)).entries == [entry])
  }

  /// What fails every time is no flake, and neither is what never does.
  @Test func flakesAreWhatFailsNowAndThen() {
    var run = ComparedRun()
    run.rounds = 4
    for (id, failures) in [("a/never", 0), ("a/once", 1), ("a/mostly", 3), ("a/always", 4)] {
      run.cases += (0..<4).map { Self.found(id, $0 < failures ? .failed : .passed, world: .loopback) }
    }
    let flakes = HistoryEntry(run, name: "x").measure("flake rate")
    #expect(flakes?.counted?.of == 2 && flakes?.counted?.all == 4)
  }

  /// A run that was broken off is compared with none that came to its end.
  @Test func anInterruptedRunHasABasisOfItsOwn() {
    var run = ComparedRun()
    run.cases = [Self.found("a/one")]
    let whole = HistoryEntry(run, name: "x").measures.map(\.basis)
    run.casesNotJudged = 1
    let cut = HistoryEntry(run, name: "x").measures.map(\.basis)
    #expect(cut == whole.map { "\($0), interrupted" })
  }

  @Test func ofACaseThatWasSlowTwiceTheSlowestIsKept() {
    var run = ComparedRun()
    run.cases = (1...30).map { Self.found("a/\($0 % 12)", seed: UInt64($0), milliseconds: Double($0)) }
    let slowest = HistoryEntry(run, name: "x").slowest
    #expect(slowest.map(\.milliseconds) == (21...30).reversed().map(Double.init))
    #expect(Set(slowest.map(\.name)).count == 10)
  }

  @Test func ofARunOnceThereIsNoFlakeRate() {
    var run = ComparedRun()
    run.cases = [Self.found("a/one")]
    #expect(HistoryEntry(run, name: "x").measure("flake rate") == nil)
  }

  private static let benchmarks = """
    {"formatVersion": 1, "provenance": {"date": "2026-01-31T12:00:00Z", "processor": "P", "cores": 2, "kernel": "6.1",
     "seconds": 0.5, "rounds": 3, "commit": "abc", "isQuick": false, "notes": []},
     "workloads": [{"id": "echo-1", "direction": "higher", "entries": [], "comparisons": [
      {"comparison": {"subject": "gcd", "rival": "nio", "bar": 1}, "ratios": [1.5, 1.25, 1.75], "verdict": "bar"},
      {"comparison": {"subject": "gcd"}, "ratios": []}]}],
     "growth": [{"id": "g"}], "idle": [{"id": "gcd", "isSubject": true, "bytesPerConnection": 512.5},
      {"id": "nio", "isSubject": false, "bytesPerConnection": 5}]}
    """

  @Test func ofBenchmarksTheRatiosOfEachRound() throws {
    let entry = try HistoryEntry.benchmarks(Array(Self.benchmarks.utf8))
    #expect(entry.kind == .benchmarks && entry.name == "2026-01-31T12:00:00Z" && entry.commit == "abc")
    #expect(entry.measures.map(\.name) == ["echo-1: gcd against nio", "idle: memory a connection, gcd"])
    #expect(entry.measures[0].samples == [1.5, 1.25, 1.75] && entry.measures[0].value == 1.5)
    #expect(entry.measures[0].basis == "P, 2 cores, 6.1, 3 rounds of 0.5 s" && entry.measures[0].isHigherBetter)
  }

  @Test func benchmarksThatAreNoneAreRefused() {
    for count in stride(from: 0, to: Self.benchmarks.utf8.count, by: 5) {
      #expect(throws: ReportReadFailure.self) { try HistoryEntry.benchmarks(Array(Self.benchmarks.utf8.prefix(count))) }
    }
    let later = Self.benchmarks.replacing("\"formatVersion\": 1", with: "\"formatVersion\": 2")
    #expect(throws: ReportReadFailure.unknownSchema(2)) { try HistoryEntry.benchmarks(Array(later.utf8)) }
    #expect(throws: ReportReadFailure.self) { try HistoryEntry.benchmarks(Array("{\"formatVersion\": 1}".utf8)) }
  }
}
