import Glibc
import SocketPOSIX
import SocketValues
import Testing

@testable import ScriptedPeer

@Suite struct ReservedPortTests {
  /// `IP_LOCAL_PORT_RANGE`, since Linux 6.3: from where to where the kernel chooses, for one socket.
  private static let localPortRange: Int32 = 51

  /// Whether the host has both families.
  private static let hasIPv6 = (try? PeerListener(at: .loopbackIPv6(port: 0), receiveBuffer: nil)) != nil

  /// A socket that may be given this port alone; nil where the kernel can't be told.
  private func socket(choosingOnly port: UInt16, family: Int32 = AF_INET) throws -> Descriptor? {
    let descriptor = try SocketCall.open(family: family)
    var range = UInt32(port) << 16 | UInt32(port)
    let size = socklen_t(MemoryLayout.size(ofValue: range))
    guard setsockopt(descriptor.rawValue, Int32(IPPROTO_IP), Self.localPortRange, &range, size) == 0 else { return nil }
    return descriptor
  }

  @Test func theKernelGivesItToNobodyElse() throws {
    let port = try ReservedPort()
    #expect(port.number > 0)
    guard let descriptor = try socket(choosingOnly: port.number) else { return }
    try SocketCall.setReuseAddress(descriptor.rawValue)
    let failure = #expect(throws: SystemCallFailure.self) {
      try SocketCall.bind(descriptor.rawValue, to: RawAddress(.any(.ipv4, port: 0)))
    }
    #expect(failure?.code == EADDRINUSE)
  }

  @Test(arguments: [AF_INET, AF_INET6]) func whoNamesItListensThereAgainAndAgain(family: Int32) throws {
    guard family == AF_INET || Self.hasIPv6 else { return }
    let port = try ReservedPort()
    for _ in 0..<20 {
      let descriptor = try SocketCall.open(family: family)
      try SocketCall.setReuseAddress(descriptor.rawValue)
      if family == AF_INET6 { try SocketCall.setV6Only(descriptor.rawValue) }
      try SocketCall.bind(
        descriptor.rawValue, to: RawAddress(.any(family == AF_INET ? .ipv4 : .ipv6, port: port.number)))
      try SocketCall.listen(descriptor.rawValue, backlog: 5)
    }
  }

  @Test func itIsFreeAfterwards() throws {
    let number = try ReservedPort().number
    guard let descriptor = try socket(choosingOnly: number) else { return }
    try SocketCall.bind(descriptor.rawValue, to: RawAddress(.any(.ipv4, port: 0)))
    #expect(SocketCall.localAddress(descriptor.rawValue)?.port == number)
  }

  /// A case whose peer is there in one family only connects by name: in the other it must be refused, and not reach the
  /// peer of another case.
  @Test(arguments: [AF_INET, AF_INET6]) func aPeersPortIsNobodysInTheOtherFamily(family: Int32) throws {
    guard Self.hasIPv6 else { return }
    let loopback: [Int32: RawAddress] = [AF_INET: .loopbackIPv4(port: 0), AF_INET6: .loopbackIPv6(port: 0)]
    let listener = try PeerListener(at: try #require(loopback[family]), receiveBuffer: nil)
    try listener.listen()
    let other = family == AF_INET ? AF_INET6 : AF_INET
    guard let descriptor = try socket(choosingOnly: listener.address.port, family: other) else { return }
    try SocketCall.setReuseAddress(descriptor.rawValue)
    if other == AF_INET6 { try SocketCall.setV6Only(descriptor.rawValue) }
    let failure = #expect(throws: SystemCallFailure.self) {
      try SocketCall.bind(descriptor.rawValue, to: try #require(loopback[other]))
    }
    #expect(failure?.code == EADDRINUSE)
  }
}
