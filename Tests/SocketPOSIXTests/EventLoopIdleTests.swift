import Glibc
import Testing

@testable import SocketPOSIX

@Suite("Event loop: idleness")
struct EventLoopIdleTests {
  /// Nanoseconds of processor time that the loop's thread has used.
  private func processorTime(of loop: EventLoop) throws -> Int64 {
    let thread = try #require(loop.state.withLock { $0.thread })
    var clock = clockid_t()
    try #require(pthread_getcpuclockid(thread, &clock) == 0)
    var time = timespec()
    try #require(clock_gettime(clock, &time) == 0)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  @Test("a loop that has polled because events came quickly sleeps when none comes any more")
  func sleepsAfterPolling() throws {
    try withLoop { loop in
      let signal = try Signal()
      let probe = Probe(on: loop) { _, _, _ in signal.raise() }
      // Each sleep is brief, so that polling becomes due, time and again.
      for round in 0..<10_000 {
        probe.attachment?.requestWakeup(key: UInt16(truncatingIfNeeded: round))
        try signal.wait()
      }
      try settle(loop)
      let before = try processorTime(of: loop)
      var pause = timespec(tv_sec: 0, tv_nsec: 500_000_000)
      clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nil)
      let spent = try processorTime(of: loop) - before
      #expect(spent < milliseconds(50), "\(spent / 1_000_000) ms of 500 ms")
    }
  }
}
