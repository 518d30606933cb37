import Foundation
import Glibc
import SocketPOSIX

/// What the operating system says about this process. The figures concern everything that runs in it, so tests that
/// compare them run alone in a process of their own (exit tests).
package enum ProcessFacts {
  /// Descriptors open now.
  package static func openDescriptors() -> Int {
    guard let directory = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(directory) }
    var count = 0
    while let entry = readdir(directory) {
      if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
    }
    // The listing's own descriptor is among them.
    return count - 1
  }

  /// Descriptors open once their number has stayed the same for a while: what is closed in the background is closed.
  package static func settledDescriptors() throws -> Int {
    var count = openDescriptors()
    var since = monotonicSeconds()
    try eventually("the number of descriptors settles") {
      let now = openDescriptors()
      if now != count {
        count = now
        since = monotonicSeconds()
      }
      return monotonicSeconds() - since > 0.1
    }
    return count
  }

  /// Threads of that name (the kernel keeps 15 bytes of it).
  package static func threads(named name: String) -> Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.count { task in
      let found = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
      return found?.trimmingCharacters(in: .newlines) == String(name.prefix(15))
    }
  }

  /// Whether a sanitizer watches the process: it needs memory of its own for everything that is allocated.
  package static var isSanitized: Bool {
    dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
  }

  /// Seconds of processor time that all threads used so far.
  package static func processorTime() -> Double { seconds(of: CLOCK_PROCESS_CPUTIME_ID) }

  /// Bytes of memory in use now.
  package static func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Bytes that were allocated and not freed, of all threads: unlike what is resident they follow at once. nil: the C
  /// library does not tell.
  package static func allocatedBytes() -> Int? { ProcessMemory.allocatedBytes() }

  /// The share of one processor that the process uses while nothing is asked of it for `duration` seconds.
  package static func idleLoad(over duration: Double = 0.3) -> Double {
    let before = processorTime()
    let start = monotonicSeconds()
    var pause = timespec(tv_sec: Int(duration), tv_nsec: Int(duration.truncatingRemainder(dividingBy: 1) * 1e9))
    nanosleep(&pause, nil)
    return (processorTime() - before) / (monotonicSeconds() - start)
  }

  /// Lowers the limit of descriptors so that this many more can be opened.
  package static func allowDescriptors(more: Int) {
    // The limit is one of numbers, and there may be unused ones between those in use.
    var number: Int32 = 0
    var unused = 0
    while true {
      if fcntl(number, F_GETFD) < 0 {
        if unused == more { break }
        unused += 1
      }
      number += 1
    }
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = rlim_t(number)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// Raises the limit of descriptors to what is allowed.
  package static func allowMostDescriptors() {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// Has SIGPIPE end the process, as in a program that does nothing about it.
  package static func restoreBrokenPipeSignal() { signal(SIGPIPE, SIG_DFL) }

  /// Sends the process SIGUSR1 all the time while the body runs; system calls are interrupted by it, not restarted.
  package static func underSignalStorm<Result>(_ body: () throws -> Result) rethrows -> Result {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    sigaction(SIGUSR1, &action, nil)
    let isOver = LockedValue(false)
    let ended = DispatchSemaphore(value: 0)
    let storm = Thread {
      while !isOver.withLock({ $0 }) {
        kill(getpid(), SIGUSR1)
        var pause = timespec(tv_sec: 0, tv_nsec: 50_000)
        nanosleep(&pause, nil)
      }
      ended.signal()
    }
    storm.start()
    defer {
      isOver.withLock { $0 = true }
      ended.wait()
    }
    return try body()
  }
}
