/// The ones' complement sum of 16-bit words (RFC 1071).
package struct InternetChecksum {
  private var sum: UInt64 = 0

  package init() {}

  /// What is added before something else must have an even number of bytes.
  package mutating func add(_ bytes: some Sequence<UInt8>) {
    // One place for the loop, as it is optimised: in the caller's module a loop over any collection may not be.
    if bytes.withContiguousStorageIfAvailable({ add($0) }) == nil { Array(bytes).withUnsafeBufferPointer { add($0) } }
  }

  private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    for place in stride(from: 0, to: bytes.count & ~1, by: 2) {
      sum &+= UInt64(bytes[place]) << 8 | UInt64(bytes[place + 1])
    }
    if !bytes.count.isMultiple(of: 2), let last = bytes.last { sum &+= UInt64(last) << 8 }
  }

  /// The complement of the sum: what stands in a header. Over bytes with a right checksum among them it is 0.
  package var value: UInt16 {
    var folded = sum
    while folded > 0xFFFF { folded = (folded & 0xFFFF) + (folded >> 16) }
    return ~UInt16(truncatingIfNeeded: folded)
  }
}
