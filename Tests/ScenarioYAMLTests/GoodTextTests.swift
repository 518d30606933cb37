import ScenarioModel
import ScenarioYAML
import Testing

@Suite struct GoodTextTests {
  @Test func readsTheExampleOfTheLanguage() throws {
    let text = """
      # yaml-language-server: $schema=../schema.json
      title: A delimiter split across two segments is found once
      requirements: [RD-DELIM-04]
      matrix: { family: [ipv4, ipv6] }
      peer:
        - accept
        - send: "HELLO\\r"
        - wait: 20ms
        - send: "\\nREST"
      subject:
        - connect
        - read: { through: "\\r\\n", limit: 64B, timeout: 1s, tag: 7 }
      expect:
        - didConnect
        - didRead: { tag: 7, bytes: "HELLO\\r\\n" }
        - nothing: { for: 50ms }
      ending: open
      """
    let result = ScenarioReader.read(text, id: "read/delimiter")
    #expect(result.diagnostics.isEmpty)
    let scenario = try #require(result.scenario)
    #expect(scenario.id == "read/delimiter")
    #expect(scenario.matrix.families == [.ipv4, .ipv6])
    #expect(scenario.peers.map(\.name) == ["peer"])
    #expect(scenario.peers[0].steps.map(\.position) == [5, 6, 7, 8].map { SourcePosition(line: $0 + 1, column: 5) })
    #expect(scenario.peers[0].steps[1].value == .send(.bytes(Array("HELLO\r".utf8))))
    #expect(scenario.sockets == [SocketSetup(name: "socket")])
    let read = ReadCommand(
      boundary: .through(.bytes([13, 10]), limit: 64), timeout: TimeoutValue(seconds: 1), tag: 7)
    #expect(scenario.subjects[0].steps[1].step == .command(.read(read), socket: "socket", refusal: nil))
    #expect(scenario.expectations.count == 3)
    #expect(scenario.ending == .open)
    #expect(scenario.endingPosition == SourcePosition(line: 17, column: 9))
  }
}
