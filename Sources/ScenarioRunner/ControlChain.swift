import ScenarioModel

/// The controls that vouch for some scenarios: a control may have one of its own, and without that one nothing vouches
/// for it.
package enum ControlChain {
  /// Ids of the controls of these scenarios, of the controls' own, and so on.
  ///
  /// - Parameter places: where the scenarios asked about stand in `scenarios`.
  package static func ids(of places: some Sequence<Int>, in scenarios: [Scenario]) -> Set<String> {
    let controls = Dictionary(
      scenarios.compactMap { scenario in scenario.control.map { (scenario.id, $0) } },
      uniquingKeysWith: { first, _ in first })
    var found: Set<String> = []
    var pending = Set(places).compactMap { scenarios[$0].control }
    while let id = pending.popLast() {
      guard found.insert(id).inserted, let next = controls[id] else { continue }
      pending.append(next)
    }
    return found
  }
}
