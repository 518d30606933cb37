import Glibc
import SocketPOSIX

/// How long each thread of this process has waited for a processor in all, as the kernel counts it: able to run, and
/// not run. On a machine that others keep busy this is what makes a subject late, and nothing that the lab does itself
/// need be late with it.
///
/// Where the kernel does not count (`CONFIG_SCHED_INFO`), nobody has waited.
struct SchedulingDelays: Sendable {
  /// A reading that is not older serves a case that begins, too: to look at all threads takes some hundred
  /// microseconds, and a worker begins many cases.
  private static let maxAge: Duration = .milliseconds(250)
  private static let latest = LockedValue<(delays: SchedulingDelays, at: ContinuousClock.Instant)?>(nil)

  /// By the threads' ids.
  private let waits: [pid_t: Duration]

  /// - Parameter waits: how long each thread has waited, by its id.
  init(waits: [pid_t: Duration]) { self.waits = waits }

  /// Those of now.
  static var now: SchedulingDelays {
    var waits: [pid_t: Duration] = [:]
    guard let folder = opendir("/proc/self/task") else { return SchedulingDelays(waits: [:]) }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      guard let thread = pid_t(name) else { continue }
      // One that has ended meanwhile has no file.
      waits[thread] = text("/proc/self/task/\(name)/schedstat").flatMap(wait)
    }
    return SchedulingDelays(waits: waits)
  }

  /// Those of now, or of a moment ago.
  static var recent: SchedulingDelays {
    let now = ContinuousClock.now
    if let known = latest.withLock({ $0 }), known.at.duration(to: now) < maxAge { return known.delays }
    let delays = Self.now
    latest.withLock { $0 = (delays, now) }
    return delays
  }

  /// The longest that any thread has waited since the earlier reading.
  func longest(since earlier: SchedulingDelays) -> Duration {
    guard !earlier.waits.isEmpty else { return .zero }
    return waits.lazy.map { thread, wait in
      guard let before = earlier.waits[thread], before <= wait else { return wait }
      return wait - before
    }.max() ?? .zero
  }

  /// The second of the file's three numbers: nanoseconds on a processor, nanoseconds of waiting for one, turns.
  static func wait(_ schedstat: String) -> Duration? {
    let numbers = schedstat.split(separator: " ")
    return numbers.count == 3 ? Int64(numbers[1]).map { .nanoseconds($0) } : nil
  }

  private static func text(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { room in
      let count = read(descriptor, room.baseAddress, room.count)
      return count > 0 ? String(decoding: room[..<count], as: UTF8.self) : nil
    }
  }
}
