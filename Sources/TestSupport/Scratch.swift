import Foundation

/// Processes as the kernel lists them.
package enum Processes {
  /// Whether the process is gone, or only waits for its parent to notice. Waits a moment for the kernel to act.
  package static func isGone(_ process: pid_t) -> Bool { eventually { !isRunning(process) } }

  package static func eventually(_ seconds: Double = 10, _ condition: () -> Bool) -> Bool {
    (try? TestSupport.eventually("a process", limit: seconds, condition)) != nil
  }

  package static func isRunning(_ process: pid_t) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let state = text.split(separator: ")").last?.split(separator: " ").first
    else { return false }
    return state != "Z" && state != "X"
  }

  /// What the children of a process are called that its first thread has started.
  package static func children(of process: pid_t) -> [String] {
    let children = try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
    return (children ?? "").split(separator: " ").compactMap {
      try? String(contentsOfFile: "/proc/\($0)/comm", encoding: .utf8).trimmingCharacters(in: .newlines)
    }
  }
}

/// A folder that is removed with the value.
package final class Scratch {
  package let folder: URL

  package init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  package func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
}
