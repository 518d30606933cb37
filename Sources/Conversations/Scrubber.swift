import ScenarioModel

/// Finds names of people and machines, and secrets, in the payloads, and replaces them.
///
/// Laws
/// - A replacement has the same number of bytes, so that lengths inside a protocol stay right.
/// - The same text gets the same replacement wherever it stands, in all conversations of one scrubber, and different
///   texts get different ones as far as their length allows.
/// - A text that is found in one place of a conversation is replaced in all places, whatever stands around it.
/// - Only text is searched, also text among other bytes; compressed or encrypted bytes stay as they are.
package struct Scrubber: Sendable {
  /// What was found.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case credential, user = "user name", email = "e-mail address", address = "IP address", name = "host name"
  }

  /// One text and what stands for it now.
  package struct Replacement: Hashable, Sendable {
    /// What it was taken for.
    package var kind: Kind
    /// What stood there.
    package var original: String
    /// What stands there now.
    package var replacement: String
    /// How often.
    package var times: Int
  }

  /// In the order in which they were found.
  package private(set) var replacements: [Replacement] = []
  private var places: [String: Int] = [:]
  private var used: Set<String> = []
  /// Of a text so short that others have taken what there is to replace it by.
  private static let maxTries = 2_000
  /// Of a side; more takes too long.
  private static let maxText = 1 << 20
  /// Shorter ones are replaced where they were found, and nowhere else: they may mean anything.
  private static let fewestEverywhere = 5

  package init() {}

  /// The conversation with everything replaced that was found; a note says how much of each kind.
  package mutating func scrubbed(_ conversation: Conversation) -> Conversation {
    var scrubbed = conversation
    var counts: [Kind: Int] = [:]
    var streams = Conversation.Side.allCases.map { StreamText(conversation, $0, most: Self.maxText) }
    let found = streams.map { ScrubPatterns.findings(in: $0) }
    let everywhere = Set(found.joined().map { ScrubPatterns.Literal(kind: $0.kind, text: $0.text) })
      .filter { $0.text.count >= Self.fewestEverywhere }
    for index in streams.indices {
      for finding in ScrubPatterns.adding(everywhere, to: found[index], in: streams[index]) {
        streams[index].replace(finding.range, with: replacement(of: finding.text, finding.kind))
        counts[finding.kind, default: 0] += 1
      }
      streams[index].write(into: &scrubbed)
    }
    for index in scrubbed.events.indices {
      guard case .handshake(let handshake) = scrubbed.events[index].act else { continue }
      scrubbed.events[index].act = .handshake(anonymous(handshake, &counts))
    }
    scrubbed.client = Self.anonymous(conversation.client)
    scrubbed.server = Self.anonymous(conversation.server)
    let words = Kind.allCases.compactMap { kind in counts[kind].map { "\(kind.rawValue) (\($0))" } }
    let list = words.isEmpty ? "nothing was found in what was said" : words.joined(separator: ", ")
    scrubbed.notes.append("Scrubbed, with replacements of the same length: \(list).")
    if conversation.showsRecords {
      scrubbed.notes.append("TLS was not opened: in its records nothing but the name of the server was looked for.")
    }
    for stream in streams where stream.isCut {
      scrubbed.notes.append(
        "Of the \(stream.side.rawValue) only the first \(QuantityText.size(Self.maxText)) were looked through.")
    }
    return scrubbed
  }

  /// The name as it is replaced in what was said; of certificates, nothing but the kind of their keys.
  private mutating func anonymous(
    _ handshake: Conversation.Handshake, _ counts: inout [Kind: Int]
  ) -> Conversation.Handshake {
    var handshake = handshake
    if let name = handshake.serverName {
      handshake.serverName = String(decoding: replacement(of: Array(name.utf8), .name), as: UTF8.self)
      counts[.name, default: 0] += 1
    }
    handshake.serverCertificate?.text = "somebody"
    handshake.clientCertificate?.text = "somebody"
    return handshake
  }

  /// The port is kept: it says what protocol it may be.
  private static func anonymous(_ endpoint: String) -> String {
    endpoint.lastIndex(of: ":").map { "host" + endpoint[$0...] } ?? "host"
  }

  private mutating func replacement(of original: [UInt8], _ kind: Kind) -> [UInt8] {
    let text = String(decoding: original, as: UTF8.self)
    if let place = places["\(kind) \(text)"] {
      replacements[place].times += 1
      return Array(replacements[place].replacement.utf8)
    }
    var number = replacements.count { $0.kind == kind } + 1
    var made = Self.substitute(kind, number: number, original: text)
    for _ in 0..<Self.maxTries where made == text || used.contains(made) {
      number += 1
      made = Self.substitute(kind, number: number, original: text)
    }
    used.insert(made)
    places["\(kind) \(text)"] = replacements.count
    replacements.append(Replacement(kind: kind, original: text, replacement: made, times: 1))
    return Array(made.utf8)
  }

  private static func substitute(_ kind: Kind, number: Int, original: String) -> String {
    let length = original.utf8.count
    let start: String
    var end = ""
    switch kind {
    case .credential: start = "secret\(number)"
    case .user: start = "person\(number)"
    case .email: (start, end) = ("user\(number)@", ".example")
    case .name: (start, end) = ("host\(number)", ".example")
    case .address: return address(like: original, number: number)
    }
    if start.utf8.count <= length { return String(padded(start, end, to: length).prefix(length)) }
    // What tells them apart is kept of short ones.
    let digits = String(number, radix: 36).suffix(length)
    return start.prefix(length - digits.count) + String(digits)
  }

  private static func padded(_ start: String, _ end: String, to length: Int) -> String {
    start + String(repeating: "x", count: max(0, length - start.utf8.count - end.utf8.count)) + end
  }

  /// An address with its dots and colons where they were: the number, in the digits of the original's places. Parts
  /// of several digits never begin with 0 and never get too large.
  private static func address(like original: String, number: Int) -> String {
    let isIPv4 = !original.contains(":")
    let separator: Character = isIPv4 ? "." : ":"
    var rest = number
    let parts = original.split(separator: separator, omittingEmptySubsequences: false).reversed().map { part in
      let width = part.utf8.count
      guard width > 0 else { return "" }
      // 0…9, 10…99, 100…199; of IPv6 digits 1000 and so on, which stand for themselves in any base.
      let low = width == 1 ? 0 : (1..<width).reduce(1) { power, _ in power * 10 }
      let room = width == 1 ? 10 : isIPv4 ? (width == 2 ? 90 : 100) : low * 9
      defer { rest /= room }
      return String(low + rest % room)
    }
    return parts.reversed().joined(separator: String(separator))
  }
}
