/// A packet of IPv4 or IPv6, byte for byte, and where its parts lie.
///
/// Laws
/// - Total: bytes that are no whole packet make none, and no field of a packet is read beyond its end.
/// - Bytes behind the length that the header says are cut off.
package struct IPPacket: Hashable, Sendable {
  /// Numbers of protocols, in both versions of IP.
  package enum Transport {
    static let icmp: UInt8 = 1
    static let tcp: UInt8 = 6
    static let udp: UInt8 = 17
    static let fragment: UInt8 = 44
    static let icmp6: UInt8 = 58
  }

  /// All of it.
  package internal(set) var bytes: [UInt8]
  /// Whether it is of version 6.
  package let isIPv6: Bool
  /// Where the header of the transport begins.
  package let transportOffset: Int
  /// The transport's number.
  package let transport: UInt8
  /// A fragment other than the first: what stands at `transportOffset` is no header.
  package let isLaterFragment: Bool

  /// nil: the bytes are no packet.
  package init?(_ bytes: some Collection<UInt8>) {
    var bytes = Array(bytes)
    guard let first = bytes.first else { return nil }
    switch first >> 4 {
    case 4:
      let header = Int(first & 15) * 4
      guard header >= 20, bytes.count >= header else { return nil }
      let total = Int(bytes.word(2))
      guard total >= header, total <= bytes.count else { return nil }
      bytes.removeLast(bytes.count - total)
      (isIPv6, transportOffset, transport) = (false, header, bytes[9])
      isLaterFragment = bytes.word(6) & 0x1FFF != 0
    case 6:
      guard bytes.count >= 40 else { return nil }
      let total = 40 + Int(bytes.word(4))
      guard total <= bytes.count else { return nil }
      bytes.removeLast(bytes.count - total)
      guard let place = Self.transport(of: bytes) else { return nil }
      (isIPv6, transportOffset, transport, isLaterFragment) = (true, place.offset, place.number, place.isLater)
    default: return nil
    }
    self.bytes = bytes
  }

  /// Steps over the extension headers of IPv6.
  private static func transport(of bytes: [UInt8]) -> (offset: Int, number: UInt8, isLater: Bool)? {
    var (offset, number, isLater) = (40, bytes[6], false)
    while !isLater {
      switch number {
      // Hop by hop, routing, destination.
      case 0, 43, 60:
        guard offset + 8 <= bytes.count else { return nil }
        number = bytes[offset]
        offset += 8 + Int(bytes[offset + 1]) * 8
      case Transport.fragment:
        guard offset + 8 <= bytes.count else { return nil }
        number = bytes[offset]
        isLater = bytes.word(offset + 2) & 0xFFF8 != 0
        offset += 8
      default: return offset <= bytes.count ? (offset, number, isLater) : nil
      }
    }
    return offset <= bytes.count ? (offset, number, isLater) : nil
  }

  /// 4 or 16 bytes.
  package var source: ArraySlice<UInt8> { isIPv6 ? bytes[8..<24] : bytes[12..<16] }
  /// 4 or 16 bytes.
  package var target: ArraySlice<UInt8> { isIPv6 ? bytes[24..<40] : bytes[16..<20] }
  /// What stands behind all headers of IP.
  package var content: ArraySlice<UInt8> { bytes[transportOffset...] }
  /// Meant for a group of hosts, or for all.
  package var isForMany: Bool {
    isIPv6 ? bytes[24] == 0xFF : bytes[16] >= 224
  }

  /// Whether it is, or is part of, an ICMP message that tells of an error: those are never answered with another one.
  package var isICMPError: Bool {
    guard let type = content.first, !isLaterFragment else { return false }
    if isIPv6 { return transport == Transport.icmp6 && type < 128 }
    return transport == Transport.icmp && ![0, 8].contains(type)
  }

  /// A packet around a transport's bytes, whose checksum, if `checksumOffset` says where it stands, is put in.
  static func make(
    isIPv6: Bool, from source: ArraySlice<UInt8>, to target: ArraySlice<UInt8>, transport: UInt8, content: [UInt8],
    checksumOffset: Int?, hasPseudoHeader: Bool = true
  ) -> [UInt8] {
    var content = content
    if let checksumOffset {
      content.put(UInt16(0), at: checksumOffset)
      var sum = InternetChecksum()
      if hasPseudoHeader { sum.addPseudoHeader(source, target, transport: transport, count: content.count) }
      sum.add(content)
      content.put(sum.value, at: checksumOffset)
    }
    let count = UInt16(truncatingIfNeeded: content.count)
    var packet: [UInt8] = isIPv6 ? [0x60, 0, 0, 0] : [0x45, 0]
    if isIPv6 {
      packet += count.bigEndianBytes
      packet += [transport, 64]
    } else {
      packet += (20 + count).bigEndianBytes
      packet += [0, 0, 0, 0, 64, transport, 0, 0]
    }
    packet += source
    packet += target
    if !isIPv6 { packet.putHeaderChecksum() }
    packet += content
    return packet
  }
}

extension InternetChecksum {
  /// What TCP, UDP and ICMPv6 count besides their own bytes.
  mutating func addPseudoHeader(
    _ source: ArraySlice<UInt8>, _ target: ArraySlice<UInt8>, transport: UInt8, count: Int
  ) {
    add(source)
    add(target)
    add([0, transport])
    add(UInt32(truncatingIfNeeded: count).bigEndianBytes)
  }
}

extension [UInt8] {
  /// The 16-bit number at an offset that is there.
  func word(_ offset: Int) -> UInt16 { UInt16(self[offset]) << 8 | UInt16(self[offset + 1]) }

  /// The 32-bit number at an offset that is there.
  func longWord(_ offset: Int) -> UInt32 { UInt32(word(offset)) << 16 | UInt32(word(offset + 2)) }

  mutating func put(_ number: some FixedWidthInteger & UnsignedInteger, at offset: Int) {
    replaceSubrange(offset..<offset + number.bitWidth / 8, with: number.bigEndianBytes)
  }

  /// Over an IPv4 header alone, or a packet that begins with one.
  mutating func putHeaderChecksum() {
    put(UInt16(0), at: 10)
    var sum = InternetChecksum()
    sum.add(self[..<(Int(self[0] & 15) * 4)])
    put(sum.value, at: 10)
  }
}

extension FixedWidthInteger where Self: UnsignedInteger {
  var bigEndianBytes: [UInt8] {
    stride(from: bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}
