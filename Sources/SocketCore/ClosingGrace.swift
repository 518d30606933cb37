import SocketValues

/// Delays the effect of the peer's FIN after a local write: the thread that wrote may be about to call
/// `disconnectAfterWriting()`, and then the end has no error (DIS-05), even if the peer closes on receipt and before
/// that call.
///
/// After a write in a callback the end waits until that returns, but not for longer than `callbackDuration`: a callback
/// that keeps running must not hide the end from the caller's other threads. After a write by any other thread the end
/// waits for `duration`, unless another event is delivered behind the write's completion before the end is found: then
/// the conversation has moved on. What is delivered before that completion, such as the didConnect that the write has
/// waited for, says nothing about it. A value without a clock.
struct ClosingGrace {
  /// In nanoseconds; longer than a thread that is preempted between two statements is likely to wait for its processor.
  static let duration: Int64 = 10_000_000
  /// In nanoseconds; longer than most callbacks take.
  static let callbackDuration: Int64 = 100_000_000

  private enum Writer { case nobody, callback, otherThread }
  private var writer = Writer.nobody
  /// A write has been completed, and its caller told, since the last one was made.
  private var isWritten = false
  /// Whether an end is waiting.
  private var holds = false
  /// When a waiting end takes effect at the latest; nil: none waits.
  private(set) var end: Instant?

  /// Whether an end that is found now has to wait.
  var holdsEnd: Bool { writer != .nobody }

  /// Whether the failure of a write has to wait: the callback that has written may queue a read that what has arrived
  /// satisfies, and whether that is served must not depend on how soon the write was tried.
  var holdsFailures: Bool { writer == .callback }

  /// Records a write, in a callback or elsewhere. Returns true if a waiting end is due now: a thread that goes on
  /// writing is not about to end the connection.
  mutating func wrote(inCallback: Bool) -> Bool {
    guard !holds else {
      self = ClosingGrace()
      return true
    }
    writer = inCallback ? .callback : .otherThread
    isWritten = false
    return false
  }

  /// Records that an end was found, and waits.
  mutating func endIsHeld(at now: Instant) {
    holds = true
    let duration = writer == .callback ? Self.callbackDuration : Self.duration
    end = end ?? Instant(nanoseconds: now.nanoseconds + duration)
  }

  /// Records that the running callback has returned. Returns true if an end has waited for that.
  mutating func callbackIsOver() -> Bool {
    guard writer == .callback else { return false }
    defer { self = ClosingGrace() }
    return holds
  }

  /// Whether events that are delivered must be passed to `observe`.
  var observesEvents: Bool { writer == .otherThread }

  /// Records that an event is delivered.
  mutating func observe(_ event: SocketEvent) {
    switch event {
    case .didWrite: observeCompletion()
    case .didWritePartial: break
    default: observeOtherEvent()
    }
  }

  /// Records that the completion of a write is delivered.
  mutating func observeCompletion() { isWritten = true }

  /// Records that an event other than the progress or completion of a write is delivered.
  mutating func observeOtherEvent() {
    if writer == .otherThread, isWritten, !holds { writer = .nobody }
  }

  /// Returns true if an end has waited long enough at that instant.
  mutating func isOver(at now: Instant) -> Bool {
    guard let end, end <= now else { return false }
    self = ClosingGrace()
    return true
  }
}
