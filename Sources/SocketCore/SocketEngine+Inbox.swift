import SocketValues

// What comes from the loop and from delegates: taken up at once, or kept for a turn on the socket queue, or for the end
// of a `perform(_:)` block that has the socket to itself.
extension SocketEngine {
  /// What waits to be taken up.
  struct Inbox {
    var hints = Readiness()
    var parts: WatchedParts = []
    /// The generation that hints and parts are about.
    var generation: UInt64 = 0
    /// The armed deadline has come; armed again before that is taken up, it would come again at once.
    var isDeadlineDue = false
    var isPassDue = false
    var isActivationDue = false
    var answers: [(answer: Answer, at: Instant)] = []
  }

  /// A delegate's answer to a question.
  package enum Answer: Sendable {
    case timeout(TimeoutQuestion, extension: Double)
    case trust(TrustQuestion, TrustAnswer)

    /// Whether it lets a timeout be enforced: what the delegate has written before it answered is to be offered to the
    /// kernel first (`sendBeforeEnd`), because calls of one thread take effect in order.
    package var enforcesTimeout: Bool {
      if case .timeout(_, let seconds) = self { return !(seconds > 0) }
      return false
    }
  }

  // MARK: Putting in

  /// Readiness was signalled for a part of the present generation, and can't be taken up now.
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

  /// The armed deadline has come, and can't be taken up now.
  package func keepDeadline() {
    inbox.isDeadlineDue = true
    requestTurn(mayFollow: false)
  }

  /// A pass is due while somebody else has the socket to himself: it waits for the end of that.
  package func keepPass() { inbox.isPassDue = true }

  /// didAcceptNewSocket has returned while another thread owns the socket: `activate` waits until that ends.
  package func keepActivation() { inbox.isActivationDue = true }

  /// The delegate's answer has come at that instant and can't be taken up now; an extension counts from the instant.
  package func keep(_ answer: Answer, at now: Instant) { inbox.answers.append((answer, now)) }

  /// Whether anything waits in the inbox.
  package var keepsSomething: Bool {
    inbox.isPassDue || inbox.isDeadlineDue || inbox.isActivationDue || !inbox.parts.isEmpty || !inbox.answers.isEmpty
  }

  // MARK: Taking up

  /// Takes up everything that waits in the inbox; then take the effects.
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

  /// Takes up readiness for a part of the present generation: has a pass made, or the part looked at.
  package func takeUp(_ hints: Readiness, for part: WatchedPart) {
    if part == .stream {
      note(hints)
      requestPass()
    } else {
      check(WatchedParts(part))
    }
  }

  /// Readiness of the connection; a pass must follow, unless it is served on the fast path.
  package func note(_ hints: Readiness) { machine.note(hints) }

  private func check(_ parts: WatchedParts) {
    partsToCheck.formUnion(parts)
    needs.insert(.check)
  }

  /// The armed deadline has come and can be taken up now: `Effect.time` follows.
  package func deadlineCame() { needs.insert(.time) }

  /// Time has passed; what attempts came to by now has been told already (CON-10).
  package func tick(now: Instant) {
    armedDeadline = nil
    _ = closingGrace.isOver(at: now)
    if machine.tick(now: now) { check(WatchedParts(.listener)) }
    requestPass()
  }

  /// The delegate's answer; late and repeated ones are ignored (TMO-11, TLS-22).
  package func answer(_ answer: Answer, at now: Instant) {
    switch answer {
    case .timeout(let question, let seconds): machine.answer(question, extension: seconds, now: now)
    case .trust(let question, let answer): machine.answer(question, answer)
    }
    requestPass()
  }

  // MARK: Turns

  /// A turn on the socket queue begins. True: something had waited; take the effects before anything else.
  package func beginTurn() -> Bool {
    entry = .turn(forCalls: isTurnForCaller)
    isTurnForCaller = false
    guard turnRequest != .none else { return false }
    turnRequest = .none
    takeUpInbox()
    return true
  }
}
