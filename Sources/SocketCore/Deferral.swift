import SocketValues

/// What calls inside a running callback put off until it has returned.
///
/// A read that is queued in didRead is worth no pass of its own: the thread is about to come back for the next event.
/// Where the callback runs on the socket queue, nothing could be done before it returns anyway, so writes wait as well
/// and leave in one system call. The same goes for the loop's own thread: if the callback takes long, the loop goes on
/// with another one and looks after the socket. Elsewhere reads wait only if there are bytes for them, and writes only
/// in the midst of many events, with the loop told to look after them in case the callback takes long.
///
/// A value without a clock and without threads: whether a call is made inside the callback is for the caller to know.
struct Deferral {
  /// Whether all operations wait: the callback runs on the socket queue, or on the loop's thread.
  private var coversAll = false
  /// Whether writes wait as well.
  private var coversWrites = false
  /// Whether a pass has been put off.
  private(set) var isPending = false
  private(set) var writes = 0
  /// When `isOverdue` was first asked while writes waited; nil: not yet.
  private var since: Instant?

  /// So many events in line make it worth to collect the writes of their callbacks.
  private static let manyEvents = 8
  private static let maxWrites = 64
  private static let maxNanoseconds: Int64 = 100_000

  /// A callback is about to run.
  mutating func callbackBegins(coversAll: Bool, eventsInLine: Int) {
    self.coversAll = coversAll
    coversWrites = coversAll || eventsInLine >= Self.manyEvents
  }

  /// Whether the operation can wait.
  func covers(isWrite: Bool, hasBufferedInput: Bool) -> Bool {
    isWrite ? coversWrites : coversAll || hasBufferedInput
  }

  /// Puts an operation off: whether the loop has to be told, because the callback may take long.
  mutating func add(isWrite: Bool) -> Bool {
    isPending = true
    guard isWrite else { return false }
    writes += 1
    return writes == 1 && !coversAll
  }

  /// Writes have waited long enough, though more is to be delivered. Without writes the instant does not matter.
  mutating func isOverdue(at now: Instant) -> Bool {
    guard writes > 0 else { return false }
    if writes >= Self.maxWrites { return true }
    guard let since else {
      since = now
      return false
    }
    return now.nanoseconds - since.nanoseconds > Self.maxNanoseconds
  }

  /// What was put off is done.
  mutating func end() {
    isPending = false
    writes = 0
    since = nil
  }
}
