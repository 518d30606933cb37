import ScenarioModel
import SocketCore
import SocketValues

// The engine's host of the run-loop class, in virtual time: every entry is a turn of the socket's run loop, and events
// are delivered one by one, each to the delegate that is set then.
extension SimulatedCase {
  /// Whether the running code may deliver the socket's events: on its loop, or before it has one, and not while a
  /// callback that has moved the socket there is still running.
  func mayDeliver(_ part: RunLoopPart) -> Bool {
    !part.engine.isCalledElsewhere && part.place.map { $0.loop === currentLoop } ?? true
  }

  // MARK: Entering

  /// Enters for a call.
  func enter<Result, Failure: Error>(
    _ subject: SimulatedSubject, _ part: RunLoopPart, _ body: (SocketEngine) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    part.engine.beginCall(mayDeliver: mayDeliver(part))
    defer {
      settle(subject)
      if part.engine.wantsTurn { requestTurn(part) }
      detachIfIdle(subject, part)
    }
    return try body(subject.engine)
  }

  /// Enters from the loop.
  func serve(_ subject: SimulatedSubject, _ body: (SocketEngine) -> Void) {
    guard let part = subject.runLoop, mayDeliver(part) else { return }
    if subject.engine.beginTurn() { settle(subject) }
    body(subject.engine)
    settle(subject)
    deliver(subject, part, isInline: false)
  }

  /// Has the loop make a turn for the socket.
  func requestTurn(_ part: RunLoopPart) {
    guard let place = part.place else { return }
    part.isTurnDue = true
    scheduleNext(place.loop)
  }

  // MARK: Effects

  /// Carries out an effect that differs for this class; false: it is carried out as for the other one.
  func carryOut(_ effect: SocketEngine.Effect, for subject: SimulatedSubject, _ part: RunLoopPart) -> Bool {
    let engine = subject.engine
    switch effect {
    case .carryOut, .watch, .check, .time: return false
    case .advance: advance(subject, part)
    case .post: part.engine.post()
    case .serve: _ = engine.takeService()
    case .requestTurn: requestTurn(part)
    case .wake, .armFallback: engine.keep([], for: .stream)
    case .arm:
      part.isDeadlineDue = false
      return false
    }
    return true
  }

  private func advance(_ subject: SimulatedSubject, _ part: RunLoopPart) {
    guard let connection = subject.connection else { return }
    var transport = LinkTransport(link: connection.link, side: connection.side)
    subject.engine.advance(
      &transport, now: now, canAskDelegate: subject.delegate != nil, hasUndelivered: part.engine.hasEvents)
  }

  // MARK: Places

  /// Takes a place on the loop, in place of the present one, with everything that is watched.
  func attach(_ subject: SimulatedSubject, _ part: RunLoopPart, to loop: VirtualRunLoop) {
    part.place = RunLoopPlace(loop, modes: part.modes)
    part.engine.attached(to: loop)
    // Whatever is ready is reported anew.
    if let connection = subject.connection, !subject.engine.isInactive {
      subject.inbox.hints.formUnion(readiness(connection).union(.writable))
      subject.inbox.isSignalled = true
    }
    if subject.listeners.contains(where: { !network[$0].backlog.isEmpty }) { subject.inbox.mayAccept = true }
    part.isDeadlineDue = false
    arm(subject.engine.armedDeadline, for: subject)
    if !subject.machine.isDisconnected || part.engine.hasEvents { requestTurn(part) }
    scheduleNext(loop)
  }

  /// A socket that has nothing to wait for has no place on a run loop.
  func detachIfIdle(_ subject: SimulatedSubject, _ part: RunLoopPart) {
    guard part.engine.isIdle else { return }
    part.place = nil
    part.engine.attached(to: nil)
    (part.isTurnDue, part.isDeadlineDue) = (false, false)
  }

  // MARK: Ending

  /// `disconnect()`: didDisconnect has come when it returns (DIS-02).
  func disconnect(_ subject: SimulatedSubject, _ part: RunLoopPart) {
    part.engine.beginCall(mayDeliver: mayDeliver(part))
    exchangeBeforeEnd(subject)
    settle(subject)
    part.startQuestion.disconnect()
    part.engine.disconnect(onDrop: closeUnclaimed)
    settle(subject)
    if mayDeliver(part) {
      deliver(subject, part, isInline: true)
    } else if part.engine.hasEvents {
      requestTurn(part)
    }
    detachIfIdle(subject, part)
  }

  /// The last reference was released: everything is closed, without callbacks.
  func abandonIfUnused(_ subject: SimulatedSubject, _ part: RunLoopPart) {
    guard subject.isReleased, !subject.isGone, part.holders == 0 else { return }
    subject.engine.begin(.call(inCallback: false, onSocketQueue: false))
    exchangeBeforeEnd(subject)
    subject.delegate = nil
    subject.machine.disconnect()
    settle(subject)
    part.engine.abandon(onDrop: closeUnclaimed)
    part.place = nil
    part.engine.attached(to: nil)
    subject.isGone = true
  }

  // MARK: Unread bytes at the end

  /// The bytes that an announced end leaves unread; nil at other times (RL-03, RL-04).
  func unread(_ subject: SimulatedSubject, _ part: RunLoopPart) -> [UInt8]? {
    guard let connection = subject.connection else { return nil }
    var transport = LinkTransport(link: connection.link, side: connection.side)
    return part.engine.unread(&transport).map { Array($0) }
  }
}
