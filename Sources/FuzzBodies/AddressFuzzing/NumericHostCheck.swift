import FuzzHarness
import Glibc
import SocketCore
import SocketPOSIX
import SocketValues

/// The C library's view of numeric hosts.
enum CLibrary {
  /// What `inet_pton` reads; a text with a zero inside is no C string, and no host.
  static func octets(_ text: String, _ family: Int32) -> [UInt8]? {
    guard !text.utf8.contains(0) else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: 16, alignment: 4) { room in
      guard let base = room.baseAddress, inet_pton(family, text, base) == 1 else { return nil }
      return Array(room[..<(family == AF_INET ? 4 : 16)])
    }
  }

  /// What `inet_ntop` writes.
  static func text(_ octets: some Collection<UInt8>) -> String {
    let octets = Array(octets)
    let family = octets.count == 4 ? AF_INET : AF_INET6
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { room in
      guard let base = room.baseAddress, inet_ntop(family, octets, base, socklen_t(INET6_ADDRSTRLEN)) != nil
      else { return "" }
      return String(cString: base)
    }
  }

  /// The raw sockaddr `getaddrinfo` makes of a numeric host; nil if it takes the text for none.
  static func resolved(_ text: String) -> [UInt8]? {
    guard !text.utf8.contains(0) else { return nil }
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(text, nil, &hints, &list) == 0, let first = list else { return nil }
    defer { freeaddrinfo(first) }
    guard let address = first.pointee.ai_addr else { return nil }
    return Array(UnsafeRawBufferPointer(start: address, count: Int(first.pointee.ai_addrlen)))
  }
}

struct NumericHostCheck {
  let code: AddressCode

  init(_ code: AddressCode) { self.code = code }

  func check(_ text: String, asksResolver: Bool) -> Violation? {
    let four = code.ipv4(text)
    let six = code.ipv6(text)
    for (family, ours) in [(AF_INET, four), (AF_INET6, six)] {
      let theirs = CLibrary.octets(text, family)
      guard ours == theirs else { return Violation("address/host", disagreement(family, ours, theirs)) }
    }
    guard let octets = four ?? six else { return nil }
    if let violation = checkText(octets) { return violation }
    return asksResolver ? checkResolved(text, octets) : nil
  }

  private func disagreement(_ family: Int32, _ ours: [UInt8]?, _ theirs: [UInt8]?) -> String {
    let texts = [ours, theirs].map { $0.map { CLibrary.text($0) } ?? "nothing" }
    return "as IPv\(family == AF_INET ? 4 : 6), \(texts[0]) is read where inet_pton reads \(texts[1])"
  }

  /// Prints as the C library does, and reads the same.
  func checkText(_ octets: [UInt8]) -> Violation? {
    let wanted = CLibrary.text(octets)
    let printed = octets.count == 4 ? SocketAddress(ipv4: octets, port: 0).host : code.ipv6Text(octets)
    guard printed == wanted else { return Violation("address/text", "\(printed) is printed for \(wanted)") }
    let again = octets.count == 4 ? code.ipv4(printed) : code.ipv6(printed)
    guard again == octets else {
      return Violation("address/text", "\(printed) does not read as what it was printed for")
    }
    return nil
  }

  private func checkResolved(_ text: String, _ octets: [UInt8]) -> Violation? {
    let address = SocketAddress(numeric: text, port: 0)
    let theirs = CLibrary.resolved(text)
    guard let address, address.bytes == theirs else {
      return Violation("address/host", "the resolver reads another address than \(CLibrary.text(octets))")
    }
    return nil
  }
}

/// The `interface` argument against a plain reading of its grammar.
struct InterfaceCheck {
  let code: AddressCode

  init(_ code: AddressCode) { self.code = code }

  /// Names that look like one another, and literals that are listed.
  static let interfaces: [InterfaceAddress] = [
    InterfaceAddress(name: "lo", address: .loopback(.ipv4, port: 0)),
    InterfaceAddress(name: "lo", address: .loopback(.ipv6, port: 0)),
    InterfaceAddress(name: "e0", address: SocketAddress(ipv4: [192, 0, 2, 1], port: 0)),
    InterfaceAddress(name: "e0", address: SocketAddress(ipv4: [192, 0, 2, 2], port: 0)),
    InterfaceAddress(
      name: "e\u{301}",
      address: SocketAddress(ipv6: [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1], port: 0, scope: 3)),
    InterfaceAddress(
      name: "e0",
      address: SocketAddress(ipv6: [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1], port: 0, scope: 2)),
  ]

  func check(_ text: String, port: UInt8) -> Violation? {
    // Mostly 0: the only port that a suffix can replace.
    let port: UInt16 = port == 6 ? 0 : UInt16(port)
    let ours = code.local(text, port, Self.interfaces)
    let wanted = Self.naive(Array(text.utf8), port: port)
    guard ours != wanted else { return nil }
    let texts = [ours, wanted].map { addresses in
      [addresses?.ipv4, addresses?.ipv6].map { $0.map { "\($0.host):\($0.port)" } ?? "none" }.joined(separator: " ")
    }
    return Violation("address/interface", "\(texts[0]) is meant instead of \(texts[1])")
  }

  /// Byte for byte, up to a zero, where the original's strings end.
  static func naive(_ text: [UInt8], port: UInt16) -> LocalAddresses? {
    let text = Array(text.prefix { $0 != 0 })
    let colon = UInt8(ascii: ":")
    var name = text
    var suffix: [UInt8] = []
    if text.first == UInt8(ascii: "[") {
      guard let close = text.firstIndex(of: UInt8(ascii: "]")), close > 1 else { return nil }
      name = Array(text[1..<close])
      suffix = Array(text[(close + 1)...])
      guard suffix.isEmpty || suffix[0] == colon else { return nil }
    } else if text.count(where: { $0 == colon }) == 1, let place = text.firstIndex(of: colon) {
      name = Array(text[..<place])
      suffix = Array(text[place...])
    }
    var port = port
    if suffix.count > 1 {
      var number = 0
      for byte in suffix.dropFirst() {
        guard (48...57).contains(byte) else { return nil }
        number = min(number * 10 + Int(byte) - 48, 1 << 20)
      }
      guard number < 1 << 16 else { return nil }
      if port == 0 { port = UInt16(number) }
    }
    return named(name, port: port)
  }

  private static func named(_ name: [UInt8], port: UInt16) -> LocalAddresses? {
    if name.isEmpty { return LocalAddresses(ipv4: .any(.ipv4, port: port), ipv6: .any(.ipv6, port: port)) }
    if name == Array("localhost".utf8) || name == Array("loopback".utf8) {
      return LocalAddresses(ipv4: .loopback(.ipv4, port: port), ipv6: .loopback(.ipv6, port: port))
    }
    let text = String(decoding: name, as: UTF8.self)
    if let octets = CLibrary.octets(text, AF_INET) {
      let isLocal = octets[0] == 127 || octets == [0, 0, 0, 0] || octets[..<3] == [192, 0, 2] && (1...2) ~= octets[3]
      return isLocal ? LocalAddresses(ipv4: SocketAddress(ipv4: octets, port: port)) : nil
    }
    if let octets = CLibrary.octets(text, AF_INET6) {
      let listed = interfaces.first { $0.address.family == .ipv6 && Array($0.address.bytes[8..<24]) == octets }
      if let listed { return LocalAddresses(ipv6: listed.address.with(port: port)) }
      return octets.allSatisfy { $0 == 0 } ? LocalAddresses(ipv6: SocketAddress(ipv6: octets, port: port)) : nil
    }
    if let mark = name.firstIndex(of: UInt8(ascii: "%")), mark + 1 < name.count,
      let octets = CLibrary.octets(String(decoding: name[..<mark], as: UTF8.self), AF_INET6)
    {
      let zone = Array(name[(mark + 1)...])
      let listed = interfaces.first {
        $0.address.family == .ipv6 && Array($0.address.bytes[8..<24]) == octets
          && (Array($0.name.utf8) == zone || Array("\($0.address.bytes[24])".utf8) == zone)
      }
      return listed.map { LocalAddresses(ipv6: $0.address.with(port: port)) }
    }
    let own = interfaces.filter { Array($0.name.utf8) == name }
    let four = own.first { $0.address.family == .ipv4 }?.address.with(port: port)
    let six = own.first { $0.address.family == .ipv6 }?.address.with(port: port)
    return four == nil && six == nil ? nil : LocalAddresses(ipv4: four, ipv6: six)
  }
}
