import ArgumentParser
import CoverageRunner
import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import MutationRunner
import PlantedBugs
import Requirements
import RunReports
import ScenarioFiles
import ScenarioModel
import Synchronization
import TerminalText

/// `socketlab fuzz zoo`: proves that the laboratory can see.
struct ZooCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "zoo",
    abstract: "Lets planted bugs out, one at a time, and says who notices: fuzzing, scenarios, or nobody.",
    discussion: """
      The bugs are patched into a copy of the package below .build/zoo; the shipped code carries none. Each is hunted \
      by its fuzz targets with several seeds, from the committed corpus and seeds but without the regressions, and by \
      the scenario suite: in the simulated world until a seed turns a scenario red, and once over the real kernel. The \
      table goes to Fuzz/zoo/README.md, where the row of a bug is of its last visit. What the scenarios kill goes to \
      the register's \(KillRecord.name): which witness of which requirement objects to which mutant.

      With --derived no bug is planted: each scenario is played with a subject that seems to break what the scenario \
      cites, by showing another event than it does. The register says what breaks a requirement (`mutations`).

      With --exploring `explore` looks for each bug, over all scenarios and from the same --seed, for --time seconds \
      or until it has found something; --sample draws the bugs. What was found and when is said, and not recorded.

      With --declaring the Swift tests that declare what a bug breaks are run, each alone: for what scenarios can't see.

      Exit codes: 0 every bug was noticed that can be, 1 one was not.
      """)

  @OptionGroup var library: LibraryOptions

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

  @Flag(help: "Plays only the scenarios that cite what a bug breaks; a bug that they miss is not on record as missed.")
  var citing = false

  @Flag(
    help: """
      Plays only the scenarios whose citation of what a bug breaks kills nothing on record, in each of their worlds; \
      without fuzzing, and only bugs that some such scenario might notice.
      """)
  var idle = false

  @Flag(help: "Leaves fuzzing out.")
  var noFuzzing = false

  @Flag(help: "Runs the Swift tests that declare what a bug breaks, instead of scenarios and fuzzing.")
  var declaring = false

  @Flag(help: "Explores with each bug, instead of scenarios and fuzzing.")
  var exploring = false

  @Option(help: "Of those named only so many, drawn from --seed.")
  var sample: Int?

  @Option(help: "What --sample and --exploring draw from.")
  var seed: UInt64 = 1

  @Flag(help: "Of those named only the bugs that are not on record as noticed.")
  var unnoticed = false

  @Flag(help: "Plays the derived mutants of what the scenarios cite instead of the planted bugs.")
  var derived = false

  @Flag(help: "Says which bugs there are, and runs nothing.")
  var list = false

  func validate() throws {
    guard (1...86_400).contains(time) else { throw ValidationError("--time must be between 1 and 86400 seconds.") }
    guard (1...1000).contains(seeds) else { throw ValidationError("--seeds must be between 1 and 1000.") }
    guard (1...1000).contains(scenarioSeeds) else {
      throw ValidationError("--scenario-seeds must be between 1 and 1000.")
    }
    guard (1...256).contains(jobs) else { throw ValidationError("--jobs must be between 1 and 256.") }
    if let sample, sample < 1 { throw ValidationError("--sample must be at least 1.") }
    guard !(noScenarios && noFuzzing) else { throw ValidationError("With neither fuzzing nor scenarios nobody looks.") }
    do throws(UsageFailure) { _ = try BugChoice.named(bugs) } catch { throw ValidationError(error.message) }
  }

  func run() throws {
    do {
      var chosen = try chosen()
      guard !derived else { return try playDerived() }
      guard !exploring else { return try explore(chosen) }
      let citations = try records ? citations() : nil
      if idle, let citations {
        chosen = chosen.filter { !citations.scenarios(idlyCiting: $0.bug.violates).isEmpty }
      }
      guard !list else { return printList(chosen) }
      let stop = StopFlag()
      let interrupts = InterruptWatch(flag: stop)
      defer { interrupts.end() }
      var options = MutationRun.Options(
        seconds: time, seeds: seeds, jobs: jobs, scenarioSeeds: scenarioSeeds, plays: !noScenarios && !declaring,
        hunts: !noFuzzing && !declaring && !idle)
      options.playsWholeSuite = !self.citing && !idle
      options.tests = declaring
      let isIdle = idle
      let citing: @Sendable (PlantedBug) -> CitingScenarios = { bug in
        let found = isIdle ? citations?.scenarios(idlyCiting: bug.violates) : citations?.scenarios(citing: bug.violates)
        return found ?? CitingScenarios()
      }
      let declaring: @Sendable (PlantedBug) -> [TestPlace] = { citations?.tests(declaring: $0.violates) ?? [] }
      let run = MutationRun(chosen, options, citing: citing, declaring: declaring, stop: stop)
      let outcome = try run.run { event in
        switch event {
        case .building(let what): Console.print("building \(what) with the planted bugs")
        case .judged(let mutant, let looked):
          if let bug = PlantedBug.all.first(where: { $0.id == mutant.name }) {
            try citations?.record(mutant, of: bug, looked: looked)
          }
          Console.print(MutationTable.line(mutant))
        }
      }
      Console.print(MutationTable.summary(outcome.zoo))
      Console.print("Table: \(outcome.table)")
      if !outcome.zoo.survivors.isEmpty { throw LabExit.deviation.error }
    } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
  }

  private func explore(_ chosen: [(number: Int, bug: PlantedBug)]) throws {
    let stop = StopFlag()
    let interrupts = InterruptWatch(flag: stop)
    defer { interrupts.end() }
    Console.print("building socketlab with the planted bugs")
    let run = BugExploration(chosen, seconds: time, seed: seed, jobs: jobs, stop: stop)
    let outcomes = try run.run { Console.print(MutationTable.line($0)) }
    Console.print(MutationTable.summary(outcomes))
    if outcomes.contains(where: { $0.key == nil }) { throw LabExit.deviation.error }
  }

  private var records: Bool { !noScenarios || declaring }

  private func citations() throws -> CitationTable? {
    guard let register = try library.register() else { return nil }
    let tests = WitnessSurvey.declarations(below: LabHome.place("Tests")) { Console.error("Note: \($0)") }
    return CitationTable(
      register, try library.library(), tests: tests,
      try library.kills(register) ?? KillRecord(), path: "\(library.requirements)/\(KillRecord.name)")
  }

  private func playDerived() throws {
    guard let citations = try citations() else {
      throw ValidationError(
        "There is no folder \(library.requirements). Name it with --requirements.")
    }
    let outcome = CitationRun(citations.register, citations.library, jobs: jobs).run {
      done, count in
      if done % 200 == 0 { Console.print("\(done) of \(count) scenarios") }
    }
    try citations.record(outcome)
    let dead = outcome.tried.subtracting(outcome.kills.keys).sorted()
    for citation in dead {
      Console.print("\(citation.witness) objects to no derived mutant of \(citation.requirement)")
    }
    Console.print(
      "\(QuantityText.count(outcome.kills.count, "citation")) kill a derived mutant, "
        + "\(dead.count) object to none of theirs; \(QuantityText.count(outcome.cases, "case")) played")
  }

  private func chosen() throws -> [(number: Int, bug: PlantedBug)] {
    var chosen = try BugChoice.named(bugs)
    if unnoticed { chosen = BugChoice.unnoticed(of: chosen, in: try MutationRecord.committed().zoo) }
    return sample.map { BugExploration.sample($0, of: chosen, seed: seed) } ?? chosen
  }

  private func printList(_ chosen: [(number: Int, bug: PlantedBug)]) {
    for (number, bug) in chosen {
      Console.print("\(number)  \(bug.id)  (\(bug.origin); \(bug.targets.joined(separator: ", ")))\n    \(bug.defect)")
    }
  }
}
