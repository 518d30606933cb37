import Glibc
import HostTools

/// What `/proc` says of other processes. All of them are looked at again and again, on machines that have thousands:
/// their files are read into one memory and searched as the bytes that they are.
struct ProcessTable {
  /// Of an environment, as much as is looked through.
  private static let maxFile = 1 << 20

  private var room = [UInt8](repeating: 0, count: 1 << 14)

  /// All but this one.
  func processes() -> [pid_t] {
    let own = getpid()
    return HostFiles.names(in: "/proc").compactMap(pid_t.init).filter { $0 != own }
  }

  /// Whether the environment that the process was started with has the entry; false for a process that has ended.
  mutating func wasStarted(process: pid_t, withEntry entry: [UInt8]) -> Bool {
    read("/proc/\(process)/environ") { environment in
      var rest = environment
      while let start = rest.baseAddress, !rest.isEmpty {
        let end = memchr(start, 0, rest.count).map { UnsafeRawPointer($0) - start } ?? rest.count
        if end == entry.count, memcmp(start, entry, end) == 0 { return true }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(end + 1))
      }
      return false
    }
  }

  /// The parent of a process that has not ended.
  mutating func parent(of process: pid_t) -> pid_t? {
    read("/proc/\(process)/stat") { status in
      // Behind the name, which may hold anything, come " S 123 ": state and parent.
      guard let end = status.lastIndex(of: UInt8(ascii: ")")), end + 4 < status.count else { return nil }
      let state = status[end + 2]
      guard state != UInt8(ascii: "Z"), state != UInt8(ascii: "X") else { return nil }
      let digits = status[(end + 4)...].prefix { $0 != UInt8(ascii: " ") }
      return pid_t(String(decoding: digits, as: UTF8.self))
    }
  }

  /// What the process calls itself.
  mutating func name(of process: pid_t) -> String {
    let name = read("/proc/\(process)/comm") { String(decoding: $0, as: UTF8.self).filter { $0 != "\n" } }
    return name.isEmpty ? "a process" : name
  }

  /// Calls the body with what the file has; with nothing, if it can't be read.
  private mutating func read<Result>(_ path: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    var count = 0
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor >= 0 {
      defer { close(descriptor) }
      while count < Self.maxFile {
        if count == room.count { room += room }
        let more = room.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count) }
        guard more > 0 else { break }
        count += more
      }
    }
    return room.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
  }
}
