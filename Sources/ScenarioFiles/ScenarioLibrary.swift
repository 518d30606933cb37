import Dispatch
import Foundation
import HostTools
import ScenarioModel
import ScenarioRunner
import ScenarioYAML
import Synchronization

/// The scenario files below one folder, read, and those that a person named elsewhere.
///
/// Ids
/// - Below the folder: the path without `.yaml`, such as `read/line`. Controls are named so, and templates.
/// - Elsewhere: the path as the person who runs the lab would type it, with its suffix: `../qa/read/line.yaml`,
///   `./line.yaml`. It begins with `./`, `../` or `/`, which no id of the folder does, and the same file gets the same
///   id however its name was typed.
/// - Of a case in a file of several: the file's, `#` and the case's name.
package struct ScenarioLibrary {
  /// One scenario: a file, or one case of a file of several. A file that can't be read has an entry too.
  package struct Entry {
    /// Unique in the library; see above.
    package var id: String
    /// The id of the file, if it holds several cases; the remarks are about all of it then.
    package var table: String?
    /// Relative to the working folder where possible: as a person would type it.
    package var path: String
    /// The whole file; empty if it could not be read or is too large.
    package var bytes: [UInt8]
    /// nil if the file has errors.
    package var scenario: Scenario?
    /// All errors and warnings of the file.
    package var diagnostics: [Diagnostic]
    /// Of the file's bytes and those of the payload files that it names, in the order in which it does.
    package var contentHash = ""

    /// The file as UTF-8; each ill-formed sequence becomes U+FFFD.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
    /// Warnings do not count.
    package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
  }

  /// Files below Scenarios/ that are no scenarios.
  private static let others: Set<String> = ["requirements.yaml", "known-deviations.yaml"]

  /// As the caller named it; `Scenarios` for a library of no folder.
  package let folder: String
  /// Those of the folder in the order of its files, then those named elsewhere in the order in which they were added.
  package private(set) var entries: [Entry] = []
  /// Of the folder, and none that was named elsewhere.
  package var entriesOfFolder: ArraySlice<Entry> { entries.prefix(countOfFolder) }
  private var countOfFolder = 0
  /// The scenarios of the entries without errors, in their order.
  package private(set) var scenarios: [Scenario] = []
  /// Links to folders that were passed over.
  package private(set) var links: [String] = []
  /// Remarks for the person about the names that were typed.
  package private(set) var notes: [String] = []
  /// The folder without links; nil for a library of no folder.
  private let root: String?
  /// nil: any id of the right form may be cited.
  private let citations: CitationRules?
  /// Place in `entries` by id.
  private var places: [String: Int] = [:]
  /// All folders of ids below the folder.
  private var folders: Set<String> = []

  /// Of no folder: only what is named.
  package init(citations: CitationRules? = nil) {
    folder = "Scenarios"
    root = nil
    self.citations = citations
  }

  /// Reads all files below the folder, in the order of their ids. Throws a message if the folder can't be read.
  ///
  /// - Parameter citations: which requirements may be cited; nil: all that look like one.
  package init(folder: String, citations: CitationRules? = nil) throws {
    self.folder = folder
    self.citations = citations
    guard PathText.isFolder(folder) else {
      let what = PathText.exists(folder) ? "\(folder) is no folder." : "There is no folder \(folder)."
      throw LabFailure("\(what) Run the command where Scenarios/ is, or name the folder with --scenarios.")
    }
    guard let root = PathText.real(folder), let walk = FolderWalk(folder) else {
      throw LabFailure("The folder \(folder) can't be read: \(String(cString: strerror(errno))).")
    }
    self.root = root
    links = walk.links.map { "\(folder)/\($0)" }
    let files = walk.files.filter { !Self.others.contains($0) }
    let read = Self.read(files) { path in
      ScenarioFile(
        id: String(path.dropLast(FolderWalk.suffix.count)), path: "\(folder)/\(path)", root: root,
        citations: citations)
    }
    // What is on record goes with every copy that is made of a scenario.
    add(try DisputeFile(below: folder).attached(to: read))
    add(walk.obstacles.map { Self.entry(for: $0, path: "\(folder)/\($0.path)", id: $0.path) })
    countOfFolder = entries.count
    for entry in entries {
      var rest = entry.id[...]
      while let slash = rest.lastIndex(of: "/") {
        rest = rest[..<slash]
        // Its own folders are known then, too.
        if !folders.insert(String(rest)).inserted { break }
      }
    }
  }

  private mutating func add(_ new: [Entry]) {
    for entry in new where places[entry.id] == nil {
      places[entry.id] = entries.count
      entries.append(entry)
      if let table = entry.table { folders.insert(table) }
      if let scenario = entry.scenario { scenarios.append(scenario) }
    }
  }

  private static func entry(for obstacle: FolderWalk.Obstacle, path: String, id: String) -> Entry {
    let diagnostic = Diagnostic(
      code: obstacle.code.rawValue, position: SourcePosition(line: 1, column: 1), message: obstacle.message,
      help: obstacle.help)
    return Entry(id: id, path: path, bytes: [], scenario: nil, diagnostics: [diagnostic])
  }

  /// Reads many files on all processors; the order stays.
  private static func read(_ paths: [String], as file: @Sendable (String) -> ScenarioFile) -> [Entry] {
    let chunk = 32
    let chunks = (paths.count + chunk - 1) / chunk
    let read = Mutex<[(number: Int, entries: [Entry])]>([])
    DispatchQueue.concurrentPerform(iterations: chunks) { number in
      let entries = paths[number * chunk..<min(paths.count, (number + 1) * chunk)].flatMap { file($0).read() }
      read.withLock { $0.append((number, entries)) }
    }
    return read.withLock { $0 }.sorted { $0.number < $1.number }.flatMap(\.entries)
  }

  /// Hashes of what the entries' files hold, by id.
  package var contentHashes: [String: String] {
    Dictionary(entries.map { ($0.id, $0.contentHash) }, uniquingKeysWith: { first, _ in first })
  }

  // MARK: - Finding

  /// The entry of this very id.
  package subscript(id: String) -> Entry? { places[id].map { entries[$0] } }

  /// Entries whose id is among the names or lies in a folder of such a name; all of the folder for no names.
  package func entries(named names: [String]) -> [Entry] {
    guard !names.isEmpty else { return entries }
    let wanted = IDSelection(names)
    return entries.filter { wanted.covers($0.id) }
  }

  /// The id a person meant: `Scenarios/read/line.yaml`, `read/line.yaml`, `read/` and `read/line` all work.
  package func id(from name: String) -> String {
    var id = name
    while id.hasPrefix("./") { id.removeFirst(2) }
    if id.hasPrefix(folder + "/") { id.removeFirst(folder.count + 1) }
    while id.hasSuffix("/") { id.removeLast() }
    if id == folder { return "" }
    let (file, row) = Self.parts(of: id)
    guard file.hasSuffix(FolderWalk.suffix) else { return id }
    return file.dropLast(FolderWalk.suffix.count) + row
  }

  /// The file and `#CASE`, which is empty for a file alone.
  private static func parts(of name: String) -> (file: String, row: String) {
    guard let mark = name.lastIndex(of: "#"), !PathText.exists(name) else { return (name, "") }
    return (String(name[..<mark]), String(name[mark...]))
  }

  /// The ids and folders of ids that a person meant by names or paths; what lies outside the folder is read and added
  /// to the entries. None for no names, which means all.
  ///
  /// A name that is an id, or a folder of ids, is that, whatever else lies in the working folder; `./` before it makes
  /// it a path.
  package mutating func ids(for names: [String]) throws -> [String] {
    var ids: [String] = []
    for name in names { ids += try self.ids(for: name) }
    return ids
  }

  private mutating func ids(for name: String) throws -> [String] {
    guard !name.isEmpty else { throw LabFailure("An empty name names nothing. `socketlab list` shows all.") }
    let (file, row) = Self.parts(of: name)
    guard row.isEmpty else { return try ids(forCase: row, of: file, typed: name) }
    let id = id(from: name)
    let place = [name, name + FolderWalk.suffix].first(where: PathText.exists)
    if !PathText.isPath(name), isKnown(id) {
      noteOther(name, at: place)
      return [id]
    }
    if let place, let real = PathText.real(place) {
      if let inside = self.inside(real) {
        if inside.isEmpty { return allOfFolder }
        if isKnown(inside) { return [inside] }
      }
      return try PathText.isFolder(place) ? takeFolder(place, typed: name) : [takeFile(place)]
    }
    if id.isEmpty { return allOfFolder }
    guard isKnown(id) else { throw LabFailure(complaint(about: name)) }
    return [id]
  }

  /// A case of a file; the file itself if it has errors, because then its cases are unknown.
  private mutating func ids(forCase row: String, of file: String, typed name: String) throws -> [String] {
    let ids = try ids(for: file)
    guard let id = ids.first, ids.count == 1 else { throw LabFailure(complaint(about: name)) }
    if let entry = self[id], entry.hasErrors { return [id] }
    guard isKnown(id + row) else { throw LabFailure(complaint(about: name)) }
    return [id + row]
  }

  private func isKnown(_ id: String) -> Bool { places[id] != nil || folders.contains(id) }

  private var allOfFolder: [String] { entries.map(\.id).filter { !PathText.isPath($0) } }

  /// The id of a place below the folder, both without links; empty for the folder itself.
  private func inside(_ real: String) -> String? {
    guard let root else { return nil }
    if real == root { return "" }
    guard real.hasPrefix(root + "/") else { return nil }
    let path = String(real.dropFirst(root.count + 1))
    return path.hasSuffix(FolderWalk.suffix) ? String(path.dropLast(FolderWalk.suffix.count)) : path
  }

  private mutating func noteOther(_ name: String, at place: String?) {
    guard let place, let real = PathText.real(place), inside(real) == nil else { return }
    guard place.hasSuffix(FolderWalk.suffix) || PathText.isFolder(place) else { return }
    notes.append("\(name) is taken for the one in \(folder); write ./\(name) for the path.")
  }

  // MARK: - Elsewhere

  private mutating func takeFile(_ path: String) -> String {
    let id = Self.outsideID(path)
    if !isKnown(id) { add(ScenarioFile(id: id, path: id, root: nil, citations: citations).read()) }
    return id
  }

  private mutating func takeFolder(_ path: String, typed name: String) throws -> [String] {
    let here = PathText.workingFolder
    let shown = PathText.shown(below: path, from: PathText.real(here) ?? here)
    guard let walk = FolderWalk(path) else {
      throw LabFailure("The folder \(name) can't be read: \(String(cString: strerror(errno))).")
    }
    links += walk.links.map(shown)
    // The folder may hold the library's own, which have ids already.
    let real = PathText.real(path)
    let mayHoldRoot = root.map { root in real.map { root.hasPrefix($0 == "/" ? "/" : $0 + "/") } ?? false } ?? false
    var ids: [String] = []
    var outside: [String] = []
    for file in walk.files {
      if mayHoldRoot, let known = PathText.real("\(path)/\(file)").flatMap(inside) {
        if isKnown(known) { ids.append(known) }
      } else {
        outside.append(shown(file))
        ids.append(shown(file))
      }
    }
    outside.removeAll(where: isKnown)
    add(Self.read(outside) { [citations] in ScenarioFile(id: $0, path: $0, root: nil, citations: citations) })
    add(walk.obstacles.map { Self.entry(for: $0, path: shown($0.path), id: shown($0.path)) })
    ids += walk.obstacles.map { shown($0.path) }
    guard !ids.isEmpty else { throw NoScenarios(folder: name) }
    return ids
  }

  private static func outsideID(_ path: String) -> String {
    let here = PathText.workingFolder
    return PathText.shown(path, from: PathText.real(here) ?? here)
  }

  /// A folder was named that has none.
  package struct NoScenarios: Error {
    /// As the person typed it.
    package var folder: String
    /// For the person, in one sentence.
    package var message: String { "There are no scenario files (*\(FolderWalk.suffix)) below \(folder)." }
  }

  // MARK: - Guessing

  /// All ids and all folders of ids, to guess from.
  package var names: [String] { entries.map(\.id) + folders.sorted() }

  /// What to say about a name that nothing has.
  package func complaint(about name: String) -> String {
    var guess = DidYouMean.suggestion(for: id(from: name), among: names)
    if PathText.isPath(name) || guess == nil { guess = Self.neighbour(of: name) ?? guess }
    let suggestion = guess.map { " Did you mean \($0)?" } ?? ""
    let kind = PathText.isPath(name) ? "scenario file or folder" : "scenario or folder"
    return "There is no \(kind) \(name).\(suggestion) `socketlab list` shows all."
  }

  /// The path with its first part that does not exist put right, if something of a like name is there.
  private static func neighbour(of name: String) -> String? {
    var place = name.hasPrefix("/") ? "" : "."
    var shown = name.hasPrefix("/") ? "" : String?.none
    let parts = name.split(separator: "/").map(String.init)
    for (index, part) in parts.enumerated() {
      let next = "\(place)/\(part)"
      if PathText.exists(next) {
        (place, shown) = (next, shown.map { "\($0)/\(part)" } ?? part)
        continue
      }
      let isLast = index == parts.count - 1
      let there = (try? FileManager.default.contentsOfDirectory(atPath: place.isEmpty ? "/" : place)) ?? []
      let likely = there.filter { file in
        PathText.isFolder("\(place)/\(file)") || isLast && file.hasSuffix(FolderWalk.suffix)
      }
      let found =
        DidYouMean.suggestion(for: part, among: likely.sorted())
        ?? DidYouMean.suggestion(for: part + FolderWalk.suffix, among: likely.sorted())
      guard let found else { return nil }
      return ([shown].compactMap { $0 } + [found]).joined(separator: "/")
    }
    return nil
  }
}
