/// The ones' complement sum of 16-bit words (RFC 1071).
package struct InternetChecksum {
  private var sum: UInt64 = 0

  package init() {}

  /// What is added before something else must have an even number of bytes.
  package mutating func add(_ bytes: some RandomAccessCollection<UInt8>) {
    var index = bytes.startIndex
    while index != bytes.endIndex {
      sum &+= UInt64(bytes[index]) << 8
      bytes.formIndex(after: &index)
      guard index != bytes.endIndex else { return }
      sum &+= UInt64(bytes[index])
      bytes.formIndex(after: &index)
    }
  }

  /// The complement of the sum: what stands in a header. Over bytes with a right checksum among them it is 0.
  package var value: UInt16 {
    var folded = sum
    while folded > 0xFFFF { folded = (folded & 0xFFFF) + (folded >> 16) }
    return ~UInt16(truncatingIfNeeded: folded)
  }
}
