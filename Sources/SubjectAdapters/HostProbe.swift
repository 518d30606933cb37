import Glibc
import ScriptedPeer
import SocketPOSIX
import SocketValues

/// Facts about the host that decide what can be run and how strictly time can be judged.
package enum HostProbe {
  /// Whether ::1 can be bound.
  package static let hasIPv6 = canBind(.loopbackIPv6(port: 0))

  /// System, kernel release and machine: `Linux 6.18.44 x86_64`.
  package static let system: String = {
    var name = utsname()
    guard uname(&name) == 0 else { return "Linux" }
    return [text(of: name.sysname), text(of: name.release), text(of: name.machine)].joined(separator: " ")
  }()

  /// Processors that are on line.
  package static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// The worst oversleep of `waits` short waits, like those of a case, by the monotonic clock. Takes about
  /// `waits` × `length`.
  package static func jitter(waits: Int = 20, length: Duration = .milliseconds(1)) -> Duration {
    var worst: Int64 = 0
    var set = ReadinessSet()
    for _ in 0..<waits {
      let deadline = Instant.now().advanced(by: length.nanoseconds)
      set.wait(until: deadline)
      worst = max(worst, deadline.nanoseconds(until: .now()))
    }
    return .nanoseconds(worst)
  }

  /// Whether the port has no listener, on any interface, over IPv4.
  static func isFree(port: UInt16) -> Bool {
    do throws(SystemCallFailure) {
      let descriptor = try SocketCall.open(family: AF_INET)
      try SocketCall.setReuseAddress(descriptor.rawValue)
      try SocketCall.bind(descriptor.rawValue, to: RawAddress(.any(.ipv4, port: port)))
      return true
    } catch {
      return error.code != EADDRINUSE
    }
  }

  private static func canBind(_ address: RawAddress) -> Bool {
    do throws(SystemCallFailure) {
      let descriptor = try SocketCall.open(family: address.family)
      try SocketCall.bind(descriptor.rawValue, to: address)
      return true
    } catch {
      return false
    }
  }

  private static func text<Field>(of field: Field) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
