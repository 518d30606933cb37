import Glibc
import SocketPOSIX
import SocketValues
import Testing

/// What instants are readings of.
@Suite struct InstantClockTests {
  private static func monotonic() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  @Test("instants are readings of the clock that nobody sets (TMO-27)")
  func monotonic() {
    let earlier = Self.monotonic()
    let exact = Instant.now().nanoseconds
    let coarse = Instant.atLastTick().nanoseconds
    let later = Self.monotonic()
    #expect((earlier...later).contains(exact))
    // The last tick of the slowest kernels is ten milliseconds ago.
    #expect((earlier - 1_000_000_000...later).contains(coarse))
  }
}
