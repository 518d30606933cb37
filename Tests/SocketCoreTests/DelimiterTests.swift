import SocketCore
import TestSupport
import Testing

@Suite("Delimiter search")
struct DelimiterTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var needle: [UInt8]
    var haystack: [UInt8]
    var end: Int?
    var testDescription: String { name }

    init(_ name: String, _ needle: [UInt8], in haystack: [UInt8], end: Int?) {
      self.name = name
      self.needle = needle
      self.haystack = haystack
      self.end = end
    }

    init(_ name: String, _ needle: String, in haystack: String, end: Int?) {
      self.init(name, Array(needle.utf8), in: Array(haystack.utf8), end: end)
    }
  }

  static let rows: [Row] = [
    Row("self-overlap aab", "aab", in: "aaab", end: 4),
    Row("self-overlap abab!", "abab!", in: "ababab!", end: 7),
    Row("blank line after a stray CR", "\r\n\r\n", in: "\r\r\n\r\n", end: 5),
    Row("blank line after CRLF and CR", "\r\n\r\n", in: "\r\n\r\r\n\r\nx", end: 7),
    Row("leftmost of two", "\r\n", in: "\r\n\r\n", end: 2),
    Row("overlapping repeats take the first", "aa", in: "aaa", end: 2),
    Row("at the very end", "END", in: "xxEND", end: 5),
    Row("all of it", "END", in: "END", end: 3),
    Row("one byte short", "END", in: "EN", end: nil),
    Row("longer than the haystack", "ENDENDEND", in: "END", end: nil),
    Row("empty haystack", "\n", in: "", end: nil),
    Row("split by another byte", "\r\n", in: "\r \n", end: nil),
    Row("last byte alone everywhere", "xy", in: "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy", end: nil),
    Row("last byte repeated inside the needle", "abb", in: "bbabbb", end: 5),
    Row("period two", "ababac", in: "abababababac", end: 12),
    Row("zero byte", [0], in: [1, 2, 0, 3], end: 3),
    Row("zero bytes", [0, 0, 0], in: [0, 0, 1, 0, 0, 0, 0], end: 6),
    Row("0xFF", [0xFF], in: [0xFE, 0x7F, 0xFF], end: 3),
    Row("0xFF 0xFF", [0xFF, 0xFF], in: [0xFF, 0xFE, 0xFF, 0xFF], end: 4),
    Row("LF inside UTF-16LE is a byte like any other", [0x0A], in: [0x0A, 0x01, 0x0A, 0x00], end: 1),
    Row("long needle, last byte differs once", Self.run(99, 7) + [8], in: Self.run(150, 7) + [8], end: 151),
    Row("long needle, first byte differs", [1] + Self.run(99, 7), in: Self.run(150, 7), end: nil),
  ]

  static func run(_ count: Int, _ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: count) }

  @Test("finds the leftmost end, wherever the haystack lies in memory", arguments: rows)
  func table(row: Row) throws {
    let delimiter = try #require(Delimiter(row.needle))
    for alignment in 0...40 {
      #expect(Self.search(delimiter, row.haystack, from: 0, alignment: alignment) == row.end, "alignment \(alignment)")
    }
    #expect(NaiveReader.end(of: row.needle, in: row.haystack) == row.end, "the oracle itself")
  }

  /// The search in a copy of the haystack that begins `alignment` bytes into a larger block, between decoys: a needle
  /// that begins before the haystack, or ends behind it, must not be found.
  static func search(_ delimiter: Delimiter, _ haystack: [UInt8], from start: Int, alignment: Int) -> Int? {
    let before = Array((0..<alignment).map { delimiter.bytes[$0 % delimiter.count] }.reversed())
    return (before + haystack + delimiter.bytes).withUnsafeBytes { all in
      let place = UnsafeRawBufferPointer(rebasing: all[alignment..<(alignment + haystack.count)])
      return delimiter.end(in: place, from: start)
    }
  }

  static let alphabets: [[UInt8]] = [[97, 98], [0x0D, 0x0A], [0, 0xFF], [0, 1, 0x80], Array(0...255)]

  @Test("agrees with trying every place on random texts", arguments: alphabets.indices)
  func agreesWithOracle(alphabet: Int) throws {
    var random = SeededGenerator(seed: UInt64(alphabet))
    for round in 0..<6000 {
      let haystack = random.bytes(random.int(0...80), from: Self.alphabets[alphabet])
      var needle = random.bytes(random.int(1...9), from: Self.alphabets[alphabet])
      if random.oneIn(4), haystack.count > 2 {
        // A piece of the haystack, so that long needles are found, too.
        let from = random.int(0...(haystack.count - 2))
        needle = Array(haystack[from...random.int(from...(haystack.count - 1))])
      }
      let start = random.oneIn(2) ? 0 : random.int(0...(haystack.count + 2))
      let delimiter = try #require(Delimiter(needle))
      let found = Self.search(delimiter, haystack, from: start, alignment: random.int(0...40))
      let expected = NaiveReader.end(of: needle, in: haystack, from: start)
      guard found == expected else {
        Issue.record("round \(round): \(needle) in \(haystack) from \(start) found \(found as Any)")
        return
      }
      // The found end is where the needle ends, no shorter prefix has a match, and bytes behind don't matter.
      guard let found else { continue }
      let isEnd = haystack.prefix(found).suffix(needle.count).elementsEqual(needle)
      let shorter = Self.search(delimiter, Array(haystack.prefix(found - 1)), from: start, alignment: 0)
      let longer = Self.search(delimiter, haystack + needle, from: start, alignment: 3)
      guard isEnd, shorter == nil, longer == found else {
        Issue.record("round \(round): prefix or suffix law, \(needle) in \(haystack) from \(start)")
        return
      }
    }
  }

  @Test("a needle of 10,000 bytes and one of 4 MiB are found (RD-DELIM-13)", arguments: [10_000, 4 << 20])
  func longNeedles(count: Int) {
    let needle = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 >> 8) }
    let haystack = Array(needle.dropLast()) + needle + [1]
    // Nothing of it is on the stack.
    var end: Int?
    let isRun = SmallStack.run(bytes: 256 << 10) {
      end = haystack.withUnsafeBytes { Delimiter(needle)?.end(in: $0, from: 0) }
    }
    #expect(isRun && end == 2 * count - 1)
  }

  @Test("an empty delimiter does not exist") func empty() { #expect(Delimiter([]) == nil) }
}
