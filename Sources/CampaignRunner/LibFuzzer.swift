import Foundation
import FuzzHarness
import HostTools
import ScenarioModel

/// How libFuzzer is called.
package enum LibFuzzer {
  /// Seconds for one input.
  package static let inputTimeout = 10
  /// Megabytes for one allocation.
  static let allocationLimit = 512

  /// Megabytes for a process: a sanitizer's shadow counts.
  static func memoryLimit(_ lane: FuzzTarget.Lane) -> Int {
    switch lane {
    case .cov, .plain: 1024
    case .asan: 2048
    case .tsan: 4096
    }
  }

  /// What holds for every call: the limits of one input.
  package static func limits(_ target: FuzzTarget, _ lane: FuzzTarget.Lane) -> [String] {
    var flags = [
      "-timeout=\(inputTimeout)", "-rss_limit_mb=\(memoryLimit(lane))", "-malloc_limit_mb=\(allocationLimit)",
      "-max_len=\(target.maxLength)",
    ]
    // After a hop between threads libFuzzer takes every input for a leak and looks, which costs all the speed.
    if target.hopsThreads { flags.append("-detect_leaks=0") }
    return flags
  }

  /// The arguments of a search. New inputs go to the first folder; the others are only read.
  package static func search(
    _ unit: FuzzUnit, seed: UInt32, remaining: FuzzBudget, folders: [String], dictionary: String?, artifacts: String
  ) -> [String] {
    var flags = limits(unit.target, unit.lane)
    flags += ["-seed=\(seed)", "-artifact_prefix=\(artifacts)/", "-print_final_stats=1"]
    switch remaining {
    case .time(let time): flags.append("-max_total_time=\(max(1, Int(time.inSeconds.rounded(.up))))")
    case .executions(let count): flags.append("-runs=\(max(1, count))")
    }
    if let dictionary { flags.append("-dict=\(dictionary)") }
    return flags + folders
  }

  /// Variables that change how a fuzzer runs, in order.
  static let variables = [
    "ASAN_OPTIONS", "LSAN_OPTIONS", "SWIFT_BACKTRACE", "SWIFT_DETERMINISTIC_HASHING", "TSAN_OPTIONS",
  ]

  /// What a fuzzer is started for.
  package enum Purpose: Sendable {
    /// Millions of inputs, so only what is cheap for each.
    case search
    /// A few, each of which is worth the most careful look.
    case replay
  }

  /// The environment of a fuzzer: what the parent has, and what fuzzing needs.
  package static func environment(
    _ lane: FuzzTarget.Lane, _ purpose: Purpose, parent: [String: String] = ProcessInfo.processInfo.environment,
    symbolizer: String? = HostTool.symbolizer.path
  ) -> [String: String] {
    var environment = parent
    environment["SWIFT_BACKTRACE"] = "enable=no"
    environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
    environment[FuzzProcess.parentPipeVariable] = "\(ParentDeathPipe.descriptor)"
    let naming = symbolizer.map { ":external_symbolizer_path=\($0)" } ?? ""
    // A small quarantine: the default keeps half a gigabyte. Free of a wrong address still shows its history.
    // Frames on the heap, which show a use after return, are a quarter of a search's time: only replays have them.
    let care =
      switch purpose {
      case .search: "quarantine_size_mb=4:thread_local_quarantine_size_kb=16:detect_stack_use_after_return=0"
      case .replay: "quarantine_size_mb=64:thread_local_quarantine_size_kb=256:detect_stack_use_after_return=1"
      }
    environment["ASAN_OPTIONS"] = "\(care):detect_leaks=1:abort_on_error=0\(naming)"
    // Without it a race is reported and the fuzzer goes on, with no artifact.
    environment["TSAN_OPTIONS"] = "halt_on_error=1:report_bugs=1\(naming)"
    environment["LSAN_OPTIONS"] = "print_suppressions=0"
    // The coverage lane's own stacks.
    if let symbolizer { environment["ASAN_SYMBOLIZER_PATH"] = symbolizer }
    return environment
  }

  /// What the name of an artifact says of it.
  package enum Artifact: String, CaseIterable {
    case crash = "crash-"
    case leak = "leak-"
    case timeout = "timeout-"
    case oom = "oom-"
    case slow = "slow-unit-"

    /// By the beginning of the file's name, whatever folder it is in; nil: it is no artifact.
    package init?(file: String) {
      let name = (file as NSString).lastPathComponent
      guard let kind = Self.allCases.first(where: { name.hasPrefix($0.rawValue) }) else { return nil }
      self = kind
    }
  }
}
