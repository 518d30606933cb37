import SocketCore
import Testing

@Suite("Byte search")
struct ByteSearchTests {
  /// Every place of a match, every length and every alignment up to a few words, with the bytes that fool word tricks
  /// around it: 0x01 and 0x80 neighbours of the wanted byte.
  @Test(
    "finds the first of a byte at every place, length and alignment", arguments: [0x00, 0x01, 0x0A, 0x7F, 0x80, 0xFF])
  func findsFirst(wanted: Int) {
    let byte = UInt8(wanted)
    let fillers: [UInt8] = [byte &+ 1, byte &- 1, byte ^ 0x80, byte ^ 0x01]
    for alignment in 0...8 {
      for count in [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 39, 40, 41, 63, 64, 65, 70] {
        for place in [nil] + (0..<count).map(Optional.some) {
          var bytes = (0..<(alignment + count)).map { fillers[$0 % fillers.count] }
          if let place {
            bytes[alignment + place] = byte
            if count > place + 3 { bytes[alignment + place + 3] = byte }
          }
          // A match before or behind the range must not count.
          bytes = [byte] + bytes + [byte]
          let found = bytes.withUnsafeBytes { all -> Int? in
            guard let base = all.baseAddress else { return nil }
            let start = base + 1 + alignment
            return ByteSearch.first(Int32(byte), in: start, count: count).map { start.distance(to: $0) }
          }
          guard found == place else {
            Issue.record("\(found as Any) for count \(count), place \(place as Any), alignment \(alignment)")
            return
          }
        }
      }
    }
  }

  @Test("compares at every length, alignment and place of the difference")
  func compares() {
    for alignment in 0...9 {
      for count in 0...40 {
        let left = (0..<(alignment + count)).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        for place in [nil] + (0..<count).map(Optional.some) {
          var right = left
          if let place { right[alignment + place] ^= 0x80 }
          let same = left.withUnsafeBytes { first in
            right.withUnsafeBytes { second -> Bool in
              guard let one = first.baseAddress, let other = second.baseAddress else { return true }
              return ByteSearch.equal(one + alignment, other + alignment, count: count)
            }
          }
          guard same == (place == nil) else {
            Issue.record("count \(count), place \(place as Any), alignment \(alignment)")
            return
          }
        }
      }
    }
  }
}
