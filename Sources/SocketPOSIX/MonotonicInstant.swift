import Glibc

/// A point on the clock that never goes back and has no meaning outside this boot of the machine.
package struct MonotonicInstant: Comparable, Hashable, Sendable {
  /// Nanoseconds since the clock's own beginning.
  package let nanoseconds: Int64

  /// Before every reading of the clock.
  package static let distantPast = MonotonicInstant(nanoseconds: .min)
  /// After every reading of the clock.
  package static let distantFuture = MonotonicInstant(nanoseconds: .max)

  /// The instant that many nanoseconds after the clock's beginning.
  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The clock's reading.
  package static func now() -> MonotonicInstant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// The instant later (or, with a negative number, earlier) by that many nanoseconds; stops at the ends of the scale.
  package func advanced(by nanoseconds: Int64) -> MonotonicInstant {
    let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    guard overflow else { return MonotonicInstant(nanoseconds: sum) }
    return nanoseconds < 0 ? .distantPast : .distantFuture
  }

  /// Nanoseconds from this instant until `later`, negative when it has passed; stops at the ends of the scale.
  package func nanoseconds(until later: MonotonicInstant) -> Int64 {
    let (gap, overflow) = later.nanoseconds.subtractingReportingOverflow(nanoseconds)
    guard overflow else { return gap }
    return later < self ? .min : .max
  }

  package static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}
