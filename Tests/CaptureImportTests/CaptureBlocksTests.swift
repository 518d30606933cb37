import Testing

@testable import CaptureImport

/// Blocks of pcapng that the tools of this lab do not write, and others do.
@Suite struct CaptureBlocksTests {
  /// Numbers and blocks of one byte order.
  private struct Order {
    var isBig: Bool

    func number(_ number: UInt32) -> [UInt8] {
      isBig ? WireMaker.longWord(number) : WireMaker.longWord(number).reversed()
    }
    func half(_ number: Int) -> [UInt8] { isBig ? WireMaker.word(number) : WireMaker.word(number).reversed() }

    func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
      let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
      let length = number(UInt32(padded.count + 12))
      return number(type) + length + padded + length
    }

    var section: [UInt8] { block(0x0A0D_0D0A, number(0x1A2B_3C4D) + half(1) + half(0) + number(.max) + number(.max)) }

    /// An option of an interface, with the one that ends them behind it.
    func option(_ code: Int, _ value: [UInt8]) -> [UInt8] { half(code) + half(value.count) + value + half(0) + half(0) }

    func interface(_ link: Int, snap: UInt32 = 0, options: [UInt8] = []) -> [UInt8] {
      block(1, half(link) + half(0) + number(snap) + options)
    }

    func packet(_ bytes: [UInt8], interface: UInt32 = 0) -> [UInt8] {
      let count = number(UInt32(bytes.count))
      return block(6, number(interface) + number(0) + number(1_000) + count + count + bytes)
    }
  }

  /// What a reader finds: packets, or the text of a key log.
  private static func items(_ bytes: [UInt8]) throws -> [CapturedItem] {
    var items: [CapturedItem] = []
    var reader = CaptureReader()
    try reader.take(bytes[...]) { items.append($0) }
    try reader.end()
    return items
  }

  private static func packets(_ bytes: [UInt8]) throws -> [CapturedPacket] {
    try items(bytes).compactMap { if case .packet(let packet) = $0 { packet } else { nil } }
  }

  @Test("a section has interfaces of its own", arguments: [false, true])
  func sections(isBig: Bool) throws {
    let (one, other) = (Order(isBig: isBig), Order(isBig: !isBig))
    let bytes =
      one.section + one.interface(101) + one.packet([1]) + other.section + other.interface(1) + other.packet([2])
    let packets = try Self.packets(bytes)
    #expect(packets.map(\.link) == [101, 1] && packets.map { Array($0.bytes) } == [[1], [2]])
    #expect(throws: CaptureFault.self) {
      try Self.packets(one.section + one.interface(101) + other.section + other.packet([2]))
    }
  }

  /// Seconds that are added to every instant, a number of 64 bits with a sign.
  @Test("instants may be counted from another one", arguments: [false, true])
  func offsets(isBig: Bool) throws {
    let order = Order(isBig: isBig)
    for (seconds, nanoseconds) in [(7, 7_001_000_000), (1 << 32, (1 << 32) * 1_000_000_000 + 1_000_000)]
      as [(Int64, UInt64)]
    {
      let value = withUnsafeBytes(of: isBig ? seconds.bigEndian : seconds.littleEndian) { Array($0) }
      let bytes = order.section + order.interface(101, options: order.option(14, value)) + order.packet([1])
      #expect(try Self.packets(bytes).map(\.nanoseconds) == [nanoseconds])
    }
  }

  /// Options that lie about their lengths may be those that say what an instant means.
  @Test("of an interface with damaged options all instants are in doubt", arguments: [false, true])
  func damagedOptions(isBig: Bool) throws {
    let order = Order(isBig: isBig)
    let lie = order.half(9) + order.half(60_000) + [9, 0, 0, 0]
    for (options, isDamaged) in [
      ([], false), (order.option(9, [6]) + [0, 0, 0], false), (lie, true),
      (order.option(9, [6, 6, 0, 0]), true), (order.option(9, []), true), (order.option(14, [1, 0, 0, 0]), true),
    ] as [([UInt8], Bool)] {
      let packets = try Self.packets(order.section + order.interface(101, options: options) + order.packet([1]))
      let doubt: InstantDoubt? = isDamaged ? .options : nil
      #expect(packets.map(\.doubt) == [doubt], "\(options)")
      #expect(packets.map(\.nanoseconds) == [1_000_000])
    }
  }

  /// They say how long the packet was; how much of it was kept follows from the interface.
  @Test("simple packets are as long as their interface keeps them", arguments: [false, true])
  func simplePackets(isBig: Bool) throws {
    let order = Order(isBig: isBig)
    for (snap, kept) in [(0, 6), (5, 5), (9, 6)] as [(UInt32, Int)] {
      let block = order.block(3, order.number(6) + [1, 2, 3, 4, 5, 6])
      let packets = try Self.packets(order.section + order.interface(101, snap: snap) + block)
      #expect(packets.map(\.length) == [6] && packets.map(\.bytes.count) == [kept] && packets.first?.nanoseconds == 0)
    }
  }

  @Test("what fills a key log's block up is none of it", arguments: [false, true])
  func keyLogs(isBig: Bool) throws {
    let order = Order(isBig: isBig)
    for text in ["a", "ab", "abc", "abcd", "abcd\n"] {
      let body = order.number(0x544C_534B) + order.number(UInt32(text.utf8.count)) + Array(text.utf8)
      let found = try Self.items(order.section + order.block(10, body)).map { item -> String? in
        if case .keyLog(let text) = item { text } else { nil }
      }
      #expect(found == [text])
    }
  }

  /// A label of MPLS says whether it is the last; the next header begins behind that one.
  @Test("labels are stepped over to the last one")
  func labels() {
    let maker = WireMaker()
    for count in 1...3 {
      let labels = (1...count).flatMap { [0x45, 0, $0 == count ? 1 : 0, 64] as [UInt8] }
      var bytes = maker.pcap(maker.sample.map { [UInt8](repeating: 2, count: 12) + [0x88, 0x47] + labels + $0 })
      bytes[20] = 1
      #expect(Imported(bytes).told == WireMaker.told, "\(count)")
    }
  }
}
