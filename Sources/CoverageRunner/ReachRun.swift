import CoverageMarks
import Foundation
import HostTools
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import Synchronization

/// Builds the marked copy of the package and has it run scenarios.
package struct ReachRun {
  /// Scenarios of the loopback world mostly wait.
  private static let processesOverLoopback = 24
  /// How many times the scenarios run that are to enter the marks still missing.
  private static let often = 10

  /// What is asked for.
  package struct Options: Sendable {
    /// The lab's own folder, as seen from the working folder.
    package var home = "."
    /// Ids, or folders of them, which the library has.
    package var names: [String] = []
    /// Globs over ids.
    package var filters: [String] = []
    /// Scenarios with any of these tags; empty: all.
    package var tags: [String] = []
    /// The worlds that run.
    package var worlds = Set(WorldName.allCases)
    /// Also runs every scenario by itself.
    package var byScenario = false
    /// How often the whole of a world runs at most until everything that is demanded is entered.
    package var tries = 3
    /// Over loopback, first runs only the scenarios that the published table names, and all of them only if a mark that
    /// is demanded was not entered by those.
    package var startsWithPublished = false

    /// All of the suite in both worlds.
    package init() {}

    /// Only then is anything demanded.
    package var isWhole: Bool {
      names.isEmpty && filters.isEmpty && tags.isEmpty && worlds == Set(WorldName.allCases)
    }
  }

  /// What a person likes to know while it works.
  package enum Event: Sendable {
    /// What it does now, or a line of a run that is not as expected.
    case step(String)
    /// What went wrong without ending the whole.
    case problem(String)
  }

  private let options: Options
  private let library: ScenarioLibrary
  private let lab: MarkedLab
  private let tell: (Event) -> Void

  /// Throws a `LabFailure` when the machine has no descriptors left.
  package init(
    _ options: Options, _ library: ScenarioLibrary, stop: StopFlag, tell: @escaping @Sendable (Event) -> Void
  ) throws {
    self.options = options
    self.library = library
    self.tell = tell
    lab = MarkedLab(
      home: options.home, scenarios: library.folder, deathPipe: try ParentDeathPipe(), stop: stop, tell: tell)
  }

  /// Brings the marked copy up to date.
  package func build() throws { try lab.build() }

  /// Fills the table in; false: a scenario was not as expected in a run of all that were chosen.
  package func run(_ table: inout ReachTable) throws -> Bool {
    try build()
    var isFine = true
    for world in options.worlds.sorted(by: { $0.rawValue < $1.rawValue }) {
      for round in rounds(world) {
        let run = try count(world, round, of: table)
        table.add(run.counts, in: world)
        if !run.isAsExpected, round.isJudged { isFine = false }
        guard options.isWhole, !table.missing(in: world).isEmpty else { break }
      }
      if options.byScenario { try attribute(world, &table) }
    }
    return isFine
  }

  // MARK: Runs

  /// What runs at once in one world.
  private enum Round {
    /// What was chosen, from this seed on.
    case chosen(seed: Int)
    /// For each mark that is demanded, the scenario that the published table names first.
    case published
    /// The scenarios that the published table names for the marks that are still missing, often.
    case missing(seed: Int)

    /// Whether its scenarios have to be as expected. What runs often is after paths that depend on what threads do; as
    /// many rounds of what the limits of time and memory judge, beside whatever else the machine does, are another
    /// command's business.
    var isJudged: Bool {
      if case .missing = self { false } else { true }
    }
  }

  /// In their order, until everything that is demanded is entered: a mark that depends on what threads do is sooner
  /// met by the few scenarios that are about it, many times, than by all of them once more.
  private func rounds(_ world: WorldName) -> [Round] {
    let tries = (1...options.tries).flatMap { [Round.chosen(seed: $0), .missing(seed: $0)] }
    return options.startsWithPublished && options.isWhole && world == .loopback
      ? [.published, .missing(seed: 0)] + tries : tries
  }

  /// Runs a round in one world, as a person runs it: how often each mark was entered, and whether all went as expected.
  private func count(
    _ world: WorldName, _ round: Round, of table: ReachTable
  ) throws -> (counts: [UInt64], isAsExpected: Bool) {
    var arguments: [String]
    switch round {
    case .chosen(let seed):
      tell(.step("running the scenarios (\(world.rawValue))"))
      arguments =
        options.names + options.filters.flatMap { ["--filter", $0] } + options.tags.flatMap { ["--tag", $0] }
      arguments += ["--seed", "\(seed)"]
    case .published:
      let demanded = table.rows.filter { $0.demanded.contains(world.rawValue) }
      arguments = try published(demanded, first: 1, in: world)
      tell(.step("running \(arguments.count) of the scenarios (\(world.rawValue))"))
    case .missing(let seed):
      let missing = table.missing(in: world)
      arguments = try published(missing, first: 2, in: world)
      let marks = missing.map(\.id).joined(separator: ", ")
      tell(.step("running \(arguments.count) of the scenarios often (\(world.rawValue)), for \(marks)"))
      let often = world == .loopback ? "--repeat" : "--seeds"
      if !arguments.isEmpty { arguments += ["--seed", "\(1 + seed * Self.often)", often, "\(Self.often)"] }
    }
    // Without a name all would run.
    if arguments.isEmpty { return ([], true) }
    let counters = "\(lab.folder)/counters"
    let isAsExpected = try lab.run(world, arguments, counters: counters)
    return (try lab.read(counters), isAsExpected)
  }

  /// The scenarios that the published table names first for these marks, at most `first` for each. Those that are gone,
  /// or do not run in that world, are left out: their marks will be missing, and all scenarios run.
  private func published(_ rows: [ReachTable.Row], first: Int, in world: WorldName) throws -> [String] {
    let text = String(decoding: try HostFiles.read("\(options.home)/\(ReachTable.published)"), as: UTF8.self)
    let known = Set(library.scenarios.filter { $0.worlds.contains(world) }.map(\.id))
    return ReachTable.published(in: text, of: rows, first: first).filter(known.contains).sorted()
  }

  // MARK: By scenario

  /// Runs the scenarios in processes that run one case at a time, and notes which marks each scenario has entered.
  private func attribute(_ world: WorldName, _ table: inout ReachTable) throws {
    tell(.step("running the scenarios one by one (\(world.rawValue))"))
    let selection = SuiteSelection(ids: options.names, filters: options.filters, tags: options.tags)
    let scenarios = library.scenarios
    let chosen = selection.chosen(of: scenarios).map { scenarios[$0] }.filter { $0.worlds.contains(world) }.map(\.id)
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let count = min(chosen.count, world == .simulated ? cores : Self.processesOverLoopback)
    guard count > 0 else { return }
    let failure = Mutex<LabFailure?>(nil)
    let finished = DispatchGroup()
    for number in 0..<count {
      // Neighbours in a folder are alike: dealt out, they take each process equally long.
      let part = stride(from: number, to: chosen.count, by: count).map { chosen[$0] }
      finished.enter()
      let thread = Thread { [lab] in
        defer { finished.leave() }
        do {
          let file = "\(lab.folder)/part-\(number)"
          HostFiles.remove("\(file).cases")
          _ = try lab.run(world, part + ["--jobs", "1"], counters: file, cases: "\(file).cases")
        } catch { failure.withLock { $0 = error as? LabFailure ?? LabFailure("\(error)") } }
      }
      thread.stackSize = 1 << 20
      thread.start()
    }
    finished.wait()
    if let failure = failure.withLock({ $0 }) { throw failure }
    for number in 0..<count {
      let file = "\(lab.folder)/part-\(number)"
      let text = String(decoding: try HostFiles.read("\(file).cases"), as: UTF8.self)
      for line in text.split(separator: "\n") { table.note(case: line, in: world) }
      for name in [file, "\(file).cases"] { HostFiles.remove(name) }
    }
  }
}
