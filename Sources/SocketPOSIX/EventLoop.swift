import Glibc
import SocketValues
import Synchronization

/// A thread that waits for descriptors and deadlines and calls their handlers.
///
/// Laws:
/// - handlers are called on the loop's thread only, one after the other, with no lock of the loop held; a call that
///   takes too long inside `lend` is left to its thread, and a new thread is the loop's from then on;
/// - a deadline is never reported early; it may be reported late;
/// - after `detach` (or the end of the attachment) no call starts for it. A call that the loop's thread has begun is
///   not waited for: a detach from another thread may overlap with the last call, a detach inside a call cannot;
/// - attachment ids are never reused and travel with each event, so that a stale event for a reused descriptor number
///   finds no handler;
/// - the loop refers to a handler weakly or holds it until it is detached, as `attach` requests; while it calls one it
///   holds it, so a handler may be deinitialised on the loop's thread;
/// - a loop that has nothing to do sleeps without end.
///
/// ```
///  prepare: earliest deadline ──> wait ──> events ──> wake-ups ──> due deadlines ──┐
///     ^                                                                            │
///     └────────────────────────────────────────────────────────────────────────────┘
/// ```
/// While the loop sleeps, `sleepingUntil` holds its deadline; a thread that brings something earlier wakes it, once.
package final class EventLoop: Sendable {
  struct State {
    var handlers = HandlerTable()
    var deadlines = DeadlineTable()
    /// Tokens whose wake-up was requested, in order.
    var wakeups: [UInt64] = []
    /// Those among them whose handler has a request with another key as well.
    var furtherWakeups: Set<UInt64> = []
    var iteration = Iteration()
    /// Work that calls have caused for the loop's thread, in order, with the handlers it is done for.
    var lentWork = LentWorkQueue()
    /// When the loop wakes by itself; the distant past while it is awake or being woken.
    var sleepingUntil = Instant.distantPast
    var isStopping = false
    var startFailure: SystemCallFailure?
    var thread: pthread_t?
    /// Counts the threads this loop has had; only the newest goes on.
    var threadCount: UInt64 = 0

    /// Records that the loop has to wake at `instant`. Returns whether it must be woken for that.
    mutating func shortenSleep(to instant: Instant) -> Bool {
      guard instant < sleepingUntil else { return false }
      sleepingUntil = .distantPast
      return true
    }

    /// Records a request for a wake-up. Returns false if there is one already, or the handler is detached.
    mutating func askForWakeup(_ token: UInt64) -> Bool {
      guard let index = handlers.index(of: token >> 16) else { return false }
      let isNew = handlers.noteWakeup(UInt16(truncatingIfNeeded: token), at: index)
      guard isNew ?? furtherWakeups.insert(token).inserted else { return false }
      wakeups.append(token)
      return true
    }

    /// Records that the wake-up is about to be reported; from now on it can be requested again.
    mutating func wakeupIsMade(_ token: UInt64) {
      if let index = handlers.index(of: token >> 16),
        handlers.forgetWakeup(UInt16(truncatingIfNeeded: token), at: index)
      {
        return
      }
      furtherWakeups.remove(token)
    }
  }

  static let batchCapacity = 256

  /// The thread's name.
  package let name: String
  /// Whether it polls before it sleeps, when that pays (`BusyPolling`).
  let mayPoll: Bool
  let poller = Poller()
  let state = LockedValue(State())
  /// The events of the last wait.
  let batch: EventBatch
  let loan = Loan()
  /// The loop's thread while it runs; 0 before and after.
  private let threadID = Atomic<UInt>(0)

  /// Starts a loop with a thread of its own. When the system has no descriptor or thread left, the loop exists but
  /// never runs: `startFailure` tells, and every `watch` throws it.
  package init(name: String, precision: TimerPrecision = .finest, mayPoll: Bool = true) {
    self.name = name
    self.mayPoll = mayPoll
    batch = EventBatch(capacity: Self.batchCapacity, precision: precision)
    let failure = poller.failure ?? start()
    state.withLock { $0.startFailure = failure }
  }

  /// Why the loop does not run; nil if it does.
  package var startFailure: SystemCallFailure? {
    state.withLock { $0.startFailure }
  }

  /// Whether it has been told to stop.
  var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Whether the caller runs on this loop's thread.
  package var isCurrentThread: Bool {
    threadID.load(ordering: .relaxed) == UInt(pthread_self())
  }

  /// Registers a handler, which must keep the attachment for as long as it wants to be called; or which the loop keeps
  /// until it is detached. The latter makes calls cheaper, because a weak reference makes every retain of an object
  /// slower.
  package func attach(_ handler: any EventHandler, keepingIt: Bool = false) -> Attachment {
    Attachment(loop: self, id: state.withLock { $0.handlers.insert(handler, keepingIt: keepingIt) })
  }

  /// Ends the loop: no handler is called after this, except one that is being called now. Returns when the thread is
  /// gone, unless called on that thread. A loop that is never stopped keeps its thread for the life of the process.
  package func stop() {
    let thread = state.withLock { state in
      state.isStopping = true
      defer { state.thread = nil }
      return state.thread
    }
    LoopWatchdog.forget(self)
    guard let thread else { return }
    poller.wake()
    if isCurrentThread {
      pthread_detach(thread)
    } else {
      pthread_join(thread, nil)
    }
  }

  private func start() -> SystemCallFailure? {
    let created = startThread(named: name) { [self] in run(asNumber: 0) }
    guard created.code == 0 else { return SystemCallFailure(call: "pthread_create", code: created.code) }
    state.withLock { $0.thread = created.thread }
    return nil
  }

  /// The life of one of the loop's threads.
  func run(asNumber number: UInt64) {
    let own = UInt(pthread_self())
    threadID.store(own, ordering: .relaxed)
    defer { _ = threadID.compareExchange(expected: own, desired: 0, ordering: .relaxed) }
    let thread = LoopThread(number: number)
    defer { thread.end() }
    var polling = BusyPolling()
    repeat {
      while let step = nextStep(as: thread) {
        switch step {
        case .call(let call): call.make(in: nil, as: thread)
        case .work(let work): lend(to: work, as: thread)
        }
      }
    } while wait(as: thread, &polling)
    handOverWork(of: thread)
  }
}

// MARK: - Requests of attachments

extension EventLoop {
  func watch(_ fd: Int32, id: UInt64, key: UInt16, interest: Readiness) throws(SystemCallFailure) {
    if let startFailure { throw startFailure }
    try poller.add(fd, token: token(id, key), interest: interest)
  }

  func rearm(_ fd: Int32, id: UInt64, key: UInt16, interest: Readiness) {
    poller.modify(fd, token: token(id, key), interest: interest)
  }

  func unwatch(_ fd: Int32) {
    poller.remove(fd)
  }

  func setDeadline(_ id: UInt64, to deadline: Instant?) {
    let mustWake = state.withLock { state in
      // A deadline set after the detachment would stay in the table for ever.
      guard state.handlers.contains(id) else { return false }
      state.deadlines.set(id, to: deadline)
      return deadline.map { state.shortenSleep(to: $0) } ?? false
    }
    if mustWake { poller.wake() }
  }

  func requestWakeup(_ id: UInt64, key: UInt16) {
    let token = token(id, key)
    let mustWake = state.withLock { state in
      guard state.askForWakeup(token) else { return false }
      return state.shortenSleep(to: .distantPast.advanced(by: 1))
    }
    if mustWake { poller.wake() }
  }

  func setGroup(_ id: UInt64, to group: ObjectIdentifier?) {
    state.withLock { state in
      if let index = state.handlers.index(of: id) { state.handlers.setGroup(group, at: index) }
    }
  }

  func detach(_ id: UInt64) {
    // A handler that ends by this does so outside of the lock.
    let kept = state.withLock { state in
      state.deadlines.remove(id)
      return state.handlers.remove(id)
    }
    withExtendedLifetime(kept) {}
  }

  /// Deadline nodes held in memory, dead ones too.
  var deadlineNodeCount: Int {
    state.withLock { $0.deadlines.nodeCount }
  }

  /// The token of an event: 48 bits of id, 16 of key.
  func token(_ id: UInt64, _ key: UInt16) -> UInt64 {
    id << 16 | UInt64(key)
  }
}
