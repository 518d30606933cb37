import Testing

/// The socket's time.
@Suite struct ClockTests {
  /// Every module that decides when something is over. SocketTLS asks what day it is, for certificates.
  private static let modules = ["CocoaAsyncSocket", "SocketCore", "SocketPOSIX", "SocketRunLoop", "SocketValues"]
  /// Ways to ask for the time of day, which somebody may set.
  private static let words = ["CLOCK_REALTIME", "CLOCK_TAI", "gettimeofday", "WallTime", "wallDeadline", "Date.now"]

  /// Whether a line asks for the time of day. To make a date of given seconds does not.
  private static func asks(_ line: String) -> Bool {
    words.contains(where: line.contains) || line.contains(/\btime\(nil\)|\bDate\((?!timeIntervalSince1970)/)
  }

  @Test("timers follow a clock that nobody sets: the socket never asks for the time of day (TMO-27)")
  func monotonic() {
    let files = Repository.sources.filter { file in Self.modules.contains { file.path.hasPrefix("Sources/\($0)/") } }
    var readers: [String] = []
    for file in files {
      for (index, line) in file.lines.enumerated() where !line.drop(while: { $0 == " " }).hasPrefix("//") {
        #expect(!Self.asks(line), "\(file.path):\(index + 1) depends on the time of day: \(line)")
        if line.contains("CLOCK_MONOTONIC") { readers.append(file.path) }
      }
    }
    // The one clock there is, and what waits by it.
    #expect(readers.contains("Sources/SocketPOSIX/Instant+Clock.swift"), "\(readers)")
  }

  @Test(arguments: [
    "clock_gettime(CLOCK_REALTIME, &now)", "let now = Date()", "Date(timeIntervalSinceNow: 3)", "let now = time(nil)",
    "queue.asyncAfter(wallDeadline: soon)", "return Date.now",
  ])
  func findsTheTimeOfDay(_ line: String) { #expect(Self.asks(line)) }
}
