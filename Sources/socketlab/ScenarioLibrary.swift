import Foundation
import ScenarioModel
import ScenarioYAML

/// The scenario files below one folder, read.
struct ScenarioLibrary {
  struct Entry {
    var id: String
    /// Relative to the working folder where possible: as a person would type it.
    var path: String
    var bytes: [UInt8]
    var scenario: Scenario?
    var diagnostics: [Diagnostic]

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
  }

  /// Files below Scenarios/ that are no scenarios.
  private static let others: Set<String> = ["requirements.yaml", "known-deviations.yaml"]

  let folder: String
  private(set) var entries: [Entry] = []

  /// Reads all files below the folder, in the order of their ids. Throws a message if the folder can't be read.
  init(folder: String) throws {
    self.folder = folder
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
      throw LabFailure(
        "There is no folder \(folder). Run the command where Scenarios/ is, or name the folder with --scenarios.")
    }
    guard let walk = FileManager.default.enumerator(atPath: folder) else {
      throw LabFailure("The folder \(folder) can't be read.")
    }
    let paths = walk.compactMap { $0 as? String }.filter { $0.hasSuffix(".yaml") && !Self.others.contains($0) }.sorted()
    entries = try DisputeFile(below: folder).attached(to: paths.map { Self.read($0, below: folder) })
  }

  private static func read(_ path: String, below folder: String) -> Entry {
    let file = URL(fileURLWithPath: folder).appendingPathComponent(path)
    let id = String(path.dropLast(".yaml".count))
    let shown = "\(folder)/\(path)"
    guard let data = FileManager.default.contents(atPath: file.path) else {
      let diagnostic = Diagnostic(
        code: LintCode.missingFile.rawValue, position: SourcePosition(line: 1, column: 1),
        message: "The file can't be read.", help: "Check its permissions.")
      return Entry(id: id, path: shown, bytes: [], scenario: nil, diagnostics: [diagnostic])
    }
    let bytes = Array(data)
    let result = ScenarioReader.read(bytes: bytes, id: id) { name in
      payload(name, beside: file, below: folder)
    }
    return Entry(id: id, path: shown, bytes: bytes, scenario: result.scenario, diagnostics: result.diagnostics)
  }

  /// A payload file next to the scenario; nothing outside the scenarios' folder is read.
  private static func payload(_ name: String, beside file: URL, below folder: String) -> [UInt8]? {
    let root = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    let place = file.deletingLastPathComponent().appendingPathComponent(name).resolvingSymlinksInPath().path
    guard place.hasPrefix(root + "/") else { return nil }
    return FileManager.default.contents(atPath: place).map(Array.init)
  }

  var scenarios: [Scenario] { entries.compactMap(\.scenario) }

  /// Entries whose id is the name or lies in the folder of that name; all for no names.
  func entries(named names: [String]) -> [Entry] {
    guard !names.isEmpty else { return entries }
    return entries.filter { entry in
      names.contains { name in
        let name = id(from: name)
        return entry.id == name || entry.id.hasPrefix(name + "/")
      }
    }
  }

  /// The id a person meant: `Scenarios/read/line.yaml`, `read/line.yaml`, `read/` and `read/line` all work.
  func id(from name: String) -> String {
    var id = name
    if id.hasPrefix("./") { id.removeFirst(2) }
    if id.hasPrefix(folder + "/") { id.removeFirst(folder.count + 1) }
    if id == folder { return "" }
    if id.hasSuffix(".yaml") { id.removeLast(".yaml".count) }
    while id.hasSuffix("/") { id.removeLast() }
    return id
  }

  /// All ids and all folders of ids, to guess from.
  var names: [String] {
    let folders = entries.flatMap { entry -> [String] in
      let parts = entry.id.split(separator: "/")
      return (1..<max(parts.count, 1)).map { parts.prefix($0).joined(separator: "/") }
    }
    return entries.map(\.id) + Set(folders).sorted()
  }

  /// What to say about a name that nothing has.
  func complaint(about name: String) -> String {
    let suggestion = DidYouMean.suggestion(for: id(from: name), among: names).map { " Did you mean \($0)?" } ?? ""
    return "There is no scenario or folder \(name).\(suggestion) `socketlab list` shows all."
  }
}
