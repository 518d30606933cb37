import Foundation
import HostTools
import RunReports
import ScenarioModel
import ScenarioRunner
import Synchronization

/// A run that is over, as its report tells of it.
package enum EarlierRun {
  /// Reads its report; what is in the way is wrong usage.
  ///
  /// - Parameters:
  ///   - name: `latest`, a dated folder's name, or a path to a folder or to a report.json.
  ///   - output: the folder of all reports.
  package static func report(_ name: String, in output: String) throws(UsageFailure) -> ReportDigest {
    let places = [name, "\(name)/report.json", "\(output)/\(name)/report.json"]
    guard let place = places.first(where: { PathText.exists($0) && !PathText.isFolder($0) }),
      let data = FileManager.default.contents(atPath: place)
    else { throw UsageFailure("There is no report of the run \(name): looked for \(places.joined(separator: ", ")).") }
    do {
      return try ReportJSON.decode(data)
    } catch ReportReadFailure.unfinished(let startedAt, let command) {
      throw UsageFailure(
        "The run has no cases to replay: it began at \(startedAt) and has not ended, or it died. Its command was: "
          + command)
    } catch { throw UsageFailure("\(place) is no report of this lab: \(error)") }
  }
}

extension SuiteExecutor {
  /// Runs one case; nil: it was stopped before.
  package func run(_ planned: PlannedCase) throws -> CaseResult? {
    let results = Mutex<[CaseResult]>([])
    let amended = try run([planned]) { result in results.withLock { $0.append(result) } }
    return amended.last ?? results.withLock { $0.last }
  }
}
