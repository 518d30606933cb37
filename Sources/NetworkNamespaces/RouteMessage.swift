import Glibc
import SocketPOSIX

/// A message of rtnetlink, and its answer.
struct RouteMessage {
  private static let newAddress: UInt16 = 20
  private static let deleteAddress: UInt16 = 21
  private static let newRoute: UInt16 = 24
  private static let getRoute: UInt16 = 26
  private static let request: UInt16 = 1
  private static let acknowledged: UInt16 = 4
  /// It must not be there yet.
  private static let create: UInt16 = 0x400 | 0x200
  private static let errorAnswer: UInt16 = 2
  private static let headerSize = 16
  /// An address that is used at once, without duplicate address detection.
  private static let noDetection: UInt8 = 2
  private static let localAttribute: UInt16 = 2
  /// An interface's address, and a route's destination.
  private static let addressAttribute: UInt16 = 1
  /// RTA_IIF: the interface that a packet has come in by.
  private static let inputAttribute: UInt16 = 3
  /// RTN_LOCAL: what goes there is for this host.
  private static let localRoute: UInt8 = 2

  private let name: String
  private var bytes: [UInt8]

  /// Adds or takes away an address.
  static func address(
    _ address: [UInt8], family: UInt8, prefix: UInt8, interface: UInt32, isThere: Bool
  ) -> RouteMessage {
    var body: [UInt8] = [family, prefix, noDetection, 0]
    body += native(interface)
    for kind in [localAttribute, addressAttribute] { body += attribute(kind, address) }
    let flags = request | acknowledged | (isThere ? create : 0)
    return RouteMessage(
      isThere ? "RTM_NEWADDR" : "RTM_DELADDR", kind: isThere ? newAddress : deleteAddress, flags: flags, body)
  }

  private init(_ name: String, kind: UInt16, flags: UInt16, _ body: [UInt8]) {
    self.name = name
    bytes = Self.native(UInt32(Self.headerSize + body.count)) + Self.native(kind) + Self.native(flags)
    bytes += Self.native(UInt32(1)) + Self.native(UInt32(0)) + body
  }

  /// Sends it and takes the kernel's answer.
  func send() throws(SystemCallFailure) {
    let (kind, content) = try exchange()
    guard kind == Self.errorAnswer else { throw SystemCallFailure(call: name, code: EPROTO) }
    let code = content.withUnsafeBytes { $0.loadUnaligned(as: Int32.self) }
    guard code == 0 else { throw SystemCallFailure(call: name, code: -code) }
  }

  /// Whether packets to this address of IPv6 that come in by the interface reach this host itself.
  static func isLocal(_ address: [UInt8], from interface: UInt32) throws(SystemCallFailure) -> Bool {
    let wholeAddress = UInt8(clamping: address.count * 8)
    let route: [UInt8] = [UInt8(AF_INET6), wholeAddress, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    let question = RouteMessage(
      "RTM_GETROUTE", kind: getRoute, flags: request,
      route + attribute(addressAttribute, address) + attribute(inputAttribute, native(interface)))
    let (kind, content) = try question.exchange()
    // An error says that there is no route at all.
    return kind == newRoute && content.count >= 8 && content[7] == localRoute
  }

  /// A socket for such messages, in the calling thread's network.
  static func openSocket() throws(SystemCallFailure) -> Descriptor {
    let raw = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard raw >= 0 else { throw SystemCallFailure(call: "socket AF_NETLINK", code: errno) }
    return Descriptor(adopting: raw)
  }

  /// The kind of the kernel's answer, and what follows its header: at least four bytes.
  private func exchange() throws(SystemCallFailure) -> (kind: UInt16, content: [UInt8]) {
    let descriptor = try Self.openSocket()
    let sent = bytes.withUnsafeBytes { Glibc.send(descriptor.rawValue, $0.baseAddress, $0.count, 0) }
    guard sent == bytes.count else { throw SystemCallFailure(call: name, code: errno) }
    var answer = [UInt8](repeating: 0, count: 4_096)
    let count = answer.withUnsafeMutableBytes { recv(descriptor.rawValue, $0.baseAddress, $0.count, 0) }
    guard count >= 20 else { throw SystemCallFailure(call: name, code: count < 0 ? errno : EPROTO) }
    let kind = answer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 4, as: UInt16.self) }
    return (kind, Array(answer[Self.headerSize..<count]))
  }

  private static func attribute(_ kind: UInt16, _ value: [UInt8]) -> [UInt8] {
    native(UInt16(4 + value.count)) + native(kind) + value
  }

  private static func native(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number) { Array($0) }
  }
}
