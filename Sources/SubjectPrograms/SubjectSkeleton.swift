import Foundation
import HostTools
import ScenarioModel

/// The beginning of a subject: a program that passes the check and offers little, to be filled with a library.
package enum SubjectSkeleton {
  /// The languages that it can be written in.
  package enum Language: String, CaseIterable, Sendable { case python, swift, c }

  /// Of the skeletons, below the subjects' folder.
  private static let folder = "skeletons"
  /// What stands in the files for the subject's name.
  private static let placeholder = "NAME"

  /// Makes the subject. Throws a `UsageFailure` when there is something of that name, or the name can't be one, and a
  /// `LabFailure` when it can't be written.
  ///
  /// - Parameters:
  ///   - word: a name, or the path of the folder to make.
  ///   - subjects: the folder with the subjects.
  /// - Returns: the folder that was made.
  package static func make(_ word: String, _ language: Language, below subjects: String) throws -> String {
    let path = word.contains("/") ? word : "\(subjects)/\(word)"
    let name = SubjectName.made(of: path.split(separator: "/").last.map(String.init) ?? "")
    if let refusal = SubjectName.refusal(of: name) { throw UsageFailure(refusal) }
    guard !PathText.exists(path) else { throw UsageFailure("There is something at \(path) already.") }
    let origin = "\(subjects)/\(folder)/\(language.rawValue)"
    let manager = FileManager.default
    do {
      let files = try manager.contentsOfDirectory(atPath: origin).filter { !$0.hasPrefix(".") }
      try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
      for file in files {
        let text = try String(contentsOfFile: "\(origin)/\(file)", encoding: .utf8)
        let copy = "\(path)/\(file)"
        try text.replacing(placeholder, with: name).write(toFile: copy, atomically: true, encoding: .utf8)
        let mode = try manager.attributesOfItem(atPath: "\(origin)/\(file)")[.posixPermissions]
        try manager.setAttributes([.posixPermissions: mode ?? 0o644], ofItemAtPath: copy)
      }
    } catch {
      throw LabFailure("The subject could not be made at \(path): \(HostFiles.reason(error)).")
    }
    return path
  }
}
