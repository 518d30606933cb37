/// What a batch of cases may leave behind, and what is said when it leaves more.
///
/// Two looks: the first is loose, because what a process does for the first time fills caches; it costs one reading a
/// worker. Only what fails it is run again in a fresh worker, once to fill the caches and then to be measured by the
/// strict bounds.
package enum ResourceBounds {
  /// What a process may have too much of.
  package enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
    case descriptors, threads, memory, processor
    /// Descriptors of a subject that is a program of its own.
    case program
  }

  /// Bytes for each case that the strict look allows: records of a case that the process keeps by design (a session
  /// ticket, a cached context) are smaller, a connection's buffers or a lost object graph are larger.
  static let memoryForEachCase = 2_048
  /// Allocators round up, and arenas differ from run to run.
  static let memoryAtLeast = 256 << 10
  /// What the first look allows besides: certificates, contexts, thread caches.
  static let memoryOfCaches = 12 << 20
  static let memoryOfCachesForEachCase = 8 << 10
  /// What is opened when it is needed first, and stays: an epoll and an eventfd of the library's loop and of one more
  /// for a loop that is asleep, three of libdispatch and three of a thread's first run loop, with their timers.
  static let descriptorsOfLoops = 12
  /// Threads of pools come and go. Those of libdispatch are not counted: their number is the system's choice.
  static let threadsAtLeast = 8
  /// A process that is asked nothing may run for this share of the time.
  static let idleShare = 0.5

  /// What looks wrong in a worker that ran `cases` cases.
  package static func suspicions(
    before: ResourceReading, after: ResourceReading, cases: Int
  ) -> Set<Kind> {
    var kinds = certain(before: before, after: after, cases: cases)
    let (held, other) = (after.descriptors.filter(isOfLoops).count, after.descriptors.filter { !isOfLoops($0) }.count)
    if held <= before.descriptors.filter(isOfLoops).count + descriptorsOfLoops,
      other <= before.descriptors.filter({ !isOfLoops($0) }).count
    {
      kinds.remove(.descriptors)
    }
    if after.memory - before.memory <= memoryOfCaches + cases * memoryOfCachesForEachCase { kinds.remove(.memory) }
    if before.programs.isEmpty, isSuspicious(after.programs) { kinds.insert(.program) }
    return kinds
  }

  /// What is wrong after `cases` cases, all of which the process had run before.
  package static func certain(before: ResourceReading, after: ResourceReading, cases: Int) -> Set<Kind> {
    var kinds: Set<Kind> = []
    if after.descriptors.count > before.descriptors.count { kinds.insert(.descriptors) }
    if after.threadCount > before.threadCount + threadsAtLeast { kinds.insert(.threads) }
    if before.memory > 0, after.memory - before.memory > memoryAtLeast + cases * memoryForEachCase {
      kinds.insert(.memory)
    }
    if isBusy(after) { kinds.insert(.processor) }
    if !grown(before, after).isEmpty { kinds.insert(.program) }
    return kinds
  }

  private static func isOfLoops(_ descriptor: String) -> Bool { descriptor.contains("anon_inode:[") }

  private static func isBusy(_ reading: ResourceReading) -> Bool {
    reading.idleTime > .zero && reading.idleProcessorTime > reading.idleTime * idleShare
  }

  /// What was expected and what is, for a deviation. `cases`: how many were run between the readings.
  package static func words(
    _ kind: Kind, before: ResourceReading, after: ResourceReading, cases: Int
  ) -> (expected: String, actual: String) {
    let span = cases == 1 ? "the case" : "\(cases) cases"
    switch kind {
    case .descriptors:
      let more = after.descriptors.count - before.descriptors.count
      return (
        "no descriptor more after \(span) than before",
        "\(more) more: \(shortened(left(before.descriptors, after.descriptors)))"
      )
    case .program:
      let told = grown(before, after).map { program, former in
        let more = program.descriptors.count - former.descriptors.count
        return "\(program.name) \(more) more: \(shortened(left(former.descriptors, program.descriptors)))"
      }
      return ("no descriptor more in the subject's process after \(span) than before", told.joined(separator: "; "))
    case .threads:
      let names = after.countedThreads.filter { $0.value > before.threads[$0.key, default: 0] }
        .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .map { "\($0.value - before.threads[$0.key, default: 0]) of \($0.key)" }
      return (
        "at most \(threadsAtLeast) threads more after \(span) than before",
        "\(after.threadCount - before.threadCount) more: \(shortened(names))"
      )
    case .memory:
      let bound = memoryAtLeast + cases * memoryForEachCase
      let more = after.memory - before.memory
      return (
        "at most \(bound >> 10) KiB more in use after \(span) that the process has run before",
        "\(more >> 10) KiB more: \(more / max(1, cases)) bytes a case"
      )
    case .processor:
      let time = milliseconds(after.idleTime)
      return (
        "at most \(milliseconds(after.idleTime * idleShare)) ms of processor time in \(time) ms in which no case runs",
        "\(milliseconds(after.idleProcessorTime)) ms"
      )
    }
  }

  /// Descriptors that were not there before. Numbers are given anew, so what they lead to counts.
  private static func left(_ before: [String], _ after: [String]) -> [String] {
    let known = Set(before)
    return after.filter { !known.contains($0) }
  }

  private static func shortened(_ list: [String]) -> String {
    let most = 8
    let more = list.count > most ? ", … and \(list.count - most) more" : ""
    return list.prefix(most).joined(separator: ", ") + more
  }

  private static func milliseconds(_ duration: Duration) -> Int {
    Int(duration / .milliseconds(1))
  }
}
