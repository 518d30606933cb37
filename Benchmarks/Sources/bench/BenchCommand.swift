import ArgumentParser

/// The command line of the benchmarks.
@main
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures the reference socket against rivals in the same run.",
    subcommands: [ServeCommand.self, LoadCommand.self])
}
