import Foundation
import ReportTestSupport
import ScenarioModel
import Testing

@testable import RunReports

struct JUnitReportTests {
  private static func root(_ report: RunReport) throws -> XMLNode { try .parse(JUnitReport.make(report)) }

  @Test(arguments: ["sample", "empty", "hostile", "large"] + SampleReport.endings.map(\.name))
  func countsAreTheNumbersOfElements(name: String) throws {
    let report =
      switch name {
      case "sample": SampleReport.report
      case "empty": SampleReport.empty
      case "hostile": HostileReport.report
      case "large": LargeReport.make(cases: 200, failing: 0.3)
      default: SampleReport.endings.first { $0.name == name }?.report ?? SampleReport.empty
      }
    let root = try Self.root(report)
    #expect(root.all("testcase").count == report.cases.count + (report.casesNotJudged > 0 || !report.hasPlayed ? 1 : 0))
    for suite in [root] + root.all("testsuite") {
      for (field, element) in [
        ("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped"),
      ] {
        #expect(suite.fields[field] == "\(suite.all(element).count)", "\(field) of \(suite.fields)")
      }
      let time = suite.all("testcase").compactMap { $0.fields["time"].flatMap(Double.init) }.reduce(0, +)
      #expect(abs((suite.fields["time"].flatMap(Double.init) ?? -1) - time) < 1e-6)
      #expect(suite.fields["timestamp"] != nil && suite.fields["name"] != nil)
    }
  }

  @Test func anEntryOfKnownDeviationsThatIsWrongFails() throws {
    var report = SampleReport.report
    let before = try Self.root(report)
    report.deviationFaults = [
      DeviationFault(
        kind: .expired, path: "d.yaml", position: SourcePosition(line: 3, column: 5), says: "expired", help: "decide")
    ]
    let root = try Self.root(report)
    #expect(root.all("failure").count == before.all("failure").count + 1)
    #expect(root.fields["failures"] == "\(root.all("failure").count)")
    #expect(root.all("testcase").contains { $0.fields["file"] == "d.yaml" && $0.fields["line"] == "3" })
  }

  @Test func everyTestcaseHasAnIdentityOfItsOwn() throws {
    let cases = try Self.root(SampleReport.report).all("testcase")
    let names = cases.map { "\($0.fields["classname"] ?? "") \($0.fields["name"] ?? "")" }
    #expect(Set(names).count == cases.count)
    for testcase in cases {
      for field in ["name", "classname", "file", "line", "time"] {
        #expect(testcase.fields[field]?.isEmpty == false, "\(field) of \(testcase.fields)")
      }
    }
  }

  @Test(arguments: Verdict.allCases, [false, true])
  func verdictsMapToOutcomes(verdict: Verdict, canary: Bool) throws {
    var scenario = SampleReport.scenario("a/b", "t", [])
    scenario.canary = canary
    let result = SampleReport.result(scenario, verdict, reason: "because")
    let testcase = try #require(Self.root(SampleReport.report([result])).all("testcase").first)
    let outcome = testcase.children.map(\.name).filter { $0 != "properties" }
    let expected: [String] =
      switch verdict {
      case .passed, .passedNonStrict: canary ? ["failure"] : []
      case .failed: canary ? [] : ["failure"]
      case .timeout, .hang, .crash, .violation: ["failure"]
      case .error, .inconclusive: ["error"]
      case .skipped, .unsupported: canary ? ["error"] : ["skipped"]
      }
    #expect(outcome == expected)
    if expected == ["skipped"] {
      #expect(testcase.all("skipped").first?.fields["message"] == "\(verdict.rawValue): because")
    }
  }

  @Test(arguments: [[], [Verdict.skipped], [.unsupported, .skipped]])
  func aRunInWhichNothingWasPlayedIsNotGreen(verdicts: [Verdict]) throws {
    let report = SampleReport.report(
      verdicts.enumerated().map { SampleReport.result(SampleReport.scenario("a/\($0)", "t", []), $1) })
    let root = try Self.root(report)
    #expect(root.fields["errors"] == "1" && root.fields["tests"] == "\(verdicts.count + 1)")
    #expect(root.all("error").map { $0.fields["message"] } == ["nothing was played"])
  }

  @Test func aRunThatWasInterruptedIsNotGreen() throws {
    var report = SampleReport.report([SampleReport.result(SampleReport.scenario("a/b", "t", []), .passed)])
    #expect(try Self.root(report).fields["errors"] == "0")
    for (count, text) in [(1, "1 case was"), (2_345, "2,345 cases were")] {
      report.casesNotJudged = count
      let root = try Self.root(report)
      #expect(root.fields["errors"] == "1" && root.fields["tests"] == "2" && root.fields["failures"] == "0")
      #expect(root.all("error").map { $0.fields["message"] } == ["interrupted: \(text) not judged"])
    }
  }

  /// Each has a testcase of its own, whatever else is wrong with the run.
  @Test func whatWasAskedOfTheRunAsAWholeIsNotGreen() throws {
    var report = SampleReport.report([SampleReport.result(SampleReport.scenario("a/b", "t", []), .passed)])
    report.casesNotJudged = 1
    report.shortfalls = [RunShortfall(.tooFewCases, "only <one>"), RunShortfall(.disagreement, "they differ")]
    report.programs = [ProgramFacts(name: "mine", library: nil, version: nil)]
    let faults = [SubjectExit.Fault(text: "it leaks", lastWords: ["16 bytes"]), .init(text: "again", lastWords: [])]
    report.note(["mine or other": SubjectExit(faults: faults), "other": SubjectExit(leftRunning: ["sleep"])])
    let root = try Self.root(report)
    #expect(root.fields["errors"] == "4" && root.fields["tests"] == "5" && root.fields["failures"] == "0")
    let suite = try #require(root.all("testsuite").first { $0.fields["name"] == "run" })
    #expect(suite.fields["tests"] == "4" && suite.fields["errors"] == "4")
    #expect(Set(suite.all("testcase").map { $0.fields["name"] }).count == 4)
    let types = ["interrupted", "subject-exit", "too-few-cases", "disagreement"]
    #expect(suite.all("error").map { $0.fields["type"] } == types)
    let messages = suite.all("error").map { $0.fields["message"] }.dropFirst()
    #expect(messages == ["again\nit leaks\n16 bytes", "only <one>", "they differ"])
  }

  @Test func aFailureTellsEverything() throws {
    let testcase = try #require(
      Self.root(SampleReport.report).all("testcase").first {
        $0.fields["classname"] == "loopback.ending.a-reset-is-reported-as-such"
      })
    #expect(testcase.fields["file"] == "Scenarios/ending/a-reset-is-reported-as-such.yaml")
    #expect(testcase.fields["line"] == "13")
    let failure = try #require(testcase.all("failure").first)
    #expect(failure.fields["type"] == "failed.wrongContent")
    #expect(failure.fields["message"]?.contains("expected didDisconnect error ECONNRESET, saw") == true)
    for piece in [
      "  expected: didDisconnect error ECONNRESET\n  actual:   didDisconnect error Closed", "as-such.yaml:13:5",
      "  13 |   - didDisconnect: { error: ECONNRESET, within: 200ms }",
      "./lab run ending/a-reset-is-reported-as-such --world loopback --seed 1 --variant ipv4",
    ] {
      #expect(failure.text.contains(piece), "\(piece)")
    }
  }

  @Test func hostileTextStaysText() throws {
    let root = try Self.root(HostileReport.report)
    let names = Set(root.all("testcase").flatMap { $0.children.map(\.name) })
    #expect(names == ["properties", "failure", "error", "skipped", "system-err"])
    let messages = root.all("skipped").compactMap { $0.fields["message"] }
    #expect(messages.contains("skipped: </script><script>alert(1)</script>"))
    #expect(
      messages.contains { $0.contains("NUL\u{2400} BEL\u{2407} ESC\u{241B}[31m CR\u{240D} LF\n TAB\t DEL\u{2421}") })
  }
}
