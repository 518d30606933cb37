import TestSupport
import Testing

@testable import SocketCore

/// The automaton for long delimiters, and what it costs.
@Suite struct DelimiterSearchTests {
  /// Feeds the stream piece by piece, as a socket's buffer grows, and returns the first end.
  private static func end(
    of needle: [UInt8], in stream: [UInt8], piece: Int, _ look: (DelimiterSearch, Int) -> Void = { _, _ in }
  ) throws -> Int? {
    let delimiter = try #require(Delimiter(needle))
    var search = DelimiterSearch()
    for count in stride(from: piece, through: stream.count + piece - 1, by: piece) {
      let end = stream[..<min(count, stream.count)].withUnsafeBytes { search.end(of: delimiter, in: $0) }
      look(search, min(count, stream.count))
      if let end { return end }
    }
    return nil
  }

  private static func naive(_ needle: [UInt8], _ stream: [UInt8]) -> Int? {
    guard needle.count <= stream.count else { return nil }
    return (needle.count...stream.count).first { stream[($0 - needle.count)..<$0].elementsEqual(needle) }
  }

  /// Of few letters, so that beginnings of the delimiter overlap each other and end anywhere.
  @Test(arguments: 0..<200) func findsWhatANaiveSearchFinds(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let needle = (0..<Int.random(in: 33...60, using: &random)).map { _ in UInt8.random(in: 0...1, using: &random) }
    var stream: [UInt8] = []
    while stream.count < 1_000 {
      let length = Int.random(in: 0...needle.count, using: &random)
      stream += needle.prefix(length) + [UInt8.random(in: 0...1, using: &random)]
    }
    if seed % 4 != 0 { stream += needle }
    let piece = Int.random(in: 1...50, using: &random)
    #expect(try Self.end(of: needle, in: stream, piece: piece) == Self.naive(needle, stream))
  }

  /// The loop's other sockets wait for a call: it may not cost a delimiter of megabytes when a few bytes have come.
  @Test func theTableGrowsWithWhatWasMatched() throws {
    let needle = [UInt8](repeating: 7, count: 1 << 20)
    let stream = [UInt8](repeating: 7, count: 5_000) + [8] + needle
    let end = try Self.end(of: needle, in: stream, piece: 1_000) { search, count in
      #expect(search.borders.count <= count)
    }
    #expect(end == stream.count)
    _ = try Self.end(of: needle, in: [UInt8](repeating: 8, count: 5_000), piece: 1_000) { search, _ in
      #expect(search.borders.isEmpty)
    }
  }

  /// After each call: what the next mismatch needs was not put off to it.
  @Test func theTableIsThereBeforeItIsNeeded() throws {
    let needle = [UInt8](repeating: 7, count: 1 << 16)
    _ = try Self.end(of: needle, in: needle.dropLast(), piece: 1_000) { search, count in
      #expect(search.borders.count == count)
    }
  }
}
