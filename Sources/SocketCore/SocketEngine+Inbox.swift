import SocketValues

// Input from the loop and answers from delegates: processed at once, or kept for a turn on the socket queue, or until a
// `perform(_:)` block that owns the socket ends.
extension SocketEngine {
  /// Input that is waiting to be processed.
  struct Inbox {
    var hints = Readiness()
    var parts: WatchedParts = []
    /// The generation that hints and parts are about.
    var generation: UInt64 = 0
    /// The armed deadline has passed; if it were armed again before that is processed, it would be reported again at
    /// once.
    var isDeadlineDue = false
    var isPassDue = false
    var isActivationDue = false
    var answers: [(answer: Answer, at: Instant)] = []
  }

  /// A delegate's answer to a question.
  package enum Answer: Sendable {
    case timeout(TimeoutQuestion, extension: Double)
    case trust(TrustQuestion, TrustAnswer)
  }

  /// Whether the answer lets a timeout be enforced: what the delegate wrote before it answered is offered to the kernel
  /// first (`exchangeBeforeEnd`), because calls of one thread take effect in order. A late answer does nothing to the
  /// connection that there is now (INV-18).
  package func enforcesTimeout(_ answer: Answer) -> Bool {
    guard case .timeout(let question, let seconds) = answer, !(seconds > 0) else { return false }
    return machine.awaits(question)
  }

  // MARK: Putting in

  /// Stores readiness of a part of the present generation, which can't be processed now.
  package func keep(_ hints: Readiness, for part: WatchedPart) {
    if inbox.generation != machine.generation {
      inbox.generation = machine.generation
      inbox.hints = Readiness()
      inbox.parts = []
    }
    inbox.parts.insert(WatchedParts(part))
    if part == .stream { inbox.hints.formUnion(hints) }
    requestTurn(mayFollow: false)
  }

  /// Stores that the armed deadline has passed, which can't be processed now.
  package func keepDeadline() {
    inbox.isDeadlineDue = true
    requestTurn(mayFollow: false)
  }

  /// Stores that a pass is due while another thread owns the socket.
  package func keepPass() { inbox.isPassDue = true }

  /// didAcceptNewSocket has returned while another thread owns the socket: `activate` waits until that ends.
  package func keepActivation() { inbox.isActivationDue = true }

  /// Stores the delegate's answer of that instant, which can't be processed now; an extension counts from the instant.
  package func keep(_ answer: Answer, at now: Instant) { inbox.answers.append((answer, now)) }

  /// Whether the inbox holds anything.
  package var keepsSomething: Bool {
    inbox.isPassDue || inbox.isDeadlineDue || inbox.isActivationDue || !inbox.parts.isEmpty || !inbox.answers.isEmpty
  }

  // MARK: Taking up

  /// Processes everything in the inbox; then take the effects.
  package func takeUpInbox() {
    var inbox = Inbox()
    swap(&inbox, &self.inbox)
    // Readiness that was on its way when a connection ended must not meet the next one (INV-18).
    if inbox.generation == machine.generation, !inbox.parts.isEmpty {
      var parts = inbox.parts
      while let part = parts.next() { takeUp(inbox.hints, for: part) }
    }
    for entry in inbox.answers { answer(entry.answer, at: entry.at) }
    if inbox.isActivationDue { activate() }
    if inbox.isDeadlineDue {
      needs.insert(.time)
    } else if inbox.isPassDue {
      requestPass()
    }
  }

  /// Processes readiness of a part of the present generation: requests a pass, or has the part checked.
  package func takeUp(_ hints: Readiness, for part: WatchedPart) {
    if part == .stream {
      note(hints)
      requestPass()
    } else {
      check(WatchedParts(part))
    }
  }

  /// Records readiness of the connection; a pass must follow, unless it is served on the fast path. A start that failed
  /// in its call has asked for it, too.
  package func note(_ hints: Readiness) {
    machine.note(hints)
    if machine.hasPostponedFailure { machine.takeUpPostponedFailure() }
  }

  private func check(_ parts: WatchedParts) {
    partsToCheck.formUnion(parts)
    needs.insert(.check)
  }

  /// Records that the armed deadline has passed and can be processed now: `Effect.time` follows.
  package func deadlineCame() { needs.insert(.time) }

  /// Processes the passing of time; the results of attempts so far must have been reported before (CON-10).
  package func tick(now: Instant) {
    armedDeadline = nil
    _ = closingGrace.isOver(at: now)
    if machine.tick(now: now) { check(WatchedParts(.listener)) }
    requestPass()
  }

  /// Processes the delegate's answer; late and repeated ones are ignored (TMO-11, TLS-22).
  package func answer(_ answer: Answer, at now: Instant) {
    switch answer {
    case .timeout(let question, let seconds): machine.answer(question, extension: seconds, now: now)
    case .trust(let question, let answer): machine.answer(question, answer)
    }
    requestPass()
  }

  // MARK: Turns

  /// Begins a turn on the socket queue. Returns true if input was waiting; take the effects before anything else.
  package func beginTurn() -> Bool {
    entry = .turn(forCalls: isTurnForCaller)
    isTurnForCaller = false
    guard turnRequest != .none else { return false }
    turnRequest = .none
    takeUpInbox()
    return true
  }
}
