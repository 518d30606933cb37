import ReportMarkup
import ScenarioModel

/// All scenarios of a run in folders, which say how their cases went and have their content when they are unfolded.
struct ScenarioFolders {
  /// With so few scenarios all folders are unfolded.
  private static let few = 12
  /// With more scenarios those in which all went as expected have a line each.
  private static let many = 2_000
  /// Folders that are there before anything is unfolded.
  private static let maxFolders = 300

  private let groups: [ScenarioGroup]
  private let panels: CasePanels
  private let sentences: RequirementSentences
  private let columns: [CaseColumn]

  init(
    _ groups: [ScenarioGroup], _ panels: CasePanels, _ sentences: RequirementSentences, columns: [CaseColumn]
  ) {
    (self.groups, self.panels, self.sentences, self.columns) = (groups, panels, sentences, columns)
  }

  var markup: Markup {
    var folders: [ArraySlice<ScenarioGroup>] = []
    var start = 0
    while start < groups.count {
      let end = groups[start...].firstIndex { $0.area != groups[start].area } ?? groups.count
      folders.append(groups[start..<end])
      start = end
    }
    // What needs a look is not among the last.
    let parts = folders.map { (groups: $0, needsLook: $0.contains { $0.cases.contains(where: \.tone.needsLook) }) }
    let order = parts.filter(\.needsLook) + parts.filter { !$0.needsLook }
    let last = order.dropFirst(Self.maxFolders).map { folder($0.groups, isDeferred: false) }
    let further: Markup = """
      <details class="folder"><summary><strong>\(QuantityText.count(last.count, "more folder"))</strong></summary>\
      \(HTMLPage.deferred("\(last)"))</details>
      """
    return """
      <div class="folders" style="--columns:\(columns.count)">\(ClassTable.head(columns))\
      \(order.prefix(Self.maxFolders).map { folder($0.groups, isDeferred: groups.count > Self.few) })\
      \(further, if: !last.isEmpty)</div>
      """
  }

  private func folder(_ groups: ArraySlice<ScenarioGroup>, isDeferred: Bool) -> Markup {
    let isLong = self.groups.count > Self.many
    let lines = groups.filter { isLong && !$0.cases.contains(where: \.tone.needsLook) }
    let articles = groups.filter { !isLong || $0.cases.contains(where: \.tone.needsLook) }
    let content: Markup = """
      \(articles.map(article))\("<ul class=\"brief\">\(lines.map(line))</ul>", if: !lines.isEmpty)
      """
    return """
      <details class="folder"\(" open", if: self.groups.count <= Self.few)><summary>\
      <strong>\(groups.first?.area ?? "", clipped: 100)</strong> \
      \(ClassTable(groups, columns).line)\
      <i>\(QuantityText.count(groups.count, "scenario"))</i></summary>\
      \(isDeferred ? HTMLPage.deferred(content) : content)</details>

      """
  }

  private func line(_ group: ScenarioGroup) -> Markup {
    let tone = group.cases.map(\.tone).max { $0.order < $1.order } ?? Tone(.passed)
    return """
      <li class="\(tone.name)" id="\(group.anchor)" data-v="\(tone.name)" data-s="\(group.search)">\
      <b>\(tone.glyph)</b> \(group.name, clipped: 160) <i>\(QuantityText.count(group.cases.count, "case"))</i></li>

      """
  }

  private func article(_ group: ScenarioGroup) -> Markup {
    let first = group.cases.first?.result
    let shown = group.cases.sorted { $0.tone.order > $1.tone.order }.compactMap(panels.panel)
    return """
      <article class="group" id="\(group.anchor)" data-s="\(group.search)">
      <header><h3>\(group.title, clipped: 200)</h3><p><code><span>\(group.area)/</span>\(group.name)</code>\
      \((first?.requirements ?? []).map { " \(sentences.pill($0))" })\
      \((first?.tags ?? []).map { " <span class=\"pill tag\">\($0, clipped: 60)</span>" })</p></header>
      \(shown.map { "\($0)\n" })\(lines(group, besides: shown.count))</article>

      """
  }

  /// The cases without a panel.
  private func lines(_ group: ScenarioGroup, besides panelCount: Int) -> Markup? {
    let lines = group.cases.compactMap(panels.line)
    let count = group.cases.count - panelCount
    guard count > 0 else { return nil }
    let hidden = count - lines.count
    return """
      <details class="lines"><summary>\(count) more \(count == 1 ? "case" : "cases")</summary><ul>
      \(lines.map { "\($0)\n" })\
      </ul>\(hidden > 0 ? HTMLPage.note("\(hidden) are left out; report.json has them all.") : nil)</details>

      """
  }
}
