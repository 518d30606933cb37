import BenchmarkModel
import BenchmarkPage
import Foundation
import Testing

@Suite struct ReportTests {
  static let provenance = Provenance(
    date: "2030-01-01T00:00:00Z", processor: "A <fast> one", cores: 2, kernel: "6.0", swift: "6.3", commit: "abc",
    loadAtStart: 0.5, loadAtEnd: 1, rounds: 3, growthRounds: 1, seconds: 0.5, seed: 1, isQuick: false, notes: [])

  static func workload(
    _ title: String = "Echo", bar: Double = 1, direction: Direction = .higher, rival: String? = "b"
  ) -> Workload {
    let trial = Trial.scenarios(batch: 1)
    return Workload(
      "echo", title, unit: "messages/s", direction: direction, reason: "Because",
      entries: [
        Entry("a", "Subject", trial), Entry("b", "Rival", trial),
      ], comparisons: [Comparison("a", rival, bar: bar, aim: direction == .higher ? bar * 2 : bar / 2)])
  }

  static func report(_ workload: Workload = workload()) -> BenchmarkReport {
    let samples = [
      "a": [10.0, 12, 11].map { Sample(value: $0, processor: 2e-6) },
      "b": [20.0, 20, 20].map { Sample(value: $0, processor: 1e-6) },
    ]
    return BenchmarkReport(provenance: provenance, workloads: [WorkloadResult(workload, samples: samples)])
  }

  @Test func aRoundGivesARatio() throws {
    let result = try #require(Self.report().workloads.first?.comparisons.first)
    #expect(result.ratios == [0.5, 0.6, 0.55])
    #expect(result.spread.median == 0.55)
    #expect(result.processorRatio == 0.5)
    #expect(result.verdict == .missed)
  }

  @Test func withoutARivalTheValueIsJudged() throws {
    let report = Self.report(Self.workload(bar: 11, rival: nil))
    #expect(try #require(report.workloads.first?.comparisons.first).verdict == .bar)
  }

  @Test func survivesJSON() throws {
    let report = Self.report()
    #expect(try JSONDecoder().decode(BenchmarkReport.self, from: JSONEncoder().encode(report)) == report)
  }

  @Test func complaintsCountHalfBarsWhenAskedTo() {
    let missed = Self.report(Self.workload(bar: 1))
    #expect(missed.complaints(onlyHalf: false).count == 1)
    #expect(missed.complaints(onlyHalf: true).isEmpty && missed.workloads.allSatisfy { !$0.isFarOff })
    let far = Self.report(Self.workload(bar: 2))
    #expect(far.complaints(onlyHalf: true).count == 1 && far.workloads.allSatisfy(\.isFarOff))
  }

  @Test func whatCouldNotBeMeasuredIsAComplaint() {
    var report = Self.report()
    report.workloads = [WorkloadResult(Self.workload(), samples: [:], failure: "the server did not start")]
    #expect(report.complaints(onlyHalf: true) == ["echo: the server did not start"])
  }

  static func growth(exponent: Int) throws -> GrowthResult {
    let series = try #require(GrowthTable.all.first)
    let points = try [10, 100, 1000].map { size in
      let cost = (0..<exponent).reduce(1e-6) { cost, _ in cost * Double(size) }
      return GrowthResult.Point(size: size, cost: try #require(Spread([cost])))
    }
    let line = GrowthResult.Line(id: "subject", title: "Subject <1>", isSubject: true, points: points)
    return GrowthResult(series, lines: [line], steepest: GrowthSeries.steepest)
  }

  @Test func worseThanLinearIsADefect() throws {
    var report = Self.report()
    report.workloads = []
    report.growth = [try Self.growth(exponent: 2)]
    #expect(report.complaints(onlyHalf: true).count == 1)
    #expect(TerminalTable.text(report).contains("worse than linear"))
    #expect(MarkdownTable.text(report).contains("worse than linear"))
    #expect(try BenchmarkPage.html(report).contains("1 cost grows worse than linearly"))
    report.growth = [try Self.growth(exponent: 1)]
    #expect(report.complaints(onlyHalf: false).isEmpty)
  }

  /// Caches are no defect of the subject's, as long as a rival suffers as much.
  @Test(arguments: [(1.0, 1), (1.3, 0), (0.5, 1)])
  func whatARivalIsSteeperThanLinearIsAllowed(exponent: Double, defects: Int) throws {
    let points = { (exponent: Double) throws in
      try [10, 100, 1000].map { size in
        GrowthResult.Point(size: size, cost: try #require(Spread([exp(log(Double(size)) * exponent)])))
      }
    }
    let result = GrowthResult(
      try #require(GrowthTable.all.first),
      lines: [
        GrowthResult.Line(id: "a", title: "A", isSubject: true, points: try points(1.4)),
        GrowthResult.Line(id: "b", title: "B", isSubject: false, points: try points(exponent)),
        GrowthResult.Line(id: "c", title: "C", isSubject: false, points: try points(3)),
      ], steepest: GrowthSeries.steepest)
    #expect(result.defects.count == defects)
    // Where the subject does better in another way, it is not the machine.
    var other = result
    other.lines.append(GrowthResult.Line(id: "d", title: "D", isSubject: true, points: try points(1)))
    #expect(other.defects.map(\.id) == ["a"])
  }

  @Test func anIdleSubjectThatWakesUpIsADefect() {
    var report = Self.report()
    report.workloads = []
    for (wakeUps, isSubject, count) in [(0.0, true, 0), (2, true, 1), (2, false, 0)] {
      report.idle = [
        IdleResult(
          id: "x", title: "X", isSubject: isSubject, connections: 1, bytesPerConnection: 1, wakeUps: wakeUps,
          threads: 1)
      ]
      #expect(report.complaints(onlyHalf: false).count == count)
    }
  }
}

@Suite struct PageTests {
  static let hostile = "</svg><script>alert('1')</script> & \"x\" \u{0}"

  @Test func nothingOfAReportIsMarkup() throws {
    var report = ReportTests.report(ReportTests.workload(Self.hostile))
    report.provenance.notes = [Self.hostile]
    report.growth = [try ReportTests.growth(exponent: 1)]
    let page = try BenchmarkPage.html(report)
    #expect(!page.contains("<script") && !page.contains("alert('1')</"))
    #expect(page.contains("&lt;script&gt;"))
    #expect(page.contains("A &lt;fast&gt; one"))
    #expect(!page.contains("\u{0}</text>"))
  }

  /// A page that fetches something is not self-contained.
  @Test func needsNothingFromElsewhere() throws {
    let page = try BenchmarkPage.html(ReportTests.report())
    #expect(page.contains("default-src 'none'"))
    #expect(!page.contains("http://") && !page.contains("https://") && !page.contains("url("))
  }

  @Test func isWellFormedXML() throws {
    var report = ReportTests.report(ReportTests.workload(Self.hostile.replacing("\u{0}", with: "")))
    report.growth = [try ReportTests.growth(exponent: 2)]
    report.idle = [
      IdleResult(
        id: "x", title: "X", isSubject: true, connections: 1, bytesPerConnection: 1, wakeUps: 0, threads: 1)
    ]
    let page = try BenchmarkPage.html(report)
    // Every chart opens and closes what it opens.
    for tag in ["svg", "g", "article", "section", "ul", "table", "text"] {
      let opened = page.components(separatedBy: "<\(tag)>").count + page.components(separatedBy: "<\(tag) ").count - 2
      #expect(opened == page.components(separatedBy: "</\(tag)>").count - 1, "\(tag)")
    }
  }

  @Test func markdownCellsStayInTheirColumns() {
    let text = MarkdownTable.text(ReportTests.report(ReportTests.workload("a|b\nc")))
    #expect(text.contains("a\\|b c"))
  }

  @Test(arguments: [
    (1234.5, "B/s", "1.23 kB/s"), (36.4e9, "B/s", "36.4 GB/s"), (54_500, "messages/s", "54.5k messages/s"),
    (0.5, "B", "0.50 B"), (999, "B", "999 B"), (.nan, "B", "—"), (.infinity, "B", "—"),
  ])
  func quantities(value: Double, unit: String, text: String) { #expect(Quantity.text(value, unit) == text) }

  @Test(arguments: [(1.5, "1.50 s"), (0.0123, "12.3 ms"), (4.56e-6, "4.56 µs"), (7.8e-8, "78.0 ns")])
  func durations(value: Double, text: String) { #expect(Quantity.seconds(value) == text) }

  @Test(arguments: [
    (-9.0, "1 ns"), (-8, "10 ns"), (-6, "1 µs"), (-3, "1 ms"), (-1, "100 ms"), (0, "1 s"), (2, "100 s"),
  ])
  func decades(exponent: Double, text: String) { #expect(Quantity.decade(seconds: exponent) == text) }
}
