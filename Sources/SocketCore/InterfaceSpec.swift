import SocketValues

/// One address of one network interface of the host.
package struct InterfaceAddress: Hashable, Sendable {
  /// The name of the interface, such as `eth0`.
  package var name: String
  /// Port 0.
  package var address: SocketAddress

  package init(name: String, address: SocketAddress) {
    self.name = name
    self.address = address
  }
}

/// The local addresses an interface argument stands for, by family.
package struct LocalAddresses: Hashable, Sendable {
  /// The address to bind for IPv4; nil: none.
  package var ipv4: SocketAddress?
  /// The address to bind for IPv6; nil: none.
  package var ipv6: SocketAddress?

  package init(ipv4: SocketAddress? = nil, ipv6: SocketAddress? = nil) {
    self.ipv4 = ipv4
    self.ipv6 = ipv6
  }

  /// One address alone.
  package init(_ address: SocketAddress) {
    self.init(
      ipv4: address.family == .ipv4 ? address : nil, ipv6: address.family == .ipv6 ? address : nil)
  }

  /// The address of a family; nil: none.
  package subscript(family: SocketAddress.Family) -> SocketAddress? { family == .ipv4 ? ipv4 : ipv6 }
  /// Whether there is no address of either family.
  package var isEmpty: Bool { ipv4 == nil && ipv6 == nil }

  /// Whether listening goes on with IPv4 alone when binding to the IPv6 address fails with this errno: on a host
  /// without IPv6, "localhost" and "all interfaces" mean the addresses that exist. An address that the caller named, or
  /// that an interface of the host has, is required (ACC-04).
  package func mayDoWithoutIPv6(_ errno: Int32) -> Bool {
    guard let ipv4, let ipv6 else { return false }
    let isLoopback = ipv4 == .loopback(.ipv4, port: ipv4.port) && ipv6 == .loopback(.ipv6, port: ipv6.port)
    let isAny = ipv4 == .any(.ipv4, port: ipv4.port) && ipv6 == .any(.ipv6, port: ipv6.port)
    switch errno {
    // There is no such family: IPv6 is not compiled in, or was switched off at boot.
    case Self.familyNotSupported: return isLoopback || isAny
    // There is no such address: IPv6 was switched off for the interfaces.
    case Self.addressNotAvailable: return isLoopback
    default: return false
    }
  }

  private static let familyNotSupported: Int32 = 97
  private static let addressNotAvailable: Int32 = 99
}

/// Reads the `interface` argument of accept and connect: an interface name, a numeric address, `localhost`, `loopback`,
/// or nothing; optionally followed by `:port` (ACC-08…ACC-15, CON-24…CON-26).
package enum InterfaceSpec {
  /// The addresses meant, each with the port; nil if the interface can't be found (ACC-12).
  ///
  /// The port suffix counts only when `port` is 0 (ACC-14). A text that is the name of an interface as a whole has
  /// none: the label of an alias ends in a colon and a number, too (`lo:1`). An IPv6 literal may carry one in brackets
  /// (`[::1]:80`); without brackets a text with more than one colon is an address as a whole, never "everything before
  /// the first colon" (ACC-15). An IPv6 literal may name its interface, or the number of it, behind a percent sign
  /// (`fe80::1%eth0`): a link-local address may be that of several; without, the first that has it is meant. The text
  /// ends at its first zero.
  ///
  /// Throws what `interfaces` throws: of interfaces that the system does not list nothing can be said.
  package static func addresses<Failure: Error>(
    for spec: String?, port: UInt16, interfaces: () throws(Failure) -> [InterfaceAddress]
  ) throws(Failure) -> LocalAddresses? {
    let spec = spec?.upToZero ?? ""
    // Once, and not before one is needed: listing interfaces is a system call.
    var known: [InterfaceAddress]?
    func listed() throws(Failure) -> [InterfaceAddress] {
      if let known { return known }
      let all = try interfaces()
      known = all
      return all
    }
    let parts = split(spec, port: port)
    let literal = parts.flatMap { Literal($0.name, port: $0.port) }
    if let literal, literal.isAlwaysLocal { return LocalAddresses(literal.address) }
    if spec.utf8.dropFirst().contains(UInt8(ascii: ":")), let found = addresses(of: spec, port: port, try listed()) {
      return found
    }
    guard let (name, port) = parts else { return nil }
    if name.isEmpty { return LocalAddresses(ipv4: .any(.ipv4, port: port), ipv6: .any(.ipv6, port: port)) }
    if name == "localhost" || name == "loopback" {
      return LocalAddresses(ipv4: .loopback(.ipv4, port: port), ipv6: .loopback(.ipv6, port: port))
    }
    if let literal {
      let known = try listed().first(where: literal.isOf)
      return known.map { LocalAddresses($0.address.with(port: port)) }
    }
    return addresses(of: name, port: port, try listed())
  }

  /// The first addresses of the interface with that name; nil: there is none.
  private static func addresses(of name: String, port: UInt16, _ interfaces: [InterfaceAddress]) -> LocalAddresses? {
    // Byte for byte: to the kernel, a composed letter is another name than a letter and its accent.
    let own = interfaces.filter { $0.name.utf8.elementsEqual(name.utf8) }
    let found = LocalAddresses(
      ipv4: own.first { $0.address.family == .ipv4 }?.address.with(port: port),
      ipv6: own.first { $0.address.family == .ipv6 }?.address.with(port: port))
    return found.isEmpty ? nil : found
  }

  private static func split(_ spec: String, port: UInt16) -> (name: String, port: UInt16)? {
    if spec.hasPrefix("[") {
      guard let close = spec.firstIndex(of: "]") else { return nil }
      let name = String(spec[spec.index(after: spec.startIndex)..<close])
      let rest = spec[spec.index(after: close)...]
      // Empty brackets name nothing; they don't mean every interface.
      guard !name.isEmpty, rest.isEmpty || rest.hasPrefix(":") else { return nil }
      return suffix(rest.dropFirst(), name: name, port: port)
    }
    let colons = spec.utf8.count { $0 == UInt8(ascii: ":") }
    guard colons == 1, let colon = spec.firstIndex(of: ":") else { return (spec, port) }
    return suffix(spec[spec.index(after: colon)...], name: String(spec[..<colon]), port: port)
  }

  private static func suffix(_ text: Substring, name: String, port: UInt16) -> (name: String, port: UInt16)? {
    guard !text.isEmpty else { return (name, port) }
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(text) else { return nil }
    return (name, port == 0 ? number : port)
  }
}

/// A numeric address as an interface argument has it.
private struct Literal {
  var address: SocketAddress
  /// The name or number of the interface, if it is given; of an IPv6 address only.
  var zone: Substring?

  init?(_ text: String, port: UInt16) {
    if let address = SocketAddress(numeric: text, port: port) {
      self.address = address
      return
    }
    guard let mark = text.firstIndex(of: "%"), text.index(after: mark) < text.endIndex,
      let address = SocketAddress(numeric: String(text[..<mark]), port: port), address.family == .ipv6
    else { return nil }
    (self.address, zone) = (address, text[text.index(after: mark)...])
  }

  /// 127.0.0.0/8 and the wildcards are local, whatever is listed, and if nothing can be.
  var isAlwaysLocal: Bool {
    switch address.family {
    case .ipv4: address.bytes[4] == 127 || address.bytes[4..<8].allSatisfy { $0 == 0 }
    case .ipv6: zone == nil && address.bytes[8..<24].allSatisfy { $0 == 0 }
    }
  }

  /// Whether that is the address meant.
  func isOf(_ interface: InterfaceAddress) -> Bool {
    guard interface.address.family == address.family, interface.address.host == address.host else { return false }
    guard let zone else { return true }
    return interface.name.utf8.elementsEqual(zone.utf8) || String(interface.address.scope) == zone
  }
}
