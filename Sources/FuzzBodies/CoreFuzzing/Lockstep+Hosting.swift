import FuzzHarness
import ReferenceModel
import SocketCore

/// What a queue and a delegate are to the engine: somebody.
final class Somebody {}

/// How often the engine took its shortcuts: tests see by it that lockstep has tried them at all.
package struct LockstepWays {
  /// Calls made while a callback was under way.
  package internal(set) var callsInCallbacks = 0
  /// Operations that waited for the return of a callback.
  package internal(set) var deferred = 0
  /// Reads and writes that readiness completed without a pass.
  package internal(set) var servedOnFastPath = 0
  /// Reads and writes that were completed without a pass when a callback had returned.
  package internal(set) var completedOnReturn = 0
  /// Orderly ends of the peer that waited for the caller to ask for an end, which the caller did not.
  package internal(set) var endsHeld = 0
}

// What a host does for the engine, on one thread: a call is made, or the loop brings something, and all that follows
// runs to its end, with every event delivered. Whether calls are made inside the last callback, on whose thread that
// runs, and whether readiness is served on the fast path takes turns: the model knows nothing of it, so that it must
// make no difference.
extension Lockstep {
  /// Where the next call comes from.
  private var callEntry: SocketEngine.Entry { .call(inCallback: callback != nil, onSocketQueue: false) }

  /// Makes a call on the engine, inside the callback under way if there is one.
  func enter<Failure: Error>(_ body: (SocketEngine) throws(Failure) -> Void) throws(Failure) {
    engine.begin(callEntry)
    try body(engine)
  }

  mutating func queue(_ read: ReadRequest) {
    engine.begin(callEntry)
    note(engine.read(read, mayWait: true))
  }

  private mutating func note(_ isDeferred: Bool) {
    // The driver asks for a turn of its own.
    if livesOnRunLoop, isDeferred { wantsTurn = true }
    if callback != nil { ways.callsInCallbacks += 1 }
    if isDeferred { ways.deferred += 1 }
  }

  mutating func queue(_ write: WriteRequest) throws(Violation) {
    engine.begin(callEntry)
    // On a run loop no call can end the connection between a write and a turn, so the peer's end does not wait.
    if !livesOnRunLoop, engine.writeBegins() { try carryOutEffects() }
    note(engine.write(write, mayWait: true))
  }

  mutating func disconnect() throws(Violation) {
    engine.begin(callEntry)
    engine.performDeferredWork()
    try carryOutEffects()
    engine.exchangeBeforeEnd(&transport, now: now)
    engine.disconnect()
    engine.scheduleDelayedLanes()
  }

  /// Makes a call on the engine as the loop does.
  func loopCalls(_ body: (SocketEngine) -> Void) {
    beginLoop()
    body(engine)
  }

  /// The loop's thread enters: in a turn of the socket's, if that lives on a run loop.
  func beginLoop() {
    if livesOnRunLoop { _ = engine.beginTurn() } else { engine.begin(.loop(mayServe: true)) }
  }

  // MARK: To rest

  /// Serves readiness and delivers events until nothing is left to do or to deliver.
  mutating func settle(noting: Bool = true) throws(Violation) {
    settled &+= 1
    if let runLoopEngine { return try settle(onRunLoop: runLoopEngine) }
    var rounds = 0
    repeat {
      try carryOutEffects()
      if settled & 8 != 0 { try wakeLoop() }
      try drain()
      if noting, transport.hasSignals { try readinessComes() }
      try wakeLoop()
      rounds += 1
      guard rounds < 1000 else { throw Violation("INV-10", "no rest after \(rounds) rounds") }
    } while goesOn(noting: noting)
    try checkConnecting()
  }

  private mutating func goesOn(noting: Bool) -> Bool {
    if isWoken || !blocks.isEmpty || !engine.waitingQueues.isEmpty || noting && transport.hasSignals { return true }
    if callback != nil, callbackMustReturn { return true }
    // An end that waits for a call that does not come (DIS-05).
    if engine.holdsEnd, let end = engine.armedDeadline {
      ways.endsHeld += 1
      loopCalls { $0.tick(now: end) }
      return true
    }
    return false
  }

  /// Mostly the last callback goes on until the next step, so that what that calls is called inside it.
  private var leavesCallbackOpen: Bool { settled % 3 != 0 }

  private mutating func wakeLoop() throws(Violation) {
    guard isWoken else { return }
    isWoken = false
    loopCalls { $0.takeUp([], for: .stream) }
    try carryOutEffects()
  }

  private mutating func readinessComes() throws(Violation) {
    let hints = transport.takeHints()
    guard machine.isConnected else { return }
    engine.begin(.loop(mayServe: true))
    guard settled % 4 != 0, callback == nil, blocks.isEmpty, engine.mayServeOnFastPath(with: hints) else {
      engine.takeUp(hints, for: .stream)
      return try carryOutEffects()
    }
    engine.note(hints)
    guard let served = engine.serveOnFastPath(&transport, on: somebody, scratch: scratch.room) else {
      engine.requestPass()
      return try carryOutEffects()
    }
    callback = served.draining
    ways.servedOnFastPath += 1
    tell(served.completion)
  }

  // MARK: Effects

  mutating func carryOutEffects() throws(Violation) {
    var effects = 0
    while let effect = engine.nextEffect() {
      effects += 1
      guard effects < 100_000 else { throw Violation("INV-10", "no end of effects: \(effect)") }
      if let runLoopEngine, carryOut(effect, onRunLoop: runLoopEngine) { continue }
      switch effect {
      case .carryOut: try obey(engine.takeCommand())
      case .watch: engine.connectionIsWatched()
      case .advance:
        engine.advance(&transport, now: now, canAskDelegate: true)
        if engine.holdsEnd { engine.endIsHeld(at: now) }
      case .post: engine.post(to: somebody, on: somebody, isConcurrent: false)
      case .serve:
        let service = engine.takeService()
        switch service.manner {
        case .behindCaller, .byLoop: if engine.takeDelayed(service.block) { blocks.append(service.block) }
        case .inline, .handOver: blocks.append(service.block)
        }
      case .check: _ = engine.takePartToCheck()
      case .time: engine.tick(now: now)
      case .requestTurn: throw Violation("THR-12", "a turn on a socket queue that there is not")
      case .wake, .armFallback: isWoken = true
      case .arm: break
      }
    }
  }

  // MARK: Delivery

  /// Delivers what waits; the callback under way returns first.
  private mutating func drain() throws(Violation) {
    while true {
      if callback == nil {
        guard !blocks.isEmpty else { return }
        let block = blocks.removeFirst()
        guard engine.begins(block) else { continue }
        // On the loop's thread everything that a callback asks for waits for its return.
        callback = SocketEngine.Draining(lane: block.lane, isOnSocketQueue: false, isLent: settled & 4 != 0)
      }
      while try deliverNext() {
        if leavesCallbackOpen, !callbackMustReturn, blocks.isEmpty, engine.waitingQueues.isEmpty { return }
      }
    }
  }

  /// One more event of the open lane; false: there is none for now.
  private mutating func deliverNext() throws(Violation) -> Bool {
    guard var draining = callback else { return false }
    if let completion = engine.callbackReturned(
      &draining, isFree: true, delegateQueue: somebody, &transport, now: now)
    {
      tell(completion)
      callback = draining
      ways.completedOnReturn += 1
      return true
    }
    try carryOutEffects()
    let envelope = engine.next(&draining, isFree: true)
    callback = envelope == nil ? nil : draining
    try carryOutEffects()
    guard let envelope else { return false }
    callbackMustReturn = !leavesCallbackOpen
    tell(envelope.event)
    return true
  }

  /// Tells what was completed on the fast path, for which a pass is owed.
  private mutating func tell(_ completion: SocketEngine.Completion) {
    callbackMustReturn = true
    switch completion {
    case .read(let bytes, let tag): tell(.didRead(ByteBlock(copying: bytes), tag: tag, destination: nil))
    case .wrote(let tag): tell(.didWrite(tag: tag))
    }
  }

  mutating func tell(_ event: SocketEvent) {
    if case .didRead(let block, let tag, _) = event { model.choose(tag: tag, count: block.count) }
    filter.pass(event, into: &fresh)
  }
}
