import Foundation
import SocketCore
import SocketPOSIX

// What the socket is and where; usable from any thread at any time (DIAG-07).
extension GCDAsyncSocket {
  /// Not started: neither connected, nor connecting, nor accepting (DIAG-01).
  public var isDisconnected: Bool { driver.look { driver.machine.isDisconnected } }

  /// The connection is there.
  public var isConnected: Bool { driver.look { driver.machine.isConnected } }

  /// The peer's numeric host; nil unless connected (DIAG-02, DIAG-04).
  public var connectedHost: String? { driver.look { driver.remoteAddress?.host } }

  /// The peer's port; 0 unless connected.
  public var connectedPort: UInt16 { driver.look { driver.remoteAddress?.port ?? 0 } }

  /// The Unix-domain path this client is connected to (DIAG-14).
  public var connectedUrl: URL? {
    driver.look { driver.machine.isConnected ? driver.connectedPath : nil }.map { URL(fileURLWithPath: $0) }
  }

  /// The own numeric host; also that of a listener (DIAG-03).
  public var localHost: String? { driver.look { driver.localAddress?.host } }

  /// The own port; also that of a listener (DIAG-03).
  public var localPort: UInt16 { driver.look { driver.localPort } }

  /// The peer's raw sockaddr (DIAG-05).
  public var connectedAddress: Data? { driver.look { driver.remoteAddress }.map { Data($0.bytes) } }

  /// The own raw sockaddr (DIAG-05).
  public var localAddress: Data? { driver.look { driver.localAddress }.map { Data($0.bytes) } }

  /// Uses IPv4; a listener may use both (DIAG-06).
  public var isIPv4: Bool { driver.look { driver.descriptor(of: .ipv4) != nil } }

  /// Uses IPv6.
  public var isIPv6: Bool { driver.look { driver.descriptor(of: .ipv6) != nil } }
}

extension SocketDriver {
  var remoteAddress: SocketAddress? {
    guard machine.isConnected, let stream else { return nil }
    return SocketCall.peerAddress(stream.number).flatMap { SocketAddress(decoding: $0.bytes) }
  }

  var localAddress: SocketAddress? {
    guard let open = stream ?? listeners.first, machine.isConnected || machine.isListening else { return nil }
    return SocketCall.localAddress(open.number).flatMap { SocketAddress(decoding: $0.bytes) }
  }

  var localPort: UInt16 { localAddress?.port ?? 0 }

  /// For descriptions.
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
