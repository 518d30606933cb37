import Glibc

extension RawAddress {
  /// A dotted quad; nil when the literal is anything else.
  package static func ipv4(_ literal: String, port: UInt16) -> RawAddress? {
    guard let host = parse(literal, family: AF_INET, count: 4) else { return nil }
    return ipv4(host: host, port: port)
  }

  /// An IPv6 literal without a "%scope" suffix; nil when it is anything else. `scope` is an interface index, 0 for
  /// none.
  package static func ipv6(_ literal: String, port: UInt16, scope: UInt32 = 0) -> RawAddress? {
    guard let host = parse(literal, family: AF_INET6, count: 16) else { return nil }
    return ipv6(host: host, port: port, scope: scope)
  }

  /// 0.0.0.0
  package static func anyIPv4(port: UInt16) -> RawAddress {
    ipv4(host: [0, 0, 0, 0], port: port)
  }

  /// ::
  package static func anyIPv6(port: UInt16) -> RawAddress {
    ipv6(host: [UInt8](repeating: 0, count: 16), port: port, scope: 0)
  }

  /// 127.0.0.1
  package static func loopbackIPv4(port: UInt16) -> RawAddress {
    ipv4(host: [127, 0, 0, 1], port: port)
  }

  /// ::1
  package static func loopbackIPv6(port: UInt16) -> RawAddress {
    ipv6(host: [UInt8](repeating: 0, count: 15) + [1], port: port, scope: 0)
  }

  /// The local socket at a path; nil when the path is empty, holds a zero byte, or does not fit with its final zero.
  package static func unix(_ path: String) -> RawAddress? {
    let text = Array(path.utf8)
    guard !text.isEmpty, text.count < pathLimit, !text.contains(0) else { return nil }
    return RawAddress(unchecked: familyBytes(AF_UNIX) + text + [0])
  }

  /// The host as digits, without a scope suffix; nil for a local socket.
  package var numericHost: String? {
    let range: Range<Int>
    switch family {
    case AF_INET: range = 4..<8
    case AF_INET6: range = 8..<24
    default: return nil
    }
    let capacity = Int(INET6_ADDRSTRLEN)
    return bytes[range].withUnsafeBytes { host in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { text in
        guard let source = host.baseAddress, let target = text.baseAddress,
          inet_ntop(family, source, target, socklen_t(capacity)) != nil
        else { return nil }
        return String(cString: target)
      }
    }
  }

  /// The path of a local socket; nil for other families and for unnamed, abstract or ill-encoded paths.
  package var unixPath: String? {
    guard family == AF_UNIX else { return nil }
    let path = bytes.dropFirst(2).prefix { $0 != 0 }
    return path.isEmpty ? nil : String(validating: path, as: UTF8.self)
  }

  /// The interface index an IPv6 address is bound to, 0 for none and for other families.
  package var scope: UInt32 {
    guard family == AF_INET6 else { return 0 }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 24, as: UInt32.self) }
  }

  private static func parse(_ literal: String, family: Int32, count: Int) -> [UInt8]? {
    // A C string ends at the first zero: "127.0.0.1\0junk" must not pass for an address.
    guard !literal.utf8.contains(0) else { return nil }
    var host = [UInt8](repeating: 0, count: count)
    let parsed = host.withUnsafeMutableBytes { inet_pton(family, literal, $0.baseAddress) }
    return parsed == 1 ? host : nil
  }

  private static func ipv4(host: [UInt8], port: UInt16) -> RawAddress {
    RawAddress(unchecked: familyBytes(AF_INET) + portBytes(port) + host + [UInt8](repeating: 0, count: 8))
  }

  private static func ipv6(host: [UInt8], port: UInt16, scope: UInt32) -> RawAddress {
    let flow: [UInt8] = [0, 0, 0, 0]
    let scopeBytes = withUnsafeBytes(of: scope) { Array($0) }
    return RawAddress(unchecked: familyBytes(AF_INET6) + portBytes(port) + flow + host + scopeBytes)
  }

  private static func familyBytes(_ family: Int32) -> [UInt8] {
    withUnsafeBytes(of: UInt16(family)) { Array($0) }
  }

  private static func portBytes(_ port: UInt16) -> [UInt8] {
    [UInt8(port >> 8), UInt8(port & 0xFF)]
  }
}
