import Glibc
import SocketValues

extension RawAddress {
  /// An address of IPv4 or IPv6.
  package init(_ address: SocketAddress) { self.init(unchecked: address.bytes) }

  /// The address as IPv4 or IPv6; nil for a local socket.
  package var ip: SocketAddress? { SocketAddress(decoding: bytes) }

  /// 127.0.0.1
  package static func loopbackIPv4(port: UInt16) -> RawAddress { RawAddress(.loopback(.ipv4, port: port)) }

  /// ::1
  package static func loopbackIPv6(port: UInt16) -> RawAddress { RawAddress(.loopback(.ipv6, port: port)) }

  /// The local socket at a path; nil when the path is empty, holds a zero byte, or does not fit with its final zero.
  package static func unix(_ path: String) -> RawAddress? {
    let text = Array(path.utf8)
    guard !text.isEmpty, text.count < pathLimit, !text.contains(0) else { return nil }
    return RawAddress(unchecked: withUnsafeBytes(of: UInt16(AF_UNIX)) { Array($0) } + text + [0])
  }

  /// The path of a local socket; nil for other families and for unnamed, abstract or ill-encoded paths.
  package var unixPath: String? {
    guard family == AF_UNIX else { return nil }
    let path = bytes.dropFirst(2).prefix { $0 != 0 }
    return path.isEmpty ? nil : String(validating: path, as: UTF8.self)
  }
}
