import FuzzHarness
import SocketCore

/// What cuts a growing stream into frames: the code under test, or a double that proves an oracle can fail.
package protocol FrameScanner {
  /// `limit`: the most bytes of a frame.
  init(delimiter: Delimiter, limit: Int)
  mutating func feed(_ chunk: UnsafeRawBufferPointer)
  mutating func next() -> ScannedFrame
  /// Shows what was fed and has not left in a frame.
  func withRest<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result
  /// How much of the rest the search will not look at again; valid after `next` has said that it waits.
  var searched: Int { get }
}

package enum ScannedFrame {
  case frame(ByteBlock)
  /// The limit is reached and no delimiter in it.
  case overflow
  case waiting
}

/// The prebuffer as a delimiter read uses it.
struct PrebufferScanner: FrameScanner {
  private var prebuffer = Prebuffer()
  private let delimiter: Delimiter
  private let limit: Int

  init(delimiter: Delimiter, limit: Int) {
    self.delimiter = delimiter
    self.limit = limit
  }

  /// As a machine receives: into room that is made with more to come in mind.
  mutating func feed(_ chunk: UnsafeRawBufferPointer) {
    prebuffer.room(atLeast: chunk.count, preferring: Self.receiveSize).copyMemory(from: chunk)
    prebuffer.filled(chunk.count)
  }

  /// Small, so that making room has its turn as well.
  private static let receiveSize = 256

  mutating func next() -> ScannedFrame {
    if let end = prebuffer.end(of: delimiter, limit: limit) { return .frame(prebuffer.take(end)) }
    return prebuffer.count >= limit ? .overflow : .waiting
  }

  func withRest<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { body(prebuffer.bytes) }
  var searched: Int { prebuffer.searched }
}

/// A stream is cut at the delimiter: as a whole, dripping, and in the fuzzer's pieces.
///
/// Laws
/// - `scanner/frames`: frames are those of the naive search, so the leftmost delimiter ends each.
/// - `scanner/overflow`: too long a frame is noticed exactly where the naive search notices it.
/// - `scanner/rest`: frames and rest together are the stream.
/// - `scanner/linear`: bytes that were searched without a match are not searched again, except for the length of a
///   delimiter.
package enum ScannerFuzzing {
  package static let body: FuzzBody = { check($0, PrebufferScanner.self) }

  /// An input as the body reads it.
  package struct Program: Hashable {
    package var delimiter: [UInt8]
    /// The most bytes of a frame; 0: no limit.
    package var limit: Int
    /// How long the pieces of the third pass are; the last one is followed by all the rest.
    package var pieces: [UInt8]
    /// Where the drip of the second pass begins.
    package var drip: Int
    package var alphabet: Alphabet
    package var stream: [UInt8]

    package init(
      delimiter: [UInt8], limit: Int = 0, pieces: [UInt8] = [], drip: Int = 0, alphabet: Alphabet = .bytes,
      stream: [UInt8]
    ) {
      self.delimiter = delimiter
      self.limit = limit
      self.pieces = pieces
      self.drip = drip
      self.alphabet = alphabet
      self.stream = stream
    }
  }

  /// What the payload's bytes become. Few envelopes make delimiters that overlap themselves likely.
  package enum Alphabet: UInt8, CaseIterable, Sendable {
    case bytes, two, four, lines

    fileprivate func envelope(_ byte: UInt8) -> UInt8 {
      switch self {
      case .bytes: byte
      case .two: 0x61 + (byte & 1)
      case .four: 0x61 + (byte & 3)
      // a, b, CR, LF
      case .lines: UInt8(truncatingIfNeeded: 0x0A0D_6261 as UInt32 >> (UInt32(byte & 3) * 8))
      }
    }
  }

  /// A drip is this long: more would cost most of the speed and hardly find more.
  static let dripLength = 16
  private static let maxPieces = 31

  /// The program's bytes; what `Program` says is cut to what an input can say.
  package static func encode(_ program: Program) -> [UInt8] {
    var output = FuzzOutput()
    output.byte(program.alphabet.rawValue | UInt8(program.limit == 0 ? 0 : 4))
    output.byte(delimiterDecision(program.delimiter.count))
    if program.limit != 0 { output.number(program.limit - program.delimiter.count, upTo: 255) }
    output.number(program.drip, upTo: 255)
    output.number(program.pieces.count, upTo: maxPieces)
    for piece in program.pieces.prefix(maxPieces) { output.byte(piece) }
    let envelopes = (0...255).map { program.alphabet.envelope($0) }
    output.payload((program.delimiter + program.stream).map { UInt8(envelopes.firstIndex(of: $0) ?? 0) })
    return output.bytes
  }

  /// 1…8 for most decisions, 33…64 for the others: long ones are searched for in another way.
  private static func delimiterLength(_ decision: Int) -> Int { decision < 224 ? decision % 8 + 1 : decision - 191 }

  private static func delimiterDecision(_ length: Int) -> UInt8 {
    UInt8(length <= 32 ? min(max(length, 1), 8) - 1 : min(length, 64) + 191)
  }

  package static func check<Scanner: FrameScanner>(
    _ bytes: UnsafeRawBufferPointer, _ scanner: Scanner.Type
  ) -> Violation? {
    var input = FuzzInput(bytes)
    let mode = input.byte()
    let length = delimiterLength(Int(input.byte()))
    let limit = mode & 4 == 0 ? ReadRequest.noLimit : length + input.number(upTo: 255)
    let drip = input.number(upTo: 255)
    return withUnsafeTemporaryAllocation(byteCount: maxPieces, alignment: 1) { pieces in
      let count = input.number(upTo: maxPieces)
      for index in 0..<count { pieces[index] = input.byte() }
      let alphabet = Alphabet(rawValue: mode & 3) ?? .bytes
      let text = input.payload(length)
      // What the payload lacks of the delimiter is filled by repeating it.
      let delimiter = Delimiter((0..<length).map { text.isEmpty ? 0x61 : alphabet.envelope(text[$0 % text.count]) })
      guard let delimiter else { return nil }
      let payload = input.rest()
      return withUnsafeTemporaryAllocation(byteCount: payload.count + 1, alignment: 16) { room in
        if alphabet == .bytes {
          room.copyMemory(from: payload)
        } else {
          for index in 0..<payload.count { room[index] = alphabet.envelope(payload[index]) }
        }
        let stream = UnsafeRawBufferPointer(rebasing: room[..<payload.count])
        return withUnsafeTemporaryAllocation(of: Int.self, capacity: payload.count + 1) { ends in
          let oracle = NaiveFrames(stream, delimiter, limit: limit, ends: ends)
          var whole = ScannerPass<Scanner>("whole", stream, delimiter, limit: limit, oracle: oracle)
          if let violation = whole.finish() { return violation }
          var dripping = ScannerPass<Scanner>("dripping", stream, delimiter, limit: limit, oracle: oracle)
          if let violation = dripping.feed(min(drip, max(0, stream.count - dripLength))) { return violation }
          for _ in 0..<min(dripLength, stream.count) {
            if let violation = dripping.feed(1) { return violation }
          }
          if let violation = dripping.finish() { return violation }
          guard count > 0 else { return nil }
          var cut = ScannerPass<Scanner>("in pieces", stream, delimiter, limit: limit, oracle: oracle)
          for index in 0..<count {
            if let violation = cut.feed(Int(pieces[index])) { return violation }
          }
          return cut.finish()
        }
      }
    }
  }
}
