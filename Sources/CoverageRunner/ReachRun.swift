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

  /// What is asked for.
  package struct Options: Sendable {
    /// Ids, or folders of them, as the command was given them.
    package var names: [String] = []
    /// Globs over ids.
    package var filters: [String] = []
    /// Scenarios with any of these tags; empty: all.
    package var tags: [String] = []
    /// The worlds that run.
    package var worlds = Set(WorldName.allCases)
    /// Also runs every scenario by itself.
    package var byScenario = false
    /// How often a world runs at most until everything that is demanded is entered.
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
    lab = MarkedLab(scenarios: library.folder, deathPipe: try ParentDeathPipe(), stop: stop, tell: tell)
  }

  /// Brings the marked copy up to date.
  package func build() throws { try lab.build() }

  /// Fills the table in; false: a scenario was not as expected.
  package func run(_ table: inout ReachTable) throws -> Bool {
    try build()
    var isFine = true
    for world in options.worlds.sorted(by: { $0.rawValue < $1.rawValue }) {
      if options.startsWithPublished, options.isWhole, world == .loopback {
        let (counts, isAsExpected) = try count(world, try published(table), seed: 1)
        table.add(counts, in: world)
        if !isAsExpected { isFine = false }
        guard !table.missing(in: world).isEmpty else { continue }
      }
      for number in 1...options.tries {
        let (counts, isAsExpected) = try count(world, options.names, seed: number)
        table.add(counts, in: world)
        if !isAsExpected { isFine = false }
        guard options.isWhole, !table.missing(in: world).isEmpty else { break }
      }
      if options.byScenario { try attribute(world, &table) }
    }
    return isFine
  }

  // MARK: Runs

  /// Runs what was chosen in one world, as a person runs it: how often each mark was entered, and whether all went as
  /// expected.
  private func count(
    _ world: WorldName, _ names: [String], seed: Int
  ) throws -> (counts: [UInt64], isAsExpected: Bool) {
    tell(.step("running \(names.isEmpty ? "the scenarios" : "\(names.count) of the scenarios") (\(world.rawValue))"))
    let counters = "\(MarkedLab.folder)/counters"
    let names = names + options.filters.flatMap { ["--filter", $0] }
    let result = try lab.run(
      world, names + options.tags.flatMap { ["--tag", $0] } + ["--seed", "\(seed)"], counters: counters)
    return (try lab.read(counters), result)
  }

  /// For each mark that is demanded over loopback, the scenario that the published table names first. Those that are
  /// gone, or don't run there, are left out: their marks will be missing, and all scenarios run.
  private func published(_ table: ReachTable) throws -> [String] {
    let text = String(decoding: try HostFiles.read(ReachTable.published), as: UTF8.self)
    let known = Set(library.scenarios.filter { $0.worlds.contains(.loopback) }.map(\.id))
    let names = ReachTable.published(
      in: text, of: table.rows.filter { $0.demanded.contains(WorldName.loopback.rawValue) })
    return names.filter(known.contains).sorted()
  }

  // MARK: By scenario

  /// Runs the scenarios in processes that run one case at a time, and notes which marks each scenario has entered.
  private func attribute(_ world: WorldName, _ table: inout ReachTable) throws {
    tell(.step("running the scenarios one by one (\(world.rawValue))"))
    let names = options.names.map { library.id(from: $0) }.filter { !$0.isEmpty }
    let selection = SuiteSelection(ids: names, filters: options.filters, tags: options.tags)
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
          let file = "\(MarkedLab.folder)/part-\(number)"
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
      let file = "\(MarkedLab.folder)/part-\(number)"
      let text = String(decoding: try HostFiles.read("\(file).cases"), as: UTF8.self)
      for line in text.split(separator: "\n") { table.note(case: line, in: world) }
      for name in [file, "\(file).cases"] { HostFiles.remove(name) }
    }
  }
}
