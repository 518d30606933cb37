import Glibc
import ScenarioModel

/// What was minted for a class.
struct MintedClass: Sendable {
  var identity: TestIdentity
  /// In PEM.
  var anchor: [UInt8]
}

/// The classes that were minted before, for any thread. Of several threads that ask for the same class at once, one
/// mints it and the others wait; no thread waits for another class.
final class CertificateCache: @unchecked Sendable {
  // Unchecked: what is variable is touched only between lock and unlock. A lock of the C library instead of `Mutex`,
  // because it can be waited on and ThreadSanitizer can see it.
  private var classes: [CertificateName: MintedClass] = [:]
  private var beingMinted: Set<CertificateName> = []
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>

  init() {
    mutex = .allocate(capacity: 1)
    changed = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// The class, minted by `mint` (outside of the lock) if it never was; a failure is not remembered.
  func value(
    of name: CertificateName, mint: () throws(CertificateFailure) -> MintedClass
  ) throws(CertificateFailure) -> MintedClass {
    if let known = knownOrReserved(name) { return known }
    do {
      let minted = try mint()
      finish(name, minted)
      return minted
    } catch {
      finish(name, nil)
      throw error
    }
  }

  /// The class that was minted and fits; the caller must not mint inside.
  func name(where fits: (MintedClass) -> Bool) -> CertificateName? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return classes.first { fits($0.value) }?.key
  }

  /// nil: it is the caller's to mint, and to finish.
  private func knownOrReserved(_ name: CertificateName) -> MintedClass? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while beingMinted.contains(name) { pthread_cond_wait(changed, mutex) }
    if let known = classes[name] { return known }
    beingMinted.insert(name)
    return nil
  }

  private func finish(_ name: CertificateName, _ minted: MintedClass?) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    beingMinted.remove(name)
    classes[name] = minted
    pthread_cond_broadcast(changed)
  }
}
