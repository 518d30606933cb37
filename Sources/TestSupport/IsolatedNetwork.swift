import Foundation
import Glibc

/// Networks of a thread's own, without any interface but the loopback one.
package enum IsolatedNetwork {
  private static let newNetwork: Int32 = 0x4000_0000

  /// Runs the body in a network whose IPv6 is switched off, as in many containers. See `run`.
  package static func runWithoutIPv6(_ body: @escaping @Sendable () throws -> Void) throws -> [String] {
    try run(setting: "ipv6/conf/all/disable_ipv6", to: "1", body)
  }

  /// Runs the body in a network where the kernel connects from one of two ports: that one, which must be even, and the
  /// next. See `run`.
  package static func run(
    connectingFrom port: UInt16, _ body: @escaping @Sendable () throws -> Void
  ) throws -> [String] {
    try run(setting: "ipv4/ip_local_port_range", to: "\(port) \(port + 1)", body)
  }

  /// Runs the body on a thread of its own. Only the superuser may make a network, and not every one: without, the body
  /// does not run.
  ///
  /// - Returns: what the body has thrown, in words.
  private static func run(
    setting name: String, to value: String, _ body: @escaping @Sendable () throws -> Void
  ) throws -> [String] {
    try Concurrently.run(1) { _ in
      do { try enter(setting: name, to: value) } catch {
        return print("no network with \(name) \(value) to be had: \(error)")
      }
      try body()
    }
  }

  /// Moves the calling thread there, for good.
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
