import ArgumentParser
import HostTools
import RunReports
import ScenarioFiles
import ScenarioModel
import TerminalText

/// Makes a new scenario file from a template.
struct NewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Makes a new scenario file from a template or from any other scenario.")

  @OptionGroup var library: LibraryOptions

  @Argument(help: "The new scenario's id, such as read/my-first-line, or the path of a file: ../qa/first-line.yaml.")
  var name: String

  @Option(help: "A template's name, any scenario's id, or the path of a file. Without it the templates are listed.")
  var from: String?

  func run() throws {
    let library = try self.library.library()
    guard let from else {
      Console.print("Say which one to begin with: \(ReproCommand.text(verb: "new", [name, "--from", "TEMPLATE"]))")
      var last: String?
      for entry in library.entries(named: [NewScenario.templates]) {
        let id = entry.table ?? entry.id
        if id != last {
          Console.print("  \(id.dropFirst(NewScenario.templates.count + 1))  \(entry.scenario?.title ?? "")")
        }
        last = id
      }
      throw LabExit.usage.error
    }
    let new = try made(from: from, in: library)
    do { try new.write() } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
    Console.print("Made \(new.path) from \(new.template.table ?? new.template.id).")
    let next = ["check", "run"].map { ReproCommand.text(verb: $0, [new.id]) }
    Console.print("Next: edit it, then  \(next.joined(separator: "  and  "))")
  }

  private func made(from source: String, in library: ScenarioLibrary) throws -> NewScenario {
    // An id comes first, whatever lies in the working folder.
    let isPath = PathText.isPath(source) || source.hasSuffix(".yaml")
    guard isPath, PathText.exists(source), !PathText.isFolder(source) else {
      return try NewScenario(named: name, from: source, in: library)
    }
    let (whole, ids) = try self.library.choice([source])
    guard let id = ids.first else { throw ValidationError("\(source) holds no scenario.") }
    return try NewScenario(named: name, from: id, in: whole)
  }
}
