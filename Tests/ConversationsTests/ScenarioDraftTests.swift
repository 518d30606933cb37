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
      "  - wait: 50ms\n", "- didDisconnect: { error: Closed }  # the peer has ended its side, in order or not\n",
      "ending: peer fin\n",
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
    #expect(draft.text.contains("requirements: [INV-04, INV-05, INV-06, HALF-02]"))
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

  @Test("what is compared has the bytes of what is sent: the same lines, or the same file, told by its first line")
  func compared() throws {
    let request = "POST /orders HTTP/1.1\r\nHost: a\r\nContent-Length: 60\r\n\r\n" + String(repeating: "x", count: 60)
    let draft = try Self.draft([
      (1, .client, Self.text(request)), (2, .server, .bytes([1, 2] + Array(repeating: 250, count: 98))),
      (3, .client, Self.text("GET /\r\n" + String(repeating: "y", count: 2_000))),
    ])
    let shown = String(repeating: "y", count: 34)
    for part in [
      "  - expect:\n      - \"POST /orders HTTP/1.1\\r\\n\"\n", "- send: { file: \"talk/01-server.bin\" }\n",
      "- didRead: { tag: 2, bytes: { file: \"talk/01-server.bin\" } }\n",
      "- write: { bytes: { file: \"talk/02-client.txt\" }, tag: 3 }\n",
      "- expect: { file: \"talk/02-client.txt\" }  # begins: GET / \(shown)...\n",
    ] { #expect(draft.text.contains(part), "\(part) in \(draft.text)") }
    #expect(!draft.text.contains("hash") && draft.files.count == 2)
    #expect(draft.text.contains("of a recorded conversation; the client begins: POST /orders HTTP/1.1"))
  }

  @Test("what was sent in several steps is compared with the files of all, and by its length where bytes are missing")
  func comparedPieces() throws {
    func noise(_ seed: Int) -> Conversation.Act {
      .bytes((0..<300).map { UInt8(truncatingIfNeeded: ($0 * seed) % 251) })
    }
    let draft = try Self.draft([
      (1, .server, noise(7)), (40, .server, noise(11)), (60, .client, Self.text("go")), (61, .server, noise(7)),
      (61, .server, .missing(9, .unseen)),
    ])
    #expect(draft.files.map(\.path) == ["talk/01-server.bin", "talk/02-server.bin"])
    let both = (1...2).map { "        - { file: \"talk/0\($0)-server.bin\" }\n" }.joined()
    #expect(draft.text.contains("- didRead:\n      tag: 1\n      bytes:\n" + both))
    #expect(draft.text.contains("- didRead: { tag: 3, length: 309B }"))
  }

  @Test("of a turn that is too long for a file what is known of it stays, and all that is said after it")
  func tooLong() throws {
    let known = [UInt8](repeating: 7, count: 1 << 20) + [8]
    let draft = try Self.draft([
      (1, .client, Self.text("all of it\r\n")), (2, .server, .bytes(known)), (3, .server, .missing(90 << 20, .tooMany)),
      (4, .client, Self.text("thanks\r\n")), (4, .client, .missing(8, .tooMany)), (5, .server, .finish),
      (6, .client, .finish),
    ])
    #expect(draft.files.map(\.bytes) == [known])
    for part in [
      "pattern: { seed: 0, size: 12582912B }", "read: { length: 13631489B, tag: 2 }", "- \"thanks\\r\\n\"\n",
      "- { pattern: { seed: 0, size: 8B } }", "- expect: { length: 16B }\n",
      "ending: peer fin\n",
    ] { #expect(draft.text.contains(part), "\(part) in \(draft.text)") }
    #expect(draft.remarks.contains { $0.contains("81,788,928 bytes of the server that are not known are left out") })
  }

  @Test(
    "what was taken with the window shut, and who closes over an urgent byte",
    arguments: [
      (
        "a byte that asks", [(5, .server, .window(isOpen: false)), (6, .client, text("X")), (7, .server, text("ok"))],
        ["- stall\n  - drain  # with its window still shut\n  - expect: \"X\"\n"]
      ),
      (
        "opened later",
        [
          (5, .server, .window(isOpen: false)), (6, .client, text("X")), (7, .server, .window(isOpen: true)),
          (8, .client, text("Y")),
        ], ["- expect: \"X\"\n  - expect: \"Y\"\n", "- drain  # with its window still shut\n"]
      ),
      (
        "a FIN", [(5, .server, .window(isOpen: false)), (6, .client, .finish), (7, .server, .finish)],
        ["- drain  # with its window still shut\n  - expectEnd: fin\n"]
      ),
      (
        "an urgent byte last", [(5, .server, .urgent(33)), (6, .server, .finish), (7, .client, .finish)],
        ["- expectEnd: either\n"]
      ),
      (
        "an urgent byte with something behind it",
        [(5, .server, .urgent(33)), (6, .server, text("ok")), (6, .server, .finish), (7, .client, .finish)],
        ["- expectEnd: fin\n"]
      ),
      ("a reset at once", [(1, .server, .reset)], ["- after: didConnect\n  - reset\n"]),
    ] as [(String, [(Int, Conversation.Side, Conversation.Act)], [String])])
  func ends(_ row: (name: String, events: [(Int, Conversation.Side, Conversation.Act)], parts: [String])) throws {
    let draft = try Self.draft(row.events, peer: .server)
    for part in row.parts { #expect(draft.text.contains(part), "\(part) in \(draft.text)") }
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

  @Test(
    "the title has the first text that somebody says, and who it was",
    arguments: [
      (["GET /index HTTP/1.1\r\n"], "; the client begins: GET /index HTTP/1.1"),
      (["\u{1}\u{2}", "PRI * HTTP/2.0\r\n\r\n\u{1}"], "; the server says: PRI * HTTP/2.0"),
      (["\u{1}", "\u{2}", "\u{3}", "\u{4}", "late as it is"], ""), ([], ""),
    ] as [([String], String)])
  func title(_ row: (said: [String], end: String)) throws {
    let draft = try Self.draft(
      row.said.enumerated().map { ($0.offset, $0.offset % 2 == 0 ? .client : .server, Self.text($0.element)) })
    let title = draft.text.split(separator: "\n").first { $0.hasPrefix("title:") }
    let wanted = "The subject plays the client of a recorded conversation\(row.end)"
    #expect(title.map { $0.drop { $0 != "T" }.prefix { $0 != "\"" } } == wanted[...], "\(draft.text)")
  }
}
