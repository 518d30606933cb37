import ArgumentParser
import Foundation
import HostTools
import ScenarioModel
import SuiteRunner
import TerminalText

/// `socketlab history`: the runs that are kept, and the index of all.
struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Keeps the runs' folders and the index that `trend` reads.",
    subcommands: [Add.self, Prune.self, Rebuild.self])

  struct Place: ParsableArguments {
    @Option(help: "Where reports are.")
    var output = LabHome.place("reports")

    /// Gives the body what keeps the history; what can't be written or removed ends the command.
    func keeping(_ body: (HistoryKeeper) throws -> Void) throws {
      do { try body(HistoryKeeper(output: output)) } catch let failure as LabFailure {
        Console.error(failure.message)
        throw LabExit.subjectNotDriven.error
      }
    }
  }

  /// Adds what another program has measured, or a run of elsewhere.
  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Adds a benchmark report or a run to the index, if it is not there.")

    @OptionGroup var place: Place
    @Argument(help: "A benchmarks.json, or a run as `compare` takes it.")
    var file: String

    func run() throws {
      try place.keeping { keeper in
        let (entry, isNew) = try keeper.add(file: file)
        Console.print("\(entry.kind.rawValue) \(entry.name): \(isNew ? "added to" : "is already in") \(keeper.path)")
      }
    }
  }

  /// Removes old runs.
  struct Prune: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Removes the folders of old runs; with both bounds those beyond both.",
      discussion: """
        What reports/latest leads to stays, and so do the lines of the index, so that the trend goes on; --forget \
        removes those, too.
        """)

    @OptionGroup var place: Place
    @Option(help: ArgumentHelp("This many runs stay, the last ones.", valueName: "n"))
    var keep: Int?
    @Option(help: ArgumentHelp("Younger runs stay: 90d, 12h.", valueName: "age"))
    var olderThan: Age?
    @Flag(help: "Says what would go, and removes nothing.")
    var dryRun = false
    @Flag(help: "Removes the runs from the index as well.")
    var forget = false

    func validate() throws {
      guard keep != nil || olderThan != nil else { throw ValidationError("Name --keep, --older-than or both.") }
      guard keep ?? 0 >= 0 else { throw ValidationError("--keep must not be negative.") }
    }

    func run() throws {
      try place.keeping { keeper in
        let gone = try keeper.prune(
          keep: keep, olderThan: olderThan?.duration, now: Date().timeIntervalSince1970, isTrial: dryRun,
          forgets: forget)
        for folder in gone { Console.print("- \(folder)") }
        Console.print("\(QuantityText.count(gone.count, "run")) \(dryRun ? "would be removed" : "removed")")
      }
    }
  }

  /// Makes the index anew.
  struct Rebuild: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes the index of what can be read of it, and of the reports that are there.")

    @OptionGroup var place: Place

    func run() throws {
      try place.keeping { keeper in
        let (entries, lines, unreadable) = try keeper.rebuild()
        for reason in unreadable { Console.error("Note: left out, \(reason)") }
        if lines > 0 {
          Console.error(
            "Note: \(QuantityText.count(lines, "line")) could not be read, and went to \(keeper.unreadPath).")
        }
        Console.print("\(keeper.path): \(QuantityText.count(entries, "line"))")
      }
    }
  }
}

/// An age as people write it: `90d`, `12h`.
struct Age: ExpressibleByArgument {
  let duration: Duration

  init?(argument: String) {
    guard let unit = argument.last, let number = Int(argument.dropLast()), (0...100_000).contains(number) else {
      return nil
    }
    switch unit {
    case "h": duration = .seconds(number * 3_600)
    case "d": duration = .seconds(number * 86_400)
    default: return nil
    }
  }
}
