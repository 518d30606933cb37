import ArgumentParser
import HostTools
import RunReports
import ScenarioModel
import SubjectPrograms
import SubjectProtocol
import TerminalText

/// What is done with subjects besides judging them.
struct SubjectVerbs: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subject", abstract: "Lays and tries subjects of your own.",
    subcommands: [SubjectNewCommand.self, SubjectCheckCommand.self])
}

/// Tries a subject message by message.
struct SubjectCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Tries a subject message by message and says what it does wrong.",
    discussion: """
      Exits with 0 if nothing is wrong, with 1 if something is, and with 4 if the subject can't be started. The \
      protocol is in Subjects/README.md.
      """)

  @Argument(help: "A subject below Subjects/, or the path of a program.")
  var program: String

  func run() throws {
    let found = try SubjectOptions.program(program)
    if let reason = try SubjectOptions.prepare(found) {
      Console.error("The subject \(found.name) can't be tried: \(Console.visible(reason))")
      throw LabExit.subjectNotDriven.error
    }
    let check = SubjectCheck(found) { finding in
      guard let trouble = finding.trouble else {
        Console.print("\(Console.styled("✓", .good)) \(finding.what)")
        return finding.remarks.forEach { Console.print(Console.styled("    \(Console.quotation($0))", .caution)) }
      }
      Console.print("\(Console.styled("✗", .bad)) \(finding.what)")
      Console.print("    \(Console.quotation(trouble))")
    }
    let outcome: (claims: SubjectClaims?, isSound: Bool, lastWords: [String])
    do { outcome = try StrayProcesses.endingOrphans { try check.run() } } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
    if !outcome.isSound {
      for line in outcome.lastWords.suffix(10) {
        Console.print(Console.styled("    \(Console.quotation(line))", .quiet))
      }
      throw LabExit.deviation.error
    }
    Console.print("Next: \(ReproCommand.text(verb: "run", ["control", "read", "--subject", program]))")
  }
}
