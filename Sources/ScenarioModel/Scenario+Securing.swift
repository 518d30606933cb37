extension Scenario {
  /// More accepted sockets than this are not secured: their number comes from `repeat` steps.
  private static let maxChildren = 64

  /// The same story told over TLS of one version: every peer shakes hands when it has accepted or connected, the
  /// subject starts TLS behind every `connect` that must succeed, and as a server inside `didAccept` for every accepted
  /// socket. Expectations, windows and endings stay; didSecure, which the story does not mention, is for the runner to
  /// pass.
  ///
  /// Accepted sockets are secured by reactions that name them, because steps name their sockets. A reaction to any
  /// `didAccept` therefore becomes one for each socket that the connects to listeners can bring about; they are
  /// used up together (`Reaction.origin`).
  ///
  /// Where the story has TLS steps of its own, they stay as they are, but that its peers speak this version only.
  package func secured(with version: TLSVersion) -> Scenario {
    var secured = self
    let securing = Securing(version: version)
    guard !hasOwnTLS else {
      for lane in peers.indices { secured.peers[lane].steps = securing.restricted(peers[lane].steps) }
      return secured
    }
    for lane in secured.peers.indices { secured.peers[lane].steps = securing.steps(peers[lane].steps) }
    for lane in secured.subjects.indices { secured.subjects[lane].steps = securing.steps(subjects[lane].steps) }
    let ownSteps = subjects.flatMap(\.steps) + reactions.flatMap(\.steps)
    let children = min(peers.reduce(Self.connects(ownSteps)) { $0 + Self.connects($1.steps) }, Self.maxChildren)
    secured.reactions = securing.reactions(reactions, children: children, listeners: listeners)
    return secured
  }

  /// The sockets that are told to listen.
  private var listeners: Set<String> {
    Set((subjects.flatMap(\.steps) + reactions.flatMap(\.steps)).flatMap(Self.listening))
  }

  private static func listening(_ step: LocatedStep) -> [String] {
    switch step.step {
    case .command(.listen, let socket, nil): [socket]
    case .command(.perform(let commands), let socket, nil):
      commands.contains { if case .listen = $0 { true } else { false } } ? [socket] : []
    case .repeated(_, let inner): inner.flatMap(listening)
    default: []
    }
  }

  /// Whether a step starts TLS: a peer's `tls`, or the subject's `startTLS`.
  package var hasOwnTLS: Bool {
    peers.contains { Self.startsTLS($0.steps) } || subjects.contains { Self.startsTLS($0.steps) }
      || reactions.contains { Self.startsTLS($0.steps) }
  }

  private static func startsTLS(_ steps: [Located<PeerStep>]) -> Bool {
    steps.contains { step in
      switch step.value {
      case .tls: true
      case .repeated(_, let inner): startsTLS(inner)
      default: false
      }
    }
  }

  private static func startsTLS(_ steps: [LocatedStep]) -> Bool {
    steps.contains { step in
      switch step.step {
      case .command(let command, _, _): command.startsTLS
      case .repeated(_, let inner): startsTLS(inner)
      default: false
      }
    }
  }

  /// Connects of the subject's to a listener of its own.
  private static func connects(_ steps: [LocatedStep]) -> Int {
    steps.reduce(0) { sum, step in
      switch step.step {
      case .command(.connect(let connect), _, nil): min(sum + (connect.isToListener ? 1 : 0), maxChildren)
      case .command(.perform(let commands), _, nil):
        commands.reduce(sum) { sum, command in
          if case .connect(let connect) = command, connect.isToListener { min(sum + 1, maxChildren) } else { sum }
        }
      case .repeated(let times, let inner): min(sum + min(times, maxChildren) * connects(inner), maxChildren)
      default: sum
      }
    }
  }

  private static func connects(_ steps: [Located<PeerStep>]) -> Int {
    steps.reduce(0) { sum, step in
      switch step.value {
      case .connect: min(sum + 1, maxChildren)
      case .repeated(let times, let inner): min(sum + min(times, maxChildren) * connects(inner), maxChildren)
      default: sum
      }
    }
  }
}

/// Puts the steps of TLS where a scenario's connections begin.
private struct Securing {
  let version: TLSVersion

  func steps(_ steps: [Located<PeerStep>]) -> [Located<PeerStep>] {
    steps.flatMap { step -> [Located<PeerStep>] in
      switch step.value {
      case .accept, .connect:
        var tls = PeerTLS()
        (tls.minimumVersion, tls.maximumVersion) = (version, version)
        return [step, Located(.tls(tls), at: step.position)]
      case .repeated(let times, let inner):
        return [Located(.repeated(times: times, steps: self.steps(inner)), at: step.position)]
      default: return [step]
      }
    }
  }

  /// The steps with this version in every handshake.
  func restricted(_ steps: [Located<PeerStep>]) -> [Located<PeerStep>] {
    steps.map { step in
      switch step.value {
      case .tls(var tls):
        (tls.minimumVersion, tls.maximumVersion) = (version, version)
        return Located(.tls(tls), at: step.position)
      case .repeated(let times, let inner):
        return Located(.repeated(times: times, steps: restricted(inner)), at: step.position)
      default: return step
      }
    }
  }

  func steps(_ steps: [LocatedStep]) -> [LocatedStep] {
    steps.flatMap { step -> [LocatedStep] in
      switch step.step {
      case .command(let connect, let socket, nil) where connect.isConnect:
        return [LocatedStep(.command(.perform([connect, client]), socket: socket, refusal: nil), at: step.position)]
      case .after(.callback(let pattern, _, let occurrence)) where pattern.kind == .didAccept:
        let child = pattern.child ?? ChildName.first(occurrence).last ?? "child"
        return [step, LocatedStep(.after(.point(Self.point(child))), at: step.position)]
      case .command(.perform(let commands), let socket, let refusal):
        let secured = commands.flatMap { command -> [SubjectCommand] in
          command.isConnect ? [command, client] : [command]
        }
        return [LocatedStep(.command(.perform(secured), socket: socket, refusal: refusal), at: step.position)]
      case .repeated(let times, let inner):
        return [LocatedStep(.repeated(times: times, steps: self.steps(inner)), at: step.position)]
      default: return [step]
      }
    }
  }

  /// Each accepted socket gets the reaction that it would have had. Where reactions tell several listeners apart it is
  /// not known whose it will be, and each reaction is there for all of them.
  func reactions(_ reactions: [Reaction], children: Int, listeners: Set<String>) -> [Reaction] {
    let secured = reactions.enumerated().map { index, reaction in
      var reaction = reaction
      reaction.steps = steps(reaction.steps)
      reaction.origin = index
      return reaction
    }
    let accepting = secured.filter { $0.pattern.kind == .didAccept }
    let names = ChildName.first(children)
    let own =
      listeners.count <= 1 || accepting.allSatisfy { $0.socket == nil }
      ? assigned(accepting, of: listeners.first, to: names)
      : accepting.flatMap { reaction in
        (reaction.pattern.child.map { [$0] } ?? names).map { copy(of: reaction, for: $0) }
      }
    let nowhere = SourcePosition(line: 1, column: 1)
    let others = names.map { child in
      copy(
        of: Reaction(
          pattern: CallbackPattern(kind: .didAccept), socket: nil, times: nil, isOptional: true, steps: [],
          position: nowhere), for: child)
    }
    return secured.filter { $0.pattern.kind != .didAccept } + own + others
  }

  /// The reactions to these sockets, which the listener accepts in this order, and then what is left for others.
  private func assigned(_ reactions: [Reaction], of listener: String?, to names: [String]) -> [Reaction] {
    var left = reactions.map(\.times)
    let copies = names.compactMap { child -> Reaction? in
      let index = reactions.indices.first { index in
        left[index] != 0 && [nil, child].contains(reactions[index].pattern.child)
          && (listener == nil || [nil, listener].contains(reactions[index].socket))
      }
      guard let index else { return nil }
      left[index] = left[index].map { $0 - 1 }
      return copy(of: reactions[index], for: child)
    }
    let rest = zip(reactions, left).filter { $1 != 0 }.map(\.0)
    return copies
      + rest.map { reaction in reaction.pattern.child.map { copy(of: reaction, for: $0) } ?? reaction }
  }

  /// The reaction for this accepted socket alone.
  private func copy(of reaction: Reaction, for child: String) -> Reaction {
    var own = reaction
    own.pattern.child = child
    return greeting(child, own)
  }

  /// The reaction with the child's TLS in front.
  private func greeting(_ child: String, _ reaction: Reaction) -> Reaction {
    var reaction = reaction
    let start: [SubjectStep] = [.command(server, socket: child, refusal: nil), .reach(Self.point(child))]
    reaction.steps.insert(contentsOf: start.map { LocatedStep($0, at: reaction.position) }, at: 0)
    return reaction
  }

  /// Reached when the accepted socket has been told to start TLS.
  private static func point(_ child: String) -> String { "TLS of \(child)" }

  private var client: SubjectCommand {
    var command = TLSCommand()
    (command.minimumVersion, command.maximumVersion) = (version, version)
    return .startTLS(command)
  }

  private var server: SubjectCommand {
    var command = TLSCommand()
    command.role = .server
    command.certificate = .leaf
    (command.minimumVersion, command.maximumVersion) = (version, version)
    return .startTLS(command)
  }
}

extension ConnectCommand {
  fileprivate var isToListener: Bool {
    if case .host(_, port: .listener) = target { true } else { false }
  }
}

extension SubjectCommand {
  fileprivate var isConnect: Bool {
    if case .connect = self { true } else { false }
  }

  fileprivate var startsTLS: Bool {
    switch self {
    case .startTLS: true
    case .perform(let inner): inner.contains(where: \.startsTLS)
    default: false
    }
  }
}
