import Glibc
import SocketValues
import Synchronization

/// Whether and since when a loop's thread is lent.
struct Loan: ~Copyable, Sendable {
  /// When the running calls of the running loan began, in nanoseconds; 0 while there is no loan.
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
  /// A loan takes no more calls after this, so that others who wait for the group get their turn.
  fileprivate static let longest: Int64 = 500_000
  /// So many calls are made before the clock is read again.
  fileprivate static let callsAtOnce = 4

  func beginIteration() { spent.store(0, ordering: .relaxed) }

  /// A thread that was replaced is back.
  func threadIsBack() { isOverdue.store(false, ordering: .relaxed) }

  fileprivate func note(_ start: Int64) {
    last.store(start, ordering: .relaxed)
    since.store(start, ordering: .sequentiallyConsistent)
  }
}

extension EventLoop {
  /// Whether `lend` is allowed: not while a lent thread is overdue, nor when this turn has lent much already.
  package var mayLend: Bool {
    !isThreadAway && loan.spent.load(ordering: .relaxed) < Loan.budget
      && LoopWatchdog.isRunning
  }

  /// Whether the loop has gone on with a new thread, and the one that it had lent is not back yet.
  package var isThreadAway: Bool { loan.isOverdue.load(ordering: .relaxed) }

  /// Runs `body` inside a handler's call on the loop's thread, though it runs foreign code, or waits for it.
  ///
  /// Handing work to another thread costs more than most callbacks do, so the loop lends its own thread for them. The
  /// body gets the thread to where the foreign code of the group runs, does there what it has to, and then calls what
  /// it is given: the loop makes the next calls right there, as long as they are of handlers of the same group.
  ///
  /// When a call is not back soon, the loop goes on with a new thread and leaves the old one to the call: whatever it
  /// waits for, other handlers of this loop may bring it. Its own handler is called once more, with an empty readiness
  /// or about its deadline, to do what it may have put off. At most one thread of a loop is away like that.
  package func lend<Group: LoanGroup>(
    to group: Group, _ context: LoopContext, _ body: (_ goOn: () -> Void) -> Void
  ) {
    let begin = beginLoan()
    body { goOn(lendingTo: group, as: context.thread, since: begin) }
    loan.since.store(0, ordering: .releasing)
  }

  /// The same for foreign code of no group, such as the end of a user's object: no other calls are made inside.
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

  /// Does the work, on no queue yet, and what else is there for its group.
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

  /// The thread ends, or has been replaced: others do what it has not come to.
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

  /// Makes the calls that can be made in the loan, until there is none, or the loan has lasted long enough.
  private func goOn<Group: LoanGroup>(lendingTo group: Group, as thread: LoopThread, since begin: Instant) {
    let identity = ObjectIdentifier(group)
    var start = begin
    // What the last few calls took counts as well, though the loan ends with them.
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

  /// Accounts for the calls since `start`, and begins anew: whether more may be made.
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

  /// Gives the loop a new thread, if the calls that began at `start` still run. Without a thread to be had it waits on.
  func replaceThread(lentSince start: Int64) {
    guard mayReplaceThread(lentSince: start) else { return }
    _ = startThread(named: name) { [self] in
      var work = LentWorkQueue()
      let thread: UInt64? = state.withLock { state in
        guard !state.isStopping, mayReplaceThread(lentSince: start) else { return nil }
        work = state.lentWork.takeAll()
        loan.isOverdue.store(true, ordering: .relaxed)
        state.threadCount += 1
        // Its handler is looked after: it may have put something off until the call is over.
        state.repeatCurrentCall()
        // Nobody joins the lent one any more.
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
