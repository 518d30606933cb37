import Foundation
import ReportTestSupport
import ScenarioModel
import Testing

@testable import RunReports

/// What every report says of a control that did not pass: it comes first, and what hangs on it is folded under it.
@Suite struct FailedControlTests {
  private static func voided(
    _ id: String, by control: String, world: WorldName = .loopback, own: [Deviation] = [], ran: Bool = true
  ) -> CaseResult {
    var result = SampleReport.result(
      SampleReport.scenario(id, id, []), .error, world: world, deviations: own, reason: "its control \(control) failed")
    result.voided = VoidedCase(
      control: control, controlVerdict: ran ? .failed : nil, verdict: own.isEmpty ? .passed : .failed)
    return result
  }

  private static func failed(_ id: String, world: WorldName = .loopback) -> CaseResult {
    SampleReport.result(
      SampleReport.scenario(id, id, []), .failed, world: world,
      deviations: [SampleReport.deviation(.missing, expected: "e of \(id)", actual: "a", line: 1)])
  }

  @Test func whatHangsOnAVoidedControlFoldsUnderTheFirst() {
    let own = [SampleReport.deviation(.early, expected: "e", actual: "a")]
    let cases = [
      Self.voided("a/one", by: "tls/good"), Self.voided("a/one", by: "tls/good", own: own),
      Self.failed("control/echo"), Self.voided("tls/good", by: "control/echo"),
      Self.voided("z/two", by: "control/echo"),
      // In the other world the control of the controls did not fail.
      Self.voided("a/one", by: "tls/good", world: .simulated), Self.failed("tls/good", world: .simulated),
    ]
    let controls = FailedControl.all(in: cases)
    #expect(controls.map(\.scenario) == ["control/echo", "tls/good"])
    #expect(controls.map(\.dependants) == [[0, 1, 3, 4], [5]])
    #expect(controls.map(\.cases) == [[2], [6]])
    #expect(controls.map(\.scenarios) == [3, 1])
    #expect(controls.map(\.deviating) == [[1], []])
    #expect(FailedControl.ranks(of: cases, controls) == [3, 2, 0, 3, 3, 3, 0])
    #expect(controls[0].cost == "4 cases of 3 scenarios prove nothing without it")
    #expect(controls[0].remainder == "1 of them deviates itself")
    #expect(controls[1].cost == "1 case of 1 scenario proves nothing without it")
  }

  @Test(arguments: [["a"], ["a", "b"], ["a", "b", "c"]])
  func controlsInACircleComeToAnEnd(circle: [String]) {
    let cases = circle.enumerated().map { place, id in
      Self.voided(id, by: circle[(place + 1) % circle.count])
    }
    let folded = FailedControl.all(in: cases).flatMap(\.dependants)
    #expect(folded.sorted() == Array(cases.indices))
  }

  @Test func everyCaseIsFoldedOrToldOnItsOwn() {
    let report = SampleReport.failedControl(dependants: 2_000)
    let controls = FailedControl.all(in: report.cases)
    let ranks = FailedControl.ranks(of: report.cases, controls)
    #expect(controls.count == 1)
    #expect(controls[0].dependants.count == 2_000 && controls[0].scenarios == 500)
    #expect(controls[0].deviating.count == 500)
    #expect(ranks.count { $0 == 0 } == 2 && ranks.count { $0 == 1 } == 8 && ranks.count { $0 == 4 } == 0)
  }

  @Test func thePageTellsWhatNothingIsProvedOfThenTheControlThenTheRealDeviation() throws {
    let report = SampleReport.failedControl(dependants: 2_000)
    let page = String(decoding: HTMLReport.make(report), as: UTF8.self)
    let concerns = try #require(page.firstRange(of: "<section class=\"concerns\">"))
    let end = try #require(page[concerns.upperBound...].firstRange(of: "</section>"))
    let section = page[concerns.upperBound..<end.lowerBound]
    let control = try #require(section.firstRange(of: "What is written comes back"))
    let fold = try #require(section.firstRange(of: "2,000 cases of 500 scenarios prove nothing without it"))
    let real = try #require(section.firstRange(of: "A deviation whose control passed"))
    #expect(fold.lowerBound < control.lowerBound && control.lowerBound < real.lowerBound)
    #expect(section.contains("500 of them deviate themselves"))
    #expect(section.contains("and 7 more cases"))
    // Two variants of the control went wrong alike, as the eight did, and the dependants by themselves.
    #expect(section.ranges(of: "<b class=\"badge").count == RunFindings(report.cases, sources: [:]).causes.count)
    for index in 0..<500 {
      #expect(section.contains(">area\(index % 9)/hangs-on-the-control-\(index)</a> 4 cases, <em>1 with"))
    }
    #expect(page.utf8.count < 3_000_000)
  }

  @Test func whatADependantShowsByItselfIsOnThePage() throws {
    let own = SampleReport.deviation(.ending, expected: "peer rst", actual: "only here", line: 1)
    let cases = [Self.failed("control/echo"), Self.voided("a/one", by: "control/echo", own: [own])]
    let page = String(decoding: HTMLReport.make(SampleReport.report(cases)), as: UTF8.self)
    #expect(page.contains("<dd class=\"actual\">only here</dd>"))
    #expect(page.contains("so it proves nothing. By itself it is failed."))
    let markdown = String(decoding: MarkdownSummary.make(SampleReport.report(cases)), as: UTF8.self)
    #expect(markdown.contains("**1 case of 1 scenario proves nothing without it**; 1 of them deviates itself"))
    let xml = String(decoding: JUnitReport.make(SampleReport.report(cases)), as: UTF8.self)
    #expect(xml.contains("type=\"error.control\"") && xml.contains("  actual:   only here"))
  }

  @Test func aControlThatDidNotRunIsNamed() throws {
    let report = SampleReport.report([Self.voided("a/one", by: "control/echo", ran: false)])
    let markdown = String(decoding: MarkdownSummary.make(report), as: UTF8.self)
    #expect(markdown.contains("- ! The control `control/echo` did not run\n"))
    let page = String(decoding: HTMLReport.make(report), as: UTF8.self)
    #expect(page.contains("control <code>control/echo</code> did not run"))
  }

  @Test func junitOrdersControlsDeviationsAndTheRest() throws {
    let report = SampleReport.failedControl(dependants: 40)
    let cases = try XMLNode.parse(JUnitReport.make(report)).all("testcase")
    let names = cases.map { $0.fields["classname"] ?? "" }
    #expect(names.prefix(2).allSatisfy { $0 == "simulated.control.echo-as-client" })
    #expect(names[2..<10].allSatisfy { $0 == "simulated.zone.a-real-deviation" })
    #expect(cases.count == report.cases.count)
    // What deviates itself stands before what does not.
    let errors = cases.dropFirst(10).map { $0.all("error").first?.text.contains("missing") == true }
    #expect(errors == Array(repeating: true, count: 10) + Array(repeating: false, count: 30))
  }

  @Test func jsonHasThemAll() throws {
    let report = SampleReport.failedControl(dependants: 2_000)
    let json = try ReadJSON(ReportJSON.encode(report))
    let control = try #require(json["failed_controls"]?.items.first)
    #expect(control["dependants"]?.items.count == 2_000 && control["deviating"]?.items.count == 500)
    let cases = try #require(json["cases"]?.items)
    for place in control["dependants"]?.items.compactMap({ $0.number }) ?? [] {
      #expect(cases[Int(place)]["voided"]?["control"]?.text == "control/echo-as-client")
    }
  }
}
