import Foundation
import Testing

/// Known deviations as a person meets them: what they excuse, and how an entry that is wrong fails the run.
@Suite struct KnownDeviationCommandTests {
  private static func entry(
    cases: String = "read/line", text: String = "HELO", expires: String = "2027-01-31"
  ) -> String {
    """
    library: CocoaAsyncSocket (reference)
    deviations:
      - cases: "\(cases)"
        subject: gcd
        reason: The line is <lost>.
        evidence: { text: "\(text)" }
        expires: \(expires)

    """
  }

  /// A suite with a scenario that fails and one that passes.
  private static func suite(_ deviations: String) throws -> ScratchSuite {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.failing, "read/other.yaml": ScratchSuite.passing])
    let folder = suite.folder.appendingPathComponent("Subjects")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try deviations.write(
      to: folder.appendingPathComponent("reference.deviations.yaml"), atomically: true, encoding: .utf8)
    return suite
  }

  private static func run(_ suite: ScratchSuite, _ more: [String] = []) throws -> SocketLabProgram.Result {
    try suite.run(["run", "--world", "simulated", "--today", "2026-06-01"] + more)
  }

  private static func file(_ suite: ScratchSuite, _ name: String) throws -> String {
    try String(contentsOf: suite.folder.appendingPathComponent("reports/latest/\(name)"), encoding: .utf8)
  }

  @Test func whatIsKnownDoesNotFailTheRunAndIsShownEverywhere() throws {
    let suite = try Self.suite(Self.entry())
    let result = try Self.run(suite)
    #expect(result.status == 0, "\(result)")
    #expect(result.output.contains("known until 2027-01-31: 1 case, The line is <lost>."), "\(result.output)")
    #expect(result.output.contains("Subjects/reference.deviations.yaml:3:5, such as read/line [ipv4, simulated]"))
    #expect(try Self.file(suite, "report.json").contains("\"known\": {\"reason\": \"The line is <lost>.\""))
    let junit = try Self.file(suite, "junit.xml")
    #expect(junit.contains("<skipped message=\"known deviation until 2027-01-31: The line is &lt;lost&gt;.\">"))
    #expect(junit.contains("failures=\"0\"") && junit.contains("skipped=\"1\""))
    #expect(try Self.file(suite, "summary.md").contains("## Known deviations"))
    #expect(try Self.file(suite, "index.html").contains("<section class=\"concerns\" id=\"known-deviations\">"))
  }

  private static let faults = [
    (entry(cases: "read"), [String](), "unexpected pass", "3:12", "read/other [ipv4, simulated] passes"),
    (entry(expires: "2026-05-31"), [], "expired", "7:14", "expired on 2026-05-31, and today is 2026-06-01"),
    (entry(cases: "read/lime"), [], "unmatched", "3:12", "no case of GCDAsyncSocket fits `read/lime`"),
    (entry(text: "never said"), [], "other evidence", "6:15", "shows something other than \"never said\""),
    (entry(expires: "2026-05-31"), ["read/other"], "expired", "7:14", "expired"),
  ]

  @Test(arguments: faults.indices) func anEntryThatIsNotSoFailsTheRun(row: Int) throws {
    let (text, more, kind, place, words) = Self.faults[row]
    let suite = try Self.suite(text)
    let result = try Self.run(suite, more)
    #expect(result.status == 1, "\(result)")
    let line = "✗ known deviation: \(kind)  Subjects/reference.deviations.yaml:\(place)"
    #expect(result.output.contains(line) && result.output.contains(words), "\(result.output)")
    #expect(result.output.contains("    help: "))
    #expect(
      try Self.file(suite, "junit.xml").contains("<testsuite name=\"known deviations\" tests=\"1\" failures=\"1\""))
    #expect(try Self.file(suite, "report.json").contains("\"deviation_faults\": ["))
  }

  @Test func aPartOfTheSuiteSaysNothingOfOtherEntries() throws {
    let suite = try Self.suite(Self.entry())
    #expect(try Self.run(suite, ["read/other"]).status == 0)
    let wrong = try Self.run(suite, ["--deviations", "/dev/null"])
    #expect(wrong.status == 2 && wrong.error.contains("not a plain file"), "\(wrong)")
  }

  @Test(arguments: [
    ("library: other\n", 3, "Subjects/reference.deviations.yaml:1:10: error[bad-name]"),
    ("nonsense", 3, "Subjects/reference.deviations.yaml:1:1"), ("", 3, "the file is empty"),
  ])
  func aFileThatIsWrongStopsTheRun(text: String, status: Int32, words: String) throws {
    let result = try Self.run(try Self.suite(text))
    #expect(result.status == status && result.error.contains(words), "\(result)")
    #expect(result.error.contains("nothing was run"))
  }

  @Test func aDayThatThereIsNotIsWrongUsage() throws {
    let suite = try Self.suite(Self.entry())
    #expect(try suite.run(["run", "--today", "2026-02-30"]).status == 2)
    #expect(try suite.run(["run", "--deviations", "none.yaml"]).status == 2)
  }

  /// What a person copies from it is the form of an entry.
  @Test func theReferenceHasNone() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "Subjects/reference.deviations.yaml"), encoding: .utf8)
    #expect(text.hasSuffix("\ndeviations: []\n"))
  }
}
