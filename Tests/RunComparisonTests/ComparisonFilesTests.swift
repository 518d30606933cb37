import Foundation
import ReportMarkup
import ReportTestSupport
import RunReports
import ScenarioModel
import Testing

@testable import RunComparison

/// A comparison as files: each says the same, and none takes a text of a scenario for markup.
@Suite struct ComparisonFilesTests {
  private static let old = SampleRuns.report(
    [
      SampleRuns.result("a/breaks"), SampleRuns.result("a/breaks", family: .ipv6),
      SampleRuns.result("a/heals", .failed),
      SampleRuns.result("a/goes"), SampleRuns.result("a/stays"), SampleRuns.result("a/tires"),
    ], rounds: 2)
  private static let new = SampleRuns.report(
    [
      SampleRuns.result("a/breaks", .failed), SampleRuns.result("a/breaks", .failed, family: .ipv6),
      SampleRuns.result("a/heals"), SampleRuns.result("a/comes"), SampleRuns.result("a/stays"),
      SampleRuns.result("a/tires", .unsupported),
    ], rounds: 2)

  private static func files(_ old: RunReport, _ new: RunReport) throws -> [String: [UInt8]] {
    let (before, after) = (ReportJSON.encode(old), ReportJSON.encode(new))
    let (one, other) = (try ReportReader.read(before), try ReportReader.read(after))
    let files = ComparisonFiles.make(
      try RunComparison(old: one, new: other), oldTraces: RecordedTraces(one, bytes: before),
      newTraces: RecordedTraces(other, bytes: after))
    #expect(files.map(\.name) == ["comparison.json", "junit.xml", "results.sarif", "summary.md", "index.html"])
    return Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.make()) })
  }

  private static func text(_ name: String, _ old: RunReport = old, _ new: RunReport = new) throws -> String {
    String(decoding: try #require(try files(old, new)[name]), as: UTF8.self)
  }

  /// Every text that can come from outside, as ids, titles, words, paths and sources.
  private static func hostile(_ verdict: Verdict) -> RunReport {
    var cases: [CaseResult] = []
    var sources: [String: ScenarioSource] = [:]
    for (index, text) in HostileText.all.enumerated() {
      var result = SampleRuns.result("area\(index)/\(text)", verdict, saw: text)
      (result.title, result.traceHash) = (text, text)
      result.trace.events.append(TraceEvent(at: .zero, kind: .point(text)))
      cases.append(result)
      sources[result.scenario] = ScenarioSource(path: text, text: text)
    }
    var report = SampleRuns.report(cases)
    report.sources = sources
    (report.startedAt, report.version, report.labCommit) = (HostileText.all[0], HostileText.all[1], HostileText.all[2])
    report.subjectCommit = HostileText.all[3]
    return report
  }

  @Test func jsonFitsThePublishedSchema() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let schema = SchemaChecker(try ReadJSON(Data(contentsOf: root.appending(path: "comparison.schema.json"))))
    for (old, new) in [(Self.old, Self.new), (Self.hostile(.passed), Self.hostile(.failed)), (Self.old, Self.old)] {
      let bytes = try #require(try Self.files(old, new)["comparison.json"])
      #expect(schema.problems(try ReadJSON(bytes)) == [])
    }
  }

  @Test func jsonSaysWhatChanged() throws {
    let json = try ReadJSON(Array(Self.text("comparison.json").utf8))
    #expect(json["regression"] == .flag(true))
    #expect(json["headline"]?.text == "3 regressions: 2 new failures, 1 now unsupported")
    let kinds = json["changes"]?.items.compactMap { $0["kind"]?.text }
    #expect(kinds == ["new-failure", "new-failure", "now-unsupported", "fixed", "new-case", "removed-case"])
    let first = try #require(json["changes"]?.items.first)
    #expect(first["old"]?["verdict"]?.text == "passed" && first["new"]?["verdict"]?.text == "failed")
    #expect(first["place"]?["path"]?.text == "Scenarios/a/breaks.yaml" && first["place"]?["line"]?.number == 3)
    #expect(first["new"]?["failures"]?.number == 1 && first["new"]?["runs"]?.number == 2)
    #expect(json["summary"]?["unchanged"]?.number == 1)
  }

  @Test func junitHasAFailureForEachRegression() throws {
    let root = try XMLNode.parse(Array(Self.text("junit.xml").utf8))
    #expect(root.all("testcase").count == 6 && root.all("failure").count == 3)
    #expect(root.fields["tests"] == "6" && root.fields["failures"] == "3")
    let same = try XMLNode.parse(Array(Self.text("junit.xml", Self.old, Self.old).utf8))
    #expect(same.all("testcase").count == 1 && same.all("failure").isEmpty)
    _ = try XMLNode.parse(Array(Self.text("junit.xml", Self.hostile(.passed), Self.hostile(.failed)).utf8))
  }

  @Test func sarifHasAResultForEachFinding() throws {
    let run = try #require(try ReadJSON(Array(Self.text("results.sarif").utf8))["runs"]?.items.first)
    let results = try #require(run["results"]?.items)
    #expect(results.compactMap { $0["ruleId"]?.text } == ["new-failure", "now-unsupported"])
    let place = results[0]["locations"]?.items.first?["physicalLocation"]
    #expect(place?["artifactLocation"]?["uri"]?.text == "Scenarios/a/breaks.yaml")
    #expect(place?["region"]?["startLine"]?.number == 3)
    #expect(results[0]["message"]?["text"]?.text?.contains("2 cases of 1 scenario") == true)
  }

  @Test func annotationsStandOnTheScenariosLineAndCannotBeBrokenOutOf() throws {
    let comparison = try RunComparison(old: SampleRuns.read(Self.old), new: SampleRuns.read(Self.new))
    let lines = ComparisonAnnotations.lines(comparison)
    #expect(lines.count == 2)
    #expect(
      lines[0].hasPrefix("::error file=Scenarios/a/breaks.yaml,line=3,col=5,title=new failure%3A Title of a/breaks::"))
    #expect(lines[0].contains("%0A2 cases of 1 scenario: passed → failed%0A"))
    let hostile = try RunComparison(
      old: SampleRuns.read(Self.hostile(.passed)), new: SampleRuns.read(Self.hostile(.failed)))
    for line in ComparisonAnnotations.lines(hostile) { #expect(!line.contains("\n") && !line.contains("\r")) }
  }

  @Test func markdownFoldsTheCases() throws {
    let text = try Self.text("summary.md")
    #expect(text.hasPrefix("## ✗ 3 regressions: 2 new failures, 1 now unsupported\n"))
    #expect(
      text.contains("### 2 new failures\n\n**didRead comes with wrong content, after a read to a length**: 2 cases"))
    #expect(text.contains("\n- Title of a/breaks: passed → failed, 2 cases of 1 scenario\n"))
    #expect(text.contains("<details><summary>1 case</summary>\n\n`a/breaks [ipv6, loopback]`"))
    #expect(text.contains("### 1 fixed") && text.contains("### 1 removed case"))
    #expect(try Self.text("summary.md", Self.old, Self.old).hasPrefix("## ✓ No regressions\n"))
  }

  @Test func thePageSetsBothTracesSideBySide() throws {
    let page = try Self.text("index.html")
    #expect(page.contains("3 regressions: 2 new failures, 1 now unsupported"))
    #expect(page.ranges(of: "class=\"changed first deviation\"").count == 2)
    #expect(page.contains("The first difference is marked. ✕ marks the deviation."))
    #expect(page.contains("didRead tag 1, 4 B") && page.contains("didRead tag 2, 4 B"))
    #expect(page.contains("<details open>"))
    let same = try Self.text("index.html", Self.old, Self.old)
    #expect(same.contains("No regressions") && !same.contains("class=\"sides\""))
  }

  /// The old trace goes on, and the judge ended the new case.
  @Test func thePageDoesNotTakeTheJudgesEndForTheSubjects() throws {
    var (old, new) = (SampleRuns.result("a/b"), SampleRuns.result("a/b", .failed))
    new.trace = old.trace
    old.trace.events.append(TraceEvent(at: .milliseconds(4), kind: .peerAction(.finish, peer: "peer")))
    let page = try Self.text("index.html", SampleRuns.report([old]), SampleRuns.report([new]))
    #expect(page.contains("Both traces tell the same as far as both go. ✕ marks the deviation. The new trace ends"))
    #expect(page.contains("<tr class=\"beyond\">") && page.contains("<tr class=\"same deviation\">"))
    #expect(!page.contains("<tr class=\"lost"))
  }

  @Test func aRunThatWasInterruptedIsAnErrorForContinuousIntegration() throws {
    let old = SampleRuns.report([SampleRuns.result("a/b"), SampleRuns.result("a/c")])
    var new = SampleRuns.report([SampleRuns.result("a/b")])
    new.casesNotJudged = 7
    let root = try XMLNode.parse(Array(Self.text("junit.xml", old, new).utf8))
    #expect(root.fields["errors"] == "1" && root.fields["failures"] == "0" && root.fields["skipped"] == "1")
    #expect(root.fields["tests"] == "2" && root.all("testcase").count == 2)
    let error = try #require(root.all("error").first)
    #expect(error.fields["message"] == "The new run was interrupted: 7 planned cases not judged.")
    #expect(root.all("skipped").count == 1)
    #expect(try Self.text("summary.md", old, new).contains("### 1 not judged"))
  }

  @Test func whatFailsAsBeforeIsNamedAndBothRunsAreLinkedTo() throws {
    let report = SampleRuns.report([SampleRuns.result("a/stays-red", .failed), SampleRuns.result("a/b")])
    let run = try SampleRuns.read(report)
    let traces = RecordedTraces(run, bytes: ReportJSON.encode(report))
    let files = ComparisonFiles.make(
      try RunComparison(old: run, new: run), oldTraces: traces, newTraces: traces,
      pages: (old: "../a b/index.html", new: nil))
    let page = String(decoding: files[4].make(), as: UTF8.self)
    #expect(page.contains("1 failing as before</h2>") && page.contains("<li>a/stays-red [ipv4, loopback] "))
    #expect(page.contains("<a href=\"../a%20b/index.html\">the old run</a>") && !page.contains("the new run</a>"))
    let summary = try Self.text("summary.md", report, report)
    #expect(summary.contains("### 1 failing as before") && summary.contains("`a/stays-red [ipv4, loopback]`"))
  }

  @Test func missingCasesAreListedByScenario() throws {
    let gone = (0..<9).map { SampleRuns.result("a/\($0)", .failed) }
    let rest = [SampleRuns.result("b/c")]
    let (old, new) = (SampleRuns.report(gone + rest), SampleRuns.report(rest))
    let (one, other) = (try SampleRuns.read(old), try SampleRuns.read(new))
    let traces = RecordedTraces(one, bytes: ReportJSON.encode(old))
    let files = ComparisonFiles.make(
      try RunComparison(old: one, new: other, expectsAll: true), oldTraces: traces, newTraces: traces)
    let page = String(decoding: files[4].make(), as: UTF8.self)
    #expect(page.contains("<strong>a/</strong>") && page.contains("<li>a/8 <em>1 case</em></li>"))
    #expect(!page.contains("wrong content") && !page.contains(" run a/"))
  }

  /// The classes that an element of the page has.
  private static func classes(of tag: StartTag) -> Set<String> {
    Set(tag.fields.filter { $0.name == "class" }.flatMap { $0.value.split(separator: " ").map(String.init) })
  }

  /// The classes that a style or a selector names.
  private static func classes(in text: some StringProtocol) -> Set<String> {
    Set(String(text).matches(of: #/\.([a-z]+)/#).map { String($0.1) })
  }

  /// What stands in the braces of `@media`, or of nothing else.
  private static func mediaRules(of css: String) -> String {
    css.components(separatedBy: "@media").dropFirst().map { part -> String in
      var depth = 0
      let end = part.firstIndex { character in
        if character == "{" { depth += 1 }
        if character == "}" { depth -= 1 }
        return character == "}" && depth == 0
      }
      return String(part[..<(end ?? part.endIndex)])
    }.joined()
  }

  /// A class that no element has any more is a rule that is lost on paper and on narrow screens.
  @Test func thePageCanBePrintedAndHeldInAHand() throws {
    // Of what did not come the new side has a gap.
    var silent = SampleRuns.result("a/waits", .failed, kind: .missing)
    silent.trace.events.removeLast()
    silent.deviations[0].traceIndex = nil
    let page = try Self.text(
      "index.html", SampleRuns.report(Self.old.cases + [SampleRuns.result("a/waits")], rounds: 2),
      SampleRuns.report(Self.new.cases + [silent], rounds: 2))
    let tags = StartTag.all(in: page)
    let used = tags.reduce(into: Set<String>()) { $0.formUnion(Self.classes(of: $1)) }
    let named = Self.classes(in: Self.mediaRules(of: ComparisonStyle.css.html))
    #expect(named.isSuperset(of: ["concerns", "sides", "gap"]), "\(named)")
    #expect(named.subtracting(used) == [])
    #expect(page.contains(" shrink a/breaks "))
    // What is folded is missing on paper: the script opens it, and what it looks for is there.
    let script = ComparisonStyle.script.html
    let start = try #require(script.range(of: "addEventListener(\"beforeprint\""))
    let end = try #require(script.range(of: "addEventListener(\"afterprint\""))
    let handler = String(script[start.upperBound..<end.lowerBound])
    let unfolding = try #require(handler.range(of: "unfold(document)"))
    let selector = #/querySelectorAll\("([.a-z]+) details:not\(\[open\], ([.a-z]+)\)"\)/#
    let selecting = try #require(handler.firstMatch(of: selector))
    #expect(unfolding.upperBound <= selecting.range.lowerBound, "what is deferred is no element yet")
    #expect(handler[selecting.range.upperBound...].contains(".open = true"))
    let (holding, spared) = (Self.classes(in: selecting.1), Self.classes(in: selecting.2))
    #expect(spared.isSubset(of: used))
    var isHeld = false
    var folded = 0
    for tag in tags {
      if tag.name == "li", Self.classes(of: tag).contains("cause") {
        isHeld = Self.classes(of: tag).isSuperset(of: holding)
      }
      let isOpen = tag.fields.contains { $0.name == "open" }
      if isHeld, tag.name == "details", !isOpen, Self.classes(of: tag).isDisjoint(with: spared) { folded += 1 }
    }
    #expect(folded > 0, "no folded regression is found by what the script looks for")
  }

  @Test func hostileTextMakesNoElementAndNoAttribute() throws {
    let calm = StartTag.all(in: try Self.text("index.html"))
    let hostile = StartTag.all(in: try Self.text("index.html", Self.hostile(.passed), Self.hostile(.failed)))
    let names = Set(calm.map(\.name))
    #expect(names.contains("table") && Set(hostile.map(\.name)).subtracting(names) == [])
    #expect(Set(hostile.flatMap { $0.fields.map(\.name) }).subtracting(calm.flatMap { $0.fields.map(\.name) }) == [])
    #expect(hostile.count { $0.name == "script" } == 1 && hostile.count > 300)
  }

  @Test func thePageOfManyRegressionsStaysSmall() throws {
    func report(_ verdict: Verdict) -> RunReport {
      SampleRuns.report((0..<3_000).map { SampleRuns.result("area/line-\($0)", verdict) })
    }
    let page = try Self.text("index.html", report(.passed), report(.failed))
    #expect(page.utf8.count < 1_000_000)
    let shown = page.replacing(#/<noscript>.*?<\/noscript>/#.dotMatchesNewlines(), with: "")
    #expect(StartTag.all(in: shown).count < 1_500)
  }
}
