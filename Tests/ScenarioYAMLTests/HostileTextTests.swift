import ScenarioModel
import ScenarioYAML
import Testing

/// Texts made to hurt: each must be refused, and soon.
@Suite struct HostileTextTests {
  private func codes(_ text: String) -> [String] { ScenarioReader.read(text, id: "x").diagnostics.map(\.code) }

  @Test(arguments: [
    "[", "{", "- ", "? ", "a: [", "[{", "\"", "'", "|\n", ": ", ",", "]", "&a ", "*a ", "!", "\t", "%", "\u{85}",
  ])
  func endlessRepetitionOf(piece: String) {
    let whole = String(repeating: piece, count: 200_000 / piece.utf8.count)
    #expect(!codes(whole).isEmpty)
    #expect(!codes("title: x\nexpect: " + whole).isEmpty)
  }

  @Test func tenMegabytesAreRefused() {
    #expect(codes(String(repeating: "[", count: 10 << 20)) == ["file-too-large"])
  }

  @Test(arguments: [("[", "]"), ("{a: ", "}"), ("[{a: ", "}]")]) func bracketsNest(open: String, close: String) {
    func nested(_ depth: Int) -> String {
      String(repeating: open, count: depth) + "x" + String(repeating: close, count: depth)
    }
    let levels = open.utf8.count { "[{".utf8.contains($0) }
    #expect(codes("a: " + nested(63 / levels)).contains("unknown-key"))
    #expect(codes("a: " + nested(64 / levels + 1)) == ["nesting-too-deep"])
    #expect(codes("a: \"" + nested(9999).replacing("\"", with: "") + "\"") == codes("a: \"x\""))
    #expect(codes("a: b # " + nested(9999)) == codes("a: b"))
    #expect(codes("a: |\n  " + nested(9999)) == codes("a: b"))
  }

  @Test func indentationNests() {
    let lines = (0..<200).map { String(repeating: " ", count: $0) + "a:" }.joined(separator: "\n")
    #expect(codes(lines) == ["nesting-too-deep"])
    let items = (0..<200).map { String(repeating: " ", count: $0) + "-" }.joined(separator: "\n")
    #expect(codes(items) == ["nesting-too-deep"])
    let narrow = (0..<60).map { String(repeating: " ", count: $0) + "a:" }.joined(separator: "\n")
    #expect(codes(narrow).contains("unknown-key"))
  }

  @Test func aliasBombsAreDefused() {
    var bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for level in 1..<60 {
      bomb += "a\(level): &a\(level) [" + Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ") + "]\n"
    }
    #expect(Set(codes(bomb)) == ["anchor"])
    #expect(Set(codes(bomb + "? *a59\n: x")) == ["anchor"])
  }

  @Test(arguments: [
    "title: \"&a *b !c\"", "title: 'it''s &a'", "title: a &b *c !d", "title: a\n  &b", "title: a # &b",
    "title: >\n  &b *c\n  !d",
    "title: |2\n    *a\n  &b", "title: a-&b", "title: \"\\\n  *a\"", "title: a\n\n  *b\n  c", "# &a\ntitle: x",
    "title: [a\n*b]",
  ]) func marksInTextsAreTexts(text: String) {
    #expect(!codes(text).contains("anchor") && !codes(text).contains("explicit-tag"))
  }

  @Test(arguments: [
    "title: \"a\" &b c", "title: [a, &b c]", "title: {a: &b c}", "- &b", "&a title: x", "title: a\n&b c: d",
    "title:\n  &b\n  c",
    "title: |\n  a\n&b c: d", "title: 'a'\n*b : c", "title: >-\n\n*b : c", "{a: b}: &c d", "title: a\n---\n&b c",
  ]) func marksElsewhereAreNot(text: String) {
    let found = codes(text)
    #expect(found.contains("anchor") || found.contains("syntax") || found.contains("several-documents"), "\(found)")
  }

  @Test func manyOfEverythingIsBounded() {
    let sockets = (0..<5_000).map { "s\($0): {}" }.joined(separator: ", ")
    #expect(codes(Fixture.file("sockets: { \(sockets) }")) == ["too-many"])
    let tags = (0..<20_000).map { "t\($0)" }.joined(separator: ", ")
    #expect(codes(Fixture.file("tags: [\(tags)]")) == [])
    let bad = (0..<10_000).map { "x\($0): y" }.joined(separator: "\n")
    #expect(codes(bad).count == 1_000)
    let points = (0..<4_000).map { "reach: p\($0), after: p\($0)" }.joined(separator: "}, {")
    #expect(codes(Fixture.file("peer: [accept, {\(points)}]")).count == 1_000)
    let reads = (0..<2_000).map { "read: { tag: \($0) }" }.joined(separator: "}, {")
    let expected = (0..<2_000).map { "didRead: { tag: \($0) }" }.joined(separator: "}, {")
    #expect(codes(Fixture.file("subject: [connect, {\(reads)}]\nexpect: [{\(expected)}]")) == [])
  }

  @Test func nestedRepetitionsAreFollowedOnce() {
    let depth = 19
    let inner = Array(repeating: "{ send: x }", count: 5_000).joined(separator: ", ")
    let open = String(repeating: "repeat: { times: 2, steps: [", count: depth)
    let text = "peer: [accept, \(open)\(inner)\(String(repeating: "]}", count: depth))]"
    #expect(codes(Fixture.file(text)) == [])
  }

  @Test func manyTwiceWrittenKeys() {
    let keys = (0..<40).map { "a\($0): x, a\($0): y" }.joined(separator: "}, {")
    #expect(codes("hosts: [{\(keys)}]").contains("duplicate-key"))
    let large = (0..<5_000).map { "a\($0): x, a\($0): y" }.joined(separator: "}, {")
    #expect(codes("hosts: [{\(large)}]") == Array(repeating: "duplicate-key", count: 1_000))
  }
}
