import Glibc
import SocketPOSIX

/// What the kernel tells of the routes of IPv6 in the calling thread's network, from when it is made.
///
/// The kernel makes the route to an interface's new address a little after the address, on a busy host much later. What
/// comes for the address until then is lost. It tells of the route a moment before it finds it: the node of its tree is
/// marked as one that has a route when the news is out. So whoever has heard of it and does not find it looks again,
/// without more news.
struct RouteWatch: ~Copyable {
  private static let routesOfIPv6: UInt32 = 0x400
  /// A route that has not come by then will not come.
  private static let maxWait = Duration.seconds(15)
  /// Microseconds from one look to the next, if there is no news.
  private static let silence = 10_000

  private let descriptor: Descriptor

  init() throws(SystemCallFailure) {
    let descriptor = try RouteMessage.openSocket()
    let raw = descriptor.rawValue
    var silence = timeval(tv_sec: 0, tv_usec: Self.silence)
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
    try awaitRoute { () throws(SystemCallFailure) in try RouteMessage.isLocal(address, from: interface) }
  }

  func awaitRoute(_ isLocal: () throws(SystemCallFailure) -> Bool) throws(SystemCallFailure) {
    let start = ContinuousClock.now
    try Self.wait(
      until: isLocal, isOver: { ContinuousClock.now - start > Self.maxWait },
      hear: { () throws(SystemCallFailure) in try hear() })
  }

  /// The order of looking and hearing. `hear` returns when there is news, and without any after a while.
  static func wait(
    until isLocal: () throws(SystemCallFailure) -> Bool, isOver: () -> Bool,
    hear: () throws(SystemCallFailure) -> Void
  ) throws(SystemCallFailure) {
    while try !isLocal() {
      if isOver() { throw SystemCallFailure(call: "the route to a new address", code: ETIMEDOUT) }
      try hear()
    }
  }

  private func hear() throws(SystemCallFailure) {
    var news = [UInt8](repeating: 0, count: 4_096)
    let count = news.withUnsafeMutableBytes { recv(descriptor.rawValue, $0.baseAddress, $0.count, 0) }
    // What was too much to keep was news, too.
    guard count >= 0 || [EAGAIN, EINTR, ENOBUFS].contains(errno) else {
      throw SystemCallFailure(call: "news of routes", code: errno)
    }
  }
}
