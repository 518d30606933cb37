import ArgumentParser
import Foundation
import HostTools
import ScenarioFiles
import ScenarioYAML
import TerminalText

/// Makes a new scenario file from a template.
struct NewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Makes a new scenario file from a template or from any other scenario.")

  /// The folder of the templates, which are scenarios like all others.
  private static let templates = "templates"

  @OptionGroup var library: LibraryOptions

  @Argument(help: "The new scenario's id, such as read/my-first-line, or the path of a file: ../qa/first-line.yaml.")
  var name: String

  @Option(help: "A template's name or any scenario's id. Without it the templates are listed.")
  var from: String?

  func run() throws {
    let library = try self.library.library()
    guard let from else {
      Console.print("Say which one to begin with: socketlab new \(name) --from TEMPLATE")
      var last: String?
      for entry in library.entries(named: [Self.templates]) {
        let id = entry.table ?? entry.id
        if id != last { Console.print("  \(id.dropFirst(Self.templates.count + 1))  \(entry.scenario?.title ?? "")") }
        last = id
      }
      throw LabExit.usage.error
    }
    let place = try place(in: library)
    guard !PathText.exists(place.path) else {
      throw ValidationError("\(place.path) exists already; nothing was changed.")
    }
    let wanted = [library.id(from: from), "\(Self.templates)/\(from)"]
    guard let template = library.entries.first(where: { wanted.contains($0.table ?? $0.id) }) else {
      throw ValidationError(library.complaint(about: from))
    }
    let file = URL(fileURLWithPath: place.path)
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      let schema = Self.schema(of: library, from: file)
      try Data(text(of: template, schema: schema).utf8).write(to: file, options: .withoutOverwriting)
    } catch {
      throw ValidationError("\(place.path) can't be written: \(error.localizedDescription)")
    }
    Console.print("Made \(place.path) from \(template.table ?? template.id).")
    Console.print("Next: edit it, then  socketlab check \(place.id)  and  socketlab run \(place.id)")
  }

  /// Where the new file shall lie, and what it will be called: an id below the library's folder, or any path that ends
  /// in `.yaml`.
  private func place(in library: ScenarioLibrary) throws -> (path: String, id: String) {
    if PathText.isPath(name), name.hasSuffix(FolderWalk.suffix), !name.hasPrefix(library.folder + "/") {
      return (name, name)
    }
    let id = library.id(from: name)
    let parts = id.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 2, parts.allSatisfy({ $0.wholeMatch(of: /[a-z0-9][a-z0-9.-]*/) != nil }) else {
      throw ValidationError(
        "\(name) is no id. Write area/sentence-in-small-letters, such as read/a-line-in-two-pieces, or a path such as "
          + "../qa/a-line.yaml.")
    }
    return ("\(library.folder)/\(id)\(FolderWalk.suffix)", id)
  }

  /// The schema's place for the file's modeline: relative to the file.
  private static func schema(of library: ScenarioLibrary, from file: URL) -> String {
    let folder = file.deletingLastPathComponent().path
    guard let root = PathText.real(library.folder), let base = PathText.real(folder) else { return "schema.json" }
    let shown = PathText.shown("\(root)/schema.json", from: base)
    return shown.hasPrefix("./") ? String(shown.dropFirst(2)) : shown
  }

  /// The template's text with the modeline that fits the new place.
  private func text(of template: ScenarioLibrary.Entry, schema: String) -> String {
    let modeline = "# yaml-language-server: $schema="
    let rest = template.text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix(modeline) }
    return ([modeline + schema] + rest.map(String.init))
      .joined(separator: "\n")
  }
}
