import SocketPOSIX

extension ConversationRecorder {
  /// Whether a recorder at `address` that goes on to `server` would come out at itself: at the same address, or where
  /// it listens at all addresses of this host, of which the server's is one. A port that the system is to choose is
  /// nobody's yet.
  package static func reachesItself(at address: RawAddress, to server: RawAddress) -> Bool {
    guard let own = host(of: address), var other = host(of: server) else { return address == server }
    guard address.port == server.port, address.port != 0 else { return false }
    // Who connects to the address that stands for all is connected to the loopback's.
    if isWildcard(other) { other = other.count == 4 ? loopbackIPv4 : loopbackIPv6 }
    guard isWildcard(own) else { return own == other }
    // At `::` a listener has IPv4 as well.
    guard own.count == 16 || other.count == 4 else { return false }
    return other == loopbackIPv4 || other == loopbackIPv6 || isOfThisHost(server)
  }

  private static let loopbackIPv4: [UInt8] = [127, 0, 0, 1]
  private static let loopbackIPv6 = [UInt8](repeating: 0, count: 15) + [1]

  private static func isWildcard(_ host: [UInt8]) -> Bool { host.allSatisfy { $0 == 0 } }

  /// An address of IPv4 in IPv6 form is that of IPv4; nil: a path has no host.
  private static func host(of address: RawAddress) -> [UInt8]? {
    guard let host = address.hostBytes else { return nil }
    let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    return host.starts(with: mapped) ? Array(host.suffix(4)) : host
  }

  /// No other host's address can be bound.
  private static func isOfThisHost(_ address: RawAddress) -> Bool {
    do throws(SystemCallFailure) {
      let probe = try SocketCall.open(family: address.family)
      try SocketCall.bind(probe.rawValue, to: address.withPort(0))
      return true
    } catch { return false }
  }
}
