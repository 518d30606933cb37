import CampaignRunner
import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import PlantedBugs
import ScenarioModel
import Synchronization

/// One visit of the zoo.
package struct MutationRun {
  /// How long and with what the bugs are looked for.
  package struct Options: Sendable {
    /// For one trial.
    package var seconds: Int
    /// Trials of a target against a bug.
    package var seeds: Int
    /// Trials at the same time.
    package var jobs: Int
    /// Seeds that the suite may need in the simulated world.
    package var scenarioSeeds: Int
    /// Whether the suite looks for the bugs.
    package var plays: Bool
    /// Whether all scenarios look for a bug that those which cite what it breaks have not noticed.
    package var playsWholeSuite = true
    /// Whether fuzz targets look for the bugs.
    package var hunts: Bool
    /// Whether Swift tests look for the bugs.
    package var tests = false

    package init(
      seconds: Int, seeds: Int, jobs: Int, scenarioSeeds: Int, plays: Bool = true, hunts: Bool = true
    ) {
      self.seconds = seconds
      self.seeds = seeds
      self.jobs = jobs
      self.scenarioSeeds = scenarioSeeds
      self.plays = plays
      self.hunts = hunts
    }
  }

  /// What is told while a run is under way.
  package enum Event: Sendable {
    case building(String)
    /// All that look for it have looked; of the scenarios, by their ids, the worlds in which each has.
    case judged(Mutant, looked: [String: Set<WorldName>])
  }

  /// What a run came to.
  package struct Outcome {
    /// The bugs that were looked for, with what found them.
    package var zoo: BugZoo
    /// Where the published table is.
    package var table: String
  }

  private let options: Options
  private let chosen: [(number: Int, bug: PlantedBug)]
  private let stop: StopFlag
  private let citing: @Sendable (PlantedBug) -> CitingScenarios
  private let declaring: @Sendable (PlantedBug) -> [TestPlace]
  private let layout = FuzzLayout()
  private let tree = MutantTree()
  private let lane = FuzzTarget.Lane.cov

  /// - Parameters:
  ///   - chosen: with their numbers in the list of all.
  ///   - citing: the scenarios that cite what a bug breaks.
  ///   - declaring: the Swift tests that declare it.
  ///   - stop: ends the run early; what is under way comes to its end.
  package init(
    _ chosen: [(number: Int, bug: PlantedBug)], _ options: Options,
    citing: @escaping @Sendable (PlantedBug) -> CitingScenarios = { _ in CitingScenarios() },
    declaring: @escaping @Sendable (PlantedBug) -> [TestPlace] = { _ in [] }, stop: StopFlag
  ) {
    self.citing = citing
    self.declaring = declaring
    self.options = options
    self.chosen = chosen
    self.stop = stop
  }

  /// - Parameter tell: is called from any thread; what it throws ends the visit.
  package func run(tell: @escaping @Sendable (Event) throws -> Void) throws -> Outcome {
    let deathPipe = try ParentDeathPipe()
    let hunt = MutantSearch(
      tree: tree, layout: layout, deathPipe: deathPipe, lane: lane, limit: .seconds(options.seconds),
      seeds: (1...UInt32(options.seeds)).map { $0 })
    try tree.prepare()
    try build(deathPipe, tell)
    try checkThatNothingIsFoundWithoutABug(hunt)
    let record = try MutationRecord.committed()
    let mutants = Mutex((judged: [Mutant](), record: record))
    let failure = Mutex<LabFailure?>(nil)
    ParallelWork.run(chosen, jobs: options.jobs) { number, bug in
      guard !stop.isSet, failure.withLock({ $0 == nil }) else { return }
      do {
        let (mutant, looked) = try judge(bug, number, hunt)
        try mutants.withLock {
          $0.judged.append(mutant)
          // At once: a visit takes hours, and may be ended.
          $0.record.take(mutant, isPart: !options.playsWholeSuite)
          try $0.record.write()
        }
        try tell(.judged(mutant, looked: looked))
      } catch let error as LabFailure { failure.withLock { $0 = error } } catch {
        failure.withLock { $0 = LabFailure("\(error)") }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
    let (judged, updated) = mutants.withLock { ($0.judged, $0.record) }
    return Outcome(zoo: BugZoo(judged), table: try write(updated))
  }

  private func judge(
    _ bug: PlantedBug, _ number: Int, _ hunt: MutantSearch
  ) throws -> (Mutant, looked: [String: Set<WorldName>]) {
    var mutant = Mutant(bug)
    var looked: [String: Set<WorldName>] = [:]
    if options.hunts { mutant.hunts = try hunt.hunts(bug, number: number) { stop.isSet } }
    if options.plays {
      let seen = try hunt.sightings(
        bug, number: number, seeds: options.scenarioSeeds, citing: citing(bug), isWhole: options.playsWholeSuite)
      // That a part of the suite has missed it says nothing of the suite.
      if options.playsWholeSuite || seen.isAnyRed { mutant.note(seen.sightings) }
      looked = seen.looked
    }
    let tests = options.tests ? declaring(bug) : []
    if !tests.isEmpty { mutant.tests = try hunt.redTests(of: tests, number: number).map(\.text) }
    return (mutant, looked)
  }

  private var targets: [FuzzTarget] {
    let names = Set(chosen.flatMap(\.bug.targets))
    return FuzzTarget.all.filter { names.contains($0.name) && $0.lanes.contains(lane) }
  }

  private func build(_ deathPipe: ParentDeathPipe, _ tell: (Event) throws -> Void) throws {
    if options.hunts {
      for target in targets {
        try tell(.building(target.product))
        try tree.build(target, lane, deathPipe: deathPipe)
      }
    }
    if options.plays {
      try tell(.building("socketlab"))
      try tree.buildLab(deathPipe: deathPipe)
    }
    if options.tests {
      try tell(.building("the Swift tests"))
      try tree.buildTests(deathPipe: deathPipe)
    }
  }

  /// With every bug off there must be no finding, or a finding would prove nothing.
  private func checkThatNothingIsFoundWithoutABug(_ hunt: MutantSearch) throws {
    if options.hunts {
      for target in targets {
        let trial = try hunt.trial(0, target, seed: 1, budget: .time(.seconds(min(options.seconds, 5))))
        if trial.isFound { throw LabFailure("\(target.name) finds \(trial.key ?? "something") without any mutant.") }
      }
    }
    guard options.plays, options.playsWholeSuite else { return }
    for sighting in try hunt.falseAlarms() {
      let red = sighting.scenarios[0]
      throw LabFailure(
        "The scenario \(red) is red in the world \(sighting.world) without any mutant: \(sighting.deviation ?? "").")
    }
  }

  /// Writes the table of all bugs, with what is on record of each, and the record once more: what it is of.
  private func write(_ record: MutationRecord) throws -> String {
    var record = record
    let isWhole = chosen.count == PlantedBug.all.count && !stop.isSet && options.hunts && options.plays
    if isWhole { record.sources = try MutationRecord.fingerprint() }
    try record.write()
    let table = MutationTable.markdown(record.zoo)
    try HostFiles.write(table.utf8, to: Self.table)
    return Self.table
  }

  private static let table = "Fuzz/zoo/README.md"
}

extension Mutant {
  /// A bug that was not looked for yet.
  package init(_ bug: PlantedBug) {
    self.init(bug.id, what: bug.defect)
    origin = bug.origin
    equivalence = bug.equivalence
    edits = Fingerprint.of(Array(bug.edits.map { "\($0.path)\n\($0.replace)" }.joined(separator: "\n").utf8))
  }
}
