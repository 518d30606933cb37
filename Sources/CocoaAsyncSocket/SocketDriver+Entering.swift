import Dispatch
import Glibc
import SocketCore
import SocketPOSIX
import SocketValues

// Entering the driver, and the work that is done before the lock is left.
extension SocketDriver {
  var isOnLoop: Bool { attachment.loop.isCurrentThread }

  var isOnSocketQueue: Bool { sharedSocketQueue?.isCurrent ?? false }

  static var currentThread: UInt { UInt(pthread_self()) }

  /// The callback of this socket that the caller is inside of.
  var currentCallback: RunningCallbacks.Callback? { callbacks.callback(on: Self.currentThread) }

  /// Notes that this thread runs a callback from now on.
  func callbackBegins(_ draining: SocketEngine.Draining) {
    callbacks.begin(
      .init(
        lane: draining.lane, thread: Self.currentThread, isOnSocketQueue: draining.isOnSocketQueue,
        isLent: draining.isLent))
  }

  /// The entry of a caller. A callback may have gone to the socket queue.
  var callEntry: SocketEngine.Entry {
    if let callback = currentCallback {
      let isThere = callback.isOnSocketQueue || socketQueue != nil && isOnSocketQueue
      return .call(inCallback: true, onSocketQueue: isThere)
    }
    return .call(inCallback: false, onSocketQueue: socketQueue != nil && isOnSocketQueue)
  }

  /// The same for a caller that may be about to bypass the library: a callback may have changed to the socket queue for
  /// that.
  private var bypassEntry: SocketEngine.Entry {
    .call(inCallback: currentCallback != nil, onSocketQueue: isOnSocketQueue)
  }

  /// Carries out the engine's effects and leaves the lock.
  func leave() {
    settle()
    unlock()
  }

  /// Enters for a call.
  func enter<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    lock.lock()
    engine.begin(callEntry)
    defer { leave() }
    return try body()
  }

  /// Enters to queue an operation; inside a callback it may be deferred (`Deferral`), which the body returns.
  func enterToQueue(isWrite: Bool, _ body: (_ mayWait: Bool) -> Bool) {
    lock.lock()
    let entry = callEntry
    engine.begin(entry)
    if isWrite, engine.writeBegins() { settle() }
    var mayWait = false
    if case .call(inCallback: true, _) = entry { mayWait = !lock.isOwned && mayWaitForCallback }
    if body(mayWait) { return lock.unlock() }
    leave()
  }

  /// Whether operations may be deferred until the running callback returns. False once the loop has gone on with
  /// another thread, which will not do the deferred work.
  private var mayWaitForCallback: Bool {
    !(callbacks.last?.isLent ?? false) || !attachment.loop.isThreadAway
  }

  /// Enters to read state only.
  func look<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  /// Enters to read state, or to change state that later events depend on. `changesTarget`: whom they go to.
  func lookInOrder<Result>(changesTarget: Bool = false, _ body: () -> Result) -> Result {
    lock.lock()
    var held = Held()
    if engine.hasDeferredWork {
      engine.begin(bypassEntry)
      if changesTarget { engine.performDeferredWorkBeforeChange() } else { engine.performDeferredWork() }
      settle()
      held = takeHeld()
    }
    defer {
      lock.unlock()
      withExtendedLifetime(held) {}
    }
    return body()
  }

  // MARK: While a thread owns the socket

  /// Enters if no other thread owns the socket, otherwise has the engine keep the work until that thread's
  /// `perform(_:)` is over. For work that must not wait for a user's block.
  private func enterUnlessOwned(_ body: () -> Void, orKeep keep: () -> Void) {
    guard lock.lockUnlessOwned() else {
      keep()
      return lock.unlock()
    }
    engine.begin(callEntry)
    body()
    leave()
  }

  /// The delegate's answer to a question.
  func answer(_ answer: SocketEngine.Answer) {
    let now = Self.now
    enterUnlessOwned {
      if engine.enforcesTimeout(answer) { exchangeBeforeEnd() }
      engine.answer(answer, at: now)
    } orKeep: {
      engine.keep(answer, at: now)
    }
  }

  /// didAcceptNewSocket has returned: the accepted child becomes active.
  func activate() {
    enterUnlessOwned {
      engine.activate()
    } orKeep: {
      engine.keepActivation()
    }
  }

  /// Whether this thread has the socket queue, also when it went on to another queue and waits there: inside a block of
  /// `perform(_:)` or a callback.
  private var hasSocketQueue: Bool {
    isOnSocketQueue || look { lock.isOwned || currentCallback?.isOnSocketQueue ?? false }
  }

  /// `GCDAsyncSocket.perform(_:)`.
  func performInOrder(_ block: () -> Void) {
    guard let socketQueue, let shared = sharedSocketQueue, !hasSocketQueue else { return perform(block) }
    // The loop leaves the queue to its threads meanwhile.
    shared.willHandOver()
    socketQueue.sync { perform(block) }
    shared.didServeHandedOver()
  }

  private func perform(_ block: () -> Void) {
    lock.lock()
    if !lock.isOwned {
      engine.begin(bypassEntry)
      if engine.ownershipBegins() { exchangeBeforeEnd() }
      settle()
    }
    lock.beginOwning()
    unlock()
    block()
    lock.lock()
    engine.begin(callEntry)
    if lock.endOwning(), engine.keepsSomething { engine.takeUpInbox() }
    leave()
  }

  // MARK: Effects

  /// Carries out the engine's effects, until it is at rest.
  func settle() {
    while let effect = engine.nextEffect() { perform(effect) }
  }

  @inline(__always)
  private func perform(_ effect: SocketEngine.Effect) {
    switch effect {
    case .carryOut: carryOut(engine.takeCommand())
    case .watch: watchStream()
    case .advance: advance()
    case .post: postEvents()
    case .serve: serveUnlessCopying(engine.takeService())
    case .check: check(engine.takePartToCheck())
    case .time:
      checkAttempts()
      engine.tick(now: Self.now)
    case .requestTurn: requestTurn()
    case .wake: wake()
    case .armFallback: armFallback()
    case .arm: arm()
    }
  }

  /// What a call has caused and not asked for yet, because it goes on without the lock.
  struct Postponed {
    fileprivate var services: [SocketEngine.Service] = []
    fileprivate var wantsTurn = false
  }

  /// The same, but that no queue is asked for anything: callbacks must not begin before the call goes on. `ask`
  /// follows.
  func settlePostponing() -> Postponed {
    var postponed = Postponed()
    while let effect = engine.nextEffect() {
      switch effect {
      case .serve: postponed.services.append(engine.takeService())
      case .requestTurn: postponed.wantsTurn = true
      default: perform(effect)
      }
    }
    return postponed
  }

  /// Asks the queues for what was postponed.
  func ask(_ postponed: Postponed) {
    for service in postponed.services { serve(service) }
    if postponed.wantsTurn { requestTurn() }
    if copyingWrites == 0 { serveHeldBack() }
  }

  /// Puts the lanes on their queues that were held back while a write copied its bytes.
  func serveHeldBack() {
    guard !heldBack.isEmpty else { return }
    let services = heldBack
    heldBack = []
    for var service in services {
      // By threads of their queues: the loop's serves lanes only when it leaves the driver.
      if case .byLoop = service.manner {
        guard engine.takeDelayed(service.block) else { continue }
        service.manner = .handOver
      }
      serve(service)
    }
  }

  /// Serves a lane, unless a write is copying its bytes: what other threads find out about it meanwhile is told when it
  /// has returned.
  private func serveUnlessCopying(_ service: SocketEngine.Service) {
    if copyingWrites > 0 {
      switch service.manner {
      case .byLoop, .handOver: return heldBack.append(service)
      case .inline, .behindCaller: break
      }
    }
    serve(service)
  }

  private func wake() {
    // Nobody would come for it without a loop.
    if machine.hasPostponedFailure, startFailure != nil { return machine.takeUpPostponedFailure() }
    attachment.requestWakeup(key: key(.stream))
  }

  /// One fallback deadline serves all work that is deferred until then: the loop is asked once a millisecond at most.
  private func armFallback() {
    guard fallbackDeadline == nil else { return }
    fallbackDeadline = Instant(nanoseconds: Self.now.nanoseconds + Self.fallbackDelay)
    arm()
  }

  /// How long work that was deferred in a busy callback waits at most, in nanoseconds.
  private static let fallbackDelay: Int64 = 1_000_000

  private func arm() {
    let deadline =
      fallbackDeadline.map { look in engine.armedDeadline.map { min($0, look) } ?? look } ?? engine.armedDeadline
    attachment.setDeadline(deadline)
  }

  private func advance() {
    guard let stream else { return }
    var transport = stream.transport
    if machine.usesTime {
      let canAskDelegate = holdDelegate() != nil && delegateQueue != nil
      engine.advance(&transport, now: Self.now, canAskDelegate: canAskDelegate)
    } else {
      engine.advance(&transport, now: .irrelevant, canAskDelegate: false)
    }
    if engine.holdsEnd { engine.endIsHeld(at: Self.now) }
  }

  /// Puts the machine's events into the mailbox.
  private func postEvents() {
    guard let delegate = holdDelegate(), let delegateQueue else { return engine.discardEvents(CallerBuffer.fill) }
    engine.post(
      to: delegate, on: delegateQueue, isConcurrent: engine.entry == .disconnecting && delegateQueue.isConcurrent)
  }

  private func requestTurn() {
    guard sharedSocketQueue != nil else { return }
    if engine.mayTurnFollow, isOnLoop, attachment.doNext(self, key: key(.stream)) { return }
    engine.turnIsOnQueue()
    handOver()
  }
}
