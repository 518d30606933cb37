import Foundation
import HostTools
import ScenarioModel

/// A scenario file that is to be made from another one.
package struct NewScenario {
  /// The folder of the templates, which are scenarios like all others.
  package static let templates = "templates"

  /// Where the file is to be written.
  package let path: String
  /// The id the new scenario gets; outside the library's folder, the path itself.
  package let id: String
  /// The file whose text is copied; of a file of several cases, the entry of its first.
  package let template: ScenarioLibrary.Entry
  private let library: ScenarioLibrary

  /// Throws a `UsageFailure`, and nothing has changed.
  ///
  /// - Parameters:
  ///   - name: an id below the library's folder, or any path that ends in `.yaml`.
  ///   - source: a template's name or any scenario's id; elsewhere than in the folder, a path as the library has it.
  package init(named name: String, from source: String, in library: ScenarioLibrary) throws(UsageFailure) {
    (path, id) = try Self.place(name, in: library)
    guard !PathText.exists(path) else { throw UsageFailure("\(path) exists already; nothing was changed.") }
    let wanted = [source, library.id(from: source), "\(Self.templates)/\(source)"]
    guard let template = library.entries.first(where: { wanted.contains($0.table ?? $0.id) }) else {
      throw UsageFailure(library.complaint(about: source))
    }
    self.template = template
    self.library = library
  }

  private static func place(
    _ name: String, in library: ScenarioLibrary
  ) throws(UsageFailure) -> (path: String, id: String) {
    if PathText.isPath(name) {
      // Without the suffix it would be taken for an id, and the file made in another place than the one that was named.
      guard name.hasSuffix(FolderWalk.suffix) else {
        throw UsageFailure("\(name) is a path, and a scenario's file ends in \(FolderWalk.suffix): add that.")
      }
      if !name.hasPrefix(library.folder + "/") { return (name, name) }
    }
    let id = library.id(from: name)
    let parts = id.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 2, parts.allSatisfy({ $0.wholeMatch(of: /[a-z0-9][a-z0-9.-]*/) != nil }) else {
      throw UsageFailure(
        "\(name) is no id. Write area/sentence-in-small-letters, such as read/a-line-in-two-pieces, or a path such as "
          + "../qa/a-line.yaml.")
    }
    return ("\(library.folder)/\(id)\(FolderWalk.suffix)", id)
  }

  /// Writes the template's text with the modeline that fits the new place; never over a file: throws a `UsageFailure`
  /// if there is one by now, and a `LabFailure` if it can't be written.
  package func write() throws {
    let file = URL(fileURLWithPath: path)
    try HostFiles.makeFolder(file.deletingLastPathComponent().path)
    guard !PathText.exists(path) else { throw UsageFailure("\(path) exists already; nothing was changed.") }
    do {
      try Data(text(schema: schema(from: file)).utf8).write(to: file, options: .withoutOverwriting)
    } catch { throw LabFailure("\(path) can't be written: \(HostFiles.reason(error)).") }
  }

  /// The schema's place for the file's modeline: relative to the file.
  private func schema(from file: URL) -> String {
    let folder = file.deletingLastPathComponent().path
    guard let root = PathText.real(library.folder), let base = PathText.real(folder) else { return "schema.json" }
    let shown = PathText.shown("\(root)/schema.json", from: base)
    return shown.hasPrefix("./") ? String(shown.dropFirst(2)) : shown
  }

  private func text(schema: String) -> String {
    let modeline = "# yaml-language-server: $schema="
    let rest = template.text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix(modeline) }
    return ([modeline + schema] + rest.map(String.init)).joined(separator: "\n")
  }
}
