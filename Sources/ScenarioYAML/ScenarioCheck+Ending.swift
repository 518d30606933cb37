import ScenarioModel

extension ScenarioCheck {
  /// An ending that the rest of the file rules out.
  mutating func checkEnding() {
    guard let ending = scenario.ending, let position = scenario.endingPosition, !scenario.canary else { return }
    switch ending {
    case .open: checkOpen(at: position)
    case .neverConnected:
      guard hasOneConnection, let event = firstRequired([.didConnect, .didConnectToURL, .didAccept]) else { return }
      report(
        .contradictingEnding, at: position,
        "`\(event.pattern.kind.rawValue)` is expected in line \(event.position.line), so there is a connection",
        help: "say how it ended, or `open`")
    case .bySubject: break
    case .byPeer(let end, _):
      let word =
        end == .fin ? "`finish` or `close`" : end == .rst ? "`reset` or `close`" : "`finish`, `close` or `reset`"
      guard !scenario.peers.contains(where: { Self.ends($0.steps, end) }) else { return }
      report(
        .contradictingEnding, at: position, "no peer has a step that would end the connection so",
        help: "add \(word) to a peer, or write `subject …` if the subject ends it first")
    }
  }

  private mutating func checkOpen(at position: SourcePosition) {
    guard hasOneConnection else { return }
    if let event = firstRequired([.didDisconnect]) {
      report(
        .contradictingEnding, at: position,
        "`didDisconnect` is expected in line \(event.position.line), so the connection does not stay open",
        help: "say who ended it and how: `subject fin`, `peer rst` and the like, or `never connected`")
    }
  }

  /// Whether the scenario starts one socket once, so that there is one connection at most.
  private var hasOneConnection: Bool {
    let starts = calls.filter { call in
      guard call.refusal == nil else { return false }
      switch call.command {
      case .connect, .listen: return true
      default: return false
      }
    }
    guard starts.count == 1, let start = starts.first, !start.isRepeated else { return false }
    if case .connect = start.command { return true }
    return false
  }

  /// The first callback of these kinds that must come.
  private func firstRequired(_ kinds: [CallbackKind]) -> EventExpectation? {
    func first(_ expectations: [Expectation]) -> EventExpectation? {
      for expectation in expectations {
        switch expectation {
        case .event(let event) where !event.optional && kinds.contains(event.pattern.kind): return event
        case .anyOrder(let inner, _): if let event = first(inner) { return event }
        default: continue
        }
      }
      return nil
    }
    return first(scenario.expectations)
  }

  private static func ends(_ steps: [Located<PeerStep>], _ end: StreamEnd) -> Bool {
    steps.contains { step in
      switch step.value {
      case .finish, .truncate: end != .rst
      case .close: true
      case .reset: end != .fin
      case .repeated(_, let inner): ends(inner, end)
      default: false
      }
    }
  }
}
