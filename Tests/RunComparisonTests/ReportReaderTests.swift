import Foundation
import ReportTestSupport
import RunReports
import ScenarioModel
import Testing

@testable import RunComparison

/// Reading reports for a comparison: what comes back, and that nothing wrong is taken for a run.
@Suite struct ReportReaderTests {
  private static let report = SampleRuns.report(
    [SampleRuns.result("a/b"), SampleRuns.result("a/ü \"quoted\" \\ \n", .failed, world: .simulated, seed: .max)],
    seeds: 3, rounds: 2)

  @Test func whatIsWrittenComesBack() throws {
    let run = try SampleRuns.read(Self.report)
    #expect(run.subject == "GCDAsyncSocket" && run.seeds == 3 && run.rounds == 2 && run.labCommit == nil)
    #expect(run.subjectCommit == "0123456789abcdef" && run.profile == "documented")
    #expect(run.cases.map(\.key.scenario) == Self.report.cases.map(\.scenario))
    let failed = run.cases[1]
    #expect(failed.key.world == .simulated && failed.seed == .max && failed.verdict == .failed)
    #expect(failed.position == SourcePosition(line: 3, column: 5) && failed.kind == .wrongContent)
    #expect(failed.headline == "wrong content: expected didRead { tag: 1 }, saw didRead { tag: 2 }")
    #expect(failed.scenarioHash == ContentHash(of: SampleRuns.text(of: failed.key.scenario).utf8).text)
    #expect(failed.deviationIndex == 3 && failed.path.hasSuffix(".yaml"))
    let cause = try #require(failed.finding.flatMap { run.causes[$0] })
    #expect(cause.title.hasPrefix("didRead comes with wrong content") && cause.rank == 0)
    #expect(run.cases[0].finding == nil && run.cases[0].headline.isEmpty)
  }

  /// Reports of earlier labs have the number alone.
  @Test func whatIsCountedOnlyComesBack() throws {
    var report = Self.report
    report.unlistedCases = [
      CaseColumn(.gcd, .simulated): UnlistedCases([.passed: 3, .unsupported: 2], known: [.failed: 4]),
      CaseColumn(.runLoop, .simulated): UnlistedCases([.passed: 1]),
    ]
    let text = String(decoding: ReportJSON.encode(report), as: UTF8.self)
    let run = try ReportReader.read(Array(text.utf8))
    #expect(run.unlistedCases == 10 && run.unlistedKnown == 4)
    let former = text.replacing("unlisted_verdicts", with: "later").replacing("unlisted_known", with: "later_still")
    let earlier = try ReportReader.read(Array(former.utf8))
    #expect(earlier.unlistedCases == 10 && earlier.unlistedKnown == 0)
  }

  /// Wherever it is cut off.
  @Test func aReportThatIsCutOffIsRefused() throws {
    let bytes = ReportJSON.encode(Self.report)
    for count in stride(from: 0, to: bytes.count - 2, by: 7) {
      #expect(throws: ReportReadFailure.self, "\(count)") { try ReportReader.read(Array(bytes.prefix(count))) }
    }
  }

  @Test(arguments: [
    ("nonsense", "line 1, column 1: expected {"), ("{}", "no key schema"), (#"{"schema": 2}"#, "no key run"),
    (#"{"schema": 2, "schema": 2}"#, "line 1, column 15: the key schema comes twice"),
    (
      "{\"schema\": 2, \"run\": {},\n\"cases\": [{\"scenario\": \"a\", \"scenario\": \"b\"}]}",
      "line 2, column 29: the key"
    ),
    (#"{"schema": 2, "run": {}, "cases": [{"scenario": "a"}]}"#, "column 36: a case without"),
    (#"{"schema": 2, "run": {}, "cases": [{"verdict": "fine"}]}"#, "fine is no Verdict"),
    (#"{"schema": 2, "run": {}, "cases": []} {"#, "there is more behind its end"),
    (#"{"schema": 2, "run": {"seeds": "x"}}"#, "no a whole number"),
  ])
  func whatIsWrongIsSaidWithItsPlace(text: String, reason: String) {
    #expect {
      try ReportReader.read(Array(text.utf8))
    } throws: { error in
      guard case .malformed(let words) = error as? ReportReadFailure else { return false }
      return words.contains(reason)
    }
  }

  @Test func otherSchemasAndUnfinishedRunsAreNamed() throws {
    #expect(throws: ReportReadFailure.unknownSchema(1)) { try ReportReader.read(Array(#"{"schema": 1}"#.utf8)) }
    let note = UnfinishedRun(startedAt: "then", command: ["run"]).files[0].bytes
    #expect(throws: ReportReadFailure.unfinished(startedAt: "then", command: "run")) { try ReportReader.read(note) }
  }

  @Test func keysItDoesNotKnowAreSkipped() throws {
    let text = String(decoding: ReportJSON.encode(Self.report), as: UTF8.self)
      .replacing("{\"scenario\":", with: "{\"later\": [{\"a\": [1, \"]}\\\"\"]}, null], \"scenario\":")
    #expect(try ReportReader.read(Array(text.utf8)).cases.count == 2)
  }

  @Test func tracesAreReadWhenTheyAreAskedFor() throws {
    let bytes = ReportJSON.encode(Self.report)
    let run = try ReportReader.read(bytes)
    let traces = RecordedTraces(run, bytes: bytes)
    let events = try #require(traces.trace(of: run.cases[1])?.events)
    #expect(events.map(\.kind) == ["action", "call", "action", "callback"])
    #expect(events.map(\.isDeviation) == [false, false, false, true] && events[3].count == 4)
    #expect(events[3].what == "didRead tag 2, 4 B" && events[3].lane == "socket" && events[3].hex == "61626364")
    var other = run.cases[0]
    other.key.variant = "ipv6"
    other.trace = nil
    #expect(traces.trace(of: other)?.of.key.variant == "ipv4")
    other.key.scenario = "a/none"
    #expect(traces.trace(of: other) == nil)
  }

  /// Fifty thousand cases, of which six in a hundred fail anew. In a release build it takes a fraction of the bound.
  @Test func longReportsAreComparedInLinearTime() throws {
    func report(_ count: Int, failing: Bool) -> [UInt8] {
      ReportJSON.encode(
        SampleRuns.report(
          (0..<count).map {
            SampleRuns.result(
              "area\($0 / 500)/line-\($0 / 5)", failing && $0 % 17 == 0 ? .failed : .passed, cut: .split(at: $0 % 5))
          }))
    }
    func seconds(_ count: Int) throws -> Double {
      let (old, new) = (report(count, failing: false), report(count, failing: true))
      return try ThreadProcessorTime.seconds(bestOf: 3) {
        let comparison = try RunComparison(old: ReportReader.read(old), new: ReportReader.read(new))
        #expect(comparison.count(.newFailure) == (count + 16) / 17)
      }
    }
    let (few, many) = try (seconds(300), seconds(3_000))
    #expect(many < few * 30 + 0.05, "\(many) s after \(few) s")
  }
}

/// Two traces side by side.
@Suite struct TraceAlignmentTests {
  private static func events(_ words: String) -> [ReportedEvent] {
    words.split(separator: " ").enumerated().map { place, word in
      var event = ReportedEvent()
      (event.what, event.kind, event.milliseconds) = (String(word), "call", Double(place))
      return event
    }
  }

  private static func shown(_ old: String, _ new: String) -> (rows: String, divergence: Int?) {
    let alignment = TraceAlignment(events(old), events(new))
    let rows = alignment.rows.map { "\($0.old?.what ?? "-")/\($0.new?.what ?? "-")" }
    return (rows.joined(separator: " "), alignment.divergence)
  }

  @Test(
    arguments: [
      ("a b c", "a b c", "a/a b/b c/c", nil), ("a b c", "a x c", "a/a b/- -/x c/c", 1),
      ("a b", "a b c", "a/a b/b -/c", 2), ("a b c", "b c", "a/- b/b c/c", 0), ("", "a", "-/a", 0), ("", "", "", nil),
    ] as [(String, String, String, Int?)])
  func pairsAsManyAsCanBe(old: String, new: String, rows: String, divergence: Int?) {
    let shown = Self.shown(old, new)
    #expect(shown.rows == rows && shown.divergence == divergence)
  }

  @Test func instantsAndAddressesMakeNoDifferenceAndBytesDo() {
    var (one, other) = (Self.events("didConnect")[0], Self.events("didConnect")[0])
    (one.what, other.what) = ("didConnect 127.0.0.1 port 80", "didConnect 127.0.0.1 port 4711")
    other.milliseconds = 99
    #expect(TraceAlignment([one], [other]).divergence == nil)
    (one.hex, other.hex) = ("61", "62")
    #expect(TraceAlignment([one], [other]).divergence == 0)
  }

  @Test(arguments: [
    ("didRead tag 1, 6 KiB", "didRead tag 1, 1.6 KiB", true), ("read 2 B, tag 1", "read 3 B, tag 1", true),
    ("progress = tag 1, 3 of 10 B", "progress = tag 1, 4 of 10 B", true),
    ("read tag 1, timeout 5 s", "read tag 1, timeout 0.06 s", false),
  ])
  func numbersOfBytesMakeADifferenceInOneRow(old: String, new: String, differs: Bool) {
    var (one, other) = (Self.events("x")[0], Self.events("x")[0])
    (one.what, other.what) = (old, new)
    let alignment = TraceAlignment([one], [other])
    #expect(alignment.rows.map(\.differs) == [differs] && alignment.divergence == (differs ? 0 : nil))
    #expect(alignment.summary.contains("tell the same") != differs)
    // What words round off.
    (one.what, other.what, one.count, other.count) = ("didRead 6 KiB", "didRead 6 KiB", 6_144, 6_100)
    #expect(TraceAlignment([one], [other]).divergence == 0)
  }

  /// The judge ends a case that deviates: what the other trace has behind that, the subject was never asked for.
  @Test func whatIsBehindTheEndOfACaseIsNoDifference() {
    let (long, short) = (Self.events("a b c d"), Self.events("a b"))
    for isOld in [true, false] {
      let alignment =
        isOld
        ? TraceAlignment(short, long, isOldCut: true) : TraceAlignment(long, short, isNewCut: true)
      #expect(alignment.divergence == nil)
      #expect(alignment.rows.map(\.isBeyond) == [false, false, true, true])
      let words = "The \(isOld ? "old" : "new") trace ends where it does because the case was over"
      #expect(alignment.summary.contains("as far as both go. \(words)"), "\(alignment.summary)")
    }
    #expect(TraceAlignment(long, short).divergence == 2)
    var other = Self.events("a x")
    other[1].isDeviation = true
    let alignment = TraceAlignment(long, other, isNewCut: true)
    #expect(alignment.rows.map { $0.new?.what } == ["a", "x", nil, nil, nil] && alignment.divergence == 1)
    #expect(alignment.rows.map(\.isDeviation) == [false, true, false, false, false])
    #expect(alignment.summary.hasPrefix("The first difference is marked. ✕ marks the deviation. "))
  }

  /// Whoever waits for what does not come until the limit has let the subject go on: its silence is the difference.
  @Test(
    arguments: [
      (Verdict.failed, Deviation.Kind.unexpected, true), (.failed, .wrongContent, true), (.failed, .missing, false),
      (.timeout, .missing, false), (.timeout, .late, false), (.hang, .hang, false), (.crash, .crash, false),
      (.failed, nil, false), (.passed, nil, false), (.unsupported, nil, false),
    ] as [(Verdict, Deviation.Kind?, Bool)])
  func onlyTheJudgeThatSawSomethingEndsACaseEarly(_ verdict: Verdict, _ kind: Deviation.Kind?, isCut: Bool) {
    var found = ComparedCase(.init(scenario: "a", variant: "ipv4", world: .loopback))
    (found.verdict, found.kind) = (verdict, kind)
    #expect(found.isCut == isCut)
    let alignment = TraceAlignment(Self.events("a b c"), Self.events("a b"), isNewCut: found.isCut)
    let divergence: Int? = isCut ? nil : 2
    #expect(alignment.divergence == divergence)
  }

  /// The peer was told before the socket, or after it: nobody knows which comes first.
  @Test func theOrderAmongLanesMakesNoDifference() {
    func events(_ words: String) -> [ReportedEvent] {
      Self.events(words).map { event in
        var event = event
        event.lane = event.what.hasPrefix("p") ? "peer" : "socket"
        return event
      }
    }
    #expect(TraceAlignment(events("p1 s1 p2 s2"), events("s1 p1 s2 p2")).divergence == nil)
    var (call, callback) = (Self.events("read")[0], Self.events("didConnect")[0])
    callback.kind = "callback"
    #expect(TraceAlignment([call, callback], [callback, call]).divergence == nil)
    call.what = "write"
    #expect(TraceAlignment([call, callback], [callback]).divergence == 0)
    let alignment = TraceAlignment(events("p1 s1 p2"), events("s1 p1 s2 p2"))
    #expect(alignment.divergence.map { alignment.rows[$0].new?.what } == "s2")
  }

  @Test func remarksOfTheLabAreLeftOut() {
    var note = ReportedEvent()
    (note.kind, note.what) = ("note", "settled for 50 ms")
    #expect(TraceAlignment([note] + Self.events("a"), Self.events("a")).divergence == nil)
  }
}
