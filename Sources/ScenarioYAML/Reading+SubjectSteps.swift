import ScenarioModel

/// Where subject steps stand.
enum StepPlace {
  /// A lane; its steps call this socket unless they name another.
  case lane(socket: String)
  /// A reaction to a callback of this kind; nil: the reaction has no socket of its own.
  case reaction(socket: String?, to: CallbackKind)

  var socket: String? {
    switch self {
    case .lane(let socket): socket
    case .reaction(let socket, _): socket
    }
  }

  /// The callback that the steps react to; nil in a lane.
  var kind: CallbackKind? {
    if case .reaction(_, let kind) = self { kind } else { nil }
  }
}

extension Reading {
  mutating func subjectSteps(_ node: YAMLNode, of what: String, in place: StepPlace) -> [LocatedStep] {
    guard let items = list(node, of: what) else { return [] }
    var steps: [LocatedStep] = []
    for item in items where !log.isFull {
      if let step = rawStep(item) { steps += subjectStep(step, in: place) }
    }
    return steps
  }

  private mutating func subjectStep(_ raw: RawStep, in place: StepPlace) -> [LocatedStep] {
    let name = PrefixedWord(raw.word)
    guard let word = subjectWord(name.word, at: raw.position) else { return [] }
    if word.isOnSocket {
      guard let socket = socket(prefix: name.socket, at: raw.position, fallback: place.socket) else { return [] }
      return socketStep(word, raw, socket: socket)
    }
    if let prefix = name.socket {
      report(
        .misplacedPrefix, at: raw.position,
        "`\(word.rawValue)` is not a call on a socket, so `\(prefix.shortened).` does not fit",
        help: word == .after ? "put the socket in front of the callback: `after: \(prefix).didConnect`" : nil)
      return []
    }
    guard isInPlace(word, at: raw.position, place), let value = value(of: raw, example: word.example) else { return [] }
    return laneStep(word, value, in: place).map { [LocatedStep($0, at: raw.position)] } ?? []
  }

  private mutating func subjectWord(_ word: String, at position: SourcePosition) -> SubjectWord? {
    if let known = SubjectWord(rawValue: word) { return known }
    if PeerWord(rawValue: word) != nil {
      report(
        .unknownStep, at: position, "`\(word)` is a step of a peer, not of a subject",
        help: word == "send"
          ? "a subject sends with `write`" : word == "expect" ? "a subject receives with `read`" : nil)
    } else if CallbackKind(rawValue: word) != nil {
      report(
        .unknownStep, at: position, "`\(word)` is a callback, not a step",
        help: "callbacks belong under `expect`; to wait for one write `after: \(word)`")
    } else {
      let words = SubjectWord.allCases.map(\.rawValue)
      reportUnknown(.unknownStep, word, at: position, what: "a step of a subject", among: words)
    }
    return nil
  }

  /// Waiting belongs into lanes, answering into reactions.
  private mutating func isInPlace(_ word: SubjectWord, at position: SourcePosition, _ place: StepPlace) -> Bool {
    switch (word, place) {
    case (.hold, .lane), (.answer, .lane):
      report(
        .misplacedStep, at: position, "`\(word.rawValue)` belongs into a reaction: a lane is not inside a callback",
        help: "move it to `reactions: [{ when: CALLBACK, do: [\(word.rawValue): …] }]`")
      return false
    case (.wait, .reaction), (.after, .reaction):
      report(
        .misplacedStep, at: position, "a reaction cannot wait: it runs inside a callback",
        help: "`hold: 300ms` keeps the callback busy; to act later, let a lane do it `after: CALLBACK`")
      return false
    case (.answer, .reaction(_, let kind)) where !Self.questions.contains(kind):
      report(
        .misplacedStep, at: position, "`\(kind.rawValue)` asks for no answer",
        help: "only \(Self.questions.map(\.rawValue).joined(separator: ", ")) do")
      return false
    default: return true
    }
  }

  /// The callbacks that return something to the subject.
  private static let questions: [CallbackKind] = [.shouldTimeoutRead, .shouldTimeoutWrite, .willConnect, .wantsRunLoop]

  /// A step that is no call on a socket.
  private mutating func laneStep(_ word: SubjectWord, _ value: YAMLNode, in place: StepPlace) -> SubjectStep? {
    switch word {
    case .wait: return positiveDuration(value, of: "`wait`").map(SubjectStep.wait)
    case .hold: return positiveDuration(value, of: "`hold`").map(SubjectStep.hold)
    case .answer: return decision(value, to: place.kind ?? .shouldTimeoutRead)
    case .after: return syncPoint(value, fallback: place.socket).map(SubjectStep.after)
    case .reach: return reachedPoint(value).map(SubjectStep.reach)
    default:
      guard let (times, steps) = repetition(value) else { return nil }
      repetitions *= times
      defer { repetitions /= times }
      return .repeated(times: times, steps: subjectSteps(steps, of: "`steps`", in: place))
    }
  }

  /// A duration that is not zero.
  mutating func positiveDuration(_ node: YAMLNode, of what: String) -> Duration? {
    guard let duration = duration(node, of: what) else { return nil }
    if duration > .zero { return duration }
    report(.zeroDuration, at: node.position, "\(what) of no time at all says nothing", help: "for example `50ms`")
    return nil
  }

  /// A call on a socket, or a check of it.
  private mutating func socketStep(_ word: SubjectWord, _ raw: RawStep, socket: String) -> [LocatedStep] {
    if word == .check {
      guard let value = value(of: raw, example: word.example), let checks = checks(value) else { return [] }
      return [LocatedStep(.check(checks, socket: socket), at: raw.position)]
    }
    return commands(word, raw, socket: socket).map { command in
      LocatedStep(.command(command.command, socket: socket, refusal: command.refusal), at: command.position)
    }
  }

  /// The commands of a `perform` list.
  mutating func performed(_ node: YAMLNode, socket: String) -> [SubjectCommand]? {
    guard let items = list(node, of: "`perform`") else { return nil }
    let faults = log.errorCount
    var commands: [SubjectCommand] = []
    for item in items {
      guard let raw = rawStep(item) else { continue }
      let name = PrefixedWord(raw.word)
      guard let word = subjectWord(name.word, at: raw.position) else { continue }
      guard word.isOnSocket, word != .check, word != .release else {
        report(
          .misplacedStep, at: raw.position, "`\(word.rawValue)` cannot stand inside `perform`",
          help: "only calls on the socket can")
        continue
      }
      if let prefix = name.socket, prefix != socket {
        report(
          .misplacedPrefix, at: raw.position, "a `perform` of `\(socket)` cannot call `\(prefix.shortened)`",
          help: "leave the prefix out")
        continue
      }
      for command in self.commands(word, raw, socket: socket) {
        if command.refusal != nil {
          report(
            .cannotRefuse, at: command.position, "`error` cannot be given inside `perform`",
            help: "check the outcome afterwards")
        } else {
          commands.append(command.command)
        }
      }
    }
    return log.errorCount == faults ? commands : nil
  }
}
