import ScenarioModel
import ScenarioRunner
import Testing

@Suite struct SuitePlanTests {
  private static func named(_ id: String, _ edit: (inout Scenario) -> Void = { _ in }) -> Scenario {
    var scenario = Scenario(id: id, title: id)
    edit(&scenario)
    return scenario
  }

  private static let suite: [Scenario] = [
    named("write/one") { $0.tags = ["slow"] },
    named("read/line/split") { $0.control = "control/split" },
    named("read/length") { $0.worlds = [.loopback] },
    named("control/split") { $0.control = "control/plain" },
    named("control/plain"),
    named("canary/blind") { $0.canary = true },
    named("readable") { $0.control = "control/none" },
  ]

  private static func ids(_ selection: SuiteSelection) -> [String] {
    let plan = SuitePlan(suite, selection: selection, worlds: [.simulated, .loopback], seeds: [1])
    var ids: [String] = []
    for planned in plan.cases where ids.last != suite[planned.scenario].id { ids.append(suite[planned.scenario].id) }
    return ids
  }

  static let selections: [(SuiteSelection, [String])] = [
    (
      SuiteSelection(),
      [
        "control/plain", "control/split", "canary/blind", "read/length", "read/line/split", "readable", "write/one",
      ]
    ),
    (SuiteSelection(ids: ["write/one"]), ["canary/blind", "write/one"]),
    (SuiteSelection(ids: ["write/one"], alwaysCanaries: false), ["write/one"]),
    (
      SuiteSelection(ids: ["read"], alwaysCanaries: false),
      ["control/plain", "control/split", "read/length", "read/line/split"]
    ),
    (
      SuiteSelection(ids: ["read/line/"], alwaysCanaries: false), ["control/plain", "control/split", "read/line/split"]
    ),
    (SuiteSelection(filters: ["*l?n*"], alwaysCanaries: false), ["canary/blind", "read/length"]),
    (SuiteSelection(filters: ["read/*"], alwaysCanaries: false), ["read/length"]),
    (SuiteSelection(filters: ["**/one"], alwaysCanaries: false), ["write/one"]),
    (SuiteSelection(tags: ["slow", "other"], alwaysCanaries: false), ["write/one"]),
    (SuiteSelection(ids: ["read"], tags: ["slow"], alwaysCanaries: false), []),
  ]

  @Test(arguments: selections) func selects(_ selection: SuiteSelection, _ expected: [String]) {
    #expect(Self.ids(selection) == expected)
  }

  @Test func unfoldsMatrixWorldsAndSeeds() {
    let scenario = Self.named("a") {
      $0.matrix = Matrix(families: [.ipv4, .ipv6], segmentations: [.whole, .bytes])
    }
    let plan = SuitePlan([scenario], selection: SuiteSelection(), worlds: [.loopback, .simulated], seeds: [5, 6])
    #expect(plan.cases.count == 4 * 3)
    #expect(
      plan.cases.prefix(4).map { "\($0.variant.name) \($0.world.rawValue) \($0.seed)" } == [
        "ipv4 loopback 5", "ipv4 simulated 5", "ipv4 simulated 6", "ipv4-bytes loopback 5",
      ])
  }

  @Test func leavesWorldsOut() {
    let plan = SuitePlan(
      Self.suite, selection: SuiteSelection(ids: ["read/length"], alwaysCanaries: false), worlds: [.simulated],
      seeds: [1])
    #expect(plan.cases.isEmpty)
  }

  @Test func namesWhatItDoesNotKnow() {
    let selection = SuiteSelection(ids: ["read", "rite", "readable"])
    let plan = SuitePlan(Self.suite, selection: selection, worlds: [.simulated], seeds: [1])
    #expect(plan.unknown == ["rite"])
    #expect(plan.missingControls.map(\.control) == ["control/none"])
  }

  /// Paths name scenarios outside the lab's folder.
  static let coverings: [([String], String, Bool)] = [
    (["read"], "read/line", true), (["read/"], "read/line", true), (["read"], "readable", false),
    (["read/line"], "read", false), (["read/line"], "read/line", true), (["../qa"], "../qa/a/b.yaml", true),
    (["../q"], "../qa/a/b.yaml", false), (["/"], "/qa/b.yaml", true), (["/"], "qa/b", false), ([], "a", false),
    (["x", "a/b", "y"], "a/b/c/d", true), (["a/b"], "a/b#row", true), (["a"], "a/b#row", true),
    (["a/b#row"], "a/b#row", true), (["a/b#ro"], "a/b#row", false), (["a/b#row"], "a/b", false),
  ]

  @Test(arguments: coverings) func namesCover(_ names: [String], _ id: String, _ expected: Bool) {
    #expect(IDSelection(names).covers(id) == expected)
  }

  /// As many names as scenarios: compared with each other, they would take minutes.
  @Test(.timeLimit(.minutes(1))) func manyNamesAreLookedUp() {
    let scenarios = (0..<20_000).map { Self.named("area-\($0 / 100)/a-sentence-for-a-name-\($0)") }
    let selection = SuiteSelection(ids: scenarios.map(\.id) + ["area-7/none", "area-8/"])
    let plan = SuitePlan(scenarios, selection: selection, worlds: [.simulated], seeds: [1])
    #expect(plan.cases.count == scenarios.count)
    #expect(plan.unknown == ["area-7/none"])
  }

  // MARK: - Controls

  private static func result(
    _ id: String, _ verdict: Verdict, world: WorldName = .simulated, family: AddressFamily = .ipv4
  ) -> CaseResult {
    var result = CaseResult(
      scenario: named(id), variant: Variant(family: family, cut: .whole, queues: .separate), world: world, seed: 1)
    result.verdict = verdict
    return result
  }

  /// Each subject has its own run of the control.
  @Test(arguments: [(nil, "x"), ("x", nil), ("x", "y")] as [(String?, String?)])
  func anotherSubjectsControlSaysNothing(own: String?, other: String?) {
    func result(_ id: String, _ verdict: Verdict, of program: String?) -> CaseResult {
      var result = Self.result(id, verdict)
      if let program { result.variant = result.variant.of(program: program) }
      return result
    }
    let results = [
      result("case", .passed, of: own), result("control", .passed, of: own), result("control", .failed, of: other),
    ]
    #expect(SuiteVerdict.applyControls(results, scenarios: Self.withControl)[0].verdict == .passed)
    let alone = [results[0], result("control", .passed, of: other)]
    #expect(SuiteVerdict.applyControls(alone, scenarios: Self.withControl)[0].verdict == .error)
  }

  private static let withControl = [named("case") { $0.control = "control" }, named("control")]

  static let verdicts: [(String, [CaseResult], Verdict)] = [
    ("the control passed", [result("case", .failed), result("control", .passed)], .failed),
    ("the control passed, not strictly", [result("case", .passed), result("control", .passedNonStrict)], .passed),
    ("the control failed", [result("case", .passed), result("control", .failed)], .error),
    ("the control was skipped", [result("case", .passed), result("control", .skipped)], .error),
    ("the control did not run", [result("case", .passed)], .error),
    (
      "the control failed elsewhere",
      [result("case", .passed), result("control", .passed), result("control", .failed, world: .loopback)], .passed
    ),
    (
      "the control failed in another family",
      [result("case", .passed), result("control", .passed), result("control", .failed, family: .ipv6)], .passed
    ),
    (
      "the control has no such family", [result("case", .passed, family: .unix), result("control", .passed)], .passed
    ),
    ("nothing was tried", [result("case", .skipped), result("control", .failed)], .skipped),
    ("the case crashed, the control did not", [result("case", .crash), result("control", .failed)], .crash),
    ("the case hung and the control did not run", [result("case", .hang)], .hang),
    ("both crashed", [result("case", .crash), result("control", .crash)], .error),
    ("the control is not offered", [result("case", .failed), result("control", .unsupported)], .failed),
    (
      "the control is offered in another family only, and passed there",
      [result("case", .passed, family: .unix), result("control", .passed), result("control", .unsupported)], .passed
    ),
    (
      "the control is offered in another family only, and failed there",
      [result("case", .passed, family: .unix), result("control", .failed), result("control", .unsupported)], .error
    ),
    (
      "a variant of the control is not offered, another failed",
      [result("case", .passed), result("control", .unsupported), result("control", .failed)], .error
    ),
  ]

  @Test(arguments: verdicts) func appliesControls(_ name: String, _ results: [CaseResult], _ expected: Verdict) {
    let applied = SuiteVerdict.applyControls(results, scenarios: Self.withControl)
    #expect(applied[0].verdict == expected)
    #expect(applied.dropFirst().map(\.verdict) == results.dropFirst().map(\.verdict))
    if expected == .error { #expect(applied[0].reason?.hasPrefix("its control control did not") ?? false) }
  }

  @Test(
    "a control that is not offered is replaced by its own, and the case says so if there is none",
    arguments: [
      (Verdict.unsupported, Verdict.passed, nil as String?, Verdict.passed), (.unsupported, .failed, nil, .error),
      (.unsupported, .unsupported, "special", .passed), (.passed, .unsupported, nil, .passed),
    ])
  func controlsOfControls(special: Verdict, plain: Verdict, missing: String?, verdict: Verdict) {
    let scenarios = [
      Self.named("case") { $0.control = "special" }, Self.named("special") { $0.control = "plain" },
      Self.named("plain") { $0.control = "special" },
    ]
    let results = [
      Self.result("case", .passed), Self.result("special", special), Self.result("plain", plain),
    ]
    let applied = SuiteVerdict.applyControls(results, scenarios: scenarios)
    #expect(applied[0].verdict == verdict)
    #expect(applied[0].missingControl == missing)
    #expect(applied[0].voided?.control == (verdict == .error ? "plain" : nil))
  }

  @Test func controlsComeFirstAndBoundTheirOwnControls() {
    // A control's control comes along, and everything that hangs on neither comes later.
    #expect(Self.ids(SuiteSelection(ids: ["read/line/split"])).prefix(2) == ["control/plain", "control/split"])
  }

  @Test func whatTheJudgeSaidIsKept() throws {
    var deviating = Self.result("case", .failed)
    deviating.deviations = [Deviation(kind: .missing, expected: "e", actual: "a")]
    let applied = SuiteVerdict.applyControls(
      [deviating, Self.result("control", .timeout)], scenarios: Self.withControl)
    #expect(applied[0].voided == VoidedCase(control: "control", controlVerdict: .timeout, verdict: .failed))
    #expect(applied[0].deviations == deviating.deviations)
    #expect(applied[1].voided == nil)
  }
}
