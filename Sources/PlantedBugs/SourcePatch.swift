/// Puts all mutants into the text of source files.
package enum SourcePatch {
  /// The variable of the environment that says which mutant is activated: its number, from 1; unset: none.
  package static let variable = "SOCKETLAB_MUTANT"
  private static let token = "ACTIVATED"

  /// A mutant whose place in the sources is not found, or is not its own.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The mutant's id.
    package var bug: String
    /// The file, below the package's folder.
    package var path: String
    /// What is wrong with the place, in words.
    package var problem: String
    package var description: String {
      "bug \(bug): \(path): \(problem). Bring its edit in Sources/PlantedBugs in line with the source."
    }
  }

  /// The files that mutants change.
  package static func paths(of bugs: [PlantedBug] = PlantedBug.all) -> [String] {
    Array(Set(bugs.flatMap { $0.edits.map(\.path) })).sorted()
  }

  /// One file with every mutant's edits of it, each in a place of its own.
  package static func apply(
    _ bugs: [PlantedBug] = PlantedBug.all, to path: String, source: String
  ) throws(Failure) -> String {
    var places: [(range: Range<String.Index>, text: String)] = []
    for (index, bug) in bugs.enumerated() {
      for edit in bug.edits where edit.path == path {
        let found = source.ranges(of: edit.find)
        guard let range = found.first, found.count == 1 else {
          throw Failure(bug: bug.id, path: path, problem: "its place was found \(found.count) times, not once")
        }
        guard !places.contains(where: { $0.range.overlaps(range) }) else {
          throw Failure(bug: bug.id, path: path, problem: "its place overlaps another mutant's")
        }
        places.append((range, edit.replace.replacing(token, with: "(Mutants.activated == \(index + 1))")))
      }
    }
    var text = source
    for place in places.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      text.replaceSubrange(place.range, with: place.text)
    }
    return text
  }

  /// The folders of the modules whose files are changed (`Sources/SocketCore`): each gets the file `switchName`.
  package static func modules(of bugs: [PlantedBug] = PlantedBug.all) -> [String] {
    Array(Set(paths(of: bugs).map { $0.split(separator: "/").prefix(2).joined(separator: "/") })).sorted()
  }

  /// The name of the file that each changed module gets.
  package static let switchName = "Mutants.swift"
  /// The text of that file: it reads the variable once. Inlinable code may refer to it.
  package static let switchText = [
    "import Glibc",
    "",
    "/// Which mutant is activated in this process; 0: none.",
    "@usableFromInline",
    "enum Mutants {",
    "  @usableFromInline",
    "  static let activated: Int = getenv(\"\(variable)\").flatMap { Int(String(cString: $0)) } ?? 0",
    "}",
    "",
  ].joined(separator: "\n")
}
