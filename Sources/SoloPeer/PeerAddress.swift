import ScenarioModel
import SocketPOSIX
import SocketValues

/// Addresses as a person writes and reads them.
package enum PeerAddress {
  /// Takes `127.0.0.1:7777`, `[::1]:7777`, `name:7777`, or the path of a socket, which has a slash in it. A name is
  /// looked up, which blocks for as long as the resolver does. Throws what is wrong, in words.
  package static func parsed(_ text: String) throws(LabFailure) -> RawAddress {
    if text.contains("/") {
      if let address = RawAddress.unix(text) { return address }
      throw LabFailure("\(text) is \(text.utf8.count) bytes long: the path of a socket has 107 at most.")
    }
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      throw LabFailure("\(text) is no address. Write 127.0.0.1:7777, [::1]:7777 or a path with a slash in it.")
    }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    if let address = SocketAddress(numeric: host, port: port) { return RawAddress(address) }
    guard !host.isEmpty, let address = try? HostLookup.resolve(host, port: port).first else {
      throw LabFailure("\(text): \(host.isEmpty ? "the host is missing" : "nobody knows the name \(host)").")
    }
    return RawAddress(address)
  }

  /// The same form, for any address.
  package static func text(_ address: RawAddress) -> String {
    guard let ip = address.ip else { return address.unixPath ?? "a local socket" }
    return ip.family == .ipv6 ? "[\(ip.host)]:\(address.port)" : "\(ip.host):\(address.port)"
  }
}
