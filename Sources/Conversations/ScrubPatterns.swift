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
  static func findings(in said: SaidText) -> [Finding] {
    var found = Taken()
    let texts = said.texts.map { range in
      // ASCII only: places in the text are places in the stream.
      (range.lowerBound, String(decoding: said.bytes[range].map { $0 < 0x80 ? $0 : 0x1A }, as: UTF8.self))
    }
    for (kind, pattern) in patterns {
      let pattern = pattern.matchingSemantics(.unicodeScalar)
      for (start, text) in texts {
        for match in text.matches(of: pattern) {
          let inner = match.output.1
          let place = start + text.utf8.distance(from: text.startIndex, to: inner.startIndex)
          let range = place..<place + inner.utf8.count
          if !range.isEmpty { found.take(Finding(kind: kind, range: range, text: Array(said.bytes[range]))) }
        }
      }
    }
    return found.inOrder
  }

  /// With all other places of what was found.
  static func adding(_ literals: some Collection<Literal>, to findings: [Finding], in said: SaidText) -> [Finding] {
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

  private static var patterns: [(Scrubber.Kind, Regex<(Substring, Substring)>)] {
    let secrets = [
      /(?mi)^(?:proxy-)?authorization:[ \t]*(?:\w+[ \t]+)?([^\s]+)/,
      /(?mi)^(?:set-)?cookie:[ \t]*([^\r\n]+)/,
      /(?i)["']?(?:password|passwd|pwd|secret|token|api[-_]?key)["']?[ \t]*[=:][ \t]*["']?([^\s"'&;,]+)/,
      /:\/\/([^\s\/:@"<>]+:[^\s\/@"<>]+)@/,
      // SMTP, POP3, FTP, IRC: by command; SMTP's LOGIN asks twice.
      /(?mi)^(?:AUTH|PASS)[ ]+(?:PLAIN[ ]+|LOGIN[ ]+)?((?!PLAIN\r|LOGIN\r)[^\s]+)/,
      /(?mi)^AUTH[ ]+(?:LOGIN|PLAIN)\r?\n([^\s]+)/,
      /(?mi)^AUTH[ ]+LOGIN\r?\n[^\s]+\r?\n([^\s]+)/,
      // Redis: with and without a user.
      /(?i)\$4\r\nAUTH\r\n\$[0-9]+\r\n([^\r\n]+)/,
      /(?i)\*3\r\n\$4\r\nAUTH\r\n\$[0-9]+\r\n[^\r\n]+\r\n\$[0-9]+\r\n([^\r\n]+)/,
    ]
    return secrets.map { (.credential, $0) } + [
      (.email, /([A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)/),
      (.address, /\b((?:[0-9]{1,3}\.){3}[0-9]{1,3})\b/),
      // IPv6, all eight groups or with a gap.
      (.address, /(?i)(?:^|[^\w:.])((?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4})(?![\w:.])/),
      (.address, /(?i)(?:^|[^\w:.])((?:[0-9a-f]{1,4}:)+(?::[0-9a-f]{1,4})+)(?![\w:.])/),
      (.name, /(?mi)^(?:host:|EHLO|HELO|220[ -])[ ]*([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)/),
      (.name, /(?i)https?:\/\/(?:[^\s\/@]+@)?([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)/),
    ]
  }
}
