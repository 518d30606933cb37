import SocketValues

/// How long a closed connection is kept for bytes that its peer has not confirmed yet (DIS-22): as long as there is
/// progress, but not forever. A peer that takes one byte now and then must not hold a descriptor for as long as it
/// likes, and many of them not all descriptors of the process. A value without a clock.
package struct LingerLimit {
  /// The longest time without progress, in nanoseconds.
  package static let stall: Int64 = 5_000_000_000
  /// The longest time in all, in nanoseconds. The kernel goes on with what is left then, unless the peer still sends.
  package static let total: Int64 = 60_000_000_000
  /// The number of connections below which none is closed for their number.
  static let minimumKept = 256
  /// The age in nanoseconds below which a connection counts as new: its peer may not have had time to confirm anything.
  static let newConnectionAge: Int64 = 1_000_000_000

  private static let shortestInterval: Int64 = 20_000_000
  private static let longestInterval: Int64 = 250_000_000

  private let began: Instant
  private var outstanding: Int
  private var progressAt: Instant

  /// Begins now, with `outstanding` bytes unconfirmed.
  package init(outstanding: Int, now: Instant) {
    began = now
    self.outstanding = outstanding
    progressAt = now
  }

  /// Whether this connection, the oldest of `count` lingering ones, is closed because there are too many: more than a
  /// quarter of the process's `descriptors`, or more than half if it is new, because a server may close all its
  /// connections at once.
  package func shouldEvict(oldestOf count: Int, descriptors: Int, at now: Instant) -> Bool {
    let isOld = now >= began.advanced(by: Self.newConnectionAge)
    return count > max(Self.minimumKept, descriptors / (isOld ? 4 : 2))
  }

  /// Records how many bytes are unconfirmed at that instant. Returns when to look again, at intervals that grow with
  /// the connection's age; nil: close the connection.
  package mutating func nextLook(outstanding left: Int, at now: Instant) -> Instant? {
    if left < outstanding {
      outstanding = left
      progressAt = now
    }
    let end = min(progressAt.advanced(by: Self.stall), began.advanced(by: Self.total))
    guard left > 0, now < end else { return nil }
    let interval = min(max(began.nanoseconds(until: now) / 8, Self.shortestInterval), Self.longestInterval)
    return min(now.advanced(by: interval), end)
  }
}
