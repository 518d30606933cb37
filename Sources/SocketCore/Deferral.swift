import SocketValues

/// The operations that were queued inside a running callback and are deferred until it returns.
///
/// A pass for a read that is queued in didRead would be wasted: the thread is about to take the next event anyway. A
/// callback on the socket queue keeps all input and output of the socket waiting, so its writes are deferred as well
/// and leave in one system call. The same holds on the loop's thread: if the callback takes long, another thread takes
/// over the loop and does the deferred work. On other threads reads are deferred only if bytes are buffered for them,
/// and writes only while many events are waiting; the loop does the deferred work if the callback takes long, because
/// the callback may wait, on another queue, for what the operation leads to.
///
/// A value without a clock and without threads: the caller says whether a call is made inside the callback.
struct Deferral {
  /// Whether all operations are deferred: the callback runs on the socket queue, or on the loop's thread.
  private var coversAll = false
  /// Whether writes are deferred as well.
  private var coversWrites = false
  /// Whether a pass has been deferred.
  private(set) var isPending = false
  private(set) var writes = 0
  /// When `isOverdue` was first asked while writes waited; nil: not yet.
  private var since: Instant?

  /// The number of waiting events from which batching the writes of their callbacks pays.
  private static let manyEvents = 8
  private static let maxWrites = 64
  private static let maxNanoseconds: Int64 = 100_000

  /// Records that a callback is about to run, with `eventsInLine` events waiting behind it.
  mutating func callbackBegins(coversAll: Bool, eventsInLine: Int) {
    self.coversAll = coversAll
    coversWrites = coversAll || eventsInLine >= Self.manyEvents
  }

  /// Whether the operation is to be deferred.
  func covers(isWrite: Bool, hasBufferedInput: Bool) -> Bool {
    isWrite ? coversWrites : coversAll || hasBufferedInput
  }

  /// Defers an operation. Returns whether the loop has to be asked to do it if the callback takes long.
  mutating func add(isWrite: Bool) -> Bool {
    let isFirst = !isPending
    isPending = true
    if isWrite { writes += 1 }
    return isFirst && !coversAll
  }

  /// Whether writes have been deferred for long enough, although more events are waiting. Without deferred writes the
  /// instant does not matter.
  mutating func isOverdue(at now: Instant) -> Bool {
    guard writes > 0 else { return false }
    if writes >= Self.maxWrites { return true }
    guard let since else {
      since = now
      return false
    }
    return now.nanoseconds - since.nanoseconds > Self.maxNanoseconds
  }

  /// Records that the deferred work is done.
  mutating func end() {
    isPending = false
    writes = 0
    since = nil
  }
}
