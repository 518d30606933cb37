import Mustache
import Testing

@testable import RunReports

/// Templates ask values for their fields by name; a name that a value has forgotten would render as nothing.
@Suite struct TemplateFieldTests {
  @Test func everyFieldOfARunsPageIsFoundByItsName() throws {
    var report = SampleReport.report
    report.cases += SampleReport.endings.filter { $0.name != "interrupted" }.map(\.report.cases[0])
    report.cases += SampleReport.failedControl(dependants: 8).cases
    report.casesNotJudged = 3
    let groups = ScenarioGroup.all(report.cases)
    var shelf = PanelShelf(templates: try PageTemplates.shared.get(), sources: report.sources)
    shelf.fill(groups)
    var names = Set<String>()
    check(PageView(report, groups, shelf), names: &names)
    for entry in groups.flatMap(\.cases) {
      let panel = CasePanel(entry, source: report.sources[entry.result.scenario])
      check(panel.view(isFull: true), names: &names)
    }
    #expect(names.count > 15, "\(names)")
  }

  /// The value's own fields and those of all values in it.
  private func check(_ value: Any, names: inout Set<String>) {
    let mirror = Mirror(reflecting: value)
    // What an optional holds is one of its children.
    let parent = mirror.displayStyle == .optional ? nil : value as? any MustacheParent
    if parent != nil { names.insert("\(type(of: value))") }
    for child in mirror.children {
      if let parent, let label = child.label {
        let told = parent.child(named: label)
        let isNil =
          Mirror(reflecting: child.value).displayStyle == .optional
          && Mirror(reflecting: child.value).children.isEmpty
        #expect((told == nil) == isNil, "\(type(of: value)).\(label)")
        if let told, !isNil { #expect(text(told) == text(child.value), "\(type(of: value)).\(label)") }
      }
      check(child.value, names: &names)
    }
  }

  private func text(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional, let inner = mirror.children.first { return text(inner.value) }
    return "\(value)"
  }
}
