import CaseReduction
import ScenarioModel
import Testing

@Suite struct FindingIdentityTests {
  private static func result(
    _ kind: Deviation.Kind, _ expected: String, _ actual: String, line: Int? = 7, _ verdict: Verdict = .failed
  ) -> CaseResult {
    let scenario = Scenario(id: "a/b", title: "")
    var result = CaseResult(scenario: scenario, variant: scenario.variants[0], world: .simulated, seed: 1)
    result.verdict = verdict
    result.deviations = [
      Deviation(
        kind: kind, expected: expected, actual: actual, position: line.map { SourcePosition(line: $0, column: 5) })
    ]
    return result
  }

  private static let first = result(
    .wrongContent, "didRead { bytes: \"abc\", tag: 2 }",
    "didRead { bytes: \"ab\", tag: 2 }: differs first at offset 12 of the stream: expected 0x41 ('A'), got 0x0d")

  @Test(arguments: [
    (
      "other bytes and numbers", true,
      result(
        .wrongContent, "didRead { bytes: \"a\", tag: 3 }",
        "didRead { bytes: \"\", tag: 3 }: differs first at offset 1 of the stream: expected 0x0a, got 0xff")
    ),
    ("another line", false, result(.wrongContent, first.deviations[0].expected, first.deviations[0].actual, line: 8)),
    ("another kind", false, result(.unexpected, first.deviations[0].expected, first.deviations[0].actual)),
    ("another event", false, result(.wrongContent, first.deviations[0].expected, "didDisconnect { error: none }")),
  ]) func whatMakesADifference(name: String, isSame: Bool, other: CaseResult) {
    #expect((FindingIdentity(Self.first) == FindingIdentity(other)) == isSame)
  }

  @Test func whatWentBeforeMakesNone() {
    let one = Self.result(.missing, "didRead { tag: 1 }", "not seen by 1s; last asked of socket: read, in line 3")
    let two = Self.result(.missing, "didRead { tag: 1 }", "not seen by 9s; last asked of socket: write, in line 9")
    #expect(FindingIdentity(one) == FindingIdentity(two))
  }

  @Test func whatProvesNothingIsNoFinding() {
    #expect(FindingIdentity(Self.result(.missing, "a", "b", .inconclusive)) == nil)
    #expect(FindingIdentity(Self.result(.missing, "a", "b", .error)) == nil)
    #expect(FindingIdentity(Self.result(.missing, "a", "b", .passed)) == nil)
  }

  @Test func aBrokenInvariantIsWrongWhateverIsExpected() throws {
    #expect(try #require(FindingIdentity(Self.result(.invariant, "order", "disorder", line: nil))).isUniversal)
    #expect(try !#require(FindingIdentity(Self.first)).isUniversal)
  }

  @Test func anotherLawIsAnotherFinding() {
    var (one, two) = (Self.result(.invariant, "order", "disorder"), Self.result(.invariant, "order", "disorder"))
    (one.deviations[0].requirement, two.deviations[0].requirement) = ("INV-05", "INV-06")
    #expect(FindingIdentity(one) != FindingIdentity(two))
  }

  @Test func whatControlsVoidProvesNothing() {
    var result = Self.first
    result.voided = VoidedCase(control: "a/control", controlVerdict: .failed, verdict: .failed)
    #expect(FindingIdentity(result) == nil)
  }

  @Test func aCrashElsewhereIsAnotherCrash() {
    func crash(in function: String) -> CaseResult {
      var result = Self.result(.crash, "the process lives", "it ended", line: nil, .crash)
      result.backtrace = ["0 0x1 \(function)() + 2 in a at /x/main.swift:1:2"]
      return result
    }
    #expect(FindingIdentity(crash(in: "one")) == FindingIdentity(crash(in: "one")))
    #expect(FindingIdentity(crash(in: "one")) != FindingIdentity(crash(in: "two")))
  }

  @Test(
    "what is wrong whatever is expected",
    arguments: [
      (.invariant, true), (.hang, true), (.crash, true), (.violation, true), (.resource, true), (.missing, false),
      (.unexpected, false), (.wrongContent, false), (.ending, false), (.check, false), (.peer, false), (.late, false),
    ] as [(Deviation.Kind, Bool)])
  func universal(kind: Deviation.Kind, isUniversal: Bool) throws {
    #expect(try #require(FindingIdentity(Self.result(kind, "a", "b"))).isUniversal == isUniversal)
    // A lane that waits in vain ends no process: what it waited for is a matter of what is expected.
    let waiting = try #require(FindingIdentity(Self.result(kind, "a", "b", .hang)))
    #expect(waiting.isUniversal == isUniversal)
  }
}
