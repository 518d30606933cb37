import Glibc

/// A pointer that each thread has for itself. The system has room for about a thousand of them in a process: they are
/// for `static let`.
package struct ThreadValue: Sendable {
  private let key: pthread_key_t

  /// - Parameter atEnd: is called with the value of a thread that ends, unless the value is nil.
  package init(atEnd: (@convention(c) (UnsafeMutableRawPointer?) -> Void)? = nil) {
    var key = pthread_key_t()
    let code = pthread_key_create(&key, atEnd)
    precondition(code == 0, "The process has no key for values of threads left.")
    self.key = key
  }

  /// The calling thread's; nil until it is set.
  package var pointer: UnsafeMutableRawPointer? {
    get { pthread_getspecific(key) }
    nonmutating set { pthread_setspecific(key, newValue) }
  }
}
