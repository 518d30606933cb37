import Foundation

/// Cuts a subject's output into lines, and says when there is too much of it.
///
/// Laws
/// - The lines are the same however the bytes are divided over calls.
/// - What is kept is never more than the longest line that is allowed.
package struct LineCutter {
  /// A didRead of the largest payload, in base64.
  package static let longestLine = 48 << 20
  /// Of one case.
  package static let maxBytes = 96 << 20

  private var pending: [UInt8] = []
  private var taken = 0
  private let longest: Int
  private let most: Int

  /// With nothing taken yet.
  package init(longestLine: Int = LineCutter.longestLine, maxBytes: Int = LineCutter.maxBytes) {
    (longest, most) = (longestLine, maxBytes)
  }

  /// What has come since the last end of a line; empty: nothing.
  package var rest: [UInt8] { pending }

  /// The unfinished line, as the rest of a sentence; empty: none.
  package var unfinished: String {
    pending.isEmpty ? "" : "; it has written `\(MessageFields.shown(pending))` without the end of the line"
  }

  /// A new case begins: what was written before no longer counts.
  package mutating func beginCase() { taken = 0 }

  /// Takes bytes, and hands out the lines without their ends. Lines without anything in them are passed over.
  package mutating func take(
    _ bytes: some Collection<UInt8>, _ line: ([UInt8]) throws(ProtocolViolation) -> Void
  ) throws(ProtocolViolation) {
    taken += bytes.count
    guard taken <= most else { throw .tooMuch(limit: most) }
    let bytes = Array(bytes)
    var start = 0
    while let end = Self.end(of: bytes, from: start) {
      guard pending.count + (end - start) <= longest else { throw .longLine(limit: longest) }
      pending += bytes[start..<end]
      start = end + 1
      var whole: [UInt8] = []
      swap(&whole, &pending)
      if whole.last == UInt8(ascii: "\r") { whole.removeLast() }
      if whole.contains(where: { $0 != UInt8(ascii: " ") }) { try line(whole) }
    }
    pending += bytes[start...]
    guard pending.count <= longest else { throw .longLine(limit: longest) }
  }

  /// Where the next line ends. Lines may be large, and this is the system's search.
  private static func end(of bytes: [UInt8], from start: Int) -> Int? {
    bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress, start < buffer.count,
        let found = memchr(base + start, Int32(UInt8(ascii: "\n")), buffer.count - start)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }
}
