import Foundation
import Glibc

/// Something that a test waited for did not come.
package struct WaitFailure: Error, CustomStringConvertible {
  /// What was waited for, and what was seen instead.
  package let description: String

  /// A wait that ended without result.
  package init(_ description: String) { self.description = description }
}

/// Seconds that no healthy run needs, on however loaded a machine.
package let generousLimit: Double = 60

/// Waits until the condition holds, asking again every millisecond; throws when it does not within the limit (seconds).
package func eventually(_ what: String, limit: Double = generousLimit, _ condition: () throws -> Bool) throws {
  let end = monotonicSeconds() + limit
  while try !condition() {
    guard monotonicSeconds() < end else { throw WaitFailure("never became true: \(what)") }
    var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
    nanosleep(&pause, nil)
  }
}

/// Watches that a condition stays true for a while (seconds): the first moment it is false ends the watch with false.
package func stays(for seconds: Double, _ condition: () -> Bool) -> Bool {
  let end = monotonicSeconds() + seconds
  while monotonicSeconds() < end {
    guard condition() else { return false }
    var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
    nanosleep(&pause, nil)
  }
  return condition()
}

/// Seconds of the monotonic clock.
package func monotonicSeconds() -> Double { seconds(of: CLOCK_MONOTONIC) }

func seconds(of clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Counts signals that other threads wait for.
package final class Latch: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  /// A latch without a signal.
  package init() {}

  /// Lets one wait end.
  package func signal() { semaphore.signal() }

  /// Takes `count` signals; throws when they don't come.
  package func wait(_ what: String, count: Int = 1, limit: Double = generousLimit) throws {
    let deadline = DispatchTime.now() + limit
    for index in 0..<count where semaphore.wait(timeout: deadline) == .timedOut {
      throw WaitFailure("\(what): \(index) of \(count) signals came")
    }
  }
}

/// A queue whose blocks wait until the gate is opened.
package final class QueueBlocker: Sendable {
  private let entered = Latch()
  private let opened = DispatchSemaphore(value: 0)

  /// Blocks the queue; returns when nothing runs on it any more.
  package init(blocking queue: DispatchQueue) throws {
    let (entered, opened) = (entered, opened)
    queue.async {
      entered.signal()
      _ = opened.wait(timeout: .now() + 2 * generousLimit)
    }
    try entered.wait("the queue to be blocked")
  }

  /// Lets the queue go on.
  package func open() { opened.signal() }
}

/// Runs the body on `count` new threads at once and returns when all have ended.
package func onThreads(
  _ count: Int, stackSize: Int = 1 << 20, limit: Double = 2 * generousLimit, _ body: @escaping @Sendable (Int) -> Void
) throws {
  let start = DispatchSemaphore(value: 0)
  let done = Latch()
  for index in 0..<count {
    let thread = Thread {
      start.wait()
      body(index)
      done.signal()
    }
    thread.stackSize = stackSize
    thread.start()
  }
  for _ in 0..<count { start.signal() }
  try done.wait("\(count) threads to end", count: count, limit: limit)
}
