import ScenarioModel
import TestSupport
import Testing

@testable import KnownDeviations

/// Files of known deviations: what is read, and what is wrong with its place.
@Suite struct DeviationFileTests {
  private static func file(_ text: String) -> DeviationFile {
    DeviationFile(path: "Subjects/mine.deviations.yaml", bytes: Array(text.utf8), library: "Mine")
  }

  private static let head = "library: Mine\ndeviations:\n"
  private static let entry = """
      - cases: "read/* [ipv4-*, simulated]"
        subject: gcd
        reason: It is slow.
        evidence: { kind: late, text: didRead }
        expires: 2027-02-28

    """

  @Test func whatIsWrittenIsRead() throws {
    let file = Self.file(Self.head + Self.entry)
    #expect(file.diagnostics.isEmpty)
    let entry = try #require(file.entries.first)
    #expect(entry.pattern.text == "read/* [ipv4-*, simulated]" && entry.subject == .gcd)
    #expect(entry.reason == "It is slow." && entry.evidence == [.init(kind: .late, text: "didRead")])
    #expect(entry.expires.text == "2027-02-28")
    #expect(entry.position == SourcePosition(line: 3, column: 5))
    #expect(entry.patternPosition == SourcePosition(line: 3, column: 12) && entry.expiryPosition.line == 7)
  }

  @Test func oneEntryMayHaveSeveralPatternsALinkAndBeIntermittent() throws {
    let file = Self.file(
      Self.changed(
        "\"read/* [ipv4-*, simulated]\"",
        with: "[read/a,\n        \"read/b [ipv4, *]\"]\n    intermittent: true\n    link: https://example.org/7"))
    #expect(file.diagnostics.isEmpty, "\(file.diagnostics)")
    #expect(file.entries.map(\.pattern.text) == ["read/a", "read/b [ipv4, *]"])
    #expect(file.entries.map(\.patternPosition.line) == [3, 4])
    #expect(file.entries.allSatisfy { $0.isIntermittent && $0.link == "https://example.org/7" })
    #expect(file.entries.allSatisfy { $0.position == SourcePosition(line: 3, column: 5) })
  }

  @Test(arguments: ["library: Mine\ndeviations: []\n", "library: Mine\n"]) func aFileMayHaveNone(text: String) {
    let file = Self.file(text)
    #expect(file.entries.isEmpty && file.diagnostics.isEmpty)
  }

  @Test func aProgramMayBeCalledAsItsFolderIs() throws {
    func file(_ library: String) -> DeviationFile {
      DeviationFile(
        path: "d.yaml", bytes: Array("library: \(library)\n".utf8), library: "my_lib", isProgram: true,
        spellings: ["My-Lib"])
    }
    #expect(file("my_lib").diagnostics.isEmpty && file("My-Lib").diagnostics.isEmpty)
    let other = try #require(file("mylib").diagnostics.first)
    #expect(other.message == "these are deviations of `mylib`, and what is judged is `my_lib`")
    #expect(other.help == "write `library: my_lib` if they are its")
  }

  /// Who has named a file is not told to name one.
  @Test(
    arguments: [
      ([], false, "what is judged is `Mine`", "name the file of that library with --deviations"),
      ([], true, "what is judged is `Mine`", "write `library: Mine` if they are its"),
      (["x", "y"], true, "judged are `Mine`, `x`, `y`", "write behind `library` whose they are, or name another file"),
    ] as [([String], Bool, String, String)])
  func aFileAboutNobodyIsToldWithAllWhoAreJudged(
    others: [String], isNamed: Bool, says: String, help: String
  ) throws {
    let file = DeviationFile(
      path: "d.yaml", bytes: Array("library: Other\n".utf8), library: "Mine", beside: others, isNamed: isNamed)
    let remark = try #require(file.diagnostics.first)
    #expect(remark.message == "these are deviations of `Other`, and \(says)")
    #expect(remark.help == help)
  }

  /// Also of a file whose entries are wrong.
  @Test(
    arguments: [
      ("library: Mine\n", "Mine"), ("library: Mine\ndeviations: 7\n", "Mine"), ("deviations: []\n", nil),
      ("- 1\n", nil),
    ] as [(String, String?)])
  func aFileSaysWhomItIsAbout(text: String, library: String?) throws {
    let scratch = try Scratch()
    try scratch.write(["d.yaml": text])
    #expect(try DeviationFile.library(at: scratch.path("d.yaml")) == library)
  }

  private static func changed(_ part: String, with other: String) -> String {
    head + entry.replacing(part, with: other)
  }

  private static let wrong: [(String, String, String)] = [
    ("", "1:1", "the file is empty"), ("- 1\n", "1:1", "the file is a mapping"),
    ("deviations: []\n", "1:1", "needs the key `library`"),
    ("library: Other\n", "1:10", "these are deviations of `Other`, and what is judged is `Mine`"),
    ("library: Mine\nlibrary: Mine\n", "2:1", "library"), ("library: Mine\ndeviation: []\n", "2:1", "deviation"),
    (head + "  - cases: read\n", "3:5", "needs the key"),
    (changed("gcd", with: "gdc"), "4:14", "`gdc` is not a class of the library"),
    (changed("2027-02-28", with: "2027-02-29"), "7:14", "`2027-02-29` is not a day"),
    (changed("2027-02-28", with: "soon"), "7:14", "`soon` is not a day"),
    (changed("It is slow.", with: "\" \""), "5:13", "`reason` is empty"),
    (changed("{ kind: late, text: didRead }", with: "{}"), "6:15", "needs `kind`, `text` or both"),
    (changed("kind: late", with: "kind: latte"), "6:23", "`latte` is not a kind of deviation"),
    (changed("subject: gcd", with: "subject: gcd\n    link: see there"), "5:11", "`link` is no address"),
    (changed("subject: gcd", with: "subject: gcd\n    intermittent: often"), "5:19", "`true` or `false`"),
    (changed("\"read/* [ipv4-*, simulated]\"", with: "[read/a, read/a]"), "3:5", "stands in line 3 already"),
    (changed("simulated]", with: "moon]"), "3:12", "names the world moon"),
    (changed("simulated]", with: "simulated"), "3:12", "has no ] at its end"),
    (changed("read/* [", with: "["), "3:12", "names no scenario"),
    (head + entry + entry, "8:5", "stands in line 3 already"), ("library: [\n", "2:1", "this is not YAML"),
    ("library: \u{7}\n", "1:10", "U+0007"),
  ]

  @Test(arguments: wrong)
  func whatIsWrongHasItsPlace(text: String, place: String, words: String) throws {
    let file = Self.file(text)
    #expect(file.entries.isEmpty)
    let remark = try #require(file.diagnostics.first { $0.message.contains(words) }, "\(file.diagnostics)")
    #expect(place.isEmpty || "\(remark.position.line):\(remark.position.column)" == place)
  }

  @Test(arguments: [
    ("2024-02-29", true), ("2023-02-29", false), ("2100-02-29", false), ("2000-02-29", true), ("2027-04-31", false),
    ("2027-13-01", false), ("2027-00-10", false), ("2027-1-1", false), ("+027-01-01", false), ("2027-01-01T", false),
    ("٢٠٢٧-01-01", false), ("", false),
  ])
  func daysThatThereAre(text: String, isDay: Bool) {
    #expect((CalendarDate(text)?.text == text) == isDay)
  }

  @Test func anOldDayIsBeforeALaterOne() throws {
    let days = try ["2026-12-31", "2027-01-01", "2027-01-02", "2027-02-01"].map { try #require(CalendarDate($0)) }
    #expect(days == days.shuffled().sorted())
  }
}

@Suite struct CasePatternTests {
  @Test(arguments: [
    ("read/line", "read/line", true), ("read", "read/line", true), ("read/", "read/line", true),
    ("read/table", "read/table#a", true), ("read/li", "read/line", false), ("*line", "read/line", true),
    ("read/*", "read/a/b", false), ("read/**", "read/a/b", true), ("write", "read/write/x", false),
    ("read/line [ipv4]", "read/line", true), ("read/line [ipv6]", "read/line", false),
    ("read/line [ipv?, simulated]", "read/line", true), ("read/line [*, loopback]", "read/line", false),
    ("read/line[*, *]", "read/line", true),
  ])
  func covers(pattern: String, id: String, isCovered: Bool) throws {
    #expect(try CasePattern(pattern).covers(scenario: id, variant: "ipv4", world: .simulated) == isCovered)
  }
}
