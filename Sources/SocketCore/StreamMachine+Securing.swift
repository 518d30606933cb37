extension StreamMachine {
  /// Makes the session of an upgrade, in the pass that begins it; a failure ends the connection.
  package typealias SessionMaker = @Sendable () -> Result<any SecureSession, SocketFailure>

  /// Ends because of a failure of the layer above the wire: its alert still goes to the peer, and is not destroyed by a
  /// reset.
  func fail(_ failure: SocketFailure) {
    if case .tls = failure { end(failure, manner: .graceful) } else { end(failure) }
  }

  // MARK: The barrier

  /// Whether the queue of reads has reached the barrier.
  var readsAwaitUpgrade: Bool {
    if case .upgrade? = reads.first { return true }
    return false
  }

  private var writesAwaitUpgrade: Bool {
    if case .upgrade? = writes.first { return true }
    return false
  }

  /// Whether one of the queues has reached the barrier: from here on an end of stream is fatal (TLS-09, HALF-12).
  var upgradeHasBegun: Bool { readsAwaitUpgrade || writesAwaitUpgrade }

  /// Begins or continues the upgrade. Both queues have reached the barrier: everything queued before startTLS is done
  /// (TLS-01), and the session takes the stream over when its handshake is complete.
  func upgrade<Transport: StreamTransport>(_ transport: inout Transport, policy: Policy) {
    guard readsAwaitUpgrade, writesAwaitUpgrade else { return }
    guard !readSideClosed else { return endBeforeSecured() }
    guard let layer = secure ?? begin() else { return }
    while ending == nil {
      switch layer.session.handshake() {
      case .complete:
        flushSession(&transport, layer)
        return secured(layer)
      case .needsInput:
        flushSession(&transport, layer)
        guard ending == nil, feed(&transport, layer) else { return }
      case .budgetUsed:
        flushSession(&transport, layer)
        readsStoppedEarly = true
        return
      case .awaitsTrust(let trust):
        flushSession(&transport, layer)
        guard ending == nil else { return }
        return awaitTrust(trust, &transport, layer, policy: policy)
      case .failed(let failure):
        layer.phase = .over
        return fail(failure)
      }
    }
  }

  /// Makes the session. Bytes that were received before it, and that no read has taken, belong to it (TLS-05); if they
  /// are clear text, the handshake fails, and they are never delivered as if they had been secured (TLS-06).
  private func begin() -> SecureLayer? {
    guard let makeSession else { return nil }
    switch makeSession() {
    case .failure(let failure):
      end(failure)
      return nil
    case .success(let session):
      let layer = SecureLayer(session)
      layer.beginPass()
      layer.distrustsShortReceives = !hints.isDisjoint(with: .unusual)
      while !prebuffer.isEmpty {
        let room = session.inputRoom
        let bytes = prebuffer.take(min(prebuffer.count, room.count))
        room.copyMemory(from: bytes.bytes)
        session.inputFilled(bytes.count)
      }
      secure = layer
      return layer
    }
  }

  private func secured(_ layer: SecureLayer) {
    guard ending == nil else { return }
    layer.phase = .established
    // The session may hold more than the handshake, whatever the transport said last.
    layer.inputIsDrained = !mayReceive
    mayReceive = true
    hints.insert(.readable)
    reads.removeFirst()
    writes.removeFirst()
    events.append(.didSecure)
  }

  /// Feeds the session with bytes from the wire. Returns false if there are none now.
  private func feed<Transport: StreamTransport>(_ transport: inout Transport, _ layer: SecureLayer) -> Bool {
    guard mayReceive, !endOfStream else {
      if endOfStream { endBeforeSecured() }
      return false
    }
    guard layer.inputBudget > 0 else {
      readsStoppedEarly = true
      return false
    }
    let room = layer.session.inputRoom
    switch transport.receive(into: room) {
    case .bytes(let count):
      layer.fill(count)
      return true
    case .wouldBlock:
      mayReceive = false
      hints.remove(.readable)
    case .endOfStream: endBeforeSecured()
    case .failed(let errno): end(.posix(code: errno, call: "read"))
    case .broken(let failure): fail(failure)
    }
    return false
  }

  func endBeforeSecured() {
    secure?.phase = .over
    if let reset { return end(reset) }
    end(.tls(code: -9806, message: "The peer closed the connection before TLS was set up."))
  }

  /// A reset that a send has met: no end that the peer made in order. Behind a FIN it is EPIPE, which is one.
  var reset: SocketFailure? {
    guard let errno = secure?.sendErrno, errno != Self.brokenPipe else { return nil }
    return .posix(code: errno, call: "write")
  }

  private static let brokenPipe: Int32 = 32

  static let truncation = SocketFailure.tls(
    code: SocketFailure.closedWithoutCloseNotify,
    message: "The peer closed the connection without the notice that ends TLS: what came may be incomplete.")

  /// Sends output that belongs to no write: handshake messages, key updates, alerts.
  func flushSession<Transport: StreamTransport>(_ transport: inout Transport, _ layer: SecureLayer) {
    guard maySend, layer.hasOutput, writes.isEmpty || layer.phase == .handshaking else { return }
    var completed = 0
    switch layer.flush(&transport, completed: &completed) {
    case .empty: break
    case .blocked: maySend = false
    // What the peer said before it went is still to be read, and says more.
    case .failed(let errno): if layer.phase == .handshaking, !mayReceive { end(.posix(code: errno, call: "write")) }
    }
  }

  /// Records that the secured transport would block because of the session and not of the wire: another pass continues.
  func resumeReceiving() {
    guard let secure, secure.phase == .established else { return }
    if secure.sealingWaits, secure.session.maySeal {
      secure.sealingWaits = false
      maySend = true
      writesStoppedEarly = true
    }
    if secure.awaitsRoom, secure.session.output.count <= SecureLayer.maxOutput / 2 {
      secure.awaitsRoom = false
      secure.stoppedEarly = true
    }
    guard secure.stoppedEarly else { return }
    secure.stoppedEarly = false
    mayReceive = true
    hints.insert(.readable)
    readsStoppedEarly = true
  }

  // MARK: Trust

  /// Asks the delegate once, and waits for its answer; the peer's end is noticed meanwhile (TLS-20…TLS-24).
  private func awaitTrust<Transport: StreamTransport>(
    _ trust: any AnyObject & Sendable, _ transport: inout Transport, _ layer: SecureLayer, policy: Policy
  ) {
    if trustQuestion == nil {
      guard policy.canAskDelegate else {
        return end(.other("The settings ask the delegate to evaluate trust, and there is no delegate."))
      }
      questionCount += 1
      let question = TrustQuestion(generation: generation, number: questionCount)
      trustQuestion = question
      events.append(.didReceiveTrust(question, trust))
    }
    guard mayReceive, !hints.isDisjoint(with: [.peerClosed, .broken]) else { return }
    // What came with the end is kept for the session; the end itself is all that matters now.
    while ending == nil, feed(&transport, layer) {}
  }

  /// The delegate's answer; any but the first to the open question is ignored (TLS-22).
  func answer(_ question: TrustQuestion, _ answer: TrustAnswer) {
    guard question == trustQuestion, let secure else { return }
    trustQuestion = nil
    switch answer {
    case .trusted: secure.session.answerTrust(true)
    case .distrusted: secure.session.answerTrust(false)
    case .notHandled:
      end(.other("The settings ask the delegate to evaluate trust, and it does not implement didReceiveTrust."))
    }
  }
}

/// The identity of one question about the peer's certificates.
package struct TrustQuestion: Hashable, Sendable {
  /// The start that the connection belongs to.
  package var generation: UInt64
  /// Counts the questions of that start, those about timeouts included, from 1.
  package var number: UInt64
}

/// The delegate's decision about the peer's certificates.
package enum TrustAnswer: Hashable, Sendable {
  case trusted
  case distrusted
  /// The delegate does not answer such questions (TLS-23).
  case notHandled
}

extension SocketFailure {
  /// Secure Transport's errSSLClosedNoNotify.
  static let closedWithoutCloseNotify: Int32 = -9816

  var isTruncation: Bool {
    if case .tls(Self.closedWithoutCloseNotify, _) = self { true } else { false }
  }
}
