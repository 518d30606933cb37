/// A socket address in Linux's layout: the family in the first two bytes (host order), ports in network order.
package struct SocketAddress: Hashable, Sendable {
  /// The raw sockaddr, exactly as the kernel takes it: 16 bytes for IPv4, 28 for IPv6.
  package let bytes: [UInt8]

  /// The address families that TCP sockets use.
  package enum Family: Hashable, Sendable { case ipv4, ipv6 }

  /// Wraps a raw sockaddr_in or sockaddr_in6; longer blobs are cut to size (UTIL-05), anything else is nil.
  package init?(decoding bytes: [UInt8]) {
    guard let family = Self.family(of: bytes), bytes.count >= Self.size(of: family) else { return nil }
    self.bytes = Array(bytes[..<Self.size(of: family)])
  }

  /// The family a blob of at least 16 bytes claims (UTIL-04); nil for others.
  package static func family(of bytes: [UInt8]) -> Family? {
    guard bytes.count >= 16 else { return nil }
    return switch UInt16(bytes[0]) | UInt16(bytes[1]) << 8 {
    case 2: .ipv4
    case 10: .ipv6
    default: nil
    }
  }

  /// How many bytes a sockaddr of the family has.
  package static func size(of family: Family) -> Int { family == .ipv4 ? 16 : 28 }

  /// From the four octets of an IPv4 address, first to last.
  package init(ipv4 octets: [UInt8], port: UInt16) {
    precondition(octets.count == 4)
    bytes = [2, 0, UInt8(port >> 8), UInt8(port & 0xFF)] + octets + [UInt8](repeating: 0, count: 8)
  }

  /// From the sixteen octets of an IPv6 address, first to last. `scope`: the index of the interface; 0: none.
  package init(ipv6 octets: [UInt8], port: UInt16, scope: UInt32 = 0) {
    precondition(octets.count == 16)
    let scopeBytes = (0..<4).map { UInt8(truncatingIfNeeded: scope >> ($0 * 8)) }
    bytes = [10, 0, UInt8(port >> 8), UInt8(port & 0xFF), 0, 0, 0, 0] + octets + scopeBytes
  }

  /// The family, told by the size.
  package var family: Family { bytes.count == 16 ? .ipv4 : .ipv6 }
  /// Whether it is an IPv4 address in IPv6 form (::ffff:0:0/96, RFC 4291, 2.5.5.2).
  package var isIPv4Mapped: Bool {
    family == .ipv6 && bytes[8..<18].allSatisfy { $0 == 0 } && bytes[18] == 0xFF && bytes[19] == 0xFF
  }
  /// The port, as a number; 0: none.
  package var port: UInt16 { UInt16(bytes[2]) << 8 | UInt16(bytes[3]) }

  /// The index of the interface that a link-local address is on; 0: none is given.
  package var scope: UInt32 { family == .ipv6 ? bytes[24..<28].reversed().reduce(0) { $0 << 8 | UInt32($1) } : 0 }

  /// The same address with another port.
  package func with(port: UInt16) -> SocketAddress {
    var changed = bytes
    changed[2] = UInt8(port >> 8)
    changed[3] = UInt8(port & 0xFF)
    return SocketAddress(raw: changed)
  }

  private init(raw: [UInt8]) { bytes = raw }

  /// 127.0.0.1 or ::1.
  package static func loopback(_ family: Family, port: UInt16) -> SocketAddress {
    switch family {
    case .ipv4: SocketAddress(ipv4: [127, 0, 0, 1], port: port)
    case .ipv6: SocketAddress(ipv6: [UInt8](repeating: 0, count: 15) + [1], port: port)
    }
  }

  /// The wildcard address: 0.0.0.0 or ::.
  package static func any(_ family: Family, port: UInt16) -> SocketAddress {
    switch family {
    case .ipv4: SocketAddress(ipv4: [0, 0, 0, 0], port: port)
    case .ipv6: SocketAddress(ipv6: [UInt8](repeating: 0, count: 16), port: port)
    }
  }

  /// The numeric host, without a scope (DIAG-04).
  package var host: String {
    switch family {
    case .ipv4: bytes[4..<8].map { String($0) }.joined(separator: ".")
    case .ipv6: NumericHost.text(ipv6: Array(bytes[8..<24]))
    }
  }

  /// From a numeric host, alone or with a port behind a colon; an IPv6 host with a port stands in brackets.
  package init?(numeric text: String) {
    if let address = SocketAddress(numeric: text, port: 0) {
      self = address
      return
    }
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    let host = text[..<colon]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    self.init(numeric: String(isBracketed ? host.dropFirst().dropLast() : host), port: port)
    guard isBracketed == (family == .ipv6) else { return nil }
  }

  /// The address a numeric host names, or nil if the text is not one. Scoped literals (`fe80::1%eth0`) are left to the
  /// resolver, which knows interfaces.
  package init?(numeric host: String, port: UInt16) {
    if let octets = NumericHost.ipv4(host) {
      self.init(ipv4: octets, port: port)
    } else if let octets = NumericHost.ipv6(host) {
      self.init(ipv6: octets, port: port)
    } else {
      return nil
    }
  }
}
