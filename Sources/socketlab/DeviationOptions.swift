import ArgumentParser
import HostTools
import KnownDeviations
import ScenarioModel
import SubjectPrograms
import SuiteRunner
import TerminalText

/// What is on record of the subject's deviations.
struct DeviationOptions: ParsableArguments {
  private static let standard = LabHome.place("\(DeviationFile.folder)/reference\(DeviationFile.suffix)")

  @Option(
    help: ArgumentHelp(
      "The file with the known deviations; without it \(standard), if it is there.", valueName: "file"))
  var deviations: String?

  @Option(
    help: ArgumentHelp(
      "Known deviations expire by this day, such as 2027-01-31; without it by the day on which the run begins, UTC.",
      valueName: "day"))
  var today: String?

  /// nil: nothing is on record. A file that was named and can't be read, and a day that there is not, are wrong usage;
  /// a file with a fault ends the command with `badScenario`.
  ///
  /// - Parameter startedAt: ISO 8601.
  func ledger(startedAt: String) throws -> DeviationLedger? {
    let day = try day(startedAt: startedAt)
    return try file().map { DeviationLedger($0, today: day) }
  }

  /// The same of a subject that is a program of its own; its file has the subject's name, and is beside the folders of
  /// those that come with the lab, or beside another program.
  func ledger(of program: SubjectProgram, startedAt: String) throws -> DeviationLedger? {
    let day = try day(startedAt: startedAt)
    let file = "\(program.name)\(DeviationFile.suffix)"
    let isOfLab = PathText.real(LabHome.place("\(SubjectProgram.folder)/\(program.name)/\(SubjectProgram.starter)"))
    let folder = program.path.split(separator: "/").dropLast().joined(separator: "/")
    let path = isOfLab == program.path ? LabHome.place("\(DeviationFile.folder)/\(file)") : "/\(folder)/\(file)"
    guard PathText.exists(path) else { return nil }
    let known = try checked { try DeviationFile.read(path, of: program.name, isProgram: true) }
    return DeviationLedger(known, today: day, program: program.name)
  }

  private func day(startedAt: String) throws -> CalendarDate {
    guard let day = CalendarDate(today ?? String(startedAt.prefix(10))) else {
      throw ValidationError("\(today ?? startedAt) is not a day. Write year, month and day: 2027-01-31.")
    }
    return day
  }

  private func file() throws -> DeviationFile? {
    if deviations == nil, !PathText.exists(Self.standard) { return nil }
    return try checked { try DeviationFile.read(deviations ?? Self.standard, of: SuiteRun.subject) }
  }

  private func checked(_ read: () throws -> DeviationFile) throws -> DeviationFile {
    do {
      let file = try read()
      guard file.diagnostics.isEmpty else {
        DiagnosticOutput.print(file.diagnostics, of: file.path, file.bytes)
        Console.error("The known deviations are wrong; nothing was run.")
        throw LabExit.badScenario.error
      }
      return file
    } catch let failure as LabFailure {
      throw ValidationError(failure.message)
    }
  }
}
