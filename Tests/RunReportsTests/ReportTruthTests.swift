import ReportTestSupport
import ScenarioModel
import Testing

@testable import RunReports

/// No report tells of a run as green that is not, and none leaves out what is red.
@Suite struct ReportTruthTests {
  private static func result(
    _ id: String, _ verdict: Verdict = .passed, world: WorldName = .loopback, family: AddressFamily = .ipv4,
    canary: Bool = false, seed: UInt64 = 1, trace: [TraceEvent] = [], deviations: [Deviation] = []
  ) -> CaseResult {
    var scenario = SampleReport.scenario(id, id, [])
    scenario.canary = canary
    return SampleReport.result(
      scenario, verdict, world: world, family: family, seed: seed, trace: trace, deviations: deviations)
  }

  private static func failed(_ id: String, count: Int = 1, world: WorldName = .loopback) -> CaseResult {
    result(
      id, .failed, world: world,
      deviations: (1...count).map {
        SampleReport.deviation(.missing, expected: "e\($0) of \(id)", actual: "a", line: $0)
      })
  }

  private static func known(_ id: String) -> CaseResult {
    var known = failed(id)
    known.known = KnownDeviation(
      reason: "r", evidence: "late", expires: "2027-01-31", path: "d.yaml", position: SourcePosition(line: 1, column: 1)
    )
    return known
  }

  private static func voided(
    _ id: String, by control: String, own: Verdict = .passed, world: WorldName = .loopback, ran: Bool = true
  ) -> CaseResult {
    var voided = result(id, .error, world: world)
    voided.voided = VoidedCase(control: control, controlVerdict: ran ? .failed : nil, verdict: own)
    return voided
  }

  private static func page(_ report: RunReport) -> String { String(decoding: HTMLReport.make(report), as: UTF8.self) }
  private static func markdown(_ report: RunReport) -> String {
    String(decoding: MarkdownSummary.make(report), as: UTF8.self)
  }

  private static func fault(_ line: Int) -> DeviationFault {
    DeviationFault(
      kind: .expired, path: "d.yaml", position: SourcePosition(line: line, column: 5), says: "expired", help: "decide")
  }

  // MARK: - Of the whole run

  /// Where every case is as expected, and the run is not.
  @Test func whatTheRunLacksIsSaid() {
    let canary = SampleReport.report([Self.result("a/b", .failed, canary: true)])
    var few = SampleReport.report([Self.result("a/b")])
    few.shortfalls = [RunShortfall(.tooFewCases, "only 1 case said something; 2 were asked for")]
    var leaking = SampleReport.report([Self.result("a/b")])
    leaking.programs = [ProgramFacts(name: "mine", library: nil, version: nil)]
    leaking.note(["mine": SubjectExit(faults: [.init(text: "it leaks", lastWords: ["16 bytes", "<lost>"])])])
    for (report, words) in [
      (canary, "nothing was played but canaries"), (few, "only 1 case said something; 2 were asked for"),
      (leaking, "a subject did not end well"),
    ] {
      let page = Self.page(report)
      #expect(page.contains("<div class=\"verdict look\">") && page.contains(">As expected, but \(words).<"))
      let first = Self.markdown(report).split(separator: "\n").first ?? ""
      #expect(first.hasSuffix("as expected, but \(words)"), "\(first)")
    }
    #expect(Self.markdown(few).contains("**Less than was asked**: only 1 case said something"))
    let json = String(decoding: ReportJSON.encode(few), as: UTF8.self)
    #expect(json.contains(#""kind": "too-few-cases""#))
  }

  @Test func theMoodIsThatOfTheWorst() {
    let good = [Self.result("a/b")]
    let rows: [(cases: [CaseResult], faults: Int, notJudged: Int, mood: String, state: String, headline: String)] = [
      (good, 0, 0, "good", "All as expected.", "all as expected"),
      (good, 0, 3, "cut", "All that was judged is as expected.", "all that was judged is as expected"),
      (good, 1, 0, "look", "1 known deviation is not as on record.", "1 known deviation is not as on record"),
      (good, 1, 3, "look", "1 known deviation is not as on record.", "1 known deviation is not as on record"),
      (good + [Self.failed("a/c")], 0, 3, "look", "1 needs a look.", "1 needs a look"),
      (
        good + [Self.failed("a/c")], 2, 0, "look",
        "3 need a look: 1 case, and 2 known deviations that are not as on record.",
        "3 need a look: 1 case, and 2 known deviations that are not as on record"
      ),
      ([Self.result("a/b", canary: true)], 0, 0, "look", "1 needs a look.", "1 needs a look"),
      ([Self.result("a/b", .inconclusive)], 0, 0, "look", "1 needs a look.", "1 needs a look"),
      ([], 0, 0, "look", "Nothing ran.", "Nothing ran"),
    ]
    for row in rows {
      var report = SampleReport.report(row.cases)
      report.deviationFaults = (0..<row.faults).map { Self.fault($0 + 1) }
      report.casesNotJudged = row.notJudged
      let page = Self.page(report)
      #expect(page.contains("<div class=\"verdict \(row.mood)\">"), "\(row.state)")
      #expect(page.contains("<p class=\"state\">\(row.state)</p>"), "\(row.state)")
      let first = Self.markdown(report).split(separator: "\n").first ?? ""
      #expect(first.hasSuffix(row.headline), "\(first)")
    }
  }

  @Test func worldsThatDisagreeAreCounted() {
    let pairs = ["a/b", "a/c"].map { [Self.result($0), Self.failed($0, world: .simulated)] }
    #expect(Self.page(SampleReport.report(pairs[0])).contains("The two worlds disagree once."))
    #expect(Self.page(SampleReport.report(pairs[0] + pairs[1])).contains("The two worlds disagree 2 times."))
  }

  /// Of a folder, the column of a class and world is as red as its worst case.
  @Test func aFolderIsAsRedAsItsWorstCase() {
    let cases = [
      Self.result("a/b"), Self.result("a/b", family: .ipv6), Self.failed("a/c"), Self.result("a/b", world: .simulated),
      Self.result("a/d", .inconclusive, world: .simulated),
    ]
    let page = Self.page(SampleReport.report(cases))
    #expect(
      page.contains("<b class=\"failed\" data-c=\"GCDAsyncSocket, loopback\" title=\"2 passed, 1 failed\">✕ 1 of 3</b>")
    )
    #expect(page.contains("title=\"1 passed, 1 inconclusive\">? 1 of 2</b>"))
    #expect(page.contains("data-v=\"inconclusive\" open>"))
  }

  /// Where scenarios are lines, those that need a look are not; their folder stands first.
  @Test func whatNeedsALookIsNoLineOfALongReport() throws {
    let cases = (0..<2_100).map { Self.result("a/line-\($0)") } + [Self.failed("z/red")]
    let page = Self.page(SampleReport.report(cases))
    let folders = page.matches(of: /<details class="folder"[^>]*><summary>\s*<strong>([^<]*)</).map(\.output.1)
    #expect(folders == ["z", "a"])
    #expect(page.contains("<h3>z/red</h3>") && page.contains("<details class=\"panel failed\" id=\"c2100\""))
  }

  /// What is alike is told once; the others are lines that lead there.
  @Test func whatIsToldElsewhereIsALine() {
    let cases = [Self.failed("a/b"), Self.failed("a/b"), Self.failed("a/b")]
    let page = Self.page(SampleReport.report(cases))
    #expect(page.ranges(of: "<a href=\"#c0\">as told above</a>").count == 2)
  }

  @Test func faultsBeyondThePageAreCounted() {
    var report = SampleReport.report([Self.result("a/b")])
    report.deviationFaults = (1...103).map { Self.fault($0) }
    #expect(Self.page(report).contains("and 3 more, see report.json"))
    #expect(Self.markdown(report).contains("\nand 3 more, see report.json\n"))
  }

  // MARK: - Of controls

  @Test func aControlThatIsAKnownDeviationDidRun() {
    let report = SampleReport.report([Self.known("control/echo"), Self.voided("a/b", by: "control/echo")])
    #expect(FailedControl.all(in: report.cases).map(\.cases) == [[0]])
    #expect(Self.markdown(report).contains("- ! The control `control/echo` did not pass\n"))
  }

  @Test func whatEndsItsProcessDeviatesItselfWithoutAnyDeviation() {
    let ends: [Verdict] = [.crash, .hang]
    for own in Verdict.allCases {
      let controls = FailedControl.all(in: [
        Self.failed("control/echo"), Self.voided("a/b", by: "control/echo", own: own),
      ])
      #expect(controls.map(\.deviating) == [ends.contains(own) ? [1] : []], "\(own)")
    }
  }

  /// What the control of a control is may be another one in each world.
  @Test func controlsHangTogetherWithinAWorld() {
    let cases = [
      Self.voided("a/b", by: "tls/good", world: .simulated),
      Self.voided("tls/good", by: "control/echo", world: .simulated),
      Self.voided("a/b", by: "tls/good"), Self.failed("tls/good"), Self.failed("control/echo", world: .simulated),
    ]
    let controls = FailedControl.all(in: cases)
    #expect(controls.map(\.scenario) == ["control/echo", "tls/good"])
    #expect(controls.map(\.dependants) == [[0, 1], [2]])
  }

  @Test func theControlStandsAtTheCaseInEveryFormat() throws {
    let report = SampleReport.report([Self.voided("a/b", by: "control/echo", ran: false)])
    let testcase = try #require(XMLNode.parse(JUnitReport.make(report)).all("testcase").first)
    let properties = testcase.all("property").filter { $0.fields["name"] == "control" }
    #expect(properties.map { $0.fields["value"] } == ["control/echo"])
    let voided = try ReadJSON(ReportJSON.encode(report))["cases"]?.items.first?["voided"]
    #expect(voided?["verdict"]?.text == "passed" && voided?["control_verdict"] == nil)
  }

  // MARK: - Counts

  /// Of further seeds what went as expected is not listed; every report counts it, and canaries apart.
  @Test func whatIsNotListedIsCountedEverywhere() throws {
    let wrong = SampleReport.deviation(.missing, expected: "e", actual: "a", line: 3)
    let failing = (1...3).map { Self.result("a/c", .failed, world: .simulated, seed: $0, deviations: [wrong]) }
    let canary = Self.result("canary/x", .failed, world: .simulated, canary: true)
    var report = SampleReport.report([Self.result("a/b", world: .simulated)] + failing + [canary])
    report.unlistedCases = [CaseColumn(.gcd, .simulated): UnlistedCases([.passed: 5, .skipped: 1])]
    let unlisted = "6 of 10 cases, of further seeds and repetitions, went as expected and are not listed."
    let markdown = Self.markdown(report)
    for words in [
      "# 10 cases of 2 scenarios: 3 need a look\n", "\n| ✓ passed | 6 | 6 |\n| ✕ failed | 3 | 3 |\n",
      " skipped | 1 | 1 |\n| all | 10 | 10 |\n",
      "\n| besides, canaries, which must fail | 1 | 1 |\n", "\n\(unlisted)\n",
    ] {
      #expect(markdown.contains(words), "\(markdown)")
    }
    let page = Self.page(report)
    for words in [
      "<b>7</b><span>/ 10</span>", "</b> passed <span>6</span>", "</b> skipped <span>1</span>", unlisted,
      "7 of 10 as expected",
    ] {
      #expect(page.contains(words), "\(words)")
    }
    let summary = try #require(ReadJSON(ReportJSON.encode(report))["summary"])
    for (key, number) in [
      ("passed", 6), ("skipped", 1), ("failed", 3), ("cases", 10), ("scenarios", 2), ("asExpected", 7), ("canaries", 1),
    ] as [(String, Double)] {
      #expect(summary[key]?.number == number, "\(key)")
    }
    let suite = try #require(XMLNode.parse(JUnitReport.make(report)).all("testsuite").first)
    let properties = Dictionary(
      suite.all("property").map { ($0.fields["name"] ?? "", $0.fields["value"] ?? "") },
      uniquingKeysWith: { first, _ in first })
    #expect(properties["cases_played"] == "10" && properties["cases_not_listed"] == "6")
    #expect(suite.fields["tests"] == "5" && suite.fields["failures"] == "3")
  }

  @Test func jsonCountsWhatIsOnRecordAndWhatItLeavesOut() throws {
    var trace = TraceBuilder()
    for _ in 0..<1_000 { trace.add(.note("n")) }
    let canary = Self.result("a/bird", .failed, canary: true, trace: trace.events)
    let blind = Self.result("b/bird", canary: true, trace: trace.events)
    let json = try ReadJSON(ReportJSON.encode(SampleReport.report([Self.known("a/b"), canary, blind])))
    #expect(json["summary"]?["known"]?.number == 1 && json["summary"]?["asExpected"]?.number == 1)
    let cases = try #require(json["cases"]?.items)
    #expect(cases.map { $0["as_expected"] } == [.flag(true), .flag(true), .flag(false)])
    #expect(cases[1]["trace"]?.items.count == 400 && cases[1]["trace_omitted"]?.number == 600)
    #expect(cases[2]["trace"]?.items.count == 400)
    let digests = try ReportJSON.decode(ReportJSON.encode(SampleReport.report([canary, blind, Self.known("a/b")])))
    #expect(digests.cases.map(\.isAsExpected) == [true, false, true])
  }

  @Test func deviationsBeyondTheTwentiethAreCounted() throws {
    for (count, words) in [(20, ""), (21, "\nand 1 more deviations\n"), (25, "\nand 5 more deviations\n")] {
      let xml = try XMLNode.parse(JUnitReport.make(SampleReport.report([Self.failed("a/b", count: count)])))
      let text = try #require(xml.all("failure").first).text
      #expect(text.contains("more deviations") == !words.isEmpty && text.contains(words.isEmpty ? "actual" : words))
    }
  }

  @Test func causesBeyondTheSummaryAreCounted() {
    let kinds: [Deviation.Kind] = [.missing, .unexpected, .late, .early, .ending, .refusal, .check, .peer]
    let cases = (0..<60).map { number in
      Self.result(
        "a/\(number)", .failed,
        deviations: [
          SampleReport.deviation(kinds[number % 8], expected: "property p\(number)x", actual: "a", line: number + 1)
        ])
    }
    let text = Self.markdown(SampleReport.report(cases))
    let shown = text.ranges(of: "\n- ✕ **a/").count
    let left = text.matches(of: /\nand ([0-9]+) more cases? of (?:this kind|other kinds), see index.html/)
      .compactMap { Int($0.output.1) }
    #expect(shown == 25 && left.reduce(shown, +) == 60, "\(shown) and \(left)")
  }
}
