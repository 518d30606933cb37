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
}
