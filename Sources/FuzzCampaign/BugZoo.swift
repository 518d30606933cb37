import FuzzHarness

/// The proof that the laboratory can see: bugs planted on purpose, and whether they are found.
package struct BugZoo: Hashable, Sendable, Codable {
  /// Sorted by name.
  package var mutants: [Mutant]

  package init(_ mutants: [Mutant]) { self.mutants = mutants.sorted { $0.name < $1.name } }

  /// Those that count: the others do nothing that anybody could see.
  package var counted: [Mutant] { mutants.filter { $0.equivalence == nil } }
  /// Of those that count, those that fuzzing, the scenario suite or Swift tests found.
  package var found: [Mutant] { counted.filter(\.isFound) }
  /// Of those that count, those that nothing found.
  package var survivors: [Mutant] { counted.filter { !$0.isFound } }
  /// 0…1; nil: there is no mutant.
  package var killRate: Double? { share(found.count, of: counted) }
  /// Of those that count, those that a fuzz target was let loose on: most bugs are in what no target runs.
  package var hunted: [Mutant] { counted.filter { !$0.hunts.isEmpty } }
  /// The share of the hunted that fuzzing found; nil: there is none.
  package var fuzzKillRate: Double? { share(hunted.count { $0.isFoundByFuzzing }, of: hunted) }

  private func share(_ count: Int, of mutants: [Mutant]) -> Double? {
    mutants.isEmpty ? nil : Double(count) / Double(mutants.count)
  }
}

/// A planted bug.
package struct Mutant: Hashable, Sendable, Codable {
  /// Unique among the planted bugs.
  package var name: String
  /// What it does wrong, in one line.
  package var what: String
  /// The reported bug or the entry of the contract that it imitates.
  package var origin: String?
  /// Tells what was planted from what was planted under the same name before; nil: it was not recorded.
  package var edits: String?
  /// Why it cannot be seen; nil: it must be found.
  package var equivalence: String?
  /// Campaigns against it, one per target and lane.
  package var hunts: [Hunt] = []
  /// Whether the scenario suite finds it; nil: not run.
  package var isFoundByScenarios: Bool?
  /// Scenarios that turned red, the first few.
  package var scenarios: [String] = []
  /// What the suite saw in each world that it was run in; nil: it was not recorded.
  package var sightings: [Sighting]?
  /// The Swift tests that turned red, each by its file and its name; nil: not run.
  package var tests: [String]?

  package init(_ name: String, what: String) {
    self.name = name
    self.what = what
  }

  /// Takes over what the scenario suite saw.
  package mutating func note(_ sightings: [Sighting]) {
    self.sightings = sightings
    isFoundByScenarios = sightings.contains { !$0.scenarios.isEmpty }
    var names: [String] = []
    for name in sightings.flatMap({ $0.scenarios.prefix(3) }) where !names.contains(name) { names.append(name) }
    scenarios = Array(names.prefix(3))
  }

  /// What the first red scenario said first.
  package var firstDeviation: String? { sightings?.lazy.compactMap(\.deviation).first }

  /// Whether fuzzing or the scenario suite have looked for it, or a Swift test has found it. That the tests which
  /// declare what it breaks have missed it says nothing of the others.
  package var isVisited: Bool { !hunts.isEmpty || isFoundByScenarios != nil || isFoundByTests }
  /// Whether a target found it in one of the lanes, by more than half of its seeds.
  package var isFoundByFuzzing: Bool { hunts.contains(where: \.isFound) }
  /// Whether a Swift test turned red that declares what it breaks.
  package var isFoundByTests: Bool { tests?.isEmpty == false }
  /// By fuzzing, by the scenario suite or by Swift tests.
  package var isFound: Bool { isFoundByFuzzing || isFoundByScenarios == true || isFoundByTests }
}

/// What the scenario suite saw of one mutant in one world.
package struct Sighting: Hashable, Sendable, Codable {
  /// `simulated` or `loopback`.
  package var world: String
  /// Those that turned red, in order; empty: none.
  package var scenarios: [String]
  /// What the first of them says first, in the words of its report: whether a reader is led to the cause.
  package var deviation: String?

  package init(world: String, scenarios: [String], deviation: String?) {
    self.world = world
    self.scenarios = scenarios
    self.deviation = deviation
  }
}

/// Trials of one target against one mutant.
package struct Hunt: Hashable, Sendable, Codable {
  /// The target's name in the catalogue.
  package var target: String
  /// The lane that the target was built for.
  package var lane: FuzzTarget.Lane
  /// Each trial's time at most.
  package var limitSeconds: Double
  /// One per seed, in their order.
  package var trials: [HuntTrial]

  package init(target: String, lane: FuzzTarget.Lane, limitSeconds: Double, trials: [HuntTrial]) {
    self.target = target
    self.lane = lane
    self.limitSeconds = limitSeconds
    self.trials = trials
  }

  /// By more than half of the seeds: a median exists. One lucky seed proves nothing.
  package var isFound: Bool { 2 * trials.count(where: \.isFound) > trials.count }
  /// A seed that did not find it counts as infinitely many; nil: the median is one of those.
  package var medianExecutions: Double? { median { $0.executions.map(Double.init) } }
  /// As `medianExecutions`, in seconds of wall time.
  package var medianSeconds: Double? { median { $0.seconds } }

  private func median(_ value: (HuntTrial) -> Double?) -> Double? {
    let values = trials.map { $0.isFound ? value($0) ?? .infinity : .infinity }
    return Spread(values).flatMap { $0.median.isFinite ? $0.median : nil }
  }
}

/// One search for the mutant, with one seed.
package struct HuntTrial: Hashable, Sendable, Codable {
  /// libFuzzer's seed.
  package var seed: UInt64
  /// Whether it ended with a finding.
  package var isFound: Bool
  /// Until it was found, or until the limit; nil: not known.
  package var executions: Int?
  /// Wall time until it was found, or until the limit; nil: not known.
  package var seconds: Double?
  /// What the finding was called, as in `Finding.key`.
  package var key: String?

  package init(seed: UInt64, isFound: Bool, executions: Int?, seconds: Double?, key: String? = nil) {
    self.seed = seed
    self.isFound = isFound
    self.executions = executions
    self.seconds = seconds
    self.key = key
  }
}
