import DequeModule
import SocketValues

/// The engine of the run-loop class, where one thread does everything in turns: a `SocketEngine`, the events that wait
/// for their callbacks, and what callbacks and starts change about the meaning of calls.
///
/// Its host begins each visit of the thread as a turn, and delivers the events one after the other, each to the
/// delegate of its moment; lanes and services of the `SocketEngine` play no part.
///
///     turn ──▶ effects ──▶ nextEvent ──▶ callbackBegins ──▶ callback ──▶ callbackReturned ──▶ effects ──▶ nextEvent
///
/// It keeps the laws of the `SocketEngine`: it never calls out, and knows no run loop, thread, clock or descriptor.
package final class RunLoopEngine {
  /// What it has in common with the other class.
  package let engine: SocketEngine
  @exclusivity(unchecked) private var events = Deque<SocketEvent>()
  @exclusivity(unchecked) private var callbackDepth = 0
  /// The run loop that the socket works on.
  @exclusivity(unchecked) private var loop: ObjectIdentifier?
  /// The one that the running callbacks run on.
  @exclusivity(unchecked) private var callbackLoop: ObjectIdentifier?
  @exclusivity(unchecked) private var isInWillDisconnect = false
  /// A read of anything that was made in the running willDisconnect (RL-07).
  @exclusivity(unchecked) private var lateRead: ReadRequest?
  @exclusivity(unchecked) private var isStartedWithAddress = false
  /// The delegate has heard of the connection.
  @exclusivity(unchecked) private var isAnnounced = false

  /// Stands for the run loop's thread where the `SocketEngine` expects a queue.
  private final class Thread {}

  /// An engine of a socket that is not started.
  package init() {
    engine = SocketEngine(socketQueue: Thread())
    engine.machine.configuration.announcesEnds = true
  }

  private var machine: SocketMachine { engine.machine }

  // MARK: State

  /// Whether events wait for their callbacks.
  package var hasEvents: Bool { !events.isEmpty }

  /// Whether the socket counts as connected: its didConnect has come, and the peer's end is not being announced
  /// (DIAG-09).
  package var isConnected: Bool {
    guard machine.isConnected, isAnnounced else { return false }
    return !machine.isEndedByPeer
  }

  /// Whether an end was found, of which the delegate has not heard.
  package var isEndPending: Bool { events.contains(where: \.isTerminal) }

  /// Whether the socket could start: it is not started, and its delegate has heard of its last end.
  package var isFree: Bool { machine.isDisconnected && !isEndPending }

  /// Whether there is nothing that it needs its run loop for.
  package var isIdle: Bool { machine.isDisconnected && events.isEmpty && callbackDepth == 0 }

  /// Whether a callback is running on another run loop: the socket has been moved since it began. Until it has returned
  /// nothing may be done or delivered on the new one (CON-39, THR-16). The host keeps what is reported there, which
  /// `callbackReturned` takes up, and asks for a turn when the callback has returned.
  package var isCalledElsewhere: Bool { callbackDepth > 0 && callbackLoop != loop }

  /// Whether the last start was a connect to an address, and has not succeeded: its errors differ (CON-33).
  package var startsWithAddress: Bool { isStartedWithAddress }

  // MARK: Calls

  /// Records that the socket works on that run loop from now on; nil: on none. A callback that began while it worked on
  /// none runs where it starts.
  package func attached(to loop: AnyObject?) {
    self.loop = loop.map { ObjectIdentifier($0) }
    if callbackLoop == nil || loop == nil { callbackLoop = self.loop }
  }

  /// Begins a call: `begin` of the `SocketEngine`.
  ///
  /// - Parameter mayDeliver: whether the call is made where the socket's callbacks run.
  package func beginCall(mayDeliver: Bool) {
    engine.begin(.call(inCallback: callbackDepth > 0 && mayDeliver, onSocketQueue: false))
  }

  /// Begins a start. Take the effects then, and call the machine if it does not throw.
  ///
  /// - Returns: Whether the socket is free: it needs a place on a run loop. Otherwise the machine refuses the start.
  /// - Throws: The delegate has not heard of the last end.
  package func beginStart() throws(SocketFailure) -> Bool {
    guard !isEndPending else {
      throw .badConfig("The socket's delegate has not heard of its last end yet. Start it afterwards.")
    }
    guard machine.isDisconnected else { return false }
    isStartedWithAddress = false
    isAnnounced = false
    return true
  }

  /// Records that a connect to an address has begun.
  package func beganWithAddress() { isStartedWithAddress = !machine.isConnected }

  /// Records that the connection is established: from now on the kernel's errors are reported as they are (RL-01).
  package func established() { isStartedWithAddress = false }

  /// Queues a read. Made in willDisconnect, one that takes anything gets what is left (RL-07), and others nothing.
  ///
  /// - Parameters:
  ///   - mayWait: whether the call is made where the socket's callbacks run.
  ///   - isInCallback: whether it is made inside the running callback, also if that has moved the socket elsewhere; it
  ///     matters only in willDisconnect.
  /// - Returns: false: take the effects now. Otherwise they may wait for a turn, which must follow.
  package func read(_ request: ReadRequest, mayWait: Bool, isInCallback: Bool) -> Bool {
    guard !isInWillDisconnect else {
      if isInCallback, case .available = request.boundary { lateRead = lateRead ?? request }
      return true
    }
    return engine.read(request, mayWait: mayWait)
  }

  /// Lets a connection work whose delegate does not hear of it: nobody can, or it has no address.
  package func activate() {
    isAnnounced = true
    engine.activate()
  }

  /// Whether a turn must be requested at the end of a call: events wait, or a listener's graceful disconnect (DIS-27).
  package var wantsTurn: Bool { hasEvents || machine.owesClose }

  /// Takes a turn that was requested; not while `isCalledElsewhere`.
  package func takeTurn() {
    // didConnect runs the loop, so that it waits for what it has asked for.
    if callbackDepth > 0, isAnnounced, machine.isConnected { engine.activate() }
    machine.closeIfOwed()
    engine.performDeferredWork()
    // A callback that runs the loop has not returned, and everything before the end was delivered.
    lookForEnd()
  }

  /// Closes at once. Completions that were not delivered are dropped with the queues (LIFE-13), and so is the
  /// willDisconnect of an end that was found before, such as a failed connect: what was asked for has no error
  /// (DIS-25). Take the effects then, and deliver.
  ///
  /// - Parameter onDrop: is called with each event that is dropped.
  package func disconnect(onDrop: (SocketEvent) -> Void = { _ in }) {
    dropEvents(onDrop) { !$0.isTerminal }
    isInWillDisconnect = false
    engine.disconnect()
  }

  /// Drops everything: the socket is being deinitialised (LIFE-18), or its run loop's thread has ended, and its machine
  /// is disconnected.
  ///
  /// - Parameter onDrop: is called with each event that is dropped.
  package func abandon(onDrop: (SocketEvent) -> Void = { _ in }) { dropEvents(onDrop) { _ in true } }

  private func dropEvents(_ onDrop: (SocketEvent) -> Void, where isDropped: (SocketEvent) -> Bool) {
    for event in events where isDropped(event) { onDrop(event) }
    events.removeAll(where: isDropped)
    lateRead = nil
  }

  // MARK: Callbacks

  /// What is due when a callback has returned.
  package enum FollowUp: Sendable {
    case nothing
    /// The delegate's answer is for `SocketEngine.answer`.
    case answer(TimeoutQuestion)
    /// What waits for didConnect begins. `callbackReturned` sees to it.
    case activate(generation: UInt64)
    /// The announced end is concluded: `concludeEnd`.
    case concludeEnd(generation: UInt64)

    fileprivate var isNothing: Bool {
      if case .nothing = self { return true }
      return false
    }
  }

  /// Takes the machine's events in line: what the effect `post` asks for.
  package func post() { machine.drainEvents { events.append($0) } }

  /// Takes the next event out of the line. It must be delivered, or dropped by `drop`.
  package func nextEvent() -> SocketEvent? { events.popFirst() }

  /// Puts a read that `callbackReturned` completed in front of the line, for a host that delivers it as an event.
  package func putFirst(_ event: SocketEvent) { events.prepend(event) }

  /// Whether the next event is an end, which is not left to a later turn (DIS-02); or what comes right before it: a
  /// read that willDisconnect has made (RL-07).
  package var nextIsEnd: Bool { events.prefix(2).contains(where: \.isTerminal) }

  /// Records that a callback is about to run. Operations queued inside it are deferred until it returns.
  ///
  /// - Parameter event: what it is about; nil: a read that `callbackReturned` completed.
  /// - Returns: What is due when it has returned.
  package func callbackBegins(_ event: SocketEvent?) -> FollowUp {
    if callbackDepth == 0 { callbackLoop = loop }
    callbackDepth += 1
    engine.deferral.callbackBegins(coversAll: true, eventsInLine: events.count)
    switch event {
    case .didConnect, .didConnectToPath:
      isAnnounced = true
      return .activate(generation: machine.generation)
    case .shouldTimeoutRead(let question, _, _, _), .shouldTimeoutWrite(let question, _, _, _):
      return .answer(question)
    case .willDisconnect:
      // A failed connect has nothing to read, and nothing to conclude: its didDisconnect is in line already.
      guard machine.announcedEnd != nil else { return .nothing }
      isInWillDisconnect = true
      return .concludeEnd(generation: machine.generation)
    default: return .nothing
    }
  }

  /// Whether a turn must be requested before the callback that has begun runs, since it may run the loop itself: events
  /// wait, or the peer's end behind this one, or what begins with didConnect.
  package func wantsTurn(during followUp: FollowUp) -> Bool {
    if case .activate = followUp { return true }
    return hasEvents || machine.endAwaitsDelivery
  }

  /// Whether `callbackReturned` uses its argument `now`.
  package var usesTimeOnReturn: Bool { engine.deferral.writes > 0 }

  /// Records that a callback has returned: deferred work is done, unless more callbacks are waiting and it has not
  /// waited long. Do what else is due, and take the effects then.
  ///
  /// - Parameters:
  ///   - followUp: what `callbackBegins` returned.
  ///   - mayComplete: whether the next callback could run at once, where this one ran.
  ///   - now: matters only if `usesTimeOnReturn`.
  /// - Returns: A read that buffered bytes completed without a pass: its callback is the next one. The bytes stay in
  ///   place until the engine's next verb.
  package func callbackReturned(
    _ followUp: FollowUp, mayComplete: Bool, now: Instant
  ) -> SocketEngine.Completion? {
    callbackDepth -= 1
    _ = engine.beginTurn()
    if events.isEmpty {
      if mayComplete, followUp.isNothing, !engine.isInactive, !engine.needs.contains(.pass),
        let completion = engine.completeFromBuffer(now: now)
      {
        return completion
      }
      if engine.deferral.isPending || machine.endAwaitsDelivery { engine.requestPass() }
    } else if engine.deferral.isPending, engine.deferral.isOverdue(at: now) {
      engine.requestPass()
    }
    // A newer connection is activated by its own callback.
    if case .activate(let generation) = followUp, generation == machine.generation { engine.activate() }
    return nil
  }

  /// Disposes of an event that no delegate can receive (CFG-11, CFG-12). Take the effects then, and call `dropped`.
  ///
  /// - Parameter now: matters only for a question about more time, which is answered with no.
  package func drop(_ event: SocketEvent, now: Instant) {
    engine.begin(.turn(forCalls: false))
    switch event {
    case .didConnect, .didConnectToPath: activate()
    case .willDisconnect: machine.concludeEnd()
    case .shouldTimeoutRead(let question, _, _, _), .shouldTimeoutWrite(let question, _, _, _):
      engine.answer(.timeout(question, extension: 0), at: now)
    default: break
    }
  }

  /// Records that the effects of `drop` are taken. Take those of this, too.
  package func dropped() { lookForEnd() }

  // MARK: The end

  /// Has the peer's end found that a pass has left to the time when all before it is delivered.
  private func lookForEnd() {
    if events.isEmpty, machine.endAwaitsDelivery { engine.requestPass() }
  }

  /// The bytes that an announced end leaves unread, in willDisconnect; nil at other times (RL-03, RL-04). They stay in
  /// place until the engine's next verb.
  package func unread(_ transport: inout some StreamTransport) -> UnsafeRawBufferPointer? {
    isInWillDisconnect ? machine.unread(&transport) : nil
  }

  /// Concludes the announced end: willDisconnect has returned. A read of anything that was made in it gets what is
  /// left, once (RL-07, D-04), in front of the didDisconnect that is about to follow.
  ///
  /// - Parameters:
  ///   - generation: what `callbackBegins` returned. If the callback ran the run loop, a newer connection may be there.
  ///   - transport: nil if there is no connection any more.
  package func concludeEnd(generation: UInt64, _ transport: inout (some StreamTransport)?) {
    guard generation == machine.generation else { return }
    isInWillDisconnect = false
    if let request = lateRead.take(), case .available(let limit) = request.boundary, var open = transport {
      if machine.unread(&open) != nil, let block = machine.takeUnread(atMost: limit) {
        events.append(.didRead(block, tag: request.tag, destination: request.destination))
      }
      transport = open
    }
    machine.concludeEnd()
  }
}
