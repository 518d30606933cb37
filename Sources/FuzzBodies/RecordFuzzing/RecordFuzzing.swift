import Foundation
import FuzzHarness
import ReportMarkup
import ScenarioModel

/// The files that the lab keeps between runs, and what its processes tell each other, sound and damaged.
///
/// The first byte says what the rest is (`RecordKind`).
///
/// Laws
/// - `records/words`: what is said of a wrong file can be shown: no more than a page, without control characters, and
///   its place is in the file.
/// - `records/again`: what was read and is written anew is read as the same.
/// - `records/cut`: of a document only the whole is read, never a beginning of it.
/// - `records/strict`: what counts as JSON here counts as JSON elsewhere.
package enum RecordFuzzing {
  package static let body: FuzzBody = { check($0, Reading()) }

  /// What is under test; a test puts something broken in its place.
  package struct Reading: Sendable {
    package var file: @Sendable (RecordKind, [UInt8]) -> RecordOutcome = { $0.read($1) }
    /// nil: the bytes are a document.
    package var problem: @Sendable ([UInt8]) -> String? = { JSONScanner.problem(of: $0) }

    package init() {}
  }

  /// What is said of a mistake has no more characters.
  package static let mostWords = 2000

  package static func check(_ input: UnsafeRawBufferPointer, _ reading: Reading) -> Violation? {
    guard let first = input.first else { return nil }
    let kind = RecordKind.allCases[Int(first) % RecordKind.allCases.count]
    let bytes = Array(input.dropFirst())
    switch reading.file(kind, bytes) {
    case .refused(let mistakes):
      for mistake in mistakes { if let violation = violation(in: mistake, of: bytes, kind) { return violation } }
      return mistakes.isEmpty ? Violation("records/words", "\(kind): refused without a word") : nil
    case .read(let again):
      if let again, !again { return Violation("records/again", "\(kind): another one, or none") }
      guard kind.isDocument else { return nil }
      return violation(inDocument: bytes, kind, reading)
    }
  }

  private static func violation(in mistake: RecordOutcome.Mistake, of bytes: [UInt8], _ kind: RecordKind) -> Violation?
  {
    guard !mistake.text.isEmpty, mistake.text.count <= mostWords else {
      return Violation("records/words", "\(kind): a mistake in \(mistake.text.count) characters")
    }
    guard VisibleText.scrub(mistake.text, singleLine: true) == mistake.text else {
      return Violation("records/words", "\(kind): control characters in \(mistake.text.debugDescription)")
    }
    guard let place = mistake.position else { return nil }
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    guard place.line >= 1, place.column >= 1, place.line <= lines.count,
      place.column <= lines[place.line - 1].count + 1
    else {
      return Violation("records/words", "\(kind): \(place.line):\(place.column) is not in \(lines.count) lines")
    }
    return nil
  }

  private static func violation(inDocument bytes: [UInt8], _ kind: RecordKind, _ reading: Reading) -> Violation? {
    let end = (bytes.lastIndex { $0 > 0x20 } ?? 0)
    // Not each of its beginnings: that would be quadratic.
    for length in Set([0, end / 3, end / 2, end - 1, end]) where length >= 0 && length <= end {
      if case .read = reading.file(kind, Array(bytes[..<length])) {
        return Violation("records/cut", "\(kind): \(length) of \(bytes.count) bytes are read, too")
      }
    }
    guard reading.problem(bytes) == nil, String(validating: bytes, as: UTF8.self) != nil else { return nil }
    guard (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) == nil else { return nil }
    return Violation("records/strict", "\(kind): no JSON for another reader")
  }
}
