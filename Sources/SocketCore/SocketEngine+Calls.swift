import SocketValues

// What is done for callers: their calls, and what the loop and others bring on somebody's behalf.
extension SocketEngine {
  // MARK: Entering

  /// Says on whose behalf the engine works from here on. The host must have taken all effects of what came before.
  package func begin(_ entry: Entry) { self.entry = entry }

  /// Whether input and output may happen where the present entry stands.
  private var mayAdvanceHere: Bool {
    guard socketQueue != nil else { return true }
    switch entry {
    case .turn: return true
    case .call(_, let onSocketQueue), .betweenCallbacks(let onSocketQueue): return onSocketQueue
    case .loop, .disconnecting: return false
    }
  }

  /// Asks for a pass over the connection, here if this is the place for it, otherwise soon on the socket queue.
  package func requestPass() {
    deferral.end()
    guard machine.isConnected, !isInactive else { return }
    if mayAdvanceHere {
      needs.insert(.pass)
    } else {
      inbox.isPassDue = true
      if case .call(inCallback: false, _) = entry { isTurnForCaller = true }
      requestTurn(mayFollow: isAtCallback)
    }
  }

  /// Asks for a turn on the socket queue. `mayFollow`: it may wait for the running callback to return.
  func requestTurn(mayFollow: Bool) {
    let request: TurnRequest = mayFollow && shortcuts.contains(.lending) ? .following : .queued
    guard socketQueue != nil, request > turnRequest else { return }
    turnRequest = request
    needs.insert(.turn)
  }

  /// Asked at `Effect.requestTurn`: whether the turn may wait for the running callback to return, if the same thread
  /// makes it then. A host that puts it on the queue instead says so by `turnIsOnQueue`.
  package var mayTurnFollow: Bool { turnRequest == .following }

  /// The host has put the requested turn on the socket queue: it waits for no callback any more.
  package func turnIsOnQueue() { turnRequest = .queued }

  /// Inside a callback, or right behind one.
  private var isAtCallback: Bool {
    switch entry {
    case .call(let inCallback, _): inCallback
    case .betweenCallbacks: true
    case .loop, .turn, .disconnecting: false
    }
  }

  /// Does what calls inside the running callback have put off, because a call follows whose effect could show the
  /// order.
  package func performDeferredWork() {
    if deferral.isPending { requestPass() }
    if turnRequest == .following, mayAdvanceHere { takeUpInbox() }
  }

  /// Whether calls inside the running callback have put something off.
  package var hasDeferredWork: Bool { deferral.isPending || turnRequest == .following }

  /// From now on events go to another delegate.
  package func delegateChanged() { isDelegateUnchanged = false }

  // MARK: Starting

  /// A start call was accepted at that instant. Its outcome is not told within the millisecond that follows.
  package func started(at now: Instant) { unreportedStart = now }

  /// Takes over a connection. An accepted child stays inactive, which does nothing, until `activate`.
  package func adoptConnection(announcing announcement: SocketEvent?, inactive: Bool) {
    isInactive = inactive
    machine.adoptConnection(announcing: announcement)
    if !inactive { needs.insert(.watch) }
  }

  /// The connection's readiness is told from now on; what is there already is found by a pass.
  package func connectionIsWatched() { needs.insert(.pass) }

  /// An attempt's descriptor has become the connection, and is to be watched from now on; where ends are announced,
  /// only when the delegate has heard of it (CON-39): `activate` follows.
  package func connectionIsEstablished() {
    isInactive = machine.configuration.announcesEnds
    if !isInactive { needs.insert(.watch) }
  }

  /// The connection's descriptor is closed: nothing waits for it any more.
  package func connectionIsClosed() {
    closingGrace = ClosingGrace()
    isInactive = false
  }

  /// didAcceptNewSocket has returned. By now the child may have been closed, and even started anew.
  package func activate() {
    guard isInactive else { return }
    isInactive = false
    needs.insert(.watch)
  }

  // MARK: Reading and writing

  /// Queues a read; see `queued`.
  package func read(_ request: ReadRequest, mayWait: Bool) -> Bool {
    machine.read(request)
    return queued(isWrite: false, mayWait: mayWait)
  }

  /// To be called before `write`: an orderly end of the peer's that is found from now on may wait for the caller's next
  /// call, which may ask for the end (DIS-05). One that has waited already is told now, in front of the write. True:
  /// there are effects to be taken before `write`.
  package func writeBegins() -> Bool {
    guard closingGrace.wrote(inCallback: isInCallback) else { return false }
    requestPass()
    return true
  }

  /// Queues a write, after `writeBegins`; see `queued`.
  package func write(_ request: WriteRequest, mayWait: Bool) -> Bool {
    machine.write(request)
    return queued(isWrite: true, mayWait: mayWait)
  }

  /// Inside a callback the pass may wait for its return. `mayWait`: somebody does what was put off if the callback
  /// takes long, or nobody could. True: it waits, and there are no effects.
  private func queued(isWrite: Bool, mayWait: Bool) -> Bool {
    guard mayWait, isInCallback, shortcuts.contains(.deferral),
      deferral.covers(isWrite: isWrite, hasBufferedInput: machine.hasBufferedInput)
    else {
      requestPass()
      return false
    }
    guard deferral.add(isWrite: isWrite) else { return true }
    needs.insert(.fallback)
    return false
  }

  private var isInCallback: Bool {
    if case .call(inCallback: true, _) = entry { return true }
    return false
  }

  /// Queues a write whose bytes are the caller's own memory: they are offered to the transport now, without a pass if
  /// nothing else is going on.
  package func write<Transport: StreamTransport>(borrowing request: WriteRequest, _ transport: inout Transport) {
    machine.write(request)
    if !isInactive, mayAdvanceHere, let tag = sendOnFastPath(&transport) {
      machine.events.append(.didWrite(tag: tag))
      if machine.comesToRest() { return deferral.end() }
    }
    requestPass()
  }

  /// Queues the TLS upgrade behind everything queued so far (TLS-01), and asks for a pass. `makeSession` is called when
  /// both queues have come to it; its failure ends the connection.
  package func startTLS(_ makeSession: @escaping StreamMachine.SessionMaker) {
    machine.startTLS(makeSession)
    requestPass()
  }

  // MARK: Ending

  /// Closes at once. What is queued to be written should have been offered to the kernel: `sendBeforeEnd`.
  package func disconnect() {
    machine.disconnect()
    unreportedStart = nil
    entry = .disconnecting
  }

  /// Puts lanes on their queues that only asked for their turn: the end is in line when `disconnect()` returns
  /// (DIS-03).
  package func scheduleDelayedLanes() {
    for (lane, queue) in delayedLanes { services.append(Service(lane: lane, queue: queue, manner: .handOver)) }
    delayedLanes = []
  }

  /// Closes when the operations queued so far are done: reads, writes, or both (DIS-09…DIS-14). Asks for a pass.
  package func disconnect(afterReads reads: Bool, afterWrites writes: Bool) {
    machine.disconnect(afterReads: reads, afterWrites: writes)
    requestPass()
  }

  /// Offers the transport what is queued to be written, once: in front of a call that drops it, or that writes past the
  /// library (DIS-23, THR-04). Also away from the socket queue, because closing does not wait for that queue either.
  package func sendBeforeEnd<Transport: StreamTransport>(_ transport: inout Transport, now: Instant) {
    machine.sendBeforeEnd(&transport, now: now)
  }

  // MARK: Having the socket to oneself

  /// A `perform(_:)` block is about to run: what was put off comes first. True: what an accepted child has written must
  /// be offered to the kernel now, because it does nothing by itself yet.
  package func ownershipBegins() -> Bool {
    performDeferredWork()
    return isInactive && machine.hasUnsentWrites
  }
}
