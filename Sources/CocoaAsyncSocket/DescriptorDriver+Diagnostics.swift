import Foundation
import SocketCore
import SocketPOSIX
import SocketValues

extension DescriptorDriver {
  var remoteAddress: SocketAddress? {
    guard machine.isConnected, let stream else { return nil }
    return (stream.peer ?? SocketCall.peerAddress(stream.number)).flatMap(\.ip)
  }

  var localAddress: SocketAddress? {
    guard let open = stream ?? listeners.first, machine.isConnected || machine.isListening else { return nil }
    return SocketCall.localAddress(open.number).flatMap(\.ip)
  }

  var localPort: UInt16 { localAddress?.port ?? 0 }

  /// The remote address, for descriptions.
  var remoteText: String { connectedPath ?? remoteAddress.map { "\($0.host) port \($0.port)" } ?? "a local peer" }

  /// All descriptors in use: the connection, the attempts or the listeners.
  private var descriptors: [Int32] {
    if let stream { return [stream.number] }
    if !listeners.isEmpty { return listeners.map(\.number) }
    return attempts.keys.sorted { $0.index < $1.index }.compactMap { attempts[$0]?.number }
  }

  /// The descriptor in use for the family.
  func descriptor(of family: SocketAddress.Family) -> Int32? {
    descriptors.first { SocketCall.family($0) == (family == .ipv4 ? AF_INET : AF_INET6) }
  }

  /// IPv4 before IPv6 before Unix-domain (THR-06, THR-07).
  var anyDescriptor: Int32? { descriptor(of: .ipv4) ?? descriptor(of: .ipv6) ?? descriptors.first }
}
