import Dispatch
import SocketPOSIX
import Synchronization

/// The state of a queue that all sockets on it share. It is found on the queue itself and lives as long.
///
/// It decides whether the loop's thread serves the queue itself (`DispatchQueue.sync`) or hands the work to a thread of
/// the queue. The hand-over costs several microseconds, a short callback a fraction of one. But a busy queue, or a
/// delegate that takes long, is better served by a thread of its own: after a slow turn the next ones are handed over,
/// and the more of them, the more often that happens.
final class SharedQueue: LoanGroup {
  /// A turn that takes longer, in nanoseconds, the wait for the queue included, is slow.
  static let slow: Int64 = 500_000
  private static let minPause = 16
  private static let maxPause = 4096

  private static let key = DispatchSpecificKey<SharedQueue>()
  // A value that has a size: ThreadSanitizer takes one that has none for its neighbour.
  private static let making = LockedValue(false)

  /// Set on this queue, and on its target queues that users have marked (THR-11); the value counts the marks.
  private let presence = DispatchSpecificKey<Int>()
  /// Blocks that were handed over and have not ended.
  private let handedOver = Atomic<Int>(0)
  /// The number of turns that are handed over before the loop's thread serves the queue again.
  private let left = Atomic<Int>(0)
  private let pause = Atomic<Int>(minPause)
  /// Whether only its own thread can serve it: the main queue.
  private let isBound: Bool

  private init(isBound: Bool) { self.isBound = isBound }

  /// The shared state of that queue, made on first use. nil for the process-wide concurrent queues, which have threads
  /// of their own anyway.
  static func of(_ queue: DispatchQueue) -> SharedQueue? {
    if let shared = queue.getSpecific(key: key) { return shared }
    if queue.isGlobal { return nil }
    return making.withLock { _ in
      if let shared = queue.getSpecific(key: key) { return shared }
      let shared = SharedQueue(isBound: queue.isSame(as: .main))
      // Whoever finds it needs the mark.
      queue.setSpecific(key: shared.presence, value: 1)
      queue.setSpecific(key: key, value: shared)
      return shared
    }
  }

  /// That of the queue that the caller runs on; nil: it has none.
  static var current: SharedQueue? { DispatchQueue.getSpecific(key: key) }

  /// Whether the caller runs on the queue, or on one that is marked as its target.
  var isCurrent: Bool { DispatchQueue.getSpecific(key: presence) != nil }

  /// Counts a mark on a target queue, or takes one back.
  func mark(_ target: DispatchQueue, by count: Int) {
    Self.making.withLock { _ in
      let marks = max(0, (target.getSpecific(key: presence) ?? 0) + count)
      target.setSpecific(key: presence, value: marks == 0 ? nil : marks)
    }
  }

  // MARK: The choice of the thread

  /// Whether the loop's thread may serve the queue this time.
  func mayBegin() -> Bool {
    guard !isBound, handedOver.load(ordering: .relaxed) == 0 else { return false }
    guard left.load(ordering: .relaxed) <= 0 else {
      left.subtract(1, ordering: .relaxed)
      return false
    }
    if pause.load(ordering: .relaxed) > Self.minPause { pause.subtract(1, ordering: .relaxed) }
    return true
  }

  /// Records that the loop's thread has served some turns, in `took` nanoseconds. Returns whether it may serve more of
  /// them at once.
  func mayGoOn(after took: Int64) -> Bool {
    guard took > Self.slow else { return handedOver.load(ordering: .relaxed) == 0 }
    let now = pause.load(ordering: .relaxed)
    left.store(now, ordering: .relaxed)
    pause.store(min(now * 2, Self.maxPause), ordering: .relaxed)
    return false
  }

  func willHandOver() { handedOver.add(1, ordering: .relaxed) }

  func didServeHandedOver() { handedOver.subtract(1, ordering: .relaxed) }
}
