@testable import PacketRelay

/// Packets for tests, made by hand from their fields.
enum Packets {
  static let subject4: [UInt8] = [10, 77, 1, 1]
  static let peer4: [UInt8] = [10, 77, 1, 2]
  static let subject6: [UInt8] = [0xFD, 0x77, 0, 1] + [UInt8](repeating: 0, count: 11) + [1]
  static let peer6: [UInt8] = [0xFD, 0x77, 0, 1] + [UInt8](repeating: 0, count: 11) + [2]

  /// A segment of TCP from the subject's `port`, or to it, all checksums right.
  static func tcp(
    _ flags: TCPSegment.Flags = .ack, isIPv6: Bool = false, toSubject: Bool = false, port: UInt16 = 40_000,
    sequence: UInt32 = 100, acknowledged: UInt32 = 200, window: UInt16 = 1_000, data: [UInt8] = []
  ) -> [UInt8] {
    let (subject, peer) = isIPv6 ? (subject6, peer6) : (subject4, peer4)
    let (source, target) = toSubject ? (peer, subject) : (subject, peer)
    let (own, other): ([UInt8], [UInt8]) = (port.bigEndianBytes, [0x1B, 0x59])
    var header = toSubject ? other + own : own + other
    header += sequence.bigEndianBytes
    header += acknowledged.bigEndianBytes
    header += [0x50, flags.rawValue]
    header += window.bigEndianBytes
    header += [0, 0, 0, 0]
    return IPPacket.make(
      isIPv6: isIPv6, from: source[...], to: target[...], transport: IPPacket.Transport.tcp, content: header + data,
      checksumOffset: 16)
  }

  /// Whether the checksums of a whole packet hold, counted byte by byte as RFC 1071 says it first.
  static func isSound(_ bytes: [UInt8]) -> Bool {
    guard let packet = IPPacket(bytes) else { return false }
    var words: [UInt8] = []
    if !packet.isIPv6, oracle(Array(bytes[..<packet.transportOffset])) != 0 { return false }
    if packet.transport != IPPacket.Transport.icmp {
      words = Array(packet.source)
      words += packet.target
      words += [0, packet.transport]
      words += [0, 0, UInt8(packet.content.count >> 8), UInt8(packet.content.count & 255)]
    }
    return oracle(words + Array(packet.content)) == 0
  }

  /// The complement of the ones' complement sum, with each carry added at once.
  static func oracle(_ bytes: [UInt8]) -> UInt16 {
    var sum: UInt16 = 0
    for index in stride(from: 0, to: bytes.count, by: 2) {
      let word = UInt16(bytes[index]) << 8 | (index + 1 < bytes.count ? UInt16(bytes[index + 1]) : 0)
      let (next, carry) = sum.addingReportingOverflow(word)
      sum = next &+ (carry ? 1 : 0)
    }
    return ~sum
  }

  /// What a host makes of fragments: the packet's content, put together by offsets.
  static func joined(_ fragments: [[UInt8]]) -> [UInt8] {
    var content: [UInt8] = []
    for bytes in fragments {
      let isIPv6 = bytes[0] >> 4 == 6
      let header = isIPv6 ? 48 : Int(bytes[0] & 15) * 4
      let field = isIPv6 ? Int(bytes[42]) << 8 | Int(bytes[43]) : (Int(bytes[6] & 31) << 8 | Int(bytes[7])) * 8
      let offset = isIPv6 ? field & ~7 : field
      let piece = Array(bytes[header...])
      content += [UInt8](repeating: 0, count: max(0, offset + piece.count - content.count))
      content.replaceSubrange(offset..<offset + piece.count, with: piece)
    }
    return content
  }
}
