import ScenarioModel
import Testing

@testable import PacketRelay

@Suite struct RelayMachineTests {
  private static let both = PathScope()
  private static let half = Chance(tenThousandths: 5_000)

  /// So many packets, told apart by their sequence.
  private static func packets(_ count: Int, size: Int = 10) -> [[UInt8]] {
    (0..<count).map { Packets.tcp(sequence: UInt32(1_000 + $0), data: [UInt8](repeating: 1, count: size)) }
  }

  @Test func withoutConditionsEverythingLeavesAsItCame() {
    var bench = Bench()
    for (index, packet) in Self.packets(50).enumerated() { bench.take(packet, at: index) }
    bench.run()
    #expect(bench.departures.map(\.bytes) == Self.packets(50))
    #expect(bench.departures.map(\.at) == (0..<50).map { .milliseconds($0) })
    #expect(bench.relay.takeSights().allSatisfy { !$0.isTouched && $0.to == .peer })
  }

  @Test func delayMovesEverythingAlike() {
    var bench = Bench((.delay(.milliseconds(20), jitter: .zero), PathScope(to: .peer)))
    bench.take(Packets.tcp(), at: 5)
    bench.take(Packets.tcp(toSubject: true), to: .subject, at: 5)
    bench.run()
    #expect(bench.departures.map(\.at) == [.milliseconds(5), .milliseconds(25)])
    #expect(bench.relay.takeSights().map(\.fate) == ["delayed 20 ms", ""])
  }

  @Test func jitterKeepsTheOrder() {
    var bench = Bench((.delay(.milliseconds(1), jitter: .milliseconds(50)), Self.both))
    for (index, packet) in Self.packets(200).enumerated() { bench.take(packet, at: index) }
    bench.run()
    #expect(bench.departures.map(\.bytes) == Self.packets(200))
    let delays = zip(bench.departures, 0..<200).map { $0.at - .milliseconds($1) }
    #expect(delays.allSatisfy { $0 >= .milliseconds(1) && $0 < .milliseconds(51) })
    #expect(Set(delays).count > 50)
  }

  @Test(arguments: [0, 1_000, 5_000, 10_000]) func losesAsOftenAsItIsTold(chance: Int) {
    var bench = Bench((.lose(Chance(tenThousandths: chance)), Self.both))
    for packet in Self.packets(4_000) { bench.take(packet) }
    bench.run()
    let expected = 4_000 * (10_000 - chance) / 10_000
    #expect(abs(bench.departures.count - expected) <= (chance % 10_000 == 0 ? 0 : 150))
    #expect(bench.relay.takeSights().count { $0.fate == "lost" } == 4_000 - bench.departures.count)
  }

  /// The same seed loses the same packets; what else is done to them makes no difference.
  @Test func aSeedDecides() {
    func lost(_ seed: UInt64, _ others: [PathChange]) -> [Bool] {
      var bench = Bench(seed: seed, (.lose(Self.half), Self.both))
      for change in others { bench.relay.apply(change, Self.both) }
      for packet in Self.packets(100) { bench.take(packet) }
      return bench.relay.takeSights().map { $0.fate == "lost" }
    }
    #expect(lost(3, []) == lost(3, [.double(Self.half), .delay(.seconds(1), jitter: .milliseconds(3))]))
    #expect(lost(3, []) != lost(4, []))
  }

  @Test func doublesAndSetsBack() {
    var bench = Bench((.double(Chance(tenThousandths: 10_000)), Self.both))
    bench.take(Packets.tcp())
    bench.run()
    #expect(bench.departures.map(\.bytes) == [Packets.tcp(), Packets.tcp()])

    var other = Bench((.reorder(Self.half, by: .milliseconds(10)), Self.both))
    for (index, packet) in Self.packets(100).enumerated() { other.take(packet, at: index) }
    other.run()
    #expect(other.departures.count == 100)
    #expect(other.departures.map(\.bytes) != Self.packets(100))
    #expect(Set(other.departures.map(\.bytes)) == Set(Self.packets(100)))
  }

  /// One bit, behind the addresses: a host's checksum notices it.
  @Test(arguments: [false, true]) func corruptsOneBit(isIPv6: Bool) throws {
    for seed in 0..<64 {
      var bench = Bench(seed: UInt64(seed), (.corrupt(Chance(tenThousandths: 10_000)), Self.both))
      let packet = Packets.tcp(isIPv6: isIPv6, data: [1, 2, 3, 4])
      bench.take(packet)
      bench.run()
      let bytes = try #require(bench.departures.first).bytes
      #expect(zip(bytes, packet).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount } == 1)
      #expect(!Packets.isSound(bytes))
    }
  }

  @Test func throttlesToTheRateAndLosesWhatTheQueueCannotHold() {
    let size = Packets.tcp(data: [UInt8](repeating: 1, count: 960)).count
    #expect(size == 1_000)
    var bench = Bench((.throttle(10_000, queue: 5_000), Self.both))
    for packet in Self.packets(20, size: 960) { bench.take(packet) }
    bench.run()
    #expect(bench.departures.map(\.at) == (1...5).map { .milliseconds($0 * 100) })
    #expect(bench.relay.takeSights().count { $0.fate == "lost, the queue is full" } == 15)
  }

  @Test func tooLargePacketsAreToldOfOrNot() throws {
    let large = Packets.tcp(data: [UInt8](repeating: 1, count: 1_300))
    var bench = Bench((.mtu(1_280, isTold: true), Self.both))
    bench.take(large)
    bench.take(Packets.tcp())
    bench.run()
    #expect(bench.departures.map(\.to) == [.subject, .peer])
    #expect(bench.relay.takeSights().map(\.text).contains("ICMP too big, at most 1280 B"))
    var silent = Bench((.mtu(1_280, isTold: false), Self.both))
    silent.take(large)
    silent.run()
    #expect(silent.departures.isEmpty)
    #expect(silent.relay.takeSights().map(\.fate) == ["too big"])
  }

  @Test func holesAndRefusalsAndTheirEnd() {
    var bench = Bench((.blackhole, PathScope(to: .peer)))
    bench.take(Packets.tcp())
    bench.take(Packets.tcp(toSubject: true), to: .subject)
    bench.relay.apply(.restore, Self.both)
    bench.relay.apply(.unreachable(.host), PathScope(link: "lab0", to: .subject))
    bench.relay.apply(.blackhole, PathScope(link: "other"))
    bench.take(Packets.tcp(), at: 1)
    bench.take(Packets.tcp(toSubject: true), to: .subject, at: 2)
    bench.run()
    #expect(bench.departures.map(\.to) == [.subject, .peer, .peer])
    let sights = bench.relay.takeSights()
    #expect(sights.map(\.fate) == ["lost", "", "", "refused", "of the relay"])
    #expect(sights.last?.text == "ICMP host unreachable")
  }

  /// A SYN ACK loses its acknowledgement, and nothing else does.
  @Test(arguments: [false, true]) func opensCross(isIPv6: Bool) throws {
    var bench = Bench((.cross, PathScope(to: .subject)))
    bench.take(Packets.tcp([.syn, .ack], isIPv6: isIPv6, toSubject: true, sequence: 9), to: .subject)
    bench.take(Packets.tcp([.ack], isIPv6: isIPv6, toSubject: true), to: .subject)
    bench.take(Packets.tcp([.syn, .ack], isIPv6: isIPv6), to: .peer)
    bench.run()
    let packet = try #require(bench.departures.first.flatMap { IPPacket($0.bytes) })
    #expect(Packets.isSound(packet.bytes))
    let segment = try #require(TCPSegment(packet))
    #expect(segment.flags == .syn && segment.sequence == 9 && segment.acknowledged == 0)
    #expect(bench.relay.takeSights().map(\.fate) == ["as a SYN", "", ""])
  }

  @Test func fragmentsLeaveTogether() {
    var bench = Bench((.fragment(576), Self.both))
    bench.take(Packets.tcp(data: [UInt8](repeating: 3, count: 1_000)))
    bench.run()
    #expect(bench.departures.count == 2)
    #expect(bench.relay.takeSights().map(\.fate) == ["in 2 fragments"])
  }

  /// A forged reset has the number that its receiver waits for next, or one that is off by as much as it is told.
  @Test(arguments: [false, true], [0, 70_000]) func forgesAReset(isIPv6: Bool, beyond: Int) throws {
    var bench = Bench(isOpen: false)
    let isEarlySent = bench.relay.reset(to: .subject, beyond: 0, at: .zero)
    #expect(!isEarlySent)
    bench.take(Packets.tcp(.syn, isIPv6: isIPv6, sequence: 500))
    bench.take(
      Packets.tcp([.syn, .ack], isIPv6: isIPv6, toSubject: true, sequence: 4_294_967_290, acknowledged: 501),
      to: .subject)
    bench.take(Packets.tcp(isIPv6: isIPv6, sequence: 501, acknowledged: 4_294_967_291))
    bench.run()
    bench.departures = []
    let isSent = bench.relay.reset(to: .subject, beyond: beyond, at: .zero)
    #expect(isSent)
    bench.run()
    let packet = try #require(bench.departures.first.flatMap { IPPacket($0.bytes) })
    let segment = try #require(TCPSegment(packet))
    #expect(Packets.isSound(packet.bytes))
    #expect(segment.flags == [.rst, .ack] && segment.sequence == 4_294_967_291 &+ UInt32(beyond))
    #expect(segment.sourcePort == 7_001 && segment.targetPort == 40_000 && segment.acknowledged == 501)
    #expect(Array(packet.source) == (isIPv6 ? Packets.peer6 : Packets.peer4))
    #expect(
      bench.relay.takeSights().prefix(3).map(\.text) == [
        "TCP 40000→7001 SYN seq 0 win 1000", "TCP 7001→40000 SYN ACK seq 0 ack 1 win 1000",
        "TCP 40000→7001 ACK seq 1 ack 1 win 1000",
      ])
  }

  @Test func whatIsForManyIsNobodysBusiness() {
    var bench = Bench()
    var packet = Packets.tcp(.syn)
    packet[16] = 224
    bench.take(packet)
    bench.take([1, 2, 3])
    bench.run()
    #expect(bench.departures.isEmpty)
    #expect(bench.relay.takeSights().isEmpty)
  }
}
