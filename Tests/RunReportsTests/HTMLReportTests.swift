import Foundation
import ReportTestSupport
import ScenarioModel
import Testing

@testable import RunReports

struct HTMLReportTests {
  private static func page(_ report: RunReport) throws -> String {
    String(decoding: HTMLReport.make(report), as: UTF8.self)
  }

  @Test func hostileTextMakesNoElementAndNoAttribute() throws {
    let calm = StartTag.all(in: try Self.page(SampleReport.report))
    let hostile = StartTag.all(in: try Self.page(HostileReport.report))
    let names = Set(calm.map(\.name))
    let fields = Set(calm.flatMap { $0.fields.map(\.name) })
    #expect(names.contains("svg") && fields.contains("href"))
    #expect(Set(hostile.map(\.name)).subtracting(names) == [])
    #expect(Set(hostile.flatMap { $0.fields.map(\.name) }).subtracting(fields) == [])
    #expect(hostile.count { $0.name == "script" } == 1)
    #expect(hostile.count > 1_000)
  }

  @Test func everyLinkLeadsSomewhereOnThePage() throws {
    let reports = [SampleReport.report, HostileReport.report, LargeReport.make(cases: 600, failing: 0.5)]
    for report in reports + SampleReport.endings.map(\.report) {
      let tags = StartTag.all(in: try Self.page(report))
      let ids = tags.flatMap { $0.fields.filter { $0.name == "id" }.map(\.value) }
      #expect(Set(ids).count == ids.count)
      let links = tags.flatMap { $0.fields.filter { $0.name == "href" }.map(\.value) }
      let known = Set(ids)
      let broken = links.filter { !$0.hasPrefix("captures/") }.filter {
        !$0.hasPrefix("#") || !known.contains(String($0.dropFirst()))
      }
      #expect(broken == [])
    }
  }

  @Test func nothingIsLoadedFromAnywhere() throws {
    let page = try Self.page(SampleReport.report)
    for sign in ["http:", "https:", "@import", "url(", "<link", "src="] { #expect(!page.contains(sign), "\(sign)") }
    #expect(page.contains("default-src 'none'"))
  }

  @Test(arguments: [(0, 0.0), (1_000, 0.02), (1_000, 1.0), (2_000, 0.0), (2_000, 0.05), (2_000, 1.0)])
  func pageStaysSmall(cases: Int, failing: Double) throws {
    let size = HTMLReport.make(LargeReport.make(cases: cases, failing: failing)).count
    #expect(size < 3_000_000, "\(size)")
  }

  @Test func sameReportSameBytes() throws {
    let report = SampleReport.report
    for (first, second) in zip(ReportFiles.make(report), ReportFiles.make(report)) {
      #expect(first.bytes == second.bytes, "\(first.name)")
    }
  }

  @Test func panelsForWhatIsWorthLookingAt() throws {
    let report = SampleReport.report
    let tags = StartTag.all(in: try Self.page(report))
    func ids(_ name: String) -> Set<String> {
      Set(tags.filter { $0.name == name }.compactMap { $0.fields.first { $0.name == "id" }?.value })
    }
    let panels = ids("details")
    let lines = ids("li")
    var seen: Set<String> = []
    for (index, result) in report.cases.enumerated() {
      let isExample = result.verdict == .passed && !result.canary && seen.insert(result.scenario).inserted
      let isPanel = !result.isAsExpected || result.canary || isExample
      #expect(panels.contains("c\(index)") == isPanel, "\(result.name)")
      #expect(lines.contains("c\(index)") == !isPanel, "\(result.name)")
    }
  }

  /// Even of an event that met its expectation and broke an invariant at once.
  @Test(arguments: Deviation.Kind.allCases)
  func whatIsMarkedRedHasNoTick(kind: Deviation.Kind) throws {
    var trace = TraceBuilder()
    trace.open()
    trace.back(.didRead(bytes: bytes("A"), tag: 1), after: 1)
    trace.back(.didWrite(tag: 2), after: 1)
    let result = SampleReport.result(
      SampleReport.scenario("a/b", "t", []), .failed, trace: trace.events, met: [3: 1, 4: 2, 5: 3],
      deviations: [SampleReport.deviation(kind, expected: "e", actual: "a", line: 2, at: 4)])
    let source = ScenarioSource(path: "a/b.yaml", text: "one: 1\ntwo: 2\nthree: 3\n")
    let drawing = DiagramRow.rows(of: result)
    for row in drawing.rows where !row.deviations.isEmpty { #expect(row.met == nil) }
    #expect(drawing.rows.compactMap(\.met?.line) == [1, 3])
    let page = try Self.page(SampleReport.report([result], sources: ["a/b": source]))
    #expect(page.contains("✓ 1</text>") && page.contains("✓ 3</text>") && !page.contains("✓ 2</text>"))
    let marks = StartTag.all(in: page).filter { $0.name == "li" }.compactMap { tag in
      tag.fields.first { $0.name == "class" }?.value
    }
    #expect(marks.filter { $0 == "met" || $0 == "bad" } == ["met", "bad", "met"])
  }

  @Test func aFailingCaseShowsItsDeviationThreeTimes() throws {
    let page = try Self.page(SampleReport.report)
    for piece in [
      #"<dd class="actual">didDisconnect error Closed</dd>"#, ">didDisconnect error Closed</text>",
      "▲ wrong content: expected didDisconnect error ECONNRESET, saw didDisconnect error Closed",
    ] {
      #expect(page.contains(piece), "\(piece)")
    }
    #expect(page.contains("<code>./lab run ending/a-reset-is-reported-as-such --world loopback"))
    #expect(page.contains("×57 over 1.12 s"))
    #expect(page.contains("+20 ms"))
  }
}
