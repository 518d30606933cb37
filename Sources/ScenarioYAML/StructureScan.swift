import ScenarioModel

/// Looks over a text before the YAML parser does.
///
/// Laws
/// - The parser recurses once per level of nesting and copies what an alias names, so depth and aliases must be refused
///   before it runs; nothing later can bound them.
/// - Braces and ampersands inside quotes, comments and block texts are content. The scan therefore follows the token
///   rules of the YAML scanner, token by token, in one pass and without recursion: constant work per byte.
/// - Where the YAML scanner would report an error, the scan just stops: the parser will stop there too.
struct StructureScan {
  /// Levels of nesting that a file may have; the language itself needs about a dozen.
  static let deepest = 64

  private var cursor: ByteCursor
  /// The columns of the open block collections, innermost last.
  private var indents: [Int] = []
  /// Brackets and braces that are open.
  private var flowLevel = 0
  private var simpleKeyAllowed = true
  /// Where a key may have begun, outside all brackets.
  private var possibleKey: (column: Int, line: Int)?
  private var log: DiagnosticLog

  private init(_ source: SourceText, log: DiagnosticLog) {
    cursor = ByteCursor(source.bytes)
    self.log = log
  }

  /// Whether the text may be given to the YAML parser; if not, the log says why.
  static func accepts(_ source: SourceText, log: inout DiagnosticLog) -> Bool {
    var scan = StructureScan(source, log: log)
    let before = log.diagnostics.count
    while !scan.log.isFull, scan.scanToken() {}
    log = scan.log
    return log.diagnostics.count == before
  }

  private var indent: Int { indents.last ?? -1 }

  /// Scans one token; false at the end, at what the parser will refuse, or when the nesting is too deep.
  private mutating func scanToken() -> Bool {
    skipToToken()
    if let key = possibleKey, key.line < cursor.line { possibleKey = nil }
    unroll(to: cursor.column)
    guard let byte = cursor.byte else { return false }
    if cursor.isAtDocumentMark {
      unroll(to: -1)
      possibleKey = nil
      simpleKeyAllowed = false
      cursor.advance(3)
      return true
    }
    if cursor.column == 0, byte == UInt8(ascii: "%") {
      unroll(to: -1)
      possibleKey = nil
      simpleKeyAllowed = false
      cursor.skipLine()
      return true
    }
    return scanToken(startingWith: byte)
  }

  private mutating func scanToken(startingWith byte: UInt8) -> Bool {
    let isFollowedByBlank = cursor.isBlankOrEnd(at: 1)
    switch byte {
    case UInt8(ascii: "["), UInt8(ascii: "{"): return openBracket()
    case UInt8(ascii: "]"), UInt8(ascii: "}"):
      flowLevel = max(0, flowLevel - 1)
      simpleKeyAllowed = false
      cursor.advance(1)
    case UInt8(ascii: ","):
      simpleKeyAllowed = true
      if flowLevel == 0 { possibleKey = nil }
      cursor.advance(1)
    case UInt8(ascii: "-") where isFollowedByBlank: return openEntry()
    case UInt8(ascii: "?") where flowLevel > 0 || isFollowedByBlank: return openComplexKey()
    case UInt8(ascii: ":") where flowLevel > 0 || isFollowedByBlank: return openValue()
    case UInt8(ascii: "*"), UInt8(ascii: "&"):
      reportAnchor(byte)
      saveKey()
      cursor.skipWord()
    case UInt8(ascii: "!"):
      reportTag()
      saveKey()
      cursor.skipWord()
    case UInt8(ascii: "|") where flowLevel == 0, UInt8(ascii: ">") where flowLevel == 0:
      possibleKey = nil
      simpleKeyAllowed = true
      return cursor.skipBlockText(indent: indent)
    case UInt8(ascii: "'"), UInt8(ascii: "\""):
      saveKey()
      return cursor.skipQuoted(byte)
    case UInt8(ascii: "%"), UInt8(ascii: "@"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: ">"),
      UInt8(ascii: "\t"):
      return false
    default:
      saveKey()
      guard let crossedLines = cursor.skipPlain(indent: indent, inFlow: flowLevel > 0) else { return false }
      if crossedLines { simpleKeyAllowed = true }
    }
    return true
  }

  private mutating func openBracket() -> Bool {
    saveKey()
    flowLevel += 1
    simpleKeyAllowed = true
    defer { cursor.advance(1) }
    return checkDepth()
  }

  private mutating func openEntry() -> Bool {
    if flowLevel == 0 {
      guard simpleKeyAllowed else { return false }
      roll(to: cursor.column)
      possibleKey = nil
    }
    simpleKeyAllowed = true
    defer { cursor.advance(1) }
    return checkDepth()
  }

  private mutating func openComplexKey() -> Bool {
    if flowLevel == 0 {
      guard simpleKeyAllowed else { return false }
      roll(to: cursor.column)
      possibleKey = nil
    }
    simpleKeyAllowed = flowLevel == 0
    defer { cursor.advance(1) }
    return checkDepth()
  }

  private mutating func openValue() -> Bool {
    defer { cursor.advance(1) }
    guard flowLevel == 0 else {
      simpleKeyAllowed = false
      return true
    }
    if let key = possibleKey {
      roll(to: key.column)
      possibleKey = nil
      simpleKeyAllowed = false
    } else {
      guard simpleKeyAllowed else { return false }
      roll(to: cursor.column)
    }
    return checkDepth()
  }

  private mutating func saveKey() {
    if simpleKeyAllowed, flowLevel == 0 { possibleKey = (cursor.column, cursor.line) }
    simpleKeyAllowed = false
  }

  private mutating func roll(to column: Int) {
    if indent < column { indents.append(column) }
  }

  private mutating func unroll(to column: Int) {
    guard flowLevel == 0 else { return }
    while indent > column { indents.removeLast() }
  }

  private mutating func skipToToken() {
    while true {
      cursor.skipBlanks(tabs: flowLevel > 0 || !simpleKeyAllowed)
      if cursor.byte == UInt8(ascii: "#") { cursor.skipToBreak() }
      guard cursor.skipBreak() else { return }
      if flowLevel == 0 { simpleKeyAllowed = true }
    }
  }

  private mutating func checkDepth() -> Bool {
    guard indents.count + flowLevel > Self.deepest else { return true }
    log.report(
      .nestingTooDeep, at: cursor.position, "more than \(Self.deepest) levels of nesting",
      help: "no scenario needs so many; is a bracket left open, or the indentation wrong?")
    return false
  }

  private mutating func reportAnchor(_ byte: UInt8) {
    let what = byte == UInt8(ascii: "*") ? "aliases (`*name`)" : "anchors (`&name`)"
    log.report(
      .anchor, at: cursor.position, "\(what) are not part of the scenario language",
      help: "write the value out again; if it is meant as text, put it in double quotes")
  }

  private mutating func reportTag() {
    log.report(
      .explicitTag, at: cursor.position, "YAML tags (`!name`) are not part of the scenario language",
      help: "remove it; if it is meant as text, put it in double quotes")
  }
}
