import ScenarioModel
import TestSupport

@testable import PacketRelay

/// A relay that is driven by hand; with one link, if nothing else is said.
struct Bench {
  var relay: RelayMachine<SeededGenerator>
  /// What left so far, and when.
  var departures: [(at: Duration, bytes: [UInt8], to: NetworkSide)] = []

  /// `isOpen`: the connection of `Packets` has begun, in either family, and nobody remembers its SYN but the relay.
  init(
    seed: UInt64 = 1, links: [String] = ["lab0"], names: [NameAnswer]? = nil, isOpen: Bool = true,
    _ changes: (PathChange, PathScope)...
  ) {
    relay = RelayMachine(links: links, names: names, generator: SeededGenerator(seed: seed))
    if isOpen { open() }
    for (change, scope) in changes { relay.apply(change, scope) }
  }

  private mutating func open() {
    for isIPv6 in [false, true] { take(Packets.tcp(.syn, isIPv6: isIPv6)) }
    run()
    departures = []
    _ = relay.takeSights()
  }

  /// Lets everything leave until nothing waits.
  mutating func run() {
    while let instant = relay.nextInstant {
      while let next = relay.nextDeparture(at: instant) { departures.append((instant, next.bytes, next.to)) }
    }
  }

  mutating func take(_ bytes: [UInt8], to side: NetworkSide = .peer, at milliseconds: Int = 0) {
    relay.take(bytes, link: 0, to: side, at: .milliseconds(milliseconds))
  }
}
