import Dispatch
import Foundation
import SocketCore
import SocketPOSIX

/// What calls inside a running callback put off until it has returned.
///
/// A read that is queued in didRead is worth no pass of its own: the thread is about to come back for the next event.
/// Where the callback runs on the socket queue, nothing could be done before it returns anyway, so writes wait as well
/// and leave in one system call. The same goes for the loop's own thread: if the callback takes long, the loop goes on
/// with another one and looks after the socket (`EventLoop.lend`). Elsewhere reads wait only if there are bytes for
/// them, and writes only in the midst of many events, with the loop told to look after them in case the callback takes
/// long.
struct Deferral {
  /// The thread that runs a callback; 0: none.
  private var thread: UInt = 0
  /// All operations wait: the callback runs on the socket queue, or on the loop's thread.
  private var coversAll = false
  /// Writes wait as well.
  private var coversWrites = false
  /// A pass has been put off.
  private(set) var isPending = false
  private var writes = 0
  /// When it was first asked how long they have waited.
  private var since: Instant?

  /// So many events in line make it worth to collect the writes of their callbacks.
  private static let manyEvents = 8
  private static let mostWrites = 64
  private static let mostNanoseconds: Int64 = 100_000

  var isOnItsThread: Bool { thread == Self.currentThread }
  private static var currentThread: UInt { UInt(pthread_self()) }

  /// This thread is about to run a callback.
  mutating func callbackBegins(coversAll: Bool, eventsInLine: Int) {
    thread = Self.currentThread
    self.coversAll = coversAll
    coversWrites = coversAll || eventsInLine >= Self.manyEvents
  }

  /// The same for one that is told before what is in line.
  mutating func anotherBegins() { thread = Self.currentThread }

  mutating func callbackIsOver() { thread = 0 }

  /// Whether the operation can wait.
  func covers(isWrite: Bool, hasBufferedInput: Bool) -> Bool {
    isWrite ? coversWrites : coversAll || hasBufferedInput
  }

  /// Puts an operation off: whether the loop has to be told, because the callback may take long.
  mutating func putOff(isWrite: Bool) -> Bool {
    isPending = true
    guard isWrite else { return false }
    writes += 1
    return writes == 1 && !coversAll
  }

  /// Writes have waited long enough, though more is to be delivered.
  mutating func isOverdue() -> Bool {
    guard writes > 0 else { return false }
    if writes >= Self.mostWrites { return true }
    let now = SocketDriver.now
    guard let since else {
      since = now
      return false
    }
    return now.nanoseconds - since.nanoseconds > Self.mostNanoseconds
  }

  /// What was put off is done.
  mutating func end() {
    isPending = false
    writes = 0
    since = nil
  }
}

// Events on their way to the mailbox, and its lanes on their way to their queues.
extension SocketDriver {
  /// Posts an event of the machine's.
  func post(_ event: SocketEvent) {
    // Without a delegate or queue a completion is discarded, though not what it has read, and an accepted client closes
    // with its box (CFG-11, RD-BUF-02, ACC-32).
    guard let delegate = holdDelegate(), let delegateQueue else { return CallerBuffer.fill(for: event) }
    lastPostedVersion = delegateVersion
    let start = untoldStart
    if start != nil { untoldStart = nil }
    // What a callback asks for is told as soon as it has returned; but the end of all is no completion.
    let behindBlocks = start != nil || !isServing && (event.isTerminal || !deferral.isOnItsThread)
    if let scheduled = mailbox.post(
      event, to: delegate, on: delegateQueue, isTerminal: event.isTerminal, behindBlocks: behindBlocks,
      withBlock: isDisconnecting && !delegateQueue.isConcurrent)
    {
      heldSocket = heldSocket ?? socket
      guard let heldSocket else { return }
      let isElsewhere = isTurnForCalls && scheduled.queue !== socketQueue
      if start != nil || isElsewhere || !isServing && !isDisconnecting {
        handOverBehindCaller(scheduled.lane, to: scheduled.queue, of: heldSocket, startedAt: start)
      } else if isTurnForCalls {
        handOver(scheduled.lane, to: scheduled.queue, shared(about: scheduled.queue), of: heldSocket)
      } else {
        schedule(scheduled.lane, on: scheduled.queue, of: heldSocket)
      }
    }
  }

  /// Has the lane drained: in the turn that is running, by the loop's thread when it leaves, or on its queue's own.
  func schedule(_ lane: Box.LaneID, on queue: DispatchQueue, of socket: GCDAsyncSocket) {
    if isInTurn, queue === socketQueue {
      if inlineLane == nil { inlineLane = lane } else { moreInlineLanes.append(lane) }
      return
    }
    let shared = shared(about: queue)
    if isOnLoop, errand == nil, let shared, shared.mayBeLent() {
      errand = Errand(lane: lane, queue: queue, shared: shared, socket: socket)
      return
    }
    handOver(lane, to: queue, shared, of: socket)
  }

  /// A peer on the same host answers within microseconds, and may get the processor of the thread that connects to it.
  private static let leastTimeToConnect: Int64 = 1_000_000

  /// Has the lane drained by a thread of its queue's, behind blocks that whoever is in a call on the socket puts there
  /// right after it: what a call brings about is not told before it has returned, and the next statement of a caller
  /// that runs on the queue comes first (CON-01). So a first block only asks for its turn; the outcome of a start does
  /// so after a millisecond at the earliest.
  private func handOverBehindCaller(
    _ lane: Box.LaneID, to queue: DispatchQueue, of socket: GCDAsyncSocket, startedAt start: Instant?
  ) {
    delayedLanes.append((lane, queue))
    let shared = shared(about: queue)
    shared?.willHandOver()
    let step = DispatchWorkItem { [self] in
      _ = lock.lockUnlessOwned()
      if let index = delayedLanes.firstIndex(where: { $0.lane == lane }) {
        delayedLanes.remove(at: index)
        handOver(lane, to: queue, shared, of: socket)
      }
      lock.unlock()
      shared?.didServeHandedOver()
    }
    let early = start.map { Self.leastTimeToConnect - (Self.now.nanoseconds - $0.nanoseconds) } ?? 0
    if early > 0 {
      queue.asyncAfter(deadline: .now() + .nanoseconds(Int(early)), execute: step)
    } else {
      queue.async(execute: step)
    }
  }

  /// Puts lanes on their queues that wait for it: the end is in line when `disconnect()` returns (DIS-03).
  func hurryDelayedLanes() {
    guard !delayedLanes.isEmpty, let socket = heldSocket ?? socket else { return }
    heldSocket = socket
    for (lane, queue) in delayedLanes { handOver(lane, to: queue, shared(about: queue), of: socket) }
    delayedLanes = []
  }

  /// Has the lane drained by a thread of its queue's.
  func handOver(_ lane: Box.LaneID, to queue: DispatchQueue, _ shared: SharedQueue?, of socket: GCDAsyncSocket) {
    shared?.willHandOver()
    queue.async { [self] in
      drain(lane, of: socket)
      shared?.didServeHandedOver()
    }
  }

  /// What is shared about a delegate queue.
  func shared(about queue: DispatchQueue) -> SharedQueue? {
    if let lastScheduled, lastScheduled.queue === queue { return lastScheduled.shared }
    let shared = SharedQueue.of(queue)
    lastScheduled = (queue, shared)
    return shared
  }
}

extension SocketEvent {
  var isTerminal: Bool {
    if case .didDisconnect = self { return true }
    return false
  }
}
