import Foundation
import Testing

@testable import SubjectAdapters

@Suite struct SchedulingDelaysTests {
  @Test(
    arguments: [
      ("101250 3290752 2\n", 3_290_752), ("0 0 0", 0), ("", nil), ("1 2", nil), ("1 x 3", nil), ("1 2 3 4", nil),
    ] as [(String, Int64?)])
  func theSecondNumberIsTheWait(_ text: String, nanoseconds: Int64?) {
    #expect(SchedulingDelays.wait(text) == nanoseconds.map { .nanoseconds($0) })
  }

  @Test(
    "of a thread that was not there before, or has the id of a former one, the whole wait counts",
    arguments: [
      ([1: 10, 2: 20], [1: 15, 2: 21], 5), ([1: 10], [1: 11, 2: 7], 7), ([1: 10], [1: 4], 4), ([1: 10], [:], 0),
      ([:], [1: 9], 0), ([1: 10], [1: 10], 0),
    ] as [([pid_t: Int], [pid_t: Int], Int)])
  func theLongestCounts(_ before: [pid_t: Int], _ after: [pid_t: Int], seconds: Int) {
    let delays = [before, after].map { SchedulingDelays(waits: $0.mapValues { .seconds($0) }) }
    #expect(delays[1].longest(since: delays[0]) == .seconds(seconds))
  }

  @Test func threadsThatWaitAreSeen() {
    let before = SchedulingDelays.recent
    // More of them than processors, and all of them able to run.
    let threads = (0..<2 * ProcessInfo.processInfo.activeProcessorCount).map { _ in
      let thread = Thread {
        let end = ContinuousClock.now + .milliseconds(40)
        while ContinuousClock.now < end {}
      }
      thread.start()
      return thread
    }
    var longest = Duration.zero
    while !threads.allSatisfy(\.isFinished) {
      longest = max(longest, SchedulingDelays.now.longest(since: before))
      usleep(1_000)
    }
    #expect(longest > .milliseconds(1))
  }
}
