import HostTools
import Requirements
import RunReports
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import SuiteRunner

/// Looks for what witnesses the requirements: scenarios, Swift tests, and what the last run said of them.
package struct WitnessSurvey {
  private let tests: String
  private let reports: String

  /// - Parameters:
  ///   - tests: the folder with the Swift tests.
  ///   - reports: the folder with the reports of runs.
  package init(tests: String, reports: String) {
    self.tests = tests
    self.reports = reports
  }

  /// The witnesses of each requirement. A source that is missing is noted and left out; canaries are no witnesses.
  ///
  /// - Parameter kills: the record of which mutants the witnesses kill; nil: there is none.
  package func coverage(
    _ register: RequirementRegister, _ library: ScenarioLibrary, kills: KillRecord?, note: (String) -> Void
  ) -> RequirementCoverage {
    let last: ReportDigest?
    do throws(UsageFailure) {
      last = try EarlierRun.report("latest", in: reports)
    } catch {
      note("no verdicts are shown. \(error.message)")
      last = nil
    }
    let played = Dictionary(grouping: last?.cases ?? [], by: \.scenario).mapValues(ScenarioWitness.Tally.init)
    let scenarios = library.entriesOfFolder.compactMap { entry in
      entry.scenario.flatMap { scenario -> (witness: ScenarioWitness, ids: [String])? in
        guard !scenario.canary else { return nil }
        let worlds = WorldName.allCases.filter(scenario.worlds.contains)
        let witness = ScenarioWitness(
          scenario: entry.id, path: entry.path, worlds: worlds, last: played[entry.id])
        return (witness, scenario.requirements)
      }
    }
    return RequirementCoverage(
      register, scenarios: scenarios, tests: Self.declarations(below: tests, note),
      everyCase: EveryCase.requirements, kills: kills, lastRun: last?.startedAt)
  }

  /// What the Swift tests below a folder declare, with the requirement of each. A folder that is missing is noted.
  package static func declarations(
    below tests: String, _ note: (String) -> Void
  ) -> [(id: String, witness: TestWitness)] {
    guard let paths = try? HostFiles.files(below: tests), !paths.isEmpty else {
      note("there is no folder \(tests), so no Swift test counts.")
      return []
    }
    return paths.filter { $0.hasSuffix(".swift") }.flatMap { path -> [(id: String, witness: TestWitness)] in
      guard let bytes = try? HostFiles.read(path) else { return [] }
      return TestScan.declarations(in: String(decoding: bytes, as: UTF8.self), path: path)
    }
  }
}

extension ScenarioWitness.Tally {
  /// Of a scenario's cases in a run, of which the first one that is not as expected speaks for all.
  fileprivate init(_ cases: [CaseDigest]) {
    let wrong = cases.filter { !$0.isAsExpected }
    self.init(
      cases: cases.count, asExpected: cases.count - wrong.count,
      verdict: wrong.first?.verdict.rawValue ?? cases.first?.verdict.rawValue ?? "")
  }
}
