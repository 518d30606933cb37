/// A byte sequence that ends a read; never empty.
package struct Delimiter: Hashable, Sendable {
  package let bytes: [UInt8]

  /// nil when there is nothing to search for: such a read is a no-op (RD-DELIM-02).
  package init?(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return nil }
    self.bytes = bytes
  }

  package var count: Int { bytes.count }

  /// The offset just behind the first occurrence that starts at or after `start`, or nil.
  ///
  /// Anchored on the last byte: the anchor is found with the machine's own byte search, then the rest is compared. Text
  /// rarely repeats the anchor, so the cost is that of the byte search; the comparison starts at the front and stops at
  /// the first difference. Every start position is tried, so self-overlapping delimiters need no special care
  /// (RD-DELIM-06).
  package func end(in haystack: UnsafeRawBufferPointer, from start: Int) -> Int? {
    let length = bytes.count
    guard let base = haystack.baseAddress, start >= 0, haystack.count - start >= length else { return nil }
    return bytes.withUnsafeBytes { needle -> Int? in
      guard let needleBase = needle.baseAddress else { return nil }
      let anchor = Int32(needle[length - 1])
      var candidate = start + length - 1
      while candidate < haystack.count {
        guard let found = ByteSearch.first(anchor, in: base + candidate, count: haystack.count - candidate) else {
          return nil
        }
        candidate = base.distance(to: found)
        if length == 1 || ByteSearch.equal(base + (candidate - length + 1), needleBase, count: length - 1) {
          return candidate + 1
        }
        candidate += 1
      }
      return nil
    }
  }
}
