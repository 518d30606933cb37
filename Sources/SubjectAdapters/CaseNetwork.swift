import Glibc
import NetworkNamespaces
import PacketRelay
import ScenarioModel
import ScenarioRunner
import ScriptedPeer
import SocketPOSIX
import SocketValues

/// A case's own network: the subject's host, which is that of the whole process, a host for the peers, and the links
/// between them.
///
/// Laws
/// - Belongs to the runner's thread. Only what stands inside `asPeer` happens on the peers' host.
/// - Each link is an interface on either host, joined by the lab alone: no packet passes that the relay does not see.
/// - Nothing of it is left once it was closed, or its process has ended, but for closed sockets of the subject's host
///   whose kernel still sends: addresses are the same in the next case, and its relay lets nothing of that pass.
final class CaseNetwork {
  private let setup: NetworkSetup
  private let own: NetworkNamespace
  private let peers: NetworkNamespace
  private let carrier: PacketCarrier

  /// Makes hosts and links. Throws what the system refuses.
  init(_ setup: NetworkSetup, in own: NetworkNamespace, seed: UInt64, log: WorldEventLog) throws(SystemCallFailure) {
    self.setup = setup
    self.own = own
    let peers = try NetworkNamespace.makeBeside(own)
    self.peers = peers
    if let count = setup.retransmissions {
      try NetworkNamespace.setRetransmissions(count)
      try peers.run(backTo: own) { () throws(SystemCallFailure) in try NetworkNamespace.setRetransmissions(count) }
    } else {
      // Resets what the previous case may have set. A process that may not set it has nothing to reset.
      try? NetworkNamespace.setRetransmissions(NetworkNamespace.usualRetransmissions)
    }
    var wires: [PacketCarrier.Wire] = []
    for place in setup.links.indices {
      let subject = try Self.makeEnd(setup, place, .subject)
      let peer = try peers.run(backTo: own) { () throws(SystemCallFailure) in try Self.makeEnd(setup, place, .peer) }
      wires.append(PacketCarrier.Wire(subject: subject, peer: peer))
    }
    carrier = try PacketCarrier(wires, setup, seed: seed, log: log)
  }

  /// Makes one end of a link on the host that the calling thread is on.
  private static func makeEnd(
    _ setup: NetworkSetup, _ place: Int, _ side: NetworkSide
  ) throws(SystemCallFailure) -> TunnelInterface {
    let link = setup.links[place]
    let end = try TunnelInterface(name: link.name)
    try InterfaceCall.setMTU(link.name, link.mtu)
    try InterfaceCall.setUp(link.name, true)
    try addAddresses(setup, place, side, [.ipv4, .ipv6])
    return end
  }

  private static func addAddresses(
    _ setup: NetworkSetup, _ place: Int, _ side: NetworkSide, _ families: [AddressFamily]
  ) throws(SystemCallFailure) {
    let link = setup.links[place]
    for family in families where link.carries(family) {
      try setAddress(NetworkLink.address(family, of: side, place: place), on: link.name, isThere: true)
      guard family == .ipv6 else { continue }
      try setAddress(NetworkLink.linkLocalAddress(of: side), on: link.name, isThere: true)
    }
  }

  private static func setAddress(_ text: String, on link: String, isThere: Bool) throws(SystemCallFailure) {
    guard let address = SocketAddress(numeric: text, port: 0) else {
      throw SystemCallFailure(call: "address \(text)", code: EINVAL)
    }
    try InterfaceCall.setAddress(
      link, RawAddress(address), prefix: address.family == .ipv6 ? 64 : 24, isThere: isThere)
  }

  /// Runs the body with the calling thread on the peers' host: sockets that it opens are there, and stay there.
  func asPeer<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try peers.run(backTo: own, body)
  }

  /// The address of a host in a family, on the first link that carries the family; nil: none does.
  func address(_ family: AddressFamily, of side: NetworkSide, port: UInt16) -> RawAddress? {
    guard let place = setup.links.firstIndex(where: { $0.carries(family) }),
      let address = SocketAddress(numeric: NetworkLink.address(family, of: side, place: place), port: port)
    else { return nil }
    return RawAddress(address)
  }

  /// Carries out an act of the network's lane. Returns why it could not be done; nil: it was.
  func perform(_ action: NetworkAction) -> String? {
    switch action {
    case .change(let change, let scope):
      carrier.tell { relay, _ in relay.apply(change, scope) }
      return nil
    case .reset(let side, let beyond):
      let isSent = carrier.tell { relay, now in relay.reset(to: side, beyond: beyond, at: now) }
      return isSent ? nil : "no connection has come by yet"
    case .address(let address, let side, let link, let isThere):
      return attempt(on: side) { () throws(SystemCallFailure) in
        try Self.setAddress(address, on: link ?? self.link(of: address), isThere: isThere)
      }
    case .interface(let link, let side, let isUp):
      return attempt(on: side) { () throws(SystemCallFailure) in
        try InterfaceCall.setUp(link, isUp)
        // Those of IPv6 go with an interface that goes down.
        guard isUp, let place = setup.place(of: link) else { return }
        do throws(SystemCallFailure) {
          try Self.addAddresses(setup, place, side, [.ipv6])
        } catch { guard error.code == EEXIST else { throw error } }
      }
    }
  }

  private func attempt(on side: NetworkSide, _ body: () throws(SystemCallFailure) -> Void) -> String? {
    do throws(SystemCallFailure) {
      if side == .peer { try asPeer(body) } else { try body() }
      return nil
    } catch { return error.description }
  }

  /// The link that the lab gave the address to; the first one if it is none of the lab's.
  private func link(of address: String) -> String {
    let place = setup.links.indices.first { place in
      NetworkSide.allCases.contains { side in
        [AddressFamily.ipv4, .ipv6].contains { NetworkLink.address($0, of: side, place: place) == address }
      }
    }
    return setup.links[place ?? 0].name
  }

  /// Ends the links; packets under way are lost.
  func close() { carrier.end() }
}
