import ScenarioModel

/// What an interruption leaves to be judged.
package enum Interruption {
  private struct Key: Hashable {
    var scenario: String
    var world: WorldName
    var family: AddressFamily?
    /// Another subject's control vouches for nothing of this one's.
    var program: String?

    init(_ scenario: String, _ world: WorldName, _ variant: Variant, isOfFamily: Bool = true) {
      self.scenario = scenario
      self.world = world
      family = isOfFamily ? variant.family : nil
      program = variant.program
    }
  }

  /// Drops the results whose control was planned but had not run at the interruption; the others keep their order. A
  /// control that is dropped itself counts as not run. Results whose control was never planned in that world stay;
  /// `SuiteVerdict` makes them errors.
  package static func judged(
    _ results: [CaseResult], of plan: [PlannedCase], scenarios: [Scenario]
  ) -> [CaseResult] {
    let controls = ControlHealth(scenarios)
    var planned: Set<Key> = []
    let isNeeded = scenarios.map { controls.isControl($0.id) }
    for item in plan where isNeeded[item.scenario] {
      let id = scenarios[item.scenario].id
      planned.insert(Key(id, item.world, item.variant))
      planned.insert(Key(id, item.world, item.variant, isOfFamily: false))
    }
    var judged = results
    while true {
      let ran = Set(judged.lazy.filter { controls.isControl($0.scenario) }.flatMap(keys))
      let kept = judged.filter { result in
        guard let control = controls.control(of: result.scenario) else { return true }
        var key = Key(control, result.world, result.variant)
        if !planned.contains(key) { key.family = nil }
        return ran.contains(key) || !planned.contains(key)
      }
      // A chain of controls is as long as its authors made it: each turn takes one link.
      guard kept.count < judged.count else { return kept }
      judged = kept
    }
  }

  private static func keys(of result: CaseResult) -> [Key] {
    [true, false].map { Key(result.scenario, result.world, result.variant, isOfFamily: $0) }
  }
}
