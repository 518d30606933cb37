import Foundation
import Glibc
import HostTools
import RunComparison
import RunHistory
import RunReports
import ScenarioModel

/// The history in a folder of reports: the index, and the dated folders that it tells of.
///
/// Laws
/// - Whatever changes the index does so under the folder's lock, so that no line gets lost and no entry is there twice.
/// - Adding appends one line. When the line can't be written whole, the file is cut back to what it was.
/// - Nothing is removed but by command, and never what `latest` leads to.
package struct HistoryKeeper {
  /// The folder of all reports.
  private let output: String

  /// The index's path.
  package var path: String { "\(output)/\(HistoryIndex.fileName)" }

  package init(output: String) { self.output = output }

  /// The index; an empty one if there is none yet.
  package func index() throws(UsageFailure) -> HistoryIndex {
    guard PathText.exists(path) else { return HistoryIndex([]) }
    do { return HistoryIndex(try PlainFile.read(path, most: 1 << 30).bytes) } catch {
      throw UsageFailure("\(path) \(error.text). \(error.help ?? "")")
    }
  }

  /// The entries; a line that can't be read is wrong usage, with its place.
  package func entries() throws(UsageFailure) -> [HistoryEntry] {
    let index = try index()
    guard let problem = index.problems.first else { return index.entries }
    let more =
      index.problems.count > 1 ? ", and \(QuantityText.count(index.problems.count - 1, "more line")) is wrong" : ""
    throw UsageFailure(
      "\(path):\(problem.line):\(problem.column): \(problem.text)\(more). "
        + "`socketlab history rebuild` makes the index of what can be read, and of the reports that are there.")
  }

  /// Appends an entry.
  package func append(_ entry: HistoryEntry) throws {
    try HostFiles.makeFolder(output)
    try FolderLock.hold(output) { try appendLocked(entry) }
  }

  /// To be called with the lock held, in a folder that is there.
  private func appendLocked(_ entry: HistoryEntry) throws {
    let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw problem(errno) }
    defer { close(descriptor) }
    let size = lseek(descriptor, 0, SEEK_END)
    guard size >= 0 else { throw problem(errno) }
    var bytes = HistoryIndex.line(entry)
    var last: UInt8 = 0
    // What an earlier version or another program left half written stays on a line of its own.
    if size > 0, pread(descriptor, &last, 1, size - 1) == 1, last != UInt8(ascii: "\n") {
      bytes.insert(UInt8(ascii: "\n"), at: 0)
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let code = errno
        ftruncate(descriptor, size)
        throw problem(code)
      }
      rest = rest.dropFirst(count)
    }
  }

  private func problem(_ code: Int32) -> LabFailure {
    LabFailure("\(path) can't be written: \(systemError(code)). What was in it still is.")
  }

  /// Adds what is not there yet. Another entry may have the name, of a run elsewhere that began in the same second:
  /// then this one gets a number behind it.
  ///
  /// - Returns: the entry as it is there, and whether it was added.
  package func add(_ entry: HistoryEntry) throws -> (entry: HistoryEntry, isNew: Bool) {
    try HostFiles.makeFolder(output)
    return try FolderLock.hold(output) {
      let entries = try index().entries
      var named = entry
      var number = 1
      while let known = entries.first(where: { $0.kind == named.kind && $0.name == named.name }) {
        if known == named { return (named, false) }
        number += 1
        named.name = "\(entry.name)-\(number)"
      }
      try appendLocked(named)
      return (named, true)
    }
  }

  /// Adds a `benchmarks.json`, or the report of a run by its folder or its file.
  ///
  /// - Returns: the entry, and whether it was not there before.
  package func add(file name: String) throws -> (entry: HistoryEntry, isNew: Bool) {
    try add(try entry(of: name))
  }

  private func entry(of name: String) throws -> HistoryEntry {
    guard name.hasSuffix("benchmarks.json") else {
      let folder = (name.hasSuffix("/report.json") ? String(name.dropLast("/report.json".count)) : name)
      let run = try EarlierRun.compared(name, in: output).run
      // A dated folder's name is the run's own; any other, such as `latest`, is what the next run is called, too.
      let names = ["\(output)/\(folder)", folder].map { URL(fileURLWithPath: $0).resolvingSymlinksInPath() }
      let dated = names.map(\.lastPathComponent).first { RunFolders.seconds($0) != nil }
      return HistoryEntry(run, name: dated ?? run.startedAt.replacing(":", with: "-"))
    }
    do {
      return try HistoryEntry.benchmarks(try PlainFile.read(name, most: 1 << 28).bytes)
    } catch let problem as PlainFile.Problem {
      throw UsageFailure("\(name) \(problem.text). \(problem.help ?? "")")
    } catch let failure as ReportReadFailure {
      switch failure {
      case .malformed(let reason): throw UsageFailure("\(name) is no benchmark report: \(reason)")
      case .unknownSchema(let number):
        throw UsageFailure("\(name) is a benchmark report of format \(number), which this lab does not read.")
      case .unfinished: throw UsageFailure("\(name) is no benchmark report.")
      }
    }
  }

  // MARK: - Mending and pruning

  /// Where `rebuild` puts the lines that it can't read, such as those of a newer lab.
  package var unreadPath: String { "\(output)/history.unread.jsonl" }

  /// Makes the index of its readable lines and of the reports that are there. The other lines go to `unreadPath`.
  ///
  /// - Returns: how many entries there are, how many lines were left out, and the folders without a readable report.
  package func rebuild() throws -> (entries: Int, lines: Int, unreadable: [String]) {
    var found: [HistoryEntry] = []
    var unreadable: [String] = []
    // Many reports take long to read: runs that end meanwhile need not wait for the lock.
    for folder in try RunFolders.all(in: output) {
      do {
        found.append(HistoryEntry(try EarlierRun.compared("\(output)/\(folder)", in: output).run, name: folder))
      } catch { unreadable.append("\(folder): \(error.message)") }
    }
    guard PathText.isFolder(output) else { throw UsageFailure("There is no folder \(output).") }
    let (entries, lines) = try FolderLock.hold(output) {
      let old = try index()
      try keep(unread: old)
      var entries = old.entries
      for entry in found {
        let known = entries.firstIndex { $0.kind == .suite && $0.name == entry.name }
        if let known { entries[known] = entry } else { entries.append(entry) }
      }
      entries.sort { ($0.startedAt, $0.name) < ($1.startedAt, $1.name) }
      try HostFiles.write(entries.flatMap(HistoryIndex.line), to: path)
      return (entries.count, old.problems.count)
    }
    return (entries, lines, unreadable)
  }

  /// Adds the lines that could not be read to those of earlier times: a newer lab may read them. To be called with the
  /// lock held.
  private func keep(unread index: HistoryIndex) throws {
    guard !index.problems.isEmpty else { return }
    var bytes: [UInt8] = []
    if PathText.exists(unreadPath) {
      do { bytes = try PlainFile.read(unreadPath, most: 1 << 30).bytes } catch {
        throw UsageFailure("\(unreadPath) \(error.text). \(error.help ?? "")")
      }
    }
    for problem in index.problems { bytes += problem.bytes + [UInt8(ascii: "\n")] }
    try HostFiles.write(bytes, to: unreadPath)
  }

  /// Removes the dated folders that are neither among the last ones nor young enough; with one of both bounds, those
  /// beyond it.
  ///
  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - isTrial: nothing is removed.
  ///   - forgets: the removed runs go from the index, too.
  /// - Returns: the folders.
  package func prune(
    keep: Int?, olderThan age: Duration?, now: Double, isTrial: Bool, forgets: Bool
  ) throws -> [String] {
    guard PathText.isFolder(output) else { throw UsageFailure("There is no folder \(output).") }
    let protected = FolderLink.target(of: "\(output)/\(ReportFolder.latest)").map { $0.prefix { $0 != "/" } }
    let all = try RunFolders.all(in: output)
    let chosen = RunFolders.toPrune(all, keep: keep, olderThan: age, now: now).filter { $0 != protected ?? "" }
    guard !isTrial, !chosen.isEmpty else { return chosen }
    // The index first: a folder without a line is found again by `rebuild`, and a line without a folder is not.
    if forgets {
      let gone = Set(chosen)
      try FolderLock.hold(output) {
        let kept = try entries().filter { $0.kind != .suite || !gone.contains($0.name) }
        try HostFiles.write(kept.flatMap(HistoryIndex.line), to: path)
      }
    }
    for folder in chosen {
      do { try FileManager.default.removeItem(atPath: "\(output)/\(folder)") } catch {
        throw LabFailure("\(output)/\(folder) can't be removed: \(HostFiles.reason(error)).")
      }
    }
    return chosen
  }
}

/// The dated folders of runs.
enum RunFolders {
  /// From the oldest to the youngest.
  static func all(in output: String) throws -> [String] {
    guard PathText.isFolder(output) else { return [] }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: output)
        .filter { seconds($0) != nil && PathText.isFolder("\(output)/\($0)") }
        .sorted { ($0.prefix(20), $0.count, $0) < ($1.prefix(20), $1.count, $1) }
    } catch { throw LabFailure("The folder \(output) can't be read: \(HostFiles.reason(error)).") }
  }

  /// When the run of a folder began, in seconds since 1970; nil: it is no run's.
  static func seconds(_ name: String) -> Double? {
    guard let match = name.wholeMatch(of: /(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z(-\d+)?/) else { return nil }
    let text = "\(match.1)T\(match.2):\(match.3):\(match.4)Z"
    return (try? Date(text, strategy: .iso8601))?.timeIntervalSince1970
  }

  /// - Parameter folders: from the oldest to the youngest.
  static func toPrune(_ folders: [String], keep: Int?, olderThan age: Duration?, now: Double) -> [String] {
    folders.dropLast(keep ?? 0).filter { folder in
      guard let age else { return keep != nil }
      return seconds(folder).map { now - $0 > age.inSeconds } ?? false
    }
  }
}

extension ReportFolder {
  /// Adds the run, whose reports are written, to the history.
  package func remember(_ report: RunReport) throws {
    guard let name else { return }
    let written = try? PlainFile.read("\(output)/\(name)/\(ReportFormat.json.fileName)", most: 1 << 30).bytes
    let run: ComparedRun
    do { run = try ReportReader.read(written ?? ReportJSON.encode(report)) } catch {
      throw LabFailure("The run is not in the history, because its report can't be read: \(error).")
    }
    try HistoryKeeper(output: output).append(HistoryEntry(run, name: name))
  }
}
