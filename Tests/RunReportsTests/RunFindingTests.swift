import ReportTestSupport
import ScenarioModel
import Testing

@testable import RunReports

/// Failures grouped by finding and cause: what is one thing, what stands together, and what comes first.
@Suite struct RunFindingTests {
  private static func failed(
    _ id: String = "a/b", _ kind: Deviation.Kind = .wrongContent, expected: String = "didRead { tag: 1 }",
    actual: String = "didRead { tag: 2 }", line: Int? = 3, requirement: String? = nil, verdict: Verdict = .failed,
    cut: Variant.Cut = .whole, trace: [TraceEvent] = []
  ) -> CaseResult {
    SampleReport.result(
      SampleReport.scenario(id, "t", []), verdict, cut: cut, trace: trace,
      deviations: [
        SampleReport.deviation(
          kind, expected: expected, actual: actual, line: line, requirement: requirement,
          at: trace.isEmpty ? nil : trace.count - 1)
      ])
  }

  /// A trace that ends with a callback after such a read.
  private static func read(_ boundary: ReadCommand.Boundary, _ callback: Callback, pauses: Int = 0) -> [TraceEvent] {
    var trace = TraceBuilder()
    trace.open()
    trace.call(.read(ReadCommand(boundary: boundary, tag: 1)))
    for _ in 0..<pauses { trace.add(.note("nothing"), after: 1) }
    trace.send(bytes("x"))
    trace.back(callback, after: 1)
    return trace.events
  }

  private static let line = ReadCommand.Boundary.through(.bytes(bytes("\r\n")), limit: 0)
  private static let got = Callback.didRead(bytes: bytes("x"), tag: 1)

  private static func findings(_ cases: [CaseResult]) -> RunFindings { RunFindings(cases, sources: [:]) }

  @Test(arguments: [
    ("didRead { tag: 2 } at 5.01s", "didRead { tag: 2 } at 17ms"),
    ("didRead { bytes: \"ab\" }", "didRead { bytes: \"c\\\"d\" }"),
    ("didRead { bytes: \"ab\" }: length", "didRead { bytes: \"cd\"… (1612 bytes) }: length"),
    ("differs first at offset 3: expected 0x62", "differs first at offset 1024: expected 0x63"),
    ("to 127.0.0.1:80", "to 127.0.0.2:4711"),
  ])
  func numbersBytesAndAddressesMakeNoDifference(one: String, other: String) {
    let found = Self.findings([Self.failed(actual: one), Self.failed(actual: other, cut: .bytes)])
    #expect(found.count == 1 && found.causes[0].findings[0].cases == [0, 1])
    #expect(found.idOfCase[0] != nil && found.idOfCase[0] == found.idOfCase[1])
  }

  @Test func anotherPlaceKindOrWordIsAnotherFinding() {
    let cases = [
      Self.failed(), Self.failed(line: 4), Self.failed("a/b", .late), Self.failed(actual: "didWrite { tag: 2 }"),
      Self.failed(expected: "didWrite { tag: 1 }"), Self.failed("a/c"), Self.failed(requirement: "RD-1"),
    ]
    let found = Self.findings(cases)
    #expect(found.count == cases.count && found.caseCount == cases.count)
    #expect(Set(found.idOfCase).count == cases.count)
  }

  /// What no line of a scenario says is the same thing in all scenarios; and a row of a table of cases has its file's
  /// lines.
  @Test func whatHasNoPlaceIsOneFindingEverywhere() {
    let broken = ["a/b", "a/c"].map { Self.failed($0, .invariant, line: nil, requirement: "INV-05") }
    #expect(Self.findings(broken).count == 1)
    let rows = [Self.failed("a/t/one"), Self.failed("a/t/two")]
    let file = ScenarioSource(path: "Scenarios/a/t.yaml", text: "")
    let found = RunFindings(rows, sources: ["a/t/one": file, "a/t/two": file])
    #expect(found.count == 1 && found.causes[0].findings[0].place?.text == "Scenarios/a/t.yaml:3:5")
    #expect(found.causes[0].extent == "2 cases of 2 scenarios")
  }

  @Test func theFirstDeviationDecides() {
    var one = Self.failed()
    one.deviations.append(SampleReport.deviation(.missing, expected: "didWrite", actual: "nothing"))
    #expect(Self.findings([one, Self.failed()]).count == 1)
  }

  @Test func crashesAreOneFindingByTheirInnermostFrame() {
    func crash(_ id: String, _ function: String) -> CaseResult {
      var result = SampleReport.result(SampleReport.scenario(id, "t", []), .crash, reason: "the process ended")
      result.backtrace = ["0  \(function)() at Sources/SocketCore/Prebuffer.swift:88:5", "1  outer() at x.swift:1"]
      return result
    }
    let found = Self.findings([crash("a/b", "drop"), crash("a/c", "drop"), crash("a/d", "take")])
    #expect(found.causes.map(\.cases) == [2, 1])
    #expect(found.causes[0].title == "crash in drop()")
  }

  @Test func whatItsControlVoidsHasNoFindingUnlessItDeviates() {
    var empty = Self.failed()
    empty.deviations = []
    for own in [empty, Self.failed()] {
      var result = own
      result.verdict = .error
      result.voided = VoidedCase(control: "c", controlVerdict: .failed, verdict: .passed)
      #expect((Self.findings([result]).idOfCase[0] == nil) == own.deviations.isEmpty)
    }
    #expect(Self.findings([SampleReport.result(SampleReport.scenario("a/b", "t", []), .passed)]).causes.isEmpty)
  }

  @Test func theSameEventAfterTheSameStepIsOneCause() {
    let cases = [
      Self.failed("a/b", trace: Self.read(Self.line, Self.got)),
      Self.failed("a/c", trace: Self.read(Self.line, Self.got)),
      Self.failed("a/d", trace: Self.read(.exactly(4), Self.got)),
      Self.failed("a/e", .unexpected, trace: Self.read(Self.line, .didDisconnect(nil))),
    ]
    let causes = Self.findings(cases).causes
    #expect(
      causes.map(\.title) == [
        "didRead comes with wrong content, after a read to a delimiter or a read to a length",
        "didDisconnect comes instead of didRead, after a read to a delimiter",
      ])
    #expect(causes.map(\.cases) == [3, 1])
    #expect(Self.findings(Array(cases.prefix(2))).causes[0].title.hasSuffix(", after a read to a delimiter"))
    let all = cases + [Self.failed("a/f", trace: Self.read(.available(limit: 0), Self.got))]
    #expect(Self.findings(all).causes[0].title == "didRead comes with wrong content, after a read")
  }

  @Test func whatAPeerDoesNotSeeIsOneCauseAndSaysWhatWasCalledBefore() {
    func blind(_ id: String, _ command: SubjectCommand) -> CaseResult {
      var trace = TraceBuilder()
      trace.open()
      trace.call(command)
      trace.send(bytes("x"))
      return Self.failed(id, .peer, expected: "peer: 8 bytes", actual: "peer: 1 byte", trace: trace.events)
    }
    let causes = Self.findings([
      blind("a/b", .disconnect), blind("a/c", .read(ReadCommand(boundary: .exactly(4), tag: 1))),
    ]).causes
    #expect(
      causes.map(\.title) == [
        "the peer does not see what it should: peer: # bytes, after a read to a length or disconnect"
      ])
  }

  @Test func manyScenariosComeBeforeManyCasesAndEvidenceBeforeAbsence() {
    let one = (0..<20).map { Self.failed("z/one", .check, cut: .split(at: $0)) }
    let many = (0..<3).map { Self.failed("a/\($0)", trace: Self.read(Self.line, Self.got)) }
    let absent = (0..<4).map { Self.failed("b/\($0)", .missing, actual: "nothing") }
    let causes = Self.findings(one + many + absent).causes
    #expect(causes.map(\.cases) == [3, 4, 20])
    #expect(causes[1].title == "didRead does not come")
  }

  @Test func theExampleIsTheShortestCase() {
    let cases = [9, 2, 5].map { Self.failed(trace: Self.read(Self.line, Self.got, pauses: $0)) } + [Self.failed()]
    let found = Self.findings(cases)
    #expect(found.count == 1 && found.causes[0].example == 1)
  }

  /// Indices come from outside, like everything in a result.
  @Test(arguments: [Int.min, -1, 4_000, .max])
  func anIndexOutsideOfTheTraceIsNone(index: Int) {
    var result = Self.failed(trace: Self.read(Self.line, Self.got))
    result.deviations[0].traceIndex = index
    #expect(Self.findings([result]).count == 1)
  }

  @Test func idsDependOnNothingElseInTheRun() {
    let cases = [Self.failed("a/b"), Self.failed("a/c", .late), Self.failed("a/d", line: 9)]
    let ids = Self.findings(cases).idOfCase
    #expect(Self.findings(cases.reversed()).idOfCase == ids.reversed())
    #expect(Self.findings([cases[1]]).idOfCase == [ids[1]])
  }

  @Test func reportAndSummaryTellThemFirst() throws {
    let cases = (1...8).map { Self.failed(cut: .split(at: $0)) } + [Self.failed("a/c", .late)]
    let report = SampleReport.report(cases)
    let json = try ReadJSON(ReportJSON.encode(report))
    let causes = try #require(json["causes"]?.items)
    #expect(causes.map { $0["cases"]?.number } == [8, 1])
    let finding = try #require(causes[0]["findings"]?.items.first)
    #expect(finding["cases"]?.items.compactMap(\.number) == (0..<8).map(Double.init))
    #expect(json["cases"]?.items[3]["finding"] == finding["id"])
    let markdown = String(decoding: MarkdownSummary.make(report), as: UTF8.self)
    let first = try #require(markdown.firstRange(of: "### didRead comes with wrong content"))
    let second = try #require(markdown.firstRange(of: "### didRead comes too late"))
    #expect(first.lowerBound < second.lowerBound)
  }
}

/// The page of a long run: what is there before anything is unfolded.
@Suite struct FoldedPageTests {
  /// Elements of a page where there are scripts: what is deferred is text.
  private static func elements(_ page: String) -> Int {
    var count = 0
    for (index, part) in page.split(separator: "<noscript>", omittingEmptySubsequences: false).enumerated() {
      guard index > 0 else { count += StartTag.all(in: String(part)).count; continue }
      let parts = part.split(separator: "</noscript>", maxSplits: 1, omittingEmptySubsequences: false)
      #expect(parts.count == 2, "deferrals must not nest")
      count += 1 + StartTag.all(in: String(parts.last ?? "")).count
    }
    return count
  }

  @Test(arguments: [0.0, 0.06, 1.0])
  func aLongRunOpensWithFewElements(failing: Double) {
    var report = LargeReport.make(cases: 5_000, failing: failing)
    for index in report.cases.indices where index % 3 == 0 { report.cases[index].variant.subject = .runLoop }
    let page = String(decoding: HTMLReport.make(report), as: UTF8.self)
    let count = Self.elements(page)
    #expect(count < 6_000, "\(count)")
    #expect(StartTag.all(in: page).count > count)
  }

  @Test func aShortRunIsUnfolded() {
    let page = String(decoding: HTMLReport.make(LargeReport.make(cases: 20, failing: 0.5)), as: UTF8.self)
    #expect(page.contains("<details class=\"folder\" open>"))
    #expect(!page.contains("<noscript><article"))
  }
}
