/// A byte sequence that ends a read; never empty.
package struct Delimiter: Hashable, Sendable {
  /// At least one byte.
  package let bytes: [UInt8]

  /// nil when there is nothing to search for: such a read is a no-op (RD-DELIM-02).
  package init?(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return nil }
    self.bytes = bytes
  }

  /// How many bytes it has; at least 1.
  package var count: Int { bytes.count }

  /// Whether those bytes are exactly the delimiter.
  package func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
    guard let start = other.baseAddress, other.count == bytes.count else { return false }
    return bytes.withUnsafeBytes { own in
      own.baseAddress.map { ByteSearch.equal($0, start, count: own.count) } ?? false
    }
  }

  /// The offset just behind the first occurrence that starts at or after `start`, or nil.
  ///
  /// Every start position is tried, so self-overlapping delimiters need no special care (RD-DELIM-06).
  package func end(in haystack: UnsafeRawBufferPointer, from start: Int) -> Int? {
    let length = bytes.count
    guard let base = haystack.baseAddress, start >= 0, haystack.count - start >= length else { return nil }
    let found = bytes.withUnsafeBytes { needle in
      length == 1
        ? ByteSearch.first(Int32(needle[0]), in: base + start, count: haystack.count - start)
        : ByteSearch.first(of: needle, in: base + start, count: haystack.count - start)
    }
    return found.map { base.distance(to: $0) + length }
  }
}
