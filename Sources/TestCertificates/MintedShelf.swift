import Glibc
import ScenarioModel

/// What was minted for a class.
struct MintedClass: Sendable {
  var identity: TestIdentity
  /// In PEM.
  var anchor: [UInt8]
}

/// What was minted before, for any thread.
final class MintedShelf: @unchecked Sendable {
  // Unchecked: the dictionary is touched only between lock and unlock. A lock of the C library instead of `Mutex`,
  // because ThreadSanitizer can see it.
  private var classes: [CertificateName: MintedClass] = [:]
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  subscript(name: CertificateName) -> MintedClass? {
    get {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return classes[name]
    }
    set {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      classes[name] = newValue
    }
  }
}
