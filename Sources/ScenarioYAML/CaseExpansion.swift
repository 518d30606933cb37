import ScenarioModel

/// A story with the values of one case put in.
///
/// Laws
/// - `$column` as a whole unquoted text becomes the case's value, which keeps its place in the file: what is wrong
///   with it is reported there.
/// - Where the case has no value, the key is left out that the value would belong to, and a step that says nothing
///   else.
/// - `$column: { VALUE: …, otherwise: … }` becomes what the case's value chooses; a list becomes part of the list
///   around it.
/// - What is put in is bounded by `room`, so that a small file never makes a large story.
struct CaseExpansion {
  /// Chooses what no other key of a choice does.
  static let fallback = "otherwise"

  let values: [String: YAMLNode]
  /// How much may be put in, in bytes of text; every node counts two.
  private(set) var room: Int
  /// Columns whose values the story has taken.
  private(set) var taken: Set<String> = []
  /// Where in the file the choices stand that were taken.
  private(set) var chosen: Set<SourcePosition> = []
  var log: DiagnosticLog

  init(values: [String: YAMLNode], room: Int, log: DiagnosticLog) {
    self.values = values
    self.room = room
    self.log = log
  }

  /// The column that a text stands for.
  static func column(_ text: String) -> String? {
    guard text.hasPrefix("$"), let first = text.utf8.dropFirst().first, first | 0x20 >= 0x61, first | 0x20 <= 0x7A
    else { return nil }
    return String(text.dropFirst())
  }

  /// What became of a node.
  private enum Outcome {
    case leftOut
    case node(YAMLNode)
    /// Chosen from several, to be taken into the list around it.
    case items([YAMLNode])
  }

  /// nil: the case leaves it out.
  mutating func expanded(_ node: YAMLNode) -> YAMLNode? {
    switch outcome(of: node) {
    case .leftOut: nil
    case .node(let node): node
    case .items(let items): YAMLNode(content: .list(items), position: node.position)
    }
  }

  private mutating func outcome(of node: YAMLNode) -> Outcome {
    switch node.content {
    case .scalar:
      guard let column = node.word.flatMap(Self.column) else { return .node(node) }
      return value(of: column).map(Outcome.node) ?? .leftOut
    case .list(let items):
      return .node(YAMLNode(content: .list(expanded(items)), position: node.position))
    case .mapping(let entries):
      if let entry = entries.first, let column = Self.column(entry.key) { return choice(entry, column) }
      let kept = entries.compactMap { entry in
        expanded(entry.value).map { YAMLEntry(key: entry.key, position: entry.position, value: $0) }
      }
      return .node(YAMLNode(content: .mapping(kept), position: node.position))
    }
  }

  private mutating func expanded(_ items: [YAMLNode]) -> [YAMLNode] {
    var expanded: [YAMLNode] = []
    for item in items {
      switch outcome(of: item) {
      case .leftOut: continue
      case .items(let items): expanded += items
      case .node(let node):
        let saysNothing = node.entries?.isEmpty == true && item.entries?.isEmpty == false
        if !saysNothing { expanded.append(node) }
      }
    }
    return expanded
  }

  private mutating func choice(_ entry: YAMLEntry, _ column: String) -> Outcome {
    let value = values[column]
    taken.insert(column)
    var word: String?
    if case .scalar(let text, _)? = value?.content { word = text }
    guard let choices = entry.value.entries else { return .leftOut }
    let chosen = choices.first { $0.key == word } ?? choices.first { $0.key == Self.fallback }
    guard let chosen else {
      guard let value else { return .leftOut }
      log.report(
        .unknownWord, at: value.position, "the story does not say what follows from \(value.kindText)",
        help: "`$\(column)` in line \(entry.position.line) knows: "
          + "\(choices.map(\.key.shortened).joined(separator: ", ")); `\(Self.fallback)` is for all others")
      return .leftOut
    }
    self.chosen.insert(chosen.position)
    guard let items = chosen.value.items else { return outcome(of: chosen.value) }
    return .items(expanded(items))
  }

  private mutating func value(of column: String) -> YAMLNode? {
    guard let value = values[column] else { return nil }
    taken.insert(column)
    let hadRoom = room >= 0
    room -= value.size(upTo: room)
    guard room < 0 else { return value }
    if hadRoom {
      log.report(
        .tooMany, at: value.position, "with this value the story becomes much larger than the file",
        help: "write long texts into the story itself")
    }
    return nil
  }
}

extension YAMLNode {
  /// Two for every node and one for every byte of text; no more is counted than a little over the limit.
  func size(upTo limit: Int) -> Int {
    var size = 2
    switch content {
    case .scalar(let text, _): size += text.utf8.count
    case .list(let items):
      for item in items where size <= limit { size += item.size(upTo: limit - size) }
    case .mapping(let entries):
      for entry in entries where size <= limit {
        size += entry.key.utf8.count + entry.value.size(upTo: limit - size)
      }
    }
    return size
  }
}
