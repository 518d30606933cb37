import Glibc

/// The lock of one socket, and the thread that owns the socket.
///
/// Two separate things, so that the first is only ever held for short work of the library's own:
/// - the mutex guards the state. It is recursive, because entries nest; no thread waits for a queue or runs foreign
///   code while holding it.
/// - the owner is the thread that runs a `perform(_:)` block, without the mutex. Other threads' calls wait until the
///   block is over (`lock`). The event loop, and work on behalf of callbacks, must not wait for a user's block: they
///   take the mutex alone and learn whether there is an owner (`lockUnlessOwned`).
final class SocketLock {
  private struct Parts {
    var mutex = pthread_mutex_t()
    var ownershipEnds = pthread_cond_t()
  }

  private let parts: UnsafeMutablePointer<Parts>
  /// The thread that owns the socket; 0: none. Guarded by the mutex, like what follows.
  @exclusivity(unchecked) private var owner: UInt = 0
  @exclusivity(unchecked) private var depth = 0

  init() {
    parts = .allocate(capacity: 1)
    parts.initialize(to: Parts())
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
    pthread_mutex_init(&parts.pointee.mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
    pthread_cond_init(&parts.pointee.ownershipEnds, nil)
  }

  deinit {
    pthread_cond_destroy(&parts.pointee.ownershipEnds)
    pthread_mutex_destroy(&parts.pointee.mutex)
    parts.deallocate()
  }

  /// Takes the lock when no other thread owns the socket any more.
  func lock() {
    pthread_mutex_lock(&parts.pointee.mutex)
    if owner != 0 { waitForOwner() }
  }

  /// Takes the mutex regardless of the owner. Returns false if another thread owns the socket: then work that belongs
  /// to the owner's time may only be recorded.
  func lockUnlessOwned() -> Bool {
    pthread_mutex_lock(&parts.pointee.mutex)
    return owner == 0 || owner == Self.currentThread
  }

  func unlock() { pthread_mutex_unlock(&parts.pointee.mutex) }

  private func waitForOwner() {
    let own = Self.currentThread
    // The mutex is held only once here: a nested `lock` does not wait, because the outermost one has.
    while owner != 0, owner != own { pthread_cond_wait(&parts.pointee.ownershipEnds, &parts.pointee.mutex) }
  }

  // MARK: Ownership, with the lock held

  /// Whether a `perform(_:)` block runs; asked behind `lock`, one of this thread.
  var isOwned: Bool { owner != 0 }

  /// The calling thread owns the socket from now on; nests.
  func beginOwning() {
    owner = Self.currentThread
    depth += 1
  }

  /// Returns true if the outermost ownership ends: threads that wait for it may go on.
  func endOwning() -> Bool {
    depth -= 1
    guard depth == 0 else { return false }
    owner = 0
    pthread_cond_broadcast(&parts.pointee.ownershipEnds)
    return true
  }

  private static var currentThread: UInt { UInt(pthread_self()) }
}
