import ArgumentParser
import Foundation
import HostTools
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import SuiteRunner
import TerminalText

/// Looks at the disputed behaviours, and puts on record which form the reference takes.
struct DisputesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disputes", abstract: "Shows which form the reference takes where scenarios tolerate several.",
    discussion: """
      Runs every scenario in which an alternative is tolerated and not wished for, with many seeds and repetitions, \
      and compares the forms that came with \(DisputeFile.name) beside the scenarios; a difference ends with exit \
      code 1. With --record the file is written instead. A `run` fails where a form comes that is not on record.
      """)

  @OptionGroup var library: LibraryOptions

  @Flag(help: "Writes the record anew.")
  var record = false

  @Option(help: "How many seeds to run in the simulated world.")
  var seeds = 100

  @Option(help: "How often to run on loopback.")
  var `repeat` = 10

  @Option(help: "How many loopback cases run at the same time.")
  var jobs = 16

  func validate() throws {
    guard (1...1_000_000).contains(seeds) else { throw ValidationError("--seeds must be between 1 and 1,000,000.") }
    guard (1...1_000_000).contains(`repeat`) else {
      throw ValidationError("--repeat must be between 1 and 1,000,000.")
    }
    guard jobs > 0, jobs <= 256 else { throw ValidationError("--jobs must be between 1 and 256.") }
  }

  func run() throws {
    let library = try self.library.library()
    // A record made without the scenarios that can't be read would lack their lines.
    let wrong = library.entries.filter(\.hasErrors)
    guard wrong.isEmpty else {
      for entry in wrong { DiagnosticOutput.print(entry) }
      throw LabExit.badScenario.error
    }
    guard !library.scenarios.isEmpty else {
      Console.error("There are no scenarios in \(library.folder).")
      throw LabExit.nothingRan.error
    }
    let file = DisputeFile(below: library.folder)
    let former = try file.read() ?? DisputeRecord()
    let survey = DisputeSurvey(library.scenarios)
    let scenarios = survey.scenarios
    let outcome = try survey.run(seeds: seeds, rounds: `repeat`, jobs: jobs)
    guard outcome.failed.isEmpty else {
      let names = outcome.failed.joined(separator: ", ")
      Console.error("Not as expected, so nothing can be put on record: \(names)")
      throw LabExit.deviation.error
    }
    var seen = outcome.record
    seen.keepRaces(of: former)
    let (before, after) = (former.text(scenarios), seen.text(scenarios))
    let changes = after.split(separator: "\n").difference(from: before.split(separator: "\n"))
    for change in changes {
      switch change {
      case .remove(_, let line, _): Console.print(Console.styled("- \(line)", .bad))
      case .insert(_, let line, _): Console.print(Console.styled("+ \(line)", .good))
      }
    }
    let count = QuantityText.count(scenarios.count, "scenario")
    if record {
      try HostFiles.write(after.utf8, to: file.path)
      Console.print("\(file.path): \(count), \(QuantityText.count(changes.count, "line")) changed")
    } else if changes.isEmpty {
      Console.print("\(count) with disputed behaviour, all as on record")
    } else {
      Console.print("Not as on record in \(file.path). If that is meant: socketlab disputes --record")
      throw LabExit.deviation.error
    }
  }
}
