import ScenarioModel

/// One of several parts of a suite that run on different machines.
///
/// Law: a case belongs to the same shard whatever else is in the suite; its scenario, variant and world decide, so that
/// all its seeds and repetitions are in one. Canaries, and the controls of what a shard has, are also played by the
/// shards that need them and do not own them.
package struct Shard: Hashable, Sendable, Codable {
  /// From 1.
  package var index: Int
  /// How many there are.
  package var count: Int

  private static let most = 1000

  /// Reads `2/4`; nil: the text says nothing of the kind.
  package init?(text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]), (1...Self.most).contains(count),
      (1...count).contains(index), !text.contains("+")
    else { return nil }
    (self.index, self.count) = (index, count)
  }

  /// `2/4`
  package var text: String { "\(index)/\(count)" }

  /// Whether the case belongs to it.
  package func owns(scenario: String, variant: Variant, world: WorldName) -> Bool {
    Self.hash("\(scenario) \(variant.name) \(world.rawValue)") % UInt64(count) == UInt64(index - 1)
  }

  private func owns(_ planned: PlannedCase, of scenarios: [Scenario]) -> Bool {
    owns(scenario: scenarios[planned.scenario].id, variant: planned.variant, world: planned.world)
  }

  private static func hash(_ text: String) -> UInt64 {
    // The low bits of the hash alone are those of the last bytes.
    SplitMix64.mix(ContentHash(of: text.utf8).value)
  }

  /// The part of the plan that belongs to it, in the plan's order, with the canaries and controls that it needs.
  package func part(of plan: [PlannedCase], _ scenarios: [Scenario]) -> [PlannedCase] {
    let own = plan.lazy.filter { scenarios[$0.scenario].canary || owns($0, of: scenarios) }
    let controls = ControlChain.ids(of: own.map(\.scenario), in: scenarios)
    return plan.filter { planned in
      let scenario = scenarios[planned.scenario]
      return scenario.canary || controls.contains(scenario.id) || owns(planned, of: scenarios)
    }
  }

  /// What tells plans apart: equal for all shards of one suite.
  ///
  /// - Parameter contents: hashes of what the scenarios' files hold, by id.
  package static func hash(of plan: [PlannedCase], _ scenarios: [Scenario], contents: [String: String]) -> String {
    var hash = ContentHash()
    for planned in plan {
      let id = scenarios[planned.scenario].id
      let content = contents[id] ?? ""
      hash.update("\(id) \(content) \(planned.variant.name) \(planned.world.rawValue) \(planned.seed)\0".utf8)
    }
    return hash.text
  }
}
