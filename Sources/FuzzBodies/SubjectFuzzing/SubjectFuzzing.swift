import FuzzHarness
import ReportMarkup
import ScenarioModel
import SubjectProtocol

/// What a subject program writes, whatever it is.
///
/// Laws
/// - `subject/lines`: its output is cut into lines where a plain reader cuts it, however the bytes come.
/// - `subject/words`: what is said of a wrong line can be shown: it is no longer than a page, and nothing in it moves
///   a cursor.
/// - `subject/again`: a message that is written anew is read as the same.
/// - `subject/turns`: what is taken has its turn: an answer for each question, no callback of a socket that there is
///   not, instants that don't go back; and after a mistake nothing is taken.
package enum SubjectFuzzing {
  package static let body: FuzzBody = { check($0, Reading()) }

  /// What is under test; a test puts something broken in its place.
  package struct Reading: Sendable {
    /// The lines in bytes that come in pieces of a size, and what is wrong with what is behind them.
    package var lines: @Sendable (_ bytes: [UInt8], _ piece: Int) -> (lines: [[UInt8]], mistake: ProtocolViolation?) = {
      SubjectFuzzing.lines(of: $0, piece: $1)
    }
    package var message: @Sendable ([UInt8]) throws(ProtocolViolation) -> SubjectMessage = {
      (line) throws(ProtocolViolation) in try SubjectMessage(line: line)
    }
    package var words: @Sendable (ProtocolViolation) -> String = { $0.text }
    package var hear: @Sendable (inout SubjectSession, [UInt8], Int64) throws(ProtocolViolation) -> SubjectMessage = {
      (session, line, now) throws(ProtocolViolation) in try session.hear(line, now: now)
    }

    package init() {}
  }

  package static func check(_ input: UnsafeRawBufferPointer, _ reading: Reading) -> Violation? {
    let bytes = Array(input)
    let (lines, mistake) = reading.lines(bytes, max(bytes.count, 1))
    for size in [1, 7] {
      let pieces = reading.lines(bytes, size)
      guard pieces.lines == lines, pieces.mistake == mistake else {
        return Violation(
          "subject/lines", "\(lines.count) lines, and \(pieces.lines.count) from pieces of \(size) bytes")
      }
    }
    guard lines == plainLines(bytes) else { return Violation("subject/lines", "a plain reader finds others") }
    for line in lines { if let violation = check(line, reading) { return violation } }
    return SubjectDialogue(reading).violation(in: lines)
  }

  /// What is said of a mistake has no more characters.
  package static let mostWords = 1000
  private static let longestLine = 1 << 11

  private static func lines(of bytes: [UInt8], piece: Int) -> (lines: [[UInt8]], mistake: ProtocolViolation?) {
    var cutter = LineCutter(longestLine: longestLine)
    var lines: [[UInt8]] = []
    do throws(ProtocolViolation) {
      for start in stride(from: 0, to: bytes.count, by: piece) {
        try cutter.take(bytes[start..<min(start + piece, bytes.count)]) { lines.append($0) }
      }
    } catch { return (lines, error) }
    return (lines, nil)
  }

  /// Up to the first line that is too long, the one without an end left out.
  private static func plainLines(_ bytes: [UInt8]) -> [[UInt8]] {
    bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast().prefix { $0.count <= longestLine }
      .map { $0.last == 0x0D ? Array($0.dropLast()) : Array($0) }.filter { !$0.allSatisfy { $0 == 0x20 } }
  }

  private static func check(_ line: [UInt8], _ reading: Reading) -> Violation? {
    let message: SubjectMessage
    do { message = try reading.message(line) } catch { return words(reading.words(error)) }
    let again = Array(MessageText.line(message).utf8)
    guard let read = try? reading.message(again), MessageText.line(read) == MessageText.line(message) else {
      return Violation("subject/again", "another message, or none: \(MessageText.line(message))")
    }
    return nil
  }

  static func words(_ text: String) -> Violation? {
    guard !text.isEmpty, text.count <= mostWords else {
      return Violation("subject/words", "a mistake in \(text.count) characters")
    }
    return VisibleText.scrub(text, singleLine: true) == text
      ? nil : Violation("subject/words", "a mistake with control characters: \(text.debugDescription)")
  }
}
