import ScenarioModel
import Testing

@testable import RunReports

struct MarkdownSummaryTests {
  private static func text(_ report: RunReport) -> String {
    String(decoding: MarkdownSummary.make(report), as: UTF8.self)
  }

  @Test func totalsByVerdictAndWorld() {
    let text = Self.text(SampleReport.report)
    #expect(text.contains("# 43 cases of 13 scenarios: 12 need a look\n"))
    #expect(text.contains("CocoaAsyncSocket: GCDAsyncSocket and AsyncSocket under profile documented"))
    let heads = "GCDAsyncSocket, loopback | GCDAsyncSocket, simulated | AsyncSocket, loopback | AsyncSocket, simulated"
    #expect(text.contains("| Verdict | \(heads) | all |"))
    #expect(text.contains("| ✓ passed | 10 | 16 | 1 | 1 | 28 |"))
    #expect(text.contains("| all | 19 | 21 | 1 | 2 | 43 |\n| besides, canaries, which must fail | 2 | 1 | 0 | 0 | 3 |"))
    #expect(text.contains("1 case of 1 scenario, AsyncSocket only"))
  }

  @Test func oneClassNeedsNoName() {
    let line = SampleReport.scenario("a/b", "t", [])
    let text = Self.text(
      SampleReport.report([SampleReport.result(line, .passed), SampleReport.result(line, .passed, world: .simulated)]))
    #expect(text.contains("| Verdict | loopback | simulated | all |"))
  }

  @Test func everyConcernHasItsCommand() {
    let text = Self.text(SampleReport.report)
    for result in SampleReport.report.cases where !result.isAsExpected {
      #expect(text.contains("`\(ReproCommand.text(result))`"), "\(result.name)")
    }
  }

  /// With many seeds one name would stand there again and again.
  @Test func aNameIsToldOnceWithItsSeeds() {
    func failed(_ family: AddressFamily, _ seed: UInt64) -> CaseResult {
      SampleReport.result(
        SampleReport.scenario("a/b", "t", []), .failed, world: .simulated, family: family, seed: seed,
        deviations: [SampleReport.deviation(.missing, expected: "didRead", actual: "nothing", line: 3)])
    }
    var report = SampleReport.report([failed(.ipv4, 1), failed(.ipv4, 2), failed(.ipv4, 5), failed(.ipv6, 1)])
    report.seeds = 5
    let also = "\n  also `a/b [ipv4, simulated]` with seeds 2 and 5; `a/b [ipv6, simulated]` with seed 1\n"
    #expect(Self.text(report).contains(also), "\(Self.text(report))")
    // Over loopback repetitions have the same seed, which nobody has asked for.
    report.cases = report.cases.map { _ in failed(.ipv4, 1) }
    (report.seeds, report.rounds) = (1, 4)
    #expect(Self.text(report).contains("\n  also `a/b [ipv4, simulated]` with seed 1, 3 times\n"))
    (report.cases, report.rounds) = ([failed(.ipv4, 1), failed(.ipv6, 1)], 1)
    #expect(Self.text(report).contains("\n  also `a/b [ipv6, simulated]`\n"))
  }

  @Test func slowestFiveInOrder() {
    let text = Self.text(SampleReport.report)
    let slowest = text.split(separator: "\n").drop { $0 != "## Slowest" }.dropFirst()
    #expect(slowest.count == 5)
    #expect(slowest.first == "- 10 s `write/a-stalled-peer-holds-the-write [ipv4, loopback]`")
  }

  @Test func nothingAndManyCases() {
    #expect(Self.text(SampleReport.empty).hasPrefix("# Nothing ran\n"))
    let text = Self.text(LargeReport.make(cases: 1_000, failing: 1))
    #expect(text.utf8.count < 40_000)
    #expect(text.contains("and 940 more cases of this kind"))
  }

  @Test func divergencesNeedTwoJudgements() {
    let scenario = SampleReport.scenario("a/b", "t", [])
    func cases(_ loopback: Verdict, _ simulated: Verdict, seed: UInt64 = 1) -> [CaseResult] {
      [
        SampleReport.result(scenario, loopback),
        SampleReport.result(scenario, simulated, world: .simulated, seed: seed),
      ]
    }
    #expect(WorldDivergence.all(in: cases(.passed, .failed)).count == 1)
    #expect(WorldDivergence.all(in: cases(.passed, .passed)).isEmpty)
    #expect(WorldDivergence.all(in: cases(.skipped, .failed)).isEmpty)
    #expect(WorldDivergence.all(in: cases(.passed, .inconclusive)).isEmpty)
    #expect(WorldDivergence.all(in: cases(.passed, .failed, seed: 2)).isEmpty)
  }
}
