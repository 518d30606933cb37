import ScenarioModel

extension Reading {
  /// The bytes of a text, and remarks on how it is written. nil: hardly anybody means these bytes.
  mutating func textBytes(_ text: String, _ node: YAMLNode) -> Payload? {
    checkQuotes(of: text, node)
    switch node.quirk {
    case .byteEscape(let digits):
      let value = UInt8(digits, radix: 16) ?? 0xFF
      let bytes = HexText.text(String(Unicode.Scalar(value)).utf8)
      report(
        .byteEscape, at: node.position,
        "`\\x\(digits)` in a text is the character U+00\(digits.uppercased()), which is two bytes: \(bytes)",
        help: "for the byte write { hex: \"\(digits)\" }, beside texts as in [\"text\", { hex: \"\(digits)\" }]; "
          + "for the character \"\\u00\(digits)\"")
      return nil
    case .backslash:
      report(
        .misleadingPayload, at: node.position, "outside double quotes a backslash stands for itself, a byte of its own",
        help: #"write it in double quotes: "\r\n" is two bytes there, and "\\" a backslash"#)
    case .comment:
      report(
        .misleadingPayload, at: node.position,
        "these bytes end with `\(text.shortened)`: ` #` begins a comment, because they have no quotes",
        help: "put all that belongs to them in double quotes")
    case nil: break
    }
    return .bytes(Array(text.utf8))
  }

  /// Quotes that are none for YAML.
  private mutating func checkQuotes(of text: String, _ node: YAMLNode) {
    let quotes: Set<Unicode.Scalar> = [
      "\u{2018}", "\u{2019}", "\u{201A}", "\u{201C}", "\u{201D}", "\u{201E}", "\u{AB}", "\u{BB}",
    ]
    guard node.word != nil, let first = text.unicodeScalars.first, quotes.contains(first) else { return }
    let count = String(first).utf8.count
    report(
      .misleadingPayload, at: node.position, "`\(first)` is no quote of YAML's: it is \(count) of these bytes",
      help: "write \"…\" with the straight quotes of the keyboard")
  }
}
