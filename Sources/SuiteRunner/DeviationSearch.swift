import Glibc
import HostTools
import KnownDeviations
import ScenarioModel
import SubjectPrograms

/// The file with the known deviations of a subject that is a program of its own, found where its people would put it.
///
/// Laws
/// - It is called `NAME.deviations.yaml`: by the name that reports have, or as the subject's folder or program is.
/// - It lies in the folder of the program, or beside that folder if the subject is a folder with a starter.
/// - Two files that fit are an error, because nobody could say which one counts.
/// - A file of that kind in these places that is nobody's is told (`strays`): somebody will believe that it counts.
package struct DeviationSearch {
  /// The file; nil: there is none.
  package let path: String?
  /// Files of the kind that no subject is called like, in order.
  package let strays: [String]
  /// What a file of this subject's is called.
  package let wanted: String

  /// Looks for it. Throws a `LabFailure` if there are two.
  package init(of program: SubjectProgram) throws(LabFailure) {
    wanted = program.name + DeviationFile.suffix
    let own = Set([program.name] + program.spellings)
    var found: [String] = []
    var strays: [String] = []
    for (folder, isOwn) in Self.places(of: program) {
      let names = HostFiles.names(in: folder)
      for file in names.filter({ $0.hasSuffix(DeviationFile.suffix) }).sorted() {
        let word = String(file.dropLast(DeviationFile.suffix.count))
        let path = folder == "/" ? "/\(file)" : "\(folder)/\(file)"
        if own.contains(word) {
          found.append(path)
        } else if isOwn || !Self.hasSubject(called: word, folder, names) {
          strays.append(path)
        }
      }
    }
    self.strays = strays
    path = found.first
    // By two names, of which one is a link.
    let different = Set(found.map { PathText.real($0) ?? $0 })
    guard different.count < 2 else {
      throw LabFailure(
        "The known deviations of \(program.name) are in \(found.count) files: \(found.joined(separator: " and ")). "
          + "Keep one.")
    }
  }

  /// The folders, without links, each with whether it is the subject's alone.
  private static func places(of program: SubjectProgram) -> [(folder: String, isOwn: Bool)] {
    let folder = parent(of: program.path)
    return program.isInFolder ? [(folder, true), (parent(of: folder), false)] : [(folder, false)]
  }

  private static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// Whether something in the folder may be a subject of that name, or it is the library's own.
  private static func hasSubject(called word: String, _ folder: String, _ names: [String]) -> Bool {
    func name(_ spelling: String) -> String { SubjectName.made(of: String(spelling.prefix { $0 != "." })) }
    let wanted = name(word)
    return wanted == SubjectProgram.reference
      || names.contains { entry in
        let path = "\(folder)/\(entry)"
        guard !entry.hasSuffix(DeviationFile.suffix), name(entry) == wanted else { return false }
        return PathText.isFolder(path)
          ? PathText.exists("\(path)/\(SubjectProgram.starter)") : access(path, X_OK) == 0
      }
  }
}
