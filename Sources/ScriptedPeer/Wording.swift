/// How the lab says bytes, durations and counts in deviations. Only called when there is something to say.
package enum Wording {
  /// As a scenario file writes it: `500us`, `20ms`, `1.5s`. A second and more to the microsecond: what is late by less
  /// than a millisecond must not seem to come in time.
  package static func duration(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    if seconds < 0 || attoseconds < 0 { return "-" + self.duration(.zero - duration) }
    if seconds > 0 { return decimal(seconds, attoseconds / 1_000_000_000_000, places: 6) + "s" }
    if attoseconds >= 1_000_000_000_000_000 {
      return decimal(attoseconds / 1_000_000_000_000_000, attoseconds / 1_000_000_000_000 % 1000, places: 3) + "ms"
    }
    if attoseconds == 0 { return "0s" }
    return decimal(attoseconds / 1_000_000_000_000, attoseconds / 1_000_000_000 % 1000, places: 3) + "us"
  }

  /// Quoted text with escapes, cut after `limit` bytes, with their number.
  package static func bytes(_ bytes: some Collection<UInt8>, limit: Int = 48) -> String {
    var text = "\""
    for byte in bytes.prefix(limit) { text += escaped(byte) }
    text += "\""
    if bytes.count > limit { text += "… (\(bytes.count) bytes)" }
    return text
  }

  /// `0x41 ('A')`, or `0x0d` for what cannot be printed.
  package static func byte(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    let hex = "0x" + (digits.count < 2 ? "0" : "") + digits
    return (0x21...0x7E).contains(byte) ? "\(hex) ('\(Character(UnicodeScalar(byte)))')" : hex
  }

  /// `1 byte`, `12 bytes`.
  package static func count(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }

  private static func escaped(_ byte: UInt8) -> String {
    switch byte {
    case 0x0A: return "\\n"
    case 0x0D: return "\\r"
    case 0x09: return "\\t"
    case 0x22: return "\\\""
    case 0x5C: return "\\\\"
    case 0x20...0x7E: return String(UnicodeScalar(byte))
    default:
      let digits = String(byte, radix: 16)
      return "\\x" + (digits.count < 2 ? "0" : "") + digits
    }
  }

  private static func decimal(_ whole: Int64, _ fraction: Int64, places: Int) -> String {
    guard fraction != 0 else { return "\(whole)" }
    var digits = String(fraction)
    digits = String(repeating: "0", count: places - digits.count) + digits
    while digits.hasSuffix("0") { digits.removeLast() }
    return "\(whole).\(digits)"
  }
}
