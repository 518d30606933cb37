/// A text's characters by the numbers that libYAML gives them.
struct CharacterTable {
  private let bytes: [UInt8]
  /// Where each character begins; nil where each of them is one byte.
  private let starts: [Int]?

  /// Of well-formed UTF-8.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    starts = bytes.allSatisfy { $0 < 0x80 } ? nil : bytes.indices.filter { bytes[$0] & 0xC0 != 0x80 }
  }

  /// The bytes from one character to the end, or to another character.
  private func slice(from start: Int, to end: Int? = nil) -> ArraySlice<UInt8> {
    let first = offset(of: start)
    return bytes[first..<max(first, end.map { offset(of: $0) } ?? bytes.count)]
  }

  private func offset(of character: Int) -> Int {
    guard let starts else { return min(character, bytes.count) }
    return character < starts.count ? starts[character] : bytes.count
  }

  /// The digits of the first escape from `\x80` to `\xff` between two characters; nil: there is none.
  func byteEscape(from start: Int, to end: Int) -> String? {
    var rest = slice(from: start, to: end)
    while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
      rest = rest[(backslash + 1)...]
      let digits = String(decoding: rest.dropFirst().prefix(2), as: UTF8.self)
      if rest.first == UInt8(ascii: "x"), let value = UInt8(digits, radix: 16), value >= 0x80 { return digits }
      // What is escaped begins no escape of its own: `\\x80` is a backslash and three letters.
      rest = rest.dropFirst()
    }
    return nil
  }

  /// Whether a comment is what comes next in the line.
  func hasComment(behind end: Int) -> Bool {
    let rest = slice(from: end)
    let next = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return next.count < rest.count && next.first == UInt8(ascii: "#")
  }
}
