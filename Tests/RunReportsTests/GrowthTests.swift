import ReportTestSupport
import ScenarioModel
import Testing

@testable import RunReports

/// Reports cost what they tell of, each case as much as if there were no others.
@Suite struct GrowthTests {
  /// Ten times the cases: a linear cost grows to ten times, a quadratic one to a hundred. What budgets and the first
  /// case cost only makes it less.
  @Test(arguments: ["report.json", "junit.xml", "summary.md", "index.html"])
  func growsWithTheCases(_ name: String) {
    let (few, many) = (Self.report(400), Self.report(4_000))
    let small = Self.seconds(few, name)
    let large = Self.seconds(many, name)
    #expect(large < small * 30 + 0.05, "\(large) s after \(small) s")
  }

  /// A scenario a case, as in a suite of small files; no source text, so that the page's budget is not all of the cost.
  private static func report(_ count: Int) -> RunReport {
    let cases = (0..<count).map { index in
      SampleReport.result(
        SampleReport.scenario("area\(index / 100)/line-\(index)", "Line \(index)", ["RD-DELIM-01"]), .passed,
        world: index % 2 == 0 ? .loopback : .simulated, cut: .whole, seed: 1, trace: [], met: [:], deviations: [])
    }
    return SampleReport.report(cases, sources: [:])
  }

  private static func seconds(_ report: RunReport, _ name: String) -> Double {
    ThreadProcessorTime.seconds(bestOf: 3) {
      switch name {
      case "report.json": _ = ReportJSON.encode(report)
      case "junit.xml": _ = JUnitReport.make(report)
      case "summary.md": _ = MarkdownSummary.make(report)
      default: _ = HTMLReport.make(report)
      }
    }
  }
}
