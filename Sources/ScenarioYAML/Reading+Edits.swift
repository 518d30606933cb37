import ScenarioModel

/// What can be done to a handshake message, as files name it.
enum EditWord: String, CaseIterable {
  case drop, double, truncate, extend, flip, overwrite, retype, empty, reframe
  case swapWithNext = "swap-with-next"
  case wrongLength = "wrong-length"

  /// The keys it knows besides `message` and `do`.
  var keys: [String] {
    switch self {
    case .drop, .double, .swapWithNext, .empty: []
    case .truncate, .wrongLength: ["by"]
    case .extend: ["bytes"]
    case .flip: ["at"]
    case .overwrite: ["at", "bytes"]
    case .retype: ["type"]
    case .reframe: ["type", "version", "length"]
    }
  }
}

extension Reading {
  /// One edit or a list of them.
  mutating func edits(_ node: YAMLNode) -> [HandshakeEdit] {
    guard node.items != nil else { return edit(node).map { [$0] } ?? [] }
    return (list(node, of: "`edit`") ?? []).compactMap { edit($0) }
  }

  private mutating func edit(_ node: YAMLNode) -> HandshakeEdit? {
    let all = ["message", "do", "by", "at", "bytes", "type", "version", "length"]
    let help = "write `{ message: server-hello, do: drop }`"
    guard let fields = fields(node, of: "an edit", allowed: all, help: help) else { return nil }
    let message = required("message", in: fields, of: "an edit", help: help)
      .flatMap { choice($0, of: "a handshake message", as: HandshakeMessage.self) }
    let word = required("do", in: fields, of: "an edit", help: help)
      .flatMap { choice($0, of: "anything to do to a message", as: EditWord.self) }
    guard let message, let word else { return nil }
    if let entry = fields.entries.first(where: { !["message", "do"].contains($0.key) && !word.keys.contains($0.key) }) {
      let known = word.keys.isEmpty ? "it has no more keys" : "it knows: \(word.keys.joined(separator: ", "))"
      report(.unknownKey, at: entry.position, "`do: \(word.rawValue)` has no key `\(entry.key)`", help: known)
      return nil
    }
    return change(word, fields).map { HandshakeEdit(message: message, change: $0) }
  }

  private mutating func change(_ word: EditWord, _ fields: Fields) -> HandshakeEdit.Change? {
    let what = "`do: \(word.rawValue)`"
    switch word {
    case .drop: return .drop
    case .double: return .double
    case .swapWithNext: return .swapWithNext
    case .empty: return .empty
    case .truncate:
      guard let node = fields["by"] else { return .truncate(1) }
      return size(node, of: "`by`", atLeast: 1).map { .truncate($0) }
    case .extend:
      guard let node = fields["bytes"] else { return .extend(.bytes([0])) }
      return payload(node, of: "`bytes`").map { .extend($0) }
    case .flip:
      guard let node = fields["at"] else { return .flip(at: nil) }
      return size(node, of: "`at`").map { .flip(at: $0) }
    case .overwrite:
      let at = required("at", in: fields, of: what).flatMap { size($0, of: "`at`") }
      let bytes = required("bytes", in: fields, of: what).flatMap { payload($0, of: "`bytes`") }
      guard let at, let bytes else { return nil }
      return .overwrite(at: at, bytes)
    case .retype:
      return required("type", in: fields, of: what)
        .flatMap { number($0, of: "`type`", in: 0...255) }.map { .retype(UInt8(clamping: $0)) }
    case .wrongLength:
      guard let node = fields["by"] else { return .wrongLength(by: 1) }
      return number(node, of: "`by`", in: -0xFF_FFFF...0xFF_FFFF).map { .wrongLength(by: $0) }
    case .reframe: return reframing(fields)
    }
  }

  private mutating func reframing(_ fields: Fields) -> HandshakeEdit.Change? {
    let faults = log.errorCount
    let type = fields["type"].flatMap { recordType($0, of: "`type`") }
    let version = fields["version"].flatMap { recordVersion($0) }
    let length = fields["length"].flatMap { size($0, of: "`length`", atMost: 65_535) }
    if fields.present(["type", "version", "length"]).isEmpty {
      report(
        .missingKey, at: fields.position, "`do: reframe` changes nothing", help: "add `type`, `version` or `length`")
    }
    return log.errorCount == faults ? .reframe(type: type, version: version, length: length) : nil
  }
}
