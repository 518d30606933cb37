import FuzzHarness
import RunReports
import ScenarioModel
import Testing

@testable import PageFuzzing

extension RunReport {
  fileprivate mutating func change(_ deviation: (inout Deviation) -> Void) {
    for index in cases.indices {
      for place in cases[index].deviations.indices { deviation(&cases[index].deviations[place]) }
    }
  }
}

@Suite struct ReportTests {
  /// Inputs from a seed; half of them with little payload, so that the reports differ in shape, too.
  private static func input(_ seed: Int, aspect: ReportFuzzing.Aspect) -> [UInt8] {
    var bytes = RandomInput.bytes(seed % 300, seed: seed)
    if aspect == .html { while (bytes.count + 2) % 8 != ReportFuzzing.htmlLength { bytes.append(7) } }
    return bytes + [aspect.byte, FuzzInput.currentVersion]
  }

  private func law(_ input: [UInt8], _ pages: ReportFuzzing.Pages = .init()) -> String? {
    input.withUnsafeBytes { ReportFuzzing.check($0, pages: pages)?.invariant }
  }

  @Test(arguments: ReportFuzzing.Aspect.allCases) func randomReportsPass(aspect: ReportFuzzing.Aspect) {
    for seed in 0..<(aspect == .html ? 40 : 300) {
      let input = Self.input(seed, aspect: aspect)
      let violation = input.withUnsafeBytes { ReportFuzzing.body($0) }
      #expect(violation == nil, "seed \(seed): \(violation?.description ?? "")")
    }
  }

  /// The reports must be worth writing: cases, traces, every kind of event.
  @Test func reportsHaveContent() {
    var cases = 0
    var kinds: Set<String> = []
    for seed in 0..<300 {
      guard let report = Self.input(seed, aspect: .json).withUnsafeBytes({ ReportFuzzing.report(of: $0) }) else {
        continue
      }
      cases += report.cases.count
      for event in report.cases.flatMap(\.trace.events) {
        kinds.insert(String("\(event.kind)".prefix { $0 != "(" }))
      }
    }
    #expect(cases > 100)
    #expect(kinds.count >= 8, "\(kinds)")
  }

  /// A broken page of each kind is found by some input.
  private func finds(_ law: String, _ aspect: ReportFuzzing.Aspect, _ pages: ReportFuzzing.Pages) -> Bool {
    (0..<300).contains { self.law(Self.input($0, aspect: aspect), pages) == law }
  }

  private static func undone(_ page: [UInt8], _ reference: String, _ raw: String) -> [UInt8] {
    Array(String(decoding: page, as: UTF8.self).replacing(reference, with: raw).utf8)
  }

  @Test(arguments: [("&lt;zq", "<zq"), ("zq&quot;", "zq\""), ("zq&quot;&#39;", "zq'")])
  func unescapingHTMLIsFound(reference: String, raw: String) {
    var pages = ReportFuzzing.Pages()
    pages.html = { Self.undone(HTMLReport.make($0), reference, raw) }
    #expect(finds("report/html", .html, pages))
  }

  @Test(arguments: [("&lt;", "<"), ("&quot;", "\""), ("&amp;", "&"), ("&gt;", "]]>"), ("\u{2400}", "\u{0}")])
  func unescapingJUnitIsFound(reference: String, raw: String) {
    var pages = ReportFuzzing.Pages()
    pages.junit = { Self.undone(JUnitReport.make($0), reference, raw) }
    #expect(finds("report/junit", .junit, pages))
  }

  @Test(arguments: [("\\<", "<"), ("\\`", "`"), ("\u{2400}", "\u{0}"), ("`", "")])
  func unescapingMarkdownIsFound(reference: String, raw: String) {
    var pages = ReportFuzzing.Pages()
    pages.markdown = { Self.undone(MarkdownSummary.make($0), reference, raw) }
    #expect(finds("report/markdown", .markdown, pages))
  }

  @Test(arguments: [("\\\"", "\""), ("\\u0000", "\u{0}")]) func unescapingJSONIsFound(reference: String, raw: String) {
    var pages = ReportFuzzing.Pages()
    pages.json = { Self.undone(ReportJSON.encode($0), reference, raw) }
    #expect(finds("report/again", .json, pages) || finds("report/json", .json, pages))
  }

  @Test func writerThatForgetsIsFound() {
    for change in [
      { @Sendable (report: inout RunReport) in report.seeds &+= 1 },
      { $0.version += "\u{301}" },
      { for index in $0.cases.indices { $0.cases[index].deviations = [] } },
      { for index in $0.cases.indices { $0.cases[index].tags = ["x"] } },
      { for index in $0.cases.indices { $0.cases[index].duration += .milliseconds(2) } },
      { for index in $0.cases.indices { $0.cases[index].trace.events = [] } },
      { for index in $0.cases.indices { $0.cases[index].seed &+= 1 } },
      { for index in $0.cases.indices { $0.cases[index].verdict = .skipped } },
      { for index in $0.cases.indices { $0.cases[index].backtrace = [] } },
      { for index in $0.cases.indices { $0.cases[index].voided = nil } },
      { for index in $0.cases.indices { $0.cases[index].requirements = [] } },
      { $0.change { $0.position = nil } },
      { $0.change { $0.traceIndex = nil } },
      { $0.change { $0.requirement = nil } },
    ] as [@Sendable (inout RunReport) -> Void] {
      var pages = ReportFuzzing.Pages()
      pages.json = {
        var report = $0
        change(&report)
        return ReportJSON.encode(report)
      }
      #expect(finds("report/again", .json, pages))
    }
  }

  // MARK: The oracles

  @Test(arguments: [
    "<testsuites></testsuites>", "<testsuites name=\"a&amp;b\">a &lt; b\n</testsuites>\n",
    "<testsuites><error/></testsuites>",
  ]) func soundXMLPasses(body: String) {
    #expect(PageOracles.faultOfJUnit(Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(body)".utf8)) == nil)
  }

  @Test(arguments: [
    "<testsuites>", "</testsuites>", "<b></b>", "<testsuites>a & b</testsuites>",
    "<testsuites name=\"<\"></testsuites>",
    "<testsuites onload=\"x\"></testsuites>", "<testsuites name=x></testsuites>", "<testsuites>]]></testsuites>",
    "<testsuites>\u{1}</testsuites>", "<testsuites name=\"a\nb\"></testsuites>", "<testsuites name=\"a",
    "<testsuites><error></testsuites></error>", "<testsuites name=\"a\" name=\"b\"/>",
    "<testsuites>\u{FFFE}</testsuites>",
  ]) func unsoundXMLIsFound(body: String) {
    #expect(PageOracles.faultOfJUnit(Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(body)".utf8)) != nil)
  }

  @Test(arguments: [
    ("<p>a &lt;zq b</p>\n", true), ("<p>\tzq</p>", true), ("<p>a\u{1}</p>", false), ("<p>a\r</p>", false),
    ("<p><zq</p>", false), ("<p zq\"></p>", false), ("<p zq'></p>", false), ("zq", true),
  ]) func unsoundHTMLIsFound(page: String, isSound: Bool) {
    #expect((PageOracles.faultOfHTML(Array(page.utf8)) == nil) == isSound)
  }

  @Test(arguments: ["a \\< b", "`<`", "`` a ` <b> ``", "\\`\\<\\`", "` \\`\\<"]) func soundMarkdownPasses(line: String)
  {
    #expect(PageOracles.faultOfMarkdown(Array(line.utf8)) == nil)
  }

  @Test(arguments: ["a < b", "\\\\<b>", "`a` <b>", "`` <b> `", "a ` b", "a\u{7}", "a\tb"]) func unsoundMarkdownIsFound(
    line: String
  ) {
    #expect(PageOracles.faultOfMarkdown(Array(line.utf8)) != nil)
  }
}
