import ScenarioModel
import ScenarioYAML
import Testing

@Suite struct PrinterTests {
  private func rendered(
    _ source: String, _ line: Int, _ column: Int, help: String? = nil, severity: Diagnostic.Severity = .error,
    colour: Bool = false, message: String = "something is wrong"
  ) -> String {
    let position = SourcePosition(line: line, column: column)
    let diagnostic = Diagnostic(code: "some-code", severity: severity, position: position, message: message, help: help)
    return DiagnosticPrinter(path: "read/x.yaml", source: source, colour: colour).text(diagnostic)
  }

  @Test func wholeRemark() throws {
    let text = Fixture.file("limit: 20")
    let diagnostic = try #require(Fixture.read(text).diagnostics.first)
    let expected = """
      Scenarios/x.yaml:12:8: error[missing-unit]: `limit` has no unit
          |
       12 | limit: 20
          |        ^
          = help: write `20ms` or `20s`
      """
    #expect(DiagnosticPrinter(path: "Scenarios/x.yaml", source: text).text(diagnostic) == expected)
  }

  @Test func aPathMakesNoLineOfItsOwn() {
    let diagnostic = Diagnostic(code: "some-code", position: SourcePosition(line: 1, column: 1), message: "wrong")
    let text = DiagnosticPrinter(path: "a\n\u{1B}b.yaml", source: "x").text(diagnostic)
    #expect(text.hasPrefix("a␊␛b.yaml:1:1: error[some-code]: wrong\n"), "\(text)")
  }

  @Test func warningWithoutHelp() {
    let expected = """
      read/x.yaml:2:1: warning[some-code]: something is wrong
         |
       2 | b
         | ^
      """
    #expect(rendered("a\nb\nc", 2, 1, severity: .warning) == expected)
  }

  @Test(
    arguments: [
      ("a\tb", 3, "a   b", 4), ("\t\tb", 3, "        b", 8), ("漢字 b", 4, "漢字 b", 5), ("e\u{301}x", 3, "e\u{301}x", 1),
      ("a👩b", 3, "a👩b", 3), ("a\u{7}b", 3, "a␇b", 2), ("a\u{202E}b", 3, "a\u{FFFD}b", 2), ("abc", 4, "abc", 3),
      ("abc", 99, "abc", 3), ("abc", 0, "abc", 0), ("abc  ", 1, "abc", 0), ("", 1, nil, 0),
    ] as [(String, Int, String?, Int)])
  func markStandsUnderTheCharacter(line: String, column: Int, shown: String?, cells: Int) {
    let lines = rendered(line, 1, column).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[2] == " 1 |" + (shown.map { " " + $0 } ?? ""))
    #expect(lines[3] == "   | " + String(repeating: " ", count: cells) + "^")
  }

  @Test(arguments: [1, 30, 66, 67, 68, 500, 967, 968, 1000, 1001]) func longLinesAreCut(column: Int) throws {
    let line = String((0..<1000).map { Character(Unicode.Scalar(UInt8(97 + $0 % 26))) })
    let lines = rendered(line, 1, column).split(separator: "\n", omittingEmptySubsequences: false)
    let shown = Array(lines[2].dropFirst(5))
    let mark = try #require(lines[3].dropFirst(5).firstIndex(of: "^"))
    let offset = lines[3].distance(from: lines[3].startIndex, to: mark) - 5
    #expect(shown.count <= 102 && shown.count >= 101)
    #expect(shown.first == "…" || column <= 68)
    #expect(shown.last == "…" || column > 900)
    if column <= 1000 { #expect(shown[offset] == Array(line)[column - 1]) } else { #expect(offset == shown.count) }
  }

  @Test func longWideLinesAreCut() {
    let line = String(repeating: "漢", count: 500)
    let lines = rendered(line, 1, 250).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[2] == " 1 | …" + String(repeating: "漢", count: 50) + "…" || lines[2].count <= 58)
    #expect(lines[3].count == 5 + 1 + 66 + 1)
  }

  @Test func coloursAreOnlyAdded() {
    let plain = rendered("abc", 1, 2, help: "do better")
    let coloured = rendered("abc", 1, 2, help: "do better", colour: true)
    #expect(coloured != plain)
    #expect(coloured.replacing(/\u{1B}\[[0-9;]*m/, with: "") == plain)
  }

  @Test func hostileTextStaysHarmless() {
    let text = rendered("a\u{1B}[2Jb", 1, 1, help: "x\ny\u{1B}", message: "\u{1B}[31m\r\n")
    #expect(!text.unicodeScalars.contains("\u{1B}"))
    #expect(text.split(separator: "\n").count == 5)
  }

  @Test func severalAreSeparated() {
    let diagnostics = Fixture.read(Fixture.file("limit: 20\nsettle: 30")).diagnostics
    let text = DiagnosticPrinter(path: "x", source: "").text(diagnostics)
    #expect(text.split(separator: "\n\n").count == 2)
  }

  @Test func badBytesCanBeShown() throws {
    let bytes = Array("a: b".utf8) + [0xFF, 0x63]
    let diagnostic = try #require(ScenarioReader.read(bytes: bytes, id: "x") { _ in nil }.diagnostics.first)
    let lines = DiagnosticPrinter(path: "x", bytes: bytes).text(diagnostic).split(separator: "\n")
    #expect(lines[2] == " 1 | a: b\u{FFFD}c")
    #expect(lines[3] == "   |     " + "^")
  }
}
