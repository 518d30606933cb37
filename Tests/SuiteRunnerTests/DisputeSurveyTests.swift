import Foundation
import HostTools
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import TestSupport
import Testing

@testable import SuiteRunner

/// Which form the subject takes where several are tolerated.
@Suite struct DisputeSurveyTests {
  private static let text = SampleScenario.text.replacing(
    SampleScenario.expectation,
    with: #"""
        - oneOf:
            - [didRead: { tag: 1, bytes: "HELO\r\n" }]
            - { grade: nonStrict, events: [didRead: { tag: 1, bytes: "OTHER\r\n" }] }
      """#)

  private func survey(_ courses: [String: FakeCourse]) throws -> (survey: DisputeSurvey, crew: FakeCrew) {
    let scratch = try Scratch()
    try scratch.write([
      "disputed.yaml": Self.text, "plain.yaml": SampleScenario.text, "disputed.txt": "disputed 1 simulated 2\n",
    ])
    let library = try ScenarioLibrary(folder: scratch.folder.path)
    #expect(library.scenarios.map(\.id) == ["disputed", "plain"], "\(library.entries.flatMap(\.diagnostics))")
    let crew = FakeCrew(courses)
    var survey = DisputeSurvey(library.scenarios)
    survey.startWorker = crew.start
    return (survey, crew)
  }

  @Test func onlyDisputedScenariosArePlayedAndWithoutTheRecord() throws {
    let (survey, crew) = try survey(["disputed": .takesForm(1)])
    #expect(survey.scenarios.map(\.id) == ["disputed"])
    #expect(survey.scenarios.first?.recordedForms == nil)
    let (record, failed) = try survey.run(seeds: 3, rounds: 2, jobs: 1)
    #expect(failed.isEmpty)
    #expect(crew.seen.asked.count == 5)
    #expect(record.text(survey.scenarios).contains("disputed 1 simulated 1"))
    #expect(record.text(survey.scenarios).contains("disputed 1 loopback 1"))
  }

  @Test func aCaseThatIsNotAsExpectedIsNamedOnce() throws {
    let (survey, _) = try survey(["disputed": .fails])
    let (record, failed) = try survey.run(seeds: 3, rounds: 1, jobs: 1)
    #expect(failed == ["disputed [ipv4, loopback]", "disputed [ipv4, simulated]"])
    #expect(record.forms.isEmpty)
  }
}

/// What the lab asks of a machine.
@Suite struct HostCheckTests {
  @Test func aMissingFolderAndOneThatCanNotBeWrittenAreEssential() throws {
    let scratch = try Scratch()
    try Data().write(to: scratch.folder.appendingPathComponent("file"))
    let check = HostCheck(
      library: nil, scenarios: "Scenarios", output: scratch.path("file/reports"),
      playInNetwork: { nil })
    let wrong = check.findings(jobs: 1).filter { !$0.isFine && $0.isEssential }
    #expect(wrong.map(\.name) == ["reports", "scenarios"])
    #expect(wrong.last?.text == "there is no folder Scenarios")
  }

  @Test func aMachineThatHasAllIsFine() throws {
    let scratch = try Scratch()
    let library = try ScenarioLibrary(folder: scratch.folder.path)
    let check = HostCheck(
      library: library, scenarios: scratch.folder.path, output: scratch.path("reports"),
      playInNetwork: {
        var result = CaseResult(
          scenario: Scenario(id: "a", title: ""), variant: Variant(family: .ipv4, cut: .whole, queues: .separate),
          world: .loopback, seed: 1)
        result.verdict = .passed
        return result
      })
    let findings = check.findings(jobs: 1)
    #expect(
      findings.map(\.name) == [
        "system", "descriptors", "IPv6", "networks", "timing", "OpenSSL", "reports", "scenarios",
      ])
    #expect(findings.first { $0.name == "reports" }?.isFine == true)
    #expect(findings.first { $0.name == "OpenSSL" }?.text.hasPrefix("OpenSSL 3") == true)
    #expect(findings.first { $0.name == "scenarios" }?.isFine == false, "a folder without files is none")
    #expect(!PathText.exists(scratch.path("reports")), "what was made to look is gone")
  }
}
