/// Finding the first difference between byte runs, eight bytes at a time.
package enum ByteComparison {
  /// The distance from the two starts to the first byte that differs within `count`; nil when all agree.
  /// Both ranges must lie inside their arrays.
  package static func firstDifference(
    _ left: [UInt8], from leftStart: Int, _ right: [UInt8], from rightStart: Int, count: Int
  ) -> Int? {
    precondition(count >= 0 && leftStart + count <= left.count && rightStart + count <= right.count)
    return left.withUnsafeBytes { left in
      right.withUnsafeBytes { right in
        var offset = 0
        while offset + 8 <= count {
          let one = left.loadUnaligned(fromByteOffset: leftStart + offset, as: UInt64.self)
          let other = right.loadUnaligned(fromByteOffset: rightStart + offset, as: UInt64.self)
          if one != other { break }
          offset += 8
        }
        while offset < count {
          if left[leftStart + offset] != right[rightStart + offset] { return offset }
          offset += 1
        }
        return nil
      }
    }
  }
}
