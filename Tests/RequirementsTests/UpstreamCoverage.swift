import Requirements
import ScenarioModel

/// Which behaviours of the original scenarios show under the profile `upstream`, and which cannot be seen.
///
/// Law: of each requirement with `upstream` a scenario that cites it has an alternative for that profile alone, or
/// `upstreamUnseen` says why there is none.
struct UpstreamCoverage {
  /// Requirements with `upstream` that nothing shows, and that have no reason.
  let unexplained: [String]

  /// - Parameter scenarios: those that are judged; canaries show nothing.
  init(_ register: RequirementRegister, scenarios: [Scenario]) {
    var shown: Set<String> = []
    for scenario in scenarios where !scenario.canary && Self.isForOriginal(scenario.expectations) {
      shown.formUnion(scenario.requirements)
    }
    let silent = register.requirements.filter { $0.upstream != nil && $0.upstreamUnseen == nil }
    unexplained = silent.map(\.id).filter { !shown.contains($0) }
  }

  private static func isForOriginal(_ expectations: [Expectation]) -> Bool {
    expectations.contains { expectation in
      switch expectation {
      case .event, .stream, .nothing: false
      case .anyOrder(let items, _): isForOriginal(items)
      case .oneOf(let alternatives, _):
        alternatives.contains { $0.profile == .upstream || isForOriginal($0.expectations) }
      }
    }
  }
}
