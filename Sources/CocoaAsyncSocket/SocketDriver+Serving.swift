import Dispatch
import Foundation
import SocketCore
import SocketPOSIX
import SocketValues

// The mailbox's lanes on their way to their queues, and drained there.
extension SocketDriver {
  // MARK: Putting lanes on queues

  func serve(_ service: SocketEngine.Service) {
    held.socket = held.socket ?? socket
    guard let socket = held.socket else { return }
    let queue = unsafeDowncast(service.queue, to: DispatchQueue.self)
    switch service.manner {
    case .inline: turnLanes.append(service.lane)
    case .byLoop:
      let shared = shared(about: queue)
      if let shared, isOnLoop, lendThread(to: service.lane, of: socket, on: queue, shared) {
        drainsNext = true
      } else if engine.takeDelayedLane(service.lane) {
        handOver(service.lane, to: queue, shared, of: socket)
      }
    case .handOver: handOver(service.lane, to: queue, shared(about: queue), of: socket)
    case .behindCaller(let earliest): handOverBehindCaller(service.lane, to: queue, of: socket, notBefore: earliest)
    }
  }

  /// On the loop's thread: has it drain the lane after the present call. Returns false if the loop has another thread
  /// by now.
  private func lendThread(
    to lane: LaneID, of socket: GCDAsyncSocket, on queue: DispatchQueue, _ shared: SharedQueue
  ) -> Bool {
    if isKnownUniquelyReferenced(&laneWork) {
      laneWork?.fill(lane, of: socket, on: queue, shared)
    } else {
      laneWork = LaneWork(lane, of: socket, on: queue, shared)
    }
    guard let laneWork, attachment.doNext(laneWork, key: key(.stream)) else {
      laneWork = nil
      return false
    }
    return true
  }

  /// Has the lane drained by a thread of its queue.
  func handOver(_ lane: LaneID, to queue: DispatchQueue, _ shared: SharedQueue?, of socket: GCDAsyncSocket) {
    shared?.willHandOver()
    queue.async { [self] in
      drain(lane, of: socket)
      shared?.didServeHandedOver()
    }
  }

  /// The same by way of a first block, which only enqueues the second one.
  private func handOverBehindCaller(
    _ lane: LaneID, to queue: DispatchQueue, of socket: GCDAsyncSocket, notBefore earliest: Instant?
  ) {
    let shared = shared(about: queue)
    shared?.willHandOver()
    let step = DispatchWorkItem { [self] in
      _ = lock.lockUnlessOwned()
      if engine.takeDelayedLane(lane) { handOver(lane, to: queue, shared, of: socket) }
      lock.unlock()
      shared?.didServeHandedOver()
    }
    let early = earliest.map { $0.nanoseconds - Self.now.nanoseconds } ?? 0
    if early > 0, QueueTimers.areReady {
      queue.asyncAfter(deadline: .now() + .nanoseconds(Int(early)), execute: step)
    } else {
      queue.async(execute: step)
    }
  }

  /// The `SharedQueue` of a delegate queue; nil for the process-wide ones.
  private func shared(about queue: DispatchQueue) -> SharedQueue? {
    if let lastServed, lastServed.queue === queue { return lastServed.shared }
    let shared = SharedQueue.of(queue)
    lastServed = (queue, shared)
    return shared
  }

  // MARK: Draining

  /// A read or a write that was completed on the fast path, and is reported without an event.
  enum Completion {
    case read(Data, tag: Int)
    case wrote(tag: Int)

    /// Copies the bytes: they stay in place only until the engine's next verb.
    init(_ finished: SocketEngine.Completion) {
      switch finished {
      case .read(let bytes, let tag): self = .read(Data(bytes: bytes.baseAddress!, count: bytes.count), tag: tag)
      case .wrote(let tag): self = .wrote(tag: tag)
      }
    }
  }

  /// A lane that is being drained here.
  struct Delivery {
    var draining: SocketEngine.Draining
    let socket: GCDAsyncSocket
    /// The delegate of the last event, or of the first one.
    var receiver: Delegate?
    /// What is delivered first, if it has been taken already.
    var first: Completion?
    /// Whether the lane may have been put on its queue, and been drained there, since the loop was to drain it.
    var isDelayed = false
    /// When this block began; nil: it is ending.
    var began: Instant?
    /// The callback that delivers the rest of its own lane, and goes on when that is done.
    var outer: RunningCallbacks.Callback?
    /// Whether a block of the lane is still to begin, which is to deliver nothing of what comes now.
    var hasBlockToCome = false
  }

  /// What is delivered next.
  private enum Step {
    case event(SocketEvent, Delegate)
    case completion(Completion)
    case rest
  }

  /// Delivers the lane's events one by one until there is none for now; runs on the lane's queue. `isDelayed`: unless
  /// another block has taken its place there.
  func drain(_ lane: LaneID, of socket: GCDAsyncSocket, isLent: Bool = false, isDelayed: Bool = false) {
    var delivery = Delivery(
      draining: .init(lane: lane, isOnSocketQueue: isOnSocketQueue, isLent: isLent), socket: socket)
    delivery.isDelayed = isDelayed
    drain(&delivery)
  }

  func drain(_ delivery: inout Delivery) {
    delivery.began = .atLastTick()
    if let first = delivery.first.take() { deliver(first, delivery) }
    while true {
      switch next(&delivery) {
      case .event(let event, let delegate): deliver(event, to: delegate, of: delivery.socket)
      case .completion(let completion): deliver(completion, delivery)
      case .rest: return
      }
    }
  }

  private func deliver(_ completion: Completion, _ delivery: borrowing Delivery) {
    switch completion {
    case .read(let data, let tag): delivery.receiver?.socket(delivery.socket, didRead: data, withTag: tag)
    case .wrote(let tag): delivery.receiver?.socket(delivery.socket, didWriteDataWithTag: tag)
    }
  }

  private func next(_ delivery: inout Delivery) -> Step {
    // A callback does not wait for a `perform(_:)` block, nor does the queue that it runs on.
    let isFree = lock.lockUnlessOwned()
    let isTaken = delivery.isDelayed && !engine.takeDelayedLane(delivery.draining.lane)
    delivery.isDelayed = false
    guard !isTaken, !isServedElsewhere(delivery.draining) else {
      lock.unlock()
      return .rest
    }
    callbacks.end(delivery.draining.lane)
    if let began = delivery.began, began.nanoseconds(until: .atLastTick()) >= SocketEngine.longestBlock {
      endBlock(&delivery)
    }
    var transport = stream?.transport ?? .none
    let finished = engine.callbackReturned(
      &delivery.draining, isFree: isFree, delegateQueue: delegateQueue, &transport,
      now: engine.timesDeferredWrites ? Self.now : .irrelevant)
    if let finished {
      callbackBegins(delivery.draining)
      let completion = Completion(finished)
      lock.unlock()
      return .completion(completion)
    }
    settle()
    let envelope = engine.next(&delivery.draining, isFree: isFree)
    settle()
    if envelope == nil {
      if let outer = delivery.outer { goesOn(outer) }
      if delivery.hasBlockToCome { engine.leaveToBlock(delivery.draining.lane) }
    }
    var receiver: Delegate?
    if let envelope {
      callbackBegins(delivery.draining)
      receiver = delivery.receiver === envelope.delegate ? delivery.receiver : self.receiver(of: envelope)
    }
    unlock()
    guard let envelope, let receiver else { return .rest }
    delivery.receiver = receiver
    return .event(envelope.event, receiver)
  }

  /// Whether the lane's callback runs on another thread, which delivers the rest, too. That happens where two threads
  /// are on a queue that runs blocks side by side, and one of them delivers before `disconnect()` returns.
  private func isServedElsewhere(_ draining: SocketEngine.Draining) -> Bool {
    guard !draining.hasReceiver, let thread = callbacks.thread(of: draining.lane) else { return false }
    return thread != Self.currentThread
  }

  private func endBlock(_ delivery: inout Delivery) {
    let isEnding = engine.endBlock(of: delivery.draining) { unsafeDowncast($0, to: DispatchQueue.self).isConcurrent }
    if isEnding { delivery.began = nil }
  }

  /// The delegate of the envelope: mostly the present one, whose conformance needs no check.
  private func receiver(of envelope: SocketEngine.Box.Envelope) -> Delegate? {
    let current = holdDelegate()
    return current === envelope.delegate ? current : envelope.delegate as? Delegate
  }

  // MARK: notifiesDisconnectBeforeReturning

  /// Delivers everything that waits, ending with didDisconnect, before returning: inline on the delegate queue,
  /// otherwise by a synchronous hop, which also waits for a didDisconnect that the queue has begun to deliver
  /// meanwhile. Inside `perform(_:)`, and on the socket queue unless it is the delegate queue too, nothing is done,
  /// because the hop could wait for the caller (D-01).
  func deliverBeforeReturning() {
    // At one moment: another thread may set the property, and with it take the marks from the queues.
    typealias Found = (
      lanes: [(lane: LaneID, queue: AnyObject, isWaiting: Bool)], holder: GCDAsyncSocket?, here: UInt?,
      outer: RunningCallbacks.Callback?
    )
    let (lanes, holder, here, outer) = look { () -> Found in
      guard notifiesDisconnectBeforeReturning, !lock.isOwned else { return ([], nil, nil, nil) }
      let outer = currentCallback
      // Inside of a callback, nobody waits for the return of another one (INV-12).
      let lanes = engine.takeUndeliveredLanes().filter { $0.isWaiting || outer == nil }
      return (lanes, socket, DispatchQueue.getSpecific(key: delegateQueueKey), outer)
    }
    guard let holder else { return }
    for (place, (lane, queue, _)) in lanes.enumerated() {
      let queue = unsafeDowncast(queue, to: DispatchQueue.self)
      // The end may stand in a later lane, which does not leave while a callback of this one goes on.
      let goingOn = lane == outer?.lane && place == lanes.count - 1 ? outer : nil
      if here == queue.identity {
        drainBeforeReturning(lane, on: queue, of: holder, goingOn)
      } else if !isOnSocketQueue {
        queue.sync { drainBeforeReturning(lane, on: queue, of: holder, goingOn) }
      }
    }
    if let outer, lanes.dropLast().contains(where: { $0.lane == outer.lane }) { look { goesOn(outer) } }
  }

  private func drainBeforeReturning(
    _ lane: LaneID, on queue: DispatchQueue, of socket: GCDAsyncSocket, _ outer: RunningCallbacks.Callback?
  ) {
    var delivery = Delivery(
      draining: .init(lane: lane, isOnSocketQueue: isOnSocketQueue, isLent: false), socket: socket)
    delivery.outer = outer
    if !queue.isConcurrent {
      // On this queue nobody waits for a block of `perform(_:)`, which may wait for the queue.
      _ = lock.lockUnlessOwned()
      delivery.hasBlockToCome = engine.hasBlockToCome(lane)
      lock.unlock()
    }
    drain(&delivery)
  }

  /// The callback has delivered the rest of its lane itself, and is not over: until it is, nothing else leaves there.
  private func goesOn(_ callback: RunningCallbacks.Callback) {
    guard callbacks.thread(of: callback.lane) == nil else { return }
    callbacks.begin(callback)
    engine.callbackGoesOn(in: callback.lane)
  }

  /// Lets `deliverBeforeReturning` recognise the queues that callbacks wait on: the delegate queue, and former ones
  /// that are not done. Global queues carry no marks; a hop to one can't wait for its caller, so they need none.
  func markDelegateQueues() {
    let waiting = engine.waitingQueues.map { unsafeDowncast($0, to: DispatchQueue.self) }
    let candidates = [delegateQueue].compactMap(\.self) + waiting
    let wanted = notifiesDisconnectBeforeReturning ? candidates.filter { !$0.isGlobal } : []
    for queue in markedQueues where !wanted.contains(where: { $0.isSame(as: queue) }) {
      queue.setSpecific(key: delegateQueueKey, value: nil)
    }
    for queue in wanted { queue.setSpecific(key: delegateQueueKey, value: queue.identity) }
    markedQueues = wanted
  }
}
