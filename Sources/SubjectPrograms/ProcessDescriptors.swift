import Foundation
import HostTools

/// What processes have open, as /proc tells it.
enum ProcessDescriptors {
  /// Of a tree of processes so many are looked at.
  private static let maxProcesses = 64

  /// The process and all that it has started and that run now.
  static func tree(of process: pid_t) -> [pid_t] {
    var processes = [process]
    var next = 0
    while next < min(processes.count, maxProcesses) {
      processes += children(of: processes[next])
      next += 1
    }
    return Array(processes.prefix(maxProcesses))
  }

  /// The descriptors of the processes, each with its process in front and with what it leads to: `812/7 socket:[4711]`.
  /// None of a process that is gone.
  static func open(in processes: [pid_t]) -> [String] {
    processes.flatMap { process in
      HostFiles.names(in: "/proc/\(process)/fd").compactMap { number in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\(number)")
        return target.map { "\(process)/\(number) \($0)" }
      }
    }
  }

  private static func children(of process: pid_t) -> [pid_t] {
    HostFiles.names(in: "/proc/\(process)/task").flatMap { thread in
      let text = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/children", encoding: .utf8)
      return (text ?? "").split(separator: " ").compactMap { pid_t($0) }
    }
  }
}
