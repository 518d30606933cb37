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
      """
      The file with the known deviations, of the subject that its `library` names; without it \(standard), if it is \
      there, and of a program NAME\(DeviationFile.suffix) in or beside its folder.
      """, valueName: "file"))
  var deviations: String?

  @Option(
    help: ArgumentHelp(
      "Known deviations expire by this day, such as 2027-01-31; without it by the day on which the run begins, UTC.",
      valueName: "day"))
  var today: String?

  /// What is on record of the library that comes with the lab; nil: nothing. A file that was named and can't be read,
  /// and a day that there is not, are wrong usage; a file with a fault, and one that was named and is about nobody who
  /// is judged, end the command with `badScenario`.
  ///
  /// - Parameters:
  ///   - startedAt: ISO 8601.
  ///   - programs: who else was asked for: the file that was named may be about one of them.
  ///   - isJudged: whether the library is.
  func ledger(
    startedAt: String, beside programs: [SubjectProgram] = [], isJudged: Bool = true
  ) throws -> DeviationLedger? {
    let day = try day(startedAt: startedAt)
    guard let deviations, try !programs.contains(where: { try isNamed($0) }) else {
      return try Self.standardFile().map { DeviationLedger($0, today: day) }
    }
    // Where the library is not judged, it is not said to be.
    if !isJudged, let program = programs.first {
      _ = try Self.read(deviations, of: program, beside: programs.dropFirst().map(\.name))
    }
    let file = try Self.checked {
      try DeviationFile.read(deviations, of: SuiteRun.subject, beside: programs.map(\.name), isNamed: true)
    }
    return DeviationLedger(file, today: day)
  }

  /// The same of a subject that is a program of its own: the file that was named, if it is about the program, and
  /// otherwise what is found (`DeviationSearch`). Files of the kind that lie there and are nobody's are told.
  ///
  /// - Parameter isAlone: nobody else is judged: the file that was named must be about the program.
  func ledger(
    of program: SubjectProgram, startedAt: String, isAlone: Bool = false
  ) throws -> DeviationLedger? {
    let day = try day(startedAt: startedAt)
    // One that was named and is about another one is not its affair, unless there is no other one.
    let named = try isAlone || isNamed(program) ? deviations : nil
    guard let path = try named ?? Self.find(of: program) else { return nil }
    return DeviationLedger(try Self.read(path, of: program), today: day, program: program.name)
  }

  /// Whether the file that was named says that it is about the program.
  private func isNamed(_ program: SubjectProgram) throws -> Bool {
    guard let deviations else { return false }
    let library: String?
    do throws(LabFailure) { library = try DeviationFile.library(at: deviations) } catch {
      throw ValidationError(error.message)
    }
    return library.map { ([program.name] + program.spellings).contains($0) } ?? false
  }

  private static func find(of program: SubjectProgram) throws -> String? {
    let search: DeviationSearch
    do throws(LabFailure) { search = try DeviationSearch(of: program) } catch { throw ValidationError(error.message) }
    for stray in search.strays {
      Console.error(
        "Note: \(Console.visible(shown(stray))) is not taken: known deviations of \(program.name) belong in a file "
          + "\(search.wanted)")
    }
    return search.path.map(shown)
  }

  /// As a person types it who stands here.
  private static func shown(_ path: String) -> String {
    let shown = PathText.shown(path, from: PathText.real(PathText.workingFolder) ?? PathText.workingFolder)
    return shown.hasPrefix("./") ? String(shown.dropFirst(2)) : shown
  }

  private static func read(
    _ path: String, of program: SubjectProgram, beside others: [String] = []
  ) throws -> DeviationFile {
    try checked {
      try DeviationFile.read(
        path, of: program.name, isProgram: true, spellings: program.spellings, beside: others)
    }
  }

  private func day(startedAt: String) throws -> CalendarDate {
    guard let day = CalendarDate(today ?? String(startedAt.prefix(10))) else {
      throw ValidationError("\(today ?? startedAt) is not a day. Write year, month and day: 2027-01-31.")
    }
    return day
  }

  private static func standardFile() throws -> DeviationFile? {
    guard PathText.exists(standard) else { return nil }
    return try checked { try DeviationFile.read(standard, of: SuiteRun.subject) }
  }

  private static func checked(_ read: () throws -> DeviationFile) throws -> DeviationFile {
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
