import Glibc

/// What one wait brought, and how much of it has been told: behind the loop's lock, so that another thread can go on
/// with it.
struct Turn {
  /// Events in the loop's batch, and the next one to tell.
  var eventCount = 0
  var nextEvent = 0
  var wakeups: [UInt64] = []
  var nextWakeup = 0
  /// The earliest deadline when the loop woke.
  var earliest: MonotonicInstant?
  /// Deadlines to look at. The count bounds the turn, so that handlers that re-arm theirs in the past cannot keep the
  /// loop from its descriptors.
  var deadlinesLeft = 0
  /// The reading of the clock that the turn's deadlines are compared with; nil before the first.
  var now: MonotonicInstant?
}

extension EventLoop {
  enum Call {
    case readiness(any EventHandler, Readiness, key: UInt16)
    case deadline(any EventHandler)

    func make() {
      switch self {
      case .readiness(let handler, let readiness, let key): handler.handleReadiness(readiness, key: key)
      case .deadline(let handler): handler.handleDeadline()
      }
    }
  }

  /// The next call of this turn; nil when there is none, or when the loop isn't this thread's any more.
  ///
  /// The handler leaves the lock before the reference to it can be the last one: a handler's end detaches, which locks
  /// again.
  func nextCall(as thread: UInt64) -> Call? {
    state.withLock { state in
      guard !state.isStopping, state.threadCount == thread else { return nil }
      while state.turn.nextEvent < state.turn.eventCount {
        let (token, readiness) = batch[state.turn.nextEvent]
        state.turn.nextEvent += 1
        if token == Poller.bellToken { continue }
        if let handler = state.handlers[token >> 16]?.handler {
          return .readiness(handler, readiness, key: UInt16(truncatingIfNeeded: token))
        }
      }
      while state.turn.nextWakeup < state.turn.wakeups.count {
        let token = state.turn.wakeups[state.turn.nextWakeup]
        state.turn.nextWakeup += 1
        if let handler = state.handlers[token >> 16]?.handler {
          return .readiness(handler, [], key: UInt16(truncatingIfNeeded: token))
        }
      }
      while let id = state.nextDue() {
        if let handler = state.handlers[id]?.handler { return .deadline(handler) }
      }
      return nil
    }
  }

  /// Sleeps until there is something to do; false when this thread's part is over.
  func wait(as thread: UInt64) -> Bool {
    let deadline: MonotonicInstant? = state.withLock { state in
      guard state.threadCount == thread else {
        loan.threadIsBack()
        return nil
      }
      if state.isStopping { return nil }
      if !state.wakeups.isEmpty { return .distantPast }
      let deadline = state.deadlines.earliest ?? .distantFuture
      state.sleepingUntil = deadline
      return deadline
    }
    guard let deadline else { return false }
    poller.wait(into: batch, until: deadline)
    state.withLock { $0.beginTurn(events: batch.count) }
    loan.beginTurn()
    return true
  }
}

extension EventLoop.State {
  /// Takes what the wait brought, the wake-ups that were asked for, and what deadlines are armed.
  fileprivate mutating func beginTurn(events: Int) {
    sleepingUntil = .distantPast
    turn.eventCount = events
    turn.nextEvent = 0
    turn.wakeups.removeAll(keepingCapacity: true)
    swap(&turn.wakeups, &wakeups)
    turn.nextWakeup = 0
    if !wakeupSet.isEmpty { wakeupSet.removeAll(keepingCapacity: true) }
    turn.earliest = deadlines.earliest
    turn.deadlinesLeft = turn.earliest == nil ? 0 : deadlines.nodeCount
    turn.now = nil
  }

  /// The owner of the next deadline that has passed in this turn.
  fileprivate mutating func nextDue() -> UInt64? {
    guard turn.deadlinesLeft > 0, let earliest = turn.earliest else { return nil }
    let now = turn.now ?? MonotonicInstant.now()
    turn.now = now
    guard earliest <= now, let id = deadlines.popDue(at: now) else {
      turn.deadlinesLeft = 0
      return nil
    }
    turn.deadlinesLeft -= 1
    return id
  }
}
