import HostTools
import ScenarioModel
import ScenarioYAML

/// One scenario file, and where what it names may lie.
struct ScenarioFile: Sendable {
  var id: String
  /// Relative to the working folder, or absolute.
  var path: String
  /// The folder, without links, below which payload files may lie; nil: the file's own.
  var root: String?
  /// nil: any id of the right form may be cited.
  var citations: CitationRules?

  /// All payloads of a scenario together may not have more; see `ScenarioReader`.
  private static let maxPayload = 64 << 20

  /// An entry for the file, or one for each of its cases.
  func read() -> [ScenarioLibrary.Entry] {
    // One that was named, or lies below a folder whose name has the sign.
    if let obstacle = FolderWalk.Obstacle.inName(id) {
      return [entry(code: obstacle.code, obstacle.message, help: obstacle.help)]
    }
    let file: PlainFile
    do {
      file = try PlainFile.read(path, most: ScenarioReader.maxBytes)
    } catch {
      return [entry(code: .missingFile, "the file \(error.text)", help: error.help)]
    }
    guard file.size <= ScenarioReader.maxBytes else {
      return [
        entry(
          code: .fileTooLarge, "the file has \(file.size) bytes; the limit is \(ScenarioReader.maxBytes) (1 MiB)",
          help: "describe large payloads with `pattern` or `repeat`, or keep them in a `file`")
      ]
    }
    var content = ContentHash(of: file.bytes)
    let result = ScenarioReader.read(bytes: file.bytes, id: id, citations: citations) { name in
      let bytes = payload(name)
      content.update("\(bytes?.count ?? -1) ".utf8)
      content.update(bytes ?? [])
      return bytes
    }
    let scenarios = result.scenarios.isEmpty ? [nil] : result.scenarios.map(Optional.some)
    return scenarios.map { scenario in
      let own = scenario?.id ?? id
      return ScenarioLibrary.Entry(
        id: own, table: own == id ? nil : id, path: path, bytes: file.bytes, scenario: scenario,
        diagnostics: result.diagnostics, contentHash: content.text)
    }
  }

  private func entry(code: LintCode, _ message: String, help: String?) -> ScenarioLibrary.Entry {
    let diagnostic = Diagnostic(
      code: code.rawValue, position: SourcePosition(line: 1, column: 1), message: message, help: help)
    return ScenarioLibrary.Entry(id: id, path: path, bytes: [], scenario: nil, diagnostics: [diagnostic])
  }

  /// A payload file next to the scenario; nothing outside its folder is read, whichever way links lead.
  private func payload(_ name: String) -> [UInt8]? {
    let beside = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    guard let folder = root ?? PathText.real(beside.isEmpty ? "/" : beside),
      let place = PathText.real("\(beside)/\(name)"), place.hasPrefix(folder == "/" ? "/" : folder + "/")
    else { return nil }
    // One byte more than may be: the reader sees that it is too much.
    return try? PlainFile.read(place, most: Self.maxPayload + 1).bytes
  }
}
