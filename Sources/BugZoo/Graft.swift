/// Puts all mutants into the text of source files.
package enum Graft {
  package static let variable = "SOCKETLAB_MUTANT"
  private static let token = "ESCAPED"

  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package var mutant: String
    package var path: String
    package var problem: String
    package var description: String {
      "mutant \(mutant): \(path): \(problem). Bring its edit in Sources/BugZoo in line with the source."
    }
  }

  /// The files that mutants change.
  package static func paths(of mutants: [Mutant] = Mutant.all) -> [String] {
    Array(Set(mutants.flatMap { $0.edits.map(\.path) })).sorted()
  }

  /// One file with every mutant's edits of it, each in a place of its own.
  package static func apply(
    _ mutants: [Mutant] = Mutant.all, to path: String, source: String
  ) throws(Failure) -> String {
    var places: [(range: Range<String.Index>, text: String)] = []
    for (index, mutant) in mutants.enumerated() {
      for edit in mutant.edits where edit.path == path {
        let found = source.ranges(of: edit.find)
        guard let range = found.first, found.count == 1 else {
          throw Failure(mutant: mutant.id, path: path, problem: "its place was found \(found.count) times, not once")
        }
        guard !places.contains(where: { $0.range.overlaps(range) }) else {
          throw Failure(mutant: mutant.id, path: path, problem: "its place overlaps another mutant's")
        }
        places.append((range, edit.replace.replacing(token, with: "(Zoo.escaped == \(index + 1))")))
      }
    }
    var text = source
    for place in places.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      text.replaceSubrange(place.range, with: place.text)
    }
    return text
  }

  /// The rooms whose files are changed: each gets a keeper.
  package static func rooms(of mutants: [Mutant] = Mutant.all) -> [String] {
    Array(Set(paths(of: mutants).map { $0.split(separator: "/").prefix(2).joined(separator: "/") })).sorted()
  }

  /// The file that each changed room gets: it asks once which mutant is at large.
  package static let keeperName = "Zoo.swift"
  package static let keeper = """
    import Glibc

    /// Which mutant is at large in this process; 0: none.
    enum Zoo {
      static let escaped: Int = getenv("\(variable)").flatMap { Int(String(cString: $0)) } ?? 0
    }

    """
}
