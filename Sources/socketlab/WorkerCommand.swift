import ArgumentParser
import Glibc
import HostTools
import SuiteRunner
import TerminalText

/// `socketlab worker`: runs cases for a run, in a process that may end.
///
/// The subject may trap, overflow its stack, use up memory or never return. So workers run it, and the run looks at how
/// they end. Requests come over the descriptor that the run has left open, answers go back there; standard error takes
/// last words. A worker whose run is gone ends at once.
struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: CaseWorker.verb, abstract: "Runs cases for a run. Not for people.", shouldDisplay: false)

  func run() throws {
    var type: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(CaseWorker.descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 else {
      throw ValidationError("A worker is started by `socketlab run`, and speaks with it alone.")
    }
    do { try CaseWorker.serve(CaseWorker.descriptor) } catch {
      Console.error("the worker was told something that it does not understand: \(error)")
      _exit(LabExit.usage.rawValue)
    }
    _exit(0)
  }
}
