import Dispatch
import Glibc
import SocketPOSIX
import Synchronization

/// Whether blocks can be put on queues for later (`DispatchQueue.asyncAfter`).
///
/// For the first of them in a process libdispatch makes descriptors of its own, and ends the process where there are
/// none. A start that fails for lack of descriptors is to be told, not to crash (CON-35).
package enum QueueTimers {
  private static let isPrepared = Atomic<Bool>(false)
  /// What it makes: the descriptors of an epoll, of an event and of a timer.
  private static let descriptors = 3

  /// Has libdispatch make its descriptors, if that was not done and they can be had.
  package static var areReady: Bool {
    if isPrepared.load(ordering: .relaxed) { return true }
    guard canOpen(descriptors) else { return false }
    DispatchQueue.global().asyncAfter(deadline: .now()) {}
    isPrepared.store(true, ordering: .relaxed)
    return true
  }

  private static func canOpen(_ count: Int) -> Bool {
    guard count > 0 else { return true }
    do {
      let one = try SocketCall.open(family: AF_UNIX)
      let othersToo = canOpen(count - 1)
      one.close()
      return othersToo
    } catch {
      return false
    }
  }
}
