import Foundation
import Glibc
import Synchronization

/// A program that runs beside the test, with its input and output in the test's hands. It is ended when the test lets
/// it go.
package final class ChildProgram: @unchecked Sendable {
  // Unchecked: used by one thread at a time.
  private let process = Process()
  private let input: Pipe
  private let output: Pipe
  private var pending = ""

  /// A program inherits what another thread opens while it starts. With the pipe of another program's output among it,
  /// that one's end would not be seen before both have ended: one starts at a time.
  private static let starting = Mutex(())

  /// Starts the program; its error output goes where its output goes.
  package init(_ path: String, _ arguments: [String] = []) throws {
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    (input, output) = try Self.starting.withLock { [process] _ in
      let (input, output) = (Pipe(), Pipe())
      process.standardInput = input
      process.standardOutput = output
      process.standardError = output
      try process.run()
      // Otherwise the end of the output would never be seen.
      try output.fileHandleForWriting.close()
      return (input, output)
    }
  }

  deinit { terminate() }

  /// The path of an executable of this package, which lies beside the test bundle; nil if it was not built.
  package static func product(_ name: String) -> String? {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let path = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(name).path
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }

  /// The path of an installed tool; nil if there is none of that name.
  package static func tool(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    // Daemons are not on everybody's path.
    let folders = path.split(separator: ":").map(String.init) + ["/usr/local/sbin", "/usr/sbin"]
    return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Whether it has not ended yet.
  package var isRunning: Bool { process.isRunning }

  /// Its number.
  package var pid: pid_t { process.processIdentifier }

  /// Sends it a signal; one that it waits for by `signalfd`, as Dispatch does, or SIGKILL: see `terminate`.
  package func send(signal number: Int32) { kill(process.processIdentifier, number) }

  /// Ends the program's input.
  package func endInput() throws { try input.fileHandleForWriting.close() }

  /// How many descriptors it has open.
  package func descriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
  }

  /// Writes to the program's input.
  package func send(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

  /// Ends the program at once. A milder signal would not do: the program inherits a test thread's blocked signals.
  package func terminate() { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// The output up to and including the text.
  package func output(through text: String) throws -> String {
    let end = monotonicSeconds() + generousLimit
    while true {
      if let range = pending.range(of: text) {
        let head = String(pending[..<range.upperBound])
        pending = String(pending[range.upperBound...])
        return head
      }
      guard try readMore(until: end) else {
        throw WaitFailure("the program ended without \(text); it said: \(pending.suffix(500))")
      }
    }
  }

  /// All the output that is left, and the exit code.
  package func end() throws -> (output: String, code: Int32) {
    let end = monotonicSeconds() + generousLimit
    while try readMore(until: end) {}
    try eventually("the program has exited") { !process.isRunning }
    return (pending, process.terminationStatus)
  }

  /// The limit is one of all that is waited for: a program that says the same again and again does not move it.
  private func readMore(until end: Double) throws -> Bool {
    let descriptor = output.fileHandleForReading.fileDescriptor
    let what = "output of the program; it said: \(pending.suffix(500))"
    try RawSocket.wait(descriptor, POLLIN, what, within: max(0, end - monotonicSeconds()))
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &buffer, buffer.count)
    pending += String(decoding: buffer[..<(try posix("read", count))], as: UTF8.self)
    return count > 0
  }
}
