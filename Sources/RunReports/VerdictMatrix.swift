import ReportMarkup
import ScenarioModel

/// The matrix: a row per scenario, grouped by area folder; a column per world, class and address family. A cell has one
/// tile per kind of segmentation and queue topology, which shows the worst verdict of the cases it stands for.
struct VerdictMatrix {
  private let groups: [ScenarioGroup]
  private let panels: CasePanels
  private let columns: [Column]

  private struct Column: Hashable {
    var world: WorldName
    var subject: SubjectKind
    var family: AddressFamily

    init(_ result: CaseResult) {
      (world, subject, family) = (result.world, result.variant.subject, result.variant.family)
    }

    /// `ipv4`, `run-loop ipv4`.
    var name: String { subject == .gcd ? family.rawValue : "\(subject.rawValue) \(family.rawValue)" }

    var order: [Int] {
      [
        WorldName.allCases.firstIndex(of: world) ?? 0, SubjectKind.allCases.firstIndex(of: subject) ?? 0,
        AddressFamily.allCases.firstIndex(of: family) ?? 0,
      ]
    }
  }

  /// nil: there are no cases.
  init?(_ groups: [ScenarioGroup], _ panels: CasePanels) {
    guard !groups.isEmpty else { return nil }
    (self.groups, self.panels) = (groups, panels)
    let present = Set(groups.flatMap { $0.cases.map { Column($0.result) } })
    columns = present.sorted { $0.order.lexicographicallyPrecedes($1.order) }
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
      <tr><th></th>\(columns.indices.map { "<th class=\"\(border($0))\">\(columns[$0].name)</th>" })</tr>
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
    let byColumn = Dictionary(grouping: group.cases) { Column($0.result) }
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
      <a class="tile \(worst.tone.name)" data-v="\(worst.tone.name)" href="#\(panels.anchor(worst, in: group))" \
      title="\(key.name): \(counts)">\(worst.tone.glyph)\("<small>\(cases.count)</small>", if: cases.count > 1)</a>
      """
  }
}
