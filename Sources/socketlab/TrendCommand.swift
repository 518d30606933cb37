import ArgumentParser
import HostTools
import RunHistory
import ScenarioModel
import SuiteRunner
import TerminalText

/// `socketlab trend`: how runs, benchmarks and campaigns went over time.
struct TrendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trend", abstract: "Shows how runs, benchmarks and fuzz campaigns went over time.",
    discussion: """
      Every run adds a line to OUTPUT/\(HistoryIndex.fileName), which this reads; reports are not opened. A measure of \
      the last entry is judged by its own noise: shares by their intervals, times by the median and the median \
      deviation of the five entries before or more, with fewer by a rank test of the samples.

      Exit codes: 0 nothing is worse than before, 1 something is, 2 wrong usage or an index that can't be read, 4 a \
      file could not be written, 5 there is no history.
      """)

  @Option(help: "Where reports are.")
  var output = LabHome.place("reports")

  @Option(parsing: .singleValue, help: "Only these: suite, benchmarks, fuzz. May be repeated.")
  var kind: [HistoryEntry.Kind] = []

  @Option(help: ArgumentHelp("How many entries of each kind are looked at, the last ones.", valueName: "n"))
  var last = 50

  @Option(help: "Also writes the trend to this file, as JSON.")
  var json: String?

  @Option(help: "Also writes the trend to this file, as a page with plots.")
  var html: String?

  func validate() throws {
    guard last > 0 else { throw ValidationError("--last must be at least 1.") }
  }

  func run() throws {
    let entries = try HistoryKeeper(output: output).entries()
    let trend = Trend(entries, kinds: kind.isEmpty ? HistoryEntry.Kind.allCases : kind, most: last)
    guard !trend.entries.isEmpty else {
      Console.error("There is no history in \(output). `socketlab run` begins it; `socketlab history` knows more.")
      throw LabExit.nothingRan.error
    }
    for line in TrendText.lines(trend) { Console.print(line) }
    do {
      if let json { try HostFiles.write(TrendJSON.make(trend), to: json) }
      if let html { try HostFiles.write(TrendPage(trend).bytes, to: html) }
    } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
    if !trend.regressions.isEmpty { throw LabExit.deviation.error }
  }
}

extension HistoryEntry.Kind: ExpressibleByArgument {}
