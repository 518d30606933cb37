import ReportMarkup
import ScenarioModel

/// The matrix: a row per scenario, grouped by area folder; a column per world and address family. A cell has one tile
/// per kind of segmentation and queue topology, which shows the worst verdict of the cases it stands for.
struct MatrixView {
  private let groups: [ScenarioGroup]
  private let shelf: PanelShelf
  private let columns: [Column]

  private struct Column: Hashable {
    var world: WorldName
    var family: AddressFamily
  }

  /// nil: there are no cases.
  init?(_ groups: [ScenarioGroup], _ shelf: PanelShelf) {
    guard !groups.isEmpty else { return nil }
    (self.groups, self.shelf) = (groups, shelf)
    let present = Set(
      groups.flatMap { $0.cases.map { Column(world: $0.result.world, family: $0.result.variant.family) } })
    columns = WorldName.allCases.flatMap { world in
      AddressFamily.allCases.map { Column(world: world, family: $0) }.filter { present.contains($0) }
    }
  }

  var markup: Markup {
    let worlds = WorldName.allCases.map { world in (world, count: columns.count { $0.world == world }) }
    var areas: Markup = ""
    var start = 0
    while start < groups.count {
      let end = groups[start...].firstIndex { $0.area != groups[start].area } ?? groups.count
      areas += area(groups[start..<end])
      start = end
    }
    return """
      <section class="matrix"><h2>Matrix</h2>
      <div class="scroll"><table>
      <thead>
      <tr><th></th>\
      \(worlds.filter { $0.count > 0 }.map { "<th colspan=\"\($0.count)\" class=\"first\">\($0.0.rawValue)</th>" })</tr>
      <tr><th></th>\(columns.indices.map { "<th class=\"\(border($0))\">\(columns[$0].family.rawValue)</th>" })</tr>
      </thead>
      \(areas)</table></div>
      </section>

      """
  }

  /// The CSS class of a column: whether it is the first one of its world.
  private func border(_ index: Int) -> String {
    index == 0 || columns[index - 1].world != columns[index].world ? "first" : ""
  }

  private func area(_ groups: ArraySlice<ScenarioGroup>) -> Markup {
    """
    <tbody>
    <tr class="area"><th colspan="\(columns.count + 1)" scope="rowgroup">\(groups.first?.area ?? "")</th></tr>
    \(groups.map(row))</tbody>

    """
  }

  private func row(_ group: ScenarioGroup) -> Markup {
    let byColumn = Dictionary(grouping: group.cases) {
      Column(world: $0.result.world, family: $0.result.variant.family)
    }
    let cells = columns.indices.map { index -> Markup in
      "<td class=\"\(border(index))\">\(tiles(byColumn[columns[index]] ?? [], of: group))</td>"
    }
    return """
      <tr data-s="\(group.search)"><th scope="row"><a href="#\(group.anchor)" title="\(group.title, clipped: 120)">\
      \(group.name, clipped: 100)</a></th>\(cells)</tr>

      """
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

  private func tiles(_ cases: [ScenarioGroup.Case], of group: ScenarioGroup) -> Markup {
    let groups = Dictionary(grouping: cases) { TileKey($0.result.variant) }
    return "\(groups.sorted { $0.key < $1.key }.map { tile($0, $1, of: group) })"
  }

  /// Shows the worst of the cases.
  private func tile(_ key: TileKey, _ cases: [ScenarioGroup.Case], of group: ScenarioGroup) -> Markup {
    guard let worst = cases.max(by: { $0.tone.order < $1.tone.order }) else { return "" }
    let tones = Dictionary(grouping: cases, by: \.tone).sorted { $0.key.order > $1.key.order }
    let counts = tones.map { "\($1.count) \($0.label)" }.joined(separator: ", ")
    return """
      <a class="tile \(worst.tone.name)" data-v="\(worst.tone.name)" href="#\(shelf.anchor(worst, in: group))" \
      title="\(key.name): \(counts)">\(worst.tone.glyph)\("<small>\(cases.count)</small>", if: cases.count > 1)</a>
      """
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
  var search: String {
    guard let first = cases.first?.result else { return scenario }
    let words = [scenario, title] + first.requirements + first.tags
    return VisibleText.clipped(words.joined(separator: " ").lowercased(), to: 400)
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
