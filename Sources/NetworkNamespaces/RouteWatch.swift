import Glibc
import SocketPOSIX

/// What the kernel tells of the routes of IPv6 in the calling thread's network, from when it is made.
///
/// The kernel makes the route to an interface's new address a little after the address, on a busy host much later. What
/// comes for the address until then is lost.
struct RouteWatch: ~Copyable {
  private static let routesOfIPv6: UInt32 = 0x400
  /// The kernel tells of a route; nothing for so long, in seconds, and it will not come.
  private static let maxSilence = 15

  private let descriptor: Descriptor

  init() throws(SystemCallFailure) {
    let descriptor = try RouteMessage.openSocket()
    let raw = descriptor.rawValue
    var silence = timeval(tv_sec: Self.maxSilence, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    guard setsockopt(raw, SOL_SOCKET, SO_RCVTIMEO, &silence, size) == 0 else {
      throw SystemCallFailure(call: "SO_RCVTIMEO", code: errno)
    }
    // `struct sockaddr_nl`: the family, a gap, the number that the kernel may choose, and the groups.
    let address: [UInt32] = [UInt32(AF_NETLINK), 0, Self.routesOfIPv6]
    let outcome = address.withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { bind(raw, $0.baseAddress, socklen_t(bytes.count)) }
    }
    guard outcome == 0 else { throw SystemCallFailure(call: "bind RTMGRP_IPV6_ROUTE", code: errno) }
    self.descriptor = descriptor
  }

  /// Returns when packets to the address that come in by the interface reach this host.
  func awaitRoute(to address: [UInt8], from interface: UInt32) throws(SystemCallFailure) {
    var news = [UInt8](repeating: 0, count: 4_096)
    while try !RouteMessage.isLocal(address, from: interface) {
      let count = news.withUnsafeMutableBytes { recv(descriptor.rawValue, $0.baseAddress, $0.count, 0) }
      // What was too much to keep was news, too.
      guard count >= 0 || errno == EINTR || errno == ENOBUFS else {
        throw SystemCallFailure(call: "the route to a new address", code: errno == EAGAIN ? ETIMEDOUT : errno)
      }
    }
  }
}
