import CoverageRunner
import Requirements
import ScenarioFiles

/// `requirements.html` beside the page of a run: every requirement with what witnesses it, and what the run said of
/// that.
enum RunRequirements {
  static let fileName = "requirements.html"

  /// - Parameters:
  ///   - options: where the record of kills is.
  ///   - output: the folder of all reports; the last run there is the one that is told.
  static func write(
    _ register: RequirementRegister, _ library: ScenarioLibrary, _ options: LibraryOptions, reports output: String,
    to path: String
  ) throws {
    let coverage = WitnessSurvey(tests: LabHome.place("Tests"), reports: output).coverage(
      register, library, kills: try options.kills(register), note: { _ in })
    try CoverageCommand.writePage(coverage, register, to: path)
  }
}
