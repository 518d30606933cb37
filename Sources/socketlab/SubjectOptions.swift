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
      or the path of a program that speaks the protocol of Subjects/README.md.
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
      return try SubjectPreparation.run(program) { Console.error("Note: preparing the subject \(program.name)") }
    } catch let failure as LabFailure { return failure.message }
  }

  /// Where the subjects are that come with the lab.
  static var folder: String { LabHome.place(SubjectProgram.folder) }

  /// Who is judged, and who was asked for and can't be.
  struct Lineup {
    var hasReference: Bool
    var programs: [SubjectEntry] = []
    var leftOut: [ProgramFacts] = []
  }

  /// Who is judged, and what each says of itself. A name that nothing has is wrong usage. A subject that does not start
  /// is left out with the reason; if there is no other, the command ends with `subjectNotDriven`.
  func lineup(_ known: DeviationOptions, startedAt: String) throws -> Lineup {
    let words = subject.split(separator: ",", omittingEmptySubsequences: false).map {
      String($0.drop { $0 == " " })
    }
    guard words.allSatisfy({ !$0.isEmpty }) else {
      throw ValidationError("--subject names nobody between two commas: \(subject)")
    }
    var line = Lineup(hasReference: words.contains(SubjectProgram.reference))
    var names: Set<String> = []
    var paths: [String: String] = [:]
    for word in words where names.insert(word).inserted && word != SubjectProgram.reference {
      let program: SubjectProgram
      do throws(LabFailure) { program = try SubjectProgram.find(word, in: Self.folder) } catch {
        throw ValidationError(error.message)
      }
      if let other = paths.updateValue(program.path, forKey: program.name) {
        throw ValidationError("Two subjects are called \(program.name): \(other) and \(program.path). Rename one.")
      }
      if word != program.name { ReproCommand.name(program.name, as: word) }
      if let reason = try Self.prepare(program) {
        Console.error("The subject \(program.name) is left out: \(reason)")
        line.leftOut.append(ProgramFacts(name: program.name, leftOut: reason))
        continue
      }
      do {
        let claims = try SubjectEntry.claims(of: program)
        line.programs.append(
          SubjectEntry(
            program: program, claims: claims,
            deviations: try known.ledger(of: program, startedAt: startedAt)))
      } catch let trouble as SubjectPool.Trouble {
        Console.error("The subject \(trouble.fault.text). It is left out.")
        for word in trouble.lastWords.suffix(5) { Console.error("  \(word)") }
        let text = trouble.fault.text
        let head = "\(program.name): "
        line.leftOut.append(
          ProgramFacts(name: program.name, leftOut: text.hasPrefix(head) ? String(text.dropFirst(head.count)) : text))
      }
    }
    guard line.hasReference || !line.programs.isEmpty else { throw LabExit.subjectNotDriven.error }
    return line
  }
}
