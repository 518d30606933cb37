import SocketCore
import SocketValues

/// Time as a value: it moves only when told to.
package struct ManualClock: Sendable {
  package private(set) var now: Instant

  /// Starts at an arbitrary origin, not 0, so that nothing works only by being near it.
  package init(origin nanoseconds: Int64 = 7_000_000_000) { now = Instant(nanoseconds: nanoseconds) }

  package mutating func advance(milliseconds: Int64) { advance(nanoseconds: milliseconds * 1_000_000) }

  package mutating func advance(nanoseconds: Int64) { now.nanoseconds += nanoseconds }

  /// The instant `milliseconds` from now.
  package func after(milliseconds: Int64) -> Instant {
    Instant(nanoseconds: now.nanoseconds + milliseconds * 1_000_000)
  }
}
