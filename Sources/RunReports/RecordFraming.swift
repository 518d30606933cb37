import ScenarioModel

/// Follows the records of one direction of a connection by their headers, to tell TLS from other bytes.
struct RecordFraming {
  private var header: [UInt8] = []
  /// Of the present record's body.
  private var left = 0
  private(set) var isLost = false

  private static let headerCount = 5

  /// Takes the next bytes; false when a record's header is none, from when on all bytes are something else.
  mutating func take(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !isLost, !rest.isEmpty {
      if left > 0 {
        let body = min(left, rest.count)
        left -= body
        rest = rest.dropFirst(body)
        continue
      }
      let piece = rest.prefix(Self.headerCount - header.count)
      header += piece
      rest = rest.dropFirst(piece.count)
      if !Self.mayBegin(header) { isLost = true }
      guard header.count == Self.headerCount else { continue }
      left = Int(header[3]) << 8 | Int(header[4])
      header = []
    }
    return !isLost
  }

  private static func mayBegin(_ header: [UInt8]) -> Bool {
    guard let type = header.first else { return true }
    let isKnown = TLSRecordType.changeCipherSpec.rawValue...TLSRecordType.heartbeat.rawValue ~= type
    return isKnown && (header.count < 2 || header[1] == 3)
  }

  /// Whether the bytes look like the first of a handshake: a record's header, or its beginning.
  static func looksLikeHandshake(_ bytes: [UInt8]) -> Bool {
    bytes.first == TLSRecordType.handshake.rawValue && (bytes.count < 2 || bytes[1] == 3)
  }
}
