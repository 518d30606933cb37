// The only function of the C library that the core imports: pure, and the fastest there is for its purpose.
import func Glibc.memchr

/// Byte search and comparison in wide words.
package enum ByteSearch {
  /// The address of the first `byte` (its low eight bits) in `count` bytes from `start`, or nil.
  package static func first(_ byte: Int32, in start: UnsafeRawPointer, count: Int) -> UnsafeRawPointer? {
    guard count > 0 else { return nil }
    return UnsafeRawPointer(memchr(start, byte, count))
  }

  /// The address of the first occurrence of a needle of at least two bytes in `count` bytes from `start`, or nil.
  ///
  /// Sixteen places at once are looked at for the needle's first and last byte; where both fit, the bytes between are
  /// compared. Where first and last byte fit at every place, each byte costs the needle's length: use it for short
  /// needles only.
  package static func first(
    of needle: UnsafeRawBufferPointer, in start: UnsafeRawPointer, count: Int
  ) -> UnsafeRawPointer? {
    guard let pattern = needle.baseAddress, needle.count >= 2 else { return nil }
    let gap = needle.count - 1
    let places = count - gap
    let front = Lanes(repeating: needle[0])
    let back = Lanes(repeating: needle[gap])
    var place = 0
    while place &+ 32 <= places {
      let low = matches(start + place, front, back, gap)
      let high = matches(start + (place &+ 16), front, back, gap)
      let any = low | high
      if any[0] | any[1] != 0 {
        if let found = verified(low, pattern, gap, at: start + place) { return found }
        if let found = verified(high, pattern, gap, at: start + (place &+ 16)) { return found }
      }
      place &+= 32
    }
    while place &+ 16 <= places {
      let here = matches(start + place, front, back, gap)
      if let found = verified(here, pattern, gap, at: start + place) { return found }
      place &+= 16
    }
    guard place < places else { return nil }
    if places >= 16 {
      // The last places, and some that have been looked at before.
      let here = matches(start + (places &- 16), front, back, gap)
      return verified(here, pattern, gap, at: start + (places &- 16))
    }
    for place in place..<places where equal(start + place, pattern, count: needle.count) { return start + place }
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

  // MARK: Sixteen places at once

  private typealias Lanes = SIMD16<UInt8>
  /// A byte for each place, all ones where both ends fit.
  private typealias Matches = SIMD2<UInt64>

  @inline(__always)
  private static func matches(_ start: UnsafeRawPointer, _ front: Lanes, _ back: Lanes, _ gap: Int) -> Matches {
    let first = start.loadUnaligned(as: Lanes.self) .== front
    let last = start.loadUnaligned(fromByteOffset: gap, as: Lanes.self) .== back
    return unsafeBitCast(first .& last, to: Matches.self)
  }

  /// The first of the matching places from `start` where the bytes between the ends fit as well.
  @inline(__always)
  private static func verified(
    _ matches: Matches, _ pattern: UnsafeRawPointer, _ gap: Int, at start: UnsafeRawPointer
  ) -> UnsafeRawPointer? {
    for half in 0..<2 {
      var left = UInt64(littleEndian: matches[half])
      while left != 0 {
        let bit = left.trailingZeroBitCount
        let place = start + (half &* 8 &+ bit / 8)
        if equal(place + 1, pattern + 1, count: gap &- 1) { return place }
        left &= ~(0xFF << UInt64(bit))
      }
    }
    return nil
  }
}
