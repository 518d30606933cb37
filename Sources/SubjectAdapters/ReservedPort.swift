import Glibc
import SocketPOSIX
import SocketValues

/// A port that the kernel never assigns as an ephemeral port while this value lives; a bind that names the port may
/// listen on it.
///
/// A scenario that listens again on its port would otherwise lose the port in between, now and then, to another program
/// on the machine that connects or listens at that moment. A socket that is bound and never listens keeps the port: the
/// kernel's own choice avoids it, and a bind with `SO_REUSEADDR` (ACC-17) does not mind it.
final class ReservedPort: Sendable {
  let number: UInt16
  private let descriptor: Descriptor

  /// In both families where the host has both.
  init() throws(SystemCallFailure) {
    let isDual = HostProbe.hasIPv6
    let descriptor = try SocketCall.open(family: isDual ? AF_INET6 : AF_INET)
    try SocketCall.setReuseAddress(descriptor.rawValue)
    if isDual { try SocketCall.setV6Only(descriptor.rawValue, false) }
    try SocketCall.bind(descriptor.rawValue, to: RawAddress(.any(isDual ? .ipv6 : .ipv4, port: 0)))
    number = SocketCall.localAddress(descriptor.rawValue)?.port ?? 0
    self.descriptor = descriptor
  }
}
