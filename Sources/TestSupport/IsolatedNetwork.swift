import Foundation
import Glibc

/// A network of the calling thread's own, without any interface but the loopback one.
package enum IsolatedNetwork {
  private static let newNetwork: Int32 = 0x4000_0000

  /// Moves the calling thread to a network whose IPv6 is switched off, as in many containers. Only the superuser may;
  /// the thread never comes back, so this is for threads of a test's own.
  package static func enterWithoutIPv6() throws {
    try enter(setting: "ipv6/conf/all/disable_ipv6", to: "1")
  }

  /// Moves the calling thread likewise to a network where the kernel connects from one of two ports: that one, which
  /// must be even, and the next.
  package static func enter(connectingFrom port: UInt16) throws {
    try enter(setting: "ipv4/ip_local_port_range", to: "\(port) \(port + 1)")
  }

  private static func enter(setting name: String, to value: String) throws {
    typealias Unshare = @convention(c) (Int32) -> Int32
    guard let symbol = dlsym(nil, "unshare") else { throw WaitFailure("the C library has no unshare") }
    try posix("unshare", unsafeBitCast(symbol, to: Unshare.self)(newNetwork))
    try value.write(toFile: "/proc/sys/net/\(name)", atomically: false, encoding: .utf8)
    // The loopback interface is there, but down.
    let control = try posix("socket", socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    defer { Glibc.close(control) }
    var request = ifreq()
    withUnsafeMutableBytes(of: &request.ifr_ifrn) { $0.copyBytes(from: "lo".utf8) }
    request.ifr_ifru.ifru_flags = Int16(IFF_UP)
    try posix("ioctl", ioctl(control, UInt(SIOCSIFFLAGS), &request))
  }
}
