/// A start tag as a browser would read it.
package struct StartTag {
  package var name: String
  package var fields: [(name: String, value: String)]

  /// All start tags outside of script and style; a naive reading of the HTML tokenizer's rules.
  package static func all(in html: String) -> [StartTag] {
    var reader = Reader(text: Array(html.utf8))
    var tags: [StartTag] = []
    while let tag = reader.next() { tags.append(tag) }
    return tags
  }

  /// Every delimiter of HTML is ASCII, so bytes are what a browser goes by.
  private struct Reader {
    var text: [UInt8]
    var place = 0

    var byte: UInt8? { place < text.count ? text[place] : nil }

    mutating func take(until end: (UInt8) -> Bool) -> String {
      let start = place
      while place < text.count, !end(text[place]) { place += 1 }
      return String(decoding: text[start..<place], as: UTF8.self)
    }

    mutating func next() -> StartTag? {
      repeat {
        _ = take { $0 == UInt8(ascii: "<") }
        place += 1
      } while place < text.count && !Self.isLetter(text[place])
      guard place < text.count else { return nil }
      var tag = StartTag(name: take { !Self.isLetter($0) && !(0x31...0x36).contains($0) }, fields: [])
      while let byte, byte != UInt8(ascii: ">") {
        let name = take { [0x3D, 0x3E, 0x20, 0x0A, 0x2F].contains($0) }
        var value = ""
        if self.byte == UInt8(ascii: "="), place + 1 < text.count {
          let quote = text[place + 1]
          place += 2
          value = take { $0 == quote }
        }
        if !name.isEmpty { tag.fields.append((name, value)) }
        if self.byte != UInt8(ascii: ">") { place += 1 }
      }
      if tag.name == "script" || tag.name == "style" {
        let end = Array("</\(tag.name)".utf8)
        while place < text.count, text[place] != end[0] || !text[place...].starts(with: end) { place += 1 }
      }
      return tag
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
  }
}
