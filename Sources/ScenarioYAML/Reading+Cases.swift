import ScenarioModel

/// One case of a file with `cases`, as a document of its own.
struct CaseDocument {
  var name: String
  var root: YAMLNode
}

/// The tables of `columns` and `cases`.
extension Reading {
  static let tableKeys = ["columns", "cases"]
  /// What a row may say beside the values of columns, as a file says it for all.
  private static let rowKeys = ["title", "requirements", "tags", "worlds", "matrix", "limit", "control"]
  private static let maxCases = 1_000
  /// What the stories of all cases may have together, as `YAMLNode.size` counts.
  private static let maxTotal = 4 << 20

  /// What a row that leaves the column out means.
  private struct Column {
    enum Standard {
      case required, optional
      case value(YAMLNode)
    }

    var standard: Standard
    /// Whether the story takes its value in any case.
    var isUsed = false
  }

  /// A document for every row of a file with `cases`, rows with faults left out; nil for any other file. `size` is the
  /// file's, in bytes.
  mutating func cases(of root: YAMLNode, size: Int) -> [CaseDocument]? {
    let entries = root.entries ?? []
    let table = Fields(entries: entries.filter { Self.tableKeys.contains($0.key) }, position: root.position)
    guard let first = table.entries.first else { return nil }
    guard let columnsNode = table["columns"], let casesNode = table["cases"] else {
      let other = Self.tableKeys.first { $0 != first.key } ?? ""
      report(
        .missingKey, at: first.position, "`\(first.key)` needs `\(other)`",
        help: "`columns` says what a row may say, `cases` has the rows")
      return []
    }
    let story = YAMLNode(
      content: .mapping(entries.filter { !Self.tableKeys.contains($0.key) }), position: root.position)
    for node in [columnsNode, casesNode] { refuseColumns(in: node) }
    let columns = columns(columnsNode, of: story)
    guard let rows = rows(casesNode) else { return [] }
    let faults = log.errorCount
    var documents: [CaseDocument] = []
    var left = Self.maxTotal
    var played = Played()
    for row in rows where !log.isFull {
      guard let document = document(row, columns, story, size: size, &played) else { continue }
      left -= document.root.size(upTo: left)
      guard left >= 0 else {
        report(
          .tooMany, at: row.position, "with this case the stories of all cases become too large together",
          help: "split the table into two files")
        break
      }
      documents.append(document)
    }
    if log.errorCount == faults { checkPlayed(played, columnsNode, columns, story) }
    return documents
  }

  /// What at least one row makes the story say.
  private struct Played {
    /// Columns for which it has a value.
    var columns: Set<String> = []
    /// Where the choices stand that it takes.
    var choices: Set<SourcePosition> = []
    /// What each row says besides its title, with the row that says it.
    var rows: [String: String] = [:]
  }

  /// What no row plays was never read as a scenario: whatever is wrong with it, nobody would hear of it.
  private mutating func checkPlayed(
    _ played: Played, _ columnsNode: YAMLNode, _ columns: [String: Column], _ story: YAMLNode
  ) {
    for entry in columnsNode.entries ?? [] where columns[entry.key] != nil && !played.columns.contains(entry.key) {
      report(
        .unusedColumn, at: entry.position, "no case has a value for `\(entry.key)`",
        help: "give it to a case, or leave the column out, and what the story does with it")
    }
    checkChoices(in: story, played.choices)
  }

  private mutating func checkChoices(in node: YAMLNode, _ taken: Set<SourcePosition>) {
    switch node.content {
    case .scalar: break
    case .list(let items): for item in items { checkChoices(in: item, taken) }
    case .mapping(let entries):
      guard let choice = entries.first, CaseExpansion.column(choice.key) != nil else {
        for entry in entries { checkChoices(in: entry.value, taken) }
        return
      }
      for entry in choice.value.entries ?? [] {
        if taken.contains(entry.position) {
          checkChoices(in: entry.value, taken)
        } else if entry.value.items?.isEmpty != true {
          report(
            .unusedChoice, at: entry.position, "no case takes the choice `\(entry.key.shortened)`",
            help: "the values are those of `\(choice.key.shortened)`; correct the word, or leave the choice out")
        }
      }
    }
  }

  private mutating func rows(_ node: YAMLNode) -> [YAMLEntry]? {
    guard let rows = node.entries else {
      reportShape(node, of: "`cases`", expected: "a mapping", help: "write `{ NAME: { COLUMN: … } }`")
      return nil
    }
    if rows.isEmpty { report(.emptyList, at: node.position, "`cases` has no row") }
    if rows.count > Self.maxCases {
      report(.tooMany, at: rows[Self.maxCases].position, "a file may have \(Self.maxCases) cases")
    }
    return Array(rows.prefix(Self.maxCases))
  }

  /// The columns by name. Those that the story does not take are reported, and what it takes of no column.
  private mutating func columns(_ node: YAMLNode, of story: YAMLNode) -> [String: Column] {
    guard let entries = node.entries else {
      reportShape(node, of: "`columns`", expected: "a mapping", help: "write `{ NAME: required }`")
      return [:]
    }
    var columns: [String: Column] = [:]
    for entry in entries where isGoodName(entry.key, of: "a column's name", at: entry.position) {
      guard !Self.rowKeys.contains(entry.key) else {
        report(
          .badName, at: entry.position, "every row may say `\(entry.key)`, so no column can be called so",
          help: "choose another name")
        continue
      }
      switch entry.value.word {
      case "required": columns[entry.key] = Column(standard: .required)
      case "optional": columns[entry.key] = Column(standard: .optional)
      default: columns[entry.key] = Column(standard: .value(entry.value))
      }
    }
    var used: Set<String> = []
    checkColumns(in: story, among: columns.keys.sorted(), &used)
    for entry in entries where columns[entry.key] != nil {
      guard !used.contains(entry.key) else {
        columns[entry.key]?.isUsed = true
        continue
      }
      report(
        .unusedColumn, at: entry.position, "the story never takes the value of `\(entry.key)`",
        help: "write `$\(entry.key)` where it belongs, or leave the column out")
    }
    return columns
  }

  private mutating func checkColumns(in node: YAMLNode, among columns: [String], _ used: inout Set<String>) {
    switch node.content {
    case .scalar:
      if let word = node.word { checkColumn(word, at: node.position, among: columns, &used) }
    case .list(let items): for item in items { checkColumns(in: item, among: columns, &used) }
    case .mapping(let entries):
      for entry in entries {
        if CaseExpansion.column(entry.key) != nil {
          checkColumn(entry.key, at: entry.position, among: columns, &used)
          checkChoice(entry, isAlone: entries.count == 1)
        }
        checkColumns(in: entry.value, among: columns, &used)
      }
    }
  }

  private mutating func checkColumn(
    _ word: String, at position: SourcePosition, among columns: [String], _ used: inout Set<String>
  ) {
    guard let column = CaseExpansion.column(word) else { return }
    used.insert(column)
    guard !columns.contains(column) else { return }
    let guess = guess(for: column, among: columns).map { "did you mean `$\($0)`? " } ?? ""
    report(
      .unknownColumn, at: position, "`columns` has no `\(column.shortened)`",
      help: guess + "add it to `columns`; a text that begins with $ needs double quotes")
  }

  /// Reports texts that look like the value of a column where they would be taken as they stand.
  private mutating func refuseColumns(in node: YAMLNode) {
    switch node.content {
    case .scalar:
      guard let word = node.word, CaseExpansion.column(word) != nil else { return }
      report(
        .unknownColumn, at: node.position, "`\(word.shortened)` is no column here",
        help: "only the story takes values of columns; a text that begins with $ needs double quotes")
    case .list(let items): for item in items { refuseColumns(in: item) }
    case .mapping(let entries): for entry in entries { refuseColumns(in: entry.value) }
    }
  }

  private mutating func checkChoice(_ entry: YAMLEntry, isAlone: Bool) {
    guard isAlone else {
      return report(
        .wrongType, at: entry.position, "`\(entry.key.shortened)` chooses, so it is the only key of its mapping",
        help: "put it into an item or a mapping of its own")
    }
    guard entry.value.entries?.isEmpty != false else { return }
    reportShape(
      entry.value, of: "`\(entry.key.shortened)`", expected: "a mapping from values to what follows from them",
      help: "write `{ VALUE: [...], \(CaseExpansion.fallback): [...] }`")
  }

  private mutating func document(
    _ row: YAMLEntry, _ columns: [String: Column], _ story: YAMLNode, size: Int, _ played: inout Played
  ) -> CaseDocument? {
    let what = "the case `\(row.key.shortened)`"
    let faults = log.errorCount
    guard isGoodName(row.key, of: "a case's name", at: row.position),
      let fields = fields(row.value, of: what, allowed: columns.keys.sorted() + Self.rowKeys)
    else { return nil }
    var values: [String: YAMLNode] = [:]
    for (name, column) in columns.sorted(by: { $0.key < $1.key }) {
      switch column.standard {
      case .required: values[name] = required(name, in: fields, of: what)
      case .optional: values[name] = fields[name]
      case .value(let value): values[name] = fields[name] ?? value
      }
    }
    guard log.errorCount == faults else { return nil }
    var expansion = CaseExpansion(values: values, room: size + 1_024, log: log)
    let expanded = expansion.expanded(story)
    log = expansion.log
    played.columns.formUnion(values.keys)
    played.choices.formUnion(expansion.chosen)
    for entry in fields.entries where columns[entry.key]?.isUsed == true && !expansion.taken.contains(entry.key) {
      report(
        .unusedColumn, at: entry.position, "nothing that \(what) plays takes the value of `\(entry.key)`",
        help: "leave it out here, or write `$\(entry.key)` where it belongs")
    }
    guard let entries = expanded?.entries, log.errorCount == faults else { return nil }
    checkRow(row, values, fields, &played)
    let root = YAMLNode(content: .mapping(Self.head(entries, of: row.key, fields)), position: story.position)
    return CaseDocument(name: row.key, root: root)
  }

  /// A row that says what another one has said.
  private mutating func checkRow(
    _ row: YAMLEntry, _ values: [String: YAMLNode], _ fields: Fields, _ played: inout Played
  ) {
    let own = fields.entries.filter { Self.rowKeys.contains($0.key) && $0.key != "title" }
    let said = values.map { "\($0.key):\($0.value.wording)" } + own.map { "\($0.key):\($0.value.wording)" }
    let wording = said.sorted().joined(separator: "\n")
    guard let first = played.rows[wording] else { return played.rows[wording] = row.key }
    doubts.note(
      .duplicateCase, at: row.position, "the case `\(row.key)` has the same values as `\(first)`",
      help: "leave one of them out, or give it the value that its name promises")
  }

  /// The file's entries with what the row says of itself: requirements and tags are added, all else takes the place of
  /// what the file says. Without a title of its own the row has the file's with its name.
  private static func head(_ story: [YAMLEntry], of name: String, _ row: Fields) -> [YAMLEntry] {
    var entries = story
    for entry in row.entries where rowKeys.contains(entry.key) {
      guard let place = entries.firstIndex(where: { $0.key == entry.key }) else {
        entries.append(entry)
        continue
      }
      if ["requirements", "tags"].contains(entry.key), let all = entries[place].value.items,
        let own = entry.value.items
      {
        entries[place].value.content = .list(all + own)
      } else {
        entries[place].value = entry.value
      }
    }
    if row["title"] == nil, let place = entries.firstIndex(where: { $0.key == "title" }),
      case .scalar(let title, _) = entries[place].value.content, !title.isEmpty, !entries[place].value.isEmpty
    {
      let words = String(name.map { $0 == "-" ? " " : $0 })
      entries[place].value.content = .scalar("\(title): \(words)", plain: false)
    }
    return entries
  }
}
