import ScenarioModel

/// A command with what it is expected to be refused with.
struct ReadCommandStep {
  var command: SubjectCommand
  var refusal: ErrorPattern?
  var position: SourcePosition
}

extension Reading {
  /// The commands of one step: one, but for `set` with several keys.
  mutating func commands(_ word: SubjectWord, _ raw: RawStep, socket: String) -> [ReadCommandStep] {
    if word == .set {
      guard let value = value(of: raw, example: word.example) else { return [] }
      return settings(value).map { ReadCommandStep(command: .set($0.value), refusal: nil, position: $0.position) }
    }
    if word.standsAlone, !hasNoDanglingColon(raw, example: word.example) { return [] }
    if word.isBare {
      guard takesNothing(raw) else { return [] }
      return Self.bareCommand(word).map { [ReadCommandStep(command: $0, refusal: nil, position: raw.position)] } ?? []
    }
    let read: (SubjectCommand, ErrorPattern?)? =
      switch word {
      case .connect: connect(raw)
      case .listen: listen(raw)
      case .startTLS: startTLS(raw)
      case .trust: trust(raw).map { ($0, nil) }
      case .moveToRunLoop, .setRunLoopModes, .addRunLoopMode, .removeRunLoopMode, .runMode:
        runLoopCommand(word, raw).map { (.runLoop($0), nil) }
      case .read: self.read(raw).map { (.read($0), nil) }
      case .write: write(raw).map { (.write($0), nil) }
      case .perform:
        value(of: raw, example: word.example).flatMap { performed($0, socket: socket) }
          .map { (.perform($0), nil) }
      default: delegate(word, raw).map { ($0, nil) }
      }
    return read.map { [ReadCommandStep(command: $0.0, refusal: $0.1, position: raw.position)] } ?? []
  }

  private static func bareCommand(_ word: SubjectWord) -> SubjectCommand? {
    switch word {
    case .disconnect: .disconnect
    case .disconnectAfterReading: .disconnectAfterReading
    case .disconnectAfterWriting: .disconnectAfterWriting
    case .disconnectAfterReadingAndWriting: .disconnectAfterReadingAndWriting
    case .blockDelegateQueue: .blockDelegateQueue
    case .unblockDelegateQueue: .unblockDelegateQueue
    case .exhaustDescriptors: .exhaustDescriptors
    case .freeDescriptors: .freeDescriptors
    case .enablePrebuffering: .runLoop(RunLoopCommand(.enablePrebuffering))
    case .release: .release
    default: nil
    }
  }

  private mutating func takesNothing(_ raw: RawStep) -> Bool {
    guard let value = raw.value else { return true }
    if let entries = value.entries {
      guard let entry = entries.first else { return true }
      if entry.key == "error" {
        reportCannotRefuse(raw.word, at: entry.position)
      } else {
        report(
          .unknownKey, at: entry.position, "`\(raw.word)` has no key `\(entry.key.shortened)`", help: "it has no keys")
      }
    } else {
      report(.wrongType, at: value.position, "`\(raw.word)` takes no value", help: "write `- \(raw.word)`")
    }
    return false
  }

  private mutating func reportCannotRefuse(_ word: String, at position: SourcePosition) {
    report(
      .cannotRefuse, at: position, "`\(word)` never refuses, so it cannot have an `error`",
      help: "what it leads to shows in callbacks: write an expectation, or a `check`")
  }

  /// The `error` a call must be refused with. A refusal by no error is none.
  mutating func refusal(_ fields: Fields) -> (isGood: Bool, pattern: ErrorPattern?) {
    guard let node = fields["error"] else { return (true, nil) }
    guard let pattern = errorPattern(node) else { return (false, nil) }
    if case .oneOf(let names) = pattern, !names.contains(.none) { return (true, pattern) }
    if pattern == .any { return (true, pattern) }
    report(
      .cannotRefuse, at: node.position, "a call that is refused is refused with an error, not with none",
      help: "leave `error` out if the call must succeed")
    return (false, nil)
  }

  private mutating func delegate(_ word: SubjectWord, _ raw: RawStep) -> SubjectCommand? {
    guard let value = value(of: raw, example: word.example) else { return nil }
    let isQueue = word == .delegateQueue
    if value.word == "none" { return isQueue ? .setDelegateQueue(nil) : .setDelegate(nil) }
    guard let name = name(value, of: isQueue ? "a queue's name" : "a delegate's name") else { return nil }
    return isQueue ? .setDelegateQueue(name) : .setDelegate(name)
  }

  private mutating func connect(_ raw: RawStep) -> (SubjectCommand, ErrorPattern?)? {
    guard let value = raw.value else {
      return onlyPeer(at: raw.position).map { (.connect(ConnectCommand(target: .peer($0))), nil) }
    }
    guard value.entries != nil else {
      return listeningPeer(value).map { (.connect(ConnectCommand(target: .peer($0))), nil) }
    }
    let keys = ["peer", "host", "port", "address", "path", "timeout", "via", "error"]
    guard let fields = fields(value, of: "`connect`", allowed: keys) else { return nil }
    let faults = log.errorCount
    let target = connectTarget(fields, at: raw.position)
    var command = target.map { ConnectCommand(target: $0) }
    if let node = fields["timeout"], let timeout = timeout(node, of: "`timeout`") { command?.timeout = timeout }
    if let node = fields["via"] {
      command?.interface = text(node, of: "`via`")
      if let interface = command?.interface { usedHosts.insert(interface) }
    }
    let refusal = refusal(fields).pattern
    guard let command, log.errorCount == faults else { return nil }
    return (.connect(command), refusal)
  }

  private mutating func connectTarget(_ fields: Fields, at position: SourcePosition) -> ConnectCommand.Target? {
    let targets = fields.present(["peer", "host", "address", "path"])
    if targets.count > 1 {
      report(
        .conflictingKeys, at: targets[1].position,
        "`connect` goes to `\(targets[0].key)` or `\(targets[1].key)`, not to both")
      return nil
    }
    if let port = fields.entry("port"), fields["host"] == nil {
      report(.conflictingKeys, at: port.position, "`port` belongs to `host`", help: "write `{ host: \"…\", port: … }`")
      return nil
    }
    guard let target = targets.first else { return onlyPeer(at: position).map(ConnectCommand.Target.peer) }
    switch target.key {
    case "peer": return listeningPeer(target.value).map(ConnectCommand.Target.peer)
    case "address":
      return text(target.value, of: "`address`").flatMap { text in
        if let bytes = HexText.bytes(text) { return .address(bytes) }
        report(
          .badPayload, at: target.value.position, "`address` is a raw address in hexadecimal digits",
          help: "two digits make one byte; \"\" is an empty one")
        return nil
      }
    case "path": return text(target.value, of: "`path`").map(ConnectCommand.Target.path)
    default:
      let port = required("port", in: fields, of: "a `connect` with `host`").flatMap { self.port($0, of: "`port`") }
      guard let host = text(target.value, of: "`host`"), let port else { return nil }
      checkHost(host, at: target.value.position)
      return .host(host, port: port)
    }
  }

  /// A number, the name of a peer, `{ peer: NAME }` or `{ listener: NAME }`.
  mutating func port(_ node: YAMLNode, of what: String) -> PortReference? {
    if node.entries != nil {
      let help = "write `{ peer: NAME }` or `{ listener: NAME }`"
      guard let fields = fields(node, of: what, allowed: ["peer", "listener"], help: help) else { return nil }
      if let node = fields["peer"], fields.entries.count == 1 { return peer(node, of: what).map(PortReference.peer) }
      if let node = fields["listener"], fields.entries.count == 1 {
        return socket(node, of: what).map(PortReference.listener)
      }
      report(.missingKey, at: node.position, "\(what) names a peer or a listener", help: help)
      return nil
    }
    if let word = node.word, word.utf8.first.map({ !(0x30...0x39).contains($0) && $0 != 0x2D }) ?? false {
      return peer(node, of: what).map(PortReference.peer)
    }
    return number(node, of: what, in: 0...65_535).map { .number(UInt16(clamping: $0)) }
  }

  /// The first peer that listens.
  private mutating func onlyPeer(at position: SourcePosition) -> String? {
    if let peer = outline.peers.first(where: \.listens) {
      usedPeers.insert(peer.name)
      return peer.name
    }
    report(
      .unclearTarget, at: position, "there is no peer to connect to",
      help: outline.peers.isEmpty
        ? "add a `peer` lane that begins with `accept`, or name a `host` and a `port`"
        : "all peers connect themselves; name a `host` and a `port`")
    return nil
  }

  private mutating func listeningPeer(_ node: YAMLNode) -> String? {
    guard let name = peer(node, of: "the target") else { return nil }
    if outline.peers.contains(where: { $0.name == name && $0.listens }) { return name }
    report(
      .unclearTarget, at: node.position, "the peer `\(name)` does not listen: its lane begins with `connect`",
      help: "let the lane begin with `accept`")
    return nil
  }

  private mutating func listen(_ raw: RawStep) -> (SubjectCommand, ErrorPattern?)? {
    guard let value = raw.value else { return (.listen(ListenCommand(place: .anywhere(port: .free))), nil) }
    let keys = ["interface", "port", "path", "error"]
    guard let fields = fields(value, of: "`listen`", allowed: keys) else { return nil }
    let faults = log.errorCount
    var place: ListenCommand.Place?
    if let path = fields.entry("path") {
      if let other = fields.present(["interface", "port"]).first {
        report(.conflictingKeys, at: other.position, "`path` and `\(other.key)` exclude each other")
      }
      if let text = text(path.value, of: "`path`") {
        checkListenerPath(text, at: path.value.position)
        place = .path(text)
      }
    } else {
      let port = fields["port"].map { listenPort($0) } ?? .free
      let interface = fields["interface"].map { text($0, of: "`interface`") }
      if let host = interface ?? nil { usedHosts.insert(host) }
      place = port.map { port in (interface ?? nil).map { .interface($0, port: port) } ?? .anywhere(port: port) }
    }
    let refusal = refusal(fields).pattern
    guard let place, log.errorCount == faults else { return nil }
    return (.listen(ListenCommand(place: place)), refusal)
  }

  /// A listener makes a file and removes the one in its place, so it has to stay in the case's own folder. An absolute
  /// path that is longer than an address can hold makes no file.
  private mutating func checkListenerPath(_ path: String, at position: SourcePosition) {
    let isElsewhere = path.hasPrefix("/") && path.utf8.count <= 107
    guard isElsewhere || path.split(separator: "/").contains(where: { $0 == ".." }) else { return }
    report(
      .badName, at: position, "`\(path.shortened)` leads out of the case's own folder",
      help: "write a path without `..` that does not begin with `/`, such as \"x.sock\"")
  }

  private mutating func listenPort(_ node: YAMLNode) -> ListenCommand.ListenPort? {
    if node.word == "free" { return .free }
    guard node.entries != nil else {
      return number(node, of: "`port`", in: 0...65_535).map { .number(UInt16(clamping: $0)) }
    }
    guard let fields = fields(node, of: "`port`", allowed: ["of"], help: "write a number, `free` or `{ of: NAME }`"),
      let of = required("of", in: fields, of: "`port`"), let name = text(of, of: "`of`")
    else { return nil }
    if outline.hasPeer(name) || outline.hasSocket(name) {
      usedPeers.insert(name)
      usedSockets.insert(name)
      return .of(name)
    }
    let names = outline.peerNames + outline.sockets
    reportUnknown(.unknownSocket, name, at: of.position, what: "a peer or a socket of this scenario", among: names)
    return nil
  }
}
