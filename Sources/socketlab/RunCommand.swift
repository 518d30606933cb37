import ArgumentParser
import CaseWorkers
import Foundation
import Glibc
import ScenarioModel
import ScenarioRunner

/// Replays scenarios and writes the reports.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Replays scenarios and writes the reports.",
    discussion: """
      Without names all scenarios run, in both worlds. The canaries and the controls of what was chosen always run \
      along. Reports go to a folder named after the time, and reports/latest is a link to it.
      """)

  enum WorldChoice: String, ExpressibleByArgument, CaseIterable {
    case loopback, simulated, both

    var worlds: Set<WorldName> {
      switch self {
      case .loopback: [.loopback]
      case .simulated: [.simulated]
      case .both: Set(WorldName.allCases)
      }
    }
  }

  @OptionGroup var library: LibraryOptions
  @OptionGroup var selection: SelectionOptions

  @Option(help: "Where to run: loopback (the real kernel), simulated (virtual time) or both.")
  var world = WorldChoice.both

  @Option(help: "The seed that everything random is drawn from.")
  var seed: UInt64 = 1

  @Option(help: "How many seeds to run in the simulated world, counting up from --seed.")
  var seeds = 1

  @Option(help: "Only the variant of this name, such as ipv6-bytes.")
  var variant: String?

  @Option(
    help: """
      Plays every scenario at this speed of the subject's, whatever its matrix says: all of its shortcuts, plain for \
      none, or one alone by name.
      """)
  var speed: Speed?

  @Option(help: "Which reading of the sources the subject is held to: documented or upstream.")
  var profile = Profile.documented

  static let standardJobs = 32

  @Option(help: "How many loopback cases run at the same time; fewer when too few descriptors may be open.")
  var jobs = RunCommand.standardJobs

  @Option(
    help: ArgumentHelp(
      "How long a case may take beyond its limit, in seconds, before its worker is ended and the case has hung.",
      valueName: "seconds"))
  var patience = 20

  @Option(help: "Runs everything this many times.")
  var `repeat` = 1

  @Flag(help: "Repeats until a case is not as expected (at most --repeat times if that is given).")
  var untilFail = false

  @Option(help: "Where the reports go.")
  var output = LabHome.place("reports")

  @Option(parsing: .singleValue, help: "Only these report formats: json, junit, markdown, html. May be repeated.")
  var format: [ReportFormat] = []

  @Flag(
    help: ArgumentHelp(
      """
      Writes what went over the wire as pcapng, with the TLS secrets inside: of cases that are not as expected, and of \
      all when at most \(CaptureShelf.fewCases) ran.
      """))
  var capture = false

  @Flag(help: "Prints deviations and the summary only.")
  var quiet = false

  func validate() throws {
    guard seeds > 0 else { throw ValidationError("--seeds must be at least 1.") }
    guard jobs > 0, jobs <= 256 else { throw ValidationError("--jobs must be between 1 and 256.") }
    guard (1...3_600).contains(patience) else {
      throw ValidationError("--patience must be between 1 and 3600 seconds.")
    }
    guard `repeat` > 0 else { throw ValidationError("--repeat must be at least 1.") }
  }

  func run() throws {
    // A reader that leaves, such as head, must not take the reports with it.
    signal(SIGPIPE, SIG_IGN)
    AllocatorPolicy.returnLargeBlocks()
    // Before anything is read: whatever ends this run, `latest` is not an earlier one's.
    let reports = ReportFolder(output: output, formats: format, command: LabHome.commandLine)
    // Ends what was refused; after the reports it does nothing.
    defer { reports.abandon() }
    let (library, ids) = try self.library.choice(selection.names)
    let run = try SuiteRun(library: library, ids: ids, command: self)
    let outcome: SuiteOutcome
    do { outcome = try run.run(reports) } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
    let code = try outcome.finish()
    // All is written. To give back what a long run holds, piece by piece, would take longer than to write it.
    withExtendedLifetime((library, run, outcome)) { Foundation.exit(code.rawValue) }
  }
}

extension Profile: ExpressibleByArgument {}
extension Speed: ExpressibleByArgument {}
extension WorldName: ExpressibleByArgument {}

enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
  case json, junit, markdown, html

  var fileName: String {
    switch self {
    case .json: "report.json"
    case .junit: "junit.xml"
    case .markdown: "summary.md"
    case .html: "index.html"
    }
  }
}
