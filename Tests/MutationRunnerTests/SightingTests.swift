import Foundation
import FuzzCampaign
import HostTools
import RunReports
import ScenarioModel
import TerminalText
import Testing

@testable import MutationRunner

/// What the zoo learns of a run of the suite.
@Suite struct SightingTests {
  private func result(_ scenario: String, _ verdict: Verdict, _ deviations: [Deviation] = []) -> CaseResult {
    var result = CaseResult(
      scenario: Scenario(id: scenario, title: "t"), variant: Variant(family: .ipv4, cut: .whole, queues: .separate),
      world: .loopback, seed: 1)
    result.verdict = verdict
    result.deviations = deviations
    return result
  }

  private let late = Deviation(kind: .late, expected: "didRead", actual: "not seen")

  private func sighting(_ cases: [CaseResult]) throws -> Sighting { try play(cases).sighting }

  private func play(_ cases: [CaseResult]) throws -> SuitePlay {
    let report = RunReport(
      startedAt: "2026-01-02T03:04:05Z", version: "1", subject: "s", profile: .documented,
      host: HostFacts(system: "Linux", processors: 2, jitter: .zero), seed: 1, seeds: 1, duration: .zero, cases: cases,
      sources: [:])
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let files = ReportFiles.make(report)
    try Data(try #require(files.first { $0.name == "report.json" }).bytes).write(to: URL(fileURLWithPath: path))
    return try MutantSearch.reported(in: path, of: .loopback)
  }

  @Test func theReportIsRead() throws {
    let seen = try sighting([
      result("a/waits-for-its-control", .error), result("b/red", .failed, [late]), result("b/red", .timeout, [late]),
      result("c/green", .passed),
    ])
    #expect(seen.world == "loopback" && seen.scenarios == ["b/red"])
    #expect(seen.deviation == "b/red: late: expected didRead; not seen")
    #expect(try sighting([result("c/green", .passed)]).scenarios == [])
    #expect(try sighting([result("a/only-this", .error)]).scenarios == ["a/only-this"])
  }

  /// The control of a bug's best witness is often red with it, which voids the witness's verdict, not what it saw.
  @Test func whatIsRedWithoutItsControlCounts() throws {
    func voided(_ scenario: String, _ verdict: Verdict, _ deviations: [Deviation]) -> CaseResult {
      var result = result(scenario, .error, deviations)
      result.voided = VoidedCase(control: "control/echo", controlVerdict: .failed, verdict: verdict)
      return result
    }
    var canary = voided("canary/must-fail", .failed, [late])
    canary.canary = true
    let seen = try sighting([
      result("control/echo", .failed, [late]), voided("a/failed", .failed, [late]),
      voided("b/timeout", .timeout, [late]), voided("c/violation", .violation, [late]),
      voided("d/only-waits", .passed, []),
      voided("e/says-nothing", .failed, []), voided("f/the-lab-was-late", .inconclusive, [late]), canary,
    ])
    #expect(seen.scenarios == ["a/failed", "b/timeout", "c/violation", "control/echo"])
  }

  @Test func withoutAReportWhatWasPrintedCounts() {
    var printed = PrintedCases()
    for text in [CaseText.describe(result("b/red", .failed, [late, late]), path: nil), "Fatal error: c/d"] {
      for line in text.split(separator: "\n") { printed.take(String(line)) }
    }
    #expect(printed.scenarios == ["b/red"])
    #expect(printed.deviation == "b/red: late: expected didRead; not seen")
  }

  /// A crash has been noticed; a suite that could not begin, because its files are wrong, proves nothing.
  @Test func aSuiteThatCannotBeginHasSeenNothing() throws {
    for exit in [LabExit.usage, .badScenario, .nothingRan] {
      #expect(throws: LabFailure.self) {
        try MutantSearch.unreported(PrintedCases(), end: .exited(exit.rawValue), isOverdue: false, in: .simulated)
      }
    }
    for end in [ChildResult.End.signalled(4), .exited(70)] {
      let seen = try MutantSearch.unreported(PrintedCases(), end: end, isOverdue: false, in: .simulated)
      #expect(seen.scenarios == ["(the suite ends)"])
    }
  }

  /// A full disk, a machine without memory or one that is too slow: nobody has noticed the bug.
  @Test func whatTheMachineDoesIsNotNoticed() throws {
    let killed = ChildResult.End.signalled(9)
    #expect(throws: LabFailure.self) {
      try MutantSearch.unreported(PrintedCases(), end: killed, isOverdue: false, in: .simulated)
    }
    for (end, isOverdue) in [(killed, true), (.exited(LabExit.subjectNotDriven.rawValue), false)] {
      let seen = try MutantSearch.unreported(PrintedCases(), end: end, isOverdue: isOverdue, in: .simulated)
      #expect(seen.scenarios == [])
    }
  }

  /// Only who has looked can be said not to have noticed.
  @Test func whatWasNotPlayedHasNotLooked() throws {
    let seen = try play([
      result("a/green", .passed), result("b/red", .failed, [late]), result("c/skipped", .skipped),
      result("d/in-part", .passed), result("d/in-part", .unsupported), result("e/late", .inconclusive),
    ])
    #expect(seen.played == ["a/green", "b/red"])
    var all = SuiteSightings(worlds: [.loopback])
    all.add(seen, in: .loopback)
    #expect(all.looked["a/green"] == [.loopback, .simulated] && all.looked["c/skipped"] == nil && all.isAnyRed)
    var both = SuiteSightings(worlds: [.simulated, .loopback])
    both.add(seen, in: .loopback)
    #expect(both.looked["a/green"] == [.loopback])
  }
}
