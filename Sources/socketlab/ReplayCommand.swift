import ArgumentParser
import Foundation
import HostTools
import RunReports
import ScenarioModel
import ScenarioRunner
import SubjectAdapters
import SuiteRunner
import Synchronization
import TerminalText

/// Runs a case of an earlier run again.
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Runs a case of an earlier run again, with its variant, world and seed.",
    discussion: """
      In the simulated world the trace must come out the same, or something has changed since. Exit codes are those of \
      `run`.
      """)

  @OptionGroup var library: LibraryOptions

  @Argument(
    help: ArgumentHelp(
      "The run: latest, a dated folder's name, or a path to a folder or report.json.", valueName: "run"))
  var folder: String

  @Argument(help: "The case: a scenario's id, a path of its file, or a full name: 'read/line [ipv4, simulated]'.")
  var name: String

  @Option(help: "Where reports are.")
  var output = LabHome.place("reports")

  func run() throws {
    let digest = try report()
    var cases = digest.cases.filter { $0.name == name || $0.scenario == name }
    if cases.isEmpty, let ids = try? library.choice([name]).ids { cases = digest.cases.filter { [$0.scenario] == ids } }
    guard let first = cases.first else {
      throw ValidationError("The run has no case \(name). Its report lists them all.")
    }
    let (library, ids) = try self.library.choice([first.scenario])
    guard let entry = ids.first.flatMap({ library[$0] }) else {
      throw ValidationError("\(first.scenario) is no scenario any more.")
    }
    guard let scenario = entry.scenario else {
      DiagnosticOutput.print(entry)
      throw LabExit.badScenario.error
    }
    let executor = SuiteExecutor(
      scenarios: [scenario],
      options: .init(jobs: 1, profile: digest.profile, jitter: HostProbe.jitter(), keepsTraces: true))
    var isAsExpected = true
    for earlier in cases {
      guard let variant = scenario.variant(named: earlier.variant) else {
        throw ValidationError("The scenario has no variant \(earlier.variant) any more.")
      }
      let result = try run(
        PlannedCase(scenario: 0, variant: variant, world: earlier.world, seed: earlier.seed), with: executor)
      if !result.isAsExpected { isAsExpected = false }
      show(result, earlier: earlier, path: entry.path)
    }
    if !isAsExpected { throw LabExit.deviation.error }
  }

  private func run(_ planned: PlannedCase, with executor: SuiteExecutor) throws -> CaseResult {
    let results = Mutex<[CaseResult]>([])
    do {
      let amended = try executor.run([planned]) { result in results.withLock { $0.append(result) } }
      results.withLock { $0 += amended }
    } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
    guard let result = results.withLock({ $0.last }) else { throw LabExit.nothingRan.error }
    return result
  }

  private func show(_ result: CaseResult, earlier: CaseDigest, path: String) {
    if result.isAsExpected {
      Console.print("\(Console.styled("✓", .good)) \(Console.styled(result.name, .strong))  \(result.verdict.rawValue)")
    } else {
      Console.print(CaseText.describe(result, path: path))
    }
    var remark = "    then \(earlier.verdict.rawValue), now \(result.verdict.rawValue)"
    if result.world == .simulated {
      remark += earlier.traceHash == result.traceHash ? "; the same trace" : "; the trace differs"
    }
    Console.print(Console.styled(remark, .quiet))
  }

  private func report() throws -> ReportDigest {
    let places = [folder, "\(folder)/report.json", "\(output)/\(folder)/report.json"]
    guard
      let place = places.first(where: { path in
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
      }), let data = FileManager.default.contents(atPath: place)
    else {
      throw ValidationError("There is no report of the run \(folder): looked for \(places.joined(separator: ", ")).")
    }
    do {
      return try ReportJSON.decode(data)
    } catch ReportReadFailure.unfinished(let startedAt, let command) {
      throw ValidationError(
        "The run has no cases to replay: it began at \(startedAt) and has not ended, or it died. Its command was: "
          + command)
    } catch {
      throw ValidationError("\(place) is no report of this lab: \(error)")
    }
  }
}
