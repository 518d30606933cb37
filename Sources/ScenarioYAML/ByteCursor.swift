import ScenarioModel

/// A place in a UTF-8 text that moves forward and knows its line and column (both from 0, columns in scalars).
struct ByteCursor {
  private let bytes: [UInt8]
  private(set) var index = 0
  private(set) var line = 0
  private(set) var column = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

  var position: SourcePosition { SourcePosition(line: line + 1, column: column + 1) }

  /// `---` or `...` alone at the start of a line.
  var isAtDocumentMark: Bool {
    guard column == 0, index + 2 < bytes.count, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: ".")
    else { return false }
    return bytes[index + 1] == bytes[index] && bytes[index + 2] == bytes[index] && isBlankOrEnd(at: 3)
  }

  func isBlankOrEnd(at distance: Int) -> Bool {
    let place = index + distance
    guard place < bytes.count else { return true }
    return bytes[place] == UInt8(ascii: " ") || bytes[place] == UInt8(ascii: "\t") || breakLength(at: place) > 0
  }

  /// Moves over so many characters of the same line.
  mutating func advance(_ count: Int) {
    for _ in 0..<count where index < bytes.count {
      index += 1
      while index < bytes.count, bytes[index] & 0xC0 == 0x80 { index += 1 }
      column += 1
    }
  }

  mutating func skipBlanks(tabs: Bool) {
    while let byte, byte == UInt8(ascii: " ") || (tabs && byte == UInt8(ascii: "\t")) { advance(1) }
  }

  /// Moves over one line break, if there is one.
  mutating func skipBreak() -> Bool {
    let length = breakLength(at: index)
    guard length > 0 else { return false }
    index += length
    line += 1
    column = 0
    return true
  }

  mutating func skipToBreak() {
    while index < bytes.count, breakLength(at: index) == 0 { advance(1) }
  }

  mutating func skipLine() {
    skipToBreak()
    _ = skipBreak()
  }

  /// Moves over the mark under the cursor and what belongs to it up to the next blank or bracket.
  mutating func skipWord() {
    advance(1)
    while let byte, !isBlankOrEnd(at: 0), !",[]{}".utf8.contains(byte) { advance(1) }
  }

  /// Moves over a quoted text; false if it is never closed.
  mutating func skipQuoted(_ quote: UInt8) -> Bool {
    advance(1)
    while let byte {
      if isAtDocumentMark { return false }
      if byte == quote {
        advance(1)
        guard quote == UInt8(ascii: "'"), self.byte == quote else { return true }
        advance(1)
      } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        advance(1)
        if !skipBreak() { advance(1) }
      } else if !skipBreak() {
        advance(1)
      }
    }
    return false
  }

  /// Moves over an unquoted text that begins here; nil if the parser will refuse it. True if it went over several
  /// lines, the blank lines behind it included.
  mutating func skipPlain(indent: Int, inFlow: Bool) -> Bool? {
    var crossedLines = false
    while !isAtDocumentMark, byte != UInt8(ascii: "#") {
      while let byte, !isBlankOrEnd(at: 0) {
        let next = index + 1 < bytes.count ? bytes[index + 1] : 0
        if byte == UInt8(ascii: ":") {
          if inFlow, ",?[]{}".utf8.contains(next) { return nil }
          if isBlankOrEnd(at: 1) { break }
        } else if inFlow, ",[]{}".utf8.contains(byte) {
          break
        }
        advance(1)
        crossedLines = false
      }
      guard byte != nil, isBlankOrEnd(at: 0) else { break }
      while byte != nil, isBlankOrEnd(at: 0) {
        if skipBreak() {
          crossedLines = true
        } else {
          if crossedLines, column < indent + 1, byte == UInt8(ascii: "\t") { return nil }
          advance(1)
        }
      }
      if !inFlow, column < indent + 1 { break }
    }
    return crossedLines
  }

  /// Moves over a `|` or `>` text inside a collection at column `indent`; false if the parser will refuse it.
  mutating func skipBlockText(indent: Int) -> Bool {
    advance(1)
    var increment = 0
    for _ in 0..<2 {
      guard let byte else { break }
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") {
        advance(1)
      } else if (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(byte) {
        increment = Int(byte - UInt8(ascii: "0"))
        advance(1)
      }
    }
    skipBlanks(tabs: true)
    if byte == UInt8(ascii: "#") { skipToBreak() }
    guard byte != nil else { return true }
    guard skipBreak() else { return false }
    var contentIndent = increment == 0 ? 0 : max(indent, 0) + increment
    guard skipBlockBreaks(&contentIndent, outer: indent) else { return false }
    while column == contentIndent, byte != nil {
      skipLine()
      guard skipBlockBreaks(&contentIndent, outer: indent) else { return false }
    }
    return true
  }

  private mutating func skipBlockBreaks(_ indent: inout Int, outer: Int) -> Bool {
    var widest = 0
    repeat {
      while indent == 0 || column < indent, byte == UInt8(ascii: " ") { advance(1) }
      widest = max(widest, column)
      if indent == 0 || column < indent, byte == UInt8(ascii: "\t") { return false }
    } while skipBreak()
    if indent == 0 { indent = max(widest, outer + 1, 1) }
    return true
  }

  /// Bytes of the line break at an offset, 0 if there is none.
  private func breakLength(at place: Int) -> Int {
    guard place < bytes.count else { return 0 }
    switch bytes[place] {
    case 0x0A: return 1
    case 0x0D: return place + 1 < bytes.count && bytes[place + 1] == 0x0A ? 2 : 1
    case 0xC2: return place + 1 < bytes.count && bytes[place + 1] == 0x85 ? 2 : 0
    case 0xE2:
      guard place + 2 < bytes.count, bytes[place + 1] == 0x80 else { return 0 }
      return bytes[place + 2] == 0xA8 || bytes[place + 2] == 0xA9 ? 3 : 0
    default: return 0
    }
  }
}
