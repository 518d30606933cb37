import SocketCore
import SocketValues

// The engine's host in virtual time: reports to it what happens and carries out its effects.
//
// Each subject has a loop of its own here, which is called `turnLatency` after input has arrived. Where real threads
// race, the seed decides: which thread serves a queue, whether a turn is made on the loop's thread, and whether another
// thread enters between two callbacks.
extension SimulatedCase {
  // MARK: Entering

  /// The entry of the running code into a subject's engine.
  func callEntry(_ subject: SimulatedSubject) -> SocketEngine.Entry {
    .call(
      inCallback: isInCallback(of: subject),
      onSocketQueue: subject.socketQueue != nil && currentQueue === subject.socketQueue)
  }

  /// Whether the running code is inside a callback of the subject.
  func isInCallback(of subject: SimulatedSubject) -> Bool { callbackStack.contains { $0.subject === subject } }

  /// Makes a call on a subject.
  func call<Failure: Error>(
    _ subject: SimulatedSubject, _ body: (SocketEngine) throws(Failure) -> Void
  ) throws(Failure) {
    subject.engine.begin(callEntry(subject))
    defer { settle(subject) }
    try body(subject.engine)
  }

  /// Whether operations may wait for the running callback to return.
  func mayWait(_ subject: SimulatedSubject) -> Bool {
    isInCallback(of: subject) && subject.performDepth == 0 && !subject.isThreadAway
  }

  /// Does the work that calls inside the running callback have deferred. `changesTarget`: the delegate or its queue is
  /// about to change.
  func catchUp(_ subject: SimulatedSubject, changesTarget: Bool = false) {
    guard subject.engine.hasDeferredWork else { return }
    call(subject) { changesTarget ? $0.performDeferredWorkBeforeChange() : $0.performDeferredWork() }
  }

  // MARK: The loop

  /// Has the loop call soon.
  func requestLoop(_ subject: SimulatedSubject) {
    if let part = subject.runLoop {
      if let place = part.place { scheduleNext(place.loop) }
      return
    }
    guard !subject.isLoopScheduled, !subject.isGone else { return }
    subject.isLoopScheduled = true
    timeline.schedule(after: subject.turns.pick(faults.turnLatency), .loop(subject: subject.index))
  }

  func loopCalls(_ subject: SimulatedSubject) {
    subject.isLoopScheduled = false
    guard !subject.isGone else { return }
    if let connection = subject.connection { connection.link[connection.side].hasUnannounced = false }
    let mayLend = !subject.isThreadAway && subject.schedules.chance(faults.lending)
    if subject.performDepth > 0 {
      keepWhatCame(subject)
    } else if let queue = subject.socketQueue {
      guard mayLend, isFree(queue) else { return keepWhatCame(subject) }
      occupy(queue) { takeTurn(subject, queue, isLent: true) }
      runLentWork(of: subject, hasThread: !queue.isOccupied)
    } else if mayLend, let queue = subject.delegateQueue, isFree(queue) {
      // In the midst of a loan to that queue, as for the sockets that come after the first one.
      occupy(queue) { loopEnters(subject, on: queue) }
    } else {
      enterFromLoop(subject) {
        if takeUpWhatCame(subject, fastPath: false) == false { subject.engine.requestPass() }
      }
    }
  }

  /// A block could run on the queue at once.
  func isFree(_ queue: VirtualQueue) -> Bool {
    !queue.isOccupied && queue.suspensions == 0 && queue.blocks.isEmpty
  }

  private func keepWhatCame(_ subject: SimulatedSubject) {
    for part in takeParts(subject) { subject.engine.keep([], for: part) }
    if subject.inbox.isSignalled { subject.engine.keep(takeHints(subject), for: .stream) }
    settle(subject)
  }

  /// Processes the loop's input. False: a pass must follow; nil: a callback that was made on the fast path holds.
  private func takeUpWhatCame(_ subject: SimulatedSubject, fastPath: Bool) -> Bool? {
    for part in takeParts(subject) { subject.engine.takeUp([], for: part) }
    guard subject.inbox.isSignalled else { return true }
    settle(subject)
    let hints = takeHints(subject)
    if fastPath { return serveOnFastPath(subject, with: hints) }
    subject.engine.note(hints)
    return false
  }

  /// The loop's thread enters on the delegate queue. False if a callback holds.
  private func loopEnters(_ subject: SimulatedSubject, on queue: VirtualQueue) -> Bool {
    subject.engine.begin(.loop(mayServe: true))
    guard let isDone = takeUpWhatCame(subject, fastPath: true) else { return false }
    if !isDone { subject.engine.requestPass() }
    settle(subject)
    guard let lentWork = subject.lentWork else { return true }
    subject.lentWork = nil
    guard subject.engine.takeDelayed(lentWork.block) else { return true }
    if lentWork.queue === queue { return drain(lentWork.block, of: subject, isLent: true) }
    put(.lane(subject: subject.index, lentWork.block), on: lentWork.queue)
    return true
  }

  func takeHints(_ subject: SimulatedSubject) -> Readiness {
    defer { (subject.inbox.hints, subject.inbox.isSignalled) = ([], false) }
    return subject.inbox.hints
  }

  private func takeParts(_ subject: SimulatedSubject) -> [SocketEngine.WatchedPart] {
    defer { subject.inbox.mayAccept = false }
    var parts: [SocketEngine.WatchedPart] = subject.inbox.mayAccept ? [.listener] : []
    if !subject.inbox.lookups.isEmpty { parts.append(.preferred) }
    for entry in subject.inbox.results { parts.append(entry.id.index == 0 ? .preferred : .alternate) }
    return parts
  }

  /// The loop's thread enters, and serves a delegate queue when it leaves, if that is free and the seed wants it.
  private func enterFromLoop(_ subject: SimulatedSubject, _ body: () -> Void) {
    subject.engine.begin(.loop(mayServe: !subject.isThreadAway))
    body()
    settle(subject)
    runLentWork(of: subject, hasThread: true)
  }

  /// The loop's thread has left where it was, or is kept there by a callback.
  private func runLentWork(of subject: SimulatedSubject, hasThread: Bool) {
    guard let lentWork = subject.lentWork else { return }
    subject.lentWork = nil
    guard subject.engine.takeDelayed(lentWork.block) else { return }
    if hasThread {
      drainOnLoop(lentWork.block, of: subject, on: lentWork.queue)
    } else {
      put(.lane(subject: subject.index, lentWork.block), on: lentWork.queue)
    }
  }

  /// A callback keeps the loop's thread: another one goes on, and does the work that the callback has deferred.
  func loopGoesOn(without subject: SimulatedSubject) {
    guard let queue = queues.first(where: { $0.held?.run.subject === subject && $0.held?.run.isLent == true }),
      queue.held?.delivery != nil
    else { return }
    subject.isThreadAway = true
    makeTurnFollow(subject)
    subject.inbox.isSignalled = true
    requestLoop(subject)
  }

  func deadlineComes(_ subject: SimulatedSubject) {
    guard !subject.isGone, let armed = subject.armedDeadline, armed <= timeline.now else { return }
    if let part = subject.runLoop {
      part.isDeadlineDue = true
      return requestLoop(subject)
    }
    subject.armedDeadline = nil
    guard subject.socketQueue == nil, subject.performDepth == 0 else {
      subject.engine.keepDeadline()
      return settle(subject)
    }
    enterFromLoop(subject) { subject.engine.deadlineCame() }
  }

  // MARK: The socket queue

  /// A turn, then the callbacks that need no other block. False if one of them holds. On the loop's thread it also
  /// processes the loop's input.
  func takeTurn(_ subject: SimulatedSubject, _ queue: VirtualQueue, isLent: Bool = false) -> Bool {
    guard !subject.isGone else { return true }
    subject.isTurnLent = isLent
    if subject.engine.beginTurn() { settle(subject) }
    if isLent {
      let mayCall = subject.engine.entry == .turn(forCalls: false) && subject.delegateQueue === queue
      guard let isDone = takeUpWhatCame(subject, fastPath: mayCall) else { return false }
      if !isDone { subject.engine.requestPass() }
    }
    settle(subject)
    var blocks = subject.turnBlocks
    subject.turnBlocks.removeAll(keepingCapacity: true)
    while !blocks.isEmpty {
      let block = blocks.removeFirst()
      guard drain(block, of: subject) else {
        for waiting in blocks.reversed() { queue.blocks.prepend(.lane(subject: subject.index, waiting)) }
        return false
      }
    }
    return true
  }

  // MARK: Effects

  /// Carries out the engine's effects, until it is at rest.
  func settle(_ subject: SimulatedSubject) {
    let engine = subject.engine
    while let effect = engine.nextEffect() {
      if let part = subject.runLoop, carryOut(effect, for: subject, part) { continue }
      switch effect {
      case .carryOut: carryOut(engine.takeCommand(), for: subject)
      case .watch: watch(subject)
      case .advance: advance(subject)
      case .post: postEvents(of: subject)
      case .serve: serve(engine.takeService(), of: subject)
      case .check: check(engine.takePartToCheck(), of: subject)
      case .time:
        check(.preferred, of: subject)
        check(.alternate, of: subject)
        engine.tick(now: now)
      case .requestTurn: requestTurn(subject)
      case .wake, .armFallback:
        subject.inbox.isSignalled = true
        requestLoop(subject)
      case .arm: arm(engine.armedDeadline, for: subject)
      }
    }
  }

  private func requestTurn(_ subject: SimulatedSubject) {
    guard let queue = subject.socketQueue else { return }
    if subject.engine.mayTurnFollow, subject.isLaneLent, !subject.isThreadAway {
      subject.turnFollows = true
    } else {
      subject.engine.turnIsOnQueue()
      put(.turn(subject: subject.index), on: queue)
    }
  }

  /// The loop's thread goes on to the turn that it owes, or another one does.
  func makeTurnFollow(_ subject: SimulatedSubject) {
    guard subject.turnFollows, let queue = subject.socketQueue else { return }
    subject.turnFollows = false
    put(.turn(subject: subject.index), on: queue)
  }

  private func carryOut(_ command: SocketCommand, for subject: SimulatedSubject) {
    switch command {
    case .lookUp(let lookup, let host, let port): lookUp(lookup, host, port, for: subject)
    case .attempt(let attempt, let remote, let local):
      if let failure = start(attempt, to: remote, from: local, of: subject) {
        subject.engine.attemptFailed(attempt, failure)
      }
    case .forgetLookup: break
    case .retry(let attempt, _): retry(attempt, of: subject)
    case .abandon(let attempt): discard(attempt, of: subject)
    case .establish(let attempt): establish(attempt, of: subject)
    case .close(let manner, let finalBytes): close(manner, finalBytes: finalBytes, of: subject)
    }
  }

  private func advance(_ subject: SimulatedSubject) {
    guard let connection = subject.connection else { return }
    var transport = LinkTransport(link: connection.link, side: connection.side)
    subject.engine.advance(
      &transport, now: now, canAskDelegate: subject.delegate != nil && subject.delegateQueue != nil)
    if subject.engine.holdsEnd { subject.engine.endIsHeld(at: now) }
  }

  /// Offers queued writes to the wire, before they are dropped.
  func exchangeBeforeEnd(_ subject: SimulatedSubject) {
    guard let connection = subject.connection else { return }
    var transport = LinkTransport(link: connection.link, side: connection.side, isPrompt: true)
    subject.engine.exchangeBeforeEnd(&transport, now: now)
  }

  private func postEvents(of subject: SimulatedSubject) {
    guard let delegate = subject.delegate, let queue = subject.delegateQueue else {
      return subject.engine.discardEvents { event in
        closeUnclaimed(event)
        fillBuffer(for: event)
      }
    }
    subject.engine.post(to: delegate, on: queue, isConcurrent: false)
  }

  private func serve(_ service: SocketEngine.Service, of subject: SimulatedSubject) {
    let queue = unsafeDowncast(service.queue, to: VirtualQueue.self)
    switch service.manner {
    case .inline: subject.turnBlocks.append(service.block)
    case .byLoop:
      if subject.lentWork == nil, isOnLoop(subject), subject.schedules.chance(faults.lending) {
        subject.lentWork = (service.block, queue)
      } else if subject.engine.takeDelayed(service.block) {
        put(.lane(subject: subject.index, service.block), on: queue)
      }
    case .handOver: put(.lane(subject: subject.index, service.block), on: queue)
    case .behindCaller(let earliest?) where earliest > now:
      timeline.schedule(
        at: earliest.nanoseconds, .put(subject: subject.index, service.block, queue: queue.id))
    case .behindCaller: put(.step(subject: subject.index, service.block), on: queue)
    }
  }

  /// Whether the loop's thread is in the engine.
  private func isOnLoop(_ subject: SimulatedSubject) -> Bool {
    switch subject.engine.entry {
    case .loop: true
    case .turn: subject.isTurnLent
    case .call, .betweenCallbacks, .disconnecting: false
    }
  }

  private func check(_ part: SocketEngine.WatchedPart, of subject: SimulatedSubject) {
    switch part {
    case .stream: break
    case .listener: acceptClients(subject)
    case .preferred:
      let lookups = subject.inbox.lookups
      subject.inbox.lookups = []
      for entry in lookups { subject.machine.lookupFinished(entry.id, entry.result, now: now) }
      checkAttempt(0, of: subject)
    case .alternate: checkAttempt(1, of: subject)
    }
  }

  private func checkAttempt(_ index: Int, of subject: SimulatedSubject) {
    let results = subject.inbox.results
    subject.inbox.results = results.filter { $0.id.index != index }
    for entry in results where entry.id.index == index { finish(entry.id, entry.result, of: subject) }
  }

  func arm(_ deadline: Instant?, for subject: SimulatedSubject) {
    subject.armedDeadline = deadline?.nanoseconds
    guard let deadline else { return }
    let (late, overflow) = deadline.nanoseconds.addingReportingOverflow(subject.timers.pick(faults.timerLatency))
    timeline.schedule(at: overflow ? .max : late, .deadline(subject: subject.index))
  }

  // MARK: The connection

  /// Has the connection's readiness reported from now on, beginning with the present one.
  private func watch(_ subject: SimulatedSubject) {
    guard let connection = subject.connection else { return }
    let hints = readiness(connection)
    if !hints.isEmpty { signal(hints, to: subject) }
    subject.engine.connectionIsWatched()
  }

  /// The present readiness.
  func readiness(_ connection: SimulatedSubject.Connection) -> Readiness {
    let (link, side) = (connection.link, connection.side)
    link[side].hasUnannounced = false
    var hints: Readiness = []
    if link[to: side].unread > 0 { hints.insert(.readable) }
    if link[side].finArrived { hints.formUnion([.readable, .peerClosed]) }
    if link[side].resetArrived { hints.formUnion([.readable, .peerClosed, .broken]) }
    return hints
  }

  private func close(_ manner: CloseManner, finalBytes: [UInt8], of subject: SimulatedSubject) {
    if let connection = subject.connection {
      subject.connection = nil
      subject.connectedPath = nil
      connection.link[connection.side].owner = .nobody
      connection.link.sendFinalBytes(connection.side, finalBytes)
      switch manner {
      case .immediate: connection.link.close(connection.side)
      case .secured: connection.link.closeGracefully(connection.side, maxInput: LingerLimit.ownInput)
      case .graceful: connection.link.closeGracefully(connection.side)
      }
    }
    (subject.inbox.hints, subject.inbox.isSignalled) = ([], false)
    subject.engine.connectionIsClosed()
    closeListeners(of: subject)
  }

  /// The last reference was released: everything is closed, without callbacks.
  func abandonIfUnused(_ subject: SimulatedSubject) {
    guard subject.isReleased, !subject.isGone, !subject.isKept else { return }
    call(subject) { engine in
      exchangeBeforeEnd(subject)
      subject.delegate = nil
      engine.machine.disconnect()
    }
    subject.isGone = true
  }
}
