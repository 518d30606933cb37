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
  /// Fragments of which no whole packet has come so far: those that wait, and those that were given up.
  private(set) var unused = 0

  /// The whole of what the packet carries, once its last fragment has come.
  mutating func take(
    _ fragment: InternetPacket.Fragment, _ content: ArraySlice<UInt8>, length: Int
  ) -> [UInt8]? {
    unused += 1
    guard content.count == length, fragment.offset + length <= Self.maxLength else { return nil }
    counter += 1
    var packet = packets.removeValue(forKey: fragment.key) ?? Packet(number: counter)
    if fragment.isLast { packet.length = packet.length ?? fragment.offset + length }
    packet.pieces.append((fragment.offset, Array(content)))
    if let whole = Self.whole(packet) {
      unused -= packet.pieces.count
      return whole
    }
    guard packet.pieces.count < Self.maxPieces else { return nil }
    packets[fragment.key] = packet
    if packets.count > Self.maxPackets, let oldest = packets.min(by: { $0.value.number < $1.value.number }) {
      packets[oldest.key] = nil
    }
    return nil
  }

  private static func whole(_ packet: Packet) -> [UInt8]? {
    guard let length = packet.length else { return nil }
    var known = 0
    for piece in packet.pieces.sorted(by: { $0.offset < $1.offset }) where piece.offset <= known {
      known = max(known, piece.offset + piece.bytes.count)
    }
    guard known >= length else { return nil }
    var bytes = [UInt8](repeating: 0, count: known)
    // The first that came is written last, over what others have for the same place.
    for piece in packet.pieces.reversed() where piece.offset + piece.bytes.count <= known {
      bytes.replaceSubrange(piece.offset..<(piece.offset + piece.bytes.count), with: piece.bytes)
    }
    return Array(bytes.prefix(length))
  }
}
