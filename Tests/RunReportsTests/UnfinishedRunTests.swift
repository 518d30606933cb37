import Foundation
import ReportTestSupport
import Testing

@testable import RunReports

/// The note in the place of reports: nobody takes it for a result, whatever the command line holds.
@Suite struct UnfinishedRunTests {
  private static func text(_ name: String, command: [String]) throws -> String {
    let run = UnfinishedRun(startedAt: "2030-01-02T03:04:05Z", command: command)
    return String(decoding: try #require(run.files.first { $0.name == name }).bytes, as: UTF8.self)
  }

  private static let hostile = ["./lab", "run", "a b'c", "</code><script>\"&`x`", "--filter", "*\n# all passed"]

  @Test func theFilesAreThoseOfAReport() throws {
    let names = UnfinishedRun(startedAt: "", command: []).files.map(\.name)
    #expect(names == ReportFiles.make(SampleReport.report).map(\.name))
  }

  @Test func theNoteIsNoReport() throws {
    let json = try Self.text("report.json", command: Self.hostile)
    #expect(try ReadJSON(json.utf8).keys == ["schema", "unfinished"])
    #expect {
      try ReportJSON.decode(json.utf8)
    } throws: { error in
      guard case .unfinished(let startedAt, let command) = error as? ReportReadFailure else { return false }
      return startedAt == "2030-01-02T03:04:05Z" && command.hasPrefix("./lab run 'a b'\\''c' ")
    }
  }

  @Test func itIsDescribedByTheSchema() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("report.schema.json")
    let schema = try ReadJSON(try Data(contentsOf: file))
    let note = try #require(schema["$defs"]?["unfinished"])
    let json = try ReadJSON(try Self.text("report.json", command: ["./lab", "run"]).utf8)
    #expect(Set(note["properties"]?.keys ?? []) == json.keys)
    #expect(Set(note["properties"]?["unfinished"]?["properties"]?.keys ?? []) == json["unfinished"]?.keys)
  }

  @Test func continuousIntegrationSeesAnError() throws {
    let text = try Self.text("junit.xml", command: Self.hostile)
    #expect(text.contains("tests=\"1\" failures=\"0\" errors=\"1\""))
    // The only markup is the note's own.
    #expect(text.split(separator: "<").count == 1 + 2 * 4, "\(text)")
    #expect(text.contains("&lt;script"), "\(text)")
  }

  @Test func aCommandLineIsNoMarkup() throws {
    let page = try Self.text("index.html", command: Self.hostile)
    #expect(!page.contains("<script>") && page.contains("&lt;script"))
    let markdown = try Self.text("summary.md", command: Self.hostile)
    #expect(markdown.split(separator: "\n").filter { $0.hasPrefix("#") } == ["# This run has not ended"])
  }
}
