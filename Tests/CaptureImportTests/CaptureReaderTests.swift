import Testing

@testable import CaptureImport

@Suite struct CaptureReaderTests {
  private static let secret =
    "CLIENT_RANDOM \(String(repeating: "0a", count: 32)) \(String(repeating: "0b", count: 48))"

  @Test("every link type tells the same conversation", arguments: WireMaker.Link.allCases, [false, true])
  func links(link: WireMaker.Link, isIPv6: Bool) {
    let maker = WireMaker(isIPv6: isIPv6, link: link)
    for isBigEndian in [false, true] {
      #expect(Imported(maker.pcap(maker.sample, isBigEndian: isBigEndian)).told == WireMaker.told)
      #expect(Imported(maker.pcapng(maker.sample, isBigEndian: isBigEndian)).told == WireMaker.told)
    }
  }

  @Test("tags of virtual networks are stepped over", arguments: [WireMaker.Link.ethernet, .sll])
  func tags(link: WireMaker.Link) {
    let maker = WireMaker(link: link, tags: 2)
    #expect(Imported(maker.pcap(maker.sample)).told == WireMaker.told)
  }

  @Test("the file may come in pieces of any size", arguments: [1, 2, 7, 64])
  func chunks(size: Int) {
    let maker = WireMaker(link: .ethernet)
    let whole = Imported(maker.pcapng(maker.sample, keyLog: "\(Self.secret)\n# note\n"))
    let pieces = Imported(maker.pcapng(maker.sample, keyLog: "\(Self.secret)\n# note\n"), chunks: size)
    #expect(pieces.conversations == whole.conversations)
    #expect(pieces.secretCount == 1)
    #expect(Imported(maker.pcap(maker.sample), chunks: size).told == WireMaker.told)
  }

  @Test("instants are those of the capture")
  func instants() throws {
    let maker = WireMaker()
    for bytes in [maker.pcap(maker.sample), maker.pcapng(maker.sample)] {
      let conversation = try #require(Imported(bytes).conversations.first)
      #expect(conversation.events.map(\.at) == [3, 4, 5, 6].map { .milliseconds($0) })
    }
    #expect(Imported(maker.pcap(maker.sample)).conversations.first?.startedAt == 1_000_000_000_000)
  }

  @Test("of an instant with a second or more behind its seconds, the seconds count", arguments: [false, true])
  func impossibleFractions(hasNanoseconds: Bool) throws {
    let maker = WireMaker()
    var bytes = maker.pcap(maker.sample)
    if hasNanoseconds { bytes.replaceSubrange(0..<4, with: WireMaker.longWord(0xA1B2_3C4D).reversed()) }
    let limit: UInt32 = hasNanoseconds ? 1_000_000_000 : 1_000_000
    for (fraction, isDoubtful) in [(limit - 1, false), (limit, true), (UInt32.max, true)] {
      var changed = bytes
      changed.replaceSubrange(28..<32, with: WireMaker.longWord(fraction).reversed())
      let imported = Imported(changed)
      let conversation = try #require(imported.conversations.first)
      let start = conversation.startedAt ?? 0
      #expect(start / 1_000_000_000 == 1_000 && (start % 1_000_000_000 == 0) == isDoubtful)
      #expect(imported.counts.doubtful == (isDoubtful ? 1 : 0))
      #expect(conversation.notes.contains { $0.hasPrefix("1 packet of the capture has a fraction ") } == isDoubtful)
    }
  }

  @Test("a capture that is cut off anywhere gives what was complete, and says so")
  func cutOff() {
    let maker = WireMaker()
    for bytes in [maker.pcap(maker.sample), maker.pcapng(maker.sample)] {
      var most = 0
      for length in 1..<bytes.count {
        let imported = Imported(Array(bytes.prefix(length)))
        let told = imported.told
        #expect(told.count >= most || told.isEmpty)
        most = max(most, told.count)
        #expect(zip(told, WireMaker.told).allSatisfy { $0 == $1 })
      }
      #expect(Imported(Array(bytes.dropLast())).fault != nil)
      #expect(Imported(bytes).fault == nil)
    }
  }

  @Test(
    "what is no capture is refused with a reason",
    arguments: [
      ([], "empty"), ([0x1F, 0x8B, 8, 0], "gunzip"), ([0x28, 0xB5, 0x2F, 0xFD], "unzstd"),
      (Array("GET / HTTP/1.1\r\n".utf8), "no capture"),
      (Array(WireMaker().pcap([]).prefix(20)), "cut off"), (Array(WireMaker().pcapng([]).prefix(3)), "no capture"),
    ] as [([UInt8], String)])
  func noCapture(_ row: (bytes: [UInt8], word: String)) {
    let fault = Imported(row.bytes).fault
    #expect(fault?.isNoCapture == true)
    #expect(fault?.message.contains(row.word) == true)
  }

  @Test("an impossible length is a fault behind what was sound")
  func impossibleLength() {
    let maker = WireMaker()
    let plain = maker.pcap(maker.sample) + [UInt8](repeating: 0xFF, count: 40)
    let blocks = maker.pcapng(maker.sample) + [6, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F] + [UInt8](repeating: 0, count: 40)
    for bytes in [plain, blocks] {
      let imported = Imported(bytes)
      #expect(imported.told == WireMaker.told)
      #expect(imported.fault?.message.contains("damaged") == true)
      #expect(imported.fault?.isNoCapture == false)
    }
  }

  @Test("packets inside of PPPoE, MPLS and IP are read")
  func tunnels() {
    let maker = WireMaker()
    let macs = [UInt8](repeating: 2, count: 12)
    let ends: [UInt8] = [64, 4, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
    let wraps: [(String, ([UInt8]) -> [UInt8])] = [
      ("PPPoE", { macs + [0x88, 0x64, 0x11, 0, 0, 1] + WireMaker.word($0.count + 2) + [0, 0x21] + $0 }),
      ("MPLS", { macs + [0x88, 0x47, 0, 1, 0, 64, 0, 1, 1, 64] + $0 }),
      ("IP in IP", { macs + [8, 0, 0x45, 0] + WireMaker.word(20 + $0.count) + [0, 7, 0, 0] + ends + $0 }),
    ]
    for (name, wrap) in wraps {
      var bytes = maker.pcap(maker.sample.map(wrap))
      bytes[20] = 1
      #expect(Imported(bytes).told == WireMaker.told, "\(name)")
    }
  }

  @Test("interfaces without end are a fault")
  func interfaces() {
    var bytes = WireMaker().pcapng([])
    // The block of the one interface stands behind that of the section.
    let interface = bytes[28..<60]
    for _ in 0..<65_536 { bytes += interface }
    #expect(Imported(bytes).fault?.message.contains("interface behind 65536 others") == true)
  }

  @Test("packets of other links are counted by name")
  func otherLinks() {
    let maker = WireMaker()
    var bytes = maker.pcap(maker.sample)
    bytes[20] = 127
    #expect(Imported(bytes).counts.unknownLinks == ["IEEE802_11_RADIO, number 127": 7])
    #expect(Imported(bytes).conversations.isEmpty)
  }
}
