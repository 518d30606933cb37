import Glibc
import HostTools
import ScenarioFiles
import ScenarioModel
import ScenarioYAML

/// The scenario files outside the library, found by the recorded ids: a path, followed by `#CASE` if the file has
/// several cases.
struct OutsideFiles {
  /// What the files hold now, under the ids on record.
  private(set) var scenarios: [Scenario] = []
  /// Notes on the files that exist and can't be read as scenarios.
  private(set) var notes: [String] = []
  private var unknown: Set<String> = []

  private let citations: CitationRules?

  init(of ids: some Sequence<String>, citations: CitationRules?) {
    self.citations = citations
    for file in Set(ids.map(Self.file(of:))).sorted() where !Self.isGone(file) { read(file) }
  }

  /// Whether the id is of a file whose cases are unknown.
  func isUnknown(_ id: String) -> Bool { unknown.contains(Self.file(of: id)) }

  private mutating func read(_ file: String) {
    // Of no folder: below one the file would have another id.
    var library = ScenarioLibrary(citations: citations)
    let ids = try? library.ids(for: [file])
    guard let own = ids?.first, ids?.count == 1, !PathText.isFolder(file), !library.scenarios.isEmpty,
      !library.entries.contains(where: \.hasErrors)
    else {
      unknown.insert(file)
      return notes.append("\(file) can't be read as a scenario; its cases stay. See `socketlab check \(file)`.")
    }
    for var scenario in library.scenarios where scenario.id.hasPrefix(own) {
      scenario.id = file + scenario.id.dropFirst(own.count)
      scenarios.append(scenario)
    }
  }

  /// The path without `#CASE`.
  private static func file(of id: String) -> String {
    guard !PathText.exists(id), let mark = id.lastIndex(of: "#") else { return id }
    return String(id[..<mark])
  }

  /// Whether the file is known to be missing: a folder that can't be entered may hold it.
  private static func isGone(_ file: String) -> Bool {
    access(file, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)
  }
}
