import Glibc
import SocketValues

/// Why a name could not be resolved.
package struct LookupFailure: Error, Equatable, Sendable {
  /// An EAI_ value.
  package let code: Int32
  /// The system's text for it.
  package let message: String

  /// The failure `code`; for EAI_SYSTEM `systemCode` is the errno and gives the text.
  package init(code: Int32, systemCode: Int32 = 0) {
    self.code = code
    message =
      code == EAI_SYSTEM && systemCode != 0
      ? SystemCallFailure.text(for: systemCode)
      : gai_strerror(code).map { String(cString: $0) } ?? "lookup error \(code)"
  }
}

/// The system's resolver.
package enum HostLookup {
  /// The addresses of a host for stream sockets, in the resolver's order, both families, each once.
  ///
  /// Blocks for as long as the resolver does. "localhost" and literals are no special case. The host ends at its first
  /// zero.
  package static func resolve(_ host: String, port: UInt16) throws(LookupFailure) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_protocol = Int32(IPPROTO_TCP)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &list)
    guard code == 0 else { throw LookupFailure(code: code, systemCode: errno) }
    defer { freeaddrinfo(list) }

    var found: [SocketAddress] = []
    var next = list
    while let node = next {
      next = node.pointee.ai_next
      guard let pointer = node.pointee.ai_addr,
        let address = RawAddress(pointer, length: Int(node.pointee.ai_addrlen))?.ip?.with(port: port),
        !found.contains(address)
      else { continue }
      found.append(address)
    }
    guard !found.isEmpty else { throw LookupFailure(code: EAI_NONAME) }
    return found
  }
}
