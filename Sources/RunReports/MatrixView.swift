import Mustache
import ReportMarkup
import ScenarioModel

/// The matrix: a row per scenario, grouped by area folder; a column per world and address family. A cell has one tile
/// per kind of segmentation and queue topology, which shows the worst verdict of the cases it stands for.
struct MatrixView {
  let worlds: [WorldView]
  let families: [FamilyView]
  let areas: [AreaView]
  /// Number of columns, the scenario's included.
  let width: Markup

  struct WorldView {
    var name: Markup
    var span: Markup
  }

  struct FamilyView {
    var name: Markup
    var isFirst: Bool
  }

  struct AreaView {
    var name: Markup
    var rows: [RowView]
  }

  struct RowView {
    var title: Markup
    var scenario: Markup
    var anchor: Markup
    var search: Markup
    var cells: [CellView]
  }

  struct CellView {
    var isFirst: Bool
    var tiles: Markup
  }

  private struct Column: Hashable {
    var world: WorldName
    var family: AddressFamily
  }

  init(_ groups: [ScenarioGroup], _ shelf: PanelShelf) {
    let present = Set(
      groups.flatMap { $0.cases.map { Column(world: $0.result.world, family: $0.result.variant.family) } })
    let columns = WorldName.allCases.flatMap { world in
      AddressFamily.allCases.map { Column(world: world, family: $0) }.filter { present.contains($0) }
    }
    let worldNames = WorldName.allCases.filter { world in columns.contains { $0.world == world } }
    worlds = worldNames.map { world in
      let span = columns.count { $0.world == world }
      return WorldView(name: Markup(text: world.rawValue), span: Markup(text: "\(span)"))
    }
    families = columns.enumerated().map { index, column in
      FamilyView(
        name: Markup(text: column.family.rawValue), isFirst: index == 0 || columns[index - 1].world != column.world)
    }
    width = Markup(text: "\(columns.count + 1)")
    var areas: [AreaView] = []
    var current: String?
    for group in groups {
      if group.area != current { areas.append(AreaView(name: Markup(text: group.area), rows: [])) }
      current = group.area
      areas[areas.count - 1].rows.append(Self.row(group, columns, shelf))
    }
    self.areas = areas
  }

  private static func row(_ group: ScenarioGroup, _ columns: [Column], _ shelf: PanelShelf) -> RowView {
    let byColumn = Dictionary(grouping: group.cases) {
      Column(world: $0.result.world, family: $0.result.variant.family)
    }
    let cells = columns.enumerated().map { index, column in
      CellView(
        isFirst: index == 0 || columns[index - 1].world != column.world,
        tiles: tiles(byColumn[column] ?? []) { shelf.shows($0) ? $0.anchor : group.anchor })
    }
    return RowView(
      title: Markup(text: VisibleText.clipped(group.title, to: 120)),
      scenario: Markup(text: VisibleText.clipped(group.name, to: 100)), anchor: Markup(text: group.anchor),
      search: group.search, cells: cells)
  }

  private struct TileKey: Hashable, Comparable {
    var cut: Int
    var queues: Int

    init(_ variant: Variant) {
      cut =
        switch variant.cut {
        case .whole: 0
        case .bytes: 1
        case .split: 2
        case .random: 3
        }
      queues = QueueTopology.allCases.firstIndex(of: variant.queues) ?? 0
    }

    static func < (left: Self, right: Self) -> Bool { (left.cut, left.queues) < (right.cut, right.queues) }

    var name: String {
      "\(["whole", "byte by byte", "every split", "random cuts"][cut]), \(QueueTopology.allCases[queues]) queues"
    }
  }

  private static func tiles(_ cases: [ScenarioGroup.Case], anchor: (ScenarioGroup.Case) -> String) -> Markup {
    let groups = Dictionary(grouping: cases) { TileKey($0.result.variant) }
    var html = ""
    for (key, members) in groups.sorted(by: { $0.key < $1.key }) {
      guard let worst = members.max(by: { $0.tone.order < $1.tone.order }) else { continue }
      let tones = Dictionary(grouping: members, by: \.tone).sorted { $0.key.order > $1.key.order }
      let counts = tones.map { "\($1.count) \($0.label)" }.joined(separator: ", ")
      html += "<a class=\"tile \(worst.tone.name)\" data-v=\"\(worst.tone.name)\" href=\"#\(anchor(worst))\""
      html += " title=\"\(key.name): \(counts)\">\(worst.tone.glyph)"
      if members.count > 1 { html += "<small>\(members.count)</small>" }
      html += "</a>"
    }
    return Markup(built: html)
  }
}

/// The cases of one scenario, where they stand on the page.
struct ScenarioGroup {
  struct Case {
    var result: CaseResult
    /// Fragment of the case on the page.
    var anchor: String
    var tone: Tone
    /// As in `FailedControl.ranks`.
    var rank: Int
    /// The cases that went wrong in the same way, when this is the first of several.
    var company: AlikeCases?
    /// Fragment of the first case that went wrong in the same way, when this is a further one.
    var leader: String?
  }

  var scenario: String
  var title: String
  var area: String
  /// Fragment of the group on the page.
  var anchor: String
  var cases: [Case]

  /// The id without its area.
  var name: String { scenario == area ? scenario : String(scenario.dropFirst(area.count + 1)) }

  /// What the filter looks into: lower case, one line.
  var search: Markup {
    guard let first = cases.first?.result else { return Markup(text: scenario) }
    let words = [scenario, title] + first.requirements + first.tags
    return Markup(text: VisibleText.clipped(words.joined(separator: " ").lowercased(), to: 400))
  }

  /// All groups, by area and then by id.
  static func all(_ cases: [CaseResult]) -> [ScenarioGroup] {
    var groups: [String: ScenarioGroup] = [:]
    let ranks = FailedControl.ranks(of: cases, FailedControl.all(in: cases))
    let companies = AlikeCases.groups(
      cases.indices.lazy.filter { !cases[$0].isAsExpected }.map { (place: $0, result: cases[$0]) })
    var company: [Int: AlikeCases] = [:]
    var leaders: [Int: Int] = [:]
    for alike in companies where alike.count > 1 {
      company[alike.places[0]] = alike
      for place in alike.places.dropFirst() { leaders[place] = alike.places[0] }
    }
    for (index, result) in cases.enumerated() {
      let entry = Case(
        result: result, anchor: "c\(index)", tone: Tone(result), rank: ranks[index], company: company[index],
        leader: leaders[index].map { "c\($0)" })
      groups[
        result.scenario,
        default: ScenarioGroup(
          scenario: result.scenario, title: result.title, area: result.area, anchor: "s\(index)", cases: [])
      ].cases.append(entry)
    }
    return groups.values.sorted { ($0.area, $0.scenario) < ($1.area, $1.scenario) }
  }
}
