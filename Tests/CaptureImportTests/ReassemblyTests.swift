import Testing

@testable import CaptureImport
@testable import Conversations

/// Captures of what networks do to segments.
@Suite struct ReassemblyTests {
  private static let maker = WireMaker()

  /// An opening, then these segments of the client from number 100 on.
  private static func capture(_ segments: [[UInt8]], start: UInt32 = 100) -> [UInt8] {
    let opening = [
      maker.segment(fromClient: true, start &- 1, flags: 2), maker.segment(fromClient: false, 999, flags: 18),
    ]
    let packets = [(true, opening[0]), (false, opening[1])] + segments.map { ($0[0] == 0xC3, $0) }
    return maker.pcap(packets.map { maker.packet(fromClient: $0.0, $0.1) })
  }

  private static func client(_ sequence: UInt32, _ text: String, flags: UInt8 = 16) -> [UInt8] {
    maker.segment(fromClient: true, sequence, text, flags: flags)
  }

  private static func acknowledging(_ sequence: UInt32, _ text: String = "", at own: UInt32 = 1_000) -> [UInt8] {
    maker.segment(fromClient: false, own, text, acknowledged: sequence)
  }

  @Test(
    "each byte comes once and in order",
    arguments: [
      ("in order", [(100, "abc"), (103, "def")]),
      ("reordered", [(103, "def"), (100, "abc")]),
      ("sent again", [(100, "abc"), (100, "abc"), (103, "def"), (100, "abcdef")]),
      ("overlapping", [(100, "abcd"), (102, "cdef")]),
      ("overlapping with other bytes", [(100, "abcd"), (102, "XXef")]),
      ("inside", [(100, "abcdef"), (102, "XX")]),
      ("a hole between two that wait", [(104, "e"), (102, "c"), (100, "ab"), (103, "d"), (105, "f")]),
    ] as [(String, [(Int, String)])])
  func order(_ row: (name: String, segments: [(Int, String)])) {
    let segments = row.segments.map { Self.client(UInt32($0.0), $0.1) } + [Self.client(106, "", flags: 17)]
    #expect(Imported(Self.capture(segments)).told == ["client \"abcdef\"", "client fin"])
  }

  @Test("numbers go round at their end")
  func wrapping() {
    let start = UInt32.max - 2
    let segments = [Self.client(start &+ 3, "def"), Self.client(start, "abc")]
    #expect(Imported(Self.capture(segments, start: start)).told == ["client \"abcdef\""])
  }

  @Test("bytes that nobody saw, but the other side has, are missing; others are not invented")
  func holes() {
    let seen = [Self.client(100, "ab"), Self.client(105, "fg"), Self.acknowledging(107)]
    #expect(Imported(Self.capture(seen)).told == ["client \"ab\"+3 unseen+\"fg\""])
    let unacknowledged = [Self.client(100, "ab"), Self.client(102, "cd"), Self.acknowledging(102)]
    #expect(Imported(Self.capture(unacknowledged)).told == ["client \"abcd\""])
    let lastLost = [Self.client(100, "ab"), Self.acknowledging(105)]
    #expect(Imported(Self.capture(lastLost)).told == ["client \"ab\"+3 unseen"])
  }

  @Test("a hole does not hold up what comes behind it for long")
  func holeIsGivenUp() {
    let segments =
      [Self.client(100, "ab"), Self.acknowledging(110)] + (0..<6).map { Self.client(105 + $0, "x") }
      + [Self.acknowledging(111, "ok")]
    #expect(Imported(Self.capture(segments)).told == ["client \"ab\"+3 unseen+\"xxxxxx\"", "server \"ok\""])
  }

  @Test("bytes that the capture has cut off are missing")
  func snapLength() {
    let maker = WireMaker(link: .ethernet)
    let imported = Imported(maker.pcap(maker.sample, snap: 14 + 40 + 2))
    #expect(imported.told == ["client \"he\"+3 cutOff", "server \"wo\"+3 cutOff", "server fin", "client fin"])
    #expect(Imported(maker.pcap(maker.sample, snap: 30)).counts.broken == 7)
  }

  @Test("who resets, and whether anybody answered")
  func resets() {
    let reset = Self.capture([Self.client(100, "ab"), Self.acknowledging(102), Self.client(102, "", flags: 20)])
    #expect(Imported(reset).told == ["client \"ab\"", "client rst"])
    let maker = Self.maker
    let asked = maker.packet(fromClient: true, maker.segment(fromClient: true, 99, flags: 2))
    let refused = maker.packet(fromClient: false, maker.segment(fromClient: false, 0, flags: 20, acknowledged: 100))
    #expect(Imported(maker.pcap([asked, refused])).conversations.map(\.opening) == [.refused])
    #expect(Imported(maker.pcap([asked, asked])).conversations.map(\.opening) == [.unanswered])
    #expect(Imported(maker.pcap(Array(maker.sample.dropFirst(3)))).conversations.map(\.opening) == [.unseen])
    #expect(Imported(maker.pcap(Array(maker.sample.dropFirst(3)))).told == WireMaker.told)
  }

  @Test("a reset with a number that is none of the connection's is not believed, and is remarked")
  func forgedResets() {
    let maker = Self.maker
    func reset(_ sequence: UInt32) -> [UInt8] {
      maker.packet(fromClient: false, maker.segment(fromClient: false, sequence, flags: 4))
    }
    for (sequence, isBelieved) in [(1_000, true), (1_000 + 60_000, true), (5_000_000, false), (3_000_000_000, false)] {
      let imported = Imported(maker.pcap(maker.sample[..<4] + [reset(UInt32(sequence))] + maker.sample[4...]))
      #expect(imported.told == (isBelieved ? ["client \"hello\"", "server rst"] : WireMaker.told), "\(sequence)")
      let notes = imported.conversations.first?.notes ?? []
      #expect(notes.contains { $0.hasPrefix("Not believed: 1 reset ") } == !isBelieved)
      #expect(imported.counts.late == (isBelieved ? 1 : 0))
    }
    let refusal = maker.segment(fromClient: false, 0, flags: 20, acknowledged: 900_000)
    let asked = [maker.sample[0], maker.packet(fromClient: false, refusal)]
    #expect(Imported(maker.pcap(asked)).conversations.map(\.opening) == [.unanswered])
  }

  @Test("what comes behind the end of a stream is remarked, what repeats something is not")
  func behindTheEnd() {
    let maker = Self.maker
    let more = maker.packet(fromClient: false, maker.segment(fromClient: false, 1_005, "more", acknowledged: 105))
    let again = maker.sample[4]
    let imported = Imported(maker.pcap(maker.sample[..<6] + [more, again] + maker.sample[6...]))
    #expect(imported.told == WireMaker.told)
    #expect(imported.conversations.first?.notes.first { $0.hasPrefix("Left out: 1 segment ") } != nil)
  }

  @Test(
    "of a direction of which nothing was captured the other side's acknowledgements tell",
    arguments: [
      ("the client alone", [0, 2, 3, 6], ["client \"hello\"", "server 6 unseen", "client fin"]),
      (
        "the client alone, which acknowledged the end by itself", [0, 2, 3, 7, 6],
        ["client \"hello\"", "server 5 unseen", "server fin", "client fin"]
      ),
      ("the server alone", [1, 4, 5], ["client 5 unseen", "server \"world\"", "server fin"]),
      (
        "the server alone, with its last acknowledgement", [1, 4, 5, 8],
        ["client 5 unseen", "server \"world\"", "server fin", "client fin"]
      ),
      ("the client alone, from the middle on", [3, 7], ["client \"hello\"", "server 5 unseen"]),
      (
        "both, from the middle on, an acknowledgement first", [7, 4, 5, 6],
        ["server \"world\"", "server fin", "client fin"]
      ),
    ] as [(String, [Int], [String])])
  func oneDirection(_ row: (name: String, packets: [Int], told: [String])) {
    let maker = Self.maker
    let acknowledgements = [
      maker.packet(fromClient: true, maker.segment(fromClient: true, 105, acknowledged: 1_005)),
      maker.packet(fromClient: false, maker.segment(fromClient: false, 1_006, acknowledged: 106)),
    ]
    let packets = maker.sample + acknowledgements
    let imported = Imported(maker.pcap(row.packets.map { packets[$0] }))
    #expect(imported.told == row.told)
    let notes = imported.conversations.first?.notes ?? []
    #expect(notes.contains { $0.hasPrefix("Nothing of the ") } == row.told.contains { $0.contains("unseen") })
  }

  @Test("a window that closes and opens, and an urgent byte")
  func windowAndUrgent() {
    let maker = Self.maker
    let segments = [
      maker.segment(fromClient: false, 1_000, acknowledged: 100, window: 0),
      maker.segment(fromClient: false, 1_000, acknowledged: 100, window: 9),
      maker.segment(fromClient: true, 100, "ab!cd", flags: 48, urgent: 3),
    ]
    #expect(
      Imported(Self.capture(segments)).told
        == ["server closes", "server opens", "client \"ab\"", "client urgent 33", "client \"cd\""])
  }

  @Test("packets in fragments, in any order")
  func fragments() {
    let maker = Self.maker
    let long = maker.segment(fromClient: true, 100, "hello, this is a long one")
    let pieces = [
      maker.fragment(fromClient: true, long[..<16], offset: 0, more: true),
      maker.fragment(fromClient: true, long[16..<40], offset: 16, more: true),
      maker.fragment(fromClient: true, long[40...], offset: 40, more: false),
    ]
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0, 0]] {
      let packets = [maker.sample[0], maker.sample[1]] + order.map { pieces[$0] }
      #expect(Imported(maker.pcap(packets)).told == ["client \"hello, this is a long one\""])
    }
    #expect(Imported(maker.pcap([maker.sample[0], maker.sample[1], pieces[0], pieces[2]])).told == [])
  }

  @Test("fragments that make no whole packet are counted")
  func unusedFragments() {
    let maker = Self.maker
    let long = maker.segment(fromClient: true, 100, "hello, this is a long one")
    let pieces = [
      maker.fragment(fromClient: true, long[..<16], offset: 0, more: true),
      maker.fragment(fromClient: true, long[16..<40], offset: 16, more: true),
      maker.fragment(fromClient: true, long[40...], offset: 40, more: false),
    ]
    for (order, count) in [([0, 1, 2], 0), ([0, 2], 2), ([2], 1), ([0, 0, 1], 3), ([0, 1, 2, 1], 1)] {
      let packets = [maker.sample[0], maker.sample[1]] + order.map { pieces[$0] }
      #expect(Imported(maker.pcap(packets)).counts.fragments == count, "\(order)")
    }
    // Those that are given up because there are too many, and those that the capture has cut off, count as well.
    let many = (0..<300).map { number in
      var piece = pieces[0]
      piece.replaceSubrange(4..<6, with: WireMaker.word(number))
      return piece
    }
    #expect(Imported(maker.pcap(many)).counts.fragments == 300)
    #expect(Imported(maker.pcap(pieces, snap: 30)).counts.fragments == 3)
  }

  @Test("of bytes that come twice in fragments the first ones count, wherever their fragments begin")
  func overlappingFragments() {
    typealias Fragment = InternetPacket.Fragment
    var store = FragmentStore()
    func take(_ text: String, at offset: Int, isLast: Bool = false) -> String? {
      let bytes = Array(text.utf8)
      let fragment = Fragment(key: [1], offset: offset, isLast: isLast)
      return store.take(fragment, bytes[...], length: bytes.count).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(take("second--", at: 8) == nil)
    #expect(take("first---XXXX", at: 0) == nil)
    #expect(take("XXXXXXXXlast", at: 8, isLast: true) == "first---second--last")
  }

  @Test("fragments of IPv6 are put together with the headers that are in them", arguments: [false, true])
  func fragmentsWithExtensions(isTCP: Bool) {
    let maker = WireMaker(isIPv6: true)
    let segment = maker.segment(fromClient: true, 100, "hello, this is a long one")
    // Options for the destination, in front of TCP or of something else.
    let whole = [isTCP ? 6 : 17, 0, 1, 4, 0, 0, 0, 0] + segment
    func fragment(_ range: Range<Int>) -> [UInt8] {
      let place = WireMaker.word(range.lowerBound | (range.upperBound < whole.count ? 1 : 0))
      let body = [60, 0] + place + [0, 0, 0, 7] + whole[range]
      let ends = maker.address(true) + maker.address(false)
      return [0x60, 0, 0, 0] + WireMaker.word(body.count) + [44, 64] + ends + body
    }
    let pieces = [fragment(0..<16), fragment(16..<40), fragment(40..<whole.count)]
    for order in [[0, 1, 2], [2, 1, 0]] {
      let imported = Imported(maker.pcap([maker.sample[0], maker.sample[1]] + order.map { pieces[$0] }))
      #expect(imported.told == (isTCP ? ["client \"hello, this is a long one\""] : []))
      #expect(imported.counts.others == (isTCP ? 0 : 1) && imported.counts.broken == 0)
    }
  }

  @Test("extension headers of IPv6 are stepped over")
  func extensions() {
    let maker = WireMaker(isIPv6: true)
    let filling = [UInt8](repeating: 0, count: 6)
    let extensions: [(UInt8, [UInt8])] = [(0, [0] + filling), (60, [1] + filling + [UInt8](repeating: 0, count: 8))]
    let packet = maker.packet(fromClient: true, maker.segment(fromClient: true, 100, "hi"), extensions: extensions)
    let imported = Imported(maker.pcap([maker.sample[0], maker.sample[1], packet]))
    #expect(imported.told == ["client \"hi\""])
    #expect(imported.conversations.first?.client == "[2001::1]:50000")
  }

  @Test("a port that is used again is another conversation, and late segments are none")
  func secondConnection() {
    let maker = Self.maker
    let late = maker.packet(fromClient: true, maker.segment(fromClient: true, 100, "hello"))
    let imported = Imported(maker.pcap(maker.sample + [late] + maker.sample))
    #expect(imported.conversations.map(\.told) == [WireMaker.told, WireMaker.told])
  }

  @Test("a SYN that comes again begins nothing; one with another number begins another conversation")
  func repeatedOpenings() {
    let maker = Self.maker
    let again = maker.sample[0]
    let repeated = [maker.sample[0], again] + maker.sample[1...3] + [again] + maker.sample[4...]
    #expect(Imported(maker.pcap(repeated)).conversations.map(\.told) == [WireMaker.told])
    let other = maker.packet(fromClient: true, maker.segment(fromClient: true, 7_000, flags: 2))
    let imported = Imported(maker.pcap(Array(maker.sample[..<4]) + [other]))
    #expect(imported.conversations.map(\.told) == [["client \"hello\""], []])
    #expect(imported.conversations.map(\.opening) == [.seen, .unanswered])
  }

  @Test("data that come with the SYN count once")
  func fastOpen() {
    let maker = Self.maker
    let packets = [
      maker.packet(fromClient: true, maker.segment(fromClient: true, 99, "hi", flags: 2)),
      maker.packet(fromClient: false, maker.segment(fromClient: false, 999, flags: 18, acknowledged: 102)),
      maker.packet(fromClient: true, maker.segment(fromClient: true, 100, "hi there", acknowledged: 1_000)),
    ]
    #expect(Imported(maker.pcap(packets)).told == ["client \"hi there\""])
  }

  @Test("what waits behind holes without end is given out before it is too much")
  func manyHoles() throws {
    let segments = (0..<6_000).map { Self.client(101 + 2 * UInt32($0), "x") }
    var importer = CaptureImporter()
    var given = 0
    try importer.take(Self.capture(segments)[...]) { given += $0.count(of: .client) }
    #expect(given == 0)
    try importer.end { given += $0.count(of: .client) }
    #expect(given == 12_000)
  }
}
