import SocketValues

/// How long a closed connection is kept for bytes that its peer has not confirmed yet (DIS-22): as long as there is
/// progress, but not forever. A peer that takes one byte now and then must not hold a descriptor for as long as it
/// likes, and many of them not all descriptors of the process. A value without a clock.
package struct LingerLimit {
  /// So long without progress, in nanoseconds, and the connection is given up.
  package static let stall: Int64 = 5_000_000_000
  /// So long in all, in nanoseconds. The kernel goes on with what is left then, unless the peer still speaks.
  package static let total: Int64 = 60_000_000_000
  /// So many connections are always kept.
  static let most = 256
  /// So long, in nanoseconds, a peer may need to confirm anything.
  static let leastAge: Int64 = 1_000_000_000

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

  /// Whether this one, the oldest of so many connections, is given up because there are too many of them, at that
  /// instant. A process that may have so many descriptors lends a quarter of them, and half of them to connections
  /// whose peers have had no time yet: a server may end all that it has at once.
  package func givesWay(oldestOf count: Int, descriptors: Int, at now: Instant) -> Bool {
    let isOld = now >= began.advanced(by: Self.leastAge)
    return count > max(Self.most, descriptors / (isOld ? 4 : 2))
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
