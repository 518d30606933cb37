import Foundation
import Synchronization

/// Work on several threads at the same time.
package enum Concurrently {
  /// Has as many threads do the work as it says, begun together, and returns when all are through.
  ///
  /// - Parameter work: takes the thread's number, from 0.
  /// - Returns: what the threads have thrown, in words.
  package static func run(_ count: Int, _ work: @escaping @Sendable (Int) throws -> Void) throws -> [String] {
    let failures = Failures()
    let (ready, begin, ended) = (Latch(), DispatchSemaphore(value: 0), Latch())
    for number in 0..<count {
      Thread {
        ready.signal()
        begin.wait()
        do { try work(number) } catch { failures.list.withLock { $0.append("\(error)") } }
        ended.signal()
      }.start()
    }
    defer { for _ in 0..<count { begin.signal() } }
    try ready.wait("threads that are ready", count: count)
    for _ in 0..<count { begin.signal() }
    try ended.wait("threads that are through", count: count)
    return failures.list.withLock { $0 }
  }

  private final class Failures: Sendable {
    let list = Mutex<[String]>([])
  }
}
