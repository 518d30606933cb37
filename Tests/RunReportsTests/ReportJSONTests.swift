import Foundation
import ReportTestSupport
import ScenarioModel
import Testing

@testable import RunReports

struct ReportJSONTests {
  private static func schema() throws -> SchemaChecker {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return SchemaChecker(try ReadJSON(Data(contentsOf: root.appending(path: "report.schema.json"))))
  }

  private static let reports: [(name: String, report: RunReport)] =
    [
      ("sample", SampleReport.report), ("empty", SampleReport.empty), ("hostile", HostileReport.report),
      ("large", LargeReport.make(cases: 60, failing: 0.1)),
    ] + SampleReport.endings

  @Test(arguments: reports.map(\.name))
  func fitsThePublishedSchema(name: String) throws {
    let report = try #require(Self.reports.first { $0.name == name }?.report)
    let problems = try Self.schema().problems(ReadJSON(ReportJSON.encode(report)))
    #expect(problems == [])
  }

  @Test func theCheckerSeesWhatIsWrong() throws {
    let bad = #"{"schema": 1, "run": {}, "summary": {"passed": -1}, "divergences": {}, "cases": [{"extra": 1}]}"#
    let problems = try Self.schema().problems(ReadJSON(Array(bad.utf8)))
    for sign in ["$.schema", "$.run: lacks seed", "$.summary.passed: below", "$.divergences: no array", "key extra"] {
      #expect(problems.contains { $0.contains(sign) }, "\(sign) not in \(problems)")
    }
  }

  @Test func summaryAddsUp() throws {
    let report = SampleReport.report
    let json = try ReadJSON(ReportJSON.encode(report))
    let summary = try #require(json["summary"])
    var total = 0.0
    for verdict in Verdict.allCases {
      let count = try #require(summary[verdict.rawValue]?.number)
      #expect(count == Double(report.cases.count { $0.verdict == verdict && !$0.canary }), "\(verdict)")
      total += count
    }
    #expect(total == Double(report.cases.count { !$0.canary }))
    #expect(summary["cases"]?.number == total)
    #expect(summary["scenarios"]?.number == Double(Set(report.cases.filter { !$0.canary }.map(\.scenario)).count))
    #expect(summary["asExpected"]?.number == Double(report.cases.count { $0.isAsExpected && !$0.canary }))
    #expect(summary["canaries"]?.number == 3 && summary["canariesAsExpected"]?.number == 2)
    #expect(summary["divergences"]?.number == Double(json["divergences"]?.items.count ?? -1))
  }

  @Test func tracesOnlyWhereSomethingIsToBeSeen() throws {
    let report = SampleReport.report
    let cases = try ReadJSON(ReportJSON.encode(report))["cases"]?.items ?? []
    #expect(cases.count == report.cases.count)
    var shown: Set<String> = []
    for (result, written) in zip(report.cases, cases) {
      // One example of what went well, which a later run is set beside.
      let isTold = !result.isAsExpected || result.canary || shown.insert("\(result.world) \(result.scenario)").inserted
      #expect((written["trace"] != nil) == isTold, "\(result.name)")
    }
  }

  @Test func aLongTraceLosesItsMiddle() throws {
    var result = SampleReport.result(SampleReport.scenario("a/b", "t", []), .timeout)
    result.trace = Trace(events: (0..<9_000).map { TraceEvent(at: .milliseconds($0), kind: .note("n\($0)")) })
    let written = try ReadJSON(ReportJSON.encode(SampleReport.report([result])))["cases"]?.items.first
    let indices = written?["trace"]?.items.compactMap { $0["index"]?.number } ?? []
    let shown = Array(0..<200) + Array(8_800..<9_000)
    #expect(indices == shown.map { Double($0) })
    #expect(written?["trace_omitted"]?.number == 8_600)
  }

  @Test func manyTracesAreLeftOutButOnePerScenarioAndWorld() throws {
    let report = LargeReport.make(cases: 300, failing: 1)
    let json = ReportJSON.encode(report)
    let cases = try ReadJSON(json)["cases"]?.items ?? []
    let traced = zip(report.cases, cases).filter { $1["trace"]?.items.isEmpty == false }
    #expect(traced.count == ReportJSON.maxEventsPerRun / report.cases[0].trace.events.count)
    #expect(Set(traced.map(\.0.scenario)).count == 60)
    #expect(cases.last?["trace_omitted"]?.number == Double(report.cases[0].trace.events.count))
  }

  @Test(arguments: reports.map(\.name))
  func whatIsWrittenCanBeReadBack(name: String) throws {
    let report = try #require(Self.reports.first { $0.name == name }?.report)
    let digest = try ReportJSON.decode(ReportJSON.encode(report))
    #expect(digest.schema == ReportJSON.schemaVersion)
    #expect(digest.startedAt == report.startedAt)
    #expect(digest.version == report.version)
    #expect(digest.subject == report.subject)
    #expect(digest.profile == report.profile)
    #expect(digest.seed == report.seed && digest.seeds == report.seeds)
    #expect(digest.cases.count == report.cases.count && digest.casesNotJudged == report.casesNotJudged)
    for (read, result) in zip(digest.cases, report.cases) {
      #expect(read.scenario == result.scenario && read.variant == result.variant.name && read.title == result.title)
      #expect(read.world == result.world && read.seed == result.seed && read.verdict == result.verdict)
      #expect(read.deviations == result.deviations && read.reason == result.reason)
      #expect(read.requirements == result.requirements && read.tags == result.tags)
      #expect(read.traceHash == result.traceHash && read.canary == result.canary)
      #expect(read.tls == TLSSummary(result.trace) && read.capture == result.capture)
      #expect(read.backtrace == result.backtrace && read.voided == result.voided)
      #expect(read.name == result.name && read.isAsExpected == result.isAsExpected)
    }
  }

  @Test func casesAreFoundByWhateverIsKnown() throws {
    let digest = try ReportJSON.decode(ReportJSON.encode(SampleReport.report))
    let id = "read/delimiter-split-across-two-segments"
    #expect(digest.cases(of: id).count == 16)
    #expect(digest.cases(of: id, world: .simulated).count == 12)
    #expect(digest.cases(of: id, variant: "ipv6-bytes", world: .simulated, seed: 3).count == 1)
    #expect(digest.cases(of: "read/none").isEmpty)
  }

  @Test func unknownKeysAreIgnored() throws {
    var text = String(decoding: ReportJSON.encode(SampleReport.report), as: UTF8.self)
    text = text.replacingOccurrences(of: "{\"scenario\":", with: "{\"later\": [1, {}], \"scenario\":")
    let digest = try ReportJSON.decode(text.utf8)
    #expect(digest.cases.count == SampleReport.report.cases.count)
  }

  @Test(arguments: [
    ("no JSON", "nonsense"), ("nothing", ""), ("a list", "[]"), ("no schema", "{}"), ("no run", #"{"schema": 2}"#),
    ("a schema that is no number", #"{"schema": "1"}"#), ("half", #"{"schema": 2, "run": {"#),
  ])
  func malformedFilesAreRefused(name: String, text: String) {
    #expect {
      try ReportJSON.decode(text.utf8)
    } throws: { error in
      guard case .malformed(let reason) = error as? ReportReadFailure else { return false }
      return !reason.isEmpty
    }
  }

  @Test func aNumberThatIsTooLargeIsRefusedWithItsPlace() throws {
    let text = String(decoding: ReportJSON.encode(SampleReport.report), as: UTF8.self)
    let seed = try Regex(#""seed": ?[0-9]+"#)
    // The first is the run's own.
    let large = text.replacing(seed, with: "\"seed\": 1180591620717411303424", maxReplacements: 1)
    #expect {
      try ReportJSON.decode(large.utf8)
    } throws: {
      guard case .malformed(let reason) = $0 as? ReportReadFailure else { return false }
      return reason.hasPrefix(".run.seed: ")
    }
  }

  @Test func aKeyThatComesTwiceIsRefusedWithItsPlace() throws {
    let text = String(decoding: ReportJSON.encode(SampleReport.report), as: UTF8.self)
    let doubled = text.replacing("{\"scenario\": ", with: "{\"scenario\": \"x\", \"scenario\": ", maxReplacements: 1)
    #expect {
      try ReportJSON.decode(doubled.utf8)
    } throws: {
      guard case .malformed(let reason) = $0 as? ReportReadFailure else { return false }
      return reason.hasPrefix("line ") && reason.hasSuffix("the key scenario comes twice")
    }
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: ReportReadFailure.self) { try ReportJSON.decode(("{\"schema\": 2, \"x\": " + deep).utf8) }
  }

  @Test func otherSchemasAreNamed() {
    #expect(throws: ReportReadFailure.unknownSchema(7)) { try ReportJSON.decode(#"{"schema": 7}"#.utf8) }
  }

  @Test func theFailureSaysWhere() throws {
    var text = String(decoding: ReportJSON.encode(SampleReport.report), as: UTF8.self)
    text = text.replacingOccurrences(of: "\"verdict\": \"hang\"", with: "\"verdict\": \"fine\"")
    #expect {
      try ReportJSON.decode(text.utf8)
    } throws: {
      guard case .malformed(let reason) = $0 as? ReportReadFailure else { return false }
      return reason.hasPrefix(".cases[") && reason.contains("].verdict")
    }
  }
}
