import HostTools
import ScenarioModel
import ScenarioRunner
import Testing

@testable import SuiteRunner
@testable import TerminalText

/// What stands on the terminal when a run is over.
@Suite struct SuiteSummaryTests {
  private static let variant = Variant(family: .ipv4, cut: .whole, queues: .separate)

  private static func result(
    _ id: String, _ verdict: Verdict, in world: WorldName = .simulated, of subject: SubjectKind = .gcd,
    canary: Bool = false, reason: String? = nil
  ) -> CaseResult {
    var scenario = Scenario(id: id, title: "t")
    scenario.canary = canary
    var variant = variant
    variant.subject = subject
    var result = CaseResult(scenario: scenario, variant: variant, world: world, seed: 1)
    result.verdict = verdict
    result.reason = reason
    return result
  }

  private static func text(
    _ cases: [CaseResult], isInterrupted: Bool = false, falseAlarms: Int = 0, repeatedCases: Int = 0,
    repeatedHangs: Int = 0,
    change: (inout RunReport) -> Void = { _ in }
  ) -> String {
    var report = RunReport(
      startedAt: "", version: "7", subject: "a socket", profile: .documented,
      host: HostFacts(system: "", processors: 1, jitter: .zero), seed: 3, seeds: 2, duration: .milliseconds(1_234),
      cases: cases, sources: [:])
    change(&report)
    let counts = Dictionary(cases.map { ($0.world, 1) }, uniquingKeysWith: +)
    var outcome = SuiteOutcome(
      report: report, isInterrupted: isInterrupted, spent: [.simulated: .seconds(2)], counts: counts)
    outcome.falseAlarms = falseAlarms
    (outcome.repeatedCases, outcome.repeatedHangs) = (repeatedCases, repeatedHangs)
    return SuiteSummary(outcome).lines.joined(separator: "\n")
  }

  private static func asked(_ id: String, _ verdict: Verdict, reason: String? = nil) -> CaseResult {
    var result = result(id, verdict, in: .loopback)
    result.variant = result.variant.of(program: "mine")
    result.reason = reason
    return result
  }

  @Test func aSubjectThatWasAskedNothingIsNoGreenOne() {
    let unsupported =
      [
        Self.asked("a/1", .unsupported, reason: "mine has no call `write`"),
        Self.asked("a/2", .unsupported, reason: "mine has no call `read`"),
        Self.asked("a/3", .unsupported, reason: "mine has no call `read`"),
      ] + ["a/1", "a/2", "a/3"].map { Self.asked($0, .unsupported, reason: "mine has no IPv6") }
    let facts = ProgramFacts(name: "mine", library: "thing", version: "2.1")
    let text = Self.text(unsupported) { $0.programs = [facts] }
    #expect(text.contains("✗ mine (thing 2.1) was asked nothing: mine has no call `read`"), "\(text)")
    #expect(!text.contains("✓") && !text.contains("all as expected"), "\(text)")
    // Beside another one.
    let both = Self.text(unsupported + [Self.result("a/1", .passed, in: .loopback)])
    #expect(both.contains("✓ 3 scenarios, all as expected\n✗ mine was asked nothing"), "\(both)")
  }

  @Test func whatWasJudgedWithoutAControlAndWhoWasLeftOutAreTold() {
    var alone = Self.asked("a/1", .passed)
    alone.missingControl = "control/echo"
    let text = Self.text([alone]) {
      $0.subject = "a socket, mine"
      $0.programs = [
        ProgramFacts(name: "mine", library: "mine", version: "2.1"), ProgramFacts(name: "other", leftOut: "no cc"),
      ]
    }
    #expect(text.contains("a socket, mine 2.1, profile"), "\(text)")
    #expect(text.contains("1 case of mine judged without a control: it does not offer control/echo"), "\(text)")
    #expect(text.contains("  other: left out: no cc"), "\(text)")
  }

  @Test func aGreenRunSaysWhatRanAndThatTheJudgeSees() {
    let text = Self.text([
      Self.result("a/1", .passed), Self.result("a/1", .passed, in: .loopback),
      Self.result("canary/x", .failed, canary: true),
    ]) { $0.unlistedCases = [CaseColumn(.gcd, .simulated): UnlistedCases([.passed: 1_000])] }
    #expect(text.contains("SocketLab 7  a socket, profile documented, seed 3…4"))
    #expect(text.contains("  simulated   1,001 passed  (1 case-runs a second and core)"))
    #expect(text.contains("  loopback    1 passed\n"))
    #expect(text.contains("✓ 1 scenario, all as expected\n  canary: 1 case failed, as they must"))
    #expect(text.hasSuffix("  1.23 s in all"))
  }

  @Test func casesThatWereRunAgainInVainAreTold() {
    let text = Self.text([Self.result("a/1", .passed)], falseAlarms: 2)
    #expect(text.contains("the cases of 2 workers were run again: they seemed to leave something behind, and did not"))
    let late = Self.text([Self.result("a/1", .passed)], repeatedCases: 1)
    #expect(late.contains("  1 case ran again alone: the lab itself had been late\n"), "\(late)")
    #expect(!text.contains("ran again alone"))
    let hung = Self.text([Self.result("a/1", .passed)], repeatedHangs: 2)
    #expect(hung.contains("  2 cases ran again alone, having hung at first\n"), "\(hung)")
  }

  @Test func classesStandBesideEachOther() {
    let text = Self.text([
      Self.result("a/1", .passed), Self.result("a/1", .passed, in: .loopback),
      Self.result("a/1", .failed, of: .runLoop), Self.result("a/2", .passed, of: .runLoop),
    ]) {
      $0.unlistedCases = [
        CaseColumn(.gcd, .simulated): UnlistedCases([.passed: 1_000]),
        CaseColumn(.runLoop, .simulated): UnlistedCases([.passed: 3, .skipped: 2], known: [.failed: 1]),
      ]
    }
    #expect(
      text.contains(
        """
                      GCDAsyncSocket  AsyncSocket
          simulated   1,001 passed    4 passed, 2 failed, 2 skipped  (1 case-runs a second and core)
          loopback    1 passed

        """))
  }

  @Test func whatWentWrongIsCountedByScenario() {
    let text = Self.text([
      Self.result("a/1", .failed), Self.result("a/1", .passed, in: .loopback), Self.result("a/2", .passed),
    ])
    #expect(text.contains("✗ 1 of 2 scenarios not as expected"))
  }

  @Test func theCauseOfACrashIsToldInItsOwnWords() {
    var crash = Self.result("a/1", .crash)
    crash.backtrace = [
      "Traceback (most recent call last):", "  File \"/x/run\", line 9, in <module>", "ValueError: too large",
    ]
    crash.deviations = [
      Deviation(kind: .crash, expected: "the subject lives", actual: "it exited with code 1")
    ]
    let report = RunReport(
      startedAt: "", version: "7", subject: "a socket", profile: .documented,
      host: HostFacts(system: "", processors: 1, jitter: .zero), seed: 3, seeds: 2, duration: .zero, cases: [crash],
      sources: [:])
    #expect(CauseText.lines(report).joined(separator: "\n").contains("it said   ValueError: too large"))
  }

  /// Every entry that is wrong is named, and makes the run no green one.
  @Test func aRecordThatIsWrongIsNoGreenRun() {
    let faults = [3, 9].map {
      DeviationFault(
        kind: .expired, path: "d.yaml", position: SourcePosition(line: $0, column: 5), says: "expired", help: "decide")
    }
    let text = Self.text([Self.result("a/1", .passed)]) { $0.deviationFaults = faults }
    #expect(!text.contains("✓") && !text.contains("all as expected"), "\(text)")
    #expect(text.contains("✗ 1 scenario as expected, but known deviations are not as on record"), "\(text)")
    #expect(text.contains("d.yaml:3:5") && text.contains("d.yaml:9:5"), "\(text)")
  }

  @Test func aControlThatDidNotPassIsToldWithWhatHangsOnIt() {
    var voided = Self.result("a/1", .error, reason: "its control c/echo failed")
    voided.voided = VoidedCase(control: "c/echo", controlVerdict: .failed, verdict: .passed)
    let text = Self.text([voided, Self.result("c/echo", .failed)])
    #expect(
      text.contains("✗ 1 control did not pass\n    c/echo: 1 case of 1 scenario proves nothing without it"),
      "\(text)")
  }

  @Test func aCanaryThatDoesNotFailIsTold() {
    #expect(Self.text([Self.result("c", .passed, canary: true)]).contains("1 did not fail: the judge is blind"))
    #expect(Self.text([Self.result("c", .error, canary: true)]).contains("1 could not be judged"))
  }

  @Test func whatWasSkippedAndWhatWasNotJudgedIsTold() {
    let text = Self.text(
      [Self.result("a/1", .skipped, reason: "no IPv6"), Self.result("a/2", .skipped, reason: "no IPv6")],
      isInterrupted: true
    ) { $0.casesNotJudged = 5 }
    #expect(text.contains("  2 cases skipped: no IPv6"))
    #expect(text.contains("  interrupted: not everything ran; 5 cases were not judged"))
    let cut = Self.text([Self.result("a/1", .passed)], isInterrupted: true)
    #expect(cut.contains("  interrupted: it had not come to its end") && !cut.contains("not everything"))
    #expect(cut.contains("! 1 scenario, all that was judged is as expected") && !cut.contains("✓"), "\(cut)")
  }
}
