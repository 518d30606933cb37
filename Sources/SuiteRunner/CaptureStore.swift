import Foundation
import HostTools
import RunReports
import ScenarioModel

/// Which cases of a run get a capture, and the captures.
///
/// Laws
/// - Cases that are not as expected come first. The others follow only if few cases ran.
/// - All captures together stay below a bound; later cases have none.
package struct CaptureStore {
  /// A capture to be written.
  package struct File {
    /// Relative to the reports.
    package var path: String
    /// The content, in pcapng format.
    package var bytes: [UInt8]
  }

  /// In runs of at most this many cases, those that went as expected have captures too.
  package static let fewCases = 200
  /// Of all captures of a run, in bytes.
  package static let maxBytes = 64 << 20

  /// In the order in which they were made; each has a path of its own.
  package private(set) var files: [File] = []
  /// Cases with traffic but without a capture, because there was no room or because they went as expected.
  private(set) var leftOut = 0
  private var names: Set<String> = []
  private var size = 0

  /// Makes the captures, and notes in the cases of the report where they lie.
  package init(_ report: inout RunReport, maxBytes: Int = maxBytes) {
    let unexpected = report.cases.indices.filter { !report.cases[$0].isAsExpected }
    let others = report.cases.indices.filter { report.cases[$0].isAsExpected }
    let isFew = report.cases.count <= Self.fewCases
    let start = Self.nanoseconds(report.startedAt)
    for index in unexpected + (isFew ? others : []) {
      guard size < maxBytes else {
        leftOut += 1
        continue
      }
      guard
        let bytes = PacketCapture.make(
          report.cases[index], start: start, version: report.version, system: report.host.system)
      else { continue }
      guard size + bytes.count <= maxBytes else {
        leftOut += 1
        continue
      }
      let path = freePath(report.cases[index])
      report.cases[index].capture = path
      files.append(File(path: path, bytes: bytes))
      size += bytes.count
    }
    if !isFew { leftOut += others.count }
  }

  /// For the summary: `Captures: 3 files, 12 KiB, in reports/latest/captures`.
  package func summary(folder: String) -> String {
    var line = "Captures: none"
    if !files.isEmpty {
      line = "Captures: \(QuantityText.count(files.count, "file")), \((size + 1_023) / 1_024) KiB, in "
      line += "\(folder)/\(PacketCapture.folder)"
    }
    if leftOut > 0 {
      line +=
        " (\(QuantityText.count(leftOut, "case")) left out: at most \(Self.maxBytes >> 20) MiB, and only what is not "
      line += "as expected when more than \(Self.fewCases) cases ran)"
    }
    return line
  }

  private mutating func freePath(_ result: CaseResult) -> String {
    let path = PacketCapture.path(of: result)
    var free = path
    var number = 1
    while !names.insert(free).inserted {
      number += 1
      free = path.replacing(".pcapng", with: "-\(number).pcapng")
    }
    return free
  }

  /// Since 1970; 0 when the text is no instant.
  private static func nanoseconds(_ text: String) -> UInt64 {
    guard let date = try? Date(text, strategy: .iso8601), let seconds = UInt64(exactly: date.timeIntervalSince1970)
    else { return 0 }
    return seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue
  }
}
