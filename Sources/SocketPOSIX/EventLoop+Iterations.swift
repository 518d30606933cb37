import Glibc
import SocketValues

/// The events of one wait, and how many of them have been reported: guarded by the loop's lock, so that another thread
/// can continue.
struct Iteration {
  /// Events in the loop's batch, and the next one to report.
  var eventCount = 0
  var nextEvent = 0
  var wakeups: [UInt64] = []
  var nextWakeup = 0
  /// The call that is being made, or was made last.
  var current: Current?
  /// The earliest deadline when the loop woke.
  var earliest: Instant?
  /// Deadlines to check. The count bounds the iteration, so that handlers that re-arm theirs in the past cannot keep
  /// the loop from its descriptors.
  var deadlinesLeft = 0
  /// The reading of the clock that the iteration's deadlines are compared with; nil before the first.
  var now: Instant?

  /// The subject of a call: the token of an event, or the id whose deadline has passed.
  enum Current { case token(UInt64), deadline(UInt64) }
}

extension EventLoop {
  /// A call to make, with the handler held.
  struct Call {
    enum Reason {
      case readiness(Readiness, key: UInt16)
      case deadline
    }

    let handler: any EventHandler
    let reason: Reason

    func make(in group: ObjectIdentifier?, as thread: LoopThread) {
      let context = LoopContext(scratch: thread.scratch, group: group, thread: thread)
      switch reason {
      case .readiness(let readiness, let key): handler.handleReadiness(readiness, key: key, context)
      case .deadline: handler.handleDeadline(context)
      }
    }
  }

  /// What the loop's thread does next.
  enum Step {
    case call(Call)
    case work(any LentWork)
  }

  /// The next step of this iteration; nil when there is none, or when the loop isn't this thread's any more.
  ///
  /// The handler leaves the lock before the reference to it can be the last one: a handler's end detaches, which locks
  /// again.
  func nextStep(as thread: LoopThread) -> Step? {
    state.withLock { state in
      guard !state.isStopping, state.threadCount == thread.number else { return nil }
      if let work = state.takeWork() { return .work(work) }
      while let (token, readiness) = state.peekNext(of: batch) {
        state.takeNext(token, readiness)
        if let handler = state.handlers.handler(token >> 16) {
          return .call(state.call(handler, readiness ?? Readiness(), token))
        }
      }
      while let id = state.nextDue() {
        if let handler = state.handlers.handler(id) {
          state.iteration.current = .deadline(id)
          return .call(Call(handler: handler, reason: .deadline))
        }
      }
      return nil
    }
  }

  /// The same inside a loan: nil also when the next call is not for one of the group. Deadlines wait until it is over.
  func nextStep(as thread: LoopThread, lentTo group: ObjectIdentifier) -> Step? {
    state.withLock { state in
      guard !state.isStopping, state.threadCount == thread.number else { return nil }
      if let work = state.takeWork(for: group) { return .work(work) }
      while let (token, readiness) = state.peekNext(of: batch) {
        guard let index = state.handlers.index(of: token >> 16) else {
          state.takeNext(token, readiness)
          continue
        }
        guard state.handlers.group(at: index) == group else { return nil }
        state.takeNext(token, readiness)
        if let handler = state.handlers.handler(at: index) {
          return .call(state.call(handler, readiness ?? Readiness(), token))
        }
      }
      return nil
    }
  }

  /// Sleeps until there is something to do. Returns false when this thread's part is over.
  func wait(as thread: LoopThread, _ polling: inout BusyPolling) -> Bool {
    let deadline: Instant? = state.withLock { state in
      guard state.threadCount == thread.number else {
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
    if deadline == .distantPast || !mayPoll || !Self.hasProcessorsToSpare {
      poller.wait(into: batch, until: deadline)
    } else {
      wait(until: deadline, &polling)
    }
    state.withLock { $0.beginIteration(events: batch.count) }
    loan.beginIteration()
    return true
  }
}

extension EventLoop {
  /// With one processor the peer can do nothing while the loop polls.
  private static let hasProcessorsToSpare = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1

  private func wait(until deadline: Instant, _ polling: inout BusyPolling) {
    let begin = Instant.now()
    guard polling.isDue else {
      poller.wait(into: batch, until: deadline)
      return polling.slept(for: begin.nanoseconds(until: .now()))
    }
    let end = min(deadline, begin.advanced(by: BusyPolling.longest))
    repeat {
      poller.wait(into: batch, until: .distantPast)
      if batch.count > 0 { return polling.polled(inVain: false) }
      // A thread that is waiting for this processor is likely to be the one that the loop waits for.
      sched_yield()
    } while Instant.now() < end
    polling.polled(inVain: true)
    poller.wait(into: batch, until: deadline)
  }
}

extension EventLoop.State {
  /// Has the handler of the current call called once more, in the next iteration.
  mutating func repeatCurrentCall() {
    switch iteration.current {
    case .token(let token): _ = askForWakeup(token)
    case .deadline(let id): if handlers.contains(id) { deadlines.set(id, to: .distantPast) }
    case nil: break
    }
  }

  /// The work to do next; the handler that it is done for becomes that of the current call.
  fileprivate mutating func takeWork(for group: ObjectIdentifier? = nil) -> (any LentWork)? {
    guard let next = lentWork.take(for: group) else { return nil }
    iteration.current = .token(next.token)
    return next.work
  }

  /// Takes the events of the wait, the requested wake-ups, and the armed deadlines.
  fileprivate mutating func beginIteration(events: Int) {
    sleepingUntil = .distantPast
    iteration.eventCount = events
    iteration.nextEvent = 0
    iteration.wakeups.removeAll(keepingCapacity: true)
    swap(&iteration.wakeups, &wakeups)
    iteration.nextWakeup = 0
    iteration.earliest = deadlines.earliest
    iteration.deadlinesLeft = iteration.earliest == nil ? 0 : deadlines.nodeCount
    iteration.now = nil
  }

  /// The next event or wake-up (without a readiness); it stays the next one until it is taken.
  fileprivate mutating func peekNext(of batch: EventBatch) -> (token: UInt64, readiness: Readiness?)? {
    while iteration.nextEvent < iteration.eventCount {
      let event = batch[iteration.nextEvent]
      if event.token != Poller.wakeupToken { return event }
      iteration.nextEvent += 1
    }
    return iteration.nextWakeup < iteration.wakeups.count ? (iteration.wakeups[iteration.nextWakeup], nil) : nil
  }

  fileprivate mutating func takeNext(_ token: UInt64, _ readiness: Readiness?) {
    iteration.current = .token(token)
    if readiness != nil {
      iteration.nextEvent += 1
    } else {
      iteration.nextWakeup += 1
      wakeupIsMade(token)
    }
  }

  fileprivate func call(_ handler: any EventHandler, _ readiness: Readiness, _ token: UInt64) -> EventLoop.Call {
    EventLoop.Call(handler: handler, reason: .readiness(readiness, key: UInt16(truncatingIfNeeded: token)))
  }

  /// The owner of the next deadline that has passed in this iteration.
  fileprivate mutating func nextDue() -> UInt64? {
    guard iteration.deadlinesLeft > 0, let earliest = iteration.earliest else { return nil }
    let now = iteration.now ?? Instant.now()
    iteration.now = now
    guard earliest <= now, let id = deadlines.popDue(at: now) else {
      iteration.deadlinesLeft = 0
      return nil
    }
    iteration.deadlinesLeft -= 1
    return id
  }
}
