import RunReports
import ScenarioModel
import Testing

@testable import RunComparison

/// The baseline as a file and as a run, and what changes it.
@Suite struct BaselineTests {
  private static let cases = [
    SampleRuns.result("a/one"), SampleRuns.result("a/one", world: .simulated),
    SampleRuns.result("a/one", family: .ipv6),
    SampleRuns.result("a/two", .failed), SampleRuns.result("b/bird", .failed, canary: true),
    SampleRuns.result("b/three", .skipped),
  ]

  private static func baseline(_ cases: [CaseResult] = cases) throws -> Baseline {
    Baseline(try SampleRuns.read(SampleRuns.report(cases)))
  }

  private static func text(_ baseline: Baseline) -> String { String(decoding: baseline.bytes, as: UTF8.self) }

  @Test func aLineIsAScenarioAndLinesAreSorted() throws {
    let lines = Self.text(try Self.baseline(Self.cases.reversed())).split(separator: "\n").map(String.init)
    #expect(lines[0] == "{" && lines[1] == "  \"baseline\": 1," && lines.count == 11)
    #expect(lines[5].hasSuffix("\"passed\": {\"both\": \"ipv4\", \"loopback\": \"ipv6\"}},"), "\(lines[5])")
    #expect(lines[6].contains("\"a/two\": {\"hash\": \"") && lines[6].contains("\"failed "))
    #expect(lines[7].contains("\"canary\": true, \"failed"))
    #expect(lines[8].contains("\"skipped\": {\"loopback\": \"ipv4\"}"))
    #expect(!lines.joined().contains("2026") && !lines.joined().contains("Linux"))
  }

  @Test func whatIsWrittenComesBack() throws {
    let baseline = try Self.baseline()
    #expect(try Baseline.read(baseline.bytes) == baseline)
    #expect(baseline.count == 6)
    let odd = try Self.baseline([SampleRuns.result("a/ü \"q\" \\ \n{},[]: ", .failed), SampleRuns.result("a/one")])
    #expect(try Baseline.read(odd.bytes) == odd)
  }

  @Test func theSameRunDiffersInNothing() throws {
    let run = try SampleRuns.read(SampleRuns.report(Self.cases))
    let comparison = try RunComparison(old: try Baseline.read(Baseline(run).bytes).run, new: run, expectsAll: true)
    #expect(comparison.changes.isEmpty && comparison.drifts.isEmpty && comparison.notes.isEmpty)
  }

  @Test func whatWasLostIsARegressionWhereAllIsAskedFor() throws {
    let new = try SampleRuns.read(SampleRuns.report([Self.cases[0], SampleRuns.result("c/new")]))
    let all = try RunComparison(old: Self.baseline().run, new: new, expectsAll: true)
    #expect(all.isRegression && all.count(.lost) == 5 && all.count(.removed) == 0 && all.count(.added) == 1)
    #expect(all.headline == "5 regressions: 5 missing cases")
    let some = try RunComparison(old: Self.baseline().run, new: new)
    #expect(!some.isRegression && some.count(.removed) == 5)
  }

  @Test func theTestThatChangedIsToldApart() throws {
    let new = try SampleRuns.read(SampleRuns.report([SampleRuns.result("a/one", .failed)], text: "title: other\n"))
    let change = try #require(try RunComparison(old: Self.baseline().run, new: new).changes.first)
    #expect(change.kind == .newFailure && change.isTestChanged)
  }

  @Test func onlyWhatIsNamedIsTaken() throws {
    var baseline = try Self.baseline()
    let run = try SampleRuns.read(
      SampleRuns.report([SampleRuns.result("a/one", .failed), SampleRuns.result("a/two"), SampleRuns.result("c/new")]))
    let pattern = try CasePattern("a/one")
    let changes = baseline.accept(run) { pattern.covers($0) }
    #expect(changes.map(\.key.name) == ["a/one [ipv4, loopback]"])
    #expect(changes[0].old?.text == "passed" && changes[0].new?.text.hasPrefix("failed ") == true)
    #expect(baseline.scenarios["a/two"] == (try Self.baseline().scenarios["a/two"]))
    #expect(baseline.scenarios["c/new"] == nil && baseline.scenarios["a/one"]?.cases.count == 3)
  }

  @Test func whatTheHostLacksChangesNothing() throws {
    var baseline = try Self.baseline()
    let run = try SampleRuns.read(
      SampleRuns.report([SampleRuns.result("a/one", .skipped), SampleRuns.result("b/three")]))
    #expect(baseline.accept(run) { _ in true }.map(\.key.scenario) == ["b/three"])
    #expect(baseline.scenarios["a/one"]?.cases.values.allSatisfy { $0.verdict == .passed } == true)
  }

  @Test func aKnownDeviationIsOnRecordAsOne() throws {
    var known = SampleRuns.result("a/one", .failed)
    known.known = KnownDeviation(
      reason: "r", evidence: "late", expires: "2027-01-31", path: "p", position: SourcePosition(line: 1, column: 1))
    let baseline = try Self.baseline([known])
    #expect(Self.text(baseline).contains("\"known failed\": {\"loopback\": \"ipv4\"}"))
    #expect(try Baseline.read(baseline.bytes) == baseline)
    func kinds(_ old: CaseResult, _ new: CaseResult) throws -> [CaseChange.Kind] {
      try SampleRuns.compare([old], [new]).changes.map(\.kind)
    }
    #expect(try kinds(SampleRuns.result("a/one"), known) == [.nowKnown])
    #expect(try kinds(known, known) == [] && kinds(known, SampleRuns.result("a/one")) == [.fixed])
    #expect(try kinds(known, SampleRuns.result("a/one", .failed)) == [.newFailure])
    // What was not played is not fixed.
    #expect(try kinds(known, SampleRuns.result("a/one", .unsupported)) == [.nowUnsupported])
    #expect(try kinds(known, SampleRuns.result("a/one", .skipped)) == [.nowSkipped])
  }

  @Test func whatIsGoneIsPruned() throws {
    var baseline = try Self.baseline()
    let changes = baseline.prune { $0.scenario != "a/two" && $0.variant != "ipv6" }
    #expect(changes.map(\.key.name) == ["a/one [ipv6, loopback]", "a/two [ipv4, loopback]"])
    #expect(baseline.scenarios["a/two"] == nil && baseline.scenarios["a/one"]?.cases.count == 2)
    #expect(baseline.prune { _ in true } == [])
  }

  private static let head = #"{"baseline": 1, "subject": "s", "profile": "documented", "scenarios": {"#

  private static func within(_ text: String) -> String { head + text }

  private static let wrong: [(String, String)] = [
    ("", "line 1, column 1"), ("[]", "expected {"), ("{}", "no key baseline"),
    (#"{"baseline": 1}"#, "no key subject"), (head, "the file ends here"), (within("}} x"), "there is more behind"),
    (within(#""a": {"passed": {"both": "x"}}, "a": {"passed": {"both": "x"}}}}"#), "the key a comes twice"),
    (within(#""a": {"passed": {"both": "x y x"}}}}"#), "the case a [x, loopback] comes twice"),
    (within(#""a": {"passed": {"both": "x"}, "failed 1": {"loopback": "x"}}}}"#), "comes twice"),
    (within(#""a": {"passed": {"moon": "x"}}}}"#), "moon is none of both"),
    (within(#""a": {"fine": {"both": "x"}}}}"#), "fine is neither a verdict"), (within(#""a": {}}}"#), "a has no case"),
    (within(#""a": {"passed": 3}}}"#), "expected {"),
    (#"{"schema": 2, "run": {}, "cases": []}"#, "a baseline has no key schema"),
  ]

  @Test(arguments: wrong)
  func whatIsWrongIsSaid(text: String, words: String) {
    #expect {
      try Baseline.read(Array(text.utf8))
    } throws: { error in
      guard case .malformed(let reason) = error as? ReportReadFailure else { return false }
      return reason.contains(words)
    }
  }

  @Test func anotherFormatIsNamed() {
    #expect(throws: ReportReadFailure.unknownSchema(7)) { try Baseline.read(Array(#"{"baseline": 7}"#.utf8)) }
  }

  /// Wherever it is cut off.
  @Test func aFileThatIsCutOffIsRefused() throws {
    let bytes = try Self.baseline().bytes
    for count in 0..<bytes.count - 2 {
      #expect(throws: ReportReadFailure.self, "\(count)") { try Baseline.read(Array(bytes.prefix(count))) }
    }
  }
}
