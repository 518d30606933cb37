import ScenarioModel
import ScenarioYAML
import Testing

@Suite struct BadTextTests {
  private static let rows: [BadTexts.Row] = [
    BadTexts.text, BadTexts.shape, BadTexts.values, BadTexts.steps, BadTexts.names, BadTexts.sense, BadTexts.tls,
    BadTexts.cases, BadTexts.networks, BadTexts.uses,
  ].flatMap { $0 }

  @Test(arguments: rows) func earnsItsRemarks(row: BadTexts.Row) {
    #expect(Fixture.remarks(row.fragment) == row.remarks)
    let result = Fixture.read(Fixture.file(row.fragment))
    #expect(result.scenarios.isEmpty == result.diagnostics.contains { $0.severity == .error })
  }

  /// Codes that no part of a file can show.
  private static let others: [(LintCode, [UInt8])] = [
    (.fileTooLarge, [UInt8](repeating: UInt8(ascii: "#"), count: 1 << 20 + 1)),
    (.badUTF8, Array("title: ".utf8) + [0xFF]),
    (.nestingTooDeep, [UInt8](repeating: UInt8(ascii: "["), count: 65)),
    (.emptyFile, Array("# nothing\n".utf8)),
  ]

  @Test func everyCodeIsProduced() {
    var seen = Set(Self.rows.flatMap(\.remarks).compactMap { $0.split(separator: " ").last.map(String.init) })
    for (code, bytes) in Self.others {
      let result = ScenarioReader.read(bytes: bytes, id: "x") { _ in nil }
      #expect(result.diagnostics.map(\.code) == [code.rawValue])
      seen.formUnion(result.diagnostics.map(\.code))
    }
    #expect(Set(LintCode.allCases.map(\.rawValue)).subtracting(seen) == [])
    #expect(seen.subtracting(LintCode.allCases.map(\.rawValue)) == [])
  }

  @Test(
    arguments: [
      ([0xFF], 1, 1), (Array("a: é\nb: ".utf8) + [0xC3], 2, 4), (Array("a: é ".utf8) + [0xC0, 0x80], 1, 6),
      (Array("é".utf8) + [0xE2, 0x82, 0x20], 1, 2), ([0x61, 0xED, 0xA0, 0x80], 1, 2),
      ([0xEF, 0xBB, 0xBF, 0x61, 0x80], 1, 2),
    ] as [([UInt8], Int, Int)])
  func badBytesAreFound(bytes: [UInt8], line: Int, column: Int) {
    let result = ScenarioReader.read(bytes: bytes, id: "x") { _ in nil }
    #expect(result.diagnostics.map(\.code) == ["bad-utf8"])
    #expect(result.diagnostics.first?.position == SourcePosition(line: line, column: column))
  }

  @Test(arguments: ["\n", "\r\n", "\r", "\u{85}", "\u{2028}"]) func lineBreaksCount(ending: String) {
    let text = Fixture.file("tags: [a]\nlimti: 1s").replacing("\n", with: ending)
    let result = Fixture.read(text)
    #expect(result.diagnostics.map(\.position) == [SourcePosition(line: 13, column: 1)])
  }

  @Test func byteOrderMarkIsNoColumn() {
    let result = Fixture.read("\u{FEFF}titel: x")
    #expect(result.diagnostics.first?.position == SourcePosition(line: 1, column: 1))
  }

  @Test(
    arguments: [
      ("limit: 20", "write `20ms` or `20s`"), ("limit: 20sec", "did you mean `20s`? the units are us, ms, s and min"),
      ("tgas: [a]", "did you mean `tags`? it knows"), ("canary: on", "write `true`"),
      ("canary: \"false\"", "write it without quotes"), ("limit: 1,5s", "decimals stand behind a point: `1.5s`"),
      ("peer: [accept, wait: 1s,5s]", "a comma stands between two steps"),
      ("title:t\nrequirements: [A-01]", "write `title: …`"), ("title: A\nlimit:1s\ntags: [a]", "write `limit: …`"),
      ("peer: [accept, send:x]", "a blank belongs behind the colon: `send: x`"),
      ("expect: [didConnect, didRead: { tag:1 }]", "a blank belongs behind the colon: `tag: 1`"),
      ("peer: [accept, send: \"\\xfF\"]", "for the byte write { hex: \"fF\" }"),
      ("sockets: { lonely: {} }", "call it with `lonely.`"),
      ("subject:\n  - connect: paer\n  - read: { tag: 1 }", "did you mean `peer`? one of: peer"),
      ("ending: peer fn", "did you mean `peer fin`?"),
      ("subject:\n  - connect\n  - read: { length: 4KB, tag: 1 }", "did you mean `4KiB`?"),
      ("peer: [accept, write: x]", "a peer sends with `send`"),
      ("limit: 1s: 2s", "a text with `: ` in it needs double quotes"),
      ("expect:\n  - didDisconnect: { error: ECONREST }", "did you mean `ECONNRESET`?"),
      ("expect:\n  - didDisconnect: { error: errSSLCertExpird }", "did you mean `errSSLCertExpired`?"),
      ("peer: [accept, tls: { certificate: self-singed }]", "did you mean `self-signed`?"),
      ("peer: [accept, tls: { fails: bad_certifcate }]", "did you mean `bad_certificate`?"),
      ("peer: [accept, tls: { until: server-helo }]", "did you mean `server-hello`?"),
      ("expect:\n  - didDisconnect: { error: [ECONNREFUSED, any] }", "write `error: any`"),
      ("peer: [accept, expect: \"\"]", "say what must arrive"),
      (
        "subject: [connect: { host: gone.example, port: peer }, read: { tag: 1 }]",
        "add it to `hosts`: an empty list of addresses says"
      ),
      (
        "network: { resolver: { a.b: [] } }\nsubject: [connect: { host: nobody, port: peer }, read: { tag: 1 }]",
        "add it to `resolver`: `{ fails: nxdomain }` says"
      ),
      (
        "requirements: [HALF-01]\nsubject: [connect, read: { tag: 1 }, enablePrebuffering]",
        "cite requirements that bind AsyncSocket"
      ),
    ] as [(String, String)]) func helpHelps(fragment: String, help: String) throws
  {
    let diagnostic = try #require(Fixture.read(Fixture.file(fragment)).diagnostics.first)
    #expect(diagnostic.help?.hasPrefix(help) == true, "\(diagnostic)")
  }

  @Test func withoutPeersNoneIsOffered() throws {
    let fragment = """
      title: A
      requirements: [A-01]
      subject: [connect: { host: "::1", port: 80 }, check: { connectedPort: { peer: peer } }]
      """
    let diagnostic = try #require(Fixture.read(Fixture.file(fragment)).diagnostics.first)
    #expect(diagnostic.code == "unknown-peer" && diagnostic.help == nil, "\(diagnostic)")
  }
}
