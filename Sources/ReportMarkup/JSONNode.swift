/// A JSON value whose objects keep the order their keys were written in, so that equal reports give equal bytes.
///
/// Objects are written as dictionary literals; a member whose value is nil is left out.
package enum JSONNode: Hashable, ExpressibleByDictionaryLiteral {
  case flag(Bool)
  case integer(Int)
  case unsigned(UInt64)
  /// null when it is not finite.
  case number(Double)
  case text(String)
  case list([JSONNode])
  case object([Member])

  /// A key of an object with its value.
  package struct Member: Hashable {
    fileprivate var key: String
    fileprivate var value: JSONNode
  }

  package init(dictionaryLiteral members: (String, JSONNode?)...) { self.init(members: members) }

  /// An object of these members in their order; members that are nil are left out.
  package init(members: [(String, JSONNode?)]) {
    var kept: [Member] = []
    kept.reserveCapacity(members.count)
    for case (let key, let value?) in members { kept.append(Member(key: key, value: value)) }
    self = .object(kept)
  }

  /// A list of texts.
  package static func texts(_ texts: some Sequence<String>) -> JSONNode { .list(texts.map(JSONNode.text)) }

  /// The UTF-8 text. Containers down to the `spread`-th level have one line per element, deeper ones stand on one line:
  /// a case is a line, which line tools can work with.
  package func encoded(spread: Int) -> [UInt8] {
    var out: [UInt8] = []
    write(to: &out, level: 0, spread: spread)
    out.append(UInt8(ascii: "\n"))
    return out
  }

  private func write(to out: inout [UInt8], level: Int, spread: Int) {
    switch self {
    case .flag(let flag): out.append(contentsOf: (flag ? "true" : "false").utf8)
    case .integer(let number): out.append(contentsOf: String(number).utf8)
    case .unsigned(let number): out.append(contentsOf: String(number).utf8)
    case .number(let number): out.append(contentsOf: Self.decimal(number).utf8)
    case .text(let text): Self.write(text, to: &out)
    case .list(let items):
      Self.write(items, brackets: ("[", "]"), to: &out, level: level, spread: spread) { item, out in
        item.write(to: &out, level: level + 1, spread: spread)
      }
    case .object(let members):
      Self.write(members, brackets: ("{", "}"), to: &out, level: level, spread: spread) { member, out in
        Self.write(member.key, to: &out)
        out.append(contentsOf: ": ".utf8)
        member.value.write(to: &out, level: level + 1, spread: spread)
      }
    }
  }

  private static func write<Item>(
    _ items: [Item], brackets: (String, String), to out: inout [UInt8], level: Int, spread: Int,
    each: (Item, inout [UInt8]) -> Void
  ) {
    out.append(contentsOf: brackets.0.utf8)
    let breaks = level < spread && !items.isEmpty
    for (index, item) in items.enumerated() {
      if index > 0 { out.append(contentsOf: (breaks ? "," : ", ").utf8) }
      if breaks { indent(level + 1, to: &out) }
      each(item, &out)
    }
    if breaks { indent(level, to: &out) }
    out.append(contentsOf: brackets.1.utf8)
  }

  private static func indent(_ level: Int, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\n"))
    out.append(contentsOf: repeatElement(UInt8(ascii: " "), count: level * 2))
  }

  private static func decimal(_ number: Double) -> String {
    guard number.isFinite else { return "null" }
    return Int(exactly: number).map(String.init) ?? "\(number)"
  }

  /// Text is appended in runs that need no escape: payloads of megabytes are one.
  private static func write(_ text: String, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { bytes in
      var start = bytes.startIndex
      while start < bytes.endIndex {
        let end = endOfPlain(bytes, from: start)
        out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<end]))
        guard end < bytes.endIndex else { break }
        write(bytes[end], to: &out)
        start = end + 1
      }
    }
    out.append(UInt8(ascii: "\""))
  }

  /// Where the first byte that needs an escape stands. Eight bytes are looked at at once: payloads are megabytes.
  private static func endOfPlain(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let raw = UnsafeRawBufferPointer(bytes)
    var place = start
    while place + 8 <= raw.count {
      let word = raw.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      let found =
        hasByte(of: word, below: 0x20) | hasByte(of: word ^ every(0x22), below: 1)
        | hasByte(of: word ^ every(0x5C), below: 1) | hasByte(of: word ^ every(0x7F), below: 1)
      guard found == 0 else { break }
      place += 8
    }
    while place < raw.count, !needsEscape(raw[place]) { place += 1 }
    return place
  }

  private static func every(_ byte: UInt64) -> UInt64 { byte &* 0x0101_0101_0101_0101 }

  /// Not 0 if one of the eight bytes is below a limit of at most 0x80: then alone its highest bit is clear, and is set
  /// once the limit was taken away.
  private static func hasByte(of word: UInt64, below limit: UInt64) -> UInt64 {
    (word &- every(limit)) & ~word & every(0x80)
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F
  }

  private static func write(_ byte: UInt8, to out: inout [UInt8]) {
    switch byte {
    case 0x22: out.append(contentsOf: "\\\"".utf8)
    case 0x5C: out.append(contentsOf: "\\\\".utf8)
    case 0x0A: out.append(contentsOf: "\\n".utf8)
    case 0x0D: out.append(contentsOf: "\\r".utf8)
    case 0x09: out.append(contentsOf: "\\t".utf8)
    case 0..<0x20, 0x7F: out.append(contentsOf: "\\u00\(VisibleText.hexPair(byte))".utf8)
    default: out.append(byte)
    }
  }
}
