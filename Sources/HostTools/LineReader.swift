import Foundation
import Glibc
import ScenarioModel

/// Cuts what comes out of a pipe into lines, stamps them, and keeps them in a log.
struct LineReader {
  private(set) var isAtEnd = false
  private var log: LogFile?
  private let longest: Int
  private var pending: [UInt8] = []
  private var chunk = [UInt8](repeating: 0, count: 1 << 16)

  init(log: LogFile?, longest: Int) {
    self.log = log
    self.longest = longest
  }

  /// Takes what is there, after waiting for it at most so many milliseconds.
  mutating func read(
    from descriptor: Int32, wait: Int32, at time: () -> Duration, _ onLine: (ChildLine) -> Void
  ) {
    // Nothing will come any more: only wait. A negative number makes poll look at nothing.
    var request = pollfd(fd: isAtEnd ? -1 : descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, wait) > 0 else { return }
    let count = Glibc.read(descriptor, &chunk, chunk.count)
    guard count > 0 else {
      isAtEnd = count == 0 || errno != EINTR
      return
    }
    take(chunk[..<count], at: time(), onLine)
  }

  private mutating func take(_ bytes: ArraySlice<UInt8>, at time: Duration, _ onLine: (ChildLine) -> Void) {
    var rest = bytes
    while let end = rest.firstIndex(of: 10) {
      hold(rest[..<end], at: time, onLine)
      rest = rest[(end + 1)...]
      flush(at: time, onLine)
    }
    hold(rest, at: time, onLine)
  }

  /// Keeps a part of a line. A line without an end must not fill the memory: what is too long goes in pieces, the last
  /// of which waits for the end of the line, so that none is empty.
  private mutating func hold(_ bytes: ArraySlice<UInt8>, at time: Duration, _ onLine: (ChildLine) -> Void) {
    pending += bytes
    while pending.count > longest { flush(at: time, onLine) }
  }

  private mutating func flush(at time: Duration, _ onLine: (ChildLine) -> Void) {
    let piece = pending.prefix(longest)
    let line = ChildLine(time: time, text: String(decoding: piece, as: UTF8.self))
    pending.removeFirst(piece.count)
    log?.append(line)
    onLine(line)
  }

  /// Hands over a last line without an end, and tells what is missing in the log.
  mutating func finish(at time: Duration, _ onLine: (ChildLine) -> Void) -> String? {
    if !pending.isEmpty { flush(at: time, onLine) }
    return log?.close()
  }
}

/// A file of stamped lines that is allowed to fail: the run goes on, and the report says what is missing.
struct LogFile {
  private let path: String
  private let limit: Int
  private var descriptor: Int32
  private var written = 0
  private var lost = 0
  private var problem: String?

  init(_ path: String, limit: Int) {
    self.path = path
    self.limit = limit
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    if descriptor == -1 { problem = systemError() }
  }

  mutating func append(_ line: ChildLine) {
    // Without seconds the parser of logs would have no time.
    let bytes = Array("\(Self.stamp(line.time)) \(line.text)\n".utf8)
    guard problem == nil, written + bytes.count <= limit else {
      lost += 1
      return
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else {
        problem = systemError()
        lost += 1
        return
      }
      rest = rest.dropFirst(max(count, 0))
    }
    written += bytes.count
  }

  /// `12.345`, in seconds.
  static func stamp(_ time: Duration) -> String { String(format: "%.3f", time.inSeconds) }

  /// Says what is missing, if anything is.
  mutating func close() -> String? {
    if descriptor != -1 { _ = Glibc.close(descriptor) }
    descriptor = -1
    if let problem { return "\(path): \(problem); \(QuantityText.count(lost, "line")) lost" }
    return lost > 0
      ? "\(path): cut at \(QuantityText.count(limit)) bytes; \(QuantityText.count(lost, "line")) lost" : nil
  }
}
