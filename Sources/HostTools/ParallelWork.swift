import Dispatch
import Synchronization

/// Does a list of things, several at a time.
package enum ParallelWork {
  /// Calls `body` once for each item, begun in their order, on up to `jobs` threads (at least 1); returns after the
  /// last.
  package static func run<Item: Sendable>(_ items: [Item], jobs: Int, _ body: @Sendable (Item) -> Void) {
    let next = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: min(jobs, items.count)) { _ in
      while true {
        let index = next.withLock { next in
          defer { next += 1 }
          return next
        }
        guard index < items.count else { return }
        body(items[index])
      }
    }
  }
}
