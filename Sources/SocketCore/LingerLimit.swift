import SocketValues

/// How long a closed connection is kept for bytes that its peer has not confirmed yet (DIS-22): as long as there is
/// progress, but not forever. A peer that takes one byte now and then must not hold a descriptor for as long as it
/// likes, and many of them not all descriptors of the process. A value without a clock.
package struct LingerLimit {
  /// So long without progress, in nanoseconds, and the connection is given up.
  package static let stall: Int64 = 5_000_000_000
  /// So long in all, in nanoseconds. The kernel goes on with what is left then, unless the peer still speaks.
  package static let total: Int64 = 60_000_000_000
  /// So many connections are kept at once; one more, and the oldest is given up.
  package static let most = 256

  private static let shortestInterval: Int64 = 20_000_000
  private static let longestInterval: Int64 = 250_000_000

  private let began: Instant
  private var outstanding: Int
  private var progressAt: Instant

  /// From now on, with so many bytes unconfirmed.
  package init(outstanding: Int, now: Instant) {
    began = now
    self.outstanding = outstanding
    progressAt = now
  }

  /// Records how many bytes are unconfirmed at that instant. Returns when to look again, which is the less often the
  /// longer it takes; nil: the connection is to be closed.
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
