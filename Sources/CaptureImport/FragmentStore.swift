/// Puts packets together that came in fragments.
///
/// Laws
/// - Of bytes that come twice the first ones count.
/// - It keeps a bounded number of packets; the oldest goes when there are more.
/// - A fragment that the capture has cut off makes no packet: what is behind it could not be placed.
struct FragmentStore {
  private struct Packet {
    var pieces: [(offset: Int, bytes: [UInt8])] = []
    var length: Int?
    var number: Int
  }

  private static let maxPackets = 256
  private static let maxPieces = 1_024
  private static let maxLength = 65_535

  private var packets: [[UInt8]: Packet] = [:]
  private var counter = 0

  /// The whole of what the packet carries, once its last fragment has come.
  mutating func take(
    _ fragment: InternetPacket.Fragment, _ content: ArraySlice<UInt8>, length: Int
  ) -> [UInt8]? {
    guard content.count == length, fragment.offset + length <= Self.maxLength else { return nil }
    counter += 1
    var packet = packets.removeValue(forKey: fragment.key) ?? Packet(number: counter)
    if fragment.isLast { packet.length = packet.length ?? fragment.offset + length }
    packet.pieces.append((fragment.offset, Array(content)))
    if let whole = Self.whole(packet) { return whole }
    guard packet.pieces.count < Self.maxPieces else { return nil }
    packets[fragment.key] = packet
    if packets.count > Self.maxPackets, let oldest = packets.min(by: { $0.value.number < $1.value.number }) {
      packets[oldest.key] = nil
    }
    return nil
  }

  private static func whole(_ packet: Packet) -> [UInt8]? {
    guard let length = packet.length else { return nil }
    var bytes: [UInt8] = []
    // A stable order: of two pieces with the same place, the first that came.
    let order = packet.pieces.indices.sorted { left, right in
      (packet.pieces[left].offset, left) < (packet.pieces[right].offset, right)
    }
    for index in order {
      let piece = packet.pieces[index]
      guard piece.offset <= bytes.count else { return nil }
      bytes += piece.bytes.dropFirst(bytes.count - piece.offset)
    }
    return bytes.count >= length ? Array(bytes.prefix(length)) : nil
  }
}
