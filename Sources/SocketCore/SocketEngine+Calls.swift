import SocketValues

// The engine's methods for calls on the socket, and the work that the loop and others cause.
extension SocketEngine {
  // MARK: Entering

  /// Sets on whose behalf the engine works from here on. The host must have taken all effects of the previous entry.
  package func begin(_ entry: Entry) { self.entry = entry }

  /// Whether input and output may happen on the thread of the present entry.
  private var mayAdvanceHere: Bool {
    guard socketQueue != nil else { return true }
    switch entry {
    case .turn: return true
    case .call(_, let onSocketQueue), .betweenCallbacks(let onSocketQueue): return onSocketQueue
    case .loop, .disconnecting: return false
    }
  }

  /// Requests a pass over the connection: here if this thread may make it, otherwise soon on the socket queue.
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

  /// Requests a turn on the socket queue. `mayFollow`: it may wait until the running callback returns.
  func requestTurn(mayFollow: Bool) {
    let request: TurnRequest = mayFollow && shortcuts.contains(.lending) ? .following : .queued
    guard socketQueue != nil, request > turnRequest else { return }
    turnRequest = request
    needs.insert(.turn)
  }

  /// Read at `Effect.requestTurn`: whether the turn may wait until the running callback returns, if the same thread
  /// makes it then. A host that puts it on the queue instead calls `turnIsOnQueue`.
  package var mayTurnFollow: Bool { turnRequest == .following }

  /// Declares that the host has put the requested turn on the socket queue: it waits for no callback any more.
  package func turnIsOnQueue() { turnRequest = .queued }

  /// Whether the entry is inside a callback, or right behind one.
  private var isAtCallback: Bool {
    switch entry {
    case .call(let inCallback, _): inCallback
    case .betweenCallbacks: true
    case .loop, .turn, .disconnecting: false
    }
  }

  /// Does the work that calls inside the running callback have deferred, because a call follows whose effect could
  /// reveal the order.
  package func performDeferredWork() {
    if deferral.isPending { requestPass() }
    if turnRequest != .none, mayAdvanceHere { takeUpInbox() }
  }

  /// The same before the delegate or its queue changes: what the calls so far lead to belongs to the former ones
  /// (CFG-09). For their sake a pass is made away from the socket queue, too, as before an end: calls of one thread
  /// take effect in order.
  package func performDeferredWorkBeforeChange() {
    performDeferredWork()
    guard inbox.isPassDue, machine.isConnected, !isInactive else { return }
    inbox.isPassDue = false
    needs.insert(.pass)
  }

  /// Whether there is any: calls inside the running callback have deferred it, or have left it to a turn.
  package var hasDeferredWork: Bool { deferral.isPending || turnRequest != .none }

  /// Declares that events go to another delegate from now on.
  package func delegateChanged() { isDelegateUnchanged = false }

  // MARK: Starting

  /// Records that a start call was accepted at that instant. Its outcome is not reported within the millisecond that
  /// follows.
  package func started(at now: Instant) {
    unreportedStart = now
    if machine.hasPostponedFailure { needs.insert(.wakeup) }
  }

  /// Reports that an attempt failed; its descriptor is closed by now. Within the start call itself that is not
  /// processed before the loop calls: when the call returns success, the socket is started (LIFE-02).
  package func attemptFailed(_ attempt: AttemptID, _ failure: SocketFailure) {
    guard case .call = entry, !machine.configuration.announcesEnds else {
      return machine.attemptFailed(attempt, failure)
    }
    machine.attemptFailedInCall(attempt, failure)
    needs.insert(.wakeup)
  }

  /// Takes over a connection. An accepted child is inactive until `activate`: it does nothing.
  package func adoptConnection(announcing announcement: SocketEvent?, inactive: Bool) {
    isInactive = inactive
    machine.adoptConnection(announcing: announcement)
    if !inactive { needs.insert(.watch) }
  }

  /// Declares that the connection's readiness is reported from now on; a pass finds what has arrived before.
  package func connectionIsWatched() { requestPass() }

  /// Declares that an attempt's descriptor has become the connection, which is to be watched from now on; where ends
  /// are announced, only after the delegate has been told (CON-39): `activate` follows.
  package func connectionIsEstablished() {
    isInactive = machine.configuration.announcesEnds
    if !isInactive { needs.insert(.watch) }
  }

  /// Declares that the connection's descriptor is closed: nothing waits for it any more.
  package func connectionIsClosed() {
    closingGrace = ClosingGrace()
    isInactive = false
  }

  /// Lets an accepted child work: didAcceptNewSocket has returned. By now the child may have been closed, and even
  /// started again.
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
  /// call, which may be a disconnect (DIS-05). An end that has waited already takes effect now, before the write,
  /// unless it waits for a read (WR-10). Returns true if there are effects to be taken before `write`.
  package func writeBegins() -> Bool {
    guard !machine.hasFailedSend, closingGrace.wrote(inCallback: isInCallback) else { return false }
    requestPass()
    return true
  }

  /// Queues a write, after `writeBegins`; see `queued`.
  package func write(_ request: WriteRequest, mayWait: Bool) -> Bool {
    machine.write(request)
    return queued(isWrite: true, mayWait: mayWait)
  }

  /// Requests the pass for an operation that was queued; inside a callback it may be deferred until that returns.
  /// `mayWait`: another thread does the deferred work if the callback takes long, or no thread could. Returns true if
  /// the pass is deferred, and there are no effects.
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

  /// Queues the TLS upgrade behind everything queued so far (TLS-01), and requests a pass. `makeSession` is called when
  /// both queues have reached it; its failure ends the connection.
  package func startTLS(_ makeSession: @escaping StreamMachine.SessionMaker) {
    machine.startTLS(makeSession)
    requestPass()
  }

  // MARK: Ending

  /// Closes at once. What is queued should have been exchanged with the kernel before: `exchangeBeforeEnd`.
  package func disconnect() {
    machine.disconnect()
    unreportedStart = nil
    entry = .disconnecting
  }

  /// Puts lanes on their queues that are not there yet: the end is in line when `disconnect()` returns (DIS-03).
  package func scheduleDelayedLanes() {
    for (block, queue) in delayedBlocks { services.append(Service(block: block, queue: queue, manner: .handOver)) }
    delayedBlocks = []
  }

  /// Closes when the operations queued so far are done: reads, writes, or both (DIS-09…DIS-14). Asks for a pass.
  package func disconnect(afterReads reads: Bool, afterWrites writes: Bool) {
    machine.disconnect(afterReads: reads, afterWrites: writes)
    requestPass()
  }

  /// Whether `exchangeBeforeEnd` has anything to do.
  package var owesExchange: Bool { machine.hasUnsentWrites || owesPass }

  /// Calls wait for a pass, which was put off or left to another thread.
  private var owesPass: Bool { deferral.isPending || inbox.isPassDue }

  /// Offers queued writes to the transport, once: before a call that drops them, or that writes past the library
  /// (DIS-23, THR-04). If calls wait for a pass, queued reads are served as well: calls of one thread take effect in
  /// order, whatever was put off. Also called away from the socket queue, because closing does not wait for that queue
  /// either.
  package func exchangeBeforeEnd<Transport: StreamTransport>(_ transport: inout Transport, now: Instant) {
    machine.exchangeBeforeEnd(&transport, receives: owesPass, now: now)
  }

  // MARK: Exclusive access

  /// Declares that a `perform(_:)` block is about to run; deferred work is done first. Returns true if queued writes of
  /// an accepted child must be offered to the kernel now, because it does nothing by itself yet.
  package func ownershipBegins() -> Bool {
    performDeferredWork()
    return isInactive && machine.hasUnsentWrites
  }
}
