import ReportMarkup
import ScenarioModel

/// The cases of one scenario, where they stand on the page.
struct ScenarioGroup {
  struct Case {
    var result: CaseResult
    /// In the report.
    var place: Int
    /// Fragment of the case on the page.
    var anchor: String
    var tone: Tone
    /// As in `FailedControl.ranks`.
    var rank: Int
    /// The cases that went wrong in the same way, when this is the first of several.
    var alike: AlikeCases?
    /// Fragment of the first case that went wrong in the same way, when this is a further one.
    var representative: String?
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
    let similar = AlikeCases.groups(
      cases.indices.lazy.filter { !cases[$0].isAsExpected }.map { (place: $0, result: cases[$0]) })
    var alike: [Int: AlikeCases] = [:]
    var representatives: [Int: Int] = [:]
    for group in similar where group.count > 1 {
      alike[group.places[0]] = group
      for place in group.places.dropFirst() { representatives[place] = group.places[0] }
    }
    for (index, result) in cases.enumerated() {
      let entry = Case(
        result: result, place: index, anchor: "c\(index)", tone: Tone(result), rank: ranks[index], alike: alike[index],
        representative: representatives[index].map { "c\($0)" })
      groups[
        result.scenario,
        default: ScenarioGroup(
          scenario: result.scenario, title: result.title, area: result.area, anchor: "s\(index)", cases: [])
      ].cases.append(entry)
    }
    return groups.values.sorted { ($0.area, $0.scenario) < ($1.area, $1.scenario) }
  }
}
