import ScenarioModel
import Testing

@testable import PacketRelay

/// A case's network begins empty: segments of a connection whose SYN did not come by are none of its own.
@Suite struct ForeignSegmentTests {
  private typealias Sent = (bytes: [UInt8], to: NetworkSide)

  private static let both = PathScope()
  private static let half = Chance(tenThousandths: 5_000)
  /// The subject's port of a connection that is none of the case's, but for what a test says.
  private static let other: UInt16 = 40_001

  private static let strangers: [TCPSegment.Flags] = [
    .ack, [.push, .ack], [.fin, .ack], .rst, [.rst, .ack], [.syn, .ack], [.syn, .rst], [],
  ]

  private static func said(
    _ flags: TCPSegment.Flags, port: UInt16 = 40_000, toSubject: Bool = false, sequence: UInt32 = 100
  ) -> Sent {
    (Packets.tcp(flags, toSubject: toSubject, port: port, sequence: sequence), toSubject ? .subject : .peer)
  }

  /// Neither before the case's own connection nor beside it, and nobody is told.
  @Test(arguments: strangers, [false, true])
  func whatDidNotBeginHereGoesNowhere(flags: TCPSegment.Flags, isIPv6: Bool) {
    let rows: [(side: NetworkSide, isOpen: Bool)] = [
      (.peer, false), (.peer, true), (.subject, false), (.subject, true),
    ]
    let changes: [PathChange] = [.restore, .unreachable(.host), .cross]
    for (side, isOpen) in rows {
      for change in changes {
        var bench = Bench(isOpen: isOpen, (change, Self.both))
        bench.take(Packets.tcp(flags, isIPv6: isIPv6, toSubject: side == .subject, port: Self.other), to: side)
        bench.run()
        let sights = bench.relay.takeSights()
        #expect(bench.departures.isEmpty && sights.isEmpty, "\(side), \(isOpen), \(change)")
      }
    }
  }

  /// What a seed does to the case's packets, with strangers between them or without.
  private static func fates(amongStrangers: Bool) -> Bench {
    var bench = Bench(
      seed: 7, (.lose(half), both), (.double(half), both), (.reorder(half, by: .milliseconds(10)), both),
      (.delay(.milliseconds(2), jitter: .milliseconds(9)), both), (.throttle(20_000, queue: 2_000), both))
    for place in 0..<100 {
      if amongStrangers {
        let (data, sequence) = ([UInt8](repeating: 2, count: 900), UInt32(place))
        bench.take(Packets.tcp(port: other, sequence: sequence, data: data), at: place)
        bench.take(Packets.tcp(toSubject: true, port: other, sequence: sequence), to: .subject, at: place)
      }
      bench.take(Packets.tcp(sequence: UInt32(1_000 + place), data: [1, 2, 3]), at: place)
    }
    bench.run()
    return bench
  }

  @Test func strangersDrawNothingAndTakeNoRoom() {
    var alone = Self.fates(amongStrangers: false)
    var among = Self.fates(amongStrangers: true)
    #expect(among.departures.map(\.bytes) == alone.departures.map(\.bytes))
    #expect(among.departures.map(\.at) == alone.departures.map(\.at))
    let (seen, expected) = (among.relay.takeSights(), alone.relay.takeSights())
    #expect(seen == expected)
    #expect(expected.count == 100 && Set(expected.map(\.fate)).count > 2)
  }

  private static let first = said(.syn)
  private static let firstAnswer = said([.syn, .ack], toSubject: true)
  private static let second = said(.syn, port: other)
  private static let secondAnswer = said([.syn, .ack], port: other, toSubject: true)
  private static let third = said(.syn, sequence: 90_000)
  private static let thirdAnswer = said([.syn, .ack], toSubject: true, sequence: 70_000)
  private static let crossing = said(.syn, toSubject: true)
  private static let late = said(.ack)
  private static let lateAnswer = said(.ack, toSubject: true)
  private static let stranger = said(.ack, port: other)
  private static let strangerAnswer = said(.ack, port: other, toSubject: true)

  private static let newest: [(what: String, sent: [Sent], port: UInt16)] = [
    ("strangers around", [stranger, strangerAnswer, first, firstAnswer, strangerAnswer, stranger], 40_000),
    ("two connections", [first, firstAnswer, second, secondAnswer, late, lateAnswer], other),
    ("a late answer to the older one", [first, second, secondAnswer, firstAnswer], other),
    ("a SYN that is sent again", [first, second, secondAnswer, first, firstAnswer], other),
    ("a SYN that crosses the older one's", [first, second, secondAnswer, crossing], other),
    ("a newer attempt that nobody answers", [first, second, firstAnswer], 40_000),
    ("a SYN that is answered when it was sent again", [first, second, first, firstAnswer], 40_000),
    ("ports that are used again", [first, firstAnswer, second, secondAnswer, third, thirdAnswer], 40_000),
  ]

  @Test func aResetIsForTheConnectionThatBeganLast() throws {
    for (what, sent, port) in Self.newest {
      var bench = Bench(isOpen: false)
      for (bytes, side) in sent { bench.take(bytes, to: side) }
      bench.run()
      bench.departures = []
      let isSent = bench.relay.reset(to: .subject, beyond: 0, at: .zero)
      #expect(isSent, "\(what)")
      bench.run()
      let bytes = try #require(bench.departures.first?.bytes, "\(what)")
      let segment = try #require(IPPacket(bytes).flatMap { TCPSegment($0) }, "\(what)")
      #expect(segment.targetPort == port, "\(what)")
    }
  }

  @Test func noResetIsForAStranger() {
    var bench = Bench(isOpen: false)
    for flags in Self.strangers {
      bench.take(Packets.tcp(flags))
      bench.take(Packets.tcp(flags, toSubject: true), to: .subject)
    }
    for side in NetworkSide.allCases {
      let isSent = bench.relay.reset(to: side, beyond: 0, at: .zero)
      #expect(!isSent)
    }
  }

  private static let losses: [PathChange] = [
    .blackhole, .unreachable(.host), .mtu(30, isTold: false), .mtu(30, isTold: true),
    .lose(Chance(tenThousandths: 10_000)),
  ]

  /// A SYN that the path loses was sent all the same: the connection is the case's.
  @Test(arguments: losses) func aLostSYNBeginsAConnection(loss: PathChange) {
    var bench = Bench(isOpen: false, (loss, Self.both))
    bench.take(Packets.tcp(.syn))
    bench.relay.apply(.restore, Self.both)
    let data = Packets.tcp(sequence: 101, data: [1, 2, 3])
    let answer = Packets.tcp(toSubject: true, data: [4])
    bench.take(data, at: 1)
    bench.take(data, at: 2)
    bench.take(answer, to: .subject, at: 3)
    bench.run()
    let late = bench.departures.filter { $0.at > .zero }
    #expect(late.map(\.bytes) == [data, data, answer])
    let sights = bench.relay.takeSights()
    #expect(sights.first?.text == "TCP 40000→7001 SYN seq 0 win 1000" && sights.first?.isTouched == true)
    #expect(sights.suffix(3).allSatisfy { !$0.isTouched })
  }

  private static let answers: [TCPSegment.Flags] = [[.syn, .ack], [.rst, .ack], .syn, .ack]

  /// Whoever begins: refusals, openings that cross and acknowledgements of another number answer a SYN, too.
  @Test(arguments: answers, [false, true])
  func whatAnswersASYNIsOfTheCase(flags: TCPSegment.Flags, isIPv6: Bool) {
    for side in NetworkSide.allCases {
      let opening = Packets.tcp(.syn, isIPv6: isIPv6, toSubject: side == .subject)
      let answer = Packets.tcp(flags, isIPv6: isIPv6, toSubject: side == .peer, sequence: 900)
      var bench = Bench(isOpen: false)
      bench.take(opening, to: side)
      bench.take(answer, to: side.other)
      bench.run()
      #expect(bench.departures.map(\.bytes) == [opening, answer])
    }
  }

  /// An error may quote whatever it likes; it is no segment.
  @Test(arguments: [false, true]) func whatIsNoSegmentNeedsNoSYN(isIPv6: Bool) throws {
    let stranger = try #require(IPPacket(Packets.tcp(isIPv6: isIPv6)))
    let message = try #require(ICMPMessage.unreachable(.host).answer(to: stranger))
    let datagram = IPPacket.make(
      isIPv6: isIPv6, from: stranger.target, to: stranger.source, transport: IPPacket.Transport.udp,
      content: [0, 53, 0x30, 0x39, 0, 8, 0, 0], checksumOffset: 6)
    var bench = Bench(isOpen: false)
    for packet in [message, datagram] { bench.take(packet, to: .subject) }
    bench.run()
    #expect(bench.departures.map(\.bytes) == [message, datagram])
  }

  /// The first fragment shows whose it is, unless it is too short for that; the others show nothing.
  @Test(arguments: [false, true]) func fragmentsThatCannotBeToldPass(isIPv6: Bool) throws {
    let tiny = isIPv6 ? 56 : 28
    let rows: [(port: UInt16, most: Int, dropped: Int)] = [
      (40_000, 576, 0), (Self.other, 576, 1), (40_000, tiny, 0), (Self.other, tiny, 0),
    ]
    for (port, most, dropped) in rows {
      let data = [UInt8](repeating: 1, count: 1_000)
      let whole = try #require(IPPacket(Packets.tcp(isIPv6: isIPv6, port: port, data: data)))
      let pieces = Fragmenter.fragments(of: whole, most: most, number: 1)
      var bench = Bench()
      for piece in pieces { bench.take(piece) }
      bench.run()
      #expect(pieces.count > 1 && bench.departures.map(\.bytes) == Array(pieces.dropFirst(dropped)), "\(port), \(most)")
      let sights = bench.relay.takeSights()
      #expect(sights.map(\.bytes) == Array(pieces.dropFirst(dropped)), "\(port), \(most)")
    }
  }
}
