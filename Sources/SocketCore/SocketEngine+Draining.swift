import SocketValues

// Delivery: a lane's events leave one by one, on its queue, and between two of them the engine catches up.
//
//     next ──▶ envelope ──▶ callback ──▶ callbackReturned ──▶ effects ──▶ next …──▶ nil
//                                      └─▶ completion ──▶ callback ──▶ callbackReturned …
extension SocketEngine {
  /// A lane that is being drained.
  package struct Draining {
    /// The lane whose events are delivered.
    package let lane: Box.LaneID
    /// Whether every operation that a callback queues is deferred until it returns: callbacks run on the socket queue
    /// or on the loop's thread, and keep the socket's input and output waiting.
    let coversAll: Bool
    /// Whether the callbacks run on the socket queue.
    package let isOnSocketQueue: Bool
    /// Whether the callbacks run on the loop's thread. Once the loop has gone on with another thread, nothing may be
    /// deferred any more.
    package var isLent: Bool { coversAll && !isOnSocketQueue }
    /// Whether an event has been delivered, or is about to be: a completion on the fast path goes to the same delegate.
    package internal(set) var hasReceiver = false
    /// The last completion was made on the fast path, by an entry that made no pass.
    var owesPass = false
    /// What is delivered without a block, before `disconnect()` returns; nil: what the block finds.
    var taking: Box.Taking?

    /// - Parameters:
    ///   - isOnSocketQueue: the lane's queue is the socket queue.
    ///   - isLent: on the loop's thread.
    package init(lane: Box.LaneID, isOnSocketQueue: Bool, isLent: Bool) {
      self.init(lane: lane, coversAll: isOnSocketQueue || isLent, isOnSocketQueue: isOnSocketQueue)
    }

    init(lane: Box.LaneID, coversAll: Bool, isOnSocketQueue: Bool) {
      self.lane = lane
      self.coversAll = coversAll
      self.isOnSocketQueue = isOnSocketQueue
    }
  }

  /// Whether a block is to drain its lane: to be asked when it begins. `isDelayed`: unless it was put on its queue
  /// meanwhile, as `takeDelayed` says.
  package func begins(_ block: Box.Block, isDelayed: Bool = false) -> Bool {
    (!isDelayed || takeDelayed(block)) && mailbox.begins(block)
  }

  /// Whether `callbackReturned` uses its argument `now`.
  package var timesDeferredWrites: Bool {
    deferral.writes > 0 && (machine.hasBufferedInput || mailbox.hasEnvelopes)
  }

  /// A callback of the lane has returned, or its block has just begun. Does the deferred operations if the lane has no
  /// other envelope, or if they are overdue. An operation that the fast path completes is returned and delivered next;
  /// otherwise take the effects, then the `next` envelope.
  ///
  /// - Parameters:
  ///   - isFree: no `perform(_:)` block owns the socket. Passes wait for that, callbacks do not.
  ///   - queue: the delegate queue of this moment.
  package func callbackReturned<Transport: StreamTransport>(
    _ draining: inout Draining, isFree: Bool, delegateQueue queue: AnyObject?, _ transport: inout Transport,
    now: Instant
  ) -> Completion? {
    entry = .betweenCallbacks(onSocketQueue: draining.isOnSocketQueue)
    if closingGrace.callbackIsOver() { draining.owesPass = true }
    guard deferral.isPending || draining.owesPass else { return nil }
    guard isFree else {
      draining.owesPass = false
      keepPass()
      return nil
    }
    let isDirect = draining.hasReceiver && draining.taking == nil && isNext(in: draining.lane, on: queue)
    if isDirect, let completion = completeFromBuffer(now: now) { return completion }
    let owedPass = draining.owesPass
    draining.owesPass = false
    if mailbox.count(in: draining.lane) > 0 {
      if owedPass || deferral.isOverdue(at: now) { requestPass() }
    } else if !deferral.isPending {
      if !machine.comesToRest() { requestPass() }
    } else if isDirect, socketQueue == nil || draining.isOnSocketQueue, let tag = sendOnFastPath(&transport) {
      draining.owesPass = true
      deferral.end()
      return .wrote(tag: tag)
    } else {
      requestPass()
    }
    return nil
  }

  /// How long a block may serve one socket, in nanoseconds, before it lets others use the queue.
  package static let longestBlock: Int64 = 1_000_000

  /// Ends the current block of a lane that has run long: later events go into a new block, so that other users of the
  /// queue get their turn, however fast the peer sends. No effect on concurrent queues (`isConcurrent`), where others
  /// do not wait for this block. Returns false if the block was about to end anyway.
  package func endBlock(of draining: Draining, isConcurrent: (AnyObject) -> Bool) -> Bool {
    guard deferral.isPending || mailbox.count(in: draining.lane) > 0 else { return false }
    if draining.taking == nil, let queue = mailbox.queue(of: draining.lane), !isConcurrent(queue),
      let block = mailbox.endBlock(of: draining.lane)
    {
      services.append(Service(block: block.block, queue: block.queue, manner: .handOver))
    }
    return true
  }

  /// The next envelope to deliver; nil: the block ends, though events may be waiting for another block. Take the
  /// effects then.
  package func next(_ draining: inout Draining, isFree: Bool) -> Box.Envelope? {
    let (envelope, ready) =
      draining.taking.map { mailbox.next(in: draining.lane, $0) } ?? mailbox.next(in: draining.lane)
    if closingGrace.observesEvents, let envelope { closingGrace.observe(envelope.event) }
    for (block, queue) in ready { services.append(Service(block: block, queue: queue, manner: .handOver)) }
    if envelope != nil {
      deferral.callbackBegins(coversAll: draining.coversAll, eventsInLine: mailbox.count(in: draining.lane))
      draining.hasReceiver = true
    } else if isFree, deferral.isPending {
      // Operations that callbacks have deferred do not wait for another block.
      requestPass()
    }
    return envelope
  }

  /// Completes the active read with buffered bytes, instead of a pass.
  func completeFromBuffer(now: Instant) -> Completion? {
    guard shortcuts.contains(.fastPath), deferral.isPending, machine.hasBufferedInput,
      !deferral.isOverdue(at: now), let read = machine.completeFromBuffer(atMost: Self.largestCopy)
    else { return nil }
    closingGrace.observeOtherEvent()
    return .read(read.bytes, tag: read.tag)
  }

  /// Whether an event posted now would be the next in this lane, for the delegate of the last one.
  private func isNext(in lane: Box.LaneID, on queue: AnyObject?) -> Bool {
    guard isDelegateUnchanged, !isInactive, let queue else { return false }
    return mailbox.isBusyAlone(lane, on: queue)
  }

  // MARK: Before `disconnect()` returns

  /// What has not been delivered on queues that satisfy `isReachable`, oldest first, for a caller that delivers it
  /// before `disconnect()` returns.
  package func undelivered(_ isReachable: (AnyObject) -> Bool) -> [Box.Share] { mailbox.undelivered(isReachable) }

  /// The lane's queue; nil: the lane is done.
  package func queue(of lane: Box.LaneID) -> AnyObject? { mailbox.queue(of: lane) }

  /// Begins to deliver such a share, on its lane's queue, inside of callbacks of the lanes `callers`. Returns false if
  /// blocks have delivered all of it meanwhile.
  package func take(_ draining: inout Draining, upTo end: UInt64, inside callers: [Box.LaneID]) -> Bool {
    draining.taking = mailbox.take(draining.lane, upTo: end, inside: callers)
    return draining.taking != nil
  }

  /// The queues of lanes with waiting events.
  package var waitingQueues: [AnyObject] { mailbox.waitingLanes.map(\.queue) }

  /// Whether a callback is running or waiting.
  package var hasCallbacks: Bool { !mailbox.isEmpty }
}
