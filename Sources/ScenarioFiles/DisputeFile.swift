import HostTools
import ScenarioModel
import ScenarioRunner

/// The record beside the scenarios.
package struct DisputeFile {
  /// The file's name in the scenario folder.
  package static let name = "disputed.txt"
  /// The file's path: `FOLDER/disputed.txt`, relative if the folder's was.
  package let path: String

  /// Names the file; nothing is read yet.
  package init(below folder: String) { path = "\(folder)/\(Self.name)" }

  /// Larger than any record; an endless file must not take all memory.
  private static let maxBytes = 1 << 26

  /// nil: there is none, and nothing is compared. Throws what is wrong with it, also that it is there and can't be
  /// read: without it, what differs from the record would pass.
  package func read() throws(LabFailure) -> DisputeRecord? {
    let file: PlainFile
    do throws(PlainFile.Problem) {
      file = try PlainFile.read(path, most: Self.maxBytes)
    } catch {
      if error.isMissing, FolderLink.target(of: path) == nil { return nil }
      throw LabFailure("\(path) \(error.text)." + (error.help.map { " \($0)" } ?? ""))
    }
    guard file.size <= Self.maxBytes else { throw LabFailure("\(path) is too long for a record: over 64 MiB.") }
    do throws(LabFailure) {
      return try DisputeRecord(text: String(decoding: file.bytes, as: UTF8.self))
    } catch {
      throw LabFailure("\(path), \(error.message). `socketlab disputes --record` makes it anew.")
    }
  }

  /// The scenarios with what is on record of each.
  func attached(to entries: [ScenarioLibrary.Entry]) throws -> [ScenarioLibrary.Entry] {
    guard let record = try read() else { return entries }
    return entries.map { entry in
      var entry = entry
      entry.scenario?.recordedForms = record.forms[entry.id]
      return entry
    }
  }
}
