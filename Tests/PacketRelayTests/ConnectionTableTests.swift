import ScenarioModel
import Testing

@testable import PacketRelay

/// What a relay knows of connections: how it tells of their segments, and what it forges.
@Suite struct ConnectionTableTests {
  /// The forged reset to one side, after segments that came by.
  private static func reset(
    to side: NetworkSide, beyond: Int = 0, links: [String] = ["lab0"],
    after segments: [(bytes: [UInt8], to: NetworkSide)]
  ) throws -> (segment: TCPSegment, departure: RelayMachine<Fixed>.Departure) {
    var relay = RelayMachine(links: links, generator: Fixed())
    for segment in segments {
      relay.take(segment.bytes, link: 0, to: segment.to, at: .zero)
      _ = relay.nextDeparture(at: .zero)
    }
    let isSent = relay.reset(to: side, beyond: beyond, at: .zero)
    #expect(isSent)
    let next = relay.nextDeparture(at: .zero)
    let departure = try #require(next)
    return (try #require(IPPacket(departure.bytes).flatMap { TCPSegment($0) }), departure)
  }

  private struct Fixed: RandomNumberGenerator, Sendable {
    mutating func next() -> UInt64 { 0 }
  }

  /// A connection whose peer's numbers begin just below 2³², and what either end has said in it.
  private static func opening(peerStart: UInt32 = 4_294_967_290) -> [(bytes: [UInt8], to: NetworkSide)] {
    [
      (Packets.tcp(.syn, sequence: 500), .peer),
      (Packets.tcp([.syn, .ack], toSubject: true, sequence: peerStart, acknowledged: 501), .subject),
      (Packets.tcp(sequence: 501, acknowledged: peerStart &+ 1), .peer),
    ]
  }

  private static func said(_ count: Int, from sequence: UInt32) -> (bytes: [UInt8], to: NetworkSide) {
    let data = [UInt8](repeating: 1, count: count)
    return (Packets.tcp(toSubject: true, sequence: sequence, acknowledged: 501, data: data), .subject)
  }

  /// Beyond 2³² numbers go on at 0: what is behind that is later, and what is said again moves nothing.
  @Test func aResetFollowsTheLastByteAcrossTheWrap() throws {
    let first = Self.said(20, from: 4_294_967_291)
    let second = Self.said(10, from: 15)
    let rows: [([(bytes: [UInt8], to: NetworkSide)], UInt32)] = [
      ([], 4_294_967_291), ([first], 15), ([first, second], 25), ([first, second, first], 25), ([first, first], 15),
    ]
    for (segments, number) in rows {
      #expect(try Self.reset(to: .subject, after: Self.opening() + segments).segment.sequence == number)
    }
  }

  /// An end acknowledges late: what was sent to it counts, not what it has said it waits for.
  @Test func aResetIsAheadOfLateAcknowledgements() throws {
    let late = (bytes: Packets.tcp(sequence: 501, acknowledged: 1_001), to: NetworkSide.peer)
    let segments = Self.opening(peerStart: 1_000) + [Self.said(300, from: 1_001), late]
    for (beyond, number) in [(0, 1_301), (-1, 1_300), (5, 1_306)] as [(Int, UInt32)] {
      #expect(try Self.reset(to: .subject, beyond: beyond, after: segments).segment.sequence == number)
    }
    #expect(try Self.reset(to: .peer, after: segments).segment.sequence == 501)
  }

  @Test func aResetGoesOverTheFirstLink() throws {
    for side in NetworkSide.allCases {
      let forged = try Self.reset(to: side, links: ["lab0", "lab1"], after: Self.opening())
      #expect(forged.departure.link == 0 && forged.departure.to == side)
    }
  }

  /// A pair of ports that is used again counts from its new beginning.
  @Test func aSecondConnectionBeginsAnew() {
    var relay = RelayMachine(links: ["lab0"], generator: Fixed())
    for (bytes, side) in Self.opening(peerStart: 1_000) { relay.take(bytes, link: 0, to: side, at: .zero) }
    relay.take(Packets.tcp(.syn, sequence: 90_000), link: 0, to: .peer, at: .zero)
    relay.take(
      Packets.tcp([.syn, .ack], toSubject: true, sequence: 70_000, acknowledged: 90_001), link: 0, to: .subject,
      at: .zero)
    #expect(
      relay.takeSights().suffix(2).map(\.text) == [
        "TCP 40000→7001 SYN seq 0 win 1000", "TCP 7001→40000 SYN ACK seq 0 ack 1 win 1000",
      ])
  }
}
