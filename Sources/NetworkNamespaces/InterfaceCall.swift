import Glibc
import SocketPOSIX

/// Asks the kernel about the interfaces of the calling thread's network, and changes them.
package enum InterfaceCall {
  private static let getFlags: UInt = 0x8913
  private static let setFlags: UInt = 0x8914
  private static let writeMTU: UInt = 0x8922
  private static let isUp: Int16 = 1
  /// `struct ifreq`: a name, then what the request is about.
  static let requestSize = 40
  static let nameSize = 16

  /// Takes an interface up or down.
  package static func setUp(_ name: String, _ up: Bool) throws(SystemCallFailure) {
    let socket = try SocketCall.open(family: AF_INET)
    var (request, flags) = try flags(of: name, socket)
    flags = up ? flags | isUp : flags & ~isUp
    request.withUnsafeMutableBytes { $0.storeBytes(of: flags, toByteOffset: nameSize, as: Int16.self) }
    try send(setFlags, &request, socket.rawValue, "SIOCSIFFLAGS \(name)")
  }

  private static func flags(
    of name: String, _ socket: borrowing Descriptor
  ) throws(SystemCallFailure) -> (request: [UInt8], flags: Int16) {
    var request = Self.request(name)
    try send(getFlags, &request, socket.rawValue, "SIOCGIFFLAGS \(name)")
    return (request, request.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: nameSize, as: Int16.self) })
  }

  /// Sets the largest packet of an interface, in bytes.
  package static func setMTU(_ name: String, _ count: Int) throws(SystemCallFailure) {
    let socket = try SocketCall.open(family: AF_INET)
    var request = Self.request(name)
    request.withUnsafeMutableBytes {
      $0.storeBytes(of: Int32(clamping: count), toByteOffset: nameSize, as: Int32.self)
    }
    try send(writeMTU, &request, socket.rawValue, "SIOCSIFMTU \(name)")
  }

  /// Gives an interface an address with a network prefix of `prefix` bits, or takes it away. An interface that is up
  /// hears what is sent to a new address from then on.
  package static func setAddress(
    _ name: String, _ address: RawAddress, prefix: UInt8, isThere: Bool
  ) throws(SystemCallFailure) {
    guard let index = NetworkInterfaces.index(of: name) else {
      throw SystemCallFailure(call: "if_nametoindex \(name)", code: ENODEV)
    }
    let isIPv6 = address.family == AF_INET6
    let bytes = isIPv6 ? address.bytes[8..<24] : address.bytes[4..<8]
    let message = RouteMessage.address(
      Array(bytes), family: UInt8(clamping: address.family), prefix: prefix, interface: index, isThere: isThere)
    // An interface that is down hears nothing, and the routes of IPv4 are there at once.
    guard isThere, isIPv6, try flags(of: name, SocketCall.open(family: AF_INET)).flags & isUp != 0 else {
      return try message.send()
    }
    let watch = try RouteWatch()
    try message.send()
    try watch.awaitRoute(to: Array(bytes), from: index)
  }

  static func request(_ name: String) -> [UInt8] {
    var request = [UInt8](repeating: 0, count: requestSize)
    for (index, byte) in name.utf8.prefix(nameSize - 1).enumerated() { request[index] = byte }
    return request
  }

  static func send(
    _ code: UInt, _ request: inout [UInt8], _ descriptor: Int32, _ call: String
  ) throws(SystemCallFailure) {
    let outcome = request.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { ioctl(descriptor, code, $0) } ?? -1
    }
    guard outcome >= 0 else { throw SystemCallFailure(call: call, code: errno) }
  }
}
