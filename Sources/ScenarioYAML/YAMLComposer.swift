// libYAML as Yams brings it along: its events say where each value begins and what it is written with, which Yams'
// own nodes leave out. The only file that knows of it.
private import CYaml
import ScenarioModel

/// Turns text into nodes.
///
/// Laws
/// - Nodes are made event by event, without recursion, and nothing is copied that a text names twice: depth, anchors
///   and aliases are refused as they come, and cost no more than their characters.
/// - Where something is refused that YAML allows and scenarios do not, the rest of the text is looked through for more
///   of that only. A text that is not YAML has one remark: what its beginning seemed to say is not worth another.
struct YAMLComposer {
  /// Levels of nesting that a file may have; the language itself needs about a dozen.
  static let deepest = 64

  /// A list or a mapping whose end has not come.
  private struct Collection {
    var position: SourcePosition
    /// nil for a list.
    var keys: [String: SourcePosition]?
    var items: [YAMLNode] = []
    var entries: [YAMLEntry] = []
    /// The key whose value comes next.
    var key: YAMLNode?

    var node: YAMLNode {
      YAMLNode(content: keys == nil ? .list(items) : .mapping(entries), position: position)
    }
  }

  private var open: [Collection] = []
  private var root: YAMLNode?
  private var documents = 0
  private let source: SourceText
  private let characters: CharacterTable
  /// About what the nodes say.
  private var log: DiagnosticLog
  /// About what nodes can't be made of.
  private var refusals = DiagnosticLog()

  /// The document's root; nil once the log says why, or if there is nothing in it.
  static func compose(_ source: SourceText, log: inout DiagnosticLog) -> YAMLNode? {
    var composer = YAMLComposer(source, log: log)
    // libYAML keeps the addresses of parser and text.
    var parser = yaml_parser_t()
    let isRead = source.bytes.withUnsafeBufferPointer { bytes in
      withUnsafeMutablePointer(to: &parser) { composer.read(bytes, with: $0) }
    }
    guard isRead, !composer.refusals.hasErrors else {
      for refusal in composer.refusals.diagnostics { log.add(refusal) }
      return nil
    }
    log = composer.log
    return composer.root
  }

  private init(_ source: SourceText, log: DiagnosticLog) {
    self.source = source
    self.log = log
    characters = CharacterTable(source.bytes)
  }

  /// False if the log says why the text was not read to its end.
  private mutating func read(
    _ bytes: UnsafeBufferPointer<UInt8>, with parser: UnsafeMutablePointer<yaml_parser_t>
  ) -> Bool {
    guard yaml_parser_initialize(parser) == 1 else {
      refusals.report(.syntax, at: SourcePosition(line: 1, column: 1), "there is no memory to read it")
      return false
    }
    defer { yaml_parser_delete(parser) }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    while !refusals.isFull {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser, &event) == 1 else {
        if !refusals.hasErrors { report(parser.pointee) }
        return false
      }
      defer { yaml_event_delete(&event) }
      guard take(event) else { return false }
      if event.type == YAML_STREAM_END_EVENT { return true }
    }
    return false
  }

  /// False if it is of no use to go on.
  private mutating func take(_ event: yaml_event_t) -> Bool {
    let position = SourcePosition(event.start_mark)
    switch event.type {
    case YAML_DOCUMENT_START_EVENT:
      documents += 1
      guard documents > 1 else { return true }
      refusals.report(
        .severalDocuments, at: position, "a second document begins here; a file holds one",
        help: "remove the `---`, or split the file")
      return false
    case YAML_ALIAS_EVENT:
      refuseAnchor("aliases (`*name`)", at: position)
      put(YAMLNode(content: .scalar("", plain: true), position: position))
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      checkProperties(anchor: scalar.anchor, tag: scalar.tag, at: position)
      let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
      put(YAMLNode(content: .scalar(text, plain: isPlain), position: position, quirk: quirk(of: text, event)))
    case YAML_SEQUENCE_START_EVENT:
      let start = event.data.sequence_start
      checkProperties(anchor: start.anchor, tag: start.tag, at: position)
      return begin(Collection(position: position))
    case YAML_MAPPING_START_EVENT:
      let start = event.data.mapping_start
      checkProperties(anchor: start.anchor, tag: start.tag, at: position)
      return begin(Collection(position: position, keys: [:]))
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
      if let collection = open.popLast() { put(collection.node) }
    default: break
    }
    return true
  }

  private func quirk(of text: String, _ event: yaml_event_t) -> YAMLNode.Quirk? {
    let style = event.data.scalar.style
    if style == YAML_DOUBLE_QUOTED_SCALAR_STYLE {
      // Without such a character there was no such escape.
      guard text.unicodeScalars.contains(where: { (0x80...0xFF).contains($0.value) }) else { return nil }
      return characters.byteEscape(from: Int(event.start_mark.index), to: Int(event.end_mark.index))
        .map(YAMLNode.Quirk.byteEscape)
    }
    if text.utf8.contains(UInt8(ascii: "\\")) { return .backslash }
    guard style == YAML_PLAIN_SCALAR_STYLE, !text.isEmpty else { return nil }
    return characters.hasComment(behind: Int(event.end_mark.index)) ? .comment : nil
  }

  private mutating func begin(_ collection: Collection) -> Bool {
    guard open.count < Self.deepest else {
      refusals.report(
        .nestingTooDeep, at: collection.position, "more than \(Self.deepest) levels of nesting",
        help: "no scenario needs so many; is a bracket left open, or the indentation wrong?")
      return false
    }
    open.append(collection)
    return true
  }

  /// Takes a node that is complete into the collection around it.
  private mutating func put(_ node: YAMLNode) {
    guard let last = open.indices.last else {
      root = node
      return
    }
    guard open[last].keys != nil else { return open[last].items.append(node) }
    guard let key = open[last].key else {
      open[last].key = node
      return
    }
    open[last].key = nil
    add(key, node, to: last)
  }

  private mutating func add(_ key: YAMLNode, _ value: YAMLNode, to place: Int) {
    guard case .scalar(let name, let plain) = key.content else {
      log.report(.keyNotText, at: key.position, "\(key.kindText) cannot be a key", help: "keys are single words")
      return
    }
    if plain, name.isEmpty || name == "~" {
      log.report(.emptyValue, at: key.position, "a key is missing before this colon")
    } else if let first = open[place].keys?[name] {
      log.report(
        .duplicateKey, at: key.position, "`\(name)` stands twice in this mapping",
        help: "the first is in line \(first.line), column \(first.column); keep one of them")
    } else {
      open[place].keys?[name] = key.position
      open[place].entries.append(YAMLEntry(key: name, position: key.position, value: value))
    }
  }

  // MARK: - What is refused

  private mutating func checkProperties(
    anchor: UnsafeMutablePointer<UInt8>?, tag: UnsafeMutablePointer<UInt8>?, at position: SourcePosition
  ) {
    if anchor != nil { refuseAnchor("anchors (`&name`)", at: position) }
    if tag != nil { refuseTag(at: position) }
  }

  private mutating func refuseAnchor(_ what: String, at position: SourcePosition) {
    refusals.report(
      .anchor, at: position, "\(what) are not part of the scenario language",
      help: "write the value out again; if it is meant as text, put it in double quotes")
  }

  private mutating func refuseTag(at position: SourcePosition) {
    refusals.report(
      .explicitTag, at: position, "YAML tags (`!name`) are not part of the scenario language",
      help: "remove it; if it is meant as text, put it in double quotes")
  }

  private mutating func report(_ parser: yaml_parser_t) {
    guard parser.error == YAML_SCANNER_ERROR || parser.error == YAML_PARSER_ERROR, let text = parser.problem else {
      refusals.report(.syntax, at: SourcePosition(line: 1, column: 1), "this is not YAML")
      return
    }
    let problem = String(cString: text)
    let position = SourcePosition(parser.problem_mark)
    if problem.contains("undefined tag handle") { return refuseTag(at: position) }
    let suspect: Int? =
      problem.contains("mapping values are not allowed")
      ? position.line - 1 : problem.contains("expected ':'") ? SourcePosition(parser.context_mark).line : nil
    if let suspect, let (key, place) = missingBlank(upTo: suspect) {
      return refusals.report(
        .syntax, at: place, "a blank is missing behind the colon of `\(key)`", help: "write `\(key): …`")
    }
    let details = parser.context.map { context in
      let place = SourcePosition(parser.context_mark)
      return " (\(String(cString: context)), begun in line \(place.line), column \(place.column))"
    }
    refusals.report(
      .syntax, at: position, "this is not YAML: \(problem)\(details ?? "")", help: Self.help(for: problem))
  }

  /// A key whose value follows its colon at once, in the line or in the last one above that says anything: for YAML
  /// all of it is a text, which may go on in the next line.
  private func missingBlank(upTo line: Int) -> (key: String, place: SourcePosition)? {
    let lines = LineTable(source.text)
    for number in stride(from: line, through: 1, by: -1) {
      let scalars = Array(lines.scalars(ofLine: number))
      let start = scalars.firstIndex { $0 != " " && $0 != "-" } ?? scalars.endIndex
      if start == scalars.endIndex || scalars[start] == "#" { continue }
      guard let colon = scalars.firstIndex(of: ":"), start < colon, colon + 1 < scalars.endIndex,
        ![" ", "\t", ":"].contains(scalars[colon + 1])
      else { return nil }
      let key = String(String.UnicodeScalarView(scalars[start..<colon]))
      let isWord = key.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || ".-_".unicodeScalars.contains($0) }
      guard isWord else { return nil }
      return (key.shortened, SourcePosition(line: number, column: colon + 2))
    }
    return nil
  }

  private static func help(for problem: String) -> String? {
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

extension SourcePosition {
  /// libYAML counts from 0.
  fileprivate init(_ mark: yaml_mark_t) { self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1) }
}
