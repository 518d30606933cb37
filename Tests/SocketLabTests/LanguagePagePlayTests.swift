import Foundation
import Testing

/// Scenarios/README.md explains the language: a whole scenario that it shows is played as it stands, in its worlds.
@Suite struct LanguagePagePlayTests {
  /// The whole scenarios of the page, by the line of their first word.
  private static func scenarios() throws -> [String: String] {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Scenarios/README.md")
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    var found: [String: String] = [:]
    var start = 0
    while let head = lines[start...].firstIndex(of: "```yaml") {
      let block = lines[(head + 1)...].prefix { $0 != "```" }
      if block.contains(where: { $0.hasPrefix("title: ") }) {
        found["page/line-\(head + 2).yaml"] = block.joined(separator: "\n") + "\n"
      }
      start = block.endIndex
    }
    return found
  }

  @Test func whatThePageShowsIsAsExpected() throws {
    let scenarios = try Self.scenarios()
    #expect(scenarios.count >= 6)
    let suite = try ScratchSuite(scenarios)
    let ids = try suite.run(["list", "--format", "ids"]).output.split(separator: "\n")
    let result = try suite.run(["run"])
    #expect(result.status == 0, "\(result.output)\(result.error)")
    #expect(result.output.contains("✓ \(ids.count) scenarios, all as expected"), "\(result.output)")
  }
}
