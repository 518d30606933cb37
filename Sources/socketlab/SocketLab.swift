import ArgumentParser
import Foundation
import Glibc
import HostTools
import RunReports
import SuiteRunner
import TerminalText

/// The command line of the lab.
@main
struct SocketLab: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "socketlab",
    abstract: "Judges a stream-socket library by how it behaves when its peer misbehaves.",
    discussion: """
      Scenario files below Scenarios/ script the peer and say what must be seen. The lab replays them against the \
      reference GCDAsyncSocket, over the real kernel and in simulated time.

      Exit codes: 0 all as expected, 1 a deviation, 2 wrong usage, 3 a scenario file is wrong, 4 a subject could not \
      be driven or something could not be written, 5 nothing ran, or a subject that was named was asked nothing.
      """,
    version: version,
    subcommands: [
      RunCommand.self, ListCommand.self, ShowCommand.self, CheckCommand.self, NewCommand.self, ExplainCommand.self,
      ReplayCommand.self, ShrinkCommand.self, ClassifyCommand.self, BisectCommand.self, MergeCommand.self,
      RecordCommand.self, ImportCommand.self, PeerCommand.self, CompareCommand.self, BaselineCommand.self,
      DisputesCommand.self, ReachCommand.self,
      TrendCommand.self, HistoryCommand.self, CoverageCommand.self, PKICommand.self, FuzzCommand.self,
      ExploreCommand.self, DoctorCommand.self, SubjectVerbs.self, WorkerCommand.self,
    ])

  /// Parses and runs; wrong usage has an exit code of its own, which differs from the parser's.
  static func main() {
    // A caller that ignores the signal hands that on, and then the kernel takes ended children off its table before
    // anybody has asked how they ended: no test, build or worker could be told to have failed.
    signal(SIGCHLD, SIG_DFL)
    // A file that may not grow is an error of the call that writes it, and told as such.
    signal(SIGXFSZ, SIG_IGN)
    StandardDescriptors.fill()
    ReproCommand.begin(with: LabHome.program)
    do {
      // Runs start many workers, and what the parser needs for its many verbs takes longer than a short case.
      let isWorker = CommandLine.arguments.dropFirst().elementsEqual([CaseWorker.verb])
      var command = isWorker ? WorkerCommand() : try parseAsRoot()
      try command.run()
      end(LabExit.asExpected.rawValue)
    } catch let failure as FileFailure {
      Console.error(failure.message)
      Foundation.exit(LabExit.badScenario.rawValue)
    } catch {
      let error: any Error = (error as? UsageFailure).map { ValidationError($0.message) } ?? error
      let code = exitCode(for: error)
      if code.isSuccess {
        // Help, or the version.
        let text = fullMessage(for: error)
        if !text.isEmpty { Console.write(text + "\n") }
        end(code.rawValue)
      }
      guard code == .validationFailure else { exit(withError: error) }
      Console.error(fullMessage(for: error))
      Foundation.exit(LabExit.usage.rawValue)
    }
  }

  /// Ends the process with this code; instead of success with `subjectNotDriven` if text was lost on standard output,
  /// because the caller would take what is there for all of it.
  static func end(_ code: Int32) -> Never {
    let isIncomplete = code == LabExit.asExpected.rawValue && Console.hasLostText
    Foundation.exit(isIncomplete ? LabExit.subjectNotDriven.rawValue : code)
  }
}

/// Standard input, output and error.
enum StandardDescriptors {
  /// Opens those that the caller closed, to nowhere. The next file or socket would get the number otherwise, and what
  /// is meant for the terminal would be written into it.
  static func fill() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest free number is this one.
      _ = open("/dev/null", O_RDWR)
    }
  }
}

extension LabExit {
  /// To throw out of a command.
  var error: ExitCode { ExitCode(rawValue) }
}
