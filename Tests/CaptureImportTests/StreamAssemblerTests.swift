import Testing

@testable import CaptureImport
@testable import Conversations

/// What is told of a stream beside its bytes: what was repeated, what is missing, when it ended.
@Suite struct StreamAssemblerTests {
  private static let maker = WireMaker()

  private static func client(_ sequence: UInt32, _ text: String, flags: UInt8 = 16) -> [UInt8] {
    maker.segment(fromClient: true, sequence, text, flags: flags)
  }

  private static func server(_ sequence: UInt32, _ text: String = "", flags: UInt8 = 16, to: UInt32 = 100) -> [UInt8] {
    maker.segment(fromClient: false, sequence, text, flags: flags, acknowledged: to)
  }

  /// What came of an opening, and these segments behind it.
  private static func imported(_ segments: [[UInt8]]) -> Imported {
    let opening = [client(99, "", flags: 2), server(999, flags: 18)]
    return Imported(maker.pcap((opening + segments).map { maker.packet(fromClient: $0[0] == 0xC3, $0) }))
  }

  private static func notes(_ segments: [[UInt8]]) -> [String] { imported(segments).conversations.first?.notes ?? [] }

  @Test(
    "what is sent again is counted once for each time, of either side",
    arguments: [
      ("nothing", [client(100, "abc"), server(1_000, "xyz")], 0),
      ("the whole", [client(100, "abc"), client(100, "abc")], 1),
      ("twice", [client(100, "abc"), client(100, "abc"), client(100, "abc")], 2),
      ("a part, with something new", [client(100, "abc"), client(101, "bcd")], 1),
      ("while it waits behind a hole", [client(103, "def"), client(103, "def"), client(100, "abc")], 1),
      ("of the server", [server(1_000, "abc"), server(1_000, "abc")], 1),
      ("of both", [client(100, "abc"), client(100, "abc"), server(1_000, "abc"), server(1_000, "abc")], 2),
    ] as [(String, [[UInt8]], Int)])
  func repeats(_ row: (name: String, segments: [[UInt8]], count: Int)) {
    let said = Self.notes(row.segments).filter { $0.hasSuffix("of the capture brought nothing new.") }
    let count = "\(row.count) segment\(row.count == 1 ? "" : "s") "
    #expect(said.map { String($0.prefix(count.utf8.count)) } == (row.count == 0 ? [] : [count]), "\(said)")
  }

  @Test("what waits behind a hole may overlap, lie inside, and come again")
  func waiting() {
    let rows: [[(UInt32, String)]] = [
      [(102, "cdef"), (100, "abcd")], [(103, "def"), (103, "def"), (100, "abc")],
      [(101, "b"), (102, "cdef"), (100, "abcd")],
      [(104, "ef"), (102, "cde"), (100, "abc")],
    ]
    for row in rows {
      let segments = row.map { Self.client($0.0, $0.1) } + [Self.client(106, "", flags: 17)]
      #expect(Self.imported(segments).told == ["client \"abcdef\"", "client fin"], "\(row)")
    }
  }

  /// A capture may show an acknowledgement before what it acknowledges.
  @Test("a hole is one only when others have gone by")
  func lateSegments() {
    let segments = [
      Self.server(1_000, to: 107), Self.client(100, "ab"), Self.client(105, "fg"), Self.client(102, "cde"),
    ]
    #expect(Self.imported(segments).told == ["client \"abcdefg\""])
    // Nobody has acknowledged what is behind the hole, however much that is.
    let much = (0..<5).map { Self.client(110 + $0, "x") }
    let late = [Self.client(100, "ab"), Self.server(1_000, to: 103)] + much + [Self.client(102, "cdefghij")]
    #expect(Self.imported(late).told == ["client \"abcdefghijxxxxx\""])
  }

  @Test(
    "what is missing in front of an end is what the other side has acknowledged",
    arguments: [
      ("nothing of it", 102, ["client \"ab\""]), ("a part", 104, ["client \"ab\"+2 unseen"]),
      ("all but the end", 105, ["client \"ab\"+3 unseen", "client fin"]),
      ("the end, too", 106, ["client \"ab\"+3 unseen", "client fin"]),
    ] as [(String, UInt32, [String])])
  func holesInFrontOfTheEnd(_ row: (name: String, acknowledged: UInt32, told: [String])) {
    let segments = [Self.client(100, "ab"), Self.client(105, "", flags: 17), Self.server(1_000, to: row.acknowledged)]
    #expect(Self.imported(segments).told == row.told)
  }

  /// Nobody sends two ends. Of a second one with another number nothing is believed.
  @Test("the first end counts")
  func secondEnd() {
    let segments = [
      Self.client(103, "", flags: 17), Self.client(9_000, "", flags: 17), Self.client(100, "abc"),
    ]
    #expect(Self.imported(segments).told == ["client \"abc\"", "client fin"])
  }

  @Test("of either side, what comes behind its end is remarked")
  func behindTheEnd() {
    for (end, more) in [
      (Self.client(100, "", flags: 17), Self.client(101, "more")),
      (Self.server(1_000, flags: 17), Self.server(1_001, "more")),
    ] {
      #expect(Self.notes([end, more]) == ["Left out: 1 segment behind the end of a stream."])
    }
  }

  @Test("an urgent byte stands wherever its pointer leads")
  func urgent() {
    for (pointer, told) in [
      (1, ["client urgent 97", "client \"bc\""]), (2, ["client \"a\"", "client urgent 98", "client \"c\""]),
      (3, ["client \"ab\"", "client urgent 99"]), (0, ["client \"abc\""]),
    ] {
      let segment = Self.maker.segment(fromClient: true, 100, "abc", flags: 48, urgent: pointer)
      #expect(Self.imported([segment]).told == told, "\(pointer)")
    }
  }

  @Test("the end of a stream says nothing of the room for the other one")
  func windowOfTheEnd() {
    let end = Self.maker.segment(fromClient: false, 1_000, flags: 17, acknowledged: 100, window: 0)
    #expect(Self.imported([end]).told == ["server fin"])
    // Nor where something in front of it comes late.
    let early = Self.maker.segment(fromClient: false, 1_001, flags: 17, acknowledged: 100, window: 0)
    #expect(Self.imported([early, Self.server(1_000, "x")]).told == ["server \"x\"", "server fin"])
  }

  @Test("a reset behind both ends resets nothing")
  func resetBehindBothEnds() {
    let segments = [
      Self.client(100, "ab"), Self.client(105, "", flags: 17), Self.server(1_000, flags: 17, to: 106),
      Self.client(106, "", flags: 4),
    ]
    #expect(Self.imported(segments).told == ["client \"ab\"+3 unseen", "client fin", "server fin"])
  }

  @Test("of a segment that is cut off, what is known already is not missing")
  func cutOffAndRepeated() {
    var stream = StreamAssembler()
    var acts: [Conversation.Act] = []
    stream.begin(at: 100)
    stream.take(100, Array("abcde".utf8)[...], length: 5, &acts)
    // Six bytes from 102 on, of which two were kept: the first three are known.
    stream.take(102, Array("cd".utf8)[...], length: 6, &acts)
    #expect(acts == [.bytes(Array("abcde".utf8)), .missing(3, .cutOff)])
  }

  @Test("nothing is kept of what was handed on")
  func room() {
    var stream = StreamAssembler()
    var acts: [Conversation.Act] = []
    stream.begin(at: 100)
    for _ in 0..<3 { stream.take(103, Array("def".utf8)[...], length: 3, &acts) }
    #expect(stream.pendingCount > 9)
    stream.take(100, Array("abc".utf8)[...], length: 3, &acts)
    #expect(stream.pendingCount == 0 && stream.repeated == 2)
    #expect(acts == [.bytes(Array("abc".utf8)), .bytes(Array("def".utf8))])
  }
}
