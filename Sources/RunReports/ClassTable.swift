import ReportMarkup
import ScenarioModel

/// How the cases of each subject went in each world, beside each other: at the head of the page, and on the line of
/// each folder.
struct ClassTable {
  private let columns: [CaseColumn]
  private let cells: [CaseColumn: [Tone: Int]]

  /// - Parameter unlisted: cases that went as expected and are in none of the groups.
  init(_ groups: some Sequence<ScenarioGroup>, _ columns: [CaseColumn], unlisted: [CaseColumn: UnlistedCases] = [:]) {
    self.columns = columns
    var cells: [CaseColumn: [Tone: Int]] = [:]
    for group in groups {
      for entry in group.cases { cells[entry.result.column, default: [:]][entry.tone, default: 0] += 1 }
    }
    for (column, cases) in unlisted { cells[column, default: [:]].merge(cases.tones, uniquingKeysWith: +) }
    self.cells = cells
  }

  /// A row for each subject and a column for each world; nothing if there is but one of each.
  var markup: Markup? {
    guard columns.count > 1 else { return nil }
    let worlds = WorldName.allCases.filter { world in columns.contains { $0.world == world } }
    let subjects = Set(columns.map(\.subject)).sorted()
    let rows = subjects.map { subject -> Markup in
      let cells = worlds.map { world -> Markup in
        "<td>\(tones(CaseColumn(subject, world)).map { Self.count($0.tone, $0.count) })</td>"
      }
      return """
        <tr><th scope="row">\(subject.name)</th>\(cells)</tr>

        """
    }
    return """
      <div class="scroll"><table class="classes"><thead><tr><td></td>\
      \(worlds.map { "<th scope=\"col\">\($0.rawValue)</th>" })</tr></thead><tbody>
      \(rows)</tbody></table></div>

      """
  }

  /// One cell for each subject and world, as a folder's line has them.
  var line: Markup { "\(columns.map(cell))" }

  /// What the cells of a line are, above all folders.
  static func head(_ columns: [CaseColumn]) -> Markup? {
    guard columns.count > 1 else { return nil }
    let cells = columns.map { column -> Markup in "<b>\(column.subject.name)<i>\(column.world.rawValue)</i></b>" }
    return """
      <p class="heads" aria-hidden="true"><strong></strong>\(cells)<i></i></p>

      """
  }

  /// What needs a look, of all; or all. The title has the rest.
  private func cell(_ column: CaseColumn) -> Markup {
    let tones = tones(column)
    let all = tones.reduce(0) { $0 + $1.count }
    guard let worst = tones.last?.tone else {
      return "<b class=\"skipped\" data-c=\"\(column.name)\" title=\"none\">–</b>"
    }
    let bad = tones.reduce(0) { $0 + ($1.tone.needsLook ? $1.count : 0) }
    let title = tones.map { "\($0.count) \($0.tone.label)" }.joined(separator: ", ")
    let shown = bad > 0 || tones.count == 1 ? worst : Tone(.passed)
    let text = bad > 0 && bad < all ? "\(bad) of \(all)" : "\(all)"
    return "<b class=\"\(shown.name)\" data-c=\"\(column.name)\" title=\"\(title)\">\(shown.glyph) \(text)</b>"
  }

  private static func count(_ tone: Tone, _ count: Int) -> Markup {
    "<b class=\"\(tone.name)\" title=\"\(tone.label)\">\(tone.glyph) \(count)</b> "
  }

  /// What needs a look comes last.
  private func tones(_ column: CaseColumn) -> [(tone: Tone, count: Int)] {
    (cells[column] ?? [:]).map { (tone: $0.key, count: $0.value) }.sorted { $0.tone.order < $1.tone.order }
  }
}

extension UnlistedCases {
  /// As the pages show them: those on record apart from others of their verdict.
  var tones: [Tone: Int] {
    var tones: [Tone: Int] = [:]
    for (verdict, count) in plain { tones[Tone(verdict), default: 0] += count }
    if knownTotal > 0 { tones[.known] = knownTotal }
    return tones
  }
}
