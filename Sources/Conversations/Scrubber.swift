import ScenarioModel

/// Finds what names people, machines and secrets in what was said, and puts something else in its place.
///
/// Laws
/// - What takes the place of something has the same number of bytes, so that lengths that a protocol counts stay true.
/// - The same text gets the same replacement wherever it stands, in all conversations of one scrubber.
/// - Only text is looked through; what is binary, compressed or encrypted stays as it is.
package struct Scrubber: Sendable {
  /// What was found.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case credential, email = "e-mail address", address = "IP address", name = "host name"
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
  private static let mostText = 4 << 20

  package init() {}

  /// The conversation with everything replaced that was found; a note says how much of each kind.
  package mutating func scrubbed(_ conversation: Conversation) -> Conversation {
    var scrubbed = conversation
    var counts: [Kind: Int] = [:]
    for side in Conversation.Side.allCases { scrub(side, of: &scrubbed, &counts) }
    scrubbed.client = Self.anonymous(conversation.client)
    scrubbed.server = Self.anonymous(conversation.server)
    let words = Kind.allCases.compactMap { kind in counts[kind].map { "\($0) × \(kind.rawValue)" } }
    let list = words.isEmpty ? "nothing was found in what was said" : words.joined(separator: ", ")
    scrubbed.notes.append("Scrubbed, with replacements of the same length: \(list).")
    return scrubbed
  }

  /// The port is kept: it says what protocol it may be.
  private static func anonymous(_ endpoint: String) -> String {
    endpoint.lastIndex(of: ":").map { "host" + endpoint[$0...] } ?? "host"
  }

  /// The side's stream as a whole: what is looked for may be cut anywhere.
  private mutating func scrub(
    _ side: Conversation.Side, of conversation: inout Conversation, _ counts: inout [Kind: Int]
  ) {
    var stream: [UInt8] = []
    var places: [(event: Int, range: Range<Int>)] = []
    for (index, event) in conversation.events.enumerated() where event.side == side {
      guard case .bytes(let bytes) = event.act else { continue }
      places.append((index, stream.count..<stream.count + bytes.count))
      stream += bytes
    }
    guard stream.count <= Self.mostText, PayloadText.text(stream) != nil else { return }
    replace(in: &stream, &counts)
    for place in places { conversation.events[place.event].act = .bytes(Array(stream[place.range])) }
  }

  private mutating func replace(in stream: inout [UInt8], _ counts: inout [Kind: Int]) {
    // A byte a character: places in the text are places in the stream.
    let text = String(String.UnicodeScalarView(stream.map { Unicode.Scalar($0) }))
    for (kind, range) in Self.findings(in: text) {
      let original = Array(stream[range])
      let replacement = self.replacement(of: original, kind)
      stream.replaceSubrange(range, with: replacement)
      counts[kind, default: 0] += 1
    }
  }

  private mutating func replacement(of original: [UInt8], _ kind: Kind) -> [UInt8] {
    let text = String(decoding: original, as: UTF8.self)
    if let place = places["\(kind) \(text)"] {
      replacements[place].times += 1
      return Array(replacements[place].replacement.utf8)
    }
    let number = replacements.count { $0.kind == kind } + 1
    let made = Self.substitute(kind, number: number, length: original.count)
    places["\(kind) \(text)"] = replacements.count
    replacements.append(Replacement(kind: kind, original: text, replacement: made, times: 1))
    return Array(made.utf8)
  }

  private static func substitute(_ kind: Kind, number: Int, length: Int) -> String {
    let full: String
    switch kind {
    case .credential: full = "secret\(number)" + String(repeating: "x", count: max(0, length - 7))
    case .email: full = "user\(number)@" + String(repeating: "x", count: max(0, length - 14)) + ".example"
    case .name: full = String(repeating: "x", count: max(0, length - 8)) + ".example"
    case .address: full = "10.0.0.\(number % 250)"
    }
    let cut = String(full.prefix(length))
    guard kind == .address, cut.count < length else {
      return cut + String(repeating: "x", count: length - cut.count)
    }
    // Leading zeros would mean something else to some: the numbers get longer instead.
    let longer = ["10.0.0.1", "10.0.0.10", "10.0.0.100", "10.0.10.100", "10.10.10.100", "10.100.10.100"]
    return longer.first { $0.count == length } ?? String(repeating: "1", count: length)
  }

  /// In the order of the text; nothing overlaps.
  private static func findings(in text: String) -> [(kind: Kind, range: Range<Int>)] {
    let secrets = [
      /(?mi)^(?:proxy-)?authorization:[ \t]*(?:\w+[ \t]+)?([^\s]+)/,
      /(?mi)^(?:set-)?cookie:[ \t]*([^\r\n]+)/,
      /(?i)["']?(?:password|passwd|pwd|secret|token|api[-_]?key)["']?[ \t]*[=:][ \t]*["']?([^\s"'&;,]+)/,
      /(?m)^(?:AUTH|PASS)[ ]+(?:PLAIN[ ]+|LOGIN[ ]+)?([^\s]+)/,
    ]
    let others: [(Kind, Regex<(Substring, Substring)>)] = [
      (.email, /([A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)/),
      (.address, /\b((?:\d{1,3}\.){3}\d{1,3})\b/),
      (.name, /(?mi)^(?:host:|EHLO|HELO)[ ]*([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)/),
    ]
    var found: [(kind: Kind, range: Range<Int>)] = []
    for (kind, pattern) in secrets.map({ (Kind.credential, $0) }) + others {
      for match in text.matches(of: pattern.matchingSemantics(.unicodeScalar)) {
        let range = match.output.1
        let start = text.unicodeScalars.distance(from: text.startIndex, to: range.startIndex)
        let count = text.unicodeScalars.distance(from: range.startIndex, to: range.endIndex)
        let place = start..<start + count
        if !found.contains(where: { $0.range.overlaps(place) }) { found.append((kind, place)) }
      }
    }
    return found.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }
}
