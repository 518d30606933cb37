import ArgumentParser
import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import PlantedBugs
import Reporting
import ScenarioModel
import Synchronization
import TerminalText

/// `socketlab fuzz zoo`: proves that the laboratory can see.
struct ZooCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "zoo",
    abstract: "Lets planted bugs out, one at a time, and says who notices: fuzzing, scenarios, or nobody.",
    discussion: """
      The bugs are grafted into a copy of the package below .build/zoo; the shipped code carries none. Each is hunted \
      by its fuzz targets with several seeds, from the committed corpus and seeds but without the regressions, and by \
      the scenario suite: in the simulated world until a seed turns a scenario red, and once over the real kernel. The \
      table goes to Fuzz/zoo/README.md when all bugs were let out.

      Exit codes: 0 every bug was noticed that can be, 1 one was not.
      """)

  @Argument(help: "Names or numbers of planted bugs. None: all.")
  var bugs: [String] = []

  @Option(help: "Seconds for one trial.")
  var time = 60

  @Option(help: "Trials of a target against a bug, each with a seed of its own.")
  var seeds = 5

  @Option(help: "How many trials run at the same time.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  @Option(help: "How many seeds the scenario suite may need in the simulated world.")
  var scenarioSeeds = 20

  @Flag(help: "Leaves the scenario suite out.")
  var noScenarios = false

  @Flag(help: "Leaves fuzzing out.")
  var noFuzzing = false

  @Flag(help: "Says which bugs there are, and runs nothing.")
  var list = false

  func validate() throws {
    guard (1...86_400).contains(time) else { throw ValidationError("--time must be between 1 and 86400 seconds.") }
    guard (1...1000).contains(seeds) else { throw ValidationError("--seeds must be between 1 and 1000.") }
    guard (1...1000).contains(scenarioSeeds) else {
      throw ValidationError("--scenario-seeds must be between 1 and 1000.")
    }
    guard (1...256).contains(jobs) else { throw ValidationError("--jobs must be between 1 and 256.") }
    guard !(noScenarios && noFuzzing) else { throw ValidationError("With neither fuzzing nor scenarios nobody looks.") }
    _ = try chosen()
  }

  func run() throws {
    let chosen = try chosen()
    guard !list else { return printList(chosen) }
    do {
      let zoo = try ZooRun(self, chosen).run()
      if !zoo.survivors.isEmpty { throw LabExit.deviation.error }
    } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
  }

  private func chosen() throws -> [(number: Int, bug: PlantedBug)] {
    let all = PlantedBug.all.enumerated().map { (number: $0.offset + 1, bug: $0.element) }
    guard !bugs.isEmpty else { return all }
    return try bugs.map { name in
      guard let found = all.first(where: { $0.bug.id == name || "\($0.number)" == name }) else {
        throw ValidationError("There is no planted bug \(name). `socketlab fuzz zoo --list` names them.")
      }
      return found
    }
  }

  private func printList(_ chosen: [(number: Int, bug: PlantedBug)]) {
    for (number, bug) in chosen {
      Console.print("\(number)  \(bug.id)  (\(bug.origin); \(bug.targets.joined(separator: ", ")))\n    \(bug.defect)")
    }
  }
}

/// One visit of the zoo.
private struct ZooRun {
  let command: ZooCommand
  let chosen: [(number: Int, bug: PlantedBug)]
  let layout = FuzzLayout()
  let tree = ZooTree()
  let lane = FuzzTarget.Lane.cov

  init(_ command: ZooCommand, _ chosen: [(number: Int, bug: PlantedBug)]) {
    self.command = command
    self.chosen = chosen
  }

  func run() throws -> BugZoo {
    let leash = try Leash()
    let isStopped = Mutex(false)
    let interrupts = InterruptWatch { isStopped.withLock { $0 = true } }
    defer { interrupts.end() }
    let hunt = ZooHunt(
      tree: tree, layout: layout, leash: leash, lane: lane, limit: .seconds(command.time),
      seeds: (1...UInt32(command.seeds)).map { $0 })
    try tree.prepare()
    try build(leash)
    try checkThatNothingIsFoundWithoutABug(hunt)
    let mutants = Mutex<[Mutant]>([])
    let failure = Mutex<LabFailure?>(nil)
    ParallelWork.run(chosen, jobs: command.jobs) { number, bug in
      guard !isStopped.withLock({ $0 }), failure.withLock({ $0 == nil }) else { return }
      do {
        var mutant = Mutant(bug.id, what: bug.defect)
        mutant.origin = bug.origin
        mutant.equivalence = bug.equivalence
        if !command.noFuzzing { mutant.hunts = try hunt.hunts(bug, number: number) { isStopped.withLock { $0 } } }
        if !command.noScenarios {
          mutant.note(try hunt.sightings(bug, number: number, seeds: command.scenarioSeeds))
        }
        Console.print(ZooTable.line(mutant))
        mutants.withLock { $0.append(mutant) }
      } catch let error as LabFailure { failure.withLock { $0 = error } } catch {
        failure.withLock { $0 = LabFailure("\(error)") }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
    let zoo = BugZoo(mutants.withLock { $0 })
    try write(zoo, isWhole: chosen.count == PlantedBug.all.count && !isStopped.withLock { $0 })
    return zoo
  }

  private var targets: [FuzzTarget] {
    let names = Set(chosen.flatMap(\.bug.targets))
    return FuzzTarget.all.filter { names.contains($0.name) && $0.lanes.contains(lane) }
  }

  private func build(_ leash: Leash) throws {
    if !command.noFuzzing {
      for target in targets {
        Console.print("building \(target.product) with the planted bugs")
        try tree.build(target, lane, leash: leash)
      }
    }
    if !command.noScenarios {
      Console.print("building socketlab with the planted bugs")
      try tree.buildLab(leash: leash)
    }
  }

  /// With every bug locked up nobody may find anything, or a finding would prove nothing.
  private func checkThatNothingIsFoundWithoutABug(_ hunt: ZooHunt) throws {
    if !command.noFuzzing {
      for target in targets {
        let trial = try hunt.trial(0, target, seed: 1, budget: .time(.seconds(min(command.time, 5))))
        if trial.isFound { throw LabFailure("\(target.name) finds \(trial.key ?? "something") with no bug at large.") }
      }
    }
    guard !command.noScenarios else { return }
    for sighting in try hunt.sightings(nil, number: 0, seeds: command.scenarioSeeds) {
      guard let red = sighting.scenarios.first else { continue }
      throw LabFailure(
        "The scenario \(red) is red in the world \(sighting.world) with no bug at large: \(sighting.deviation ?? "").")
    }
  }

  private func write(_ zoo: BugZoo, isWhole: Bool) throws {
    Console.print(ZooTable.summary(zoo))
    // A visit of a part brings the record of the whole up to date, if it is of the same sources and left nobody out.
    let isComplete = !command.noFuzzing && !command.noScenarios
    guard isComplete, let record = try isWhole ? ZooRecord(zoo) : ZooRecord.updated(with: zoo) else {
      return Console.print("Only a part of the zoo: the published table stays as it is.")
    }
    try FuzzFiles.makeFolder("\(layout.fuzz)/zoo")
    let table = ZooTable.markdown(
      record.zoo, seeds: command.seeds, seconds: command.time, scenarioSeeds: command.scenarioSeeds)
    try FuzzFiles.write(table.utf8, to: Self.table)
    try record.write()
    Console.print("Table: \(Self.table)")
  }

  private static let table = "Fuzz/zoo/README.md"
}
