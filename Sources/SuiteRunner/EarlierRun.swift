import Foundation
import HostTools
import RunComparison
import RunReports
import ScenarioModel
import ScenarioRunner
import Synchronization

/// A run that is over, as its report tells of it.
package enum EarlierRun {
  /// Reads its report; a report that can't be read is wrong usage.
  ///
  /// - Parameters:
  ///   - name: `latest`, a dated folder's name, or a path to a folder or to a report.json.
  ///   - output: the folder of all reports.
  package static func report(_ name: String, in output: String) throws(UsageFailure) -> ReportDigest {
    let (place, data) = try content(name, in: output)
    do {
      return try ReportJSON.decode(data)
    } catch ReportReadFailure.unfinished(let startedAt, let command) {
      throw UsageFailure(
        "The run has no cases to replay: it began at \(startedAt) and has not ended, or it died. Its command was: "
          + command)
    } catch { throw UsageFailure(complaint(error, about: place)) }
  }

  /// Reads what a comparison needs of its report, and the bytes that hold its traces; a report that can't be read is
  /// wrong usage. `baseline` is a run as well, without traces.
  package static func compared(
    _ name: String, in output: String
  ) throws(UsageFailure) -> (run: ComparedRun, bytes: [UInt8]) {
    if isBaseline(name, in: output) {
      return (try baseline(name.contains("/") ? name : nil, in: output).run, [])
    }
    let (place, bytes) = try content(name, in: output)
    do { return (try ReportReader.read(bytes), bytes) } catch { throw UsageFailure(complaint(error, about: place)) }
  }

  /// Reads the baseline; one that can't be read is wrong usage.
  ///
  /// - Parameter path: of the file; nil: the one in the folder of the reports.
  package static func baseline(_ path: String? = nil, in output: String) throws(UsageFailure) -> Baseline {
    let place = path ?? "\(output)/\(Baseline.fileName)"
    guard PathText.exists(place) else {
      throw UsageFailure("There is no baseline \(place). `socketlab baseline save` makes it of a run.")
    }
    let bytes = try bytes(of: place)
    do { return try Baseline.read(bytes) } catch {
      switch error {
      case .malformed(let reason):
        throw UsageFailure(
          "\(place) is no baseline: \(reason). Take it from the repository again, or make it anew with "
            + "`socketlab baseline save --replace`.")
      case .unknownSchema(let number):
        throw UsageFailure(
          "\(place) is a baseline of format \(number), and this lab reads \(Baseline.schemaVersion) only. "
            + "Make it anew with `socketlab baseline save --replace`.")
      case .unfinished: throw UsageFailure("\(place) is no baseline.")
      }
    }
  }

  /// Whether a run's name means the baseline.
  private static func isBaseline(_ name: String, in output: String) -> Bool {
    let word = Baseline.fileName.split(separator: ".")[0]
    return name == word && !PathText.exists("\(output)/\(name)/report.json")
      || name.split(separator: "/").last == Baseline.fileName[...]
  }

  /// Larger than any report; an endless file must not take all memory.
  private static let maxBytes = 1 << 30

  private static func content(_ name: String, in output: String) throws(UsageFailure) -> (place: String, bytes: [UInt8])
  {
    var places = [name, "\(name)/report.json"]
    // An absolute path is nowhere else.
    if !name.hasPrefix("/") { places.append("\(output)/\(name)/report.json") }
    guard let place = places.first(where: { PathText.exists($0) && !PathText.isFolder($0) }) else {
      throw UsageFailure("There is no report of the run \(name): looked for \(places.joined(separator: ", ")).")
    }
    return (place, try bytes(of: place))
  }

  private static func bytes(of place: String) throws(UsageFailure) -> [UInt8] {
    do {
      let file = try PlainFile.read(place, most: maxBytes)
      guard file.size <= maxBytes else { throw UsageFailure("\(place) is too long for a report: over 1 GiB.") }
      return file.bytes
    } catch let failure as UsageFailure {
      throw failure
    } catch let problem as PlainFile.Problem {
      throw UsageFailure("\(place) \(problem.text). \(problem.help ?? "")")
    } catch { throw UsageFailure("\(place) can't be read: \(error)") }
  }

  private static func complaint(_ failure: ReportReadFailure, about place: String) -> String {
    switch failure {
    case .malformed(let reason): "\(place) is no report of this lab: \(reason)"
    case .unknownSchema(let number):
      "\(place) is a report of schema \(number), and this lab reads schema \(ReportJSON.schemaVersion) only. "
        + "Run that version's suite again with this lab, or read the report with the lab that wrote it."
    case .unfinished(let startedAt, let command):
      "\(place) has no results: its run began at \(startedAt) and has not ended, or it died. "
        + "Its command was: \(command)"
    }
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
