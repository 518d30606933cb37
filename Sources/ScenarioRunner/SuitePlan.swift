import ScenarioModel

/// What of a suite shall run.
package struct SuiteSelection: Hashable, Sendable {
  /// Scenario ids, files of cases, or folders of them at any depth (`read`, `read/delimiter`); empty: all.
  package var ids: [String]
  /// Globs over ids: `?` one character, `*` any within a component, `**` any. One without a slash may fit the last
  /// component alone. Empty: all.
  package var filters: [String]
  /// Scenarios with any of these tags; empty: all.
  package var tags: [String]
  /// A glob over the names of variants; nil: all of them.
  package var variants: String?
  /// Whether canaries run whatever else is selected: they prove that the judge can see.
  package var alwaysCanaries: Bool

  package init(
    ids: [String] = [], filters: [String] = [], tags: [String] = [], variants: String? = nil,
    alwaysCanaries: Bool = true
  ) {
    self.ids = ids
    self.filters = filters
    self.tags = tags
    self.variants = variants
    self.alwaysCanaries = alwaysCanaries
  }

  /// The scenarios that were asked for by id, filter, tag and variant (all four), as indices in their order.
  package func chosen(of scenarios: [Scenario]) -> [Int] {
    let named = IDSelection(ids)
    let globs = filters.map { Glob($0) }
    return scenarios.indices.filter { index in
      let id = scenarios[index].id
      return (ids.isEmpty || named.covers(id))
        && (globs.isEmpty || globs.contains { $0.matches(id) })
        && (tags.isEmpty || tags.contains { scenarios[index].tags.contains($0) })
        && (variants == nil || !fittingVariants(of: scenarios[index]).isEmpty)
    }
  }

  /// The variants of a scenario in the plan that run: those asked for; all of a canary or control that has none such.
  func runningVariants(of scenario: Scenario) -> [Variant] {
    let fitting = fittingVariants(of: scenario)
    return fitting.isEmpty ? scenario.variants : fitting
  }

  private func fittingVariants(of scenario: Scenario) -> [Variant] {
    guard let glob = variants.map({ Glob($0) }) else { return scenario.variants }
    return scenario.variants.filter { glob.matches($0.name) }
  }
}

/// Ids, files of cases, or folders of them at any depth. A look-up costs the depth of the id, however many names there
/// are.
package struct IDSelection: Sendable {
  private let names: Set<Substring>

  package init(_ names: [String]) { self.names = Set(names.map(Self.plain)) }

  /// Whether the id, the file it is a case of, or a folder it is in, was named.
  package func covers(_ id: String) -> Bool { !names.isDisjoint(with: Self.places(of: id)) }

  /// Those of the names that cover none of the ids, in the order of `names`.
  static func unknown(_ names: [String], in scenarios: [Scenario]) -> [String] {
    var unknown = Set(names.map(plain))
    guard !unknown.isEmpty else { return [] }
    for scenario in scenarios { unknown.subtract(places(of: scenario.id)) }
    return names.filter { unknown.contains(plain($0)) }
  }

  /// The id, the file it is a case of, and all folders it is in.
  private static func places(of id: String) -> [Substring] {
    var places = [id[...]]
    while let end = places[places.count - 1].lastIndex(where: { $0 == "/" || $0 == "#" }) { places.append(id[..<end]) }
    return places
  }

  private static func plain(_ name: String) -> Substring {
    var folder = name[...]
    while folder.hasSuffix("/") { folder.removeLast() }
    return folder
  }
}

/// One case to run.
package struct PlannedCase: Hashable, Sendable {
  /// Index into the scenarios the plan was made of.
  package var scenario: Int
  /// The point of the matrix it runs at.
  package var variant: Variant
  /// The world it runs in.
  package var world: WorldName
  /// The seed it runs with.
  package var seed: UInt64

  package init(scenario: Int, variant: Variant, world: WorldName, seed: UInt64) {
    self.scenario = scenario
    self.variant = variant
    self.world = world
    self.seed = seed
  }
}

/// The cases of a run, in a stable order: controls first, so that it is known early what proves nothing; then by
/// scenario id, then as the matrix unfolds, then world, then seed.
///
/// The control of every scenario in the plan is in the plan too, in the worlds and seeds of the run, because without it
/// the scenario's verdict is void.
package struct SuitePlan: Sendable {
  /// In the order in which they are to run.
  package private(set) var cases: [PlannedCase] = []
  /// Names of the selection that no scenario has; what was meant is for the command line to guess.
  package private(set) var unknown: [String] = []
  /// Controls that some scenario names and that do not exist: scenario id and control id.
  package private(set) var missingControls: [(scenario: String, control: String)] = []

  /// In the simulated world every case runs with each of the seeds, on loopback with the first only.
  package init(
    _ scenarios: [Scenario], selection: SuiteSelection, worlds: Set<WorldName>, seeds: [UInt64]
  ) {
    unknown = IDSelection.unknown(selection.ids, in: scenarios)
    var chosen = Set(selection.chosen(of: scenarios))
    if selection.alwaysCanaries { chosen.formUnion(scenarios.indices.filter { scenarios[$0].canary }) }
    addControls(scenarios, &chosen)
    let controls = Set(chosen.compactMap { scenarios[$0].control })
    let followers = Set(chosen.filter { !controls.contains(scenarios[$0].id) })
    let order = chosen.sorted { one, other in
      let isLater = followers.contains(one)
      guard isLater == followers.contains(other) else { return !isLater }
      return (scenarios[one].id, one) < (scenarios[other].id, other)
    }
    let worldOrder = WorldName.allCases.filter(worlds.contains)
    for index in order {
      for variant in selection.runningVariants(of: scenarios[index]) {
        for world in worldOrder where scenarios[index].worlds.contains(world) {
          for seed in world == .loopback ? Array(seeds.prefix(1)) : seeds {
            cases.append(PlannedCase(scenario: index, variant: variant, world: world, seed: seed))
          }
        }
      }
    }
  }

  private mutating func addControls(_ scenarios: [Scenario], _ chosen: inout Set<Int>) {
    let needed = ControlChain.ids(of: chosen, in: scenarios)
    chosen.formUnion(scenarios.indices.filter { needed.contains(scenarios[$0].id) })
    let known = Set(scenarios.map(\.id))
    missingControls = chosen.compactMap { index in
      scenarios[index].control.flatMap { known.contains($0) ? nil : (scenarios[index].id, $0) }
    }
    missingControls.sort { $0 < $1 }
  }
}
