import ScenarioModel

/// What subject and peer steps have in common.
extension Reading {
  /// A step as written: a word, or a mapping with one key.
  struct RawStep {
    var word: String
    var position: SourcePosition
    /// nil if the word stands alone.
    var value: YAMLNode?
  }

  mutating func rawStep(_ node: YAMLNode) -> RawStep? {
    if let word = node.word { return RawStep(word: word, position: node.position, value: nil) }
    guard let entries = node.entries, let entry = entries.first else {
      reportShape(
        node, of: "a step", expected: "a word or a mapping with one key", help: "for example `- connect`")
      return nil
    }
    if entries.count > 1 {
      report(
        .wrongType, at: entries[1].position, "a step is one key, but `\(entries[1].key.shortened)` is a second one",
        help: "begin it with its own `- `, or indent it below `\(entry.key.shortened)`")
      return nil
    }
    return RawStep(word: entry.key, position: entry.position, value: entry.value)
  }

  /// The value of a step that needs one.
  mutating func value(of step: RawStep, example: String) -> YAMLNode? {
    if let value = step.value, !value.isEmpty { return value }
    report(.emptyValue, at: step.position, "`\(step.word)` needs a value", help: "write \(example)")
    return nil
  }

  /// Checks a step whose word may stand alone: a colon must not be followed by nothing.
  mutating func hasNoDanglingColon(_ step: RawStep, example: String) -> Bool {
    guard let value = step.value, value.isEmpty else { return true }
    report(
      .emptyValue, at: step.position, "`\(step.word)` has a colon but nothing behind it", help: "write \(example)")
    return false
  }

  /// A callback or a point to wait for. `fallback` is the socket that a callback without prefix belongs to.
  mutating func syncPoint(_ node: YAMLNode, fallback: String?) -> SyncPoint? {
    if let entries = node.entries { return syncPointOfCallback(entries, node, fallback: fallback) }
    guard let word = text(node, of: "`after`") else { return nil }
    let name = PrefixedWord(word)
    guard name.socket != nil || CallbackKind(rawValue: name.word) != nil else {
      return awaitedPoint(node, of: "`after`").map(SyncPoint.point)
    }
    guard let callback = callback(word, at: node.position, value: nil),
      let socket = socket(prefix: callback.prefix, at: node.position, fallback: fallback)
    else { return nil }
    return .callback(CallbackPattern(kind: callback.kind), socket: socket, occurrence: 1)
  }

  private mutating func syncPointOfCallback(_ entries: [YAMLEntry], _ node: YAMLNode, fallback: String?) -> SyncPoint? {
    let events = entries.filter { $0.key != "occurrence" }
    guard let event = events.first, events.count == 1 else {
      report(
        .wrongType, at: events.dropFirst().first?.position ?? node.position, "`after` waits for one callback",
        help: "write `after: { didRead: { tag: 1 }, occurrence: 2 }`")
      return nil
    }
    var occurrence: Int? = 1
    if let entry = entries.first(where: { $0.key == "occurrence" }) {
      occurrence = times(entry.value, of: "`occurrence`")
    }
    guard let callback = callback(event.key, at: event.position, value: event.value) else { return nil }
    let socket = socket(prefix: callback.prefix, at: event.position, fallback: fallback)
    guard let pattern = pattern(callback)?.0, let socket, let occurrence else { return nil }
    return .callback(pattern, socket: socket, occurrence: occurrence)
  }

  /// The name of a point to reach. A bad one needs no second remark that nothing waits for it.
  mutating func reachedPoint(_ node: YAMLNode) -> String? {
    let point = name(node, of: "a point's name")
    if point == nil, let word = node.word { awaited.insert(word) }
    return point
  }

  /// The parts of a `repeat` step: how often, and the list of steps.
  mutating func repetition(_ node: YAMLNode) -> (times: Int, steps: YAMLNode)? {
    let help = "write `repeat: { times: 3, steps: [...] }`"
    guard let fields = fields(node, of: "`repeat`", allowed: ["times", "steps"], help: help) else { return nil }
    let times = required("times", in: fields, of: "`repeat`", help: help).flatMap { self.times($0, of: "`times`") }
    let steps = required("steps", in: fields, of: "`repeat`", help: help)
    guard let times, let steps else { return nil }
    guard repetitions * times <= Self.maxRepetitions else {
      report(
        .tooMany, at: node.position, "the steps inside would run more than \(Self.maxRepetitions) times")
      return nil
    }
    return (times, steps)
  }

  /// Nested repetitions may not multiply to more.
  private static let maxRepetitions = 1_000_000
}
