import ArgumentParser
import HostTools
import RunReports
import ScenarioModel
import SubjectPrograms
import SuiteRunner
import TerminalText

/// Who is judged.
struct SubjectOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Who is judged, separated by commas: reference (the library that comes with the lab), a subject below Subjects/, \
      or the path of a program that speaks the protocol of Subjects/README.md. A path with a comma in it stands alone.
      """, valueName: "name,…"))
  var subject = SubjectProgram.reference

  @Flag(
    help: """
      Fails unless every program among the subjects has the verdicts of the library that comes with the lab, case by
      case.
      """)
  var agree = false

  /// Has the subject built, and what it needs installed; returns why it can't be.
  static func prepare(_ program: SubjectProgram) throws -> String? {
    do {
      return try SubjectPreparation.run(program) { noteBeginning(of: program) }
    } catch let failure as LabFailure { return failure.message }
  }

  /// Where the subjects are that come with the lab.
  static var folder: String { LabHome.place(SubjectProgram.folder) }

  /// The subjects, and what each says of itself. An unknown name is wrong usage. A subject that does not start is left
  /// out with the reason; if there is no other, the command ends with `subjectNotDriven`.
  func lineup(_ known: DeviationOptions, startedAt: String) throws -> SubjectLineup {
    let lineup = try SubjectLineup(subject, find: Self.program) { program, word in
      switch try Self.entry(program, called: word) {
      case .ready(var entry):
        entry.deviations = try known.ledger(of: program, startedAt: startedAt)
        Self.noteUnknownWords(of: entry)
        return .ready(entry)
      case .leftOut(let facts, let lastWords):
        Self.printWhy(facts, "is left out", lastWords)
        return .leftOut(facts, lastWords: lastWords)
      }
    }
    guard !lineup.isEmpty else { throw LabExit.subjectNotDriven.error }
    return lineup
  }

  /// More words than these are only counted.
  private static let maxUnknown = 5

  /// What it says that it offers and nobody will ask for, because the word is misspelt or of another version.
  private static func noteUnknownWords(of entry: SubjectEntry) {
    let unknown = entry.claims.unknown
    for word in unknown.prefix(maxUnknown) {
      Console.error("Note: \(entry.name): \(Console.visible(word.remark))")
    }
    let left = unknown.count - maxUnknown
    if left > 0 { Console.error("Note: \(entry.name): so are \(left) more; `subject check` names them") }
  }

  static func printWhy(_ facts: ProgramFacts, _ what: String, _ lastWords: [String]) {
    Console.error("The subject \(facts.name) \(what): \(Console.visible(facts.leftOut ?? ""))")
    for word in lastWords { Console.error("  \(Console.quotation(word))") }
  }

  /// The subject that the word names; what nothing has is wrong usage.
  static func program(_ word: String) throws -> SubjectProgram {
    do throws(LabFailure) { return try SubjectProgram.find(word, in: folder) } catch {
      throw ValidationError(error.message)
    }
  }

  /// Prepares and starts the subject, and hears its hello. Commands call it by the word from then on.
  static func entry(_ program: SubjectProgram, called word: String) throws -> SubjectLineup.Candidate {
    if word != program.name { ReproCommand.name(program.name, as: word) }
    return try SubjectLineup.candidate(program, called: word) { noteBeginning(of: program) }
  }

  private static func noteBeginning(of program: SubjectProgram) {
    Console.error("Note: preparing the subject \(program.name)")
  }
}

/// Which subject a single case is played with.
struct CaseSubjectOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The case of this subject: reference (the library that comes with the lab), a subject below Subjects/, or a \
      program's path.
      """, valueName: "name"))
  var subject: String?

  /// A subject that is a program of its own, and what commands call it.
  struct Program {
    var program: SubjectProgram
    var word: String

    /// Has it prepared and started. One that can't be ends the command with `subjectNotDriven`.
    func entry() throws -> SubjectEntry {
      switch try SubjectOptions.entry(program, called: word) {
      case .ready(let entry): return entry
      case .leftOut(let facts, let lastWords):
        SubjectOptions.printWhy(facts, "can't be played with", lastWords)
        throw LabExit.subjectNotDriven.error
      }
    }
  }

  /// For a sentence about a case: ` with the subject mine`; empty: any will do.
  var words: String { subject.map { " with the subject \($0)" } ?? "" }

  /// The program that is named; nil: none is, or the library is.
  func named() throws -> Program? {
    guard let subject, subject != SubjectProgram.reference else { return nil }
    return Program(program: try SubjectOptions.program(subject), word: subject)
  }

  /// Those of an earlier run's cases that are the subject's that is named; without a name all.
  func cases(of digest: ReportDigest) throws -> [CaseDigest] {
    guard let subject else { return digest.cases }
    let name = subject == SubjectProgram.reference ? nil : try SubjectOptions.program(subject).name
    return digest.cases.filter { digest.programs.owner(ofVariant: $0.variant)?.name == name }
  }

  /// Whose case of an earlier run it is; nil: the library's.
  func program(of earlier: CaseDigest, in digest: ReportDigest) throws -> Program? {
    guard let owner = digest.programs.owner(ofVariant: earlier.variant) else { return nil }
    if let named = try named() { return named }
    do throws(LabFailure) {
      return Program(program: try SubjectProgram.find(owner.word, in: SubjectOptions.folder), word: owner.word)
    } catch {
      throw ValidationError("\(error.message) The run called its subject \(owner.name) so: --subject says where it is.")
    }
  }
}

extension Scenario {
  /// The variant of this name, of the program or the library.
  func variant(named name: String, of program: CaseSubjectOptions.Program?) -> Variant? {
    guard let program else { return variant(named: name) }
    return variants(of: program.program.name).first { $0.name == name }
  }
}
