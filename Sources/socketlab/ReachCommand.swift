import ArgumentParser
import CoverageRunner
import Foundation
import HostTools
import ScenarioModel
import ScenarioRunner
import TerminalText

/// `socketlab reach`: which rare paths of the socket the scenarios enter.
///
/// A verb of its own beside `run`, not one of `fuzz`: it is about scenarios, takes what `run` takes to choose them, and
/// is asked by those who write them.
struct ReachCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reach", abstract: "Says which rare paths of the socket the scenarios enter, and which they don't.",
    discussion: """
      Coverage marks are patched into a copy of the package below .build/reach, which is built and runs the scenarios; \
      the shipped code carries none. A run of all scenarios must enter every mark in the worlds that its entry in \
      Sources/CoverageMarks names.

      Exit codes: 0 all that must be entered is, 1 something is not, or a scenario failed, 2 wrong usage, 4 the copy \
      could not be built.
      """)

  @OptionGroup var library: LibraryOptions
  @OptionGroup var selection: SelectionOptions

  @Option(help: "Where to run: loopback (the real kernel), simulated (virtual time) or both.")
  var world = RunCommand.WorldChoice.both

  @Flag(help: "Also runs every scenario by itself, and says which ones enter a mark.")
  var byScenario = false

  @Option(help: "How often a world runs at most until everything is entered: what threads do differs from run to run.")
  var tries = 3

  @Flag(
    help: """
      Over loopback, first runs only the scenarios that the published table names, and all others only if a mark is \
      missing then.
      """)
  var quick = false

  @Option(help: "Also writes the table to this file, as JSON.")
  var json: String?

  @Flag(help: "Also writes the published table, \(ReachTable.published); implies --by-scenario.")
  var update = false

  @Flag(help: "Says which marks there are and where, and runs nothing.")
  var list = false

  @Flag(help: "Builds the marked copy, and runs nothing.")
  var buildOnly = false

  func validate() throws {
    guard (1...100).contains(tries) else { throw ValidationError("--tries must be between 1 and 100.") }
    guard !quick || !byScenario && !update else {
      throw ValidationError("--quick runs a part of the scenarios: leave --by-scenario and --update out.")
    }
    guard !update || options.isWhole else {
      throw ValidationError("--update is for the whole suite in both worlds: leave names, filters and --world out.")
    }
  }

  private var options: ReachRun.Options {
    var options = ReachRun.Options()
    (options.names, options.filters, options.tags) = (selection.names, selection.filter, selection.tag)
    (options.worlds, options.byScenario, options.tries) = (world.worlds, byScenario || update, tries)
    options.startsWithPublished = quick
    options.home = LabHome.shown
    return options
  }

  func run() throws {
    do {
      var table = try ReachTable { try HostFiles.read(LabHome.place($0)) }
      if list {
        for row in table.rows { Console.print("\(row.id)  \(row.place)\n    \(row.meaning)") }
        return
      }
      let stop = StopFlag()
      let interrupts = InterruptWatch(flag: stop)
      defer { interrupts.end() }
      // Before the build, which takes minutes.
      let (library, ids) = try library.choice(selection.names)
      var options = options
      if !selection.names.isEmpty { options.names = ids }
      let run = try ReachRun(options, library, stop: stop) { event in
        switch event {
        case .step(let text): Console.print(text)
        case .problem(let text): Console.error(text)
        }
      }
      guard !buildOnly else { return try run.build() }
      let isFine = try run.run(&table)
      for line in table.lines(worlds: world.worlds, judges: options.isWhole) { Console.print(line) }
      if let json { try HostFiles.write(try table.json(), to: json) }
      if update { try HostFiles.write(table.markdown.utf8, to: LabHome.place(ReachTable.published)) }
      if !isFine || options.isWhole && !table.missing.isEmpty { throw LabExit.deviation.error }
    } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
  }
}
