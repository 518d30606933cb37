import HeapModule

/// Something that will happen in a simulated case, by the indices of those it concerns.
enum SimulationEvent {
  /// The next segment, FIN or RST reaches that side of the link.
  case deliver(link: Int, to: LinkSide)
  /// Readiness is signalled to that side's owner after a spurious would-block.
  case wake(link: Int, side: LinkSide)
  /// That side has closed gracefully, and looks whether it can let go of the connection.
  case linger(link: Int, side: LinkSide)
  /// A connect reaches its destination, or is sent again.
  case connect(attempt: Int)
  /// The resolver answers.
  case lookup(Int)
  /// The loop calls a subject's host.
  case loop(subject: Int)
  /// A subject's earliest deadline may have come.
  case deadline(subject: Int)
  /// A block that must not be put on its queue before this instant.
  case put(subject: Int, VirtualQueue.LaneBlock, queue: Int)
  /// A callback may have kept the loop's thread for so long that the loop goes on without it.
  case overdue(subject: Int)
  /// A serial queue may start its next block.
  case runQueue(Int)
  /// The callback that keeps a serial queue busy goes on.
  case resumeQueue(Int)
  /// A run loop may serve a socket.
  case serveNext(runLoop: Int)
  /// A nested run, or a callback that keeps a run loop busy, may be over.
  case unwind(runLoop: Int)
}

/// Virtual time: instants in nanoseconds since the case was opened, and what will happen at them.
///
/// Laws
/// - Time never goes back, and stands still while something happens.
/// - Events of the same instant come in the order they were scheduled, or in an order drawn from the seed where
///   interleavings are to be explored; nothing else ever decides.
final class VirtualTimeline {
  private(set) var now: Int64 = 0
  private var heap = Heap<Entry>()
  private var scheduled: UInt64 = 0
  private var ties: SeededRandom?

  private struct Entry: Comparable {
    var at: Int64
    var rank: UInt64
    var number: UInt64
    var event: SimulationEvent

    static func < (left: Self, right: Self) -> Bool {
      if left.at != right.at { return left.at < right.at }
      if left.rank != right.rank { return left.rank < right.rank }
      return left.number < right.number
    }

    static func == (left: Self, right: Self) -> Bool { left.number == right.number }
  }

  /// `ties` draws the order of simultaneous events; nil: the order they were scheduled in.
  init(ties: SeededRandom?) {
    self.ties = ties
    heap.reserveCapacity(32)
  }

  func schedule(after delay: Int64, _ event: SimulationEvent) {
    let (sum, overflow) = now.addingReportingOverflow(max(0, delay))
    schedule(at: overflow ? .max : sum, event)
  }

  func schedule(at instant: Int64, _ event: SimulationEvent) {
    scheduled &+= 1
    heap.insert(Entry(at: max(instant, now), rank: ties?.next() ?? 0, number: scheduled, event: event))
  }

  /// Moves time to the next event before the deadline and takes it; nil, with time unmoved, if there is none.
  func next(before deadline: Int64) -> SimulationEvent? {
    guard let first = heap.min, first.at < deadline else { return nil }
    now = first.at
    return heap.removeMin().event
  }

  /// Nothing happens until then.
  func pass(to instant: Int64) { now = max(now, instant) }
}
