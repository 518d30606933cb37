import Foundation
import Requirements
import RunReports
import ScenarioFiles
import ScenarioModel
import Testing

@testable import CoverageRunner

/// Which witnesses are found, and what is said of sources that are missing.
@Suite struct WitnessSurveyTests {
  private static func scenario(_ ids: String, _ more: String = "") -> String {
    """
    title: Bytes come
    requirements: \(ids)
    \(more)
    peer: [accept, send: "abc"]
    subject: [connect, read: { length: 3B, tag: 1 }]
    expect: [didConnect, didRead: { tag: 1, bytes: "abc" }]
    ending: open

    """
  }

  private static let files = [
    "Requirements/index.yaml": "areas: { RD: Reading }\nsources: { S1: Wiki. }\n",
    "Requirements/rd.yaml": """
    RD-01: { must: Reads complete., scope: any, sources: [S1] }
    RD-02: { must: Sockets connect., scope: any, sources: [S1] }
    """,
    "Scenarios/read/one.yaml": scenario("[RD-01]", "worlds: { only: loopback, because: \"of a test\" }"),
    "Scenarios/read/canary.yaml": scenario("[RD-02]", "canary: true"),
    "Tests/ReadTests/ReadTests.swift": "@Test(\"sockets connect (RD-02)\")\nfunc connects() {}\n",
    "Tests/ReadTests/notes.txt": "@Test(\"sockets connect (RD-01)\")\nfunc connects() {}\n",
  ]

  private func coverage(
    without missing: String? = nil, verdicts: [Verdict]? = nil
  ) throws -> (RequirementCoverage, notes: [String]) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (path, text) in Self.files where missing.map({ !path.hasPrefix($0) }) ?? true {
      let file = folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let register = try RequirementRegister(folder: folder.appendingPathComponent("Requirements").path)
    let library = try ScenarioLibrary(folder: folder.appendingPathComponent("Scenarios").path)
    if let verdicts, let scenario = library["read/one"]?.scenario {
      let cases = verdicts.enumerated().map { number, verdict in
        var result = CaseResult(
          scenario: scenario, variant: scenario.variants[0], world: .loopback, seed: UInt64(number + 1))
        result.verdict = verdict
        return result
      }
      let report = RunReport(
        startedAt: "2026-01-02T03:04:05Z", version: "1", subject: "reference", profile: .documented,
        host: HostFacts(system: "Linux", processors: 2, jitter: .zero), seed: 1, seeds: 1, duration: .zero,
        cases: cases, sources: [:])
      let place = folder.appendingPathComponent("reports/latest")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try Data(ReportJSON.encode(report)).write(to: place.appendingPathComponent("report.json"))
    }
    var notes: [String] = []
    let survey = WitnessSurvey(
      tests: folder.appendingPathComponent("Tests").path, reports: folder.appendingPathComponent("reports").path)
    return (survey.coverage(register, library, kills: nil) { notes.append($0) }, notes)
  }
  @Test func scenariosAndTestsAreFoundAndCanariesAreNot() throws {
    let (coverage, notes) = try coverage(verdicts: [.passed])
    let read = try #require(coverage["RD-01"])
    #expect(read.scenarios.map(\.scenario) == ["read/one"] && read.scenarios.first?.worlds == [.loopback])
    #expect(read.tests.isEmpty, "only Swift files hold tests")
    let connect = try #require(coverage["RD-02"])
    #expect(connect.scenarios.isEmpty && connect.tests.map(\.name) == ["sockets connect (RD-02)"])
    #expect(coverage.openMusts.isEmpty && notes.isEmpty)
    #expect(coverage.lastRun == "2026-01-02T03:04:05Z")
  }

  @Test(
    "the first case that is not as expected speaks for its scenario",
    arguments: [
      ([Verdict.passed, .passed], 2, "passed"), ([.passed, .timeout, .failed], 1, "timeout"),
      ([.skipped], 1, "skipped"),
    ])
  func lastVerdict(verdicts: [Verdict], asExpected: Int, told: String) throws {
    let (coverage, _) = try coverage(verdicts: verdicts)
    let last = try #require(coverage["RD-01"]?.scenarios.first?.last)
    #expect(last == .init(cases: verdicts.count, asExpected: asExpected, verdict: told))
  }

  @Test func sourcesThatAreMissingAreNotedAndCountForNothing() throws {
    let (untested, notes) = try coverage(without: "Tests/")
    #expect(untested.openMusts.map(\.id) == ["RD-02"])
    #expect(notes.count == 2 && notes.contains { $0.contains("no Swift test counts") }, "\(notes)")
    #expect(notes.contains { $0.hasPrefix("no verdicts are shown. There is no report of the run latest") })
    #expect(untested.lastRun == nil)
    #expect(untested["RD-01"]?.scenarios.first?.last == nil)
  }
}
