/// Bytes as a table of offset, hexadecimal and ASCII, sixteen to a line.
package enum HexDump {
  /// The first bytes of `total`, and a last line that counts those that are not among them.
  package static func text(_ bytes: [UInt8], total: Int) -> String {
    var lines: [String] = []
    for start in stride(from: 0, to: bytes.count, by: 16) {
      let chunk = bytes[start..<min(start + 16, bytes.count)]
      var columns = ""
      for column in 0..<min(16, bytes.count) {
        if column == 8 { columns += " " }
        let index = start + column
        columns += index < bytes.count ? VisibleText.hexPair(bytes[index]) + " " : "   "
      }
      let letters = chunk.map { (0x20...0x7E).contains($0) ? String(UnicodeScalar($0)) : "·" }.joined()
      lines.append("\(offset(start))  \(columns) \(letters)")
    }
    let hidden = total - bytes.count
    if hidden > 0 { lines.append("…     \(hidden) more \(hidden == 1 ? "byte" : "bytes")") }
    return lines.joined(separator: "\n")
  }

  private static func offset(_ offset: Int) -> String {
    let digits = String(offset, radix: 16)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
