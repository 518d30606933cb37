import CaseReduction
import Foundation
import HostTools
import RunReports
import ScenarioModel
import ScenarioYAML

/// Another lab, whose subject passes what this one's should: it says whether what is left of a scenario is right.
package struct ReferenceLab {
  private let program: String
  private let folder: String
  private let deathPipe: ParentDeathPipe

  /// - Parameters:
  ///   - program: the lab's path.
  ///   - folder: an empty folder for its scenarios and reports.
  package init(program: String, folder: String) throws {
    guard PathText.exists(program), !PathText.isFolder(program) else {
      throw UsageFailure("There is no program \(program), which should be a lab whose subject is sound.")
    }
    self.program = program
    self.folder = folder
    deathPipe = try ParentDeathPipe()
  }

  /// Whether the sound subject passes each of them.
  package func passes(_ trials: [ReductionTrial], in world: WorldName) throws -> [Bool] {
    var passed = trials.map { _ in false }
    for seed in Set(trials.map(\.seed)) {
      let places = trials.indices.filter { trials[$0].seed == seed }
      for (place, verdict) in zip(places, try verdicts(places.map { trials[$0] }, in: world, seed: seed)) {
        passed[place] = verdict == .passed || verdict == .passedNonStrict
      }
    }
    return passed
  }

  private func verdicts(_ trials: [ReductionTrial], in world: WorldName, seed: UInt64) throws -> [Verdict?] {
    let scenarios = "\(folder)/scenarios"
    HostFiles.remove(scenarios)
    try HostFiles.makeFolder(scenarios)
    defer { HostFiles.remove(scenarios) }
    for (number, trial) in trials.enumerated() {
      try HostFiles.write(Array(ScenarioWriter.yaml(trial.scenario).utf8), to: "\(scenarios)/trial\(number).yaml")
    }
    let output = "\(folder)/reports"
    defer { HostFiles.remove(output) }
    let child = ChildGroup(
      ChildPlan(
        executable: program,
        arguments: [
          "run", "--scenarios", scenarios, "--world", world.rawValue, "--seed", "\(seed)", "--quiet", "--format",
          "json", "--output", output,
        ], limit: .seconds(300)), deathPipe: deathPipe)
    _ = try child.run()
    guard let bytes = try? HostFiles.read("\(output)/latest/report.json"), let report = try? ReportJSON.decode(bytes)
    else { return trials.map { _ in nil } }
    return trials.enumerated().map { number, trial in
      report.cases(of: "trial\(number)", variant: trial.ofLibrary?.variant.name ?? trial.variant.name).first?.verdict
    }
  }
}
