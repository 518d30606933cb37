import ScenarioModel

extension Reading {
  /// Words with a meaning of their own, which nothing may be called.
  private static let reserved: Set<String> = ["none", "start", "previous", "true", "false"]

  /// A name the author chose: a letter, then letters, digits, `_` and `-`; at most 64 characters; no word that means
  /// something else.
  mutating func name(_ node: YAMLNode, of what: String) -> String? {
    guard let text = text(node, of: what) else { return nil }
    return isGoodName(text, of: what, at: node.position) ? text : nil
  }

  mutating func isGoodName(_ text: String, of what: String, at position: SourcePosition) -> Bool {
    let isLetter: (UInt8) -> Bool = { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      default: false
      }
    }
    let isWellFormed =
      text.utf8.count <= 64 && (text.utf8.first.map(isLetter) ?? false)
      && text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D }
    guard isWellFormed else {
      report(
        .badName, at: position, "`\(text.shortened)` cannot be \(what)",
        help: "names begin with a letter and have letters, digits, `-` and `_`, at most 64")
      return false
    }
    guard !Self.reserved.contains(text), CallbackKind(rawValue: text) == nil else {
      report(
        .badName, at: position, "`\(text)` means something else and cannot be \(what)", help: "choose another name")
      return false
    }
    return true
  }

  /// The name of a peer that the file has.
  mutating func peer(_ node: YAMLNode, of what: String) -> String? {
    guard let name = text(node, of: what) else { return nil }
    guard outline.hasPeer(name) else {
      reportUnknown(.unknownPeer, name, at: node.position, what: "a peer of this scenario", among: outline.peerNames)
      return nil
    }
    usedPeers.insert(name)
    return name
  }

  /// The name of a subject socket that the file has.
  mutating func socket(_ node: YAMLNode, of what: String) -> String? {
    guard let name = text(node, of: what) else { return nil }
    return isKnownSocket(name, at: node.position) ? name : nil
  }

  /// Whether the file has a subject socket, or a listener that accepts children, of this name.
  mutating func isKnownSocket(_ name: String, at position: SourcePosition) -> Bool {
    if outline.hasSocket(name) || (SocketNames.isChild(name) && outline.hasListener) {
      usedSockets.insert(name)
      return true
    }
    if SocketNames.isChild(name) {
      report(
        .unknownSocket, at: position, "`\(name)` is a socket that a listener accepts, but nothing listens here",
        help: "add a `listen` step")
      return false
    }
    let candidates = outline.sockets + (outline.hasListener ? ["child"] : [])
    let guess = guess(for: name, among: candidates).map { "did you mean `\($0)`? " } ?? ""
    report(
      .unknownSocket, at: position, "this scenario has no socket `\(name.shortened)`",
      help: guess
        + "sockets come from `sockets`, from the lanes of `subjects`, and from `NAME.connect` or `NAME.listen`")
    return false
  }

  /// The socket a prefix names; without a prefix `fallback`, or, where that is nil, `socket`, provided that anything is
  /// done with it.
  mutating func socket(
    prefix: String?, at position: SourcePosition, fallback: String?
  ) -> String? {
    if let prefix { return isKnownSocket(prefix, at: position) ? prefix : nil }
    if let fallback { return fallback }
    guard outline.usesDefaultSocket else {
      let example = outline.sockets.first { $0 != "socket" } ?? "socket"
      report(
        .unclearTarget, at: position, "no step of this scenario uses the socket `socket`, which is meant here",
        help: "put the socket's name in front, such as `\(example).`")
      return nil
    }
    usedSockets.insert("socket")
    return "socket"
  }

  /// The name of a point that some lane reaches; it counts as awaited.
  mutating func awaitedPoint(_ node: YAMLNode, of what: String) -> String? {
    guard let name = text(node, of: what) else { return nil }
    guard outline.hasPoint(name) else {
      let names = outline.points.map(\.name)
      let guess = guess(for: name, among: names + CallbackKind.allCases.map(\.rawValue))
      report(
        .unknownPoint, at: node.position, "no step reaches the point `\(name.shortened)`",
        help: (guess.map { "did you mean `\($0)`? otherwise " } ?? "") + "add `reach: NAME` to another lane")
      return nil
    }
    awaited.insert(name)
    return name
  }

  /// Points that no lane waits for.
  mutating func checkPoints() {
    for point in outline.points where !awaited.contains(point.name) {
      report(
        .unawaitedPoint, at: point.position, "nothing waits for the point `\(point.name)`",
        help: "remove it, or wait for it with `after: \(point.name)`")
    }
  }
}
