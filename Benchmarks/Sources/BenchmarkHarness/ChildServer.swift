import BenchmarkModel
import CRivals
import Foundation

/// A server under test in a process of its own: this program again, in another role.
///
/// It lives until its input ends, so it can't outlive this process, however that ends.
package struct ChildServer {
  let pid: pid_t
  let port: UInt16
  private let leash: Int32

  /// Starts the server and waits until it listens.
  init(_ role: ServerRole) throws {
    var input: [Int32] = [-1, -1]
    var output: [Int32] = [-1, -1]
    var error = rival_pipe(&input)
    guard error == 0 else { throw MeasurementFailure("no pipe for a server: \(Self.reason(error))") }
    error = rival_pipe(&output)
    guard error == 0 else {
      input.forEach { close($0) }
      throw MeasurementFailure("no pipe for a server: \(Self.reason(error))")
    }
    leash = input[1]
    defer {
      close(input[0])
      close(output[0])
    }
    do {
      pid = try Self.spawn(Self.arguments(of: role), input: input[0], output: output[1])
    } catch {
      close(input[1])
      close(output[1])
      throw error
    }
    close(output[1])
    let text = Self.firstLine(from: output[0])
    guard text.hasPrefix("port "), let port = UInt16(text.dropFirst("port ".count)) else {
      close(leash)
      Self.bury(pid)
      throw MeasurementFailure("the \(role.kind.rawValue) server of \(role.contestant.rawValue) did not start")
    }
    self.port = port
  }

  /// Ends the server and waits for its end.
  func stop() {
    close(leash)
    Self.bury(pid)
  }

  static func arguments(of role: ServerRole) -> [String] {
    [
      "serve", role.kind.rawValue, role.contestant.rawValue, "--size", "\(role.size)", "--depth", "\(role.depth)",
      "--acknowledge", "\(role.acknowledge)",
    ] + (role.without.map { ["--without", $0.rawValue] } ?? [])
  }

  /// The program that serves; the tests' own process is another one.
  nonisolated(unsafe) package static var program = "/proc/self/exe"  // Unsafe: set once, before anything runs.

  private static func spawn(_ arguments: [String], input: Int32, output: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    var words = (["bench"] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var child: pid_t = 0
    let error = posix_spawn(&child, program, &actions, nil, &words, environ)
    guard error == 0 else { throw MeasurementFailure("a server could not be started: \(reason(error))") }
    return child
  }

  private static func firstLine(from descriptor: Int32) -> String {
    var line: [UInt8] = []
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while line.count < 64, poll(&watched, 1, 10_000) > 0 {
      var byte: UInt8 = 0
      guard read(descriptor, &byte, 1) == 1, byte != 0x0A else { break }
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self)
  }

  /// Waits for the end of a child whose input has ended; one that doesn't end within two seconds is killed.
  private static func bury(_ pid: pid_t) {
    var status: Int32 = 0
    for _ in 0..<200 {
      if waitpid(pid, &status, WNOHANG) != 0 { return }
      var pause = timespec(tv_sec: 0, tv_nsec: 10_000_000)
      nanosleep(&pause, nil)
    }
    kill(pid, SIGKILL)
    waitpid(pid, &status, 0)
  }

  static func reason(_ error: Int32) -> String { String(cString: strerror(error)) }
}

/// Something could not be measured.
package struct MeasurementFailure: Error, CustomStringConvertible {
  /// What, and why.
  package let description: String

  init(_ description: String) { self.description = description }
}
