import ScenarioModel

/// One pass over the nodes of one file.
///
/// The methods that read something return nil (or leave it out) once the log says why, so that reading goes on with the
/// next thing. They are grouped by noun in `Reading+….swift`.
package struct Reading {
  var log: DiagnosticLog
  /// What the file declares anywhere, gathered beforehand so that references can be checked on the way.
  let outline: Outline
  let file: (String) -> [UInt8]?
  /// nil: any id of the right form may be cited.
  let citations: CitationRules?
  /// Bytes of all payloads so far, if they were made.
  var payloadTotal = 0
  var payloadsAreTooLarge = false
  /// Repetitions of the step being read: the product of all `times` around it.
  var repetitions = 1
  /// The caller's buffers by name, as first described.
  var buffers: [String: (buffer: ReadCommand.Buffer, position: SourcePosition)] = [:]
  /// Points that something waits for or measures from.
  var awaited: Set<String> = []
  /// Names of the case's resolver.
  var hostNames: Set<String> = []
  /// The network brings a resolver, beside which there is no `hosts`.
  var hasNetworkResolver = false
  /// The case's limit, once it is known.
  var limit = Duration.seconds(10)
  /// Whether it is played in simulated time, too, once that is known.
  var isSimulated = true
  /// What something in the case has to do with.
  var usedHosts: Set<String> = []
  var usedSockets: Set<String> = []
  var usedPeers: Set<String> = []
  /// Names of buffers that are looked at.
  var bufferChecks: [(name: String, position: SourcePosition)] = []
  var doubts = Doubts()

  init(
    log: DiagnosticLog, outline: Outline, citations: CitationRules? = nil, file: @escaping (String) -> [UInt8]?
  ) {
    self.log = log
    self.outline = outline
    self.citations = citations
    self.file = file
  }

  /// The next document of the same file, whose payloads count together.
  init(continuing other: Reading, outline: Outline) {
    self.init(log: other.log, outline: outline, citations: other.citations, file: other.file)
    payloadTotal = other.payloadTotal
    payloadsAreTooLarge = other.payloadsAreTooLarge
    doubts = other.doubts
  }

  /// Puts a remark about a place of the file into the log.
  package mutating func report(_ code: LintCode, at position: SourcePosition, _ message: String, help: String? = nil) {
    log.report(code, at: position, message, help: help)
  }

  /// The word that may have been meant. Costs nothing once no more diagnostics are shown.
  package func guess(for word: String, among candidates: [String]) -> String? {
    log.isFull ? nil : DidYouMean.suggestion(for: word, among: candidates.prefix(1_000))
  }

  /// Says that a value has the wrong shape, or is missing.
  mutating func reportShape(_ node: YAMLNode, of what: String, expected: String, help: String? = nil) {
    if node.isEmpty {
      report(.emptyValue, at: node.position, "\(what) has no value; it needs \(expected)", help: help)
    } else {
      report(.wrongType, at: node.position, "\(what) is \(expected), not \(node.kindText)", help: help)
    }
  }

  /// Says that a word is none of those allowed.
  package mutating func reportUnknown(
    _ code: LintCode, _ word: String, at position: SourcePosition, what: String, among candidates: [String]
  ) {
    if code == .unknownStep, word.utf8.first.map({ (0x30...0x39).contains($0) }) == true {
      report(
        code, at: position, "`\(word.shortened)` is not \(what)",
        help: "a comma stands between two steps; the decimals of a number stand behind a point: `1.5s`")
      return
    }
    if [.unknownStep, .unknownCallback].contains(code), let help = Self.blankHelp(word) {
      report(code, at: position, "`\(word.shortened)` is not \(what)", help: help)
      return
    }
    let listed = (1...12).contains(candidates.count) ? "one of: \(candidates.joined(separator: ", "))" : nil
    let guess = guess(for: word, among: candidates).map { "did you mean `\($0)`?" }
    let help = [guess, listed].compactMap { $0 }.joined(separator: " ")
    report(code, at: position, "`\(word.shortened)` is not \(what)", help: help.isEmpty ? nil : help)
  }

  /// The entries of a mapping whose keys are all among those allowed; others are reported and left out. nil if it is no
  /// mapping.
  package mutating func fields(_ node: YAMLNode, of what: String, allowed: [String], help: String? = nil) -> Fields? {
    guard let entries = node.entries else {
      reportShape(node, of: what, expected: "a mapping", help: help ?? "write `{ \(allowed.first ?? "key"): … }`")
      return nil
    }
    return Fields(entries: known(entries, of: what, allowed: allowed), position: node.position)
  }

  private mutating func known(_ entries: [YAMLEntry], of what: String, allowed: [String]) -> [YAMLEntry] {
    entries.filter { entry in
      if allowed.contains(entry.key) { return true }
      let listed = allowed.isEmpty ? "it has no keys" : "it knows: \(allowed.joined(separator: ", "))"
      let guess =
        Self.blankHelp(entry.key).map { $0 + "; " }
        ?? guess(for: entry.key, among: allowed).map { "did you mean `\($0)`? " } ?? ""
      report(
        .unknownKey, at: entry.position, "\(what) has no key `\(entry.key.shortened)`", help: guess + listed)
      return false
    }
  }

  /// For a word such as `send:x`, which would be a key and its value.
  private static func blankHelp(_ word: String) -> String? {
    let parts = word.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, parts[0].unicodeScalars.allSatisfy({ $0.properties.isAlphabetic }) else { return nil }
    return "a blank belongs behind the colon: `\(String(parts[0]).shortened): \(String(parts[1]).shortened)`"
  }

  /// The items of a list that must not be empty.
  package mutating func list(_ node: YAMLNode, of what: String, help: String? = nil) -> [YAMLNode]? {
    guard let items = node.items else {
      reportShape(node, of: what, expected: "a list", help: help)
      return nil
    }
    guard !items.isEmpty else {
      report(.emptyList, at: node.position, "\(what) is an empty list", help: help)
      return nil
    }
    return items
  }

  /// The value of a key that must be there.
  package mutating func required(_ key: String, in fields: Fields, of what: String, help: String? = nil) -> YAMLNode? {
    if let node = fields[key] { return node }
    report(.missingKey, at: fields.position, "\(what) needs the key `\(key)`", help: help)
    return nil
  }

  /// Any text, quoted or not; empty only if quoted.
  package mutating func text(_ node: YAMLNode, of what: String) -> String? {
    guard case .scalar(let text, _) = node.content, !node.isEmpty else {
      reportShape(node, of: what, expected: "a text")
      return nil
    }
    return text
  }

  /// One of the words of an enumeration.
  package mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ node: YAMLNode, of what: String, as type: Choice.Type
  ) -> Choice? where Choice.RawValue == String {
    let words = type.allCases.map(\.rawValue)
    guard let word = text(node, of: what) else { return nil }
    if let choice = Choice(rawValue: word) { return choice }
    reportUnknown(.unknownWord, word, at: node.position, what: what, among: words)
    return nil
  }

  /// `true` or `false`, nothing else.
  package mutating func flag(_ node: YAMLNode, of what: String) -> Bool? {
    switch node.word {
    case "true": return true
    case "false": return false
    default:
      guard case .scalar(let text, _) = node.content, !node.isEmpty else {
        reportShape(node, of: what, expected: "`true` or `false`")
        return nil
      }
      if ["true", "false"].contains(text) {
        report(
          .unknownWord, at: node.position, "\(what) is `true` or `false`, not the text \"\(text)\"",
          help: "write it without quotes")
        return nil
      }
      report(
        .unknownWord, at: node.position, "\(what) is `true` or `false`, not `\(text.shortened)`",
        help: ["yes", "on"].contains(text.lowercased())
          ? "write `true`" : ["no", "off"].contains(text.lowercased()) ? "write `false`" : nil)
      return nil
    }
  }
}

/// The entries of a mapping, by key.
package struct Fields {
  var entries: [YAMLEntry]
  var position: SourcePosition

  /// The value of the first entry with this key.
  package subscript(key: String) -> YAMLNode? { entries.first { $0.key == key }?.value }

  func entry(_ key: String) -> YAMLEntry? { entries.first { $0.key == key } }

  /// The keys of a group that are there, in the order of the file.
  package func present(_ keys: [String]) -> [YAMLEntry] { entries.filter { keys.contains($0.key) } }
}

extension String {
  /// At most 40 characters, for messages; control characters become visible.
  package var shortened: String {
    let head = unicodeScalars.prefix(40).map { $0.value < 0x20 || $0.value == 0x7F ? "␣" : String($0) }.joined()
    return unicodeScalars.count > 40 ? head + "…" : head
  }
}
