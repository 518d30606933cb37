import SocketValues

/// Whether an orderly end of the peer's waits a moment before it ends the connection, because whoever has just written
/// may be about to ask for the end himself: after `write; disconnectAfterWriting()` the end has no error (DIS-05), also
/// when the peer closes on receipt and is quicker than the second call.
///
/// A callback that has written is waited for until it returns; any other thread for `duration`, unless something else
/// than the completion of a write has been told meanwhile: then the conversation has moved on. A value without a clock.
struct ClosingGrace {
  /// Longer than a thread that lost its processor between two statements is likely to wait for it.
  static let duration: Int64 = 10_000_000

  private enum Writer { case nobody, callback, otherThread }
  private var writer = Writer.nobody
  /// Whether an end waits.
  private var holds = false
  /// When it is told at the latest; nil: none waits, or it waits for the callback.
  private(set) var end: Instant?

  /// Whether an end that is found now has to wait.
  var holdsEnd: Bool { writer != .nobody }

  /// Something was written, in a callback or elsewhere. True: an end that waits is due now, because whoever goes on
  /// writing does not ask for one.
  mutating func wrote(inCallback: Bool) -> Bool {
    guard !holds else {
      self = ClosingGrace()
      return true
    }
    writer = inCallback ? .callback : .otherThread
    return false
  }

  /// An end was found, and waits.
  mutating func endIsHeld(at now: Instant) {
    holds = true
    if writer == .otherThread { end = end ?? Instant(nanoseconds: now.nanoseconds + Self.duration) }
  }

  /// The running callback has returned. True: an end has waited for it.
  mutating func callbackIsOver() -> Bool {
    guard writer == .callback else { return false }
    defer { self = ClosingGrace() }
    return holds
  }

  /// Whether `tells` must hear of the events that are told.
  var observesEvents: Bool { writer == .otherThread }

  /// An event is told.
  mutating func observe(_ event: SocketEvent) {
    switch event {
    case .didWrite, .didWritePartial: break
    default: observeOtherEvent()
    }
  }

  /// Something other than the progress or completion of a write is told.
  mutating func observeOtherEvent() {
    if writer == .otherThread, !holds { writer = .nobody }
  }

  /// Time has passed. True: an end has waited long enough.
  mutating func isOver(at now: Instant) -> Bool {
    guard let end, end <= now else { return false }
    self = ClosingGrace()
    return true
  }
}
