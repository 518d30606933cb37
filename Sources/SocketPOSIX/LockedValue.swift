import Glibc

/// A value behind a lock of the C library.
///
/// The standard library's `Mutex` would do, but ThreadSanitizer on Linux can't see it and reports everything it guards;
/// this one it can. The lock is not recursive, and the body must not call foreign code.
package final class LockedValue<Value>: @unchecked Sendable {
  // Unchecked: the value is touched only inside `withLock`.
  @exclusivity(unchecked) private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// Takes ownership of the value, which is accessible by `withLock` only.
  package init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs the body with exclusive access to the value.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
