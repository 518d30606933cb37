/// Byte search and comparison in words of eight. The standard library has neither, and the core imports no C library.
package enum ByteSearch {
  private static let lows: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// The address of the first `byte` (its low eight bits) in `count` bytes from `start`, or nil.
  package static func first(_ byte: Int32, in start: UnsafeRawPointer, count: Int) -> UnsafeRawPointer? {
    let wanted = UInt8(truncatingIfNeeded: byte)
    let pattern = UInt64(wanted) &* lows
    var offset = 0
    while offset &+ 32 <= count {
      // Four words a turn; a zero byte in any of them shows as a high bit.
      let first = zeroBytes(start.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ pattern)
      let second = zeroBytes(start.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self) ^ pattern)
      let third = zeroBytes(start.loadUnaligned(fromByteOffset: offset &+ 16, as: UInt64.self) ^ pattern)
      let fourth = zeroBytes(start.loadUnaligned(fromByteOffset: offset &+ 24, as: UInt64.self) ^ pattern)
      if first | second | third | fourth != 0 { break }
      offset &+= 32
    }
    while offset &+ 8 <= count {
      let word = zeroBytes(UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ pattern)
      if word != 0 { return start + offset + word.trailingZeroBitCount / 8 }
      offset &+= 8
    }
    while offset < count {
      if start.load(fromByteOffset: offset, as: UInt8.self) == wanted { return start + offset }
      offset &+= 1
    }
    return nil
  }

  /// Whether `count` bytes at both places are the same.
  package static func equal(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, count: Int) -> Bool {
    var offset = 0
    while offset &+ 8 <= count {
      if left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        != right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      {
        return false
      }
      offset &+= 8
    }
    while offset < count {
      if left.load(fromByteOffset: offset, as: UInt8.self) != right.load(fromByteOffset: offset, as: UInt8.self) {
        return false
      }
      offset &+= 1
    }
    return true
  }

  /// The high bit of the lowest zero byte is set, and no bit below it; higher bits may be set falsely.
  private static func zeroBytes(_ word: UInt64) -> UInt64 { (word &- lows) & ~word & highs }
}
