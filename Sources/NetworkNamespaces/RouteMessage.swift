import Glibc
import SocketPOSIX

/// A message of rtnetlink, and its answer.
struct RouteMessage {
  private static let newAddress: UInt16 = 20
  private static let deleteAddress: UInt16 = 21
  /// A request that wants an acknowledgement; for a new address: it must not be there yet.
  private static let request: UInt16 = 1 | 4
  private static let create: UInt16 = 0x400 | 0x200
  private static let errorAnswer: UInt16 = 2
  /// An address that is used at once, without duplicate address detection.
  private static let noDetection: UInt8 = 2
  private static let localAttribute: UInt16 = 2
  private static let addressAttribute: UInt16 = 1

  private let name: String
  private var bytes: [UInt8]

  /// Adds or takes away an address.
  static func address(
    _ address: [UInt8], family: UInt8, prefix: UInt8, interface: UInt32, isThere: Bool
  ) -> RouteMessage {
    var body: [UInt8] = [family, prefix, noDetection, 0]
    body += native(interface)
    for attribute in [localAttribute, addressAttribute] {
      body += native(UInt16(4 + address.count))
      body += native(attribute)
      body += address
    }
    let kind = isThere ? newAddress : deleteAddress
    let flags = request | (isThere ? create : 0)
    var header = native(UInt32(16 + body.count))
    header += native(kind)
    header += native(flags)
    header += native(UInt32(1))
    header += native(UInt32(0))
    return RouteMessage(name: isThere ? "RTM_NEWADDR" : "RTM_DELADDR", bytes: header + body)
  }

  /// Sends it and takes the kernel's answer.
  func send() throws(SystemCallFailure) {
    let raw = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard raw >= 0 else { throw SystemCallFailure(call: "socket AF_NETLINK", code: errno) }
    let descriptor = Descriptor(adopting: raw)
    let sent = bytes.withUnsafeBytes { Glibc.send(descriptor.rawValue, $0.baseAddress, $0.count, 0) }
    guard sent == bytes.count else { throw SystemCallFailure(call: name, code: errno) }
    var answer = [UInt8](repeating: 0, count: 4_096)
    let count = answer.withUnsafeMutableBytes { recv(descriptor.rawValue, $0.baseAddress, $0.count, 0) }
    guard count >= 20 else { throw SystemCallFailure(call: name, code: count < 0 ? errno : EPROTO) }
    let (kind, code) = answer.withUnsafeBytes {
      ($0.loadUnaligned(fromByteOffset: 4, as: UInt16.self), $0.loadUnaligned(fromByteOffset: 16, as: Int32.self))
    }
    guard kind == Self.errorAnswer else { throw SystemCallFailure(call: name, code: EPROTO) }
    guard code == 0 else { throw SystemCallFailure(call: name, code: -code) }
  }

  private static func native(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number) { Array($0) }
  }
}
