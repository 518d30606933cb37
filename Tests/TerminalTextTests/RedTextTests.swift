import RunComparison
import RunHistory
import RunReports
import ScenarioModel
import Testing

@testable import Requirements
@testable import TerminalText

/// What is wrong is never told as if it were right.
@Suite struct RedTextTests {
  // MARK: - Comparisons

  private static func run(_ cases: [(String, Verdict)]) -> ComparedRun {
    var run = ComparedRun()
    run.cases = cases.map { id, verdict in
      var found = ComparedCase(ComparedCase.Key(scenario: id, variant: "ipv4", world: .loopback))
      found.verdict = verdict
      return found
    }
    return run
  }

  @Test func everyRegressionIsListed() throws {
    let old = Self.run([("a/one", .passed), ("a/two", .passed), ("a/three", .passed), ("a/four", .failed)])
    let new = Self.run([("a/one", .failed), ("a/three", .unsupported), ("a/four", .passed), ("a/five", .failed)])
    let lines = ComparisonText.lines(try RunComparison(old: old, new: new, expectsAll: true))
    #expect(lines.first?.hasPrefix("✗ 4 regressions: ") == true, "\(lines)")
    for title in ["1 new failure", "1 new case that fails", "1 now unsupported", "1 missing case"] {
      #expect(lines.contains(title), "\(title) in \(lines)")
    }
    for id in ["a/one", "a/two", "a/three", "a/five"] {
      #expect(lines.contains { $0.hasPrefix("    e.g. \(id) [ipv4, loopback]") }, "\(id) in \(lines)")
    }
    let same = ComparisonText.lines(try RunComparison(old: old, new: old, expectsAll: true))
    #expect(same.first == "✓ No regressions" && same[1] == "  1 failing as before, 3 unchanged")
  }

  @Test func whatLeavesTheRecordIsMarked() {
    var baseline = Baseline(Self.run([("a/one", .passed), ("a/two", .passed)]))
    let taken = baseline.accept(Self.run([("a/one", .failed), ("a/new", .passed)])) { _ in true }
    #expect(BaselineText.lines(taken).filter { !$0.hasPrefix(" ") }.map { $0.prefix(7) } == ["+ a/new", "~ a/one"])
    let gone = baseline.prune { $0.scenario != "a/two" }
    #expect(BaselineText.lines(gone).first?.hasPrefix("- a/two  passed → –") == true)
  }

  // MARK: - The history

  @Test func aTrendThatIsWorseIsRed() {
    func lines(_ last: Double) -> [String] {
      let entries = ([100, 101, 99, 100, 100] + [last]).enumerated().map { number, value in
        var entry = HistoryEntry(
          kind: .suite, name: "2026-01-0\(number + 1)", startedAt: "2026-01-0\(number + 1)", commit: nil, host: "here",
          size: 10)
        entry.measures = [HistoryMeasure("duration", value, .milliseconds, isHigherBetter: false, noise: .measured)]
        return entry
      }
      return TrendText.lines(Trend(entries, most: 9))
    }
    #expect(lines(180).first == "✗ 1 measure is worse than before")
    #expect(lines(180).contains { $0.hasPrefix("  ✕ duration  180 ms") })
    #expect(lines(100).first == "✓ Nothing is worse than before")
  }

  // MARK: - Requirements

  /// Two musts: of one, three of four cases went well; of the other there is no witness.
  private static func coverage(_ kills: KillRecord?) throws -> (RequirementCoverage, RequirementRegister) {
    let entries =
      "WR-01: { must: Write., scope: any, sources: [S1] }\nWR-02: { must: Wait., scope: any, sources: [S1] }\n"
    let register = try RegisterReader.register(
      of: [("index", "areas: { WR: Writing }\nsources: { S1: Wiki. }\n"), ("wr", entries)].map {
        RegisterFile(path: "R/\($0).yaml", bytes: Array($1.utf8))
      }, in: "R")
    let witness = ScenarioWitness(
      scenario: "write/a", path: "a.yaml", worlds: [.loopback], last: .init(cases: 4, asExpected: 3, verdict: "failed"))
    let coverage = RequirementCoverage(
      register, scenarios: [(witness, ["WR-01"])], tests: [], everyCase: [], kills: kills, lastRun: "then")
    return (coverage, register)
  }

  @Test func aRequirementThatIsOpenOrFailsIsRed() throws {
    var kills = KillRecord()
    kills.replace({ _, _ in true }, with: [KillRecord.Citation(requirement: "WR-01", witness: "write/a"): ["m"]])
    let (coverage, register) = try Self.coverage(kills)
    let lines = CoverageText(coverage, register).lines(of: [])
    for id in ["WR-01", "WR-02"] { #expect(lines.contains { $0.hasPrefix("✗ \(id) ") }, "\(id) in \(lines)") }
    #expect(lines.contains { $0.contains("failed: write/a") })
    #expect(lines.contains("Open musts: 1, of which 0 about AsyncSocket alone."))
    #expect(lines.contains { $0.hasPrefix("With a mutant that a witness kills: 1 of 2 ") }, "\(lines)")
    #expect(lines.contains { $0.hasSuffix("kill one: 1 of 1.") })
    let one = RequirementText("WR-01", in: register)?.lines(coverage["WR-01"], lastRun: "then") ?? []
    #expect(one.contains("  scenarios     write/a  loopback  failed, 1 of 4 cases"), "\(one)")
  }

  // MARK: - Cases

  @Test func aCanaryThatDoesNotFailIsToldAsOne() {
    var scenario = Scenario(id: "canary/x", title: "t")
    scenario.canary = true
    let variant = Variant(family: .ipv4, cut: .whole, queues: .separate)
    var result = CaseResult(scenario: scenario, variant: variant, world: .loopback, seed: 1)
    result.verdict = .passed
    let text = CaseText.describe(result, path: nil)
    #expect(text.hasPrefix("✗ canary/x [ipv4, loopback]  passed, but a canary must fail"), "\(text)")
  }

  /// A line that begins with two colons is a command to who runs jobs, whatever blanks stand before them.
  @Test func quotationsAreNoCommands() {
    for line in ["::error::x", " ::error::x", "    ::error::x"] {
      #expect(Console.quotation(line) == "| \(Console.visible(line))")
    }
    #expect(Console.quotation(": :x") == ": :x" && Console.quotation("a ::x") == "a ::x")
  }
}
