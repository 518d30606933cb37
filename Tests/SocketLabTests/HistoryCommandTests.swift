import Foundation
import Testing

/// `trend` and `history` as a person meets them.
@Suite struct HistoryCommandTests {
  private static func suite(runs: Int) throws -> ScratchSuite {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing])
    for _ in 0..<runs { #expect(try suite.run(["run", "--world", "simulated", "--repeat", "3"]).status == 0) }
    return suite
  }

  private static func index(_ suite: ScratchSuite) -> URL {
    suite.folder.appendingPathComponent("reports/history.jsonl")
  }

  @Test func everyRunAddsALineAndATrendReadsThem() throws {
    let suite = try Self.suite(runs: 2)
    #expect(try String(contentsOf: Self.index(suite), encoding: .utf8).split(separator: "\n").count == 2)
    let trend = try suite.run(["trend", "--json", "trend.json", "--html", "trend.html"])
    #expect(trend.status == 0 && trend.output.hasPrefix("✓ Nothing is worse than before\n  2 runs\n"), "\(trend)")
    for words in ["pass rate", "100.00 %", "flake rate", "0 of 1", "duration", "peak memory", "read/line [ipv4"] {
      #expect(trend.output.contains(words), "\(words): \(trend.output)")
    }
    let page = try String(contentsOf: suite.folder.appendingPathComponent("trend.html"), encoding: .utf8)
    #expect(page.contains("<svg class=\"trend\""))
  }

  @Test func withoutRunsThereIsNoTrend() throws {
    let result = try Self.suite(runs: 0).run(["trend"])
    #expect(result.status == 5 && result.error.contains("There is no history in reports"), "\(result)")
  }

  @Test func aLineThatIsWrongIsSaidAndMended() throws {
    let suite = try Self.suite(runs: 1)
    let text = try String(contentsOf: Self.index(suite), encoding: .utf8)
    try (text + "{\"history\": 1, \"kind\"").write(to: Self.index(suite), atomically: true, encoding: .utf8)
    let wrong = try suite.run(["trend"])
    #expect(wrong.status == 2 && wrong.error.contains("reports/history.jsonl:2:"), "\(wrong)")
    #expect(wrong.error.contains("history rebuild"))
    #expect(try suite.run(["run", "--world", "simulated"]).status == 0, "a run is no worse for it")
    let rebuilt = try suite.run(["history", "rebuild"])
    #expect(rebuilt.status == 0 && rebuilt.error.contains("1 line could not be read"), "\(rebuilt)")
    #expect(try suite.run(["trend"]).output.contains("2 runs"))
    try FileManager.default.removeItem(at: Self.index(suite))
    #expect(try suite.run(["history", "rebuild"]).output.contains("2 lines"))
  }

  @Test func oldRunsGoByCommandOnly() throws {
    let suite = try Self.suite(runs: 1)
    let reports = suite.folder.appendingPathComponent("reports")
    for name in ["2001-01-01T00-00-00Z", "2001-01-01T00-00-00Z-2", "2001-01-02T00-00-00Z", "mine"] {
      try FileManager.default.createDirectory(
        at: reports.appendingPathComponent("\(name)/sub"), withIntermediateDirectories: true)
    }
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: reports.path).filter { $0.hasPrefix("2001") }.sorted()
    }
    #expect(try suite.run(["history", "prune"]).status == 2, "a bound must be named")
    #expect(try suite.run(["history", "prune", "--older-than", "3 moons"]).status == 2)
    let trial = try suite.run(["history", "prune", "--keep", "0", "--dry-run"])
    #expect(trial.output.contains("3 runs would be removed") && trial.status == 0, "what latest shows stays: \(trial)")
    #expect(try names().count == 3)
    _ = try suite.run(["history", "prune", "--keep", "2", "--older-than", "90d"])
    #expect(try names() == ["2001-01-02T00-00-00Z"])
    _ = try suite.run(["history", "prune", "--older-than", "90d"])
    let left = try FileManager.default.contentsOfDirectory(atPath: reports.path)
    #expect(try names() == [] && left.contains("mine") && left.contains("latest") && left.contains("history.jsonl"))
  }

  @Test func aBenchmarkReportIsAddedOnce() throws {
    let suite = try Self.suite(runs: 0)
    let text = """
      {"formatVersion": 1, "provenance": {"date": "2026-01-31T12:00:00Z", "cores": 2}, "workloads": []}
      """
    try text.write(to: suite.folder.appendingPathComponent("benchmarks.json"), atomically: true, encoding: .utf8)
    #expect(try suite.run(["history", "add", "benchmarks.json"]).output.contains("added to reports/history.jsonl"))
    #expect(try suite.run(["history", "add", "benchmarks.json"]).output.contains("is already in"))
    #expect(try suite.run(["trend"]).output.contains("1 benchmark report"))
    try "{".write(to: suite.folder.appendingPathComponent("benchmarks.json"), atomically: true, encoding: .utf8)
    let wrong = try suite.run(["history", "add", "benchmarks.json"])
    #expect(wrong.status == 2 && wrong.error.contains("is no benchmark report: line 1"), "\(wrong)")
    #expect(try suite.run(["history", "add", "none/benchmarks.json"]).status == 2)
  }
}
