import Glibc
import ScenarioModel

/// Processor time and memory of this process and of the children that it has waited for.
enum ResourceUse {
  static var now: RunResources {
    let parts = [RUSAGE_SELF, RUSAGE_CHILDREN].map { who -> (memory: Int, processor: Duration) in
      var usage = rusage()
      getrusage(who.rawValue, &usage)
      // The kernel counts memory in KiB.
      return (Int(usage.ru_maxrss) << 10, time(usage.ru_utime) + time(usage.ru_stime))
    }
    return RunResources(
      peakMemory: parts.map(\.memory).max() ?? 0, processor: parts.map(\.processor).reduce(.zero, +))
  }

  private static func time(_ value: timeval) -> Duration {
    .seconds(value.tv_sec) + .microseconds(value.tv_usec)
  }
}
