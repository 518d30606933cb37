/// A point on a monotonic clock, in nanoseconds since some fixed origin: the start of the machine, or of a simulated
/// world. Nothing but the rim reads a clock (`Instant.now()` in SocketPOSIX); everybody else is given the time.
@frozen package struct Instant: Comparable, Hashable, Sendable {
  /// Nanoseconds since the origin of the clock; before it, negative.
  package var nanoseconds: Int64

  /// Before every reading of the clock.
  @inlinable package static var distantPast: Instant { Instant(nanoseconds: .min) }
  /// After every reading of the clock.
  @inlinable package static var distantFuture: Instant { Instant(nanoseconds: .max) }
  /// A placeholder for calls that do not read their argument `now` (`SocketMachine.usesTime`).
  @inlinable package static var irrelevant: Instant { Instant(nanoseconds: 0) }

  @inlinable package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  @inlinable package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

  @inlinable package static func == (left: Self, right: Self) -> Bool { left.nanoseconds == right.nanoseconds }

  /// The instant later (or, with a negative number, earlier) by that many nanoseconds; stops at the ends of the scale.
  package func advanced(by nanoseconds: Int64) -> Instant {
    let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    guard overflow else { return Instant(nanoseconds: sum) }
    return nanoseconds < 0 ? .distantPast : .distantFuture
  }

  /// Nanoseconds from this instant until `later`, negative when it has passed; stops at the ends of the scale.
  package func nanoseconds(until later: Instant) -> Int64 {
    let (gap, overflow) = later.nanoseconds.subtractingReportingOverflow(nanoseconds)
    guard overflow else { return gap }
    return later < self ? .min : .max
  }

  /// The instant `seconds` later, or nil when a timer for it would never fire: negative, NaN, infinite and absurdly
  /// long timeouts all mean "never" (TMO-01, TMO-19).
  package func after(seconds: Double) -> Instant? {
    guard seconds >= 0, seconds < Self.longestTimeout else { return nil }
    return Instant(nanoseconds: nanoseconds &+ Int64((seconds * 1e9).rounded(.up)))
  }

  /// A hundred years in seconds; more than that is never.
  private static let longestTimeout: Double = 100 * 366 * 24 * 3600
}
