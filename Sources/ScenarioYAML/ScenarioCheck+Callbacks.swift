import ScenarioModel

extension ScenarioCheck {
  /// Callbacks that are expected or waited for although no step can bring them about. A canary may expect anything.
  mutating func checkCallbacks() {
    for lane in scenario.subjects { checkMoments(lane.steps) }
    for lane in scenario.peers { checkMoments(lane.steps) }
    if let network = scenario.network { checkMoments(network.steps) }
    for (index, reaction) in scenario.reactions.enumerated() {
      checkMoments(reaction.steps)
      if scenario.reactions[..<index].contains(where: { $0.takesAll(of: reaction) }) {
        report(
          .impossibleCallback, at: reaction.position,
          "this reaction never runs: an earlier one takes every such callback",
          help: "move it up, or write `times` in the earlier one")
      }
      let sockets = reaction.socket.map { [$0] } ?? scenario.sockets.map(\.name) + childrenIfAny
      let reasons = sockets.map { obstacle(to: reaction.pattern, on: $0) }
      if let reason = reasons.first, !reasons.contains(where: { $0 == nil }), let reason {
        report(
          .impossibleCallback, at: reaction.position, "this reaction never runs: \(reason.text)", help: reason.help)
      }
    }
    if !scenario.canary { check(scenario.expectations) }
  }

  private var childrenIfAny: [String] { uses.values.contains(where: \.listens) ? ["child"] : [] }

  private mutating func check(_ expectations: [Expectation]) {
    for expectation in expectations {
      switch expectation {
      case .event(let event): check(event.pattern, on: event.socket, at: event.position)
      case .stream(let stream): check(CallbackPattern(kind: .didRead), on: stream.socket, at: stream.position)
      case .anyOrder(let inner, _): check(inner)
      case .oneOf(let alternatives, _):
        // What the original or a fault of the subject leads to is not for us to say.
        for alternative in alternatives where alternative.grade == .pass && alternative.profile != .upstream {
          check(alternative.expectations)
        }
      case .nothing: break
      }
    }
  }

  private mutating func checkMoments(_ steps: [LocatedStep]) {
    for step in steps {
      if case .after(let syncPoint) = step.step { check(syncPoint, at: step.position) }
      if case .repeated(_, let inner) = step.step { checkMoments(inner) }
    }
  }

  private mutating func checkMoments(_ steps: [Located<PeerStep>]) {
    for step in steps {
      if case .after(let syncPoint) = step.value { check(syncPoint, at: step.position) }
      if case .repeated(_, let inner) = step.value { checkMoments(inner) }
    }
  }

  private mutating func check(_ syncPoint: SyncPoint, at position: SourcePosition) {
    if case .callback(let pattern, let socket, _) = syncPoint { check(pattern, on: socket, at: position) }
  }

  private mutating func check(_ pattern: CallbackPattern, on socket: String, at position: SourcePosition) {
    guard let obstacle = obstacle(to: pattern, on: socket) else { return }
    report(
      .impossibleCallback, at: position, "`\(pattern.kind.rawValue)` cannot come: \(obstacle.text)",
      help: obstacle.help)
  }

  private typealias Obstacle = (text: String, help: String?)

  /// Why the socket can never have such a callback; nil if it can.
  private func obstacle(to pattern: CallbackPattern, on socket: String) -> Obstacle? {
    let use = uses[socket] ?? SocketUse()
    if let obstacle = delegateObstacle(pattern) ?? startObstacle(pattern.kind, on: socket, use) { return obstacle }
    switch pattern.kind {
    case .didConnect, .didConnectToURL, .newSocketQueue, .didAccept, .didDisconnect, .willConnect, .willDisconnect,
      .wantsRunLoop:
      return nil
    case .didRead, .didReadPartial, .shouldTimeoutRead:
      return tagObstacle("read", on: socket, wanted: pattern.tag, use.readTags)
    case .didWrite, .didWritePartial, .shouldTimeoutWrite:
      return tagObstacle("write", on: socket, wanted: pattern.tag, use.writeTags)
    case .didCloseRead:
      // Accepted sockets may take the setting over from their listener.
      let stays = SocketNames.isChild(socket) ? uses.values.contains(where: \.staysAfterEnd) : use.staysAfterEnd
      return stays
        ? nil : ("by default the socket disconnects instead", "set autoDisconnectOnClosedReadStream to false first")
    case .didSecure, .didReceiveTrust: return securityObstacle(pattern.kind, on: socket, use)
    }
  }

  private func securityObstacle(_ kind: CallbackKind, on socket: String, _ use: SocketUse) -> Obstacle? {
    guard use.startsTLS else { return ("`\(socket)` never starts TLS", "add the step `startTLS`") }
    if kind == .didReceiveTrust, !use.asksForTrust {
      return ("`\(socket)` judges certificates itself", "write `startTLS: { manualTrust: true }`")
    }
    if kind == .didSecure, !use.canBeSecured {
      return ("`\(socket)` is a server without a certificate", "write `startTLS: { role: server, certificate: leaf }`")
    }
    return nil
  }

  private func startObstacle(_ kind: CallbackKind, on socket: String, _ use: SocketUse) -> Obstacle? {
    let isChild = SocketNames.isChild(socket)
    switch kind {
    case .newSocketQueue, .wantsRunLoop, .didAccept:
      return use.listens ? nil : ("`\(socket)` never listens", "add the step `listen`")
    case .didConnect, .didConnectToURL:
      if use.connects || isChild && scenario.subjectKinds.contains(.runLoop) { return nil }
      return isChild
        ? ("an accepted socket is connected from the beginning", "expect `didAccept` of the listener")
        : ("`\(socket)` never connects", "add the step `connect`")
    case .willConnect:
      return use.triesToConnect || isChild ? nil : ("`\(socket)` never connects", "add the step `connect`")
    default:
      return use.connects || use.listens || isChild
        ? nil : ("`\(socket)` never connects or listens, or only in vain", "add a step, or expect it of another socket")
    }
  }

  private func tagObstacle(_ word: String, on socket: String, wanted: Int?, _ tags: Set<Int>) -> Obstacle? {
    if tags.isEmpty { return ("`\(socket)` never calls `\(word)`", "add the step, or expect it of another socket") }
    guard let wanted, !tags.contains(wanted) else { return nil }
    let known = tags.sorted().prefix(8).map(String.init).joined(separator: ", ")
    return ("no `\(word)` of `\(socket)` has the tag \(wanted)", "its tags are: \(known)")
  }

  private func delegateObstacle(_ pattern: CallbackPattern) -> Obstacle? {
    guard let delegate = pattern.delegate, delegate != "delegate",
      !delegates.contains(delegate)
    else { return nil }
    return ("no step makes `\(delegate)` a delegate", "add the step `delegate: \(delegate)`")
  }
}

extension Reaction {
  /// Whether it is never used up, and fits wherever the other one does, as far as one can see.
  fileprivate func takesAll(of other: Reaction) -> Bool {
    times == nil && (socket == nil || socket == other.socket)
      && (pattern == other.pattern || pattern == CallbackPattern(kind: other.pattern.kind))
  }
}
