import ArgumentParser
import Foundation
import HostTools
import Requirements
import RunReports
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import SuiteRunner
import TerminalText

/// A part of a suite, as an option names it: `2/4`.
struct ShardArgument: ExpressibleByArgument {
  let shard: Shard

  init?(argument: String) {
    guard let shard = Shard(text: argument) else { return nil }
    self.shard = shard
  }
}

/// Makes one run of its shards.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge", abstract: "Makes the reports of one run of its shards.",
    discussion: """
      `run --shard i/n` runs a part of the suite and leaves shard.cases beside its reports. All shards must be there, \
      each once, of the same suite and the same lab.

      Exit codes are those of `run`; 2 also for shards that are missing, there twice or of another run.
      """)

  @OptionGroup var library: LibraryOptions

  @Argument(help: "The folders of the shards' reports.")
  var shards: [String]

  @Option(help: "Where the reports go.")
  var output = LabHome.place("reports")

  @Option(parsing: .singleValue, help: "Only these report formats: json, junit, markdown, html. May be repeated.")
  var format: [ReportFormat] = []

  @Option(help: ArgumentHelp("With fewer cases than this the run fails.", valueName: "number"))
  var minCases: Int?

  func run() throws {
    var outcome: SuiteOutcome
    do {
      outcome = try ShardRecord.merged(shards.map { ($0, try ShardRecord.read(folder: $0)) })
    } catch let refusal as ShardRecord.Refusal {
      throw ValidationError(refusal.message)
    }
    for program in outcome.report.programs where program.called != nil {
      ReproCommand.name(program.name, as: program.word)
    }
    for line in SuiteSummary(outcome, tellsCauses: true).lines { Console.print(line) }
    MinimumCases.check(&outcome, least: minCases)
    let requirements = try requirements()
    let reports = ReportFolder(output: output, formats: format, command: LabHome.commandLine)
    defer { reports.abandon() }
    reports.begins()
    if requirements != nil { reports.requirementsPage = RunRequirements.fileName }
    do {
      let folder = try reports.write(outcome.report, captures: [])
      if let (register, scenarios) = requirements {
        let path = folder.appendingPathComponent(RunRequirements.fileName).path
        try RunRequirements.write(register, scenarios, library, reports: output, to: path)
      }
      try reports.rememberOrNote(outcome.report)
      Console.print("Reports: \(folder.appendingPathComponent(reports.firstFile).relativePath)")
    } catch {
      Console.error("The reports could not be written to \(output): \(error.localizedDescription)")
      throw LabExit.subjectNotDriven.error
    }
    if outcome.exit != .asExpected { throw outcome.exit.error }
  }

  /// What the page of requirements is made of; nil: nobody wants a page, or one of both is not on this machine.
  private func requirements() throws -> (RequirementRegister, ScenarioLibrary)? {
    guard format.isEmpty || format.contains(.html), PathText.exists(library.scenarios),
      let register = try library.register()
    else { return nil }
    return (register, try library.choice([], register).library)
  }
}

extension ReportFolder {
  /// Adds the run to the history, and says so where that can't be: the reports are written all the same.
  func rememberOrNote(_ report: RunReport) throws {
    do { try remember(report) } catch let failure as LabFailure { Console.error("Note: \(failure.message)") }
  }
}

/// What a run must have played at least.
enum MinimumCases {
  /// Says so of a run that has fewer cases than it should, and puts it into the outcome.
  static func check(_ outcome: inout SuiteOutcome, least: Int?) {
    guard let least, outcome.judgedCases < least else { return }
    let shortfall = RunShortfall(
      .tooFewCases, "only \(QuantityText.count(outcome.judgedCases, "case")) said something; \(least) were asked for")
    outcome.fellShort(shortfall)
    Console.error("\(shortfall.message.prefix(1).uppercased())\(shortfall.message.dropFirst()).")
  }
}
