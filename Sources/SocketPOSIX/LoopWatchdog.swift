import Glibc
import SocketValues
import Synchronization

/// Watches loops that lend their threads: one whose thread is away for long gets a new one.
///
/// It has a thread of its own, which checks every few milliseconds while loops lend and sleeps without end soon after
/// they have stopped, so an idle process is not woken.
final class LoopWatchdog: Sendable {
  /// How often it checks, and how long a loan may last, in nanoseconds.
  static let loanLimit: Int64 = 4_000_000
  /// The number of checks without a loan after which it sleeps.
  private static let maxIdleLooks = 4

  private static let shared = LoopWatchdog()

  /// A strong reference until `forget`: a weak one would make every later retain of the loop slower, for everybody.
  private struct Watched {
    let loop: EventLoop
    var lastLoan: Int64 = 0
  }

  private let isStarted = Atomic<Bool>(false)
  private let isAwake = Atomic<Bool>(false)
  private let loops = LockedValue<[Watched]>([])
  private let wakeups = Semaphore()

  private init() {
    let code = startThread(named: "socket-watchdog") { [self] in run() }.code
    isStarted.store(code == 0, ordering: .relaxed)
  }

  /// Whether there is one: the system may have no thread left for it.
  static var isRunning: Bool { shared.isStarted.load(ordering: .relaxed) }

  /// Has the loop watched until it is stopped.
  static func register(_ loop: EventLoop) {
    shared.loops.withLock { loops in
      // Its last call may lend when it has been stopped already.
      if !loop.isStopping { loops.append(Watched(loop: loop)) }
    }
  }

  /// The loop has been told to stop.
  static func forget(_ loop: EventLoop) {
    // The reference leaves the lock before it can be the last one.
    let watched = shared.loops.withLock { loops in
      loops.firstIndex { $0.loop === loop }.map { loops.remove(at: $0) }
    }
    withExtendedLifetime(watched) {}
  }

  /// A loan has begun: wakes the watchdog.
  static func wake() {
    guard !shared.isAwake.load(ordering: .sequentiallyConsistent) else { return }
    if !shared.isAwake.exchange(true, ordering: .sequentiallyConsistent) { shared.wakeups.post() }
  }

  private func run() {
    while true {
      wakeups.wait()
      var idleLooks = 0
      while idleLooks < Self.maxIdleLooks {
        var pause = timespec(tv_sec: 0, tv_nsec: Int(Self.loanLimit))
        clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nil)
        idleLooks = look() ? 0 : idleLooks + 1
      }
      // A loan that begins now either finds the watchdog asleep and wakes it, or is seen here.
      isAwake.store(false, ordering: .sequentiallyConsistent)
      if look(), !isAwake.exchange(true, ordering: .sequentiallyConsistent) { wakeups.post() }
    }
  }

  /// Checks all loops once. Returns whether any of them has lent since the last time, or does now.
  private func look() -> Bool {
    let now = Instant.now().nanoseconds
    var isBusy = false
    var overdue: [(loop: EventLoop, since: Int64)] = []
    loops.withLock { loops in
      for index in loops.indices {
        let (running, last) = loops[index].loop.loans
        if running != nil || last != loops[index].lastLoan { isBusy = true }
        loops[index].lastLoan = last
        if let running, now - running >= Self.loanLimit { overdue.append((loops[index].loop, running)) }
      }
    }
    for (loop, since) in overdue { loop.replaceThread(lentSince: since) }
    return isBusy
  }
}

/// A counting semaphore of the C library.
private final class Semaphore: @unchecked Sendable {
  // Unchecked: the C library's calls guard it.
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func post() { sem_post(semaphore) }

  func wait() { _ = uninterrupted { Int(sem_wait(semaphore)) } }
}
