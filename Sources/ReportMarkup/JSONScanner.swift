/// Reads JSON from its beginning to its end, once, and keeps nothing: of a report of fifty thousand cases most is of no
/// interest, and a tree of all of it would take half a gigabyte.
///
/// What is skipped must be balanced, and is not looked at more closely.
package struct JSONScanner {
  /// What is wrong with the text, and where.
  package struct Failure: Error, Hashable {
    /// The rest of a sentence that begins with the place.
    package var problem: String
    /// In the text, from 0.
    package var offset: Int

    package init(problem: String, offset: Int) {
      self.problem = problem
      self.offset = offset
    }

    /// `line 12, column 5`, in these bytes; columns count bytes.
    package func place(in bytes: [UInt8]) -> String {
      let (line, column) = position(in: bytes)
      return "line \(line), column \(column)"
    }

    /// Line and column in these bytes, from 1; columns count bytes.
    package func position(in bytes: [UInt8]) -> (line: Int, column: Int) {
      let head = bytes.prefix(offset)
      let line = head.count { $0 == 0x0A } + 1
      return (line, offset - (head.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1)
    }
  }

  /// A failure at the place that was come to.
  package func failure(_ problem: String) -> Failure { Failure(problem: problem, offset: offset) }

  private static let fewKeys = 40

  private let bytes: UnsafeBufferPointer<UInt8>
  /// Where it has come to, in the text, from 0.
  package private(set) var offset: Int
  private let end: Int

  /// - Parameter range: the part of the bytes that is read.
  package init(_ bytes: UnsafeBufferPointer<UInt8>, in range: Range<Int>? = nil) {
    self.bytes = bytes
    offset = range?.lowerBound ?? 0
    end = range?.upperBound ?? bytes.count
  }

  /// Whether nothing but white space is left.
  package mutating func isAtEnd() -> Bool {
    skipSpace()
    return offset >= end
  }

  /// Reads an object; `member` must read or skip the value of each key. A key that comes twice is a failure.
  package mutating func object(_ member: (String, inout JSONScanner) throws -> Void) throws {
    try expect(UInt8(ascii: "{"))
    if take(UInt8(ascii: "}")) { return }
    // Most objects have few keys; of many a set knows faster which have come.
    var keys: [String] = []
    var known: Set<String> = []
    repeat {
      skipSpace()
      let place = offset
      let key = try text()
      let isNew = keys.count < Self.fewKeys ? !keys.contains(key) : known.insert(key).inserted
      guard isNew else { throw Failure(problem: "the key \(key) comes twice", offset: place) }
      if keys.count < Self.fewKeys {
        keys.append(key)
        if keys.count == Self.fewKeys { known = Set(keys) }
      }
      try expect(UInt8(ascii: ":"))
      try member(key, &self)
    } while take(UInt8(ascii: ","))
    try expect(UInt8(ascii: "}"))
  }

  /// Reads a list; `item` must read or skip each element.
  package mutating func list(_ item: (inout JSONScanner) throws -> Void) throws {
    try expect(UInt8(ascii: "["))
    if take(UInt8(ascii: "]")) { return }
    repeat { try item(&self) } while take(UInt8(ascii: ","))
    try expect(UInt8(ascii: "]"))
  }

  /// Reads a string.
  package mutating func text() throws -> String {
    try expect(UInt8(ascii: "\""))
    let start = offset
    while offset < end, bytes[offset] != UInt8(ascii: "\""), bytes[offset] != UInt8(ascii: "\\"), bytes[offset] >= 0x20
    {
      offset += 1
    }
    guard offset < end else { throw cut }
    if bytes[offset] == UInt8(ascii: "\"") {
      defer { offset += 1 }
      return String(decoding: bytes[start..<offset], as: UTF8.self)
    }
    var units = Array(bytes[start..<offset])
    while offset < end, bytes[offset] != UInt8(ascii: "\"") {
      if bytes[offset] == UInt8(ascii: "\\") {
        units += try escape()
      } else if bytes[offset] < 0x20 {
        throw failure("a control character that is not escaped")
      } else {
        units.append(bytes[offset])
        offset += 1
      }
    }
    guard offset < end else { throw cut }
    offset += 1
    return String(decoding: units, as: UTF8.self)
  }

  /// Reads a string that is one of a type's values; `what` is such a value, as in "a kind of noise".
  package mutating func word<Word: RawRepresentable<String>>(of what: String) throws -> Word {
    skipSpace()
    let place = offset
    let text = try text()
    guard let word = Word(rawValue: text) else {
      throw Failure(problem: "\(VisibleText.clipped(text, to: 40)) is not \(what)", offset: place)
    }
    return word
  }

  private mutating func escape() throws -> [UInt8] {
    guard offset + 1 < end else { throw cut }
    let letter = bytes[offset + 1]
    offset += 2
    switch letter {
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [letter]
    case UInt8(ascii: "u"):
      let place = offset - 2
      var unit = try hexUnit()
      if (0xD800..<0xDC00).contains(unit), offset + 1 < end, bytes[offset] == UInt8(ascii: "\\"),
        bytes[offset + 1] == UInt8(ascii: "u")
      {
        offset += 2
        let low = try hexUnit()
        if (0xDC00..<0xE000).contains(low) { unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00) }
      }
      guard let scalar = Unicode.Scalar(unit) else { throw Failure(problem: "half of a surrogate pair", offset: place) }
      return Array(String(scalar).utf8)
    default: throw Failure(problem: "an unknown escape", offset: offset - 2)
    }
  }

  private mutating func hexUnit() throws -> UInt32 {
    guard offset + 4 <= end else { throw Failure(problem: "an escape without four digits", offset: offset) }
    let digits = String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
    // A sign would do for the initialiser.
    guard digits.allSatisfy(\.isHexDigit), let unit = UInt32(digits, radix: 16) else {
      throw Failure(problem: "an escape without four digits", offset: offset)
    }
    offset += 4
    return unit
  }

  /// Reads a number that a Double can hold.
  package mutating func number() throws -> Double {
    skipSpace()
    let place = offset
    guard let value = Self.value(of: try literal("a number")) else {
      throw Failure(problem: "no number", offset: place)
    }
    return value
  }

  /// Reads a whole number that is not negative.
  package mutating func unsigned() throws -> UInt64 {
    skipSpace()
    let place = offset
    let word = try literal("a whole number")
    guard Self.isNumber(word), let value = UInt64(word) else {
      throw Failure(problem: "no whole number", offset: place)
    }
    return value
  }

  /// Reads a whole number.
  package mutating func integer() throws -> Int {
    skipSpace()
    let place = offset
    let word = try literal("a whole number")
    guard Self.isNumber(word), let value = Int(word) else { throw Failure(problem: "no whole number", offset: place) }
    return value
  }

  /// Of a number in JSON's form; nil: it is none, or larger than a Double can be. What Swift also reads as one, such as
  /// `nan`, `0x1p3` and `+1`, would be met where it is counted with.
  private static func value(of word: String) -> Double? {
    guard isNumber(word), let value = Double(word), value.isFinite else { return nil }
    return value
  }

  private static func isNumber(_ word: String) -> Bool {
    var rest = word.utf8[...]
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    let isZero = rest.first == UInt8(ascii: "0")
    let whole = takeDigits(&rest)
    guard whole == 1 || whole > 1 && !isZero else { return false }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard takeDigits(&rest) > 0 else { return false }
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest.removeFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
      guard takeDigits(&rest) > 0 else { return false }
    }
    return rest.isEmpty
  }

  /// How many there are at the beginning, which is taken off.
  private static func takeDigits(_ rest: inout Substring.UTF8View) -> Int {
    let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
    rest.removeFirst(count)
    return count
  }

  /// Reads `true` or `false`.
  package mutating func flag() throws -> Bool {
    let place = offset
    switch try literal("true or false") {
    case "true": return true
    case "false": return false
    default: throw Failure(problem: "neither true nor false", offset: place)
    }
  }

  private mutating func literal(_ wanted: String) throws -> String {
    skipSpace()
    let start = offset
    while offset < end, !Self.delimiters.contains(bytes[offset]) { offset += 1 }
    guard offset < end else { throw cut }
    guard offset > start else { throw Failure(problem: "no \(wanted)", offset: start) }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private static let delimiters = Array(",:{}[]\" \n\r\t".utf8)

  /// Skips a value and returns where it was.
  @discardableResult
  package mutating func skip() throws -> Range<Int> {
    skipSpace()
    let start = offset
    var depth = 0
    repeat {
      skipSpace()
      guard offset < end else { throw cut }
      switch bytes[offset] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        offset += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        offset += 1
        guard depth >= 0 else { throw Failure(problem: "no value", offset: offset - 1) }
      case UInt8(ascii: "\""): try skipText()
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        guard depth > 0 else { throw Failure(problem: "no value", offset: offset) }
        offset += 1
      default: _ = try literal("value")
      }
    } while depth > 0
    return start..<offset
  }

  /// Levels of nesting that `check` goes down to; no report has a quarter of them.
  private static let deepest = 64

  /// What is wrong with the bytes of a whole document, with its place, `line 12, column 5: …`: also what other readers
  /// pass over, such as a key that comes twice. nil: nothing.
  package static func problem(of bytes: [UInt8]) -> String? {
    failure(of: bytes).map { "\($0.place(in: bytes)): \($0.problem)" }
  }

  /// As `problem`, with the place apart.
  package static func failure(of bytes: [UInt8]) -> Failure? {
    do {
      try bytes.withUnsafeBufferPointer { buffer in
        var scanner = JSONScanner(buffer)
        try scanner.check(depth: deepest)
        guard scanner.isAtEnd() else { throw scanner.failure("there is more behind its end") }
      }
      return nil
    } catch let failure as Failure {
      return failure
    } catch { return Failure(problem: "\(error)", offset: 0) }
  }

  private mutating func check(depth: Int) throws {
    skipSpace()
    guard offset < end else { throw cut }
    guard depth > 0 else { throw failure("more than \(Self.deepest) levels of nesting") }
    switch bytes[offset] {
    case UInt8(ascii: "{"): try object { _, scanner in try scanner.check(depth: depth - 1) }
    case UInt8(ascii: "["): try list { scanner in try scanner.check(depth: depth - 1) }
    case UInt8(ascii: "\""): _ = try text()
    default:
      let place = offset
      let word = try literal("value")
      guard ["true", "false", "null"].contains(word) || Self.value(of: word) != nil else {
        throw Failure(problem: "\(VisibleText.clipped(word, to: 40)) is no value", offset: place)
      }
    }
  }

  private mutating func skipText() throws {
    offset += 1
    while offset < end, bytes[offset] != UInt8(ascii: "\"") {
      offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard offset < end else { throw cut }
    offset += 1
  }

  private mutating func skipSpace() {
    while offset < end, Self.isSpace(bytes[offset]) { offset += 1 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipSpace()
    guard offset < end, bytes[offset] == byte else { return false }
    offset += 1
    return true
  }

  private mutating func expect(_ byte: UInt8) throws {
    skipSpace()
    guard offset < end else { throw cut }
    guard take(byte) else {
      throw Failure(problem: "expected \(String(UnicodeScalar(byte)))", offset: offset)
    }
  }

  private var cut: Failure {
    Failure(problem: "the file ends here, in the middle of a value", offset: min(offset, end))
  }
}
