import ArgumentParser
import HostTools
import RunComparison
import ScenarioModel
import ScenarioYAML
import SuiteRunner
import TerminalText

/// `socketlab baseline`: what the cases of the suite are expected to come to.
struct BaselineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baseline", abstract: "Keeps what the cases are expected to come to, for `compare baseline`.",
    discussion: """
      The file OUTPUT/\(Baseline.fileName) belongs into the repository. It has a line for each scenario, and nothing \
      of the time or the machine in it.

      Exit codes: 0 done, 2 wrong usage or a file that can't be read, 4 the file could not be written.
      """,
    subcommands: [Save.self, Show.self, Accept.self, Prune.self])

  struct Place: ParsableArguments {
    @Option(help: "Where reports are.")
    var output = LabHome.place("reports")

    /// Gives the body what keeps the baseline; what can't be written ends the command.
    func keeping(citations: CitationRules? = nil, _ body: (BaselineKeeper) throws -> Void) throws {
      do { try body(BaselineKeeper(output: output, citations: citations)) } catch let failure as LabFailure {
        Console.error(failure.message)
        throw LabExit.subjectNotDriven.error
      }
    }

    static func patterns(_ texts: [String]) throws -> [CasePattern] {
      try texts.map { text in
        do throws(CasePattern.Failure) { return try CasePattern(text) } catch {
          throw ValidationError(
            "\(text) \(error.problem). Write read/delimiters-may-be-any-bytes, 'read/*' or "
              + "'read/delimiters-may-be-any-bytes [ipv4, simulated]'.")
        }
      }
    }
  }

  /// Makes the baseline of a run.
  struct Save: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes the baseline of a whole run.",
      discussion: """
        A run that lacks scenarios which the baseline has is refused, unless their files are gone. So is the first \
        baseline of a run that lacks scenarios of the library.
        """)

    @OptionGroup var place: Place
    @OptionGroup var library: LibraryOptions
    @Argument(
      help: ArgumentHelp(
        "The run: latest, a dated folder's name, or a path to a folder or report.json.", valueName: "run"))
    var name = "latest"
    @Flag(help: "Writes over a baseline that is there.")
    var replace = false
    @Flag(help: "Takes a run that lacks scenarios: they are no longer on record.")
    var partial = false

    func run() throws {
      try place.keeping(citations: library.register()?.citations) { keeper in
        let (baseline, failing) = try keeper.save(
          name, replaces: replace, isPartial: partial, scenarios: library.rightScenarios)
        for line in BaselineText.lines(baseline, of: []) { Console.print(line) }
        if failing > 0 {
          Console.print(Console.styled("\(QuantityText.count(failing, "case")) not as expected on record", .caution))
        }
        Console.print("Baseline: \(keeper.path)")
      }
    }
  }

  /// Shows what is on record.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows what is on record, of all or of some cases.")

    @OptionGroup var place: Place
    @Argument(help: "Ids, folders or globs, with [VARIANT, WORLD] behind them or without; none: the numbers of all.")
    var patterns: [String] = []

    func run() throws {
      let patterns = try Place.patterns(patterns)
      try place.keeping { keeper in
        let lines = BaselineText.lines(try keeper.baseline(), of: patterns)
        guard !lines.isEmpty else { throw UsageFailure("Nothing on record fits.") }
        for line in lines { Console.print(line) }
      }
    }
  }

  /// Takes a part of a run into the baseline.
  struct Accept: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Takes what a run shows of the named cases, and nothing else.")

    @OptionGroup var place: Place
    @Argument(help: "Ids, folders or globs, with [VARIANT, WORLD] behind them or without.")
    var patterns: [String]
    @Option(help: ArgumentHelp("The run: latest, a dated folder's name, or a path.", valueName: "run"))
    var from = "latest"

    func run() throws {
      let patterns = try Place.patterns(patterns)
      try place.keeping { keeper in
        let changes = try keeper.accept(patterns, from: from)
        for line in BaselineText.lines(changes) { Console.print(line) }
        Console.print("\(keeper.path): \(QuantityText.count(changes.count, "case")) taken")
      }
    }
  }

  /// Removes what there is no more.
  struct Prune: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Removes the cases that no scenario has any more.",
      discussion: """
        Ids that are paths, of scenarios elsewhere, are looked for from the working folder: stand where you ran them. \
        What can't be read as a scenario keeps its cases.
        """)

    @OptionGroup var place: Place
    @OptionGroup var library: LibraryOptions

    func run() throws {
      try place.keeping(citations: library.register()?.citations) { keeper in
        let pruning = try keeper.prune(library.rightScenarios)
        for note in pruning.notes { Console.error("Note: \(note)") }
        for line in BaselineText.lines(pruning.changes) { Console.print(line) }
        Console.print("\(keeper.path): \(QuantityText.count(pruning.changes.count, "case")) removed")
      }
    }
  }
}

extension LibraryOptions {
  /// The scenarios of a library without errors; others end the command with `badScenario`.
  fileprivate func rightScenarios() throws -> [Scenario] {
    let library = try self.library()
    let wrong = library.entries.filter(\.hasErrors)
    guard wrong.isEmpty else {
      for entry in wrong { DiagnosticOutput.print(entry) }
      throw LabExit.badScenario.error
    }
    return library.scenarios
  }
}
