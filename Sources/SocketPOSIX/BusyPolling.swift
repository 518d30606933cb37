/// Decides when a loop that has nothing to do polls for a moment before it sleeps.
///
/// To sleep and to be woken costs several microseconds, on a virtual machine some tens. Where the next event comes
/// sooner than that, as in a fast exchange of requests and answers, polling handles it earlier, and costs the processor
/// no more than going to sleep and waking up. So a loop that has slept briefly many times polls instead, and stops when
/// that fails too often; the more often it had to stop, the longer it takes to begin again. A loop without work, or
/// with little work, never polls.
///
/// A value without a clock: the loop reports its sleeps and polls. Times are in nanoseconds.
struct BusyPolling {
  /// How long to poll before sleeping.
  static let longest: Int64 = 30_000
  /// A sleep that was not longer did not pay: the event came sooner, the rest was the wake-up.
  static let briefSleep: Int64 = 100_000
  /// The number of brief sleeps that start polling, each longer one taking back half of them; more after failures.
  static let minBriefSleeps = 8
  static let maxBriefSleeps = 4096
  /// The number of successes that a failure cancels; and how many of them are remembered.
  static let failureCost = 8
  static let maxCredit = 64

  private(set) var isDue = false
  private var briefSleeps = 0
  private var wanted = minBriefSleeps
  private var credit = 0

  /// Records that the loop slept without polling first.
  mutating func slept(for nanoseconds: Int64) {
    if nanoseconds <= Self.briefSleep { briefSleeps += 1 } else { briefSleeps /= 2 }
    isDue = briefSleeps >= wanted
  }

  /// Records that the loop polled, with or without an event.
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
