import ScenarioModel

/// The scenarios that cite what a planted bug breaks, as long as they are needed: a requirement of which one has turned
/// red needs no other, unless each citation is to be proved.
package struct CitingScenarios: Equatable, Sendable {
  /// By the requirement: those that cite it, by the worlds in which they are played.
  private var needed: [String: [WorldName: Set<String>]] = [:]
  private let needsEach: Bool

  /// - Parameter needsEach: a scenario that has turned red speaks for itself alone.
  package init(needsEach: Bool = false) { self.needsEach = needsEach }

  /// Whether nothing is to be played.
  package var isEmpty: Bool { needed.isEmpty }

  /// Adds a scenario that cites the requirement, with the worlds in which it is played.
  package mutating func add(_ scenario: String, of requirement: String, in worlds: [WorldName]) {
    for world in worlds { needed[requirement, default: [:]][world, default: []].insert(scenario) }
  }

  /// What is to be played in a world, in order: each scenario once, whatever it cites.
  func names(in world: WorldName) -> [String] {
    needed.values.reduce(into: Set()) { $0.formUnion($1[world] ?? []) }.sorted()
  }

  /// These have turned red: the requirements that they cite need no others.
  mutating func note(red: [String]) {
    guard !needsEach else {
      needed = needed.mapValues { worlds in worlds.mapValues { $0.subtracting(red) } }
      return
    }
    needed = needed.filter { worlds in !worlds.value.values.contains { !$0.isDisjoint(with: red) } }
  }
}
