import ScenarioModel
import ScriptedPeer

/// Windows that count from a named point: who is to blame when the two are not as far apart as they should be.
///
/// An event that is too close behind its point came early, or the point came late. The point did when all that could
/// still bring it about was the subject, and had been for so long that, had it come at the beginning of that time, the
/// event would have been in its window.
extension Judge {
  /// The deviation of an event that came before the point its window counts from, to be reworded when that is reached.
  struct OpenOrigin: Sendable {
    var deviation: Int
    var event: EventNode
    var delivered: DeliveredCallback
    var at: Duration
  }

  /// A point was reached; the trace's event of it follows.
  package mutating func reached(_ point: SyncBoard.Point) {
    guard !clock.points.contains(where: { $0.name == point.name }) else { return }
    let origin = PointReached(
      name: point.name, at: point.at, position: point.position,
      quietSince: point.waitedSince.map { max($0, min(calls.lastActivityAt, point.at)) })
    clock.points.append(origin)
    for open in openOrigins where open.event.expectation.window?.origin == .point(point.name) {
      let words = OriginWords(event: open.event, delivered: open.delivered, at: open.at, origin: origin)
      deviations[open.deviation] = words.reworded(deviations[open.deviation])
    }
    openOrigins.removeAll { $0.event.expectation.window?.origin == .point(point.name) }
  }

  /// To be called right before the outcome's deviation is appended.
  mutating func noteOrigin(of outcome: MatchWalker.Outcome, _ delivered: DeliveredCallback, at instant: Duration) {
    guard outcome.flaw == .early, case .event(let event) = outcome.node, let window = event.expectation.window,
      clock.origin(of: window, previous: outcome.previous) == nil
    else { return }
    openOrigins.append(
      OpenOrigin(deviation: deviations.count, event: event, delivered: delivered, at: instant))
  }

  /// Remembers an event that met its expectation before the point was reached from which that counts its time.
  func anchor(
    _ state: inout MatchState, _ outcome: MatchWalker.Outcome, _ delivered: DeliveredCallback, at instant: Duration,
    index: Int
  ) {
    guard case .event(let event) = outcome.node, clock.awaitsOrigin(of: event.expectation.window) else { return }
    state.anchored.append(AnchoredEvent(event: event, delivered: delivered, at: instant, index: index))
  }

  /// The case is over: the event must have been as close in front of its point as it may be behind it. What is wrong
  /// with it; nil: nothing.
  func problem(of anchored: AnchoredEvent) -> Deviation? {
    guard let window = anchored.event.expectation.window, case .point(let name) = window.origin,
      let latest = window.latest
    else { return nil }
    let expected = ExpectationText.text(anchored.event.expectation)
    let position = anchored.event.expectation.position
    guard let origin = clock.points.first(where: { $0.name == name }) else {
      let text = "\(ExpectationText.text(anchored.delivered)) at \(Wording.duration(anchored.at))"
      return Deviation(
        kind: .missing, expected: expected, actual: "\(text); \(name) was never reached", position: position,
        traceIndex: anchored.index)
    }
    guard origin.at - anchored.at > latest + clock.tolerance.late else { return nil }
    let words = OriginWords(event: anchored.event, delivered: anchored.delivered, at: anchored.at, origin: origin)
    // Either the event came early, or the point late.
    return Deviation(
      kind: .late, expected: expected, actual: words.facts, position: position, traceIndex: anchored.index)
  }

  /// The case is over: points that were waited for were never reached, or would have been later.
  mutating func closeOrigins(cutShortAt: Duration?) {
    for open in openOrigins {
      guard case .point(let name) = open.event.expectation.window?.origin else { continue }
      let fate = cutShortAt.map {
        "the case ended before it was, at \(Wording.duration($0)), because of a deviation"
      }
      deviations[open.deviation].actual += "; \(fate ?? "\(name) was never reached")"
    }
    openOrigins = []
  }
}

/// What to say of an event too close behind, or in front of, the point that its window counts from.
struct OriginWords {
  let event: EventNode
  let delivered: DeliveredCallback
  let at: Duration
  let origin: PointReached

  private var place: String { origin.position.map { " in line \($0.line)" } ?? "" }

  var facts: String {
    let distance =
      at < origin.at ? "\(Wording.duration(origin.at - at)) before" : "\(Wording.duration(at - origin.at)) after"
    return
      "\(ExpectationText.text(delivered)) at \(Wording.duration(at)), \(distance) \(origin.name), which was reached "
      + "at \(Wording.duration(origin.at))\(place)"
  }

  /// The deviation with both instants, and its blame on the point if that was late.
  func reworded(_ deviation: Deviation) -> Deviation {
    var reworded = deviation
    reworded.actual = facts
    guard deviation.kind == .early, let quietSince = origin.quietSince,
      let earliest = event.expectation.window?.earliest
    else { return reworded }
    let missing = origin.at + earliest - at
    guard origin.at - quietSince >= missing else { return reworded }
    reworded.kind = .late
    reworded.expected =
      "\(origin.name) at least \(Wording.duration(earliest)) before "
      + ExpectationText.text(event.expectation.pattern, socket: event.expectation.socket)
    reworded.actual =
      "\(origin.name) was reached only at \(Wording.duration(origin.at))\(place): what its lane waited for had been "
      + "under way since \(Wording.duration(quietSince)); \(facts)"
    return reworded
  }
}
