/// The header of TCP in a packet.
package struct TCPSegment: Hashable, Sendable {
  /// Bits of the header, as on the wire.
  package struct Flags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The sender has no more data.
    package static let fin = Flags(rawValue: 1)
    /// The number is the first of all.
    package static let syn = Flags(rawValue: 2)
    /// The connection is broken off.
    package static let rst = Flags(rawValue: 4)
    /// The data are to be handed over at once.
    package static let push = Flags(rawValue: 8)
    /// `acknowledged` counts.
    package static let ack = Flags(rawValue: 16)
    /// Some of the data are urgent.
    package static let urgent = Flags(rawValue: 32)

    /// `SYN ACK`; empty for none.
    package var text: String {
      let names: [(Flags, String)] = [
        (.syn, "SYN"), (.fin, "FIN"), (.rst, "RST"), (.push, "PSH"), (.ack, "ACK"), (.urgent, "URG"),
      ]
      return names.filter { contains($0.0) }.map(\.1).joined(separator: " ")
    }
  }

  /// The sender's port.
  package var sourcePort: UInt16
  /// The receiver's port.
  package var targetPort: UInt16
  /// The number of the first byte.
  package var sequence: UInt32
  /// What the sender waits for next; means something with `ack` only.
  package var acknowledged: UInt32
  /// Those of the six that this lab looks at.
  package var flags: Flags
  /// As it stands, before it is scaled.
  package var window: UInt16
  /// Bytes of data.
  package var count: Int

  /// nil: the packet holds no whole header of TCP.
  package init?(_ packet: IPPacket) {
    let start = packet.transportOffset
    guard packet.transport == IPPacket.Transport.tcp, !packet.isLaterFragment, packet.bytes.count >= start + 20 else {
      return nil
    }
    let bytes = packet.bytes
    let header = Int(bytes[start + 12] >> 4) * 4
    guard header >= 20, start + header <= bytes.count else { return nil }
    sourcePort = bytes.word(start)
    targetPort = bytes.word(start + 2)
    sequence = bytes.longWord(start + 4)
    acknowledged = bytes.longWord(start + 8)
    flags = Flags(rawValue: bytes[start + 13] & 63)
    window = bytes.word(start + 14)
    count = bytes.count - start - header
  }

  /// A SYN that answers none: a connection begins with it.
  var isOpening: Bool { flags.contains(.syn) && flags.isDisjoint(with: [.ack, .rst]) }

  /// How far the segment moves the sequence: its data, SYN and FIN.
  package var advance: UInt32 {
    UInt32(truncatingIfNeeded: count) &+ (flags.contains(.syn) ? 1 : 0) &+ (flags.contains(.fin) ? 1 : 0)
  }
}

extension IPPacket {
  /// Lets a TCP header promise no more room than `most` units. Its checksum is adjusted, and stays wrong if it was
  /// wrong.
  mutating func clampWindow(to most: UInt16) -> Bool {
    guard let segment = TCPSegment(self), segment.window > most, !segment.flags.contains(.rst) else { return false }
    var sum = InternetChecksum()
    // RFC 1624: the old checksum's complement, without the old word, with the new one.
    sum.add((~bytes.word(transportOffset + 16)).bigEndianBytes)
    sum.add((~segment.window).bigEndianBytes)
    sum.add(most.bigEndianBytes)
    bytes.put(most, at: transportOffset + 14)
    bytes.put(sum.value, at: transportOffset + 16)
    return true
  }

  /// Makes a SYN of a SYN ACK, with a right checksum. False: it is none.
  mutating func dropAcknowledgementOfOpening() -> Bool {
    guard let segment = TCPSegment(self), segment.flags.isSuperset(of: [.syn, .ack]) else { return false }
    bytes.put(UInt32(0), at: transportOffset + 8)
    bytes[transportOffset + 13] &= ~TCPSegment.Flags.ack.rawValue
    bytes.put(UInt16(0), at: transportOffset + 16)
    var sum = InternetChecksum()
    sum.addPseudoHeader(source, target, transport: transport, count: content.count)
    sum.add(content)
    bytes.put(sum.value, at: transportOffset + 16)
    return true
  }

  /// A segment without data, all checksums right.
  static func segment(
    isIPv6: Bool, from source: [UInt8], port: UInt16, to target: [UInt8], targetPort: UInt16, sequence: UInt32,
    acknowledged: UInt32, flags: TCPSegment.Flags
  ) -> [UInt8] {
    var header: [UInt8] = port.bigEndianBytes
    header += targetPort.bigEndianBytes
    header += sequence.bigEndianBytes
    header += acknowledged.bigEndianBytes
    header += [0x50, flags.rawValue, 0, 0, 0, 0, 0, 0]
    return make(
      isIPv6: isIPv6, from: source[...], to: target[...], transport: Transport.tcp, content: header,
      checksumOffset: 16)
  }
}
