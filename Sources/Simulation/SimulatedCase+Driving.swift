import SocketCore

/// What a driver does for the machine: carry out its commands, hand on its events, give it turns and deadlines.
///
/// Laws (those of the real driver)
/// - A socket without a queue of the caller's advances wherever there is work: in a call, in a turn of the loop. One
///   with a queue advances only on that queue.
/// - Calls never call back: events go through the mailbox, on the delegate queue.
/// - Commands are carried out before events are handed on, so a descriptor is closed before didDisconnect is seen.
extension SimulatedCase {
  // MARK: Turns

  /// Has the driver look at its inbox soon, by way of the library's loop.
  func requestTurn(_ subject: SimulatedSubject) {
    guard !subject.isTurnScheduled, !subject.isGone else { return }
    subject.isTurnScheduled = true
    timeline.schedule(after: subject.turns.pick(faults.turnLatency), .turn(subject: subject.index))
  }

  /// The same for a call made elsewhere than on the socket's queue: straight to that queue.
  private func requestQueueTurn(_ subject: SimulatedSubject, on queue: Int) {
    guard !subject.isTurnScheduled, !subject.isGone else { return }
    subject.isTurnScheduled = true
    put(.turn(subject: subject.index), on: queue)
  }

  func turnComes(_ subject: SimulatedSubject) {
    guard subject.isTurnScheduled else { return }
    if let queue = subject.socketQueue {
      put(.turn(subject: subject.index), on: queue)
    } else {
      takeTurn(subject)
    }
  }

  /// On the socket queue: the turn, then the callbacks that need no hop. False if one of them holds.
  func takeTurnOnQueue(_ subject: SimulatedSubject, _ queue: VirtualQueue) -> Bool {
    subject.isInTurn = true
    takeTurn(subject)
    subject.isInTurn = false
    var lanes = subject.inlineLanes
    subject.inlineLanes.removeAll(keepingCapacity: true)
    while !lanes.isEmpty {
      let lane = lanes.removeFirst()
      guard drain(lane, of: subject) else {
        for waiting in lanes.reversed() { queue.blocks.prepend(.lane(subject: subject.index, waiting)) }
        return false
      }
    }
    return true
  }

  private func takeTurn(_ subject: SimulatedSubject) {
    subject.isTurnScheduled = false
    guard !subject.isGone else { return }
    var inbox = SimulatedSubject.Inbox()
    swap(&inbox, &subject.inbox)
    if let connection = subject.connection { connection.link[connection.side].hasUnannounced = false }
    for entry in inbox.results { finish(entry.id, entry.result, of: subject) }
    for entry in inbox.lookups { subject.machine.lookupFinished(entry.id, entry.result, now: now) }
    if inbox.mayAccept { acceptClients(subject) }
    if !inbox.hints.isEmpty { subject.machine.note(inbox.hints) }
    if inbox.deadlineCame || subject.socketQueue != nil, subject.machine.tick(now: now) { acceptClients(subject) }
    // Only a reason makes a pass: one without would hide a wake-up that was lost.
    if !inbox.hints.isEmpty || inbox.needsPass || inbox.deadlineCame || subject.socketQueue != nil { pass(subject) }
    settle(subject)
  }

  // MARK: Passes

  /// One pass over the connection, here if this is the place for it, otherwise soon on the socket queue.
  func pass(_ subject: SimulatedSubject) {
    guard let connection = subject.connection, !subject.isCorked, subject.machine.isConnected else { return }
    if let queue = subject.socketQueue, queue != currentQueue { return requestQueueTurn(subject, on: queue) }
    var transport = LinkTransport(link: connection.link, side: connection.side)
    subject.machine.advance(
      &transport, now: now, canAskDelegate: subject.delegate != nil && subject.delegateQueue != nil)
    guard subject.machine.needsAnotherPass else { return }
    subject.inbox.needsPass = true
    requestTurn(subject)
  }

  /// Offers the wire what was written, before it is dropped.
  func sendBeforeEnd(_ subject: SimulatedSubject) {
    guard let connection = subject.connection else { return }
    var transport = LinkTransport(link: connection.link, side: connection.side, isPrompt: true)
    subject.machine.sendBeforeEnd(&transport, now: now)
  }

  /// Carries out what the machine asks for and hands on what it has to tell, until it is at rest.
  func settle(_ subject: SimulatedSubject) {
    while true {
      let commands = subject.machine.takeCommands()
      if commands.isEmpty {
        guard subject.needsPassNow else { break }
        subject.needsPassNow = false
        pass(subject)
      }
      for command in commands { carryOut(command, for: subject) }
    }
    subject.machine.drainEvents { post($0, of: subject) }
    armDeadline(subject)
  }

  private func carryOut(_ command: SocketCommand, for subject: SimulatedSubject) {
    switch command {
    case .lookUp(let lookup, let host, let port): lookUp(lookup, host, port, for: subject)
    case .attempt(let attempt, let remote, let local):
      if let failure = start(attempt, to: remote, from: local, of: subject) {
        subject.machine.attemptFailed(attempt, failure)
      }
    case .forgetLookup: break
    case .retry(let attempt, _): retry(attempt, of: subject)
    case .abandon(let attempt): discard(attempt, of: subject)
    case .establish(let attempt): establish(attempt, of: subject)
    case .close(let manner, let farewell): close(manner, farewell: farewell, of: subject)
    }
  }

  // MARK: Deadlines

  private func armDeadline(_ subject: SimulatedSubject) {
    guard !subject.isCorked, let deadline = subject.machine.nextDeadline?.nanoseconds else { return }
    if let armed = subject.armedDeadline, armed <= deadline { return }
    subject.armedDeadline = deadline
    let (late, overflow) = deadline.addingReportingOverflow(subject.timers.pick(faults.timerLatency))
    timeline.schedule(at: overflow ? .max : late, .deadline(subject: subject.index))
  }

  /// A timer that was set for an operation that is done by now does nothing.
  func deadlineComes(_ subject: SimulatedSubject) {
    subject.armedDeadline = nil
    guard !subject.isGone, let deadline = subject.machine.nextDeadline else { return }
    guard deadline <= now else { return armDeadline(subject) }
    subject.inbox.deadlineCame = true
    if let queue = subject.socketQueue {
      requestQueueTurn(subject, on: queue)
    } else {
      takeTurn(subject)
    }
  }

  // MARK: Events

  private func post(_ event: SocketEvent, of subject: SimulatedSubject) {
    guard let delegate = subject.delegate, let queue = subject.delegateQueue else {
      if case .didAccept(let handle) = event { closeUnclaimed(handle) }
      return fillBuffer(for: event)
    }
    var isTerminal = false
    if case .didDisconnect = event { isTerminal = true }
    if let scheduled = subject.mailbox.post(event, to: delegate, on: queue, isTerminal: isTerminal) {
      schedule(scheduled.lane, on: scheduled.queue, of: subject)
    }
  }

  func schedule(_ lane: VirtualQueue.Lane, on queue: Int, of subject: SimulatedSubject) {
    if subject.isInTurn, queue == subject.socketQueue {
      subject.inlineLanes.append(lane)
    } else {
      put(.lane(subject: subject.index, lane), on: queue)
    }
  }

  // MARK: The connection

  /// Starts to be told about the connection's readiness, beginning with what is there already.
  func watch(_ subject: SimulatedSubject) {
    guard let connection = subject.connection else { return }
    let (link, side) = (connection.link, connection.side)
    link[side].hasUnannounced = false
    var hints: ReadinessHints = []
    if link[to: side].unread > 0 { hints.insert(.readable) }
    if link[side].finArrived { hints.formUnion([.readable, .peerClosed]) }
    if link[side].resetArrived { hints.formUnion([.readable, .peerClosed, .broken]) }
    if !hints.isEmpty {
      subject.inbox.hints.formUnion(hints)
      requestTurn(subject)
    }
    subject.needsPassNow = true
  }

  private func close(_ manner: CloseManner, farewell: [UInt8], of subject: SimulatedSubject) {
    if let connection = subject.connection {
      subject.connection = nil
      subject.connectedPath = nil
      connection.link[connection.side].owner = .nobody
      connection.link.bidFarewell(connection.side, farewell, patiently: manner == .graceful)
      switch manner {
      case .immediate: connection.link.close(connection.side)
      case .graceful: connection.link.closeGracefully(connection.side)
      }
    }
    closeListeners(of: subject)
  }

  /// The last reference went: everything is closed, and nobody is told.
  func abandonIfUnused(_ subject: SimulatedSubject) {
    guard subject.isReleased, !subject.isGone, !subject.isKept else { return }
    sendBeforeEnd(subject)
    subject.delegate = nil
    subject.machine.disconnect()
    settle(subject)
    subject.isGone = true
  }
}
