import ScenarioModel

/// What only the whole run can say of a case.
package enum SuiteVerdict {
  /// Applies the controls: a case whose control did not pass in the same world and address family proves nothing, so
  /// its verdict becomes `error` with the reason, `voided` keeps what the judge said, and nothing on record excuses it.
  /// Order and everything else stay. A control that runs in no such family is looked for in the same world. Cases that
  /// were skipped or unsupported stay so. A crash and a hang prove themselves, unless the control ended in the same
  /// way. A control that the subject does not offer is replaced by the control's own; without one the case stands as
  /// it was judged, and `missingControl` says so.
  package static func applyControls(_ results: [CaseResult], scenarios: [Scenario]) -> [CaseResult] {
    var health = ControlHealth(scenarios)
    for result in results { health.note(result) }
    return results.map { result in
      guard let voided = health.voiding(of: result) else {
        guard let missing = health.missingControl(of: result) else { return result }
        var alone = result
        alone.missingControl = missing
        return alone
      }
      var void = result
      void.verdict = .error
      void.voided = voided
      void.known = nil
      let complaint =
        voided.controlVerdict.map { "did not pass (\($0.rawValue))" }
        ?? "did not run in the \(result.world.rawValue) world"
      void.reason = "its control \(voided.control) \(complaint)"
      return void
    }
  }
}

/// How the controls of a run fare.
package struct ControlHealth: Sendable {
  private struct Key: Hashable {
    var scenario: String
    var world: WorldName
    /// nil: any family.
    var family: AddressFamily?
    /// nil: the library that comes with the lab.
    var program: String?
  }

  /// Scenario id to the id of its control.
  private let controls: [String: String]
  private let needed: Set<String>
  /// The first verdict that was no pass; nothing while all passed.
  private var bad: [Key: Verdict] = [:]
  private var seen: Set<Key> = []
  /// Controls that the subject was not asked, in no family of the key's.
  private var unsupported: Set<Key> = []

  /// Knows the controls of these scenarios, and no result yet.
  package init(_ scenarios: [Scenario]) {
    controls = Dictionary(
      scenarios.compactMap { scenario in scenario.control.map { (scenario.id, $0) } },
      uniquingKeysWith: { first, _ in first })
    needed = Set(controls.values)
  }

  /// Whether some scenario names it as its control.
  package func isControl(_ scenario: String) -> Bool { needed.contains(scenario) }

  /// The id of the scenario's control; nil: it has none.
  package func control(of scenario: String) -> String? { controls[scenario] }

  /// Takes the result of a control into account; others are ignored.
  package mutating func note(_ result: CaseResult) {
    guard needed.contains(result.scenario) else { return }
    // What the subject does not offer says nothing of the lab.
    if result.verdict == .unsupported {
      unsupported.insert(
        Key(scenario: result.scenario, world: result.world, family: nil, program: result.variant.program))
      return
    }
    let passed = result.verdict == .passed || result.verdict == .passedNonStrict
    for family in [result.variant.family, nil] {
      let key = Key(
        scenario: result.scenario, world: result.world, family: family, program: result.variant.program)
      seen.insert(key)
      if !passed, bad[key] == nil { bad[key] = result.verdict }
    }
  }

  /// How the case's control voids it; nil when the control passed, or the case needs none.
  package func voiding(of result: CaseResult) -> VoidedCase? {
    guard let (control, key) = validatingControl(of: result), let control else { return nil }
    let provesItself = [.crash, .hang, .violation].contains(result.verdict)
    guard let key else {
      return provesItself ? nil : VoidedCase(control: control, controlVerdict: nil, verdict: result.verdict)
    }
    guard let verdict = bad[key], !provesItself || verdict == result.verdict else { return nil }
    return VoidedCase(control: control, controlVerdict: verdict, verdict: result.verdict)
  }

  /// The id of the case's control, if the subject does not support it and no other one stands in its place; otherwise
  /// nil.
  package func missingControl(of result: CaseResult) -> String? {
    guard let (control, _) = validatingControl(of: result), control == nil else { return nil }
    return controls[result.scenario]
  }

  /// The control that validates the case: its own, or if the subject does not support that, the control's own control,
  /// and so on. Without a name: the subject supports none of them. Without a key: the control did not run. nil: the
  /// case needs none.
  private func validatingControl(of result: CaseResult) -> (control: String?, key: Key?)? {
    guard result.verdict != .skipped, result.verdict != .unsupported else { return nil }
    var next = controls[result.scenario]
    guard next != nil else { return nil }
    var passed: Set<String> = [result.scenario]
    while let control = next, passed.insert(control).inserted {
      var key = Key(
        scenario: control, world: result.world, family: result.variant.family, program: result.variant.program)
      if !seen.contains(key) { key.family = nil }
      if seen.contains(key) { return (control, key) }
      guard unsupported.contains(key) else { return (control, nil) }
      next = controls[control]
    }
    return (nil, nil)
  }
}
