/// A packet read and written after the RFCs, with nothing of the relay's.
struct WirePacket: Hashable {
  var isIPv6: Bool
  /// Headers of IP, with all that stands between them and the transport.
  var head: [UInt8]
  var content: [UInt8]
  var transport: UInt8
  /// Where the content stands in the packet that was cut, in bytes; and whether there is more behind it.
  var place = 0
  var hasMore = false

  var bytes: [UInt8] { head + content }
  var source: [UInt8] { Array(isIPv6 ? head[8..<24] : head[12..<16]) }
  var target: [UInt8] { Array(isIPv6 ? head[24..<40] : head[16..<20]) }
  var isForMany: Bool { isIPv6 ? head[24] == 0xFF : head[16] >= 0xE0 }
  var isWhole: Bool { place == 0 && !hasMore }
  /// Tells the fragments of one packet.
  var isExtended: Bool { isIPv6 ? head.count > 40 : head.count > 20 }

  /// nil: it is none, or not all of it is there.
  init?(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return nil }
    switch first >> 4 {
    case 4: self.init(version4: bytes)
    case 6: self.init(version6: bytes)
    default: return nil
    }
  }

  private init?(version4 bytes: [UInt8]) {
    guard bytes.count >= 20 else { return nil }
    let (header, total) = (4 * Int(bytes[0] % 16), Self.number(bytes, 2))
    guard header >= 20, total >= header, bytes.count >= total else { return nil }
    (isIPv6, transport) = (false, bytes[9])
    (head, content) = (Array(bytes[..<header]), Array(bytes[header..<total]))
    (place, hasMore) = (8 * (Self.number(bytes, 6) % 0x2000), bytes[6] & 0x20 != 0)
  }

  private init?(version6 bytes: [UInt8]) {
    guard bytes.count >= 40, bytes.count >= 40 + Self.number(bytes, 4) else { return nil }
    let whole = Array(bytes[..<(40 + Self.number(bytes, 4))])
    var (offset, next) = (40, whole[6])
    while [0, 43, 44, 60].contains(next), place == 0 {
      guard whole.count >= offset + 8 else { return nil }
      if next == 44 {
        (place, hasMore) = (Self.number(whole, offset + 2) / 8 * 8, whole[offset + 3] & 1 != 0)
      }
      let length = next == 44 ? 8 : 8 * (Int(whole[offset + 1]) + 1)
      (next, offset) = (whole[offset], offset + length)
    }
    guard offset <= whole.count else { return nil }
    (isIPv6, transport, head, content) = (true, next, Array(whole[..<offset]), Array(whole[offset...]))
  }

  static func number(_ bytes: [UInt8], _ place: Int) -> Int { Int(bytes[place]) * 256 + Int(bytes[place + 1]) }

  // MARK: Checksums

  /// Added up in 32 bits and folded; 0xFFFF for what has a right checksum in it.
  static func sum(_ bytes: [UInt8]) -> Int {
    var total = 0
    for (index, byte) in bytes.enumerated() { total += index % 2 == 0 ? Int(byte) * 256 : Int(byte) }
    while total > 0xFFFF { total = total % 0x10000 + total / 0x10000 }
    return total
  }

  var headerIsRight: Bool { isIPv6 || Self.sum(head) == 0xFFFF }

  /// Where the transport's checksum stands; nil: it has none that is known.
  private var checksumPlace: Int? {
    switch transport {
    case 6: content.count >= 20 ? 16 : nil
    case 17: content.count >= 8 ? 6 : nil
    case 1: !isIPv6 && content.count >= 8 ? 2 : nil
    case 58: isIPv6 && content.count >= 8 ? 2 : nil
    default: nil
    }
  }

  private var pseudoHeader: [UInt8] {
    guard isIPv6 || transport != 1 else { return [] }
    let count = content.count
    return source + target + [0, 0, UInt8(count >> 8), UInt8(count & 0xFF), 0, 0, 0, transport]
  }

  /// Whether there is a checksum, and it is right.
  var isRight: Bool { isWhole && checksumPlace != nil && Self.sum(pseudoHeader + content) == 0xFFFF }

  /// With right checksums wherever there are any.
  mutating func correct() {
    if !isIPv6 {
      (head[10], head[11]) = (0, 0)
      let sum = 0xFFFF - Self.sum(head)
      (head[10], head[11]) = (UInt8(sum >> 8), UInt8(sum & 0xFF))
    }
    guard isWhole, let place = checksumPlace else { return }
    (content[place], content[place + 1]) = (0, 0)
    let sum = 0xFFFF - Self.sum(pseudoHeader + content)
    (content[place], content[place + 1]) = (UInt8(sum >> 8), UInt8(sum & 0xFF))
  }
}

// MARK: - Reassembly

extension WirePacket {
  /// What fragments of one packet are put together to, in their order; nil: something is missing, or too long.
  static func whole(_ pieces: [WirePacket], most: Int) -> [UInt8]? {
    var content: [UInt8] = []
    let first = pieces.first?.place ?? 0
    for (index, piece) in pieces.enumerated() {
      let isLast = index == pieces.count - 1
      guard piece.place == first + content.count, isLast || piece.hasMore, isLast || piece.content.count % 8 == 0,
        piece.bytes.count <= most, piece.headerIsRight
      else { return nil }
      content += piece.content
    }
    return content
  }
}
