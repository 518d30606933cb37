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
    /// Whether fuzz targets look for the bugs.
    package var hunts: Bool

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

  package enum Event: Sendable {
    case building(String)
    /// All that look for it have looked.
    case judged(Mutant)
  }

  /// What a run came to.
  package struct Outcome {
    /// The bugs that were looked for, with what found them.
    package var zoo: BugZoo
    /// The published table, if it was written.
    package var table: String?
  }

  private let options: Options
  private let chosen: [(number: Int, bug: PlantedBug)]
  private let stop: StopFlag
  private let citing: @Sendable (PlantedBug) -> [WorldName: [String]]
  private let layout = FuzzLayout()
  private let tree = MutantTree()
  private let lane = FuzzTarget.Lane.cov

  /// - Parameters:
  ///   - chosen: with their numbers in the list of all.
  ///   - citing: the scenarios that cite what a bug breaks, by the worlds in which they are played.
  ///   - stop: ends the run early; what is under way comes to its end.
  package init(
    _ chosen: [(number: Int, bug: PlantedBug)], _ options: Options,
    citing: @escaping @Sendable (PlantedBug) -> [WorldName: [String]] = { _ in [:] }, stop: StopFlag
  ) {
    self.citing = citing
    self.options = options
    self.chosen = chosen
    self.stop = stop
  }

  /// - Parameter tell: is called from any thread.
  package func run(tell: @escaping @Sendable (Event) -> Void) throws -> Outcome {
    let deathPipe = try ParentDeathPipe()
    let hunt = MutantSearch(
      tree: tree, layout: layout, deathPipe: deathPipe, lane: lane, limit: .seconds(options.seconds),
      seeds: (1...UInt32(options.seeds)).map { $0 })
    try tree.prepare()
    try build(deathPipe, tell)
    try checkThatNothingIsFoundWithoutABug(hunt)
    let mutants = Mutex<[Mutant]>([])
    let failure = Mutex<LabFailure?>(nil)
    ParallelWork.run(chosen, jobs: options.jobs) { number, bug in
      guard !stop.isSet, failure.withLock({ $0 == nil }) else { return }
      do {
        var mutant = Mutant(bug.id, what: bug.defect)
        mutant.origin = bug.origin
        mutant.equivalence = bug.equivalence
        if options.hunts { mutant.hunts = try hunt.hunts(bug, number: number) { stop.isSet } }
        if options.plays {
          mutant.note(
            try hunt.sightings(
              bug, number: number, seeds: options.scenarioSeeds, citing: citing(bug)))
        }
        tell(.judged(mutant))
        mutants.withLock { $0.append(mutant) }
      } catch let error as LabFailure { failure.withLock { $0 = error } } catch {
        failure.withLock { $0 = LabFailure("\(error)") }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
    let zoo = BugZoo(mutants.withLock { $0 })
    return Outcome(
      zoo: zoo, table: try write(zoo, isWhole: chosen.count == PlantedBug.all.count && !stop.isSet))
  }

  private var targets: [FuzzTarget] {
    let names = Set(chosen.flatMap(\.bug.targets))
    return FuzzTarget.all.filter { names.contains($0.name) && $0.lanes.contains(lane) }
  }

  private func build(_ deathPipe: ParentDeathPipe, _ tell: (Event) -> Void) throws {
    if options.hunts {
      for target in targets {
        tell(.building(target.product))
        try tree.build(target, lane, deathPipe: deathPipe)
      }
    }
    if options.plays {
      tell(.building("socketlab"))
      try tree.buildLab(deathPipe: deathPipe)
    }
  }

  /// With every bug locked up nobody may find anything, or a finding would prove nothing.
  private func checkThatNothingIsFoundWithoutABug(_ hunt: MutantSearch) throws {
    if options.hunts {
      for target in targets {
        let trial = try hunt.trial(0, target, seed: 1, budget: .time(.seconds(min(options.seconds, 5))))
        if trial.isFound { throw LabFailure("\(target.name) finds \(trial.key ?? "something") without any mutant.") }
      }
    }
    guard options.plays else { return }
    for sighting in try hunt.sightings(nil, number: 0, seeds: options.scenarioSeeds) {
      guard let red = sighting.scenarios.first else { continue }
      throw LabFailure(
        "The scenario \(red) is red in the world \(sighting.world) without any mutant: \(sighting.deviation ?? "").")
    }
  }

  /// A part brings the record of the whole up to date, if it is of the same sources and left nobody out. Gives the
  /// table's place; nil: it stays as it is.
  private func write(_ zoo: BugZoo, isWhole: Bool) throws -> String? {
    guard options.hunts, options.plays,
      let record = try isWhole ? MutationRecord(zoo) : MutationRecord.updated(with: zoo)
    else {
      return nil
    }
    try HostFiles.makeFolder("\(layout.fuzz)/zoo")
    let table = MutationTable.markdown(
      record.zoo, seeds: options.seeds, seconds: options.seconds, scenarioSeeds: options.scenarioSeeds)
    try HostFiles.write(table.utf8, to: Self.table)
    try record.write()
    return Self.table
  }

  private static let table = "Fuzz/zoo/README.md"
}
