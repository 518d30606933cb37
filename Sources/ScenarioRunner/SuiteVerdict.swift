import ScenarioModel

/// What only the whole run can say of a case.
package enum SuiteVerdict {
  /// Applies the controls: a case whose control did not pass in the same world and address family proves nothing, so
  /// its verdict becomes `error` with the reason. Order and everything else stay. A control that runs in no such family
  /// is looked for in the same world. Cases that were skipped or unsupported stay so.
  package static func applyControls(_ results: [CaseResult], scenarios: [Scenario]) -> [CaseResult] {
    let controls = Dictionary(
      scenarios.compactMap { scenario in scenario.control.map { (scenario.id, $0) } },
      uniquingKeysWith: { first, _ in first })
    guard !controls.isEmpty else { return results }
    var health = Health()
    let needed = Set(controls.values)
    for result in results where needed.contains(result.scenario) { health.note(result) }
    return results.map { result in
      guard let control = controls[result.scenario], result.verdict != .skipped, result.verdict != .unsupported,
        let complaint = health.complaint(control, for: result)
      else { return result }
      var void = result
      void.verdict = .error
      void.reason = "its control \(control) \(complaint)"
      return void
    }
  }

  /// How the controls fared.
  private struct Health {
    private struct Key: Hashable {
      var scenario: String
      var world: WorldName
      var family: AddressFamily?
    }

    /// The worst verdict seen; nil while all passed.
    private var bad: [Key: Verdict] = [:]
    private var seen: Set<Key> = []

    mutating func note(_ result: CaseResult) {
      let passed = result.verdict == .passed || result.verdict == .passedNonStrict
      for family in [result.variant.family, nil] {
        let key = Key(scenario: result.scenario, world: result.world, family: family)
        seen.insert(key)
        if !passed, bad[key] == nil { bad[key] = result.verdict }
      }
    }

    /// Why the control does not vouch for the case; nil when it does.
    func complaint(_ control: String, for result: CaseResult) -> String? {
      var key = Key(scenario: control, world: result.world, family: result.variant.family)
      if !seen.contains(key) { key.family = nil }
      guard seen.contains(key) else { return "did not run in the \(result.world.rawValue) world" }
      return bad[key].map { "did not pass (\($0.rawValue))" }
    }
  }
}
