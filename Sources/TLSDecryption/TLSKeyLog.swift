/// The secrets of TLS sessions, as programs log them: in the file that SSLKEYLOGFILE names, or in a block of a capture.
///
/// Laws
/// - Any text is taken; lines that are no secrets are left out.
/// - Bounded: of more sessions than `maxSessions` the oldest are forgotten.
package struct TLSKeyLog: Sendable {
  /// What a line begins with; others are of no use here.
  enum Label: String, CaseIterable {
    /// Up to TLS 1.2: the master secret.
    case masterSecret = "CLIENT_RANDOM"
    case clientHandshake = "CLIENT_HANDSHAKE_TRAFFIC_SECRET"
    case serverHandshake = "SERVER_HANDSHAKE_TRAFFIC_SECRET"
    case clientTraffic = "CLIENT_TRAFFIC_SECRET_0"
    case serverTraffic = "SERVER_TRAFFIC_SECRET_0"
  }

  private typealias Sessions = [[UInt8]: [Label: [UInt8]]]

  private static let maxSessions = 1 << 15
  private static let randomLength = 32
  /// The longest hash of a suite, and the master secret of TLS 1.2.
  private static let secretLengths = [32, 48]

  private var newest: Sessions = [:]
  private var older: Sessions = [:]

  package init() {}

  /// Sessions of which a secret is known.
  package var count: Int { newest.count + older.count }

  /// Takes all lines of a text.
  package mutating func take(_ text: some StringProtocol) {
    for line in text.split(whereSeparator: \.isNewline) { takeLine(line) }
  }

  /// What is known of the session whose client drew this number, by label; empty: nothing.
  func secrets(of random: [UInt8]) -> [Label: [UInt8]] {
    (older[random] ?? [:]).merging(newest[random] ?? [:]) { _, last in last }
  }

  private mutating func takeLine(_ line: some StringProtocol) {
    let parts = line.split(separator: " ")
    guard parts.count == 3, let label = Label(rawValue: String(parts[0])), let random = Self.bytes(parts[1]),
      random.count == Self.randomLength, let secret = Self.bytes(parts[2]), Self.secretLengths.contains(secret.count)
    else { return }
    if newest[random] == nil, newest.count >= Self.maxSessions / 2 {
      older = newest
      newest = [:]
    }
    newest[random, default: [:]][label] = secret
  }

  /// nil: no hexadecimal digits, or an odd number of them.
  private static func bytes(_ digits: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in digits.utf8 {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): value = digit - UInt8(ascii: "A") + 10
      default: return nil
      }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return high == nil ? bytes : nil
  }
}
