import ScenarioModel
import ScenarioRunner
import SubjectPrograms
import SubjectProtocol
import Testing

@testable import SuiteRunner

/// What programs among the subjects are asked: over loopback, once for all queues and shortcuts, and what they claim.
@Suite struct ProgramPlanTests {
  private let entry = SubjectEntry(
    program: SubjectProgram(name: "x", path: "/x"), claims: SubjectClaims(name: "x", version: "1"), deviations: nil)

  private func scenario(_ id: String, _ requirement: String) -> Scenario {
    var scenario = Scenario(id: id, title: id)
    scenario.requirements = [requirement]
    scenario.matrix = Matrix(families: [.ipv4, .ipv6], queues: QueueTopology.allCases)
    return scenario
  }

  private func plan(_ scenarios: [Scenario]) -> ProgramPlan {
    let cases = SuitePlan(scenarios, selection: SuiteSelection(), worlds: Set(WorldName.allCases), seeds: [3]).cases
    return ProgramPlan([entry], like: cases, of: scenarios) { $0 == "A-01" ? .any : .gcd }
  }

  @Test func queuesAndWorldsAreOne() {
    let plan = plan([scenario("a", "A-01")])
    #expect(plan.cases.map(\.variant.name) == ["ipv4-x", "ipv6-x"])
    #expect(plan.cases.allSatisfy { $0.world == .loopback && $0.seed == 3 })
    #expect(plan.unsupported.map(\.key.variant.name) == ["ipv6-x"])
  }

  @Test func whatCantBeAskedIsCountedOnceWithItsReason() throws {
    let scenarios = [scenario("a", "B-01")]
    let plan = plan(scenarios)
    let planned = try #require(plan.cases.first)
    #expect(plan.cases.count == 1)
    let result = try #require(plan.result(of: planned, scenarios[0]))
    #expect(result.verdict == .unsupported)
    #expect(result.reason == "B-01 is no requirement of any stream socket, but of the flavour `gcd`")
    #expect(result.column.name == "x, loopback")
  }

  @Test func canariesAreTheLibrarys() {
    var canary = scenario("canary/a", "A-01")
    canary.canary = true
    #expect(plan([canary]).cases.isEmpty)
  }

  @Test func aChosenVariantKeepsTheControlsOfItsControls() {
    var scenarios = [scenario("a", "A-01"), scenario("control", "A-01"), scenario("plain", "A-01")]
    (scenarios[0].control, scenarios[1].control) = ("control", "plain")
    let cases = SuitePlan(scenarios, selection: SuiteSelection(), worlds: [.loopback], seeds: [3]).cases
    for (variants, names) in [
      ("ipv4-x", ["ipv4-x"]), ("ipv4", ["ipv4-x"]), ("*4", ["ipv4-x"]), ("ipv?-x", ["ipv4-x", "ipv6-x"]),
      ("ipv5", []), ("ipv4-y", []),
    ] as [(String, [String])] {
      let plan = ProgramPlan([entry], like: cases, of: scenarios, fitting: variants, among: [0]) { _ in .any }
      #expect(plan.cases.filter { $0.scenario == 0 }.map(\.variant.name) == names, "\(variants)")
      #expect(Set(plan.cases.map(\.scenario)) == (names.isEmpty ? [] : [0, 1, 2]), "\(variants)")
    }
  }

  /// A scenario that can't be asked says so in the variant that was chosen, whichever its first one is.
  @Test func aChosenVariantThatCantBeAskedSaysSo() {
    let scenarios = [scenario("a", "B-01")]
    let cases = SuitePlan(scenarios, selection: SuiteSelection(), worlds: [.loopback], seeds: [3]).cases
    let plan = ProgramPlan([entry], like: cases, of: scenarios, fitting: "ipv6", among: [0]) { _ in .gcd }
    #expect(plan.cases.map(\.variant.name) == ["ipv6-x"] && plan.unsupported.count == 1)
  }

  @Test func aCaseWhoseControlIsNotOfferedIsJudgedWithoutOne() {
    var scenarios = [scenario("a", "A-01"), scenario("control", "A-01")]
    scenarios[0].control = "control"
    let variant = Variant(family: .ipv4, cut: .whole, queues: .separate, program: "x")
    var results = scenarios.map { CaseResult(scenario: $0, variant: variant, world: .loopback, seed: 1) }
    (results[0].verdict, results[1].verdict) = (.failed, .unsupported)
    // Another subject's control says nothing of this one's.
    var other = CaseResult(
      scenario: scenarios[1], variant: Variant(family: .ipv4, cut: .whole, queues: .separate), world: .loopback, seed: 1
    )
    other.verdict = .passed
    let judged = SuiteVerdict.applyControls(results + [other], scenarios: scenarios)
    #expect(judged[0].verdict == .failed)
    #expect(judged[0].missingControl == "control")
    #expect(judged.dropFirst().allSatisfy { $0.missingControl == nil })
  }
}
