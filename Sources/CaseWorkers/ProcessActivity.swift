import Glibc
import SocketPOSIX

/// What /proc tells of another process: whether it is at work.
package enum ProcessActivity {
  /// A process that is gone can't run.
  package static func of(_ process: pid_t) -> (isRunnable: Bool, processorTime: Duration) {
    let threads = ProcFiles.entries(of: "/proc/\(process)/task").compactMap { thread in
      ThreadLine(ProcFiles.text("/proc/\(process)/task/\(thread)/stat"))
    }
    return (threads.contains { $0.state == "R" }, threads.reduce(.zero) { $0 + $1.processorTime })
  }

  /// A thread's line in /proc, whose second field is a name that may hold anything.
  struct ThreadLine {
    var state: Character
    var processorTime: Duration

    init?(_ line: String) {
      guard let end = line.lastIndex(of: ")") else { return nil }
      let fields = line[line.index(after: end)...].split(separator: " ")
      // Fields 3 (state), 14 and 15 (ticks in user and kernel mode) of the manual.
      guard fields.count > 12, let state = fields[0].first, let user = Int(fields[11]), let system = Int(fields[12])
      else { return nil }
      self.state = state
      processorTime = .seconds(user + system) / max(1, sysconf(Int32(_SC_CLK_TCK)))
    }
  }
}

/// Small files and folders below /proc.
enum ProcFiles {
  /// Empty when it can't be read.
  static func text(_ path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 1_024)
    let count = read(file, &text, text.count)
    return String(decoding: text.prefix(max(0, count)), as: UTF8.self)
  }

  /// Names in a folder; none when it can't be read.
  static func entries(of folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }
}
