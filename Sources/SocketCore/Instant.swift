/// A point on a monotonic clock, in nanoseconds since some fixed origin. The core never reads a clock: every verb that
/// needs the time is given it.
package struct Instant: Comparable, Hashable, Sendable {
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// For verbs that don't look at the time (`SocketMachine.usesTime`).
  package static let irrelevant = Instant(nanoseconds: 0)

  package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

  /// The instant so many seconds later, or nil when a timer for it would never fire: negative, NaN, infinite and
  /// absurdly long timeouts all mean "never" (TMO-01, TMO-19).
  package func after(seconds: Double) -> Instant? {
    guard seconds >= 0, seconds < Self.longestTimeout else { return nil }
    return Instant(nanoseconds: nanoseconds &+ Int64((seconds * 1e9).rounded(.up)))
  }

  /// A hundred years in seconds; more than that is never.
  private static let longestTimeout: Double = 100 * 366 * 24 * 3600
}
