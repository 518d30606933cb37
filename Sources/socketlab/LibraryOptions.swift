import ArgumentParser
import ScenarioModel
import ScenarioYAML

/// What all commands that read scenarios have in common.
struct LibraryOptions: ParsableArguments {
  @Option(help: "The folder with the scenario files.")
  var scenarios = "Scenarios"

  /// Reads the library; a missing folder is wrong usage.
  func library() throws -> ScenarioLibrary {
    var folder = scenarios
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    do {
      return try ScenarioLibrary(folder: folder)
    } catch let failure as LabFailure {
      throw ValidationError(failure.message)
    }
  }
}

/// Which scenarios are meant.
struct SelectionOptions: ParsableArguments {
  @Argument(help: "Scenario ids, or folders of them: read/line, read, Scenarios/read/line.yaml. None: all.")
  var names: [String] = []

  @Option(parsing: .singleValue, help: "A glob over ids, such as '*delimiter*'. May be repeated.")
  var filter: [String] = []

  @Option(parsing: .singleValue, help: "Only scenarios with this tag. May be repeated.")
  var tag: [String] = []
}

enum DiagnosticOutput {
  /// Prints all remarks about a file, errors to standard error.
  static func print(_ entry: ScenarioLibrary.Entry) {
    let printer = DiagnosticPrinter(path: entry.path, bytes: entry.bytes, colour: Console.hasColour)
    for diagnostic in entry.diagnostics {
      let text = printer.text(diagnostic)
      if diagnostic.severity == .error { Console.error(text) } else { Console.print(text) }
    }
  }
}
