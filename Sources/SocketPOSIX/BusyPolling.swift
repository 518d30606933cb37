/// Decides when a loop that has nothing to do polls for a moment before it sleeps.
///
/// To sleep and to be woken costs several microseconds, on a virtual machine some tens. Where the next event comes
/// sooner than that, as in a quick conversation of requests and answers, polling brings it earlier, and costs the
/// processor no more than the way to sleep and back. So a loop that has slept briefly many times polls instead, and
/// stops when that is too often in vain; the more often it had to stop, the longer it takes to begin again. A loop
/// without work, or with work now and then, never polls.
///
/// A value without a clock: the loop tells it what happened. Times are in nanoseconds.
struct BusyPolling {
  /// How long to poll before sleeping.
  static let longest: Int64 = 30_000
  /// A sleep that was not longer would better have been none: the event came sooner, the rest was the wake-up.
  static let briefSleep: Int64 = 100_000
  /// So many brief sleeps begin it, each longer one taking back half of them; more after failures.
  static let minBriefSleeps = 8
  static let maxBriefSleeps = 4096
  /// What a failure costs in successes, and how many of them are remembered.
  static let failureCost = 8
  static let maxCredit = 64

  private(set) var isDue = false
  private var briefSleeps = 0
  private var wanted = minBriefSleeps
  private var credit = 0

  /// The loop slept without polling first.
  mutating func slept(for nanoseconds: Int64) {
    if nanoseconds <= Self.briefSleep { briefSleeps += 1 } else { briefSleeps /= 2 }
    isDue = briefSleeps >= wanted
  }

  /// The loop polled.
  mutating func polled(inVain: Bool) {
    guard inVain else {
      credit = min(credit + 1, Self.maxCredit)
      if credit == Self.maxCredit { wanted = Self.minBriefSleeps }
      return
    }
    credit -= Self.failureCost
    guard credit < 0 else { return }
    credit = 0
    briefSleeps = 0
    isDue = false
    wanted = min(wanted * 2, Self.maxBriefSleeps)
  }
}
