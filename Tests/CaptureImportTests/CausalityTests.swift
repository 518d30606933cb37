import Testing

@testable import CaptureImport
@testable import Conversations

/// What follows from acknowledgements: the place of bytes that the capture does not hold, and what nobody has got.
@Suite struct CausalityTests {
  private static let maker = WireMaker()

  private static func client(
    _ sequence: UInt32, _ text: String = "", to: UInt32 = 1_000, flags: UInt8 = 16
  ) -> [UInt8] {
    maker.segment(fromClient: true, sequence, text, flags: flags, acknowledged: to)
  }

  private static func server(
    _ sequence: UInt32, _ text: String = "", to: UInt32 = 100, flags: UInt8 = 16
  ) -> [UInt8] {
    maker.segment(fromClient: false, sequence, text, flags: flags, acknowledged: to)
  }

  /// An opening, and these segments behind it.
  private static func capture(_ segments: [[UInt8]]) -> [UInt8] {
    let opening = [client(99, to: 0, flags: 2), server(999, flags: 18)]
    return maker.pcap((opening + segments).map { maker.packet(fromClient: $0[0] == 0xC3, $0) })
  }

  /// The same; segment n, from 0 on, was seen so many milliseconds after the first second.
  private static func capture(_ segments: [[UInt8]], at milliseconds: [Int]) -> [UInt8] {
    var bytes = capture(segments)
    var place = 24
    for index in 0..<segments.count + 2 {
      let count = Int(bytes[place + 8]) | Int(bytes[place + 9]) << 8
      if index >= 2 {
        let instant = milliseconds[index - 2]
        bytes.replaceSubrange(place..<place + 4, with: WireMaker.longWord(UInt32(1_001 + instant / 1_000)).reversed())
        bytes.replaceSubrange(
          place + 4..<place + 8, with: WireMaker.longWord(UInt32(instant % 1_000 * 1_000)).reversed())
      }
      place += 16 + count
    }
    return bytes
  }

  private static func notes(_ bytes: [UInt8]) -> [String] { Imported(bytes).conversations.first?.notes ?? [] }

  // MARK: - Holes

  private static let dialogue = [
    client(100, "ask0"), server(1_000, to: 104), server(1_000, "yes0", to: 104), client(104, to: 1_004),
    client(104, "ask1", to: 1_004), server(1_004, to: 108), server(1_004, "yes1", to: 108), client(108, to: 1_008),
    client(108, "ask2", to: 1_008), server(1_008, to: 112), server(1_008, "yes2", to: 112), client(112, to: 1_012),
    server(1_012, to: 112, flags: 17), client(112, to: 1_013, flags: 17),
  ]

  @Test(
    "an answer that was not captured is missing in front of what the other side said when it had got it",
    arguments: [
      ("none", [], ["server \"yes0\"", "client \"ask1\"", "server \"yes1\"", "client \"ask2\"", "server \"yes2\""]),
      (
        "the first", [2],
        ["server 4 unseen", "client \"ask1\"", "server \"yes1\"", "client \"ask2\"", "server \"yes2\""]
      ),
      ("one", [6], ["server \"yes0\"", "client \"ask1\"", "server 4 unseen", "client \"ask2\"", "server \"yes2\""]),
      (
        "one, and all that acknowledges alone", [1, 3, 5, 6, 7, 9, 11],
        ["server \"yes0\"", "client \"ask1\"", "server 4 unseen", "client \"ask2\"", "server \"yes2\""]
      ),
      (
        "the last", [10],
        ["server \"yes0\"", "client \"ask1\"", "server \"yes1\"", "client \"ask2\"", "server 4 unseen"]
      ),
    ] as [(String, [Int], [String])])
  func holes(_ row: (name: String, left: [Int], told: [String])) {
    let segments = Self.dialogue.indices.filter { !row.left.contains($0) }.map { Self.dialogue[$0] }
    let told = ["client \"ask0\""] + row.told + ["server fin", "client fin"]
    #expect(Imported(Self.capture(segments)).told == told)
  }

  @Test("a question that was not captured is missing in front of its answer")
  func missingQuestion() {
    let segments = Self.dialogue.indices.filter { $0 != 4 }.map { Self.dialogue[$0] }
    #expect(
      Imported(Self.capture(segments)).told == [
        "client \"ask0\"", "server \"yes0\"", "client 4 unseen", "server \"yes1\"", "client \"ask2\"",
        "server \"yes2\"", "server fin", "client fin",
      ])
  }

  @Test("a part that was not captured is missing in front of the part that was")
  func missingPart() {
    let segments = [
      Self.client(100, "ask"), Self.server(1_003, "part", to: 103), Self.client(103, "more", to: 1_007),
      Self.server(1_007, "yes", to: 107),
    ]
    #expect(
      Imported(Self.capture(segments)).told
        == ["client \"ask\"", "server 3 unseen+\"part\"", "client \"more\"", "server \"yes\""])
  }

  @Test("an end acknowledges, too, and an end may be what waits behind a hole")
  func ends() {
    let segments = [
      Self.client(100, "ask"), Self.server(1_004, to: 103, flags: 17), Self.client(103, to: 1_005, flags: 17),
      Self.server(1_005, to: 104),
    ]
    let told = ["client \"ask\"", "server 4 unseen", "server fin", "client fin"]
    #expect(Imported(Self.capture(segments)).told == told)
    // The capture may end before the last acknowledgement.
    #expect(Imported(Self.capture(Array(segments.dropLast()))).told == told)
  }

  @Test("the order in which a capture shows the two sides is not believed over what they acknowledge")
  func reordering() {
    let told = ["client \"ask0\"", "server \"yes0\"", "client \"ask1\"", "server \"yes1\"", "client \"ask2\""]
    let rest = ["server \"yes2\"", "server fin", "client fin"]
    for order in [
      // The question behind an answer comes before that answer; with acknowledgements between them, and as the end.
      [0, 1, 3, 4, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13], [0, 1, 2, 3, 4, 5, 8, 7, 6, 9, 10, 11, 12, 13],
      [0, 2, 4, 8, 6, 10, 12, 13], [0, 1, 2, 3, 4, 5, 6, 7, 8, 13, 9, 10, 11, 12],
    ] {
      #expect(Imported(Self.capture(order.map { Self.dialogue[$0] })).told == told + rest, "\(order)")
    }
  }

  @Test("what is held back is bounded, and goes on without what it waits for")
  func silence() {
    let segments = (0..<6).map { Self.client(100 + $0, "x", to: 1_009) }
    let imported = Imported(Self.capture([Self.server(1_000, "a")] + segments))
    #expect(imported.told == ["server \"a\"+8 unseen", "client \"xxxxxx\""])
    // A number far away is none that anybody believes.
    let wild = [Self.client(100, "x", to: 900_000_000), Self.server(1_000, "yes", to: 101)]
    let told = Imported(Self.capture(wild)).told
    #expect(told.count == 2 && told.first == "client \"x\"" && told.last?.hasPrefix("server \"yes\"") == true)
  }

  @Test("missing bytes were there when they were acknowledged first")
  func instants() throws {
    let segments = [Self.client(100, "a"), Self.client(101, to: 1_004), Self.client(101, "b", to: 1_004)]
    let bytes = Self.capture(segments, at: [0, 100, 500])
    let events = try #require(Imported(bytes).conversations.first).events
    #expect(events.map { $0.at - events[0].at } == [.zero, .milliseconds(100), .milliseconds(500)])
    #expect(events.map(\.side) == [.client, .server, .client])
  }

  // MARK: - What nobody has got

  @Test(
    "what was sent again and again and never acknowledged is remarked",
    arguments: [
      (
        [client(100, "abcd"), client(100, "abcd"), client(100, "abcd")], [0, 300, 900],
        "The last 4 bytes of the client were never acknowledged: the client sent them 3 times over 900 ms."
      ),
      (
        [client(100, "a"), client(100, "a")], [0, 200],
        "The last byte of the client was never acknowledged: the client sent it 2 times over 200 ms."
      ),
      (
        [client(100, "ab"), client(102, "cd"), client(100, "ab")], [0, 1, 200],
        "The last 4 bytes of the client were never acknowledged: the client sent the first of them 2 times over 200 ms."
      ),
      (
        [client(100, flags: 17), client(100, flags: 17)], [0, 200],
        "The end of the client's stream was never acknowledged: the client sent it 2 times over 200 ms."
      ),
      (
        [server(1_000, "ab", flags: 17), server(1_000, "ab", flags: 17)], [0, 200],
        "The last 2 bytes of the server and the end of its stream were never acknowledged: "
          + "the server sent them 2 times over 200 ms."
      ),
    ] as [([[UInt8]], [Int], String)])
  func blackHoles(_ row: (segments: [[UInt8]], instants: [Int], note: String)) {
    let notes = Self.notes(Self.capture(row.segments, at: row.instants)).filter { $0.contains("acknowledged") }
    #expect(notes == [row.note])
  }

  @Test("what was sent once, or was acknowledged later, or is there twice, is not remarked")
  func acknowledged() {
    let rows: [([[UInt8]], [Int])] = [
      ([Self.client(100, "ab")], [0]), ([Self.client(100, "ab"), Self.client(102, "cd")], [0, 900]),
      ([Self.client(100, "ab"), Self.client(100, "ab"), Self.server(1_000, to: 102)], [0, 300, 301]),
      ([Self.client(100, "ab"), Self.server(1_000, to: 102), Self.client(100, "ab")], [0, 1, 300]),
      ([Self.client(100, "ab"), Self.client(100, "ab")], [0, 1]),
    ]
    for (segments, instants) in rows {
      let notes = Self.notes(Self.capture(segments, at: instants))
      #expect(!notes.contains { $0.contains("acknowledged") }, "\(notes)")
    }
  }

  // MARK: - What was said twice

  @Test(
    "what comes again with other bytes is told apart from what comes again",
    arguments: [
      ("the whole", [client(100, "REAL"), client(100, "FAKE")], 1, 0),
      ("the same", [client(100, "REAL"), client(100, "REAL")], 0, 1),
      ("a part", [client(100, "REAL"), client(102, "XXmore")], 1, 0),
      ("over two pieces", [client(100, "RE"), client(102, "AL"), client(101, "EAX")], 1, 0),
      ("with the other side between them", [client(100, "RE"), server(1_000, "x", to: 102), client(100, "RA")], 1, 0),
      ("while it waits", [client(102, "AL"), client(102, "LA"), client(100, "RE")], 1, 0),
      ("a probe", [client(100, "REAL"), client(103, "\u{0}")], 0, 1),
    ] as [(String, [[UInt8]], Int, Int)])
  func contradictions(_ row: (name: String, segments: [[UInt8]], other: Int, same: Int)) {
    let notes = Self.notes(Self.capture(row.segments))
    let words = "1 segment of the capture says something else than what came first, which counts."
    let other = notes.filter { $0 == words }
    let same = notes.filter { $0 == "1 segment of the capture brought nothing new." }
    #expect(other.count == row.other && same.count == row.same, "\(notes)")
  }

  @Test("beside what is compared lie missing and urgent bytes")
  func contradictionsBesideOthers() {
    typealias Act = Conversation.Act
    let said: [Act] = [.bytes([5, 6]), .urgent(4), .missing(2, .unseen), .finish, .bytes([1])]
    func isOther(_ bytes: [UInt8], _ old: Int) -> Bool {
      Contradiction.isIn(bytes[...], beginning: old, before: said)
    }
    #expect(!isOther([1, 9, 9, 4, 5, 6, 7], 6) && !isOther([9, 4, 5], 4) && !isOther([6, 9], 1))
    #expect(isOther([2, 9, 9, 4, 5, 6], 6) && isOther([9, 9, 3, 5], 5))
    #expect(isOther([4, 5, 7], 3) && isOther([7, 9], 1))
    // Nothing is known of what lies before the first.
    #expect(!isOther([8, 8, 1, 0, 0, 4], 8) && !isOther([0, 0], 70_000) && !isOther([0, 0], 0))
  }
}
