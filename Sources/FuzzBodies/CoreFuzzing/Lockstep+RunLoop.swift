import FuzzHarness
import SocketCore

// What the host of the class on a run loop does for the engine: every visit is a turn, and events are delivered one by
// one. Calls that a program makes inside callbacks come when the socket is at rest, here as for the other class.
extension Lockstep {
  /// Makes turns and delivers events until nothing is left to do, and all is told.
  mutating func settleOnRunLoop() throws(Violation) {
    var rounds = 0
    repeat {
      try carryOutEffects()
      if wantsTurn || transport.hasSignals { try makeTurn() }
      while !inLine.isEmpty { try deliver(inLine.removeFirst()) }
      rounds += 1
      guard rounds < 1000 else { throw Violation("INV-10", "no rest after \(rounds) rounds") }
    } while wantsTurn || transport.hasSignals || !inLine.isEmpty
    try checkConnecting()
  }

  private mutating func makeTurn() throws(Violation) {
    wantsTurn = false
    if engine.beginTurn() { try carryOutEffects() }
    engine.performDeferredWork()
    if transport.hasSignals {
      let hints = transport.takeHints()
      if machine.isConnected { engine.takeUp(hints, for: .stream) }
    }
    try carryOutEffects()
  }

  /// Carries out an effect that this host has its own way with.
  mutating func carryOutOnRunLoop(_ effect: SocketEngine.Effect) {
    switch effect {
    case .advance: engine.advance(&transport, now: now, canAskDelegate: true, hasUndelivered: !inLine.isEmpty)
    case .post: machine.drainEvents { inLine.append($0) }
    case .serve: _ = engine.takeService()
    case .check: _ = engine.takePartToCheck()
    case .time: engine.tick(now: now)
    case .requestTurn: wantsTurn = true
    case .wake, .armFallback:
      engine.keep([], for: .stream)
      wantsTurn = true
    case .arm, .carryOut, .watch: break
    }
  }

  /// One callback, which asks for nothing, and those that are completed when it returns.
  private mutating func deliver(_ event: SocketEvent) throws(Violation) {
    let generation = machine.generation
    engine.runLoopCallbackBegins(eventsInLine: inLine.count)
    if case .willDisconnect = event { try lookAtUnread() }
    tell(event)
    let completion = engine.runLoopCallbackReturned(
      eventsInLine: inLine.count, mayComplete: settled % 2 == 0 && !event.hasFollowUp, now: now)
    var completed: SocketEvent?
    // The bytes stay in place only until the engine's next verb.
    if case .read(let bytes, let tag)? = completion {
      completed = .didRead(ByteBlock(copying: bytes), tag: tag, destination: nil)
      ways.completedOnReturn += 1
    }
    switch event {
    case .didConnect, .didConnectToPath: if generation == machine.generation { engine.activate() }
    case .willDisconnect: machine.concludeEnd()
    default: break
    }
    try carryOutEffects()
    if let completed { inLine.insert(completed, at: 0) }
  }

  /// What unreadData says; a second look must say the same (RL-06).
  private mutating func lookAtUnread() throws(Violation) {
    let first = machine.unread(&transport).map { Array($0) }
    let second = machine.unread(&transport).map { Array($0) }
    guard first == second else { throw Violation("RL-06", "unreadData says \(second as Any) after \(first as Any)") }
    unread.append(first)
  }
}

extension SocketEvent {
  /// Whether the host has something to do when the callback has returned.
  fileprivate var hasFollowUp: Bool {
    switch self {
    case .didConnect, .didConnectToPath, .willDisconnect, .shouldTimeoutRead, .shouldTimeoutWrite: true
    default: false
    }
  }
}
