import Dispatch
import Foundation
import Glibc
import HostTools
import RunReports
import ScenarioModel
import Synchronization

/// What a run can be reported as.
package enum ReportFormat: String, CaseIterable, Sendable {
  case json, junit, markdown, html

  var fileName: String {
    switch self {
    case .json: "report.json"
    case .junit: "junit.xml"
    case .markdown: "summary.md"
    case .html: "index.html"
    }
  }
}

/// The reports of one run: a folder named after its time, which no other run has, and `latest`, a link to the run that
/// began last.
///
/// Laws
/// - From its beginning to its reports, `latest` leads to a note that the run has not ended. A run that dies leaves
///   that note, never the reports of an earlier one.
/// - The reports are complete before `latest` leads to them, in one step.
/// - A run that ends while a later one goes on leaves `latest` to that one.
/// - A run that was refused before anything ran leaves `latest` as it was.
///
/// `latest` is a link and no folder, because only a link can be moved in one step, with all files behind it; paths such
/// as `reports/latest/index.html` work as they do with a folder.
package final class ReportFolder {
  static let latest = "latest"
  /// Below the dated folder, while the run is under way.
  private static let unfinished = "unfinished"

  /// As the person named it.
  package let output: String
  let startedAt: Date
  private let formats: [ReportFormat]
  /// The dated folder's name; nil: none could be had.
  private(set) var name: String?
  /// Where `latest` led before.
  private var before: String?
  private var isUnderWay = false
  /// A file beside `index.html` with all requirements and what proves each, to which that page leads; nil: there is
  /// none.
  package var requirementsPage: String?
  /// Why reports can't be written, as far as is known when the run begins; a person is told, because it may be long.
  package private(set) var problem: String?

  /// Takes a folder and turns `latest` to the note. What can't be written is told when the reports are.
  package init(output: String, formats: [ReportFormat], command: [String], at startedAt: Date = Date()) {
    self.output = output
    self.startedAt = startedAt
    self.formats = formats.isEmpty ? ReportFormat.allCases : formats
    do {
      try begin(command)
    } catch {
      problem = "reports can't be written to \(output): \(error.localizedDescription)"
    }
  }

  /// ISO 8601 with seconds, UTC.
  package var startText: String { startedAt.formatted(.iso8601) }

  private func begin(_ command: [String]) throws {
    try HostFiles.makeFolder(output)
    let name = try Self.take(startText.replacingOccurrences(of: ":", with: "-"), in: output)
    self.name = name
    let note = "\(output)/\(name)/\(Self.unfinished)"
    do {
      guard mkdir(note, 0o777) == 0 else { throw FolderLink.failure("make the folder", note) }
      for file in UnfinishedRun(startedAt: startText, command: command).files {
        guard formats.contains(where: { $0.fileName == file.name }) else { continue }
        // On a full disk no note at all still says more than the reports of an earlier run.
        try? Data(file.bytes).write(to: URL(fileURLWithPath: "\(note)/\(file.name)"))
      }
      try exclusively {
        try clearFolder()
        before = FolderLink.target(of: link)
        try FolderLink.point(link, to: "\(name)/\(Self.unfinished)")
      }
    } catch {
      try? FileManager.default.removeItem(atPath: "\(output)/\(name)")
      self.name = nil
      throw error
    }
  }

  /// Makes a folder that nobody has: `base`, or `base-2` and so on if another run began in the same second.
  static func take(_ base: String, in folder: String) throws -> String {
    var number = 1
    while true {
      let name = number == 1 ? base : "\(base)-\(number)"
      if mkdir("\(folder)/\(name)", 0o777) == 0 { return name }
      guard errno == EEXIST else { throw FolderLink.failure("make the folder", "\(folder)/\(name)") }
      number += 1
    }
  }

  /// Writes the reports with the captures, and a shard's record beside them, and returns the folder to look into:
  /// `latest`, or the dated one when a run that began later has `latest`.
  package func write(_ report: RunReport, captures: [CaptureStore.File], shard: ShardRecord? = nil) throws -> URL {
    let files = self.files(of: report)
    try HostFiles.makeFolder(output)
    // What could not be had at the beginning may be had now.
    let isLate = self.name == nil
    let name = try self.name ?? Self.take(startText.replacingOccurrences(of: ":", with: "-"), in: output)
    self.name = name
    // The folder may have vanished meanwhile.
    let folder = "\(output)/\(name)"
    try HostFiles.makeFolder(folder)
    if !captures.isEmpty { try HostFiles.makeFolder("\(folder)/\(PacketCapture.folder)") }
    for capture in captures { try HostFiles.write(capture.bytes, to: "\(folder)/\(capture.path)") }
    for file in files { try HostFiles.write(file.bytes, to: "\(folder)/\(file.name)") }
    if let shard { try HostFiles.write(try shard.bytes(), to: "\(folder)/\(ShardRecord.fileName)") }
    let isLatest = try exclusively {
      let target = FolderLink.target(of: link)
      guard isLate || target == nil || target == "\(name)/\(Self.unfinished)" else { return false }
      try clearFolder()
      try FolderLink.point(link, to: name)
      return true
    }
    HostFiles.remove("\(folder)/\(Self.unfinished)")
    return URL(fileURLWithPath: isLatest ? link : "\(output)/\(name)")
  }

  /// The report to begin with, by its name in the folder: the page, unless it is not wanted.
  package var firstFile: String {
    ([.html, .markdown, .junit, .json] as [ReportFormat]).first(where: formats.contains)?.fileName ?? "."
  }

  /// Cases begin: from now on the note stays until there are reports.
  package func begins() { isUnderWay = true }

  /// The files of the formats that are wanted, made on all processors.
  private func files(of report: RunReport) -> [(name: String, bytes: [UInt8])] {
    // The page, which is the last of them, takes longest: who begins with it is done first.
    let makers = ReportFiles.allMakers(requirementsPage: requirementsPage).reversed().filter { maker in
      formats.contains { $0.fileName == maker.name }
    }
    let made = Mutex<[String: [UInt8]]>([:])
    DispatchQueue.concurrentPerform(iterations: makers.count) { index in
      let bytes = makers[index].make(report)
      made.withLock { $0[makers[index].name] = bytes }
    }
    return made.withLock { $0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + matrix(of: report)
  }

  /// Of a run with programs among the subjects, in the formats that are wanted.
  private func matrix(of report: RunReport) -> [(name: String, bytes: [UInt8])] {
    let endings = formats.map { $0.fileName.drop { $0 != "." } }
    return MatrixReport.files(report).filter { file in endings.contains { file.name.hasSuffix($0) } }
  }

  /// Undoes the beginning if no case began: the command was refused.
  package func abandon() {
    guard !isUnderWay, let name else { return }
    try? exclusively {
      guard FolderLink.target(of: link) == "\(name)/\(Self.unfinished)" else { return }
      guard let before else {
        unlink(link)
        return
      }
      // The run before may have reported meanwhile; its note is gone then.
      let suffix = "/\(Self.unfinished)"
      let isStale = before.hasSuffix(suffix) && !PathText.exists("\(output)/\(before)")
      try FolderLink.point(link, to: isStale ? String(before.dropLast(suffix.count)) : before)
    }
    try? FileManager.default.removeItem(atPath: "\(output)/\(name)")
    self.name = nil
  }

  private var link: String { "\(output)/\(Self.latest)" }

  /// Two runs must not turn `latest` at the same time.
  private func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
    try FolderLock.hold(output, body)
  }

  /// Earlier versions had a folder for `latest`. It goes, with the reports in it; what else it holds is not ours to
  /// remove.
  private func clearFolder() throws {
    var facts = stat()
    guard lstat(link, &facts) == 0, facts.st_mode & S_IFMT != S_IFLNK else { return }
    guard facts.st_mode & S_IFMT == S_IFDIR else {
      throw FolderLink.Failure(text: "\(link) is a file, and should be a link; move it away")
    }
    for format in ReportFormat.allCases { unlink("\(link)/\(format.fileName)") }
    try? FileManager.default.removeItem(atPath: "\(link)/\(PacketCapture.folder)")
    guard rmdir(link) == 0 else {
      throw FolderLink.Failure(text: "\(link) holds files that are no reports; move them away")
    }
  }
}
