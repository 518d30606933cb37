import ScenarioModel

/// What TLS shows of bytes from outside: its records, by their headers.
enum RecordHeaders {
  private static let headerCount = 5
  private static let maxNamed = 6

  /// Whether a stream that begins so is one of TLS.
  static func begin(_ bytes: [UInt8]) -> Bool {
    bytes.count >= headerCount && bytes[0] == TLSRecordType.handshake.rawValue && bytes[1] == 3 && bytes[2] <= 4
  }

  /// `handshake of 512 bytes, change-cipher-spec of 1 byte`; nil: the bytes are no records, or not whole ones.
  static func words(_ bytes: [UInt8]) -> String? {
    var words: [String] = []
    var place = 0
    while place < bytes.count {
      guard place + headerCount <= bytes.count, let name = name(bytes[place]), bytes[place + 1] == 3 else { return nil }
      let length = Int(bytes[place + 3]) << 8 | Int(bytes[place + 4])
      place += headerCount + length
      guard place <= bytes.count else { return nil }
      words.append("\(name) of \(QuantityText.count(length, "byte"))")
    }
    guard !words.isEmpty else { return nil }
    let more = words.count - maxNamed
    return words.prefix(maxNamed).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }

  private static func name(_ type: UInt8) -> String? {
    switch type {
    case 20: "change-cipher-spec"
    case 21: "alert"
    case 22: "handshake"
    case 23: "application-data"
    default: nil
    }
  }
}
