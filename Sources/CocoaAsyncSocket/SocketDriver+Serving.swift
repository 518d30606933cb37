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
    case .inline: turnBlocks.append(service.block)
    case .byLoop:
      let shared = shared(about: queue)
      if let shared, isOnLoop, lendThread(to: service.block, of: socket, on: queue, shared) {
        drainsNext = true
      } else if engine.takeDelayed(service.block) {
        handOver(service.block, to: queue, shared, of: socket)
      }
    case .handOver: handOver(service.block, to: queue, shared(about: queue), of: socket)
    case .behindCaller(let earliest): handOverBehindCaller(service.block, to: queue, of: socket, notBefore: earliest)
    }
  }

  /// On the loop's thread: has it run the block after the present call. Returns false if the loop has another thread
  /// by now.
  private func lendThread(
    to block: Block, of socket: GCDAsyncSocket, on queue: DispatchQueue, _ shared: SharedQueue
  ) -> Bool {
    if isKnownUniquelyReferenced(&laneWork) {
      laneWork?.fill(block, of: socket, on: queue, shared)
    } else {
      laneWork = LaneWork(block, of: socket, on: queue, shared)
    }
    guard let laneWork, attachment.doNext(laneWork, key: key(.stream)) else {
      laneWork = nil
      return false
    }
    return true
  }

  /// Has the block run by a thread of its queue.
  func handOver(_ block: Block, to queue: DispatchQueue, _ shared: SharedQueue?, of socket: GCDAsyncSocket) {
    shared?.willHandOver()
    queue.async { [self] in
      drain(block, of: socket)
      shared?.didServeHandedOver()
    }
  }

  /// The same by way of a first block, which only enqueues the second one.
  private func handOverBehindCaller(
    _ block: Block, to queue: DispatchQueue, of socket: GCDAsyncSocket, notBefore earliest: Instant?
  ) {
    let shared = shared(about: queue)
    shared?.willHandOver()
    let step = DispatchWorkItem { [self] in
      _ = lock.lockUnlessOwned()
      if engine.takeDelayed(block) { handOver(block, to: queue, shared, of: socket) }
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
    /// Why it begins, until it has begun.
    var reason: Reason?
    /// When this block began; nil: it is ending.
    var began: Instant?
  }

  /// Why a lane is drained.
  enum Reason {
    /// This block of it has begun. `isDelayed`: it may have been put on its queue, and been run there, since the loop
    /// was to run it.
    case block(Block, isDelayed: Bool)
    /// `disconnect()` delivers what was in it, inside of callbacks of these lanes.
    case share(end: UInt64, callers: [SocketEngine.Box.LaneID])
  }

  /// What is delivered next.
  private enum Step {
    case event(SocketEvent, Delegate)
    case completion(Completion)
    case rest
  }

  /// Delivers the events of the block's lane one by one until there is none for now; runs on the lane's queue.
  /// `isDelayed`: unless the block was put there meanwhile.
  func drain(_ block: Block, of socket: GCDAsyncSocket, isLent: Bool = false, isDelayed: Bool = false) {
    var delivery = Delivery(
      draining: .init(lane: block.lane, isOnSocketQueue: isOnSocketQueue, isLent: isLent), socket: socket)
    delivery.reason = .block(block, isDelayed: isDelayed)
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
    guard begins(&delivery) else {
      lock.unlock()
      return .rest
    }
    // Otherwise it is one that this is inside of.
    if delivery.draining.hasReceiver { callbacks.end(delivery.draining.lane) }
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

  /// Whether there is anything to deliver, and this thread does it: to be asked each time.
  private func begins(_ delivery: inout Delivery) -> Bool {
    let isNeeded =
      switch delivery.reason.take() {
      case .block(let block, let isDelayed)?: engine.begins(block, isDelayed: isDelayed)
      case .share(let end, let callers)?:
        !isServedElsewhere(delivery.draining) && engine.take(&delivery.draining, upTo: end, inside: callers)
      case nil: true
      }
    return isNeeded && !isServedElsewhere(delivery.draining)
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
  /// because the hop could wait for the caller (D-01). What is posted from here on is not meant.
  func deliverBeforeReturning() {
    lock.lock()
    // At the same moment as the shares: another thread may set the property, which takes the marks from the queues.
    let here = DispatchQueue.getSpecific(key: delegateQueueKey)
    let callers = callbacks.lanes(on: Self.currentThread)
    let (shares, delivery) = sharesToDeliver(here, callers)
    let holder = shares.isEmpty ? nil : socket
    unlock()
    if let holder {
      for share in shares {
        let queue = unsafeDowncast(share.queue, to: DispatchQueue.self)
        if here == queue.identity {
          deliver(share, of: holder, callers)
        } else {
          queue.sync { deliver(share, of: holder, callers) }
        }
      }
    }
    if let delivery { DeliveringThreads.all.withLock { $0.ends(delivery) } }
  }

  /// What is delivered, and the registration of a caller that holds a queue and waits for others.
  private func sharesToDeliver(
    _ here: UInt?, _ callers: [SocketEngine.Box.LaneID]
  ) -> (shares: [SocketEngine.Box.Share], delivery: UInt64?) {
    guard notifiesDisconnectBeforeReturning, !lock.isOwned else { return ([], nil) }
    let shares = engine.undelivered {
      !isOnSocketQueue || here == unsafeDowncast($0, to: DispatchQueue.self).identity
    }
    let held = heldQueues(callers)
    // Whoever holds nothing holds up nobody.
    guard !shares.isEmpty, here != nil || !callers.isEmpty || !held.isEmpty else { return (shares, nil) }
    return DeliveringThreads.all.withLock { threads in
      var hops = false
      let wanted = shares.filter { share in
        // Inside of a callback, nobody waits for the mere return of another one.
        guard share.isWaiting || callers.isEmpty else { return false }
        let queue = unsafeDowncast(share.queue, to: DispatchQueue.self)
        guard here != queue.identity else { return true }
        guard !queue.isConcurrent, let shared = SharedQueue.of(queue) else {
          hops = true
          return true
        }
        guard !held.contains(.init(shared)), !threads.isHeld(.init(shared)) else { return false }
        hops = true
        return true
      }
      return (wanted, hops ? threads.begins(holding: held) : nil)
    }
  }

  /// The serial queues that the caller holds up.
  private func heldQueues(_ callers: [SocketEngine.Box.LaneID]) -> [DeliveringThreads.QueueID] {
    let ofCallbacks = callers.compactMap { engine.queue(of: $0) }.map { unsafeDowncast($0, to: DispatchQueue.self) }
    let shared = ofCallbacks.filter { !$0.isConcurrent }.map { SharedQueue.of($0) } + [SharedQueue.current]
    return shared.compactMap(\.self).map { .init($0) }
  }

  private func deliver(
    _ share: SocketEngine.Box.Share, of socket: GCDAsyncSocket, _ callers: [SocketEngine.Box.LaneID]
  ) {
    var delivery = Delivery(
      draining: .init(lane: share.lane, isOnSocketQueue: isOnSocketQueue, isLent: false), socket: socket)
    delivery.reason = .share(end: share.end, callers: callers)
    drain(&delivery)
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
