import Foundation
import Glibc

/// A program that runs beside the test, with its input and output in the test's hands. It is ended when the test lets
/// it go.
package final class ChildProgram: @unchecked Sendable {
  // Unchecked: used by one thread at a time.
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var pending = ""

  /// Starts the program; its error output goes where its output goes.
  package init(_ path: String, _ arguments: [String] = []) throws {
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    try process.run()
    // Otherwise the end of the output would never be seen.
    try output.fileHandleForWriting.close()
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
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Writes to the program's input.
  package func send(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

  /// Ends the program at once. A milder signal would not do: the program inherits a test thread's blocked signals.
  package func terminate() { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// The output up to and including the text.
  package func output(through text: String) throws -> String {
    while true {
      if let range = pending.range(of: text) {
        let head = String(pending[..<range.upperBound])
        pending = String(pending[range.upperBound...])
        return head
      }
      guard try readMore() else { throw WaitFailure("the program ended without \(text); it said: \(pending)") }
    }
  }

  /// All the output that is left, and the exit code.
  package func end() throws -> (output: String, code: Int32) {
    while try readMore() {}
    try eventually("the program has exited") { !process.isRunning }
    return (pending, process.terminationStatus)
  }

  private func readMore() throws -> Bool {
    let descriptor = output.fileHandleForReading.fileDescriptor
    try RawSocket.wait(descriptor, POLLIN, "output of the program; it said: \(pending)")
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &buffer, buffer.count)
    pending += String(decoding: buffer[..<(try posix("read", count))], as: UTF8.self)
    return count > 0
  }
}
