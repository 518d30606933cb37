import ScenarioModel
import ScenarioYAML
import Testing

@testable import Conversations

@Suite struct ScenarioDraftTests {
  private static func conversation(
    _ events: [(Int, Conversation.Side, Conversation.Act)], opening: Conversation.Opening = .seen
  ) -> Conversation {
    Conversation(
      client: "10.0.0.1:5000", server: "10.0.0.2:80", opening: opening,
      events: events.map { Conversation.Event(at: .milliseconds($0.0), side: $0.1, act: $0.2) })
  }

  private static func text(_ string: String) -> Conversation.Act { .bytes(Array(string.utf8)) }

  private static func draft(
    _ events: [(Int, Conversation.Side, Conversation.Act)], peer: Conversation.Side? = nil
  ) throws -> ScenarioDraft {
    let draft = ScenarioDraft(conversation(events), ScenarioDraft.Settings(peer: peer, name: "talk", source: "a test"))
    let files = Dictionary(uniqueKeysWithValues: draft.files.map { ($0.path, $0.bytes) })
    let result = ScenarioReader.read(bytes: Array(draft.text.utf8), id: "talk") { files[$0] }
    #expect(result.scenario != nil, "\(result.diagnostics)\n\(draft.text)")
    #expect(draft.text.split(separator: "\n").allSatisfy { $0.count <= 240 })
    return draft
  }

  @Test("text stands line by line, pauses are rounded, and the end is told")
  func dialogue() throws {
    let draft = try Self.draft([
      (1, .client, Self.text("GET / HTTP/1.1\r\nHost: a\r\n\r\n")), (49, .server, Self.text("HTTP/1.1 200 OK\r\n\r\n")),
      (50, .server, .finish), (51, .client, .finish),
    ])
    #expect(draft.peer == .server)
    #expect(draft.files.isEmpty)
    for part in [
      "  - write:\n      tag: 1\n      bytes:\n        - \"GET / HTTP/1.1\\r\\n\"\n        - \"Host: a\\r\\n\"\n",
      "  - wait: 50ms\n", "- didDisconnect: { error: Closed }\n", "ending: peer fin\n",
    ] { #expect(draft.text.contains(part), "\(part) in \(draft.text)") }
  }

  @Test("the side that ends one direction only is the peer, unless somebody says otherwise")
  func halfClose() throws {
    let events: [(Int, Conversation.Side, Conversation.Act)] = [
      (1, .client, Self.text("x")), (2, .client, .finish), (3, .server, Self.text("y")), (4, .server, .finish),
    ]
    let draft = try Self.draft(events)
    #expect(draft.peer == .client)
    #expect(draft.text.contains("autoDisconnectOnClosedReadStream: false"))
    let other = try Self.draft(events, peer: .server)
    #expect(other.remarks.contains { $0.contains("both directions at once") })
  }

  @Test("rounds that are alike are a repeat, and a long payload is a file")
  func rounds() throws {
    let page = String(repeating: "<p>Hello, world, once more</p>\n", count: 100)
    var events: [(Int, Conversation.Side, Conversation.Act)] = []
    for _ in 0..<40 { events += [(1, .client, Self.text("next\r\n")), (1, .server, Self.text(page))] }
    let draft = try Self.draft(events)
    #expect(draft.text.contains("- repeat:\n      times: 40\n"))
    #expect(draft.text.contains("didWrite: { tag: 1, times: 40 }"))
    #expect(draft.text.contains("- send: { file: \"talk/01-server.txt\" }"))
    #expect(draft.files.map(\.bytes) == [Array(page.utf8)])
    #expect(draft.text.split(separator: "\n").count < 45)
  }

  @Test("drops at equal pauses are a drip")
  func drip() throws {
    let drops = (1...6).map { (20 * $0, Conversation.Side.server, Self.text("ab")) }
    #expect(try Self.draft(drops).text.contains("- drip: { bytes: \"abababababab\", chunk: 2B, every: 20ms }"))
  }

  @Test("what is not known is a pattern with a comment; a reset, zero windows and urgent data stay")
  func rest() throws {
    let draft = try Self.draft([
      (1, .server, Self.text("ab")), (1, .server, .missing(7, .unseen)), (2, .server, .window(isOpen: false)),
      (90, .server, .window(isOpen: true)), (91, .client, Self.text("go")), (92, .server, .urgent(33)),
      (93, .server, .reset),
    ])
    for part in [
      "# 7 bytes of the server that the capture does not hold stand as a pattern.", "seed: 0, size: 7B",
      "- stall\n", "- drain\n", "- sendUrgent: 33\n", "- reset\n", "only: loopback", "ending: peer rst",
    ] { #expect(draft.text.contains(part), "\(part) in \(draft.text)") }
  }

  @Test("nobody there, or nobody who answers", arguments: [Conversation.Opening.refused, .unanswered])
  func openings(_ opening: Conversation.Opening) throws {
    let conversation = Self.conversation([], opening: opening)
    let draft = ScenarioDraft(conversation, ScenarioDraft.Settings(name: "talk", source: "a test"))
    let result = ScenarioReader.read(draft.text, id: "talk")
    #expect(result.scenario?.ending == .neverConnected, "\(result.diagnostics)\n\(draft.text)")
  }

  @Test("what is compared by its hash is told by its first line, as the conversation is in its title")
  func gist() throws {
    let request = "POST /orders HTTP/1.1\r\nHost: a\r\nContent-Length: 60\r\n\r\n" + String(repeating: "x", count: 60)
    let draft = try Self.draft([
      (1, .client, Self.text(request)), (2, .server, .bytes([1, 2] + Array(repeating: 250, count: 98))),
    ])
    #expect(draft.text.contains("\" }  # begins: POST /orders HTTP/1.1\n"))
    #expect(draft.text.split(separator: "\n").count { $0.contains("  # ") } == 1)
    #expect(draft.text.contains("of a recorded conversation that begins: POST /orders HTTP/1.1"))
  }

  @Test("instants are told in universal time")
  func instants() {
    for (seconds, text) in [
      (0, "1970-01-01 00:00:00"), (951_827_696, "2000-02-29 12:34:56"), (1_798_761_599, "2026-12-31 23:59:59"),
    ] { #expect(InstantText.text(UInt64(seconds) * 1_000_000_000) == text + " UTC") }
  }

  @Test("a talk of any length makes a file that the lab reads: holes, pieces and pauses without end")
  func endless() throws {
    let holes = (0..<20_000).flatMap { _ in
      [(1, Conversation.Side.server, Conversation.Act.missing(1, .unseen)), (1, .server, .bytes([UInt8(ascii: "x")]))]
    }
    let scattered = try Self.draft(holes)
    #expect(scattered.text.contains("of the server that lie among many holes of the capture"))
    let page = "<tr>\n<td>one</td>\n<td>two</td>\n</tr>\n"
    let paced = (0..<5_000).map { ($0 * ($0 % 2 == 0 ? 20 : 21), Conversation.Side.server, Self.text(page + "\($0)")) }
    #expect(try Self.draft(paced).text.utf8.count < 200_000)
    let talk = (0..<6_000).flatMap { round in
      [(1, Conversation.Side.client, Self.text("\(round)\n" + page)), (1, .server, Self.text(page + "\(round)"))]
    }
    let long = try Self.draft(talk)
    #expect(long.remarks.contains { $0.contains("too long") })
  }
}
