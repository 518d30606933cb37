import Foundation
import ScenarioModel
import Testing

@testable import RunReports

/// Subjects beside each other: what is counted, what is compared with what, and where two traces first differ.
@Suite struct SubjectMatrixTests {
  private static func result(
    _ id: String, _ verdict: Verdict, program: String? = nil, cut: Variant.Cut = .whole,
    queues: QueueTopology = .separate, world: WorldName = .loopback, events: [TraceKind] = []
  ) -> CaseResult {
    var scenario = Scenario(id: id, title: "Title of \(id)")
    scenario.requirements = ["RD-01"]
    let variant = Variant(family: .ipv4, cut: cut, queues: queues, program: program)
    var result = CaseResult(scenario: scenario, variant: variant, world: world, seed: 1)
    result.verdict = verdict
    result.trace.events = events.enumerated().map {
      TraceEvent(at: .milliseconds($0.offset), kind: $0.element)
    }
    if verdict == .failed {
      result.deviations = [Deviation(kind: .missing, expected: "didRead", actual: "not seen")]
    }
    return result
  }

  private static func told(_ callback: Callback) -> TraceKind {
    .callback(DeliveredCallback(socket: "socket", delegate: "delegate", callback: callback))
  }

  private static func report(_ cases: [CaseResult]) -> RunReport {
    var report = RunReport(
      startedAt: "2026-01-02T03:04:05Z", version: "1", subject: "all", profile: .documented,
      host: HostFacts(system: "x", processors: 1, jitter: .zero), seed: 1, seeds: 1, duration: .zero, cases: [],
      sources: [:])
    report.cases = cases
    return report
  }

  private static let program = SubjectLabel(.gcd, program: "x")

  @Test func whatWasNotAskedIsCountedAndNotPassed() {
    let matrix = SubjectMatrix([
      Self.result("a", .passed), Self.result("a", .unsupported, program: "x"), Self.result("b", .passed, program: "x"),
    ])
    #expect(matrix.subjects == [SubjectLabel(.gcd), Self.program])
    #expect(matrix.asked(Self.program) == 1)
    #expect(matrix.counts(Self.program) == [.unsupported: 1, .passed: 1])
    #expect(matrix.rows.allSatisfy { $0.difference == nil })
  }

  /// A canary fails for the judge's sake, and what the host lacks was not asked.
  @Test func canariesAndSkippedCasesAreNotAsked() {
    var canary = Self.result("c", .failed)
    canary.canary = true
    let matrix = SubjectMatrix([canary, Self.result("a", .skipped), Self.result("b", .passed)])
    #expect(matrix.rows.map(\.scenario) == ["a", "b"] && matrix.subjects.map(matrix.asked) == [1])
  }

  /// Of two subjects with one that was not asked, nothing is compared.
  @Test func whatOneDoesNotOfferIsNoDisagreement() {
    for (verdict, compared, pairs) in [
      (.unsupported, 0, 0), (.passed, 1, 0), (.failed, 1, 1),
    ] as [(Verdict, Int, Int)] {
      let cases = [Self.result("a", .passed), Self.result("a", verdict, program: "x")]
      let found = SubjectMatrix.disagreements(cases, between: SubjectLabel(.gcd), and: Self.program)
      #expect(found.compared == compared && found.pairs.count == pairs, "\(verdict)")
    }
  }

  /// Who was asked nothing has not done everything right.
  @Test func whoWasAskedNothingIsNotCalledGreen() throws {
    let report = Self.report([Self.result("a", .passed), Self.result("a", .unsupported, program: "x")])
    let files = MatrixReport.files(report)
    let markdown = String(decoding: try #require(files.first { $0.name == "matrix.md" }).bytes, as: UTF8.self)
    #expect(markdown.ranges(of: "Everything was as expected.").count == 1)
    #expect(MatrixReport.lines(report).contains { $0.hasSuffix("asked 0 of 1 scenarios, none of them") })
    let failing = Self.report([Self.result("a", .passed), Self.result("a", .failed, program: "x")])
    #expect(MatrixReport.lines(failing).contains { $0.hasSuffix("asked 1 of 1 scenarios, 1 with deviations") })
  }

  @Test func whoWasLeftOutStandsInEveryReport() throws {
    var report = Self.report([Self.result("a", .passed)])
    #expect(MatrixReport.files(report).isEmpty && MatrixReport.lines(report).isEmpty)
    report.programs = [ProgramFacts(name: "gone", leftOut: "prepare: no <compiler>")]
    let files =
      MatrixReport.files(report) + [
        ("report.json", ReportJSON.encode(report)), ("summary.md", MarkdownSummary.make(report)),
        ("junit.xml", JUnitReport.make(report)), ("index.html", HTMLReport.make(report)),
      ]
    #expect(files.count == 7)
    for (name, bytes) in files {
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.contains("gone") && text.contains("prepare: no "), "\(name)")
      #expect(!name.hasSuffix("ml") || text.contains("no &lt;compiler"), "\(name)")
    }
    let junit = String(decoding: JUnitReport.make(report), as: UTF8.self)
    #expect(junit.contains(#"<testsuite name="subjects" tests="1" failures="0" errors="1" skipped="0""#), "\(junit)")
    #expect(junit.contains(#"<testsuites name="SocketLab" tests="2" failures="0" errors="1" skipped="0""#), "\(junit)")
    #expect(MatrixReport.lines(report).contains("  gone: left out: prepare: no <compiler>"))
  }

  @Test func aProgramIsShownWithWhatItSaysOfItself() throws {
    var report = Self.report([Self.result("a", .passed, program: "x"), Self.result("b", .unsupported, program: "y")])
    report.subject = "the lab's, x, y"
    report.programs = [
      ProgramFacts(name: "x", library: "thing", version: "2.1"), ProgramFacts(name: "y", library: "y", version: "3"),
    ]
    report.cases[0].missingControl = "control/echo"
    #expect(report.subjectTitle == "the lab's, x (thing 2.1), y 3")
    for (name, bytes) in MatrixReport.files(report) {
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.contains("x (thing 2.1)") && text.contains("y 3"), "\(name)")
    }
    let markdown = String(decoding: MatrixReport.files(report)[1].bytes, as: UTF8.self)
    #expect(markdown.contains("1 case judged without a control: it does not offer `control/echo`."), "\(markdown)")
    // What was asked nothing did nothing as expected.
    #expect(markdown.components(separatedBy: "Everything was as expected.").count == 2, "\(markdown)")
    #expect(MatrixReport.lines(report).contains("  y 3: asked 0 of 2 scenarios, none of them"))
    let json = String(decoding: ReportJSON.encode(report), as: UTF8.self)
    #expect(json.contains(#""missing_control": "control/echo""#))
    #expect(json.contains(#""library_version": "2.1""#))
  }

  @Test func whatIsOnRecordIsToldByItsReasonWithTheCommandThatShowsIt() throws {
    func known(_ id: String, _ reason: String) -> CaseResult {
      var result = Self.result(id, .failed, program: "x")
      result.known = KnownDeviation(
        reason: reason, evidence: "missing", expires: "2027-01-31", path: "x.yaml",
        position: SourcePosition(line: 1, column: 1))
      return result
    }
    let link = "it sends none (https://example.org/a#L7)"
    let report = Self.report([known("a", "slow"), known("b", link), known("c", link), Self.result("d", .passed)])
    let matrix = SubjectMatrix(report.cases)
    #expect(matrix.known(Self.program, report.cases).map(\.reason) == [link, "slow"])
    #expect(matrix.known(Self.program, report.cases).map(\.cases.count) == [2, 1] && matrix.known(Self.program) == 3)
    #expect(MatrixReport.lines(report)[1].hasSuffix("all as expected, 3 with known ones"))
    let files = Dictionary(
      MatrixReport.files(report).map { ($0.name, String(decoding: $0.bytes, as: UTF8.self)) },
      uniquingKeysWith: { first, _ in first })
    let page = try #require(files["matrix.html"])
    #expect(page.contains("it sends none <a href=\"https://example.org/a#L7\">source</a>"))
    #expect(!page.contains("x: asked 3 of 4 scenarios</h2>\n<p>Everything"))
    #expect(try #require(files["matrix.md"]).contains("2 scenarios\n  expected didRead; not seen\n  `./lab run b"))
    #expect(try #require(files["matrix.json"]).contains("\"scenarios\": [\"b\", \"c\"]"))
  }

  @Test func deviationsComeFirstAndOneSubjectDiffersFromNobody() throws {
    func page(_ report: RunReport) throws -> String {
      String(decoding: try #require(MatrixReport.files(report).last).bytes, as: UTF8.self)
    }
    let own = [Self.result("a", .failed, program: "x"), Self.result("b", .passed, program: "x")]
    let alone = try page(Self.report(own))
    let deviations = try #require(alone.firstRange(of: "<details open><summary>1 scenario with deviations</summary>"))
    let table = try #require(alone.firstRange(of: "<h2>Every scenario</h2>"))
    #expect(deviations.lowerBound < table.lowerBound && !alone.contains("Where subjects differ"))
    #expect(MatrixReport.lines(Self.report(own)).last == "  scenario by scenario: matrix.html")
    let both = try page(Self.report(own + [Self.result("a", .passed)]))
    #expect(both.contains("<h2>Where subjects differ: 1 scenario</h2>"))
    let alike = try page(Self.report([own[1], Self.result("b", .passed)]))
    #expect(alike.contains("<h2>Where subjects differ</h2>\n<p>Nowhere.</p>"))
  }

  /// Of further repetitions what went as expected is counted, though it is not listed.
  @Test func whatIsNotListedCounts() {
    var report = Self.report([Self.result("a", .passed, program: "x")])
    report.unlistedCases = [
      CaseColumn(Self.program, .loopback): UnlistedCases([.passed: 2, .unsupported: 1], known: [.failed: 1]),
      CaseColumn(.gcd, .simulated): UnlistedCases([.passed: 9]),
    ]
    let matrix = SubjectMatrix(report)
    #expect(matrix.counts(Self.program) == [.passed: 3, .unsupported: 1, .failed: 1])
    #expect(matrix.known(Self.program) == 1 && matrix.counts(SubjectLabel(.gcd)).isEmpty)
  }

  @Test func theWorstStandsInFront() {
    let cases = [
      Self.result("a", .passed), Self.result("a", .failed, cut: .bytes), Self.result("a", .passed, cut: .random),
    ]
    let cell = SubjectMatrix(cases).rows[0].cells[SubjectLabel(.gcd)]
    #expect(cell?.worst == .failed)
    #expect(cell?.cases.first == 1)
    #expect(cell?.total == 3)
  }

  @Test func onlyCasesThatDifferInTheSubjectAloneAreCompared() {
    let cases = [
      Self.result("a", .passed), Self.result("a", .passed, cut: .bytes),
      Self.result("a", .failed, program: "x", cut: .random), Self.result("a", .failed, queues: .shared),
      Self.result("a", .passed, world: .simulated), Self.result("a", .failed, program: "x", cut: .bytes),
    ]
    #expect(SubjectMatrix(cases).rows[0].difference == SubjectMatrix.Difference(left: 1, right: 5))
    let (pairs, compared) = SubjectMatrix.disagreements(cases, between: SubjectLabel(.gcd), and: Self.program)
    #expect(pairs == [SubjectMatrix.Difference(left: 1, right: 5)])
    #expect(compared == 1)
  }

  @Test func theFirstDifferenceOfTwoTracesIsFound() throws {
    let (connected, read) = (Self.told(.didConnect(host: "127.0.0.1", port: 7)), Self.told(.didWrite(tag: 1)))
    let left = Self.result("a", .passed, events: [connected, read])
    let right = Self.result(
      "a", .failed, program: "x", events: [.note("x"), Self.told(.didConnect(host: "127.0.0.1", port: 9))])
    let difference = try #require(TraceDifference(left.trace, right.trace))
    // Ports differ from run to run.
    #expect(difference.left == 1)
    #expect(difference.right == nil)
    #expect(difference.rightText == "nothing more")
    let marked = TraceDifference.marked(left, at: difference.left, difference.rightText)
    #expect(marked.trace.events[1].kind == .note("first difference: nothing more"))
    #expect(TraceDifference(left.trace, left.trace) == nil)
  }

  @Test func allFormsNameWhatDiffersAndTheCommand() throws {
    let cases = [Self.result("a", .passed), Self.result("a", .failed, program: "x")]
    let files = MatrixReport.files(Self.report(cases))
    #expect(files.map(\.name) == ["matrix.json", "matrix.md", "matrix.html"])
    for file in files {
      let text = String(decoding: file.bytes, as: UTF8.self)
      #expect(text.contains("ipv4-x --subject x"), "\(file.name)")
      #expect(text.contains("not seen"), "\(file.name)")
    }
    #expect(MatrixReport.files(Self.report([cases[0]])).isEmpty)
    let lines = MatrixReport.lines(Self.report(cases))
    #expect(lines.contains("  x: asked 1 of 1 scenarios, 1 with deviations"))
    #expect(lines.last == "  1 scenario in which subjects differ: matrix.html")
  }
}
