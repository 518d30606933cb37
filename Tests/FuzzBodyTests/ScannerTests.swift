import FuzzHarness
import SocketCore
import Testing

@testable import BufferFuzzing

/// The scanner's body lets right scanners pass and tells wrong ones.
@Suite struct ScannerTests {
  typealias Program = ScannerFuzzing.Program

  static let programs: [Program] = [
    Program(delimiter: [0x61, 0x61, 0x62], pieces: [1, 2, 1], alphabet: .two, stream: Array("aaabaaaab".utf8)),
    Program(
      delimiter: Array("\r\n\r\n".utf8), pieces: [3, 1, 1], alphabet: .lines, stream: Array("\r\r\n\r\n\r\n".utf8)),
    Program(delimiter: Array("a".utf8), pieces: [1], alphabet: .four, stream: Array("abcaadb".utf8)),
    Program(
      delimiter: Array("abab".utf8), limit: 6, pieces: [5, 1], alphabet: .two, stream: Array("bbababbbbbbb".utf8)),
    Program(delimiter: [0, 0xFF], pieces: [1, 1, 1], stream: [0, 0, 0xFF, 0xFF, 0, 0xFF, 0]),
    Program(
      delimiter: Array(String(repeating: "aab", count: 12).utf8), pieces: [35, 1, 1, 1], drip: 33, alphabet: .two,
      stream: Array((String(repeating: "aab", count: 11) + "aaaab" + String(repeating: "aab", count: 25)).utf8)),
    Program(
      delimiter: [UInt8](repeating: 0x61, count: 40), limit: 50, pieces: [39, 1], alphabet: .two,
      stream: [UInt8](repeating: 0x61, count: 39) + [0x62] + [UInt8](repeating: 0x61, count: 60)),
  ]

  static func check<Scanner: FrameScanner>(_ program: Program, _ scanner: Scanner.Type) -> Violation? {
    ScannerFuzzing.encode(program).withUnsafeBytes { ScannerFuzzing.check($0, scanner) }
  }

  @Test(arguments: programs) func passes(_ program: Program) {
    #expect(ScannerFuzzing.encode(program).withUnsafeBytes { ScannerFuzzing.body($0) } == nil)
  }

  @Test func anythingIsAProgram() {
    for input in ManyInputs.short {
      #expect(input.withUnsafeBytes { ScannerFuzzing.body($0) } == nil, "\(input)")
    }
  }

  @Test func tellsWhatIsWrong() {
    #expect(Self.laws(OneByteLate.self) == ["scanner/frames"])
    #expect(Self.laws(BlindAtSeams.self) == ["scanner/frames", "scanner/overflow"])
    #expect(Self.laws(Rescanning.self) == ["scanner/linear"])
    #expect(Self.laws(Unlimited.self) == ["scanner/frames", "scanner/overflow"])
    #expect(Self.laws(Losing.self).contains("scanner/rest"))
  }

  private static func laws<Scanner: FrameScanner>(_ scanner: Scanner.Type) -> Set<String> {
    Set(programs.compactMap { check($0, scanner)?.invariant })
  }
}

/// Inputs of all kinds, the same in each run.
enum ManyInputs {
  static let short: [[UInt8]] = (0..<2000).map { RandomInput.bytes($0 % 97, seed: $0) }
}

/// What the doubles are made of: everything that was fed, and a search of the plainest kind.
private protocol PlainScanner: FrameScanner {
  var bytes: [UInt8] { get set }
  var delimiter: [UInt8] { get }
  var limit: Int { get }
}

extension PlainScanner {
  mutating func feed(_ chunk: UnsafeRawBufferPointer) { bytes += chunk }

  func end(from start: Int = 0) -> Int? {
    guard bytes.count >= delimiter.count + start else { return nil }
    return (start...(bytes.count - delimiter.count)).first { bytes[$0...].starts(with: delimiter) }
      .map { $0 + delimiter.count }
  }

  mutating func take(_ count: Int) -> ScannedFrame {
    defer { bytes.removeFirst(count) }
    return bytes[..<count].withUnsafeBytes { .frame(ByteBlock(copying: $0)) }
  }

  func withRest<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { bytes.withUnsafeBytes(body) }

  var searched: Int { bytes.count }
}

/// Takes one byte more than the delimiter, where there is one.
private struct OneByteLate: PlainScanner {
  var bytes: [UInt8] = []
  let delimiter: [UInt8]
  let limit: Int

  init(delimiter: Delimiter, limit: Int) { (self.delimiter, self.limit) = (delimiter.bytes, limit) }

  mutating func next() -> ScannedFrame {
    if let end = end(), end <= limit { return take(min(end + 1, bytes.count)) }
    return bytes.count >= limit ? .overflow : .waiting
  }
}

/// Looks only at what came last, so that a delimiter in two pieces is missed.
private struct BlindAtSeams: PlainScanner {
  var bytes: [UInt8] = []
  let delimiter: [UInt8]
  let limit: Int
  private var seen = 0

  init(delimiter: Delimiter, limit: Int) { (self.delimiter, self.limit) = (delimiter.bytes, limit) }

  mutating func next() -> ScannedFrame {
    if let end = end(from: seen), end <= limit {
      seen = 0
      return take(end)
    }
    seen = bytes.count
    return bytes.count >= limit ? .overflow : .waiting
  }
}

/// Right, but begins anew each time.
private struct Rescanning: PlainScanner {
  var bytes: [UInt8] = []
  let delimiter: [UInt8]
  let limit: Int

  init(delimiter: Delimiter, limit: Int) { (self.delimiter, self.limit) = (delimiter.bytes, limit) }

  mutating func next() -> ScannedFrame {
    if let end = end(), end <= limit { return take(end) }
    return bytes.count >= limit ? .overflow : .waiting
  }

  var searched: Int { 0 }
}

/// Knows no limit.
private struct Unlimited: PlainScanner {
  var bytes: [UInt8] = []
  let delimiter: [UInt8]
  let limit: Int

  init(delimiter: Delimiter, limit: Int) { (self.delimiter, self.limit) = (delimiter.bytes, limit) }

  mutating func next() -> ScannedFrame { end().map { take($0) } ?? .waiting }
}

/// Loses the last byte of each piece that has no delimiter.
private struct Losing: PlainScanner {
  var bytes: [UInt8] = []
  let delimiter: [UInt8]
  let limit: Int

  init(delimiter: Delimiter, limit: Int) { (self.delimiter, self.limit) = (delimiter.bytes, limit) }

  mutating func next() -> ScannedFrame {
    if let end = end(), end <= limit { return take(end) }
    if bytes.count >= limit { return .overflow }
    if !bytes.isEmpty { bytes.removeLast() }
    return .waiting
  }
}
