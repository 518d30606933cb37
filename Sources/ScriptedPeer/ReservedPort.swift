import Glibc
import SocketPOSIX
import SocketValues

/// A port that the kernel never assigns as an ephemeral port while this value lives, in neither family; a bind that
/// names the port may listen on it.
///
/// A scenario that listens again on its port would otherwise lose the port in between, now and then, to another program
/// on the machine that connects or listens at that moment; and one whose peer is there in one family only could meet
/// another case's peer in the other. A socket that is bound and never listens keeps the port: the kernel's own choice
/// avoids it, and a bind with `SO_REUSEADDR` (ACC-17) does not mind it.
package final class ReservedPort: Sendable {
  /// The port, in host order.
  package let number: UInt16
  private let descriptor: Descriptor

  /// In both families where the host has both. Throws what the kernel says when there is no port to be had.
  package init() throws(SystemCallFailure) {
    let descriptor: Descriptor
    do throws(SystemCallFailure) {
      descriptor = try Self.bound(.ipv6)
    } catch {
      descriptor = try Self.bound(.ipv4)
    }
    number = SocketCall.localAddress(descriptor.rawValue)?.port ?? 0
    self.descriptor = descriptor
  }

  private static func bound(_ family: SocketAddress.Family) throws(SystemCallFailure) -> Descriptor {
    let descriptor = try SocketCall.open(family: family == .ipv6 ? AF_INET6 : AF_INET)
    try SocketCall.setReuseAddress(descriptor.rawValue)
    if family == .ipv6 { try SocketCall.setV6Only(descriptor.rawValue, false) }
    try SocketCall.bind(descriptor.rawValue, to: RawAddress(.any(family, port: 0)))
    return descriptor
  }
}
