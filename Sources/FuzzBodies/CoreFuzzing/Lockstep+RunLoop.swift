import FuzzHarness
import SocketCore

// What the host of the class on a run loop does for the engine: every visit is a turn, and events are delivered one by
// one. Calls that a program makes inside callbacks come when the socket is at rest, here as for the other class.
extension Lockstep {
  /// Makes turns and delivers events until nothing is left to do or to deliver.
  mutating func settle(onRunLoop runLoopEngine: RunLoopEngine) throws(Violation) {
    var rounds = 0
    repeat {
      try carryOutEffects()
      if wantsTurn || transport.hasSignals || machine.owesClose { try makeTurn(runLoopEngine) }
      while let event = runLoopEngine.nextEvent() { try deliver(event, by: runLoopEngine) }
      rounds += 1
      guard rounds < 1000 else { throw Violation("INV-10", "no rest after \(rounds) rounds") }
    } while wantsTurn || transport.hasSignals || runLoopEngine.hasEvents
    try checkConnecting()
  }

  private mutating func makeTurn(_ runLoopEngine: RunLoopEngine) throws(Violation) {
    wantsTurn = false
    if engine.beginTurn() { try carryOutEffects() }
    runLoopEngine.takeTurn()
    if transport.hasSignals {
      let hints = transport.takeHints()
      if machine.isConnected { engine.takeUp(hints, for: .stream) }
    }
    try carryOutEffects()
  }

  /// Carries out an effect that differs for this class; false: it is carried out as for the other one.
  mutating func carryOut(_ effect: SocketEngine.Effect, onRunLoop runLoopEngine: RunLoopEngine) -> Bool {
    switch effect {
    case .carryOut, .watch, .check, .time, .arm: return false
    case .advance:
      engine.advance(&transport, now: now, canAskDelegate: true, hasUndelivered: runLoopEngine.hasEvents)
    case .post: runLoopEngine.post()
    case .serve: _ = engine.takeService()
    case .requestTurn: wantsTurn = true
    case .wake, .armFallback:
      engine.keep([], for: .stream)
      wantsTurn = true
    }
    return true
  }

  /// One callback, which asks for nothing, and those that are completed when it returns.
  private mutating func deliver(_ event: SocketEvent, by runLoopEngine: RunLoopEngine) throws(Violation) {
    let followUp = runLoopEngine.callbackBegins(event)
    if case .willDisconnect = event { try lookAtUnread(runLoopEngine) }
    tell(event)
    let completion = runLoopEngine.callbackReturned(followUp, mayComplete: settled % 2 == 0, now: now)
    var completed: SocketEvent?
    // The bytes stay in place only until the engine's next verb.
    if case .read(let bytes, let tag)? = completion {
      completed = .didRead(ByteBlock(copying: bytes), tag: tag, destination: nil)
      ways.completedOnReturn += 1
    }
    if case .concludeEnd(let generation) = followUp {
      var open: FuzzTransport? = transport
      runLoopEngine.concludeEnd(generation: generation, &open)
      if let open { transport = open }
    }
    try carryOutEffects()
    if let completed { runLoopEngine.putFirst(completed) }
  }

  /// What unreadData says; a second look must say the same (RL-06).
  private mutating func lookAtUnread(_ runLoopEngine: RunLoopEngine) throws(Violation) {
    let first = runLoopEngine.unread(&transport).map { Array($0) }
    let second = runLoopEngine.unread(&transport).map { Array($0) }
    guard first == second else { throw Violation("RL-06", "unreadData says \(second as Any) after \(first as Any)") }
    unread.append(first)
  }
}
