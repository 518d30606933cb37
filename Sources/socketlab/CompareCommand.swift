import ArgumentParser
import Foundation
import HostTools
import RunComparison
import ScenarioModel
import SuiteRunner
import TerminalText

/// Says what is different in a run from an earlier one.
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Says what is different in a run from an earlier one.",
    discussion: """
      Regressions come first, grouped by finding, the likeliest cause first. Where a scenario's file changed between \
      the runs, or the machine did, that is said. Writes comparison.json, junit.xml, results.sarif, summary.md and \
      index.html.

      Exit codes: 0 no regression, 1 a regression, 2 a run that is missing or can't be compared, or a later run that \
      was interrupted and shows none, 4 files could not be written.
      """)

  @Argument(
    help: ArgumentHelp(
      "The earlier run: a dated folder's name, a path to a folder or report.json, or baseline.", valueName: "old"))
  var old: String

  @Argument(help: ArgumentHelp("The later run, named in the same ways.", valueName: "new"))
  var new = "latest"

  @Option(help: "Where reports are.")
  var output = LabHome.place("reports")

  @Option(help: ArgumentHelp("Where the files go; OUTPUT/comparison without it.", valueName: "folder"))
  var write: String?

  @Flag(help: "A case of the earlier run that the later one lacks is a regression.")
  var expectAll = false

  @Flag(help: "Prints annotations for GitHub too: each finding on its scenario's line. On in GitHub Actions.")
  var annotate = false

  func run() throws {
    let earlier = try EarlierRun.compared(old, in: output)
    let later = try EarlierRun.compared(new, in: output)
    let comparison: RunComparison
    do { comparison = try RunComparison(old: earlier.run, new: later.run, expectsAll: expectAll) } catch {
      throw UsageFailure(words(error))
    }
    for line in ComparisonText.lines(comparison) { Console.print(line) }
    if annotate || ProcessInfo.processInfo.environment["GITHUB_ACTIONS"] == "true" {
      for line in ComparisonAnnotations.lines(comparison) { Console.print(line) }
    }
    let folder = write ?? "\(output)/comparison"
    guard !PathText.exists("\(folder)/report.json") else {
      throw UsageFailure("\(folder) has the reports of a run. Let --write name another folder.")
    }
    do {
      try HostFiles.makeFolder(folder)
      let files = ComparisonFiles.make(
        comparison, oldTraces: RecordedTraces(earlier.run, bytes: earlier.bytes),
        newTraces: RecordedTraces(later.run, bytes: later.bytes),
        pages: (page(of: old, from: folder), page(of: new, from: folder)))
      for file in files { try HostFiles.write(file.make(), to: "\(folder)/\(file.name)") }
    } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
    Console.print("\nComparison: \(folder)/index.html")
    if comparison.isRegression { throw LabExit.deviation.error }
    if comparison.isCut { throw LabExit.usage.error }
  }

  /// The page of a run, as a page in the folder links to it; nil: there is none.
  private func page(of name: String, from folder: String) -> String? {
    // As `EarlierRun` finds the report.
    let places = [name, "\(name)/report.json", "\(output)/\(name)/report.json"]
    guard let report = places.first(where: { PathText.exists($0) && !PathText.isFolder($0) }),
      report.hasSuffix("report.json"), let base = PathText.real(folder)
    else { return nil }
    let parent = report.lastIndex(of: "/").map { String(report[..<$0]) } ?? "."
    // Not `latest`, which leads elsewhere tomorrow.
    return PathText.real("\(parent)/index.html").map { PathText.shown($0, from: base) }
  }

  private func words(_ refusal: RunComparison.Refusal) -> String {
    switch refusal {
    case .subjects(let one, let other):
      "The runs are of different subjects: \(one) and \(other). A program has the name of its folder, or its own: two "
        + "versions of a library are compared if both are called alike, in folders of different places, when they run."
    case .profiles(let one, let other):
      "The runs are judged by different profiles, \(one) and \(other). Run again with --profile \(one)."
    case .empty(let isOld): "The run \(isOld ? old : new) has no cases, so there is nothing to compare."
    case .nothingInCommon: "The runs \(old) and \(new) have no case in common."
    }
  }
}
