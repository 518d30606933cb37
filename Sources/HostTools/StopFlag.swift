import Synchronization

/// Says that work is to end early: set once, from any thread, and read by the threads that work.
package final class StopFlag: Sendable {
  private let value = Mutex(false)

  package init() {}

  /// Whether work is to end.
  package var isSet: Bool { value.withLock { $0 } }

  /// Returns whether it was set before.
  @discardableResult
  package func set() -> Bool {
    value.withLock { value in
      defer { value = true }
      return value
    }
  }
}
