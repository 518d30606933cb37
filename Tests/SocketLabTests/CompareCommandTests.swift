import Foundation
import Testing

/// `compare` as a person meets it: what it prints, what it writes, and how it exits.
@Suite struct CompareCommandTests {
  /// A suite with two runs: `old` passed, `new` has a scenario that fails.
  private static func suite() throws -> ScratchSuite {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing, "read/other.yaml": ScratchSuite.passing])
    for (name, text) in [("old", ScratchSuite.passing), ("new", ScratchSuite.failing)] {
      let file = suite.folder.appendingPathComponent("Scenarios/read/line.yaml")
      try text.write(to: file, atomically: true, encoding: .utf8)
      _ = try suite.run(["run", "--world", "simulated", "--output", name])
    }
    return suite
  }

  @Test func aRegressionIsToldWrittenAndEndsWithOne() throws {
    let suite = try Self.suite()
    let result = try suite.run(["compare", "old/latest", "new/latest"])
    #expect(result.status == 1, "\(result.error)")
    #expect(result.output.hasPrefix("✗ 1 regression: 1 new failure\n  1 unchanged\n"), "\(result.output)")
    #expect(result.output.contains("e.g. read/line [ipv4, simulated]  Scenarios/read/line.yaml:"))
    #expect(result.output.contains("the scenario changed, too"))
    #expect(result.output.contains("Comparison: reports/comparison/index.html"))
    #expect(!result.output.contains("::error"))
    let page = suite.folder.appendingPathComponent("reports/comparison/index.html")
    let text = try String(contentsOf: page, encoding: .utf8)
    let links = text.matches(of: #/href="([^"]+)"/#).map { String($0.output.1) }
    #expect(links.count == 2 && links[0].hasPrefix("../../old/") && links[1].hasPrefix("../../new/"), "\(links)")
    for link in links {
      let target = suite.folder.appendingPathComponent("reports/comparison/\(link)").path
      #expect(FileManager.default.fileExists(atPath: target) && !link.contains("latest"), "\(link)")
    }
    for name in ["comparison.json", "junit.xml", "results.sarif", "summary.md", "index.html"] {
      let path = suite.folder.appendingPathComponent("reports/comparison/\(name)").path
      #expect(FileManager.default.fileExists(atPath: path), "\(name)")
    }
    let annotated = try suite.run(["compare", "old/latest", "new/latest", "--annotate", "--write", "there"])
    #expect(annotated.output.contains("\n::error file=Scenarios/read/line.yaml,line="))
    #expect(FileManager.default.fileExists(atPath: suite.folder.appendingPathComponent("there/index.html").path))
  }

  @Test func noRegressionEndsWithZero() throws {
    let suite = try Self.suite()
    let fixed = try suite.run(["compare", "new/latest", "old/latest"])
    #expect(fixed.status == 0)
    #expect(fixed.output.hasPrefix("✓ No regressions\n  1 fixed, 1 unchanged\n"), "\(fixed.output)")
    #expect(try suite.run(["compare", "old/latest/report.json", "old/latest"]).status == 0)
  }

  /// Never an empty difference.
  @Test func whatIsNoReportIsWrongUsage() throws {
    let suite = try Self.suite()
    let report = suite.folder.appendingPathComponent("old/latest/report.json")
    let text = try String(contentsOf: report, encoding: .utf8)
    let rows = [
      ("missing", nil, "There is no report of the run wrong/missing"), ("empty", "", "the file ends here"),
      ("half", String(text.prefix(text.count / 2)), "wrong/half/report.json is no report of this lab: line "),
      ("other", text.replacingOccurrences(of: "\"schema\": 2", with: "\"schema\": 1"), "a report of schema 1"),
      ("alien", text.replacingOccurrences(of: "CocoaAsyncSocket", with: "Alien"), "The runs are of different subjects"),
      (
        "strange",
        text.replacingOccurrences(of: "read/", with: "write/").replacingOccurrences(of: "scenario_hash", with: "none"),
        "have no case in common"
      ),
    ]
    for (name, text, words) in rows {
      let folder = suite.folder.appendingPathComponent("wrong/\(name)")
      if let text {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try text.write(to: folder.appendingPathComponent("report.json"), atomically: true, encoding: .utf8)
      }
      let result = try suite.run(["compare", "old/latest", "wrong/\(name)"])
      #expect(result.status == 2 && result.error.contains(words), "\(name): \(result.error)")
    }
    let written = suite.folder.appendingPathComponent("reports/comparison").path
    #expect(!FileManager.default.fileExists(atPath: written))
  }

  /// Names that a shell, a terminal or a page could take for something else.
  @Test func pathsWithOddCharactersAreFound() throws {
    let suite = try Self.suite()
    for name in [
      "with space", "-dash", "ünï\u{301}", "a\"b'c", "%41%00", "<b>&amp;", "[x]*?", "line\nfeed", "tab\tand\u{1B}[31m",
    ] {
      let folder = suite.folder.appendingPathComponent("odd/\(name)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        at: suite.folder.appendingPathComponent("old/latest/report.json"),
        to: folder.appendingPathComponent("report.json"))
      let result = try suite.run(["compare", "odd/\(name)", "new/latest", "--write", "odd/\(name)/out"])
      #expect(result.status == 1 && result.output.contains("1 new failure"), "\(name): \(result)")
      #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("out/index.html").path), "\(name)")
      let replay = try suite.run(["replay", "odd/\(name)", "read/other"])
      #expect(replay.status == 0, "\(name): \(replay)")
    }
  }

  /// Ten megabytes that are a report, and as many that are none.
  @Test func manyMegabytesAreReadOrRefused() throws {
    let suite = try Self.suite()
    let text = try String(contentsOf: suite.folder.appendingPathComponent("old/latest/report.json"), encoding: .utf8)
    let filler = "\"later\": [\(String(repeating: "[1, {\"a\": \"b\"}], ", count: 500_000))0],"
    let rows = [
      ("long", text.replacing("\"schema\": 2,", with: "\"schema\": 2, \(filler)"), Int32(1)), ("cut", "{\(filler)", 2),
    ]
    for (name, text, status) in rows {
      let folder = suite.folder.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: folder.appendingPathComponent("report.json"))
      let result = try suite.run(["compare", name, "new/latest"])
      #expect(result.status == status, "\(name): \(result.error)")
      #expect(status == 1 || result.error.contains("the file ends here"), "\(result.error)")
    }
  }

  @Test func aFolderThatCannotBeWrittenIsTold() throws {
    let suite = try Self.suite()
    let result = try suite.run(["compare", "old/latest", "new/latest", "--write", "old/latest/report.json/below"])
    #expect(result.status == 4 && result.error.contains("old/latest/report.json/below"), "\(result.error)")
    #expect(result.output.contains("1 new failure"))
  }
}
