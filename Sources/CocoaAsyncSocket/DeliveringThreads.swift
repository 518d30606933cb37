import SocketPOSIX

/// The threads that are inside a `disconnect()` which delivers before it returns, and so may wait for another queue,
/// each with the queues that nothing else runs on before it has returned: those of all sockets of the process, because
/// a circle of threads that wait for each other may lead through several of them (INV-12).
///
/// Whoever holds a queue and waits registers, and waits for no queue that somebody who is registered holds. So of two
/// of them only the later one may be waited for, and no circle comes about. Whoever holds nothing may wait for all.
struct DeliveringThreads {
  typealias QueueID = ObjectIdentifier

  static let all = LockedValue(DeliveringThreads())

  private var held: [(delivery: UInt64, queues: [QueueID])] = []
  private var lastDelivery: UInt64 = 0

  /// Whether a thread that delivers holds the queue.
  func isHeld(_ queue: QueueID) -> Bool { held.contains { $0.queues.contains(queue) } }

  /// Notes that a thread that holds these queues is going to wait for others. Returns what `ends` wants.
  mutating func begins(holding queues: [QueueID]) -> UInt64 {
    lastDelivery += 1
    held.append((lastDelivery, queues))
    return lastDelivery
  }

  /// Notes that it has delivered.
  mutating func ends(_ delivery: UInt64) { held.removeAll { $0.delivery == delivery } }
}
