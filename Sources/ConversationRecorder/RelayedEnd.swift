import Glibc
import SocketPOSIX

/// One of the two ends, and what is on its way to it.
final class RelayedEnd {
  let descriptor: Descriptor
  var unsent: [UInt8] = []
  /// An urgent byte that goes before what is unsent.
  var unsentUrgent: UInt8?
  /// It sends no more.
  var hasFinished = false
  /// It was told that no more comes.
  var wasFinished = false
  /// It takes nothing any more.
  var ignoresInput = false
  /// It was reset: what the system tells as its end, once the error is taken, is none.
  var isReset = false
  /// So many of its bytes may still be taken.
  var allowance = Int.max
  /// Bytes of it that were written down and not sent on.
  var drained = 0

  init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  var hasUnsent: Bool { unsentUrgent != nil || !unsent.isEmpty }
  /// Bytes that are unsent.
  var unsentCount: Int { unsent.count + (unsentUrgent == nil ? 0 : 1) }

  /// Bytes that have arrived and were not taken.
  var waiting: Int { SocketCall.incomingQueueCount(descriptor.rawValue) ?? 0 }

  /// Bytes that a reset would take from it. A local socket has what was sent to it.
  var unacknowledged: Int {
    guard !ignoresInput, SocketCall.family(descriptor.rawValue) != AF_UNIX else { return 0 }
    // The end of the stream counts like a byte.
    return max(0, (SocketCall.outgoingQueueCount(descriptor.rawValue) ?? 0) - (wasFinished ? 1 : 0))
  }
}
