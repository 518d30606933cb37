import ScenarioModel
import Yams

/// Turns text into nodes, with Yams as the parser. The only file that knows Yams.
///
/// Yams gives up at the first mapping that has a key twice. So that the rest of the file is still read, the first of
/// the two keys is renamed in a copy of the text (one character for one, so that columns stay) and the copy is parsed
/// again; `renamed` remembers what it was called.
struct YAMLComposer {
  /// Files with more double keys than this, and large ones, get the first error only: each takes another parse.
  private static let mostRenamings = 16
  private static let largestToRename = 1 << 16
  private static let firstStandIn: UInt32 = 0xE000

  private var source: SourceText
  private var renamed: [SourcePosition: String] = [:]
  /// The text's characters, line by line, if an escaped byte order mark may be among them; nil until that is asked.
  private var lines: [[Unicode.Scalar]]?
  private var log: DiagnosticLog

  /// The document's root, or nil once the log says why. `StructureScan` must have accepted the text.
  static func compose(_ source: SourceText, log: inout DiagnosticLog) -> YAMLNode? {
    var composer = YAMLComposer(source: source, log: log)
    let node = composer.compose()
    log = composer.log
    return node
  }

  private init(source: SourceText, log: DiagnosticLog) {
    self.source = source
    self.log = log
  }

  private mutating func compose() -> YAMLNode? {
    while true {
      do {
        let parser = try Parser(yaml: source.text, resolver: .basic, encoding: .utf8)
        guard let root = try parser.singleRoot() else {
          log.report(
            .emptyFile, at: SourcePosition(line: 1, column: 1), "the file holds no scenario",
            help: "begin with `title: …`; `socketlab new` writes a skeleton")
          return nil
        }
        return node(root, depth: 0)
      } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
        let position = SourcePosition(line: context.mark.line, column: context.mark.column)
        let key = keys.first ?? ""
        guard renamed.count < Self.mostRenamings, source.bytes.count <= Self.largestToRename,
          rename(key, at: position)
        else {
          log.report(.duplicateKey, at: position, "`\(key)` stands twice in this mapping", help: "keep one of them")
          return nil
        }
      } catch {
        report(error)
        return nil
      }
    }
  }

  private mutating func node(_ node: Node, depth: Int) -> YAMLNode? {
    let position = node.mark.map { SourcePosition(line: $0.line, column: $0.column) }
    let place = position ?? SourcePosition(line: 1, column: 1)
    guard depth <= StructureScan.deepest else {
      log.report(.nestingTooDeep, at: place, "more than \(StructureScan.deepest) levels of nesting")
      return nil
    }
    switch node {
    case .scalar(let scalar):
      let text = beginsWithEscapedMark(scalar, at: place) ? "\u{FEFF}" + scalar.string : scalar.string
      return YAMLNode(content: .scalar(text, plain: scalar.style == .plain), position: place)
    case .sequence(let sequence):
      return YAMLNode(content: .list(sequence.compactMap { self.node($0, depth: depth + 1) }), position: place)
    case .mapping(let mapping):
      return YAMLNode(content: .mapping(entries(mapping, depth: depth)), position: place)
    case .alias:
      log.report(.anchor, at: place, "aliases are not part of the scenario language")
      return nil
    }
  }

  /// Whether a text begins with an escaped byte order mark, which Yams loses on the way.
  private mutating func beginsWithEscapedMark(_ scalar: Node.Scalar, at position: SourcePosition) -> Bool {
    guard scalar.style == .doubleQuoted, scalar.string.unicodeScalars.first != "\u{FEFF}" else { return false }
    if lines == nil {
      let table = LineTable(source.text.lowercased().contains("feff") ? source.text : "")
      lines = (1...table.count).map { Array(table.scalars(ofLine: $0)) }
    }
    guard let lines, position.line <= lines.count, position.column < lines[position.line - 1].count else {
      return false
    }
    let line = lines[position.line - 1]
    let head = String(String.UnicodeScalarView(line[position.column...].prefix(10))).lowercased()
    return head.hasPrefix("\\ufeff") || head.hasPrefix("\\u0000feff")
  }

  private mutating func entries(_ mapping: Node.Mapping, depth: Int) -> [YAMLEntry] {
    var entries: [YAMLEntry] = []
    var places: [String: SourcePosition] = [:]
    for (key, value) in mapping {
      guard let key = node(key, depth: depth + 1), let value = node(value, depth: depth + 1) else { continue }
      guard case .scalar(let text, let plain) = key.content else {
        log.report(.keyNotText, at: key.position, "\(key.kindText) cannot be a key", help: "keys are single words")
        continue
      }
      let name = renamed[key.position] ?? text
      if plain, name.isEmpty || name == "~" {
        log.report(.emptyValue, at: key.position, "a key is missing before this colon")
      } else if let first = places.updateValue(places[name] ?? key.position, forKey: name) {
        log.report(
          .duplicateKey, at: key.position, "`\(name)` stands twice in this mapping",
          help: "the first is in line \(first.line), column \(first.column); keep one of them")
      } else {
        entries.append(YAMLEntry(key: name, position: key.position, value: value))
      }
    }
    return entries
  }

  /// Gives the key at the position another first character; false if that cannot be done without changing the text's
  /// structure.
  private mutating func rename(_ key: String, at position: SourcePosition) -> Bool {
    var scalars = Array(source.text.unicodeScalars)
    guard renamed[position] == nil, var index = Self.index(of: position, in: scalars), index < scalars.count,
      let standIn = Unicode.Scalar(Self.firstStandIn + UInt32(renamed.count))
    else { return false }
    let quote = scalars[index]
    if quote == "\"" || quote == "'" {
      index += 1
      guard index < scalars.count, scalars[index] != quote, scalars[index] != "\\" else { return false }
    } else if ":?[{".unicodeScalars.contains(quote) {
      return false
    }
    scalars[index] = standIn
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    source = SourceText(unchecked: String(text))
    renamed[position] = key
    return true
  }

  private static func index(of position: SourcePosition, in scalars: [Unicode.Scalar]) -> Int? {
    var line = 1
    var index = 0
    while line < position.line {
      guard index < scalars.count else { return nil }
      switch scalars[index].value {
      case 0x0D:
        if index + 1 < scalars.count, scalars[index + 1] == "\n" { index += 1 }
        line += 1
      case 0x0A, 0x85, 0x2028, 0x2029: line += 1
      default: break
      }
      index += 1
    }
    return index + position.column - 1
  }

  private mutating func report(_ error: any Error) {
    switch error {
    case YamlError.composer(_, let problem, let mark, _) where problem.contains("another document"):
      log.report(
        .severalDocuments, at: SourcePosition(line: mark.line, column: mark.column),
        "a second document begins here; a scenario file holds one",
        help: "remove the `---`, or split the file")
    case YamlError.scanner(let context, let problem, let mark, _),
      YamlError.parser(let context, let problem, let mark, _),
      YamlError.composer(let context, let problem, let mark, _):
      let position = SourcePosition(line: mark.line, column: mark.column)
      let details = context.map { " (\($0.text), begun in line \($0.mark.line), column \($0.mark.column))" } ?? ""
      log.report(
        .syntax, at: position, "this is not YAML: \(problem)\(details)", help: Self.help(for: problem, at: position))
    default:
      log.report(.syntax, at: SourcePosition(line: 1, column: 1), "this is not YAML")
    }
  }

  private static func help(for problem: String, at position: SourcePosition) -> String? {
    if problem.contains("cannot start any token") {
      return "indent with spaces, not tabs; put texts that begin with @, %, ` or a tab in double quotes"
    }
    if problem.contains("mapping values are not allowed") {
      return "a text with `: ` in it needs double quotes; otherwise check the indentation"
    }
    if problem.contains("',' or") { return "a comma or a closing bracket is missing before this place" }
    if problem.contains("unexpected end of stream") { return "a closing quote is missing" }
    if problem.contains("escape") { return #"write a backslash in a double-quoted text as \\"# }
    if problem.contains("expected key") || problem.contains("expected '-'") || problem.contains("<document start>") {
      return "check the indentation: entries of one list or mapping begin in the same column"
    }
    return nil
  }
}
