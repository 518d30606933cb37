import FuzzHarness
import PacketRelay
import ScenarioModel
import Testing

@testable import RelayFuzzing

/// The body of the relay lets it pass, and tells relays that do something else to packets.
@Suite struct RelayTests {
  private typealias Act = RelayProgram.Act

  private static func program(hasNames: Bool = false, _ acts: Act...) -> RelayProgram {
    var program = RelayProgram()
    (program.hasNames, program.acts) = (hasNames, acts)
    return program
  }

  private static func tcp(flags: UInt8 = 0x18, _ count: Int = 5, isIPv6: Bool = false, toPeer: Bool = true) -> Act {
    let content = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    return .packet(.tcp, isIPv6: isIPv6, form: 2, flags: flags, toPeer: toPeer, content: content)
  }

  private static func query(_ name: String, type: UInt8 = 1, isIPv6: Bool = false) -> Act {
    let labels = name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    let message = [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + labels + [0, 0, type, 0, 1]
    return .packet(.query, isIPv6: isIPv6, form: 0, flags: 0, toPeer: true, content: message)
  }

  private static func fragment(_ place: UInt8) -> Act {
    .packet(
      .other, isIPv6: false, form: 6, flags: place, toPeer: true, content: [UInt8](repeating: 8, count: 200))
  }

  /// A segment from another port than those of the other segments.
  private static func stranger(flags: UInt8, toPeer: Bool) -> Act {
    let ports: [UInt8] = toPeer ? [0, 9, 0, 80] : [0, 80, 0, 9]
    let rest: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 2, 0x50, flags, 0x10, 0, 0, 0, 0, 0]
    return .packet(.other, isIPv6: true, form: 6, flags: 0, toPeer: toPeer, content: ports + rest)
  }

  private static func both(_ number: UInt8, _ argument: UInt8) -> [Act] {
    [true, false].map { .change(number, argument: argument, toPeer: $0) }
  }

  static let programs: [RelayProgram] =
    (0..<13).flatMap { (number: UInt8) in
      [1, 2, 7].map { (argument: UInt8) in
        var made = program()
        made.acts = both(number, argument) + [tcp(flags: 2, 0), tcp(flags: 0x12, 0, toPeer: false), tcp(900)]
        made.acts += [tcp(1400, isIPv6: true), .reset(toPeer: false, beyond: 1)]
        return made
      }
    } + [
      program(hasNames: true, query("one.example"), query("ONE.example", type: 28, isIPv6: true)),
      program(hasNames: true, query("many.example"), query("no.example"), query("none.example")),
      program(hasNames: true, query("forged.example"), query("garbage.example"), query("silent.example")),
      // A fragment in the middle of a packet, and one that would reach beyond the longest.
      program(
        .change(6, argument: 0, toPeer: true), fragment(0x21), fragment(0x20), fragment(0), fragment(0x1F),
        fragment(0x7F)),
      // Nothing of a stranger's passes before its SYN, and all behind it.
      program(
        stranger(flags: 0x10, toPeer: true), stranger(flags: 0x12, toPeer: false), stranger(flags: 2, toPeer: true),
        stranger(flags: 0x10, toPeer: true), stranger(flags: 4, toPeer: false)),
      program(query("one.example")), program(.bytes([0x45], toPeer: true), .bytes([], toPeer: false)),
      program(
        .change(9, argument: 1, toPeer: true),
        .packet(.icmp, isIPv6: false, form: 8, flags: 0, toPeer: true, content: []),
        .packet(.icmp, isIPv6: true, form: 1, flags: 0, toPeer: true, content: [1, 2, 3]),
        .packet(.other, isIPv6: true, form: 60, flags: 0, toPeer: true, content: [6, 0, 0, 0, 0, 0, 0, 0])),
    ]

  @Test(arguments: programs) func theRelayPasses(_ program: RelayProgram) {
    var run = RelayRun(RelayFuzzing.Relay(hasNames: program.hasNames))
    #expect(run.violation(in: program) == nil)
    #expect(program.encoded.withUnsafeBytes { RelayProgram($0) } == program)
  }

  @Test func anythingIsAProgram() {
    for input in ManyInputs.short {
      #expect(input.withUnsafeBytes { RelayFuzzing.body($0) } == nil, "\(input)")
    }
  }

  /// A relay that does something else to each packet that leaves it, or to what is seen.
  private struct Faulty: RelayFuzzing.Carrier {
    var relay = RelayFuzzing.Relay(hasNames: true)
    var fault: @Sendable ([UInt8]) -> [UInt8]?
    var seesNothing = false

    mutating func apply(_ change: PathChange, to side: NetworkSide) { relay.apply(change, to: side) }
    mutating func reset(to side: NetworkSide, beyond: Int, at now: Duration) {
      relay.reset(to: side, beyond: beyond, at: now)
    }
    mutating func take(_ bytes: [UInt8], to side: NetworkSide, at now: Duration) {
      relay.take(bytes, to: side, at: now)
    }
    mutating func next(at now: inout Duration) -> (to: NetworkSide, bytes: [UInt8])? {
      while let next = relay.next(at: &now) {
        if let bytes = fault(next.bytes) { return (next.to, bytes) }
      }
      return nil
    }
    mutating func sights() -> [PacketSight] { seesNothing ? [] : relay.sights() }
  }

  private static func flipped(_ bytes: [UInt8], _ place: Int) -> [UInt8] {
    var bytes = bytes
    bytes[place < 0 ? bytes.count + place : place] ^= 1
    return bytes
  }

  private static let faults: [(RelayProgram, String, @Sendable ([UInt8]) -> [UInt8]?)] = [
    (program(tcp()), "relay/departures", { _ in nil }), (program(tcp()), "relay/changed", { flipped($0, -1) }),
    (program(tcp()), "relay/changed", { flipped($0, 8) }), (program(tcp()), "relay/changed", { $0 + [0] }),
    (program(.change(10, argument: 1, toPeer: true), tcp()), "relay/checksums", { flipped($0, 37) }),
    (program(.change(10, argument: 1, toPeer: true), tcp()), "relay/checksums", { flipped($0, 35) }),
    (program(.change(6, argument: 0, toPeer: true), tcp(200)), "relay/fragments", { flipped($0, 7) }),
    (program(.change(9, argument: 0, toPeer: true), tcp()), "relay/checksums", { flipped($0, 21) }),
    (
      // Of the connection over IPv6, which begins last.
      program(.reset(toPeer: true, beyond: 0)), "relay/checksums",
      { $0.count == 60 && $0[53] == 20 ? flipped($0, 45) : $0 }
    ),
    (program(hasNames: true, query("one.example")), "relay/checksums", { flipped($0, -1) }),
  ]

  @Test(arguments: faults.indices) func aFaultIsSeen(_ index: Int) {
    let (program, law, fault) = Self.faults[index]
    var run = RelayRun(Faulty(fault: fault))
    #expect(run.violation(in: program)?.invariant == law)
  }

  @Test func whatIsNotSeenIsMissed() {
    var run = RelayRun(Faulty(fault: { $0 }, seesNothing: true))
    #expect(run.violation(in: Self.program(Self.tcp()))?.invariant == "relay/sights")
  }
}
