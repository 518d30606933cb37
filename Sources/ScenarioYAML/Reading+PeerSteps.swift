import ScenarioModel

extension Reading {
  /// The steps of a peer's lane or of a `repeat` in it. An empty lane is fine: a peer that listens and does nothing.
  mutating func peerSteps(_ node: YAMLNode, of what: String, mayBeEmpty: Bool = false) -> [Located<PeerStep>] {
    if mayBeEmpty, node.items?.isEmpty == true { return [] }
    guard let items = list(node, of: what) else { return [] }
    var steps: [Located<PeerStep>] = []
    for item in items where !log.isFull {
      guard let raw = rawStep(item), let word = peerWord(raw), let step = peerStep(word, raw) else { continue }
      steps.append(Located(step, at: raw.position))
    }
    return steps
  }

  private mutating func peerWord(_ raw: RawStep) -> PeerWord? {
    if let word = PeerWord(rawValue: raw.word) { return word }
    let name = PrefixedWord(raw.word)
    if name.socket != nil, PeerWord(rawValue: name.word) != nil {
      report(
        .misplacedPrefix, at: raw.position, "a peer's step has no socket in front of it", help: "write `\(name.word)`")
    } else if SubjectWord(rawValue: name.word) != nil {
      let hints = ["write": "a peer sends with `send`", "read": "a peer receives with `expect`"]
      let closing = "a peer ends with `finish`, `close` or `reset`"
      report(
        .unknownStep, at: raw.position, "`\(name.word)` is a step of a subject, not of a peer",
        help: hints[name.word] ?? (name.word.hasPrefix("disconnect") ? closing : nil))
    } else {
      let words = PeerWord.allCases.map(\.rawValue)
      reportUnknown(.unknownStep, raw.word, at: raw.position, what: "a step of a peer", among: words)
    }
    return nil
  }

  private mutating func peerStep(_ word: PeerWord, _ raw: RawStep) -> PeerStep? {
    if word.standsAlone {
      guard hasNoDanglingColon(raw, example: word.example) else { return nil }
      if raw.value == nil { return aloneStep(word, at: raw.position) }
      if word.isBare, let value = raw.value {
        report(.wrongType, at: value.position, "`\(raw.word)` takes no value", help: "write `- \(raw.word)`")
        return nil
      }
    }
    guard let value = value(of: raw, example: word.example) else { return nil }
    switch word {
    case .connect: return listeningSocket(value).map(PeerStep.connect)
    case .send: return payload(value, of: "`send`").map(PeerStep.send)
    case .sendUrgent: return number(value, of: "`sendUrgent`", in: 0...255).map { .sendUrgent(UInt8(clamping: $0)) }
    case .drip: return drip(value)
    case .expect: return expectedBytes(value)
    case .expectEnd: return choice(value, of: "a way to end", as: StreamEnd.self).map(PeerStep.expectEnd)
    case .expectSilence: return positiveDuration(value, of: "`expectSilence`").map(PeerStep.expectSilence)
    case .echo: return echo(value)
    case .drain: return drain(value)
    case .tls: return peerTLS(value)
    case .expectTLS: return expectTLS(value)
    case .expectAlert: return alertPattern(value, of: "`expectAlert`").map(PeerStep.expectAlert)
    case .keyUpdate: return keyUpdate(value)
    case .tickets: return tickets(value)
    case .alert: return alert(value)
    case .record: return record(value)
    case .raw: return payload(value, of: "`raw`").map(PeerStep.raw)
    case .wait: return positiveDuration(value, of: "`wait`").map(PeerStep.wait)
    case .after: return syncPoint(value, fallback: nil).map(PeerStep.after)
    case .reach: return reachedPoint(value).map(PeerStep.reach)
    default:
      guard let (times, steps) = repetition(value) else { return nil }
      repetitions *= times
      defer { repetitions /= times }
      return .repeated(times: times, steps: peerSteps(steps, of: "`steps`"))
    }
  }

  private mutating func aloneStep(_ word: PeerWord, at position: SourcePosition) -> PeerStep? {
    switch word {
    case .accept: .accept
    case .refuse: .refuse
    case .blackhole: .blackhole
    case .connect: onlyListener(at: position).map(PeerStep.connect)
    case .echo: .echo(count: nil)
    case .finish: .finish
    case .close: .close
    case .reset: .reset
    case .shutdownRead: .shutdownRead
    case .stall: .stall
    case .drain: .drain(chunk: nil, every: nil)
    case .tls: .tls(PeerTLS())
    case .keyUpdate: .keyUpdate(requested: false)
    case .closeNotify: .closeNotify
    case .expectKeyUpdate: .expectKeyUpdate
    case .truncate: .truncate
    case .stopListening: .stopListening
    case .listenAgain: .listenAgain
    default: nil
    }
  }

  /// The one socket that listens.
  private mutating func onlyListener(at position: SourcePosition) -> String? {
    let listeners = outline.listeningSockets
    if let listener = listeners.first, listeners.count == 1 { return listener }
    report(
      .unclearTarget, at: position,
      listeners.isEmpty ? "no socket listens, so there is nothing to connect to" : "several sockets listen",
      help: listeners.isEmpty ? "add a `listen` step to the subject" : "write `connect: \(listeners[0])`")
    return nil
  }

  private mutating func listeningSocket(_ node: YAMLNode) -> String? {
    guard let name = socket(node, of: "the target") else { return nil }
    if outline.listeningSockets.contains(name) { return name }
    report(
      .unclearTarget, at: node.position, "the socket `\(name)` never listens", help: "add `\(name).listen` to a lane")
    return nil
  }

  private mutating func drip(_ node: YAMLNode) -> PeerStep? {
    let help = "write \(PeerWord.drip.example)"
    guard let fields = fields(node, of: "`drip`", allowed: ["bytes", "chunk", "every"], help: help) else { return nil }
    let bytes = required("bytes", in: fields, of: "`drip`", help: help).flatMap { payload($0, of: "`bytes`") }
    let chunk = required("chunk", in: fields, of: "`drip`", help: help)
      .flatMap { size($0, of: "`chunk`", atLeast: 1) }
    let every = required("every", in: fields, of: "`drip`", help: help)
      .flatMap { positiveDuration($0, of: "`every`") }
    guard let bytes, let chunk, let every else { return nil }
    return .drip(bytes, chunk: chunk, every: every)
  }

  private mutating func expectedBytes(_ node: YAMLNode) -> PeerStep? {
    guard let entries = node.entries, entries.contains(where: { $0.key == "length" || $0.key == "hash" }) else {
      guard let bytes = payload(node, of: "`expect`") else { return nil }
      guard bytes.count > 0 else {
        report(
          .emptyValue, at: node.position, "`expect` has no bytes: it would be met by a peer that gets nothing",
          help: "say what must arrive; that nothing does is `expectSilence: 100ms`")
        return nil
      }
      return .expect(bytes)
    }
    guard let fields = fields(node, of: "`expect`", allowed: ["length", "hash"]),
      let length = required("length", in: fields, of: "`expect`").flatMap({ size($0, of: "`length`", atLeast: 1) })
    else { return nil }
    guard let node = fields["hash"] else { return .expectCount(length, hash: nil) }
    return hash(node).map { .expectCount(length, hash: $0) }
  }

  private mutating func echo(_ node: YAMLNode) -> PeerStep? {
    guard let fields = fields(node, of: "`echo`", allowed: ["length"]) else { return nil }
    guard let node = fields["length"] else { return .echo(count: nil) }
    return size(node, of: "`length`", atLeast: 1).map { .echo(count: $0) }
  }

  private mutating func drain(_ node: YAMLNode) -> PeerStep? {
    let help = "write `drain`, or `drain: { chunk: 1KiB, every: 5ms }`"
    guard let fields = fields(node, of: "`drain`", allowed: ["chunk", "every"], help: help) else { return nil }
    let chunk = required("chunk", in: fields, of: "`drain`", help: help)
      .flatMap { size($0, of: "`chunk`", atLeast: 1) }
    let every = required("every", in: fields, of: "`drain`", help: help)
      .flatMap { positiveDuration($0, of: "`every`") }
    guard let chunk, let every else { return nil }
    return .drain(chunk: chunk, every: every)
  }
}
