import ScenarioModel

/// What only the run-loop class has: its calls, and what a delegate returns to it.
extension Reading {
  /// `moveToRunLoop`, `setRunLoopModes`, `addRunLoopMode`, `removeRunLoopMode` and `runMode`.
  mutating func runLoopCommand(_ word: SubjectWord, _ raw: RawStep) -> RunLoopCommand? {
    guard let value = value(of: raw, example: word.example) else { return nil }
    if word == .runMode { return runMode(value) }
    let key = word == .moveToRunLoop ? "to" : word == .setRunLoopModes ? "modes" : "mode"
    guard value.entries != nil else { return runLoopCall(word, value).map { RunLoopCommand($0, returns: true) } }
    let what = "`\(word.rawValue)`"
    guard let fields = fields(value, of: what, allowed: [key, "returns"], help: "write \(word.example)"),
      let argument = required(key, in: fields, of: what, help: "write \(word.example)")
    else { return nil }
    let returns = fields["returns"].map { flag($0, of: "`returns`") } ?? true
    guard let call = runLoopCall(word, argument), let returns else { return nil }
    return RunLoopCommand(call, returns: returns)
  }

  private mutating func runLoopCall(_ word: SubjectWord, _ node: YAMLNode) -> RunLoopCommand.Call? {
    switch word {
    case .moveToRunLoop: nameOrNone(node, of: Self.loopName).map { .move(to: $0.name) }
    case .addRunLoopMode: nameOrNone(node, of: Self.modeName).map { .addMode($0.name) }
    case .removeRunLoopMode: nameOrNone(node, of: Self.modeName).map { .removeMode($0.name) }
    default: modes(node, mayBeEmpty: true).map { .setModes($0) }
    }
  }

  static let loopName = "a run loop's name"
  static let modeName = "a run-loop mode's name"

  private mutating func runMode(_ node: YAMLNode) -> RunLoopCommand? {
    let help = "write \(SubjectWord.runMode.example)"
    guard let fields = fields(node, of: "`runMode`", allowed: ["mode", "for"], help: help),
      let mode = required("mode", in: fields, of: "`runMode`", help: help),
      let span = required("for", in: fields, of: "`runMode`", help: help),
      let name = name(mode, of: Self.modeName), let duration = positiveDuration(span, of: "`for`")
    else { return nil }
    return RunLoopCommand(.run(mode: name, duration: duration))
  }

  /// A name, or `none` where nothing is passed.
  private mutating func nameOrNone(_ node: YAMLNode, of what: String) -> (name: String?, Void)? {
    if node.word == "none" { return (nil, ()) }
    return name(node, of: what).map { ($0, ()) }
  }

  /// A list of run-loop modes, each once.
  mutating func modes(_ node: YAMLNode, mayBeEmpty: Bool) -> [String]? {
    if mayBeEmpty, node.items?.isEmpty == true { return [] }
    guard let items = list(node, of: "the list of modes", help: "write `[default, private]`") else { return nil }
    var modes: [String] = []
    for item in items {
      guard let mode = name(item, of: Self.modeName) else { return nil }
      guard !modes.contains(mode) else {
        report(.duplicateName, at: item.position, "`\(mode)` stands twice in this list")
        return nil
      }
      modes.append(mode)
    }
    return modes
  }

  /// What `answer` says in a reaction to this callback.
  mutating func decision(_ node: YAMLNode, to kind: CallbackKind) -> SubjectStep? {
    switch kind {
    case .willConnect: return flag(node, of: "`answer`").map { .decide(.connect($0)) }
    case .wantsRunLoop:
      let help = "write `answer: { runLoop: worker }`"
      guard let fields = fields(node, of: "`answer`", allowed: ["runLoop"], help: help),
        let loop = required("runLoop", in: fields, of: "`answer`", help: help)
      else { return nil }
      return nameOrNone(loop, of: Self.loopName).map { .decide(.runLoop($0.name)) }
    default: return timeout(node, of: "`answer`").map(SubjectStep.answer)
    }
  }
}
