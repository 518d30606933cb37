import SocketCore
import SocketValues

/// Facts of the host that simulated cases run on: a small Linux with a loopback interface and one Ethernet card that
/// has addresses and no neighbours.
package enum SimulatedHost {
  /// The longest time, in nanoseconds, that a callback may keep the loop's thread before the loop goes on without it.
  static let loanLimit: Int64 = 4_000_000

  /// The interfaces, as the library's interface arguments see them.
  package static let interfaces: [InterfaceAddress] = [
    InterfaceAddress(name: "lo", address: .loopback(.ipv4, port: 0)),
    InterfaceAddress(name: "lo", address: .loopback(.ipv6, port: 0)),
    InterfaceAddress(name: "eth0", address: ethernet4),
    InterfaceAddress(name: "eth0", address: ethernet6),
  ]

  /// 192.0.2.10 and 2001:db8::10, of the blocks kept for documentation.
  package static let ethernet4 = SocketAddress(ipv4: [192, 0, 2, 10], port: 0)
  package static let ethernet6 = SocketAddress(
    ipv6: [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [0x10], port: 0)

  /// fe80::10, which eth0 has besides; no interface argument means it. An address of a link needs its scope, the number
  /// of the interface.
  static let link = SocketAddress(
    ipv6: [0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [0x10], port: 0, scope: 2)

  /// Bytes a connection holds for the sender, and for the receiver unless SO_RCVBUF says otherwise.
  package static let sendBuffer = 128 << 10
  package static let receiveBuffer = 128 << 10

  /// What a scripted peer and what the library asks of listen.
  package static let peerBacklog = 128
  package static let subjectBacklog = 1024

  /// Where the kernel's own choice of ports begins.
  package static let firstFreePort: UInt16 = 32768

  /// When an unanswered SYN is sent again, in seconds after the first one; after the last the connect has timed out.
  package static let connectRetries: [Int64] = [1, 3, 7, 15, 31, 63]
  package static let connectGivesUpAfter: Int64 = 127

  enum Errno {
    static let noEntry: Int32 = 2
    static let wouldBlock: Int32 = 11
    static let tooManyOpenFiles: Int32 = 24
    static let brokenPipe: Int32 = 32
    static let addressInUse: Int32 = 98
    static let addressNotAvailable: Int32 = 99
    static let networkUnreachable: Int32 = 101
    static let notConnected: Int32 = 107
    static let connectionReset: Int32 = 104
    static let timedOut: Int32 = 110
    static let connectionRefused: Int32 = 111
  }

  /// getaddrinfo's answer to a name that does not exist.
  static let unknownName = SocketFailure.lookup(code: -2, message: "Name or service not known")

  /// Where a connect to the address goes: one of the host's own addresses, or nil when no route leads there.
  static func route(to address: SocketAddress) -> SocketAddress? {
    if isWildcard(address) { return .loopback(address.family, port: address.port) }
    return isLocal(address) ? address : nil
  }

  /// Whether a socket can be bound to the address.
  static func isLocal(_ address: SocketAddress) -> Bool {
    let bytes = address.bytes
    switch address.family {
    case .ipv4: return bytes[4] == 127 || isWildcard(address) || bytes[4..<8] == ethernet4.bytes[4..<8]
    case .ipv6:
      return isWildcard(address) || bytes[8..<24] == ethernet6.bytes[8..<24] || bytes[8...] == link.bytes[8...]
        || bytes[23] == 1 && bytes[8..<23].allSatisfy { $0 == 0 }
    }
  }

  /// The address that a connection there comes from: towards one of the host's own it is that, but all of 127.0.0.0/8
  /// belongs to 127.0.0.1.
  static func source(towards destination: SocketAddress) -> SocketAddress {
    guard destination.family == .ipv4, destination.bytes[4] == 127 else { return destination }
    return .loopback(.ipv4, port: destination.port)
  }

  static func isWildcard(_ address: SocketAddress) -> Bool {
    let octets = address.family == .ipv4 ? address.bytes[4..<8] : address.bytes[8..<24]
    return octets.allSatisfy { $0 == 0 }
  }

  /// The same host, whatever the port.
  static func isSameHost(_ left: SocketAddress, _ right: SocketAddress) -> Bool {
    guard left.family == right.family else { return false }
    return left.family == .ipv4 ? left.bytes[4..<8] == right.bytes[4..<8] : left.bytes[8..<24] == right.bytes[8..<24]
  }

  /// The numeric host; the common ones without any work.
  static func text(of address: SocketAddress) -> String {
    switch address.family {
    case .ipv4 where address.bytes[4] == 127 && address.bytes[5] == 0 && address.bytes[6] == 0 && address.bytes[7] == 1:
      "127.0.0.1"
    case .ipv6 where address.bytes[23] == 1 && address.bytes[8..<23].allSatisfy { $0 == 0 }: "::1"
    default: address.host
    }
  }
}
