import Glibc
import SocketPOSIX

/// An interface whose packets a program reads and writes: the other end of its wire is the descriptor here.
///
/// It goes with the descriptor, and its addresses and routes with it. Both calls are nonblocking; use from one thread.
package final class TunnelInterface: Sendable {
  private static let setInterface: UInt = 0x4004_54CA
  /// Packets of IP, without a header of the kernel's own.
  private static let mode: Int16 = 0x0001 | 0x1000
  /// Larger than any packet.
  package static let maxBytes = 65_535

  private let descriptor: Descriptor

  /// Makes it in the calling thread's network; it is down and has no address.
  package init(name: String) throws(SystemCallFailure) {
    let raw = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK)
    guard raw >= 0 else { throw SystemCallFailure(call: "open /dev/net/tun", code: errno) }
    descriptor = Descriptor(adopting: raw)
    var request = InterfaceCall.request(name)
    request.withUnsafeMutableBytes {
      $0.storeBytes(of: Self.mode, toByteOffset: InterfaceCall.nameSize, as: Int16.self)
    }
    try InterfaceCall.send(Self.setInterface, &request, raw, "TUNSETIFF \(name)")
  }

  /// To be waited for, and nothing else.
  package var rawValue: Int32 { descriptor.rawValue }

  /// The next packet that the kernel sends over the interface; nil: none waits.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> ArraySlice<UInt8>? {
    let count = Glibc.read(descriptor.rawValue, buffer.baseAddress, buffer.count)
    return count > 0 ? ArraySlice(UnsafeRawBufferPointer(rebasing: buffer[..<count])) : nil
  }

  /// Lets the kernel receive a packet over the interface; one that it does not take is lost, as on any wire.
  package func write(_ packet: [UInt8]) {
    _ = packet.withUnsafeBytes { Glibc.write(descriptor.rawValue, $0.baseAddress, $0.count) }
  }
}
