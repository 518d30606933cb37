import ReportMarkup
import ScenarioModel

/// The failed controls at the head of the page, and the scenarios that prove nothing without each.
struct FailedControlList {
  /// Scenarios listed below one control.
  private static let maxScenarios = 1_500

  private let cases: [CaseResult]
  private let groups: [String: ScenarioGroup]

  init(_ cases: [CaseResult], _ groups: [ScenarioGroup]) {
    self.cases = cases
    self.groups = Dictionary(groups.map { ($0.scenario, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func markup(of controls: [FailedControl]) -> [Markup] { controls.map(markup) }

  private func markup(_ control: FailedControl) -> Markup {
    let group = groups[control.scenario]
    var order: [String] = []
    var counts: [String: (all: Int, deviating: Int)] = [:]
    let deviating = Set(control.deviating)
    for place in control.dependants {
      let id = cases[place].scenario
      if counts[id] == nil { order.append(id) }
      counts[id, default: (0, 0)].all += 1
      if deviating.contains(place) { counts[id]?.deviating += 1 }
    }
    let left = order.count - Self.maxScenarios
    let more = left > 0 ? HTMLPage.note("and \(QuantityText.count(left, "scenario")) more, see report.json") : nil
    let search = group?.search ?? VisibleText.clipped(control.scenario.lowercased(), to: 400)
    let list: Markup = "<ul>\(order.prefix(Self.maxScenarios).map { row($0, counts[$0] ?? (0, 0)) })</ul>\(more)"
    return """
      <li class="fold error" data-v="error" data-s="\(search)"><details>\
      <summary><strong>\(control.cost)</strong>\(control.remainder.map { "<span>\($0)</span>" }) \
      <i>control <code>\(control.scenario, clipped: 160)</code>\
      \(" did not run", if: control.cases.isEmpty)</i></summary>\(HTMLPage.deferred(list))</details></li>

      """
  }

  private func row(_ id: String, _ count: (all: Int, deviating: Int)) -> Markup {
    """
    <li><a href="#\(groups[id]?.anchor ?? "")">\(id, clipped: 160)</a> \(QuantityText.count(count.all, "case"))\
    \(", <em>\(QuantityText.count(count.deviating)) with deviations</em>", if: count.deviating > 0)</li>

    """
  }
}
