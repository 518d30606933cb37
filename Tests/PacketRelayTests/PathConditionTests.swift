import ScenarioModel
import Testing

@testable import PacketRelay

/// What a condition does at its bounds, beside others, and when it is over.
@Suite struct PathConditionTests {
  private static let both = PathScope()
  private static let sure = Chance(tenThousandths: 10_000)

  /// Draws the same number again and again.
  private struct Constant: RandomNumberGenerator, Sendable {
    var value: UInt64

    mutating func next() -> UInt64 { value }
  }

  private static let chances: [@Sendable (Chance) -> PathChange] = [
    { .lose($0) }, { .corrupt($0) }, { .double($0) }, { .reorder($0, by: .milliseconds(1)) },
  ]

  /// Of the numbers that are drawn, 9,999 is the highest, and 0 the lowest.
  @Test func aSureChanceNeverMissesAndNoneNeverHits() {
    for (place, change) in Self.chances.enumerated() {
      for (chance, drawn, isTouched) in [(10_000, 9_999, true), (0, 0, false), (1, 0, true), (9_999, 9_999, false)] {
        var relay = RelayMachine(links: ["lab0"], generator: Constant(value: UInt64(drawn)))
        relay.apply(change(Chance(tenThousandths: chance)), Self.both)
        relay.take(Packets.tcp(.syn, data: [1]), link: 0, to: .peer, at: .zero)
        #expect(relay.takeSights().map(\.isTouched) == [isTouched], "\(place): \(chance) and \(drawn)")
      }
    }
  }

  /// The copy goes where the packet goes, at the same instant; of a packet that is lost there is none.
  @Test func aCopyGoesAlong() {
    for side in NetworkSide.allCases {
      var bench = Bench((.double(Self.sure), Self.both), (.delay(.milliseconds(4), jitter: .zero), Self.both))
      bench.take(Packets.tcp(toSubject: side == .subject), to: side)
      bench.run()
      #expect(bench.departures.map(\.to) == [side, side])
      #expect(bench.departures.map(\.at) == [.milliseconds(4), .milliseconds(4)])
      bench.relay.apply(.lose(Self.sure), Self.both)
      bench.take(Packets.tcp(toSubject: side == .subject), to: side)
      #expect(bench.relay.nextInstant == nil)
    }
  }

  @Test func everyPartOfASegmentMayBeCorrupted() throws {
    let packet = Packets.tcp(data: [UInt8](repeating: 0, count: 60))
    var places: Set<Int> = []
    for seed in 0..<400 {
      var bench = Bench(seed: UInt64(seed), (.corrupt(Self.sure), Self.both))
      bench.take(packet)
      bench.run()
      let bytes = try #require(bench.departures.first).bytes
      places.formUnion(packet.indices.filter { bytes[$0] != packet[$0] })
    }
    #expect(places.allSatisfy { $0 >= 20 })
    // Of the 80 bytes behind the addresses, in each eighth some.
    #expect(Set(places.map { ($0 - 20) / 10 }) == Set(0..<8))
  }

  /// The largest that passes, and one byte more.
  @Test func aPacketOfTheLargestSizePasses() {
    var bench = Bench((.mtu(600, isTold: true), Self.both))
    for size in [559, 560, 561] { bench.take(Packets.tcp(data: [UInt8](repeating: 1, count: size))) }
    #expect(bench.relay.takeSights().map(\.fate) == ["", "", "too big", "of the relay"])
  }

  @Test func aHoleTellsNobody() {
    var bench = Bench((.unreachable(.host), Self.both), (.mtu(20, isTold: true), Self.both), (.blackhole, Self.both))
    bench.take(Packets.tcp())
    bench.run()
    #expect(bench.departures.isEmpty && bench.relay.takeSights().map(\.fate) == ["lost"])
  }

  /// The rate comes first, then the way: a packet is on it as long as others are.
  @Test func delayComesOnTopOfTheRate() {
    var bench = Bench(
      (.throttle(1_000, queue: 1_000), Self.both), (.delay(.milliseconds(500), jitter: .zero), Self.both))
    for packet in [Packets.tcp(data: [UInt8](repeating: 1, count: 60)), Packets.tcp(data: [1, 2, 3, 4] + [5, 6])] {
      bench.take(packet)
    }
    bench.run()
    #expect(bench.departures.map(\.at) == [.milliseconds(600), .milliseconds(646)])
  }

  /// One that is set back holds up nobody behind it.
  @Test func whatIsSetBackIsOvertaken() {
    var bench = Bench((.reorder(Self.sure, by: .milliseconds(10)), Self.both))
    bench.take(Packets.tcp(sequence: 1))
    bench.relay.apply(.restore, Self.both)
    bench.take(Packets.tcp(sequence: 2), at: 1)
    bench.run()
    #expect(bench.departures.map(\.bytes) == [Packets.tcp(sequence: 2), Packets.tcp(sequence: 1)])
    #expect(bench.departures.map(\.at) == [.milliseconds(1), .milliseconds(10)])
  }

  @Test func whatComesAtOneInstantLeavesInItsOrder() {
    let packets = (0..<20).map { Packets.tcp(sequence: UInt32($0)) }
    for delay in [0, 5] {
      var bench = Bench((.delay(.milliseconds(delay), jitter: .zero), Self.both))
      for packet in packets { bench.take(packet) }
      bench.run()
      #expect(bench.departures.map(\.bytes) == packets)
    }
  }

  /// Windows have 16 bits, whatever a scenario promises; what is no promise is let alone.
  @Test func aWindowIsOnlyMadeSmaller() {
    let rows: [(flags: TCPSegment.Flags, most: Int, fate: String)] = [
      (.ack, 100, "window 100"), (.ack, 1_000, ""), (.ack, 65_536 + 7, ""), ([.rst, .ack], 100, ""),
      ([.syn, .ack], 999, "window 999"),
    ]
    for (flags, most, fate) in rows {
      var bench = Bench((.window(most), Self.both))
      bench.take(Packets.tcp(flags, window: 1_000))
      #expect(bench.relay.takeSights().map(\.fate) == [fate], "\(flags.text), \(most)")
    }
  }

  @Test func aSYNStaysOneWhereOpeningsCross() {
    var bench = Bench((.cross, Self.both))
    bench.take(Packets.tcp(.syn, acknowledged: 77))
    bench.run()
    #expect(bench.departures.map(\.bytes) == [Packets.tcp(.syn, acknowledged: 77)])
    #expect(bench.relay.takeSights().map(\.fate) == [""])
  }

  private static let changes: [PathChange] = [
    .delay(.milliseconds(1), jitter: .milliseconds(2)), .lose(sure), .double(sure), .corrupt(sure),
    .reorder(sure, by: .milliseconds(9)), .throttle(10, queue: 10), .fragment(68), .mtu(30, isTold: false), .blackhole,
    .unreachable(.port), .window(1), .cross,
  ]

  @Test func nothingOutlastsItsEnd() {
    for change in Self.changes {
      var bench = Bench((change, Self.both), (.restore, Self.both))
      let packet = Packets.tcp([.syn, .ack], data: [UInt8](repeating: 1, count: 100))
      bench.take(packet)
      bench.run()
      #expect(bench.departures.map(\.bytes) == [packet] && bench.departures.map(\.at) == [.zero], "\(change)")
      #expect(bench.relay.takeSights().map(\.fate) == [""], "\(change)")
    }
  }

  /// Behind a mebibyte of packets the head of each is kept, and its length is still the whole one's.
  @Test func sightsKeepTheirLengths() {
    var bench = Bench()
    let packet = Packets.tcp(data: [UInt8](repeating: 1, count: 1_360))
    for _ in 0..<800 { bench.take(packet) }
    let sights = bench.relay.takeSights()
    #expect(sights.allSatisfy { $0.count == 1_400 && $0.bytes == Array(packet.prefix($0.bytes.count)) })
    #expect(sights.first?.bytes.count == 1_400 && sights.last?.bytes.count == 96)
    #expect(sights.reduce(0) { $0 + $1.bytes.count } < 1 << 20 + 65_536)
  }

  // MARK: - Names

  /// A query for `slow.example`, and what is sent back to whoever asked.
  private static func query(toSubject: Bool = false) -> [UInt8] {
    let question: [UInt8] = [4] + Array("slow".utf8) + [7] + Array("example".utf8) + [0, 0, 1, 0, 1]
    let message: [UInt8] = [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + question
    let datagram: [UInt8] = [0x30, 0x39, 0, 53, 0, UInt8(8 + message.count), 0, 0] + message
    let (source, target) = toSubject ? (Packets.peer4, Packets.subject4) : (Packets.subject4, Packets.peer4)
    return IPPacket.make(
      isIPv6: false, from: source[...], to: target[...], transport: IPPacket.Transport.udp, content: datagram,
      checksumOffset: 6)
  }

  /// The subject's host is answered as late as the scenario says; what the peers ask for is carried on.
  @Test func namesAreAnsweredOnTheWayToThePeersAlone() {
    let names = [NameAnswer(name: "Slow.Example", addresses: ["10.77.1.2"], delay: .milliseconds(400))]
    var bench = Bench(names: names)
    bench.take(Self.query(), at: 3)
    bench.take(Self.query(toSubject: true), to: .subject, at: 5)
    bench.run()
    #expect(bench.departures.map(\.to) == [.subject, .subject])
    #expect(bench.departures.map(\.at) == [.milliseconds(5), .milliseconds(403)])
    #expect(bench.departures.first?.bytes == Self.query(toSubject: true))
    // An answer's last bytes are the address.
    #expect(bench.departures.last?.bytes.suffix(4) == [10, 77, 1, 2])
    #expect(bench.relay.takeSights().map(\.fate) == ["", "of the relay", ""])

    var without = Bench()
    without.take(Self.query())
    without.run()
    #expect(without.departures.map(\.bytes) == [Self.query()])
  }
}
