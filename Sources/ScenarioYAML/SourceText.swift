import ScenarioModel

/// The text of a scenario file: valid UTF-8 of printable characters, without a byte order mark.
struct SourceText {
  /// Files larger than this are refused, in bytes.
  static let largest = 1 << 20

  let bytes: [UInt8]
  let text: String

  /// nil once the log says why; `text` is then of no use to anybody.
  init?(_ raw: [UInt8], log: inout DiagnosticLog) {
    let start = SourcePosition(line: 1, column: 1)
    guard raw.count <= Self.largest else {
      log.report(
        .fileTooLarge, at: start, "the file has \(raw.count) bytes; the limit is \(Self.largest) (1 MiB)",
        help: "describe large payloads with `pattern` or `repeat`, or keep them in a `file`")
      return nil
    }
    bytes = raw.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(raw.dropFirst(3)) : raw
    text = String(decoding: bytes, as: UTF8.self)
    if let offset = Self.firstBadByte(bytes) {
      let value = "0x" + (bytes[offset] < 16 ? "0" : "") + String(bytes[offset], radix: 16, uppercase: true)
      log.report(
        .badUTF8, at: Self.position(ofByte: offset, in: bytes), "byte \(value) is not valid UTF-8 here",
        help: "save the file as UTF-8; write arbitrary bytes as `{ hex: \"…\" }`")
      return nil
    }
    guard checkCharacters(&log) else { return nil }
  }

  private func checkCharacters(_ log: inout DiagnosticLog) -> Bool {
    guard let offset = Self.firstForbidden(bytes) else { return true }
    let scalar = String(decoding: bytes[offset..<min(offset + 3, bytes.count)], as: UTF8.self).unicodeScalars.first
    let hex = String(scalar?.value ?? 0, radix: 16, uppercase: true)
    let padded = String(repeating: "0", count: max(0, 4 - hex.count)) + hex
    log.report(
      .badCharacter, at: Self.position(ofByte: offset, in: bytes),
      "the character U+\(padded) may not stand in a YAML file",
      help: "in a double-quoted text write it as an escape: \"\\x\(padded.suffix(2))\" or \"\\u\(padded)\"")
    return false
  }

  /// Line and column (in Unicode scalars) of a byte.
  static func position(ofByte offset: Int, in bytes: [UInt8]) -> SourcePosition {
    let before = String(decoding: bytes[..<offset], as: UTF8.self)
    let lines = LineTable(before)
    return SourcePosition(line: lines.count, column: lines.scalars(ofLine: lines.count).count + 1)
  }

  /// The offset of the first byte that does not belong to a well-formed sequence.
  private static func firstBadByte(_ bytes: [UInt8]) -> Int? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    var iterator = bytes.makeIterator()
    var parser = Unicode.UTF8.ForwardParser()
    var offset = 0
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let encoded): offset += encoded.count
      case .error: return min(offset, bytes.count - 1)
      case .emptyInput: return nil
      }
    }
  }

  /// The offset of the first control character, surrogate-like or byte-order-mark character. Tab, line feed, carriage
  /// return and U+0085 are fine.
  private static func firstForbidden(_ bytes: [UInt8]) -> Int? {
    for offset in bytes.indices {
      let byte = bytes[offset]
      let isBad =
        switch byte {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E: false
        case 0x00...0x1F, 0x7F: true
        case 0xC2: bytes[offset + 1] < 0xA0 && bytes[offset + 1] != 0x85
        case 0xEF:
          (bytes[offset + 1] == 0xBB && bytes[offset + 2] == 0xBF)
            || (bytes[offset + 1] == 0xBF && bytes[offset + 2] >= 0xBE)
        default: false
        }
      if isBad { return offset }
    }
    return nil
  }
}

/// Where the lines of a text are. Lines end with LF, CR, CR LF, and with what YAML takes for a line break too: U+0085,
/// U+2028 and U+2029.
struct LineTable {
  private let text: String.UnicodeScalarView
  private let lines: [Range<String.Index>]
  /// Characters of each line.
  private let lengths: [Int]

  init(_ string: String) {
    text = string.unicodeScalars
    var lines: [Range<String.Index>] = []
    var lengths: [Int] = []
    var start = text.startIndex
    var index = start
    var length = 0
    while index < text.endIndex {
      let scalar = text[index]
      let next = text.index(after: index)
      guard Self.isBreak(scalar) else {
        index = next
        length += 1
        continue
      }
      lines.append(start..<index)
      lengths.append(length)
      length = 0
      let isPair = scalar == "\r" && next < text.endIndex && text[next] == "\n"
      start = isPair ? text.index(after: next) : next
      index = start
    }
    lines.append(start..<text.endIndex)
    lengths.append(length)
    self.lines = lines
    self.lengths = lengths
  }

  /// At least 1: an empty text has one empty line.
  var count: Int { lines.count }

  /// The characters of a line, counted from 1, without its line break.
  func scalars(ofLine line: Int) -> String.UnicodeScalarView.SubSequence {
    guard line >= 1, line <= lines.count else { return text[text.endIndex...] }
    return text[lines[line - 1]]
  }

  /// The position itself, or the nearest that exists: one past the end of a line counts as existing.
  func clamped(_ position: SourcePosition) -> SourcePosition {
    let line = min(max(position.line, 1), count)
    let end = lengths[line - 1] + 1
    return SourcePosition(line: line, column: line < position.line ? end : min(max(position.column, 1), end))
  }

  private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }
}
