import ArgumentParser
import HostTools
import RunReports
import ScenarioModel
import SubjectPrograms
import TerminalText

extension SubjectSkeleton.Language: ExpressibleByArgument {}

/// Lays the beginning of a subject.
struct SubjectNewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Lays the beginning of a subject: it passes the check, and offers little.",
    discussion: "The protocol is in Subjects/README.md.")

  @Argument(help: "The subject's name, which becomes a folder below Subjects/, or the path of a folder to make.")
  var name: String

  @Option(help: "What it is written in: python, swift or c.")
  var language: SubjectSkeleton.Language

  func run() throws {
    let path: String
    do { path = try SubjectSkeleton.make(name, language, below: SubjectOptions.folder) } catch let failure as LabFailure
    {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
    let subject = name.contains("/") ? "\(path)/\(SubjectProgram.starter)" : name
    Console.print("Made \(path).")
    Console.print("Next: \(ReproCommand.text(verb: "subject", ["check", subject]))")
  }
}
