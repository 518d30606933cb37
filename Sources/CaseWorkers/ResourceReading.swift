import Glibc
import ScenarioModel
import SocketPOSIX

/// What a process holds and uses at one moment.
package struct ResourceReading: Hashable, Sendable, Codable {
  /// Open descriptors and what they lead to, as /proc says it: `12 socket:[4711]`.
  package var descriptors: [String]
  /// How many threads there are of each name.
  package var threads: [String: Int]
  /// Bytes that are allocated and not freed; 0 where the C library can't say.
  package var memory: Int
  /// Of `idleTime`, in which nothing was asked of the process: how long its threads ran.
  package var idleProcessorTime: Duration
  package var idleTime: Duration
  /// The subjects that are programs of their own and wait for a case.
  package var programs: [ProgramHoldings] = []

  package init(
    descriptors: [String], threads: [String: Int], memory: Int, idleProcessorTime: Duration = .zero,
    idleTime: Duration = .zero
  ) {
    self.descriptors = descriptors
    self.threads = threads
    self.memory = memory
    self.idleProcessorTime = idleProcessorTime
    self.idleTime = idleTime
  }

  /// Without libdispatch's workers, which it names after the quality of service of their queue.
  package var countedThreads: [String: Int] { threads.filter { !$0.key.contains("-qos") } }
  package var threadCount: Int { countedThreads.values.reduce(0, +) }
}

/// Reads the resources of this process.
package enum ResourceProbe {
  /// Processor time of this process so far.
  package static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  /// What this process holds at this moment; the idle times, which `settled` measures, are zero.
  package static func read() -> ResourceReading {
    var reading = held()
    reading.memory = ProcessMemory.allocatedBytes() ?? 0
    return reading
  }

  /// Without the allocator's sums, which take a walk over all that it has.
  private static func held() -> ResourceReading {
    ResourceReading(descriptors: descriptors(), threads: threads(), memory: 0)
  }

  /// Reads until nothing is on its way out any more: until no descriptor or thread is held that looks like too much, or
  /// `settleTimeout` is over. Then looks for `idle` how busy the process is.
  package static func settled(
    _ baseline: ResourceReading?, settleTimeout: Duration, idle: Duration = .milliseconds(30)
  ) -> ResourceReading {
    let clock = ContinuousClock()
    let end = clock.now + settleTimeout
    var reading = held()
    while clock.now < end, let baseline, !reading.isWithin(baseline) {
      Pause.milliseconds(5)
      reading = held()
    }
    reading.memory = ProcessMemory.allocatedBytes() ?? 0
    let before = (clock.now, processorTime)
    Pause.milliseconds(Int(idle / .milliseconds(1)))
    reading.idleProcessorTime = processorTime - before.1
    reading.idleTime = clock.now - before.0
    return reading
  }

  /// Reads what programs hold until none holds what looks like too much, or `settleTimeout` is over: a program may
  /// close what it has closed for its user a little later.
  ///
  /// - Parameter read: what they hold at this moment.
  package static func settledPrograms(
    _ baseline: ResourceReading?, settleTimeout: Duration, read: () -> [ProgramHoldings]
  ) -> [ProgramHoldings] {
    let clock = ContinuousClock()
    let end = clock.now + settleTimeout
    var reading = ResourceReading(descriptors: [], threads: [:], memory: 0)
    reading.programs = read()
    while clock.now < end, let baseline,
      baseline.programs.isEmpty
        ? ResourceBounds.isSuspicious(reading.programs) : !ResourceBounds.grown(baseline, reading).isEmpty
    {
      Pause.milliseconds(5)
      reading.programs = read()
    }
    return reading.programs
  }

  private static func descriptors() -> [String] {
    let folder = "/proc/self/fd"
    return ProcFiles.entries(of: folder).compactMap { name in
      var target = [UInt8](repeating: 0, count: 256)
      let count = target.withUnsafeMutableBytes {
        $0.baseAddress.map { base in
          readlink("\(folder)/\(name)", base.assumingMemoryBound(to: CChar.self), 256)
        } ?? -1
      }
      // The folder that is being read is gone by now.
      guard count > 0, case let text = String(decoding: target[..<count], as: UTF8.self), !text.hasSuffix("/fd") else {
        return nil
      }
      return "\(name) \(text)"
    }
  }

  private static func threads() -> [String: Int] {
    var names: [String: Int] = [:]
    for entry in ProcFiles.entries(of: "/proc/self/task") {
      let name = ProcFiles.text("/proc/self/task/\(entry)/comm").split(separator: "\n").first.map(String.init) ?? ""
      names[name, default: 0] += 1
    }
    return names
  }
}

extension ResourceReading {
  /// Whether nothing more is to be waited for: what is held beyond the other reading is what `ResourceBounds` allows.
  func isWithin(_ other: ResourceReading) -> Bool {
    ResourceBounds.suspicions(before: other, after: self, cases: 0).isDisjoint(with: [.descriptors, .threads])
  }
}
