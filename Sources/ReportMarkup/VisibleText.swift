/// Text from outside, made fit to be looked at: nothing in it is invisible, moves the cursor or turns the line around.
package enum VisibleText {
  /// Control characters become their pictures (NUL becomes ␀), characters that reorder text become their code in
  /// brackets, and noncharacters become U+FFFD. Tab and line feed stay unless `singleLine`.
  package static func scrub(_ text: String, singleLine: Bool = false) -> String {
    guard !isPlain(text), text.unicodeScalars.contains(where: { needsCare($0) }) else { return text }
    var scrubbed = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x09, 0x0A: if singleLine { scrubbed.append(picture(scalar.value)) } else { scrubbed.append(scalar) }
      case 0...0x1F: scrubbed.append(picture(scalar.value))
      case 0x7F: scrubbed.append("\u{2421}")
      case 0x80...0x9F, 0xFFFE, 0xFFFF: scrubbed.append("\u{FFFD}")
      case _ where reorders(scalar.value):
        scrubbed.append(contentsOf: "[U+\(String(scalar.value, radix: 16, uppercase: true))]".unicodeScalars)
      case _ where scalar.value & 0xFFFE == 0xFFFE: scrubbed.append("\u{FFFD}")
      default: scrubbed.append(scalar)
      }
    }
    return String(scrubbed)
  }

  private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }

  private static func needsCare(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value & 0xFFFE == 0xFFFE
      || reorders(scalar.value)
  }

  private static func picture(_ control: UInt32) -> Unicode.Scalar {
    Unicode.Scalar(0x2400 + control) ?? "\u{FFFD}"
  }

  private static func reorders(_ value: UInt32) -> Bool {
    (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value) || value == 0x200E || value == 0x200F
      || value == 0x2028 || value == 0x2029
  }

  /// At most `limit` characters, with an ellipsis for what was cut; control characters scrubbed, one line. Characters
  /// piled up from many combining marks are cut too.
  package static func clipped(_ text: String, to limit: Int) -> String {
    if text.utf8.count <= limit, isPlain(text) { return text }
    let head = String(text.unicodeScalars.prefix(4 * limit + 4))
    let line = scrub(String(head.prefix(limit + 1)), singleLine: true)
    let isWhole = line.count <= limit && head.unicodeScalars.count == text.unicodeScalars.count
    return isWhole ? line : line.prefix(max(0, limit - 1)) + "…"
  }

  /// Bytes as a quoted text with escapes when most of them are printable ASCII, else as hexadecimal pairs; an ellipsis
  /// follows when `bytes` is only the head of `total`, or more than `limit` characters would be needed.
  package static func preview(_ bytes: [UInt8], total: Int, limit: Int) -> String {
    guard total > 0 else { return "\"\"" }
    let head = bytes.prefix(limit)
    let printable = head.count { (0x20...0x7E).contains($0) || $0 == 0x0D || $0 == 0x0A || $0 == 0x09 }
    let asText = printable * 10 >= head.count * 8
    var text = asText ? "\"" : ""
    var shown = 0
    for byte in head {
      let piece = asText ? escape(byte) : (shown == 0 ? "" : " ") + hexPair(byte)
      guard text.count + piece.count <= limit - 2 || shown == 0 else { break }
      text += piece
      shown += 1
    }
    if shown < total { text += "…" }
    return asText ? text + "\"" : text
  }

  private static func escape(_ byte: UInt8) -> String {
    switch byte {
    case 0x0D: "\\r"
    case 0x0A: "\\n"
    case 0x09: "\\t"
    case UInt8(ascii: "\""): "\\\""
    case UInt8(ascii: "\\"): "\\\\"
    case 0x20...0x7E: String(UnicodeScalar(byte))
    default: "\\x" + hexPair(byte)
    }
  }

  /// Two lowercase digits.
  package static func hexPair(_ byte: UInt8) -> String { hex([byte]) }

  /// Two lowercase digits a byte, without spaces.
  package static func hex(_ bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
      for (index, byte) in bytes.enumerated() {
        text[2 * index] = digit(byte >> 4)
        text[2 * index + 1] = digit(byte & 15)
      }
      return 2 * bytes.count
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
}
