import ReportMarkup
import ScenarioModel

/// What the page says of failed controls: how they failed, and what proves nothing without them.
struct FoldMaker {
  /// Scenarios listed below one control.
  private static let mostScenarios = 1_500
  /// Ways of one control to fail.
  private static let mostConcerns = 6

  private let cases: [CaseResult]
  private let groups: [String: ScenarioGroup]
  private let shelf: PanelShelf

  init(_ cases: [CaseResult], _ groups: [ScenarioGroup], _ shelf: PanelShelf) {
    self.cases = cases
    self.groups = Dictionary(groups.map { ($0.scenario, $0) }, uniquingKeysWith: { first, _ in first })
    self.shelf = shelf
  }

  func views(of controls: [FailedControl]) -> [PageView.FoldView] { controls.map(view) }

  private func view(_ control: FailedControl) -> PageView.FoldView {
    let group = groups[control.scenario]
    let own = group?.cases.filter { $0.rank == 0 && $0.leader == nil } ?? []
    var order: [String] = []
    var counts: [String: (all: Int, deviating: Int)] = [:]
    let deviating = Set(control.deviating)
    for place in control.dependants {
      let id = cases[place].scenario
      if counts[id] == nil { order.append(id) }
      counts[id, default: (0, 0)].all += 1
      if deviating.contains(place) { counts[id]?.deviating += 1 }
    }
    let left = order.count - Self.mostScenarios
    return PageView.FoldView(
      search: group?.search ?? Markup(text: VisibleText.clipped(control.scenario.lowercased(), to: 400)),
      control: Markup(text: VisibleText.clipped(control.scenario, to: 160)),
      absent: control.cases.isEmpty ? Markup(text: "did not run") : nil,
      concerns: own.prefix(Self.mostConcerns).map { entry in
        let anchor = shelf.shows(entry) ? entry.anchor : group?.anchor ?? entry.anchor
        return PageView.concern(entry, anchor: anchor, search: group?.search ?? Markup(text: ""))
      },
      cost: Markup(text: control.cost), remainder: control.remainder.map(Markup.init(text:)),
      scenarios: order.prefix(Self.mostScenarios).map { id in
        let count = counts[id] ?? (0, 0)
        return PageView.FoldedView(
          anchor: Markup(text: groups[id]?.anchor ?? ""), name: Markup(text: VisibleText.clipped(id, to: 160)),
          count: Markup(text: CountText.of(count.all, "case")),
          deviating: count.deviating > 0 ? Markup(text: "\(CountText.of(count.deviating)) with deviations") : nil)
      },
      more: left > 0 ? Markup(text: "and \(CountText.of(left, "scenario")) more, see report.json") : nil)
  }
}
