import Glibc
import SocketPOSIX
import SocketValues

/// A port that the kernel gives to nobody who asks for just any port, as long as this value lives; who names the port
/// may listen on it.
///
/// A scenario that listens where it has listened before would otherwise lose its port in between, now and then, to
/// whoever on the machine connects or listens at that moment. A socket that is bound and never listens keeps the port:
/// the kernel's own choice avoids it, and a bind with `SO_REUSEADDR` (ACC-17) does not mind it.
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
