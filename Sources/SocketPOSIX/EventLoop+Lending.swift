import Glibc
import SocketValues
import Synchronization

/// The state of the loans of a loop's thread.
struct Loan: ~Copyable, Sendable {
  /// When the running calls of the running loan began, in nanoseconds; 0 while there is no loan.
  fileprivate let since = Atomic<Int64>(0)
  /// When the last one began.
  fileprivate let last = Atomic<Int64>(0)
  /// The loop has a new thread, and the lent one has not returned yet.
  fileprivate let isOverdue = Atomic<Bool>(false)
  /// The watchdog knows the loop.
  fileprivate let isWatched = Atomic<Bool>(false)
  /// Nanoseconds lent in this iteration.
  fileprivate let spent = Atomic<Int64>(0)

  /// The nanoseconds that one iteration lends at most: many busy queues are better served by their own threads.
  fileprivate static let budget: Int64 = 2_000_000
  /// The nanoseconds after which a loan takes no more calls, so that other users of the group are not kept waiting.
  fileprivate static let longest: Int64 = 500_000
  /// The number of calls that are made between two readings of the clock.
  fileprivate static let callsAtOnce = 4

  func beginIteration() { spent.store(0, ordering: .relaxed) }

  /// Records that a thread that was replaced has returned.
  func threadIsBack() { isOverdue.store(false, ordering: .relaxed) }

  fileprivate func note(_ start: Int64) {
    last.store(start, ordering: .relaxed)
    since.store(start, ordering: .sequentiallyConsistent)
  }
}

extension EventLoop {
  /// Whether `lend` is allowed: not while a lent thread is overdue, nor after this iteration has lent its budget.
  package var mayLend: Bool {
    !isThreadAway && loan.spent.load(ordering: .relaxed) < Loan.budget
      && LoopWatchdog.isRunning
  }

  /// Whether the loop has gone on with a new thread, and the one that it had lent has not returned yet.
  package var isThreadAway: Bool { loan.isOverdue.load(ordering: .relaxed) }

  /// Runs `body`, which runs foreign code or waits for it, inside a handler's call on the loop's thread.
  ///
  /// Handing work to another thread costs more than most callbacks do, so the loop lends its own thread to them. The
  /// body moves the thread to where the group's foreign code runs, does its work there, and then calls its argument:
  /// the loop makes the next calls right there, as long as they are for handlers of the same group.
  ///
  /// If a call does not return soon, the loop goes on with a new thread and leaves the old one to the call, which may
  /// be waiting for other handlers of this loop. Its own handler is called once more, with an empty readiness or for
  /// its deadline, to do the work that it may have deferred. At most one thread of a loop is away like that.
  package func lend<Group: LoanGroup>(
    to group: Group, _ context: LoopContext, _ body: (_ goOn: () -> Void) -> Void
  ) {
    let begin = beginLoan()
    body { goOn(lendingTo: group, as: context.thread, since: begin) }
    loan.since.store(0, ordering: .releasing)
  }

  /// The same for foreign code of no group, such as the deinitialiser of a user's object: no other calls are made
  /// inside.
  package func lend(_ body: () -> Void) {
    let begin = beginLoan()
    body()
    loan.spent.add(Instant.now().nanoseconds - begin.nanoseconds, ordering: .relaxed)
    loan.since.store(0, ordering: .releasing)
  }

  // MARK: Work for later

  /// See `Attachment.doNext`.
  func doNext(_ work: any LentWork, for id: UInt64, key: UInt16) -> Bool {
    guard isCurrentThread else { return false }
    return state.withLock { state in
      guard !state.isStopping, let thread = state.thread, pthread_equal(thread, pthread_self()) != 0 else {
        return false
      }
      state.lentWork.append(work, token: token(id, key))
      return true
    }
  }

  /// Does the work, not on any queue yet, and then the other work of its group.
  func lend(to work: any LentWork, as thread: LoopThread) {
    let group = work.group
    guard mayLend, group.mayBegin() else { return work.handOver() }
    let begin = beginLoan()
    work.insideGroup {
      work.run()
      goOn(lendingTo: group, as: thread, since: begin)
    }
    loan.since.store(0, ordering: .releasing)
  }

  /// The thread ends, or has been replaced: has other threads do the work that it has not done.
  func handOverWork(of thread: LoopThread) {
    let work = state.withLock { state in
      state.threadCount == thread.number ? state.lentWork.takeAll() : LentWorkQueue()
    }
    work.handOver()
  }

  private func beginLoan() -> Instant {
    let begin = Instant.now()
    loan.note(begin.nanoseconds)
    if !loan.isWatched.exchange(true, ordering: .relaxed) { LoopWatchdog.register(self) }
    LoopWatchdog.wake()
    return begin
  }

  /// Makes the calls that can be made in the loan, until there are none, or the loan has lasted long enough.
  private func goOn<Group: LoanGroup>(lendingTo group: Group, as thread: LoopThread, since begin: Instant) {
    let identity = ObjectIdentifier(group)
    var start = begin
    // The last few calls are accounted for, too, although the loan ends with them.
    while mayGoOn(lendingTo: group, since: begin, &start) {
      var made = 0
      while made < Loan.callsAtOnce, let step = nextStep(as: thread, lentTo: identity) {
        switch step {
        case .call(let call): call.make(in: identity, as: thread)
        case .work(let work): work.run()
        }
        made += 1
      }
      if made == 0 { return }
    }
  }

  /// Accounts for the calls since `start`, and resets it. Returns whether more may be made.
  private func mayGoOn<Group: LoanGroup>(
    lendingTo group: Group, since begin: Instant, _ start: inout Instant
  ) -> Bool {
    let now = Instant.now()
    let took = now.nanoseconds - start.nanoseconds
    loan.spent.add(took, ordering: .relaxed)
    start = now
    guard group.mayGoOn(after: took), now.nanoseconds - begin.nanoseconds < Loan.longest else { return false }
    loan.note(now.nanoseconds)
    return true
  }

  /// When the running loan's present calls began, and when the last ones did, in nanoseconds.
  var loans: (running: Int64?, last: Int64) {
    let since = loan.since.load(ordering: .sequentiallyConsistent)
    return (since == 0 ? nil : since, loan.last.load(ordering: .relaxed))
  }

  /// Gives the loop a new thread, if the calls that began at `start` are still running. If no thread can be created,
  /// the loop waits.
  func replaceThread(lentSince start: Int64) {
    guard mayReplaceThread(lentSince: start) else { return }
    _ = startThread(named: name) { [self] in
      var work = LentWorkQueue()
      let thread: UInt64? = state.withLock { state in
        guard !state.isStopping, mayReplaceThread(lentSince: start) else { return nil }
        work = state.lentWork.takeAll()
        loan.isOverdue.store(true, ordering: .relaxed)
        state.threadCount += 1
        // Its handler is called again: it may have deferred work until the call returns.
        state.repeatCurrentCall()
        // The lent thread is not joined any more.
        if let lent = state.thread { pthread_detach(lent) }
        state.thread = pthread_self()
        return state.threadCount
      }
      work.handOver()
      if let thread { run(asNumber: thread) } else { pthread_detach(pthread_self()) }
    }
  }

  private func mayReplaceThread(lentSince start: Int64) -> Bool {
    !loan.isOverdue.load(ordering: .relaxed) && loan.since.load(ordering: .sequentiallyConsistent) == start
  }
}
