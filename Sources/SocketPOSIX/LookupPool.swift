import Glibc
import SocketValues

/// Threads that look host names up.
///
/// `getaddrinfo` blocks, for many seconds if name servers don't answer, and can't be cancelled. So lookups have threads
/// of their own, as many as `LookupSchedule` lets run at once; one that finds no work ends after `idleTimeout`.
///
/// Answers are delivered on these threads, with no lock held. The receiver must not block there: it would delay others'
/// lookups.
package final class LookupPool<Answer: Sendable>: @unchecked Sendable {
  // Unchecked: everything that changes is touched with the mutex held.
  /// Looks the name up; on a thread of the pool's.
  package typealias Work = @Sendable () -> Answer
  /// Receives the answer.
  package typealias Waiter = @Sendable (Answer) -> Void
  /// Names a lookup, to cancel it.
  package typealias Ticket = LookupSchedule<Work, Waiter>.Ticket

  /// The most threads a pool has.
  package let limit: Int
  private let idleTimeout: Int64
  private let name: String
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>

  // MARK: Below the mutex

  private var schedule: LookupSchedule<Work, Waiter>
  private var threadCount = 0
  /// Threads that wait for work.
  private var idleCount = 0

  /// `idleTimeout` in nanoseconds; `name` is the threads', of which the kernel keeps 15 bytes.
  package init(
    limit: Int = 64, domainLimit: Int = 16, idleTimeout: Int64 = 5_000_000_000, name: String = "socket-resolver"
  ) {
    self.limit = limit
    self.idleTimeout = idleTimeout
    self.name = name
    schedule = LookupSchedule(limit: limit, domainLimit: domainLimit)
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    changed = .allocate(capacity: 1)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    // Its threads hold it, so there are none.
    pthread_cond_destroy(changed)
    changed.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Threads there are now.
  package var threads: Int { withLock { threadCount } }

  /// Looks a host up: `work` does it, `waiter` receives the answer. With a `sharedName`, lookups of the same name that
  /// are made meanwhile share the answer. nil: no thread can be created, and no answer will come.
  package func lookUp(
    _ host: String, sharedName: String?, _ work: @escaping Work, then waiter: @escaping Waiter
  ) -> Ticket? {
    withLock {
      let ticket = schedule.add(host, sharedName: sharedName, work, waiter)
      if schedule.ready > idleCount {
        startThread()
        guard threadCount > 0 else {
          schedule.cancel(ticket)
          return nil
        }
      }
      pthread_cond_signal(changed)
      return ticket
    }
  }

  /// Cancels a lookup. Its answer may still come if it is being delivered already.
  package func cancel(_ ticket: Ticket) {
    // Released without the mutex: closures may hold anything.
    let cancelled = withLock { schedule.cancel(ticket) }
    withExtendedLifetime(cancelled) {}
  }

  private func startThread() {
    guard threadCount < limit else { return }
    let created = SocketPOSIX.startThread(named: name) { [self] in serve() }
    guard created.code == 0 else { return }
    pthread_detach(created.thread)
    threadCount += 1
  }

  /// The body of a thread.
  private func serve() {
    pthread_mutex_lock(mutex)
    while true {
      var next = schedule.begin()
      if next == nil, !waitForWork() { break }
      pthread_mutex_unlock(mutex)
      perform(&next)
      pthread_mutex_lock(mutex)
    }
    threadCount -= 1
    pthread_mutex_unlock(mutex)
  }

  /// Looks up and delivers, and releases the closures: without the mutex, because they may hold anything.
  private func perform(_ next: inout (run: LookupSchedule<Work, Waiter>.RunID, work: Work)?) {
    guard let (run, work) = next.take() else { return }
    let answer = work()
    for waiter in withLock({ schedule.finish(run) }) { waiter(answer) }
  }

  /// Returns false when no work has come for so long that the thread is not needed any more.
  private func waitForWork() -> Bool {
    let end = Instant.now().advanced(by: idleTimeout).nanoseconds
    var until = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    idleCount += 1
    defer { idleCount -= 1 }
    while schedule.ready == 0 {
      if pthread_cond_timedwait(changed, mutex, &until) == ETIMEDOUT { return schedule.ready > 0 }
    }
    return true
  }

  private func withLock<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
