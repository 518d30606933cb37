import Foundation
import Reporting
import ScenarioModel

/// Puts reports into folders: one named after the time of the run, and `latest`.
struct ReportWriter {
  let output: String

  /// Writes the chosen formats (none chosen: all) with the captures and returns the folder `latest`.
  func write(_ report: RunReport, formats: [ReportFormat], captures: [CaptureShelf.File] = []) throws -> URL {
    let wanted = Set((formats.isEmpty ? ReportFormat.allCases : formats).map(\.fileName))
    let files = try ReportFiles.make(report).filter { wanted.contains($0.name) }
    let root = URL(fileURLWithPath: output, relativeTo: URL(fileURLWithPath: FileManager.default.currentDirectoryPath))
    let dated = root.appendingPathComponent(report.startedAt.replacingOccurrences(of: ":", with: "-"))
    let latest = root.appendingPathComponent("latest")
    for folder in [dated, latest] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for format in ReportFormat.allCases where folder == latest {
        // A format that was not asked for this time must not tell of an earlier run.
        try? FileManager.default.removeItem(at: folder.appendingPathComponent(format.fileName))
      }
      // Nor must a capture.
      let shelf = folder.appendingPathComponent(PacketCapture.folder)
      if folder == latest { try? FileManager.default.removeItem(at: shelf) }
      if !captures.isEmpty { try FileManager.default.createDirectory(at: shelf, withIntermediateDirectories: true) }
      for capture in captures {
        try Data(capture.bytes).write(to: folder.appendingPathComponent(capture.path), options: .atomic)
      }
      for file in files {
        try Data(file.bytes).write(to: folder.appendingPathComponent(file.name), options: .atomic)
      }
    }
    return URL(fileURLWithPath: "\(output)/latest")
  }
}
