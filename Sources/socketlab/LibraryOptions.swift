import ArgumentParser
import HostTools
import Requirements
import RunReports
import ScenarioFiles
import ScenarioModel
import ScenarioYAML
import TerminalText

/// What all commands that read scenarios have in common.
struct LibraryOptions: ParsableArguments {
  @Option(help: "The folder with the scenario files.")
  var scenarios = LabHome.place("Scenarios")

  @Option(help: "The folder with the register of requirements.")
  var requirements = LabHome.place(RequirementRegister.folder)

  /// Reads the register of requirements; nil: there is none where the lab's own would be. A folder that was named and
  /// is not there is wrong usage, and a register with a fault ends the command with `badScenario`.
  func register() throws -> RequirementRegister? {
    let isDefault = requirements == LabHome.place(RequirementRegister.folder)
    if isDefault, !PathText.exists(requirements) { return nil }
    do {
      return try RequirementRegister(folder: requirements)
    } catch let failure as RegisterFailure {
      for file in failure.files { DiagnosticOutput.print(file.diagnostics, of: file.path, file.bytes) }
      Console.error("The register of requirements is wrong in \(QuantityText.count(failure.files.count, "file")).")
      throw LabExit.badScenario.error
    } catch let failure as LabFailure {
      throw ValidationError(failure.message)
    }
  }

  /// Whom a requirement of the register binds; without a register any stream socket.
  func scope() throws -> @Sendable (String) -> RequirementScope {
    guard let register = try register() else { return { _ in .any } }
    return register.citations.scope
  }

  /// Reads the record of kills; nil: there is none. A fault in it ends the command with `badScenario`.
  func kills(_ register: RequirementRegister) throws -> KillRecord? {
    do { return try KillRecord.read(in: requirements, of: register) } catch let failure as LabFailure {
      throw ValidationError(failure.message)
    }
  }

  /// Reads the library; a missing folder is wrong usage.
  func library() throws -> ScenarioLibrary { try choice([]).library }

  /// Reads the library and what the names mean, in it or elsewhere. A missing folder and a name that nothing has are
  /// wrong usage; a named folder without scenarios ends the command with `nothingRan`.
  func choice(_ names: [String]) throws -> (library: ScenarioLibrary, ids: [String]) {
    try choice(names, register())
  }

  /// The same with a register that has been read; nil: there is none.
  func choice(
    _ names: [String], _ register: RequirementRegister?
  ) throws -> (library: ScenarioLibrary, ids: [String]) {
    do {
      var library = try opened(for: names, citations: register?.citations)
      let ids = try library.ids(for: names)
      for note in library.notes { Console.error("Note: \(note)") }
      return (library, ids)
    } catch let failure as LabFailure {
      throw ValidationError(failure.message)
    } catch let none as ScenarioLibrary.NoScenarios {
      Console.error(none.message)
      throw LabExit.nothingRan.error
    }
  }

  /// The library's folder may be missing if it is not named and all names are of files elsewhere.
  private func opened(for names: [String], citations: CitationRules?) throws -> ScenarioLibrary {
    let isDefault = scenarios == LabHome.place("Scenarios")
    if !isDefault { ReproCommand.keep("--scenarios", scenarios) }
    if requirements != LabHome.place(RequirementRegister.folder) { ReproCommand.keep("--requirements", requirements) }
    if isDefault, !PathText.exists(scenarios), !names.isEmpty, names.allSatisfy(PathText.exists) {
      Console.error("Note: there is no folder \(scenarios), so there are no controls and no canaries.")
      return ScenarioLibrary(citations: citations)
    }
    var folder = scenarios
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    return try ScenarioLibrary(folder: folder, citations: citations)
  }
}

/// Which scenarios are meant.
struct SelectionOptions: ParsableArguments {
  @Argument(
    help: """
      Scenario ids or folders of them (read/delimiters-may-be-any-bytes, read), or paths of any files or folders. \
      None: all.
      """)
  var names: [String] = []

  @Option(parsing: .singleValue, help: "A glob over ids, such as '*delimiter*'. May be repeated.")
  var filter: [String] = []

  @Option(parsing: .singleValue, help: "Only scenarios with this tag. May be repeated.")
  var tag: [String] = []
}

enum DiagnosticOutput {
  /// Prints all remarks about a file, errors to standard error.
  static func print(_ entry: ScenarioLibrary.Entry) { print(entry.diagnostics, of: entry.path, entry.bytes) }

  /// Prints remarks about a file of this path and content, errors to standard error.
  static func print(_ diagnostics: [Diagnostic], of path: String, _ bytes: [UInt8]) {
    let printer = DiagnosticPrinter(path: path, bytes: bytes, colour: Console.hasColour)
    for diagnostic in diagnostics {
      let text = printer.text(diagnostic)
      if diagnostic.severity == .error { Console.error(text) } else { Console.print(text) }
    }
  }
}
