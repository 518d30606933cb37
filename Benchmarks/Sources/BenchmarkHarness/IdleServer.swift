import BenchmarkModel
import CRivals
import Foundation

/// What an echo server costs while its connections do nothing.
enum IdleServer {
  /// What is held for all connections is held by the first ones.
  private static let first: Int32 = 10

  /// Opens the connections, has each echo one message, and looks at the server; `watching` seconds for its wake-ups.
  static func measure(_ role: ServerRole, connections: Int, watching: Double) throws -> IdleResult {
    let server = try ChildServer(role)
    defer { server.stop() }
    var plan = load_plan()
    plan.port = server.port
    plan.size = 64
    guard let crowd = load_crowd_make(&plan) else { throw MeasurementFailure("no memory for connections") }
    defer { load_crowd_free(crowd) }
    try grow(crowd, to: first, role)
    let before = try memory(of: server.pid)
    try grow(crowd, to: first + Int32(connections), role)
    let after = try memory(of: server.pid)
    let wakeUps = watching > 0 ? try watch(server.pid, seconds: watching) : 0
    return IdleResult(
      id: role.contestant.rawValue, title: role.contestant.title, isSubject: role.contestant.isSubject,
      connections: connections, bytesPerConnection: max(0, after - before) / Double(connections), wakeUps: wakeUps,
      threads: try tasks(of: server.pid).count)
  }

  private static func grow(_ crowd: OpaquePointer, to count: Int32, _ role: ServerRole) throws {
    let result = load_crowd_grow(crowd, count)
    guard result.error == 0 else {
      throw MeasurementFailure(
        "\(count) idle connections to \(role.contestant.rawValue): \(String(cString: result.stage)): "
          + ChildServer.reason(result.error))
    }
  }

  /// Bytes of memory that belong to nobody else's files: heap and stacks.
  private static func memory(of pid: pid_t) throws -> Double {
    guard let kilobytes = try number("RssAnon:", in: "/proc/\(pid)/status") else {
      throw MeasurementFailure("/proc/\(pid)/status does not tell the memory")
    }
    return kilobytes * 1024
  }

  /// Times a second that the kernel put one of the threads on a processor and took it off again. Watched as soon as
  /// two looks a tenth of a second apart are the same, or after ten seconds: threads without work leave late.
  private static func watch(_ pid: pid_t, seconds: Double) throws -> Double {
    var last = try switches(of: pid)
    for _ in 0..<100 {
      pause(0.1)
      let now = try switches(of: pid)
      if now == last { break }
      last = now
    }
    let before = try switches(of: pid)
    pause(seconds)
    return max(0, try switches(of: pid) - before) / seconds
  }

  private static func tasks(of pid: pid_t) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")
  }

  private static func switches(of pid: pid_t) throws -> Double {
    try tasks(of: pid).reduce(0) { sum, task in
      let path = "/proc/\(pid)/task/\(task)/status"
      // A thread may end between the two looks.
      let voluntary = (try? number("voluntary_ctxt_switches:", in: path)) ?? 0
      return sum + voluntary + ((try? number("nonvoluntary_ctxt_switches:", in: path)) ?? 0)
    }
  }

  private static func number(_ name: String, in path: String) throws -> Double? {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first.flatMap { Double($0) }
  }

  private static func pause(_ seconds: Double) {
    var pause = timespec(tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
    nanosleep(&pause, nil)
  }
}
