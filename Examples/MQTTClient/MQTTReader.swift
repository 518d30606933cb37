import CocoaAsyncSocket
import Foundation

/// Reads packets off a socket in the way the protocol is written: the fixed header, the length byte by byte until one
/// has no continuation bit, then as many bytes as it says.
struct MQTTReader {
  private enum Tag {
    static let header = 1
    static let length = 2
    static let body = 3
  }

  enum Outcome {
    case unfinished
    case packet(MQTTPacket)
    /// Nothing that a broker may send.
    case nonsense
  }

  private static let bodyTimeout: TimeInterval = 30
  /// No length has more bytes.
  private static let lengthBytes = 4

  private var header: UInt8 = 0
  private var length: UInt = 0
  private var lengthCount = 0

  /// Begins with the next packet.
  mutating func begin(on socket: GCDAsyncSocket) {
    (length, lengthCount) = (0, 0)
    socket.readData(toLength: 1, withTimeout: -1, tag: Tag.header)
  }

  /// Takes what was read, and reads on while the packet is not whole.
  mutating func take(_ data: Data, tag: Int, from socket: GCDAsyncSocket) -> Outcome {
    guard let byte = data.first else { return .nonsense }
    switch tag {
    case Tag.header: header = byte
    case Tag.length:
      length |= UInt(byte & 0x7F) << (7 * UInt(lengthCount))
      lengthCount += 1
      if byte & 0x80 == 0 {
        guard length > 0 else { return outcome(Data()) }
        socket.readData(toLength: length, withTimeout: Self.bodyTimeout, tag: Tag.body)
        return .unfinished
      }
      guard lengthCount < Self.lengthBytes else { return .nonsense }
    default: return outcome(data)
    }
    socket.readData(toLength: 1, withTimeout: Self.bodyTimeout, tag: Tag.length)
    return .unfinished
  }

  private func outcome(_ body: Data) -> Outcome {
    MQTTPacket(header: header, body: body).map { .packet($0) } ?? .nonsense
  }
}
