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

  /// Writes files, by their paths in the folder.
  package func write(_ files: [String: String]) throws {
    for (path, text) in files {
      let file = folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
  }

  /// Writes a program, and returns its path.
  package func program(_ name: String, _ text: String) throws -> String {
    try ProgramFile.write(text, to: path(name))
    return path(name)
  }
}

/// Programs that tests write.
package enum ProgramFile {
  /// Writes a file that can be executed. A process of its own does: what this process has open to write is open in each
  /// child that it starts meanwhile, by whatever means, and such a file is not executed.
  package static func write(_ text: String, to path: String) throws {
    let draft = path + ".draft"
    try text.write(toFile: draft, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: draft)
    let copy = Process()
    copy.executableURL = URL(fileURLWithPath: "/bin/cp")
    copy.arguments = [draft, path]
    try copy.run()
    copy.waitUntilExit()
    guard copy.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
    try FileManager.default.removeItem(atPath: draft)
  }
}
