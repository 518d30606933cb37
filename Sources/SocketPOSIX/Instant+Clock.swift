import Glibc
import SocketValues

extension Instant {
  /// The reading of the clock that never goes back and has no meaning outside this boot of the machine.
  package static func now() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// The same clock as of the kernel's last tick, some milliseconds ago at most: much cheaper to read.
  package static func atLastTick() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
