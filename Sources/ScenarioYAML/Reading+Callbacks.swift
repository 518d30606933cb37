import ScenarioModel

/// What the pattern of a callback may say, by kind.
enum CallbackFields {
  static func keys(_ kind: CallbackKind) -> [String] {
    let own =
      switch kind {
      case .didConnect: ["host", "port"]
      case .didConnectToURL: ["path"]
      case .didAccept: ["child"]
      case .didRead: ["tag", "bytes", "length", "hash"]
      case .didReadPartial, .didWritePartial: ["tag", "length"]
      case .didWrite: ["tag"]
      case .shouldTimeoutRead, .shouldTimeoutWrite: ["tag", "elapsed", "bytesDone"]
      case .didDisconnect, .willDisconnect: ["error"]
      case .newSocketQueue, .didCloseRead, .didSecure, .didReceiveTrust, .willConnect, .wantsRunLoop: [String]()
      }
    return own + ["delegate", "on", "mode"]
  }
}

/// A callback as a file names it: `didRead`, `child.didRead`, `child.didRead: { tag: 1 }`.
struct NamedCallback {
  var kind: CallbackKind
  /// The socket written in front of it.
  var prefix: String?
  var position: SourcePosition
  /// The fields, if any are written.
  var value: YAMLNode?
}

extension Reading {
  /// Takes a word or a mapping's entry for a callback.
  mutating func callback(_ word: String, at position: SourcePosition, value: YAMLNode?) -> NamedCallback? {
    let name = PrefixedWord(word)
    guard let kind = CallbackKind(rawValue: name.word) else {
      reportUnknown(
        .unknownCallback, name.word, at: position, what: "a callback", among: CallbackKind.allCases.map(\.rawValue))
      return nil
    }
    if let value, value.isEmpty {
      report(
        .emptyValue, at: position, "`\(word)` has a colon but nothing behind it",
        help: "write `\(word)` without the colon, or `\(word): { … }`")
      return nil
    }
    return NamedCallback(kind: kind, prefix: name.socket, position: position, value: value)
  }

  /// The pattern of a named callback. `extra` are keys that the place allows beyond the pattern's own; the fields come
  /// back so that the caller can read those.
  mutating func pattern(_ callback: NamedCallback, extra: [String] = []) -> (CallbackPattern, Fields)? {
    var pattern = CallbackPattern(kind: callback.kind)
    guard let node = callback.value else { return (pattern, Fields(entries: [], position: callback.position)) }
    let what = "`\(callback.kind.rawValue)`"
    let keys = CallbackFields.keys(callback.kind)
    guard let fields = fields(node, of: what, allowed: keys + extra) else { return nil }
    let faults = log.errorCount
    for entry in fields.present(keys) { read(entry, into: &pattern) }
    if let bytes = pattern.bytes, let count = pattern.count, !count.contains(bytes.count),
      let length = fields.entry("length")
    {
      report(
        .conflictingKeys, at: length.position, "`bytes` are \(SizeText.text(bytes.count)), which `length` rules out",
        help: "leave `length` out, or correct one of them")
    }
    return log.errorCount == faults ? (pattern, fields) : nil
  }

  private mutating func read(_ entry: YAMLEntry, into pattern: inout CallbackPattern) {
    let value = entry.value
    let what = "`\(entry.key)`"
    switch entry.key {
    case "tag": pattern.tag = number(value, of: what, in: Int.min...Int.max)
    case "bytes": pattern.bytes = payload(value, of: what)
    case "length": pattern.count = sizeRange(value, of: what)
    case "hash": pattern.hash = hash(value)
    case "host": pattern.host = text(value, of: what)
    case "port": pattern.port = number(value, of: what, in: 0...65_535).map(UInt16.init(clamping:))
    case "path": pattern.path = text(value, of: what)
    case "error": pattern.error = errorPattern(value)
    case "elapsed": pattern.elapsed = seconds(value, of: what)
    case "bytesDone": pattern.bytesDone = sizeRange(value, of: what)
    case "child": pattern.child = childName(value)
    case "on": pattern.runLoop = name(value, of: Self.loopName)
    case "mode": pattern.mode = name(value, of: Self.modeName)
    default: pattern.delegate = name(value, of: "a delegate's name")
    }
  }

  private mutating func childName(_ node: YAMLNode) -> String? {
    guard let name = text(node, of: "`child`") else { return nil }
    if SocketNames.isChild(name) { return name }
    report(
      .unknownSocket, at: node.position, "accepted sockets are not called `\(name.shortened)`",
      help: "they are called child, child2, child3, … in the order they are accepted")
    return nil
  }

  /// Sixteen hexadecimal digits.
  mutating func hash(_ node: YAMLNode) -> String? {
    guard let text = text(node, of: "`hash`") else { return nil }
    let isHash = text.utf8.count == 16 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    if isHash { return text }
    report(
      .badPayload, at: node.position, "`\(text.shortened)` is not a content hash",
      help: "sixteen lowercase hexadecimal digits; put them in quotes")
    return nil
  }

  /// `none`, `any`, an error's name, or a list of names, with `none` among them or not.
  mutating func errorPattern(_ node: YAMLNode) -> ErrorPattern? {
    if let items = node.items {
      guard list(node, of: "`error`") != nil else { return nil }
      let names = items.map { errorName($0, inList: true) }
      let known = names.compactMap { $0 }
      guard known.count == names.count else { return nil }
      checkOnce(items, what: "this error", named: known)
      return .oneOf(known)
    }
    switch node.word {
    case "none": return ErrorPattern.none
    case "any": return .any
    default: return errorName(node, inList: false).map { .oneOf([$0]) }
    }
  }

  private mutating func errorName(_ node: YAMLNode, inList: Bool) -> ErrorName? {
    guard let text = text(node, of: "`error`") else { return nil }
    if text == "none", inList { return ErrorName.none }
    if text == "any", inList {
      report(
        .unknownError, at: node.position, "`any` stands alone, not in a list: nothing would be left to the other names",
        help: "write `error: any`, or leave `any` out")
      return nil
    }
    if text == "NetDB" { return .netDB(nil) }
    if text == "SSL" { return .ssl(nil) }
    if let code = LibraryErrorCode.allCases.first(where: { $0.name == text }) { return .library(code) }
    if let code = RunLoopErrorCode.own.first(where: { $0.name == text }) { return .runLoop(code) }
    if text == SubjectError.misuse { return .misuse }
    if let number = ErrnoName.number(of: text) { return .posix(number) }
    if let number = ErrnoName.lookupNumber(of: text) { return .netDB(number) }
    if let code = SSLErrorName.code(of: text) { return .ssl(code) }
    if let numbered = numberedError(text) { return numbered }
    let names =
      ["none", "any", SubjectError.misuse] + LibraryErrorCode.allCases.map(\.name) + RunLoopErrorCode.own.map(\.name)
      + ErrnoName.all + ErrnoName.allLookup
      + SSLErrorName.all + ["NetDB", "SSL"]
    let guess = guess(for: text, among: names).map { "did you mean `\($0)`? " } ?? ""
    report(
      .unknownError, at: node.position, "`\(text.shortened)` is no error that the lab knows",
      help: guess
        + "use `none`, `any`, a code such as ReadTimeout, an errno name, an EAI_ name, an errSSL name, NetDB or SSL")
    return nil
  }

  /// `errno 71`, `NetDB -7`, `SSL -9806`: errors without a name of their own.
  private func numberedError(_ text: String) -> ErrorName? {
    let parts = text.split(separator: " ")
    guard parts.count == 2, let number = Int(parts[1]) else { return nil }
    switch parts[0] {
    case "errno": return Int32(exactly: number).map(ErrorName.posix)
    case "NetDB": return Int32(exactly: number).map(ErrorName.netDB)
    case "SSL": return .ssl(number)
    default: return nil
    }
  }
}
