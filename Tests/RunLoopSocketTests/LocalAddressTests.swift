import CocoaAsyncSocket
import Foundation
import TestSupport
import Testing

/// Where a connection of the run-loop class starts from.
@Suite struct LocalAddressTests {
  /// A sockaddr_in6 of the loopback address.
  static func address6(port: UInt16) -> Data {
    Data([10, 0, UInt8(port >> 8), UInt8(port & 0xFF)] + [UInt8](repeating: 0, count: 19) + [1, 0, 0, 0, 0])
  }

  /// A sockaddr_in of 127.0.0.2, which is local without being listed.
  static func second(port: UInt16) -> Data {
    var bytes = address(port: port)
    bytes[7] = 2
    return bytes
  }

  /// A port that nobody has, and that the kernel gives to nobody by itself.
  static func freePort() throws -> UInt16 {
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "free port"))
    let port = try socket.acceptOnQuietPort()
    withExtendedLifetime(delegate) {}
    socket.disconnect()
    return port
  }

  @Test("address and port of the own side are those that were named, in both families (CON-33)")
  func addressAndPort() async throws {
    try await onThread {
      let places: [(family: RawFamily, host: String, make: (UInt16) -> Data)] = [
        (.ipv4, "127.0.0.2", Self.second), (.ipv6, "::1", Self.address6),
      ]
      for place in places {
        let listener = try RawListener(family: place.family)
        let remote = place.family == .ipv4 ? address(port: listener.port) : Self.address6(port: listener.port)
        for wanted in [0, try Self.freePort()] {
          let recorder = RunLoopRecorder()
          let socket = AsyncSocket(delegate: recorder)
          try socket.connect(toAddress: remote, viaInterfaceAddress: place.make(wanted), withTimeout: -1)
          let peer = try listener.accept()
          #expect(runLoop { socket.isConnected() })
          #expect(socket.localHost() == place.host)
          #expect(wanted == 0 ? socket.localPort() != 0 : socket.localPort() == wanted)
          peer.close()
        }
      }
    }
  }

  @Test("an own address of the other family than the peer's is refused (CON-33)")
  func otherFamily() async throws {
    try await onThread {
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      let pairs = [(address(port: 9), Self.address6(port: 0)), (Self.address6(port: 9), Self.second(port: 0))]
      for (remote, own) in pairs {
        let error = failure { try socket.connect(toAddress: remote, viaInterfaceAddress: own, withTimeout: -1) }
        #expect(error?.domain == AsyncSocketErrorDomain && error?.code == Int(AsyncSocketCFSocketError.rawValue))
        #expect(socket.isDisconnected())
      }
    }
  }
}
