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

  /// Near misses all around: the needle's ends without its middle, and its bytes in other orders.
  @Test("finds the first of a needle at every place, length and alignment", arguments: [2, 3, 4, 5, 9, 17, 33])
  func findsFirstNeedle(length: Int) {
    let needle = (0..<length).map { UInt8($0 == length - 1 ? 1 : $0 == 0 ? 2 : 3 + $0 % 2) }
    let fillers: [UInt8] = [2, 1, 4, 3, 2, 3, 1, 2, 2, 1, 1, 5]
    for alignment in 0...4 {
      for count in 0...90 {
        let filling = (0..<(count + alignment)).map { fillers[$0 * 7 % fillers.count] }
        for place in [nil] + (0..<max(0, count - length + 1)).map(Optional.some) {
          var bytes = filling
          if let place { bytes.replaceSubrange((alignment + place)..<(alignment + place + length), with: needle) }
          let expected = Self.naive(needle, in: bytes[alignment...])
          // What would be a match behind the range must not count.
          bytes += needle
          let found = bytes.withUnsafeBytes { all in
            needle.withUnsafeBytes { needle -> Int? in
              guard let base = all.baseAddress else { return nil }
              let start = base + alignment
              return ByteSearch.first(of: needle, in: start, count: count).map { start.distance(to: $0) }
            }
          }
          guard found == expected else {
            Issue.record("\(found as Any), not \(expected as Any): count \(count), place \(place as Any)")
            return
          }
        }
      }
    }
  }

  private static func naive(_ needle: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= needle.count else { return nil }
    return (0...(bytes.count - needle.count)).first { offset in
      needle.indices.allSatisfy { bytes[bytes.startIndex + offset + $0] == needle[$0] }
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
