/// Tells TLS records from bytes in clear by their framing alone, without keys, for the stream of a peer whose TLS is
/// over.
///
/// A record has a type between change_cipher_spec and heartbeat, a version 3.x and no more than 16,384 bytes and the
/// 2,048 that sealing may add. Everything from the first byte that can't be part of a record is clear.
struct ClearBytesFilter: Sendable {
  private var header: [UInt8] = []
  /// Of the record under way.
  private var left = 0
  private(set) var isBroken = false

  /// Goes on with these bytes; returns those that are in clear.
  mutating func take(_ bytes: [UInt8]) -> [UInt8] {
    if isBroken { return bytes }
    var position = 0
    while position < bytes.count {
      if left > 0 {
        let count = min(left, bytes.count - position)
        left -= count
        position += count
        continue
      }
      header.append(bytes[position])
      position += 1
      guard Self.canBegin(header) else {
        isBroken = true
        return header + bytes[position...]
      }
      guard header.count == 5 else { continue }
      left = Int(header[3]) << 8 | Int(header[4])
      header.removeAll(keepingCapacity: true)
    }
    return []
  }

  private static func canBegin(_ header: [UInt8]) -> Bool {
    switch header.count {
    case 1: (20...24).contains(header[0])
    case 2: header[1] == 3
    case 3: header[2] <= 4
    case 5: Int(header[3]) << 8 | Int(header[4]) <= 16_384 + 2_048
    default: true
    }
  }
}
