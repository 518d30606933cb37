import ScenarioModel
import ScenarioRunner
import Testing

/// What an interruption left out makes nobody wrong.
@Suite struct InterruptionTests {
  private static func scenario(_ id: String, control: String? = nil) -> Scenario {
    var scenario = Scenario(id: id, title: id)
    scenario.control = control
    return scenario
  }

  private static let scenarios = [
    scenario("free"), scenario("plain"), scenario("split", control: "plain"), scenario("case", control: "split"),
    scenario("elsewhere", control: "nowhere"),
  ]

  private static func variant(_ family: AddressFamily) -> Variant {
    Variant(family: family, cut: .whole, queues: .separate)
  }

  private static func result(_ id: String, family: AddressFamily = .ipv4) -> CaseResult {
    var result = CaseResult(scenario: scenario(id), variant: variant(family), world: .simulated, seed: 1)
    result.verdict = .passed
    return result
  }

  /// Everything over IPv4, and `plain` over IPv6, too.
  private static let plan =
    scenarios.indices.map { PlannedCase(scenario: $0, variant: variant(.ipv4), world: .simulated, seed: 1) }
    + [PlannedCase(scenario: 1, variant: variant(.ipv6), world: .simulated, seed: 1)]

  private static func judged(_ results: [CaseResult]) -> [String] {
    Interruption.judged(results, of: plan, scenarios: scenarios).map(\.scenario)
  }

  @Test func whatHasNoControlIsJudged() {
    #expect(Self.judged([Self.result("free"), Self.result("plain")]) == ["free", "plain"])
  }

  @Test func aControlThatDidNotRunTakesItsCasesAlong() {
    #expect(Self.judged([Self.result("case"), Self.result("free")]) == ["free"])
    #expect(Self.judged([Self.result("case"), Self.result("split"), Self.result("free")]) == ["free"])
    let all = ["case", "split", "plain"]
    #expect(Self.judged(all.map { Self.result($0) }) == all)
  }

  @Test func aControlVouchesForItsFamily() {
    // Planned over both families, it ran over one.
    let results = [Self.result("split"), Self.result("split", family: .ipv6), Self.result("plain", family: .ipv6)]
    #expect(Self.judged(results) == ["split", "plain"])
    // A family that was not planned is vouched for by any.
    #expect(Self.judged([Self.result("split", family: .unix), Self.result("plain")]) == ["split", "plain"])
  }

  @Test func aControlVouchesForItsSubject() {
    var planned = Self.plan[1]
    planned.variant = planned.variant.of(program: "other")
    var ofOther = Self.result("split")
    ofOther.variant = planned.variant
    let results = [Self.result("split"), Self.result("plain"), ofOther]
    let judged = Interruption.judged(results, of: Self.plan + [planned], scenarios: Self.scenarios)
    #expect(judged.map(\.variant.program) == [nil, nil])
    #expect(SuiteVerdict.applyControls(judged, scenarios: Self.scenarios).allSatisfy { $0.verdict == .passed })
  }

  @Test func whatWasNotPlannedIsNotTheInterruptionsFault() {
    let kept = Interruption.judged([Self.result("elsewhere")], of: Self.plan, scenarios: Self.scenarios)
    #expect(kept.count == 1)
    #expect(SuiteVerdict.applyControls(kept, scenarios: Self.scenarios)[0].verdict == .error)
  }

  @Test func whatIsLeftIsNoErrorForItsControl() {
    let results = ["case", "split", "plain", "free"].map { Self.result($0) }
    for missing in results.indices {
      var rest = results
      rest.remove(at: missing)
      let judged = Interruption.judged(rest, of: Self.plan, scenarios: Self.scenarios)
      #expect(SuiteVerdict.applyControls(judged, scenarios: Self.scenarios).allSatisfy { $0.verdict == .passed })
    }
  }
}
