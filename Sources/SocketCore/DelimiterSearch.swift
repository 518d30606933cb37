/// An incremental search for one delimiter in bytes that are appended over time. It resumes where it stopped and never
/// looks twice at a byte that can't matter, so bytes that arrive one by one cost linear time whatever has been buffered
/// (RD-DELIM-19).
///
/// Short delimiters are found by `Delimiter.end`, which is fast on all usual content and compares anew wherever the
/// last byte of the delimiter occurs. For long ones that could cost their length for each byte of hostile content, so
/// they are matched by the Knuth-Morris-Pratt automaton, whose cost is linear on any content (RD-DELIM-13). Its table
/// grows with the longest match: a delimiter of megabytes costs no more in one call than the bytes that came, and the
/// loop's other sockets do not wait for it.
struct DelimiterSearch {
  static let longestShort = 32

  /// Short: bytes from the front in which no match can start. Long: bytes the automaton has read.
  private var position = 0
  /// Long: how many bytes of the delimiter the last bytes read match.
  private var matched = 0
  /// Long: for each prefix, the length of its longest proper border; for as many prefixes as bytes were ever matched at
  /// the end of a call or before a mismatch.
  private(set) var borders: [Int32] = []

  /// The length of the prefix that needs no further search while the front stays as it is.
  var searched: Int { position }

  /// The offset behind the first occurrence in the window, whose front is the same as the last time; or nil.
  mutating func end(of delimiter: Delimiter, in window: UnsafeRawBufferPointer) -> Int? {
    guard delimiter.count > Self.longestShort else {
      if let end = delimiter.end(in: window, from: position) { return end }
      position = max(position, window.count - delimiter.count + 1)
      return nil
    }
    return delimiter.bytes.withUnsafeBufferPointer { needle in
      let end = run(needle, over: window)
      learnBorders(of: needle, upTo: matched)
      return end
    }
  }

  private mutating func run(_ needle: UnsafeBufferPointer<UInt8>, over window: UnsafeRawBufferPointer) -> Int? {
    guard let base = window.baseAddress else { return nil }
    while position < window.count {
      if matched == 0 {
        // Nothing begun: the next place of interest is where the first byte occurs.
        guard
          let found = ByteSearch.first(Int32(needle[0]), in: base + position, count: window.count - position)
        else {
          position = window.count
          return nil
        }
        position = base.distance(to: found) + 1
        matched = 1
      } else {
        let byte = window[position]
        if needle[matched] != byte {
          learnBorders(of: needle, upTo: matched)
          while matched > 0, needle[matched] != byte { matched = Int(borders[matched - 1]) }
        }
        if needle[matched] == byte { matched += 1 }
        position += 1
      }
      if matched == needle.count {
        // Asked again, it finds the same.
        defer { (position, matched) = (0, 0) }
        return position
      }
    }
    return nil
  }

  private mutating func learnBorders(of needle: UnsafeBufferPointer<UInt8>, upTo count: Int) {
    guard borders.count < count else { return }
    if borders.isEmpty { borders.append(0) }
    var length = Int(borders[borders.count - 1])
    for index in borders.count..<max(borders.count, count) {
      while length > 0, needle[index] != needle[length] { length = Int(borders[length - 1]) }
      if needle[index] == needle[length] { length += 1 }
      borders.append(Int32(truncatingIfNeeded: length))
    }
  }
}
