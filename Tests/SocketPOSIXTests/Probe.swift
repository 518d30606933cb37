import Glibc
import SocketPOSIX
import SocketValues
import Testing

@testable import SocketPOSIX

/// Nanoseconds that no healthy run needs.
let generousLimit: Int64 = 20_000_000_000

func milliseconds(_ count: Int64) -> Int64 { count * 1_000_000 }

/// A counter of signals that another thread can wait for.
final class Signal: Sendable {
  private let sender: Descriptor
  private let receiver: Descriptor

  init() throws {
    let ends = try SocketCall.pair().release()
    sender = Descriptor(adopting: ends.first)
    receiver = Descriptor(adopting: ends.second)
  }

  func raise() {
    let byte: [UInt8] = [1]
    _ = byte.withUnsafeBytes { SocketCall.send(sender.rawValue, $0) }
  }

  /// Takes one signal; throws when none comes in time, so that a test ends at the first that is missing.
  func wait(_ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation) throws {
    try #require(wasRaised(), comment ?? "no signal in time", sourceLocation: location)
  }

  @discardableResult
  func wasRaised(within nanoseconds: Int64 = generousLimit) -> Bool {
    guard isReady(receiver.rawValue, POLLIN, within: nanoseconds) else { return false }
    var byte: [UInt8] = [0]
    return byte.withUnsafeMutableBytes { SocketCall.receive(receiver.rawValue, into: $0) } == .bytes(1)
  }
}

/// Waits with poll(2), independently of the loop under test.
func isReady(_ fd: Int32, _ events: Int32, within nanoseconds: Int64 = generousLimit) -> Bool {
  let deadline = Instant.now().advanced(by: nanoseconds)
  while true {
    var entry = pollfd(fd: fd, events: Int16(events), revents: 0)
    let rest = max(0, Instant.now().nanoseconds(until: deadline))
    let outcome = poll(&entry, 1, Int32(clamping: rest / 1_000_000 + 1))
    if outcome > 0 { return true }
    if outcome == 0 { return false }
  }
}

/// A group that lends without end.
final class Group: LoanGroup {
  func mayBegin() -> Bool { true }
  func mayGoOn(after took: Int64) -> Bool { true }
}

/// A handler that records its calls and runs what the test gives it.
final class Probe: EventHandler {
  struct Call: Equatable, Sendable {
    var readiness: Readiness
    var key: UInt16
  }

  private struct State {
    var attachment: SocketPOSIX.Attachment?
    var calls: [Call] = []
    var deadlines: [Instant] = []
    var strayThread = false
  }

  private let state = LockedValue(State())
  private let loop: EventLoop
  private let onReadiness: @Sendable (Probe, Readiness, UInt16) -> Void
  private let onCall: @Sendable (LoopContext) -> Void
  private let onDeadline: @Sendable (Probe) -> Void
  private let onEnd: @Sendable () -> Void

  init(
    on loop: EventLoop,
    onReadiness: @escaping @Sendable (Probe, Readiness, UInt16) -> Void = { _, _, _ in },
    onCall: @escaping @Sendable (LoopContext) -> Void = { _ in },
    onDeadline: @escaping @Sendable (Probe) -> Void = { _ in },
    onEnd: @escaping @Sendable () -> Void = {}
  ) {
    self.loop = loop
    self.onEnd = onEnd
    self.onDeadline = onDeadline
    self.onReadiness = onReadiness
    self.onCall = onCall
    let attachment = loop.attach(self)
    state.withLock { $0.attachment = attachment }
  }

  deinit { onEnd() }

  var attachment: SocketPOSIX.Attachment? { state.withLock { $0.attachment } }
  var calls: [Call] { state.withLock { $0.calls } }
  var deadlines: [Instant] { state.withLock { $0.deadlines } }
  var sawStrayThread: Bool { state.withLock { $0.strayThread } }

  func handleReadiness(_ readiness: Readiness, key: UInt16, _ context: LoopContext) {
    let stray = !loop.isCurrentThread
    state.withLock { state in
      state.calls.append(Call(readiness: readiness, key: key))
      if stray { state.strayThread = true }
    }
    onReadiness(self, readiness, key)
    onCall(context)
  }

  func handleDeadline(_ context: LoopContext) {
    let now = Instant.now()
    state.withLock { $0.deadlines.append(now) }
    onDeadline(self)
    onCall(context)
  }
}

/// Runs `body` with a loop of its own and stops it afterwards.
func withLoop(_ precision: TimerPrecision = .finest, _ body: (EventLoop) throws -> Void) throws {
  let loop = EventLoop(name: "test-loop", precision: precision)
  try #require(loop.startFailure == nil)
  defer { loop.stop() }
  try body(loop)
}

/// Holds the loop's thread inside a call until `release()`.
final class Gate: Sendable {
  private let entered: Signal
  private let opened: Signal
  private let probe: Probe

  init(on loop: EventLoop) throws {
    let entered = try Signal()
    let opened = try Signal()
    self.entered = entered
    self.opened = opened
    probe = Probe(on: loop) { _, _, _ in
      entered.raise()
      opened.wasRaised()
    }
  }

  func hold() throws {
    probe.attachment?.requestWakeup(key: 0)
    try entered.wait("the loop did not come to the gate")
  }

  func release() { opened.raise() }
}

/// Returns after the loop went through whole turns: everything that was pending before has been handled.
func settle(_ loop: EventLoop) throws {
  let signal = try Signal()
  let probe = Probe(on: loop) { _, _, _ in signal.raise() }
  for _ in 0..<3 {
    probe.attachment?.requestWakeup(key: 0)
    try signal.wait()
  }
}

/// A descriptor number far above what the process hands out by itself, so that parallel tests cannot take it.
func parked(_ fd: Int32, at number: Int32) -> Int32 {
  dup2(fd, number)
}

func sendText(_ fd: Int32, _ text: String) -> IOResult {
  Array(text.utf8).withUnsafeBytes { SocketCall.send(fd, $0) }
}

func receiveText(_ fd: Int32, limit: Int = 4096) -> (result: IOResult, text: String) {
  var buffer = [UInt8](repeating: 0, count: limit)
  let result = buffer.withUnsafeMutableBytes { SocketCall.receive(fd, into: $0) }
  guard case .bytes(let count) = result else { return (result, "") }
  return (result, String(decoding: buffer[..<count], as: UTF8.self))
}
