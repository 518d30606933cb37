import ScenarioModel
import ScenarioYAML
import Testing

/// Files with `cases`: one story and a scenario for each row.
@Suite struct CaseTableTests {
  private static let table = """
    title: A certificate is judged
    requirements: [TLS-44]
    tags: [tls]
    control: tls/good
    columns:
      certificate: required
      startTLS: { peerName: good.example }
      outcome: required
      alert: optional
      seen: optional
    cases:
      leaf: { certificate: leaf, outcome: accepted, seen: { sni: good.example } }
      expired-leaf:
        title: An expired leaf is refused
        requirements: [TLS-14]
        tags: [expiry]
        worlds: { only: simulated, because: "time" }
        matrix: { queues: own }
        limit: 60s
        control: tls/table#leaf
        certificate: expired-leaf
        startTLS: {}
        outcome: errSSLCertExpired
        alert: [certificate_expired, bad_certificate]
    peer:
      - accept
      - tls: { certificate: $certificate, fails: $alert }
      - expectTLS: $seen
      - $outcome:
          accepted:
            - expect: "ping"
            - send: "pong"
          otherwise: []
      - expectEnd: fin
    subject:
      - connect
      - startTLS: $startTLS
      - $outcome:
          accepted: [write: "ping", read: { tag: 2 }, after: { didRead: { tag: 2 } }, disconnect]
          otherwise: [write: "no"]
    expect:
      - connected
      - $outcome:
          accepted: [didSecure, didWrite, didRead: { tag: 2 }, didDisconnect: { error: none }]
          otherwise: [didDisconnect: { error: $outcome }]
    ending: subject fin
    """

  private func scenarios(_ text: String) -> [Scenario] {
    let result = ScenarioReader.read(text, id: "tls/table")
    #expect(result.diagnostics.isEmpty, "\(DiagnosticPrinter(path: "x", source: text).text(result.diagnostics))")
    return result.scenarios
  }

  @Test func everyRowIsAScenario() throws {
    let scenarios = scenarios(Self.table)
    #expect(scenarios.map(\.id) == ["tls/table#leaf", "tls/table#expired-leaf"])
    #expect(scenarios.map(\.title) == ["A certificate is judged: leaf", "An expired leaf is refused"])
    #expect(scenarios.map(\.requirements) == [["TLS-44"], ["TLS-44", "TLS-14"]])
    #expect(scenarios.map(\.tags) == [["tls"], ["tls", "expiry"]])
    #expect(scenarios.map(\.worlds) == [Set(WorldName.allCases), [.simulated]])
    #expect(scenarios.map(\.limit) == [.seconds(10), .seconds(60)])
    #expect(scenarios.map(\.control) == ["tls/good", "tls/table#leaf"])
    #expect(scenarios.map { $0.variants.map(\.name) } == [["ipv4"], ["ipv4-own"]])
  }

  /// Each row says the same as the file that somebody would write by hand.
  @Test(arguments: [
    (
      0, "leaf", #"tls: { certificate: leaf }, expectTLS: { sni: good.example }, expect: "ping", send: "pong""#,
      "{ peerName: good.example }", #"write: "ping", read: { tag: 2 }, after: { didRead: { tag: 2 } }, disconnect"#,
      "didSecure, didWrite, didRead: { tag: 2 }, didDisconnect: { error: none }"
    ),
    (
      1, "expired-leaf", "tls: { certificate: expired-leaf, fails: [certificate_expired, bad_certificate] }", "{}",
      #"write: "no""#, "didDisconnect: { error: errSSLCertExpired }"
    ),
  ]) func aRowIsPlayedAsIfWrittenOut(
    place: Int, name: String, peer: String, settings: String, subject: String, expected: String
  ) throws {
    let text = """
      title: By hand
      requirements: [TLS-44]
      peer: [accept, \(peer), expectEnd: fin]
      subject: [connect, startTLS: \(settings), \(subject)]
      expect: [connected, \(expected)]
      ending: subject fin
      """
    var byHand = try #require(ScenarioReader.read(text, id: "tls/table#\(name)").scenario)
    let row = scenarios(Self.table)[place]
    byHand.title = row.title
    (byHand.requirements, byHand.tags, byHand.control) = (row.requirements, row.tags, row.control)
    (byHand.limit, byHand.worlds, byHand.worldsReason) = (row.limit, row.worlds, row.worldsReason)
    byHand.matrix = row.matrix
    #expect(dump(row) == dump(byHand))
  }

  /// What was expected is where the judge points: in the row if the row says it.
  @Test func placesAreThoseOfTheFile() throws {
    let row = scenarios(Self.table)[1]
    #expect(row.peers[0].steps.map(\.position.line) == [26, 27, 34])
    let pattern = row.expectations.last.map(\.position)
    #expect(pattern == SourcePosition(line: 45, column: 19))
  }

  @Test func aCaseIsWrittenOutWhole() throws {
    for scenario in scenarios(Self.table) {
      let text = ScenarioWriter.yaml(scenario)
      let back = ScenarioReader.read(text, id: scenario.id)
      #expect(dump(back.scenario) == dump(scenario), "\(text)")
    }
  }

  @Test func casesMeetTheMatrix() {
    let scenarios = scenarios(Self.table + "\nmatrix: { family: [ipv4, ipv6], security: [tls1.2, tls1.3] }")
    let names = ["ipv4-tls1.2", "ipv4-tls1.3", "ipv6-tls1.2", "ipv6-tls1.3"]
    #expect(scenarios.map { $0.variants.map(\.name) } == [names, ["ipv4-own"]])
  }

  /// Without a table a text may begin with a dollar sign; in quotes it may everywhere.
  @Test func dollarsAreTextsElsewhere() throws {
    let plain = Fixture.file("peer: [accept, send: $text]\nending: open")
    let scenario = try #require(Fixture.read(plain).scenario)
    #expect(scenario.peers[0].steps.last?.value == .send(.bytes(Array("$text".utf8))))
    let quoted = Fixture.file("columns: { a: x }\ncases: { one: {} }\npeer: [accept, send: [\"$a\", $a, $5]]")
    let other = try #require(Fixture.read(quoted).scenario)
    guard case .send(let payload)? = other.peers[0].steps.last?.value else { throw Unexpected() }
    #expect(payload.materialised == Array("$ax$5".utf8))
  }

  private struct Unexpected: Error {}

  // MARK: Bounds

  private func codes(_ text: String) -> [String] { Fixture.read(Fixture.file(text)).diagnostics.map(\.code) }

  @Test func tablesAreBounded() {
    let rows = (0..<1_001).map { "c\($0): {}" }.joined(separator: ", ")
    #expect(codes("columns: {}\ncases: { \(rows) }") == ["too-many"])
    // A long value in many places.
    let value = String(repeating: "x", count: 2_000)
    let sends = Array(repeating: "send: $a", count: 500).joined(separator: "}, {")
    #expect(codes("columns: { a: \(value) }\ncases: { one: {} }\npeer: [accept, {\(sends)}]") == ["too-many"])
    // A long story in many cases.
    let waits = Array(repeating: "wait: 1us", count: 20_000).joined(separator: "}, {")
    let some = (0..<300).map { "c\($0): {}" }.joined(separator: ", ")
    #expect(codes("columns: {}\ncases: { \(some) }\npeer: [accept, {\(waits)}]") == ["too-many"])
  }

  @Test func payloadsOfAllCasesCountTogether() {
    let send = "send: { pattern: { seed: 1, size: $size } }"
    func text(_ sizes: [String]) -> String {
      let rows = sizes.enumerated().map { "c\($0): { size: \($1) }" }.joined(separator: ", ")
      return "columns: { size: required }\ncases: { \(rows) }\npeer: [accept, \(send)]"
    }
    #expect(codes(text(["30MiB", "31MiB"])) == [])
    #expect(codes(text(["30MiB", "31MiB", "29MiB"])) == ["payload-too-large"])
  }
}
