import ArgumentParser
import Foundation
import HostTools
import ScenarioModel
import SubjectPrograms
import SuiteRunner
import TerminalText

/// Names the first commit at which a case fails.
struct BisectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bisect", abstract: "Names the first commit at which a case fails.",
    discussion: """
      Builds the lab at commits between a good and a bad one, which git chooses, in a work tree of its own, and runs \
      the case there: best one that `shrink` has made smaller. A commit that does not build, can't read the scenario \
      or shows another finding is skipped. Nothing is left behind, and your work tree is not touched.

      Exit codes: 0 the first bad commit is named, 1 it is one of several, because others were skipped, 2 wrong usage, \
      such as a GOOD that is bad, 3 the scenario file is wrong, 4 git failed, 5 interrupted.
      """)

  @OptionGroup var library: LibraryOptions

  @Argument(help: "A commit at which the case passes.")
  var good: String

  @Argument(help: "A commit at which it fails.")
  var bad = "HEAD"

  @Option(name: .customLong("case"), help: ArgumentHelp("The scenario: its id or its file's path.", valueName: "case"))
  var name: String

  @Option(help: "Where to run it; without it wherever its file says.")
  var world: WorldName?

  @Option(help: "The seed to run it with.")
  var seed: UInt64 = 1

  @Option(help: "Only this variant.")
  var variant: String?

  @Option(help: "The subject's repository.")
  var repository = LabHome.folder

  @Option(help: "What builds the lab, in the work tree; `swift build` without it.")
  var command: String?

  @Option(help: "Where --command puts the lab, below the work tree.")
  var lab = ".build/release/socketlab"

  @Option(help: .hidden)
  var subject: String?

  @Option(help: "How often the case is run at each commit; any failure makes it bad.")
  var tries = 1

  func validate() throws {
    guard (1...1000).contains(tries) else { throw ValidationError("--tries must be between 1 and 1000.") }
    // Other commands about a case have the option, and a program's case is named with it.
    guard subject == nil || subject == SubjectProgram.reference else {
      throw ValidationError(
        "bisect has no --subject: it looks for commits of the lab and of the library that comes with it. A program's "
          + "history is searched with git bisect run, where the program is.")
    }
  }

  func run() throws {
    let (library, ids) = try self.library.choice([name])
    guard let entry = ids.first.flatMap({ library[$0] }), ids.count == 1 else {
      throw ValidationError("\(name) is not one scenario.")
    }
    guard !entry.hasErrors else {
      DiagnosticOutput.print(entry)
      throw LabExit.badScenario.error
    }
    if let variant, let scenario = entry.scenario { try refuseOthers(variant, scenario) }
    guard let path = PathText.real(entry.path) else { throw ValidationError("There is no file \(entry.path).") }
    do { try search(path) } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
  }

  /// A variant of a program's has no history here: what is built at each commit is the library that comes with the lab.
  private func refuseOthers(_ variant: String, _ scenario: Scenario) throws {
    let isGlob = variant.contains { "*?[".contains($0) }
    guard !isGlob, scenario.variant(named: variant) == nil else { return }
    throw ValidationError(
      "\(name) has no variant \(variant) of the library that comes with the lab, and bisect looks at no other: a "
        + "program's history is searched with git bisect run, where the program is.")
  }

  private func search(_ path: String) throws {
    let number = ProcessInfo.processInfo.processIdentifier
    let scratch = NSTemporaryDirectory() + "\(CommitBisection.scratchPrefix)\(number)"
    let stop = StopFlag()
    let bisection = try CommitBisection(
      .init(
        repository: repository, good: good, bad: bad, scenario: path, world: world, seed: seed, variant: variant,
        command: command, lab: lab, tries: tries), scratch: scratch, stop: stop
    ) { event in
      switch event {
      case .building(let commit, let title): Console.print("  \(commit.prefix(10))  \(title)")
      case .judged(_, .good): Console.print("              \(Console.styled("good", .good))")
      case .judged(_, .bad): Console.print("              \(Console.styled("bad", .bad))")
      case .judged(_, .skipped(let reason)):
        Console.print("              \(Console.styled("skipped", .caution)): \(reason)")
      }
    }
    let interrupts = InterruptWatch(flag: stop)
    defer { interrupts.end() }
    if bisection.hasChanges {
      Console.error("Note: \(repository) has changes that are in no commit; they are not looked at.")
    }
    switch try bisection.run() {
    case .first(let commit, let title):
      Console.print("\(Console.styled("first bad commit", .strong))  \(commit.prefix(10))  \(title)")
    case .oneOf(let commits):
      Console.print("The first bad commit is one of these; the others of them were skipped:")
      for commit in commits { Console.print("  \(commit.prefix(10))") }
      throw LabExit.deviation.error
    case .interrupted:
      Console.error("Interrupted; nothing is left behind.")
      throw LabExit.nothingRan.error
    }
  }
}
