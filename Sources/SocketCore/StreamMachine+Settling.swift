import SocketValues

extension StreamMachine {
  // MARK: The end of the peer's stream

  /// Finds the FIN behind the delivered bytes and closes or half-closes (RDQ-06…RDQ-09, HALF-01…HALF-10).
  func settleEndOfStream<Transport: StreamTransport>(_ transport: inout Transport, policy: Policy) {
    if readSideClosed {
      // A read in front of the upgrade will never be done, nor would what waits behind it.
      if secure == nil, upgradeHasBegun { return endBeforeSecured() }
      // A break after the half-close shows nowhere else (HALF-09).
      guard hints.contains(.broken) else { return }
      hints.remove(.broken)
      if let failure = SocketFailure.pending(transport.pendingError(), call: "read") { end(failure) }
      return
    }
    // A pass that stopped at its budget may have left reads that what is buffered satisfies (RDQ-08).
    guard !readsStoppedEarly else { return }
    let isBehindUnread =
      !endOfStream && lookForEndOfStream(&transport, besideLeftovers: policy.endWaitsForDelivery)
    guard endOfStream || isBehindUnread, ending == nil, readQuestion == nil else { return }
    if policy.endWaitsForDelivery {
      endAwaitsDelivery = policy.hasUndelivered || !events.isEmpty
      guard !endAwaitsDelivery else { return }
    } else {
      // Undelivered bytes keep the socket connected until a read takes them; an unsatisfiable read waits for no more.
      guard !reads.isEmpty || prebuffer.isEmpty else { return }
    }
    if upgradeHasBegun { return endBeforeSecured() }
    // When all writes are done, a pending close behind them would be due at once.
    isEndHeld = policy.holdsEnd && writes.isEmpty && (policy.closesOnEndOfStream || secure?.isTruncated == true)
    guard !isEndHeld else { return }
    if secure?.isTruncated == true { return fail(reset ?? Self.truncation) }
    if isBehindUnread, hints.contains(.broken),
      let failure = SocketFailure.pending(transport.pendingError(), call: "read")
    {
      return end(failure)
    }
    guard !policy.closesOnEndOfStream else {
      end(.closedByPeer)
      // What a close leaves in the kernel would be answered with a reset.
      if isBehindUnread { collectUnread(&transport) }
      return
    }
    if hints.contains(.broken) {
      return end(.pending(transport.pendingError(), call: "read") ?? .closedByPeer)
    }
    readSideClosed = true
    events.append(.didCloseRead)
  }

  /// With no read queued nothing is received, so that a fast peer meets back-pressure (INV-11); whether the FIN is all
  /// that is left is asked without taking anything. Returns true if unread bytes precede the FIN. On a plain connection
  /// they do not delay the end (RL-07, RL-10); a read that the next callback queues still receives them. On a secured
  /// connection they do: close_notify may be among the unread records, and without it the end is a truncation.
  private func lookForEndOfStream<Transport: StreamTransport>(
    _ transport: inout Transport, besideLeftovers: Bool
  ) -> Bool {
    // A session's end, and messages that carry no data, come without a FIN.
    let signs: Readiness = secure == nil ? [.peerClosed, .broken] : [.peerClosed, .broken, .readable]
    guard reads.isEmpty || readsAwaitUpgrade, secure?.phase != .handshaking, prebuffer.isEmpty || besideLeftovers,
      mayReceive, !hints.isDisjoint(with: signs)
    else { return false }
    switch transport.peek() {
    case .bytes: return besideLeftovers && secure == nil && hints.contains(.peerClosed)
    case .wouldBlock:
      mayReceive = false
      hints.remove(.readable)
      resumeReceiving()
    case .endOfStream: endOfStream = true
    case .failed(let errno): end(.posix(code: errno, call: "read"))
    case .broken(let failure): fail(failure)
    }
    return false
  }

  // MARK: Deadlines

  /// The earliest instant at which a pass is needed for a timeout; nil while the delegate is being asked.
  package var nextDeadline: Instant? {
    guard isOpen, ending == nil else { return nil }
    let reading = readQuestion == nil ? activeRead?.clock?.deadline : nil
    let writing = writeQuestion == nil ? activeWrite?.clock?.deadline : nil
    guard let reading else { return writing }
    return writing.map { min($0, reading) } ?? reading
  }

  var activeRead: ReadOperation? {
    if case .request(let operation)? = reads.first, operation.clock != nil || readIsActive { return operation }
    return nil
  }

  var activeWrite: WriteOperation? {
    if case .request(let operation)? = writes.first, operation.clock != nil { return operation }
    return nil
  }

  /// Enforces timeouts that have come, after the pass has tried everything (TMO-13…TMO-15).
  func settleDeadlines(now: Instant, policy: Policy) {
    beginGrace(at: now)
    if readQuestion == nil, let operation = activeRead, let clock = operation.clock,
      clock.isExpired(at: now, whileBusy: readsStoppedEarly)
    {
      guard policy.canAskDelegate else { return end(.readTimeout) }
      let question = nextQuestion(.read)
      readQuestion = question
      events.append(
        .shouldTimeoutRead(
          question, tag: operation.request.tag, elapsed: clock.elapsed, bytesDone: bytesDone(of: operation)))
    }
    if writeQuestion == nil, let operation = activeWrite, let clock = operation.clock,
      clock.isExpired(at: now, whileBusy: writesStoppedEarly)
    {
      guard policy.canAskDelegate else { return end(.writeTimeout) }
      let question = nextQuestion(.write)
      writeQuestion = question
      events.append(
        .shouldTimeoutWrite(question, tag: operation.request.tag, elapsed: clock.elapsed, bytesDone: operation.done))
    }
  }

  /// Notes which timeouts have come in a pass that stopped at its budget.
  private func beginGrace(at now: Instant) {
    if readsStoppedEarly, case .request(var operation)? = reads.first, operation.clock?.isDue(at: now) == true {
      operation.clock?.beginGrace(at: now)
      reads[reads.startIndex] = .request(operation)
    }
    if writesStoppedEarly, case .request(var operation)? = writes.first, operation.clock?.isDue(at: now) == true {
      operation.clock?.beginGrace(at: now)
      writes[writes.startIndex] = .request(operation)
    }
  }

  private func nextQuestion(_ direction: TimeoutQuestion.Direction) -> TimeoutQuestion {
    questionCount += 1
    return TimeoutQuestion(direction: direction, generation: generation, number: questionCount)
  }

  /// Whether the question is open still.
  func awaits(_ question: TimeoutQuestion) -> Bool { question == readQuestion || question == writeQuestion }

  /// The delegate's answer: more seconds if positive, otherwise the timeout is enforced (TMO-07, TMO-19). An answer to
  /// another question than the open one is ignored.
  ///
  /// A close that waits for nothing more was asked for before the answer, perhaps inside the question's own callback:
  /// it comes first (DIS-12), though no pass has seen it yet.
  func answer(_ question: TimeoutQuestion, extension seconds: Double, now: Instant) {
    switch question {
    case readQuestion:
      readQuestion = nil
      guard seconds > 0, case .request(var operation)? = reads.first else { return enforce(.readTimeout) }
      operation.clock?.extend(by: seconds, at: now)
      reads[reads.startIndex] = .request(operation)
    case writeQuestion:
      writeQuestion = nil
      guard seconds > 0, case .request(var operation)? = writes.first else { return enforce(.writeTimeout) }
      operation.clock?.extend(by: seconds, at: now)
      writes[writes.startIndex] = .request(operation)
    default: break
    }
  }

  private func enforce(_ timeout: SocketFailure) {
    if pendingCloseIsDue { end(nil, manner: .graceful) } else { end(timeout) }
  }
}
