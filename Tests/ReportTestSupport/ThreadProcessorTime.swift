import Glibc

/// What the calling thread computes. Unlike the time of the clock it does not grow when the machine has other work, so
/// that two of them can be compared in a test.
package enum ThreadProcessorTime {
  /// Seconds of processor time that `work` takes on this thread, the best of `attempts`.
  package static func seconds(bestOf attempts: Int = 1, _ work: () throws -> Void) rethrows -> Double {
    var best = Double.infinity
    for _ in 0..<attempts {
      let begin = now
      try work()
      best = min(best, now - begin)
    }
    return best
  }

  private static var now: Double {
    var time = timespec()
    precondition(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
