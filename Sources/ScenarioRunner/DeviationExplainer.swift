import ScenarioModel
import ScriptedPeer

/// Says in what way a callback was not the expected one.
struct DeviationExplainer {
  let walker: MatchWalker
  let calls: CallBook
  let delivered: DeliveredCallback
  let at: Duration
  let index: Int

  /// The event was the expected one but for its time or its fields.
  func flaw(_ outcome: MatchWalker.Outcome) -> Deviation {
    let expected = ExpectationText.text(outcome.node)
    let position = ExpectationText.position(outcome.node)
    switch outcome.node {
    case .event(let event) where outcome.flaw != .content:
      return misplaced(
        event, deviation(outcome.flaw == .early ? .early : .late, expected, "", position), previous: outcome.previous)
    case .event(let event):
      let mismatch = CallbackField.mismatch(event.expectation.pattern, delivered)
      let seen = event.times > 1 ? "; \(outcome.progress) of \(event.times) had come" : ""
      return deviation(
        .wrongContent, expected, "\(ExpectationText.text(delivered)): \(mismatch)\(seen)\(whoEnded)", position)
    default: return deviation(.wrongContent, expected, streamFlaw(outcome), position)
    }
  }

  /// Outside its window: both instants are told, the event's and the one it is counted from.
  private func misplaced(_ event: EventNode, _ deviation: Deviation, previous: Duration) -> Deviation {
    var deviation = deviation
    let text = "\(ExpectationText.text(delivered)) at \(Wording.duration(at))"
    switch event.expectation.window?.origin {
    case .point(let name):
      guard let origin = walker.clock.points.first(where: { $0.name == name }) else {
        deviation.actual = "\(text), before \(name) was reached"
        return deviation
      }
      return OriginWords(event: event, delivered: delivered, at: at, origin: origin).reworded(deviation)
    case .previous where previous > .zero:
      deviation.actual =
        "\(text), \(Wording.duration(at - previous)) after the expectation before it was met, at "
        + Wording.duration(previous)
    case .previous, .start, nil: deviation.actual = "\(text), counted from the start"
    }
    return deviation
  }

  private func streamFlaw(_ outcome: MatchWalker.Outcome) -> String {
    let text = ExpectationText.text(delivered)
    guard case .stream(let stream) = outcome.node, case .didRead(let bytes, _) = delivered.callback else { return text }
    let left = stream.bytes.count - outcome.progress
    let common = min(left, bytes.count)
    if let offset = ByteComparison.firstDifference(
      stream.bytes, from: outcome.progress, bytes, from: 0, count: common)
    {
      return "\(text): differs first at offset \(outcome.progress + offset) of the stream: expected "
        + "\(Wording.byte(stream.bytes[outcome.progress + offset])), got \(Wording.byte(bytes[offset]))"
    }
    return "\(text): \(Wording.count(bytes.count - left)) more than the stream has"
  }

  /// The event fits an expectation further on. One that is in kind the next expected but for its fields
  /// (`isOtherwiseNext`) is taken as out of order only if the later expectation says more than a kind.
  func wrongOrder(
    _ nodes: [ExpectationNode], _ state: MatchState, slot: Int, isOtherwiseNext: Bool
  ) -> Deviation? {
    let place = place(nodes, state, slot: slot)
    guard place < nodes.count,
      let later = walker.later(delivered, in: nodes, from: place + 1),
      !isOtherwiseNext || later.isSpecific
    else { return nil }
    if case .nothing = nodes[place] { return nil }
    let expected = left(of: nodes[place], at: place, state, slot: slot)
    return deviation(
      .wrongOrder, ExpectationText.text(expected) + " next",
      "\(ExpectationText.text(delivered)), which fits line \(later.expectation.position.line) further on"
        + part(of: nodes[place], at: place, state, slot: slot),
      ExpectationText.position(expected))
  }

  func unexpected(_ nodes: [ExpectationNode], _ state: MatchState, slot: Int) -> Deviation {
    let actual = "\(ExpectationText.text(delivered)) at \(Wording.duration(at))"
    let place = place(nodes, state, slot: slot)
    let isOver = !walker.completions(
      of: nodes, from: state.cursors[slot], choices: state.choices, previous: state.met[slot], now: at
    ).isEmpty
    let asked = calls.lastCall(of: delivered.socket)
    guard place < nodes.count, !isOver else {
      return deviation(
        .unexpected, "nothing more of \(delivered.socket)", "\(actual); \(asked)",
        nodes.last.flatMap(ExpectationText.position))
    }
    var hint = part(of: nodes[place], at: place, state, slot: slot) + whoEnded
    if case .nothing = nodes[place] { hint = "; \(asked)" }
    let expected = left(of: nodes[place], at: place, state, slot: slot)
    return deviation(.unexpected, ExpectationText.text(expected), actual + hint, ExpectationText.position(expected))
  }

  /// The expectation that was next; of an `anyOrder` what had not come of it.
  private func left(of node: ExpectationNode, at place: Int, _ state: MatchState, slot: Int) -> ExpectationNode {
    let cursor = state.cursors[slot]
    guard case .anyOrder(let group) = node, place == cursor.index, !cursor.inner.isEmpty else { return node }
    let left = zip(group.items, cursor.inner).flatMap { $0.dropFirst($1.index) }
    return left.count == 1 ? left[0] : .anyOrder(AnyOrderNode(left))
  }

  /// How much had come of the expectation that was next, if it is of several callbacks or many bytes.
  private func part(of node: ExpectationNode, at place: Int, _ state: MatchState, slot: Int) -> String {
    let reached = state.cursors[slot]
    let cursor = place == reached.index ? reached : MatchCursor(index: place)
    return MatchWalker.Unmet(node, cursor, previous: state.met[slot]).part("had come").map { "; \($0)" } ?? ""
  }

  /// For an end with an unexpected error: what the peers had done that may have caused it.
  private var whoEnded: String {
    if case .didDisconnect(_?) = delivered.callback { "; \(calls.lastEnd)" } else { "" }
  }

  /// The expectation that is next, silences that have been kept left behind.
  private func place(_ nodes: [ExpectationNode], _ state: MatchState, slot: Int) -> Int {
    var place = state.cursors[slot].index
    var previous = state.met[slot]
    while place < nodes.count, case .nothing(let nothing) = nodes[place], previous + nothing.duration <= at {
      previous += nothing.duration
      place += 1
    }
    return place
  }

  private func deviation(
    _ kind: Deviation.Kind, _ expected: String, _ actual: String, _ position: SourcePosition?
  ) -> Deviation {
    Deviation(kind: kind, expected: expected, actual: actual, position: position, traceIndex: index)
  }
}
