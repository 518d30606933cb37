extension Scenario {
  /// More accepted sockets than this are not secured: their number comes from `repeat` steps.
  private static let maxChildren = 64

  /// The same story told over TLS of one version: every peer shakes hands when it has accepted or connected, the
  /// subject starts TLS behind every `connect` that must succeed, and as a server inside `didAccept` for every accepted
  /// socket. Expectations, windows and endings stay; didSecure, which the story does not mention, is for the runner to
  /// pass.
  ///
  /// Accepted sockets are secured by reactions that name them, because steps name their sockets. A reaction to any
  /// `didAccept` therefore becomes one for each socket that the peers' connects can bring about.
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
    let children = min(peers.reduce(0) { $0 + Self.connects($1.steps) }, Self.maxChildren)
    secured.reactions = securing.reactions(reactions, children: children)
    return secured
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

  func reactions(_ reactions: [Reaction], children: Int) -> [Reaction] {
    var secured = reactions.flatMap { reaction -> [Reaction] in
      var reaction = reaction
      reaction.steps = steps(reaction.steps)
      guard reaction.pattern.kind == .didAccept else { return [reaction] }
      if let child = reaction.pattern.child { return [greeting(child, reaction)] }
      let names = ChildName.first(min(children, reaction.times ?? children))
      return names.map { child in
        var own = reaction
        own.pattern.child = child
        own.times = 1
        own.isOptional = reaction.isOptional || child != names.first
        return greeting(child, own)
      }
    }
    for child in ChildName.first(children) {
      var pattern = CallbackPattern(kind: .didAccept)
      pattern.child = child
      let nowhere = SourcePosition(line: 1, column: 1)
      let reaction = Reaction(
        pattern: pattern, socket: nil, times: nil, isOptional: true, steps: [], position: nowhere)
      secured.append(greeting(child, reaction))
    }
    return secured
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
