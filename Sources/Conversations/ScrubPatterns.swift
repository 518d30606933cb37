/// How names and secrets look in protocols that people meet.
enum ScrubPatterns {
  struct Finding {
    var kind: Scrubber.Kind
    var range: Range<Int>
    var text: [UInt8]
  }

  /// A text that stands for the same thing wherever it is.
  struct Literal: Hashable {
    var kind: Scrubber.Kind
    var text: [UInt8]
  }

  /// In the order of the text; nothing overlaps.
  static func findings(in said: StreamText) -> [Finding] {
    var found = Taken()
    if let range = said.serverName {
      found.take(Finding(kind: .name, range: range, text: Array(said.bytes[range])))
    }
    let texts = said.texts.map { range in
      // ASCII only: places in the text are places in the stream.
      let bytes = said.bytes[range].map { $0 < 0x80 ? $0 : 0x1A }
      let lowered = bytes.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
      return (range.lowerBound, String(decoding: bytes, as: UTF8.self), lowered)
    }
    search(texts, for: secretPatterns, in: said, &found)
    for (start, _, lowered) in texts {
      for address in mailAddresses(in: lowered) {
        let range = start + address.lowerBound..<start + address.upperBound
        found.take(Finding(kind: .email, range: range, text: Array(said.bytes[range])))
      }
    }
    search(texts, for: namePatterns, in: said, &found)
    return found.inOrder
  }

  private static func search(
    _ texts: [(Int, String, [UInt8])], for patterns: [Pattern], in said: StreamText, _ found: inout Taken
  ) {
    for (kind, words, pattern) in patterns {
      let words = words.utf8.split(separator: 0x20).map(Array.init)
      let pattern = pattern.matchingSemantics(.unicodeScalar)
      // To look for a word takes a hundredth of the time that a pattern does.
      for (start, text, lowered) in texts
      where words.contains(where: { first($0, in: lowered, from: 0) != nil }) {
        for match in text.matches(of: pattern) {
          let inner = match.output.1
          let place = start + text.utf8.distance(from: text.startIndex, to: inner.startIndex)
          let range = place..<place + inner.utf8.count
          if !range.isEmpty { found.take(Finding(kind: kind, range: range, text: Array(said.bytes[range]))) }
        }
      }
    }
  }

  /// Addresses of e-mail in a text in small letters, by their places. From each `@` to both sides: a pattern would
  /// begin anew at each byte of a word, and take an hour for one of a MiB.
  static func mailAddresses(in lowered: [UInt8]) -> [Range<Int>] {
    var found: [Range<Int>] = []
    for place in lowered.indices where lowered[place] == UInt8(ascii: "@") {
      // What belongs to the address before does not belong to this one.
      let lowest = found.last?.upperBound ?? 0
      var start = place
      while start > lowest, isOfLabel(lowered[start - 1]) || marksOfUsers.contains(lowered[start - 1]) { start -= 1 }
      guard start < place, let end = endOfDomain(in: lowered, from: place + 1) else { continue }
      found.append(start..<end)
    }
    return found
  }

  private static let marksOfUsers = Array("._%+".utf8)

  private static func isOfLabel(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
    default: false
    }
  }

  /// Behind two labels or more, with dots between them; nil: there are fewer.
  private static func endOfDomain(in lowered: [UInt8], from start: Int) -> Int? {
    var end = start
    var labels = 0
    var place = start
    while true {
      while place < lowered.count, isOfLabel(lowered[place]) { place += 1 }
      guard place > (labels == 0 ? end : end + 1) else { break }
      end = place
      labels += 1
      guard place < lowered.count, lowered[place] == UInt8(ascii: ".") else { break }
      place += 1
    }
    return labels > 1 ? end : nil
  }

  /// With all other places of what was found.
  static func adding(_ literals: some Collection<Literal>, to findings: [Finding], in said: StreamText) -> [Finding] {
    var found = Taken(findings)
    // Longer ones first: a host's name may be a part of another's.
    let order = literals.sorted { ($0.text.count, $1.kind.rawValue) > ($1.text.count, $0.kind.rawValue) }
    for literal in order {
      var place = 0
      while let start = first(literal.text, in: said.bytes, from: place) {
        let range = start..<start + literal.text.count
        found.take(Finding(kind: literal.kind, range: range, text: literal.text))
        place = range.upperBound
      }
    }
    return found.inOrder
  }

  private static func first(_ text: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    guard let head = text.first, bytes.count - start >= text.count else { return nil }
    for place in start...bytes.count - text.count where bytes[place] == head {
      if bytes[place..<place + text.count].elementsEqual(text) { return place }
    }
    return nil
  }

  /// Findings of which none overlaps another; who comes first has the place.
  private struct Taken {
    private var findings: [Finding] = []
    private var covered: Set<Int> = []

    init(_ findings: [Finding] = []) { for finding in findings { take(finding) } }

    mutating func take(_ finding: Finding) {
      guard !finding.range.contains(where: covered.contains) else { return }
      covered.formUnion(finding.range)
      findings.append(finding)
    }

    var inOrder: [Finding] { findings.sorted { $0.range.lowerBound < $1.range.lowerBound } }
  }
}
