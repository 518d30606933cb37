import ScenarioModel

/// A control that did not pass, and the cases that prove nothing without it.
package struct FailedControl: Hashable, Sendable {
  /// The control's scenario id.
  package var scenario: String
  /// Places of its own cases that are not as expected; empty: it did not run.
  package var cases: [Int] = []
  /// Places of the cases it voids, directly or through controls that it voids themselves; in the report's order.
  package var dependants: [Int] = []
  /// How many scenarios those are of.
  package var scenarios = 0
  /// Those of them that have deviations of their own, or did not come to an end.
  package var deviating: [Int] = []

  /// Of all the cases of a run; those that void most come first.
  package static func all(in cases: [CaseResult]) -> [FailedControl] {
    struct Key: Hashable {
      var scenario: String
      var world: WorldName
    }
    var parents: [Key: String] = [:]
    for result in cases {
      guard let voided = result.voided else { continue }
      parents[Key(scenario: result.scenario, world: result.world)] = voided.control
    }
    guard !parents.isEmpty else { return [] }
    var controls: [String: FailedControl] = [:]
    var members: [String: Set<String>] = [:]
    for (place, result) in cases.enumerated() {
      guard let voided = result.voided else { continue }
      // A control of a control: what fails both is the first. Controls that go round in a circle end the way.
      var root = voided.control
      var passed: Set<String> = [result.scenario]
      while passed.insert(root).inserted, let next = parents[Key(scenario: root, world: result.world)],
        !passed.contains(next)
      {
        root = next
      }
      controls[root, default: FailedControl(scenario: root)].dependants.append(place)
      if result.deviatesAlone { controls[root]?.deviating.append(place) }
      members[root, default: []].insert(result.scenario)
    }
    for (place, result) in cases.enumerated()
    where (!result.isAsExpected || result.known != nil) && result.voided == nil {
      controls[result.scenario]?.cases.append(place)
    }
    for (root, scenarios) in members { controls[root]?.scenarios = scenarios.count }
    return controls.values.sorted { ($1.dependants.count, $0.scenario) < ($0.dependants.count, $1.scenario) }
  }

  /// The order in which a reader wants the cases that need a look: failed controls, then what deviates though its
  /// control passed; what proves nothing comes last, what deviates by itself before what does not.
  package static func ranks(of cases: [CaseResult], _ controls: [FailedControl]) -> [Int] {
    let failed = Set(controls.flatMap(\.cases))
    return cases.enumerated().map { place, result in
      if failed.contains(place) { return 0 }
      guard result.voided != nil else { return result.isAsExpected ? 4 : 1 }
      return result.deviatesAlone ? 2 : 3
    }
  }

  /// `2,097 cases of 540 scenarios prove nothing without it`.
  package var cost: String {
    let verb = dependants.count == 1 ? "proves" : "prove"
    return "\(QuantityText.count(dependants.count, "case")) of \(QuantityText.count(scenarios, "scenario")) "
      + "\(verb) nothing without it"
  }

  /// `1,900 of them deviate themselves`; nil: none does.
  package var remainder: String? {
    switch deviating.count {
    case 0: nil
    case 1: "1 of them deviates itself"
    default: "\(QuantityText.count(deviating.count)) of them deviate themselves"
    }
  }
}

extension CaseResult {
  /// Whether a case that its control does not vouch for shows something of its own.
  var deviatesAlone: Bool {
    guard let voided else { return false }
    return !deviations.isEmpty || voided.verdict == .crash || voided.verdict == .hang
  }
}
