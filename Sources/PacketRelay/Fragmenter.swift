/// Cuts packets into fragments.
enum Fragmenter {
  /// The fragments of a packet that is larger than `most` bytes, in order; the packet itself where it is not, or where
  /// it cannot be cut. IPv4's wish not to be cut is passed over. `number` tells the fragments of one packet from those
  /// of others.
  static func fragments(of packet: IPPacket, most: Int, number: UInt32) -> [[UInt8]] {
    let header = packet.isIPv6 ? 48 : packet.transportOffset
    let room = (most - header) & ~7
    guard packet.bytes.count > most, room >= 8 else { return [packet.bytes] }
    if packet.isIPv6 {
      // One that is a fragment, or has other extensions, stays as it is.
      guard packet.transportOffset == 40 else { return [packet.bytes] }
      return pieces(packet.content, room).map { piece in
        var bytes = Array(packet.bytes[..<40])
        bytes.put(UInt16(truncatingIfNeeded: 8 + piece.bytes.count), at: 4)
        bytes[6] = IPPacket.Transport.fragment
        bytes += [packet.transport, 0]
        bytes += (UInt16(truncatingIfNeeded: piece.offset) | (piece.isLast ? 0 : 1)).bigEndianBytes
        return bytes + number.bigEndianBytes + piece.bytes
      }
    }
    let before = packet.bytes.word(6)
    let start = Int(before & 0x1FFF) * 8
    // A fragment that reaches beyond the longest packet has no place for more of them.
    guard start + packet.content.count <= 0xFFFF else { return [packet.bytes] }
    return pieces(packet.content, room).map { piece in
      var bytes = Array(packet.bytes[..<header])
      bytes.put(UInt16(truncatingIfNeeded: header + piece.bytes.count), at: 2)
      if start == 0, before & 0x2000 == 0 { bytes.put(UInt16(truncatingIfNeeded: number), at: 4) }
      let more: UInt16 = piece.isLast ? before & 0x2000 : 0x2000
      bytes.put(UInt16(truncatingIfNeeded: (start + piece.offset) / 8) | more, at: 6)
      bytes.putHeaderChecksum()
      return bytes + piece.bytes
    }
  }

  private struct Piece {
    var offset: Int
    var bytes: ArraySlice<UInt8>
    var isLast: Bool
  }

  private static func pieces(_ content: ArraySlice<UInt8>, _ room: Int) -> [Piece] {
    stride(from: 0, to: content.count, by: room).map { offset in
      let rest = content.dropFirst(offset)
      return Piece(offset: offset, bytes: rest.prefix(room), isLast: rest.count <= room)
    }
  }
}
