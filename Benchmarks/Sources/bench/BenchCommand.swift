import ArgumentParser
import Foundation

/// The command line of the benchmarks.
@main
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures the reference socket against rivals in the same run.",
    subcommands: [RunCommand.self, ListCommand.self, ServeCommand.self, LoadCommand.self],
    defaultSubcommand: RunCommand.self)
}

extension BenchCommand {
  /// Parses and runs. What is no wrong usage and no missed bar is our own trouble and has a code of its own.
  static func main() {
    // Whoever starts this from a thread with blocked signals would make it deaf to Ctrl-C, and its servers with it.
    var none = sigset_t()
    sigemptyset(&none)
    sigprocmask(SIG_SETMASK, &none, nil)
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      guard exitCode(for: error) == .failure, !(error is ExitCode) else { exit(withError: error) }
      Console.error("\(error)")
      exit(withError: ExitCode(70))
    }
  }
}
