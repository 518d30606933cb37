import ArgumentParser
import Foundation
import ScenarioYAML

/// Makes a new scenario file from a template.
struct NewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Makes a new scenario file from a template or from any other scenario.")

  /// The folder of the templates, which are scenarios like all others.
  private static let templates = "templates"

  @OptionGroup var library: LibraryOptions

  @Argument(help: "The new scenario's id, such as read/my-first-line.")
  var name: String

  @Option(help: "A template's name or any scenario's id. Without it the templates are listed.")
  var from: String?

  func run() throws {
    let library = try self.library.library()
    guard let from else {
      Console.print("Say which one to begin with: socketlab new \(name) --from TEMPLATE")
      for entry in library.entries(named: [Self.templates]) {
        let short = entry.id.dropFirst(Self.templates.count + 1)
        Console.print("  \(short)  \(entry.scenario?.title ?? "")")
      }
      throw LabExit.usage.error
    }
    let id = library.id(from: name)
    let parts = id.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 2, parts.allSatisfy({ $0.wholeMatch(of: /[a-z0-9][a-z0-9.-]*/) != nil }) else {
      throw ValidationError(
        "\(name) is no id. Write area/sentence-in-small-letters, such as read/a-line-in-two-pieces.")
    }
    guard !library.entries.contains(where: { $0.id == id }) else {
      throw ValidationError("\(library.folder)/\(id).yaml exists already; nothing was changed.")
    }
    let wanted = [library.id(from: from), "\(Self.templates)/\(from)"]
    guard let template = library.entries.first(where: { wanted.contains($0.id) }) else {
      throw ValidationError(library.complaint(about: from))
    }
    let file = URL(fileURLWithPath: library.folder).appendingPathComponent(id + ".yaml")
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text(of: template, depth: parts.count).utf8).write(to: file, options: .withoutOverwriting)
    } catch {
      throw ValidationError("\(library.folder)/\(id).yaml can't be written: \(error.localizedDescription)")
    }
    Console.print("Made \(library.folder)/\(id).yaml from \(template.id).")
    Console.print("Next: edit it, then  socketlab check \(id)  and  socketlab run \(id)")
  }

  /// The template's text with the modeline that fits the new place.
  private func text(of template: ScenarioLibrary.Entry, depth: Int) -> String {
    let modeline = "# yaml-language-server: $schema="
    let rest = template.text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix(modeline) }
    return ([modeline + String(repeating: "../", count: depth - 1) + "schema.json"] + rest.map(String.init))
      .joined(separator: "\n")
  }
}
