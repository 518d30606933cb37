import Glibc
import Synchronization

/// A thread that waits for descriptors and deadlines and tells their handlers.
///
/// Laws:
/// - handlers are called on the loop's thread only, one after the other, with no lock of the loop held; a call that
///   outlasts its welcome inside `lend` is left to its thread, and a new thread is the loop's from then on;
/// - a deadline is never reported early; it may be reported late;
/// - after `detach` (or the end of the attachment) no call starts for it. A call that the loop's thread has begun is
///   not waited for: a detach from another thread may overlap with the last call, a detach inside a call cannot;
/// - attachment ids are never reused and travel with each event, so that a stale event for a descriptor number that
///   has a new owner by now finds nobody;
/// - the loop holds handlers weakly; while it calls one it holds it, so a handler may end on the loop's thread;
/// - a loop that has nothing to do sleeps without end.
///
/// ```
///  prepare: earliest deadline ──> wait ──> events ──> wake-ups ──> due deadlines ──┐
///     ^                                                                            │
///     └────────────────────────────────────────────────────────────────────────────┘
/// ```
/// While the loop sleeps, `sleepingUntil` says until when; whoever brings something earlier rings the bell, once.
package final class EventLoop: Sendable {
  struct HandlerReference {
    weak var handler: (any EventHandler)?
  }

  struct State {
    var lastID: UInt64 = 0
    var handlers: [UInt64: HandlerReference] = [:]
    var deadlines = DeadlineTable()
    /// Tokens whose wake-up was asked for, in order, and the same as a set.
    var wakeups: [UInt64] = []
    var wakeupSet: Set<UInt64> = []
    var turn = Turn()
    /// When the loop comes back by itself; the distant past while it is awake or the bell has been rung.
    var sleepingUntil = MonotonicInstant.distantPast
    var isStopping = false
    var startFailure: SystemCallFailure?
    var thread: pthread_t?
    /// Counts the threads this loop has had; only the newest goes on.
    var threadCount: UInt64 = 0

    /// Notes that the loop has to come back for `instant`: true when the bell must be rung for that.
    mutating func shortenSleep(to instant: MonotonicInstant) -> Bool {
      guard instant < sleepingUntil else { return false }
      sleepingUntil = .distantPast
      return true
    }
  }

  static let batchCapacity = 256

  /// The thread's name.
  package let name: String
  let poller = Poller()
  let state = LockedValue(State())
  /// What the last wait brought.
  let batch: EventBatch
  let loan = Loan()
  /// The loop's thread while it runs; 0 before and after.
  private let threadID = Atomic<UInt>(0)

  /// Starts a loop with a thread of its own. When the system has no descriptor or thread left, the loop exists but
  /// never runs: `startFailure` tells, and every `watch` throws it.
  package init(name: String, precision: TimerPrecision = .finest) {
    self.name = name
    batch = EventBatch(capacity: Self.batchCapacity, precision: precision)
    let failure = poller.failure ?? start()
    state.withLock { $0.startFailure = failure }
  }

  /// Why the loop does not run; nil when it does.
  package var startFailure: SystemCallFailure? {
    state.withLock { $0.startFailure }
  }

  /// Whether the caller runs on this loop's thread.
  package var isCurrentThread: Bool {
    threadID.load(ordering: .relaxed) == UInt(pthread_self())
  }

  /// Registers a handler, which must keep the attachment for as long as it wants to be called.
  package func attach(_ handler: any EventHandler) -> Attachment {
    let id = state.withLock { state in
      state.lastID += 1
      state.handlers[state.lastID] = HandlerReference(handler: handler)
      return state.lastID
    }
    return Attachment(loop: self, id: id)
  }

  /// Ends the loop: no handler is called after this, except one that is being called now. Returns when the thread is
  /// gone, unless called on that thread. Loops that nobody stops keep their thread for the life of the process.
  package func stop() {
    let thread = state.withLock { state in
      state.isStopping = true
      defer { state.thread = nil }
      return state.thread
    }
    guard let thread else { return }
    poller.ring()
    if isCurrentThread {
      pthread_detach(thread)
    } else {
      pthread_join(thread, nil)
    }
  }

  private func start() -> SystemCallFailure? {
    let created = startThread(named: name) { [self] in run(as: 0) }
    guard created.code == 0 else { return SystemCallFailure(call: "pthread_create", code: created.code) }
    state.withLock { $0.thread = created.thread }
    return nil
  }

  /// The life of one of the loop's threads.
  func run(as thread: UInt64) {
    let own = UInt(pthread_self())
    threadID.store(own, ordering: .relaxed)
    defer { _ = threadID.compareExchange(expected: own, desired: 0, ordering: .relaxed) }
    repeat {
      while let call = nextCall(as: thread) { call.make() }
    } while wait(as: thread)
  }
}

// MARK: - What attachments ask for

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

  func setDeadline(_ id: UInt64, to deadline: MonotonicInstant?) {
    let mustRing = state.withLock { state in
      // A deadline set after the detachment would stay in the table for ever.
      guard state.handlers[id] != nil else { return false }
      state.deadlines.set(id, to: deadline)
      return deadline.map { state.shortenSleep(to: $0) } ?? false
    }
    if mustRing { poller.ring() }
  }

  func requestWakeup(_ id: UInt64, key: UInt16) {
    let token = token(id, key)
    let mustRing = state.withLock { state in
      guard state.handlers[id] != nil, state.wakeupSet.insert(token).inserted else { return false }
      state.wakeups.append(token)
      return state.shortenSleep(to: .distantPast.advanced(by: 1))
    }
    if mustRing { poller.ring() }
  }

  func detach(_ id: UInt64) {
    state.withLock { state in
      state.handlers[id] = nil
      state.deadlines.remove(id)
    }
  }

  /// Deadline nodes held in memory, dead ones too.
  var deadlineNodeCount: Int {
    state.withLock { $0.deadlines.nodeCount }
  }

  /// 48 bits of id, 16 of key. A loop that attaches a million handlers a second runs out of ids after nine years.
  private func token(_ id: UInt64, _ key: UInt16) -> UInt64 {
    id << 16 | UInt64(key)
  }
}
