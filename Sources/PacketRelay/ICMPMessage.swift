import ScenarioModel

/// What a router tells the sender of a packet that it does not pass on.
package enum ICMPMessage: Hashable, Sendable {
  case unreachable(PathChange.Unreachability)
  /// No more than so many bytes pass.
  case tooBig(mtu: Int)

  /// The most of the packet that is quoted: enough for its headers, whatever options they have.
  private static let quoted = 128

  /// The packet that tells it, from the host that the packet was meant for; nil where none may be sent.
  package func answer(to packet: IPPacket) -> [UInt8]? {
    guard !packet.isICMPError, !packet.isForMany, !packet.isLaterFragment else { return nil }
    let (type, code) = packet.isIPv6 ? version6 : version4
    var content: [UInt8] = [type, code, 0, 0]
    content += rest(packet.isIPv6)
    content += packet.bytes.prefix(Self.quoted)
    return IPPacket.make(
      isIPv6: packet.isIPv6, from: packet.target, to: packet.source,
      transport: packet.isIPv6 ? IPPacket.Transport.icmp6 : IPPacket.Transport.icmp, content: content,
      checksumOffset: 2, hasPseudoHeader: packet.isIPv6)
  }

  private func rest(_ isIPv6: Bool) -> [UInt8] {
    guard case .tooBig(let mtu) = self else { return [0, 0, 0, 0] }
    return isIPv6
      ? UInt32(truncatingIfNeeded: mtu).bigEndianBytes : [0, 0] + UInt16(truncatingIfNeeded: mtu).bigEndianBytes
  }

  private var version4: (type: UInt8, code: UInt8) {
    switch self {
    case .tooBig: (3, 4)
    case .unreachable(.network): (3, 0)
    case .unreachable(.host): (3, 1)
    case .unreachable(.port): (3, 3)
    case .unreachable(.prohibited): (3, 13)
    }
  }

  private var version6: (type: UInt8, code: UInt8) {
    switch self {
    case .tooBig: (2, 0)
    case .unreachable(.network): (1, 0)
    case .unreachable(.host): (1, 3)
    case .unreachable(.port): (1, 4)
    case .unreachable(.prohibited): (1, 1)
    }
  }

  /// In words: `ICMP host unreachable`.
  static func text(_ packet: IPPacket) -> String {
    let name = packet.isIPv6 ? "ICMPv6" : "ICMP"
    guard packet.content.count >= 8 else { return name }
    let content = Array(packet.content)
    let message = [
      ICMPMessage.tooBig(mtu: 0), .unreachable(.network), .unreachable(.host), .unreachable(.port),
      .unreachable(.prohibited),
    ].first { (packet.isIPv6 ? $0.version6 : $0.version4) == (content[0], content[1]) }
    switch message {
    case .tooBig: return "\(name) too big, at most \(packet.isIPv6 ? Int(content.longWord(4)) : Int(content.word(6))) B"
    case .unreachable(let what): return "\(name) \(what.rawValue) \(what == .prohibited ? "by rule" : "unreachable")"
    case nil: return "\(name) type \(content[0]) code \(content[1])"
    }
  }
}
