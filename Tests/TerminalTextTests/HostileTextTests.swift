import ScenarioModel
import ScenarioRunner
import Testing

@testable import SuiteRunner
@testable import TerminalText

/// What a subject says, or a path holds, moves no cursor and makes no line of its own.
@Suite struct HostileTextTests {
  private static let plain = "text"
  private static let hostile = "a\n::error::b\r::c\u{1B}[2Jd\u{0}e\u{202E}f\u{2028}::g\u{9B}h"

  private static func result(_ text: String) -> CaseResult {
    var variant = Variant(family: .ipv4, cut: .whole, queues: .separate)
    variant = variant.of(program: "mine")
    var scenario = Scenario(id: "./qa/\(text).yaml", title: text)
    scenario.control = "control/\(text)"
    var result = CaseResult(scenario: scenario, variant: variant, world: .loopback, seed: 1)
    result.verdict = .failed
    result.reason = text
    result.deviations = [
      Deviation(
        kind: .wrongContent, expected: text, actual: "didDisconnect error \(text)",
        position: SourcePosition(line: 3, column: 1))
    ]
    result.backtrace = ["::warning::\(text)", text]
    return result
  }

  private static func summary(_ text: String) -> String {
    var (skipped, unsupported) = (result(text), result(text))
    (skipped.verdict, unsupported.verdict) = (.skipped, .unsupported)
    var alone = result(text)
    alone.missingControl = "control/\(text)"
    var voided = result(text)
    voided.voided = VoidedCase(control: "control/\(text)", controlVerdict: .failed, verdict: .failed)
    var facts = ProgramFacts(name: "mine", library: text, version: text)
    facts.leftRunning = [text]
    facts.exitFaults = [SubjectExit.Fault(text: text, lastWords: ["::warning::\(text)", text])]
    var report = RunReport(
      startedAt: "", version: "7", subject: "mine", profile: .documented,
      host: HostFacts(system: "", processors: 1, jitter: .zero), seed: 3, seeds: 2, duration: .milliseconds(1_234),
      cases: [result(text), skipped, unsupported, alone, voided], sources: [:])
    report.programs = [facts, ProgramFacts(name: "other", leftOut: text)]
    let outcome = SuiteOutcome(report: report, isInterrupted: false, spent: [:], counts: [.loopback: 5])
    return SuiteSummary(outcome, tellsCauses: true).lines.joined(separator: "\n")
  }

  private static func steps(_ text: String) -> String {
    var scenario = Scenario(id: "a/b", title: text)
    scenario.expectsNothing = true
    var result = result(text)
    result.deviations[0].traceIndex = nil
    result.trace.events = [TraceEvent(at: .zero, kind: .point(text))]
    let walk = TraceWalk(CaseScript(scenario, profile: .documented), result, tolerance: .simulated)
    let steps = StepText(walk, path: "./qa/\(text).yaml")
    return steps.lines(0).joined(separator: "\n")
  }

  private static let texts: [(name: String, make: @Sendable (String) -> String)] = [
    ("a case", { CaseText.describe(result($0), path: "./qa/\($0).yaml") }), ("a summary", summary),
    ("a walk", steps),
  ]

  @Test(arguments: texts.indices) func staysInItsLine(_ index: Int) {
    let (name, make) = Self.texts[index]
    let lines = make(Self.hostile).split(separator: "\n", omittingEmptySubsequences: false)
    let usual = make(Self.plain).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == usual.count, "\(name): \(lines)")
    #expect(lines.contains { $0.contains("a␊::error::b␍::c␛[2Jd␀e[U+202E]f") }, "\(name): \(lines)")
    for line in lines {
      #expect(!line.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }, "\(name): \(line)")
      #expect(!line.unicodeScalars.contains { [0x202E, 0x2028].contains($0.value) }, "\(name): \(line)")
      #expect(!line.drop { $0 == " " }.hasPrefix("::"), "\(name): \(line)")
    }
  }

  /// What nobody thought of.
  @Test func nothingElseReachesTheTerminal() {
    let text = "\u{1B}[31mred\u{1B}[0m \u{1B}[1;33mdim\u{1B}[0m\ttab\nline \u{1B}[2J\u{1B}]0;title\u{7}\r\u{202E}"
    let rest = "\ttab\nline ␛[2J␛]0;title␇␍[U+202E]"
    #expect(
      Console.fit(text, hasColour: true) == "\u{1B}[31mred\u{1B}[0m \u{1B}[1;33mdim\u{1B}[0m\(rest)")
    #expect(Console.fit(text, hasColour: false) == "␛[31mred␛[0m ␛[1;33mdim␛[0m\(rest)")
    #expect(Console.fit("✓ é 👩‍👩‍👧", hasColour: true) == "✓ é 👩‍👩‍👧")
  }
}
