import Foundation
import ReportTestSupport
import ScenarioModel
import Testing

@testable import RunReports

/// The page says what an id of a requirement stands for, wherever it shows one.
@Suite struct RequirementSentencesTests {
  private static let sentence = "A \"delimiter\" <b>is</b> found."

  private static func report() throws -> RunReport {
    var report = SampleReport.report
    let ids = Set(report.cases.flatMap { $0.requirements + $0.deviations.compactMap(\.requirement) })
    for id in ids { report.sentences[id] = "\(sentence) (\(id))" }
    report.sentences["XX-99"] = "Nobody names this one."
    return report
  }

  private static func page(_ report: RunReport) -> String { String(decoding: HTMLReport.make(report), as: UTF8.self) }

  @Test func everyIdLeadsToItsSentenceAndHasItAtHand() throws {
    let report = try Self.report()
    let page = Self.page(report)
    let tags = StartTag.all(in: page)
    let pills = tags.filter { $0.fields.contains { $0.name == "href" && $0.value.hasPrefix("#requirement-") } }
    let ids = Set(pills.compactMap { pill in pill.fields.first { $0.name == "href" }?.value.dropFirst(13) })
    #expect(ids == Set(report.sentences.keys.filter { $0 != "XX-99" }.map { $0[...] }))
    #expect(pills.allSatisfy { $0.fields.contains { $0.name == "title" } })
    let places = Set(tags.flatMap { $0.fields.filter { $0.name == "id" }.map(\.value) })
    #expect(ids.allSatisfy { places.contains("requirement-\($0)") })
    #expect(!page.contains("<span class=\"pill\">RD-") && !page.contains("Nobody names"))
  }

  /// Two clicks from a sentence to the file that proves it: this is the first.
  @Test func eachSentenceLeadsToWhatProvesItIfThereIsAPageOfThat() throws {
    let report = try Self.report()
    let page = String(decoding: HTMLReport.make(report, requirementsPage: "requirements.html"), as: UTF8.self)
    let links = StartTag.all(in: page).flatMap { $0.fields.filter { $0.name == "href" }.map(\.value) }
    #expect(links.contains("requirements.html"))
    let ids = report.sentences.keys.filter { $0 != "XX-99" }
    #expect(!ids.isEmpty && ids.allSatisfy { links.contains("requirements.html#\($0)") })
    #expect(!Self.page(report).contains("requirements.html"))
  }

  @Test func aDeviationHasTheSentenceInALine() throws {
    var report = try Self.report()
    let id = try #require(report.cases.flatMap(\.deviations).compactMap(\.requirement).first)
    let line = "<p class=\"quiet\">A &quot;delimiter&quot; &lt;b&gt;is&lt;/b&gt; found. (\(id))</p>"
    #expect(Self.page(report).contains(line))
    report.sentences[id] = nil
    #expect(!Self.page(report).contains(line))
  }

  @Test func withoutSentencesIdsStandAlone() throws {
    let page = Self.page(SampleReport.report)
    #expect(!page.contains("requirement-") && !page.contains("What the requirements say"))
    #expect(page.contains("<span class=\"pill\">"))
  }
}
