import Foundation
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

  /// nil: there is none, and nothing is compared. Throws what is wrong with it.
  package func read() throws(LabFailure) -> DisputeRecord? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    do throws(LabFailure) {
      return try DisputeRecord(text: String(decoding: data, as: UTF8.self))
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
