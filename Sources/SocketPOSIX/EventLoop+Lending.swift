import Glibc
import Synchronization

/// Whether and since when a loop's thread is lent.
struct Loan: ~Copyable, Sendable {
  /// When the running loan began, in nanoseconds; 0 while there is none.
  fileprivate let since = Atomic<Int64>(0)
  /// When the last one began.
  fileprivate let last = Atomic<Int64>(0)
  /// The loop has a new thread, and the one that was lent is not back yet.
  fileprivate let isOverdue = Atomic<Bool>(false)
  /// The watchdog knows the loop.
  fileprivate let isWatched = Atomic<Bool>(false)
  /// Nanoseconds lent in this turn.
  fileprivate let spent = Atomic<Int64>(0)

  /// Longer than this in one turn the loop lends nothing: many busy queues are better served by threads of their own.
  fileprivate static let budget: Int64 = 2_000_000

  func beginTurn() { spent.store(0, ordering: .relaxed) }

  /// A thread that was replaced is back.
  func threadIsBack() { isOverdue.store(false, ordering: .relaxed) }
}

extension EventLoop {
  /// Whether `lend` is allowed: not while a lent thread is overdue, nor when this turn has lent much already.
  package var mayLend: Bool {
    !loan.isOverdue.load(ordering: .relaxed) && loan.spent.load(ordering: .relaxed) < Loan.budget
      && LoopWatchdog.isRunning
  }

  /// Runs `body` inside a handler's call on the loop's thread, though it runs foreign code, or waits for it: the
  /// nanoseconds that it took.
  ///
  /// Handing work to another thread costs more than most callbacks do, so the loop lends its own thread for them. When
  /// the body is not back soon, the loop goes on with a new thread and leaves the old one to the body: whatever the
  /// body waits for, other handlers of this loop may bring it. At most one thread of a loop is away like that.
  package func lend(_ body: () -> Void) -> Int64 {
    let start = MonotonicInstant.now().nanoseconds
    loan.last.store(start, ordering: .relaxed)
    loan.since.store(start, ordering: .sequentiallyConsistent)
    if !loan.isWatched.exchange(true, ordering: .relaxed) { LoopWatchdog.register(self) }
    LoopWatchdog.wake()
    body()
    loan.since.store(0, ordering: .releasing)
    let took = MonotonicInstant.now().nanoseconds - start
    loan.spent.add(took, ordering: .relaxed)
    return took
  }

  /// When the running loan began, and when the last one did, in nanoseconds.
  var loans: (running: Int64?, last: Int64) {
    let since = loan.since.load(ordering: .sequentiallyConsistent)
    return (since == 0 ? nil : since, loan.last.load(ordering: .relaxed))
  }

  /// Gives the loop a new thread, if the loan that began at `start` still runs. Without a thread to be had it waits on.
  func replaceThread(lentSince start: Int64) {
    guard mayReplaceThread(lentSince: start) else { return }
    _ = startThread(named: name) { [self] in
      let thread: UInt64? = state.withLock { state in
        guard !state.isStopping, mayReplaceThread(lentSince: start) else { return nil }
        loan.isOverdue.store(true, ordering: .relaxed)
        state.threadCount += 1
        // Nobody joins the lent one any more.
        if let lent = state.thread { pthread_detach(lent) }
        state.thread = pthread_self()
        return state.threadCount
      }
      if let thread { run(as: thread) } else { pthread_detach(pthread_self()) }
    }
  }

  private func mayReplaceThread(lentSince start: Int64) -> Bool {
    !loan.isOverdue.load(ordering: .relaxed) && loan.since.load(ordering: .sequentiallyConsistent) == start
  }
}
