import Testing

@testable import CaptureImport
@testable import Conversations

/// Which packets make one conversation, whose they are, and when they came.
@Suite struct TrackedConnectionTests {
  private static let maker = WireMaker()

  private static func packet(
    fromClient: Bool, _ sequence: UInt32, _ text: String = "", flags: UInt8 = 16, acknowledged: UInt32 = 0
  ) -> [UInt8] {
    maker.packet(
      fromClient: fromClient,
      maker.segment(fromClient: fromClient, sequence, text, flags: flags, acknowledged: acknowledged))
  }

  /// Two machines that capture, or one whose clock is set: later packets may have earlier instants.
  @Test("clocks that are put back put no event before another")
  func clocksThatAreSet() throws {
    let sample = Self.maker.sample
    var bytes = Self.maker.pcap(sample)
    // The seconds of the record with the server's words; records lie behind the file's header.
    let place = 24 + sample[..<4].reduce(0) { $0 + 16 + $1.count }
    #expect(Array(bytes[place..<place + 4]) == [0xE8, 3, 0, 0])
    bytes.replaceSubrange(place..<place + 4, with: [0, 0, 0, 0])
    let conversation = try #require(Imported(bytes).conversations.first)
    #expect(conversation.told == WireMaker.told)
    let instants = conversation.events.map(\.at)
    #expect(instants == instants.sorted() && instants.first == .milliseconds(3) && instants.last == .milliseconds(6))
  }

  @Test("an opening from both ends at once is one connection, of who asked first")
  func openingsThatCross() {
    let packets = [
      Self.packet(fromClient: true, 99, flags: 2), Self.packet(fromClient: false, 999, flags: 2),
      Self.packet(fromClient: true, 99, flags: 18, acknowledged: 1_000),
      Self.packet(fromClient: false, 999, flags: 18, acknowledged: 100),
    ]
    let imported = Imported(Self.maker.pcap(packets + Self.maker.sample[3...]))
    #expect(imported.conversations.map(\.told) == [WireMaker.told])
    #expect(imported.conversations.first?.client == "10.0.0.1:50000" && imported.conversations.first?.opening == .seen)
  }

  @Test("of two ends with the same port, the one that speaks first is the client where no opening was seen")
  func samePorts() {
    var segment = Self.maker.segment(fromClient: true, 100, "hello")
    segment.replaceSubrange(0..<2, with: segment[2..<4])
    let imported = Imported(Self.maker.pcap([Self.maker.packet(fromClient: true, segment)]))
    #expect(imported.conversations.map(\.client) == ["10.0.0.1:80"] && imported.told == ["client \"hello\""])
  }

  @Test("a number that is not there acknowledges nothing")
  func emptyNumbers() {
    let packets = [
      Self.packet(fromClient: false, 1_000, "a"), Self.packet(fromClient: false, 1_001, "b", acknowledged: 500),
    ]
    #expect(Imported(Self.maker.pcap(packets)).told == ["server \"ab\""])
  }

  @Test("packets that carry something else than TCP are counted, and nothing else")
  func others() {
    var datagram = Self.maker.sample[3]
    datagram[9] = 17
    let counts = Imported(Self.maker.pcap(Self.maker.sample + [datagram, datagram])).counts
    #expect(counts.packets == 9 && counts.others == 2 && counts.broken == 0 && counts.late == 0)
  }

  @Test("of what comes behind the end, segments with data are late, and bare ones are not")
  func late() {
    let packets = [
      Self.packet(fromClient: true, 106, acknowledged: 1_006), Self.packet(fromClient: true, 106, "x"),
      Self.packet(fromClient: true, 107, "y"),
    ]
    #expect(Imported(Self.maker.pcap(Self.maker.sample + packets)).counts.late == 2)
  }

  /// The oldest are given up where more are open than are kept, and say so.
  @Test("what is given up because there is too much of it says so")
  func evicted() throws {
    let opening = Self.packet(fromClient: true, 99, flags: 2)
    let packets = (0..<16_385).map { number in
      var packet = opening
      packet.replaceSubrange(20..<22, with: WireMaker.word(1_024 + number))
      return packet
    }
    let conversations = Imported(Self.maker.pcap(packets)).conversations
    let evicted = conversations.filter { $0.notes.contains { $0.hasPrefix("More was open in the capture") } }
    #expect(conversations.count == 16_385 && evicted.count == 16_385 / 8)
    #expect(Set(conversations.map(\.client)).count == 16_385)
    #expect(evicted.first?.client == "10.0.0.1:1024")
  }

  // MARK: - Fragments

  private static func fragment(
    _ content: ArraySlice<UInt8>, offset: Int, more: Bool, transport: UInt8 = 6
  ) -> [UInt8] {
    var bytes = maker.fragment(fromClient: true, content, offset: offset, more: more)
    bytes[9] = transport
    return bytes
  }

  @Test("conversations that stay closed are counted, where any were to be opened")
  func closed() {
    // The head of a ClientHello.
    let hello = Self.packet(fromClient: true, 100, "\u{16}\u{3}\u{1}\u{0}\u{2}\u{1}\u{0}")
    let bytes = Self.maker.pcap(Array(Self.maker.sample[..<3]) + [hello])
    let counts = Imported(bytes).counts
    #expect(counts.closed == 1 && counts.opened == 0 && counts.conversations == 1)
    #expect(
      Imported(bytes, opensTLS: false).counts.closed == 0
        && Imported(Self.maker.pcap(Self.maker.sample)).counts.closed == 0)
  }

  @Test("a fragment inside of a packet that was put together is none")
  func fragmentsOfFragments() {
    let maker = WireMaker(isIPv6: true)
    let whole = [6, 0, 0, 0, 0, 0, 0, 9] + maker.segment(fromClient: true, 100, "hello, this is a long one")
    let packets = [0..<16, 16..<whole.count].map { range -> [UInt8] in
      let place = WireMaker.word(range.lowerBound | (range.upperBound < whole.count ? 1 : 0))
      let body = [44, 0] + place + [0, 0, 0, 7] + whole[range]
      return [0x60, 0, 0, 0] + WireMaker.word(body.count) + [44, 64] + maker.address(true) + maker.address(false) + body
    }
    let imported = Imported(maker.pcap(Array(maker.sample[..<2]) + packets))
    #expect(imported.told == [] && imported.counts.broken == 1)
  }

  @Test("fragments of another protocol with the same number are another packet's")
  func fragmentsOfTwoProtocols() {
    let whole = Self.maker.segment(fromClient: true, 100, "hello, you")
    let other = [UInt8](repeating: 0x2A, count: whole.count)
    let packets = [
      Self.fragment(whole[..<16], offset: 0, more: true),
      Self.fragment(other[16...], offset: 16, more: false, transport: 17),
      Self.fragment(whole[16...], offset: 16, more: false),
    ]
    let imported = Imported(Self.maker.pcap(Array(Self.maker.sample[..<2]) + packets))
    #expect(imported.told == ["client \"hello, you\""] && imported.counts.others == 1)
  }

  @Test("the first of two last fragments says how long the packet is")
  func twoLastFragments() {
    let whole = Self.maker.segment(fromClient: true, 100, "hello, you")
    let packets = [
      Self.fragment(whole[16..<30], offset: 16, more: false),
      Self.fragment([9, 9, 9, 9, 9, 9, 9, 9], offset: 32, more: false),
      Self.fragment(whole[..<16], offset: 0, more: true),
    ]
    #expect(Imported(Self.maker.pcap(Array(Self.maker.sample[..<2]) + packets)).told == ["client \"hello, you\""])
  }
}
