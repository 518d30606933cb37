import ScenarioModel

extension PeerMachine {
  /// How the present step stands.
  enum StepState {
    case act(PeerAction)
    case wait
    /// The step is done: the next one may begin.
    case proceed
  }

  /// Starts a step; returns what it does at once. Steps that need no waiting leave the activity at `ready`.
  mutating func begin(_ step: PeerStep, now: Duration, sync: inout SyncBoard) -> PeerAction? {
    activity = .ready
    defer { if case .reach = step {} else { waitedSince = step.awaitsSubject ? now : nil } }
    switch step {
    case .refuse, .blackhole: return nil
    case .wait(let duration): activity = .waiting(until: now + duration)
    case .after(let syncPoint): activity = .after(syncPoint, seen: -1)
    case .reach(let point): sync.reach(point, at: now, position: position, waitedSince: waitedSince)
    case .repeated(let times, let steps): cursor.enter(steps, times: times)
    case .stopListening: return .stopListening
    case .listenAgain: return .listenAgain
    case .accept:
      drop()
      activity = .connecting(accepts: true)
      return .accept
    case .connect(let socket):
      drop()
      activity = .awaitingListener(socket: socket)
    default: return beginOnConnection(step, now: now)
    }
    return nil
  }

  private mutating func beginOnConnection(_ step: PeerStep, now: Duration) -> PeerAction? {
    guard connection != nil else {
      deviate(expected: "the peer has a connection for this step", actual: "it has none")
      return nil
    }
    switch step {
    case .send, .sendUrgent, .drip: return beginSending(step, now: now)
    case .expect(let payload): activity = .expecting(payload.materialised, matched: 0)
    case .expectCount(let count, let hash):
      activity = .counting(left: max(count, 0), total: count, ContentHash(), wanted: hash)
    case .expectEnd(let end): activity = .ending(end)
    case .expectSilence(let duration): beginSilence(until: now + duration)
    case .echo(let count): activity = .echoing(left: count, awaitsSent: false)
    case .finish: return beginEnding(with: .finish)
    case .close: return beginEnding(with: .close)
    case .truncate: activity = .flushing(then: .finish)
    case .reset:
      drop()
      return .reset
    case .tls(let settings):
      beginHandshake(settings)
      return nil
    case .expectTLS(let expected): check(expected)
    case .expectAlert(let pattern): activity = .alerted(pattern)
    case .expectKeyUpdate: activity = .rekeyed
    case .closeNotify, .keyUpdate, .tickets, .alert, .record, .raw: return beginByHand(step)
    case .shutdownRead:
      connection?.hasShutReading = true
      return .shutdownRead
    case .stall:
      pacing = nil
      return .setReading(.paused)
    case .drain(let chunk?, let every):
      pacing = Pacing(chunk: chunk, every: every ?? .milliseconds(1), grantedAt: now, used: 0)
      return .setReading(.atMost(chunk))
    case .drain(nil, _):
      pacing = nil
      return .setReading(.everything)
    default: break
    }
    settleInput()
    return nil
  }

  private mutating func beginSending(_ step: PeerStep, now: Duration) -> PeerAction? {
    guard connection?.cannotSend == false else { return nil }
    switch step {
    case .sendUrgent(let byte): return .sendUrgent(byte)
    case .send(let payload):
      let bytes = payload.materialised
      // Under TLS the variant cuts the records, not what is in them.
      let pieces = connection?.tls == nil ? cutter.pieces(of: bytes.count) : .even(max(bytes.count, 1))
      activity = .sending(Outgoing(bytes: bytes, lengths: pieces, gap: Self.splitGap, isDrip: false))
    case .drip(let payload, let chunk, let every):
      let outgoing = Outgoing(bytes: payload.materialised, lengths: .even(max(chunk, 1)), gap: every, isDrip: true)
      activity = .sending(outgoing)
    default: break
    }
    return nil
  }

  private mutating func beginSilence(until: Duration) {
    guard let connection else { return }
    if let byte = connection.input.first {
      deviate(
        expected: "silence",
        actual:
          "\(Wording.count(connection.input.count)) had arrived that no step expected, first \(Wording.byte(byte))")
    } else if let failure {
      deviate(expected: "silence", actual: "TLS failed: \(failure)")
    } else if let end = connection.end, !connection.endWasExpected {
      deviate(expected: "silence", actual: "the subject's stream had ended (\(describe(end)))")
    } else {
      activity = .silent(until: until)
    }
  }

  /// Whether the present step goes on, waits, or is done.
  mutating func resume(now: Duration, sync: SyncBoard) -> StepState {
    switch activity {
    case .ready: return .proceed
    case .finished, .connecting, .expecting, .counting, .ending, .shaking, .alerted, .rekeyed: return .wait
    case .flushing(let action):
      guard wireIsIdle else { return .wait }
      return action.map { .act(end(with: $0)) } ?? .proceed
    case .awaitingListener(let socket):
      guard sync.hasListened(socket) else { return .wait }
      activity = .connecting(accepts: false)
      return .act(.connect(socket: socket))
    case .waiting(let until), .silent(let until): return now >= until ? .proceed : .wait
    case .after(let syncPoint, let seen):
      guard seen != sync.version else { return .wait }
      if sync.hasCome(syncPoint) { return .proceed }
      activity = .after(syncPoint, seen: sync.version)
      return .wait
    case .sending(let outgoing): return resumeSending(outgoing, now: now)
    case .echoing(let left, let awaitsSent): return resumeEcho(left: left, awaitsSent: awaitsSent, now: now)
    }
  }

  private mutating func resumeSending(_ outgoing: Outgoing, now: Duration) -> StepState {
    guard outgoing.unsent == 0 else { return .wait }
    guard outgoing.position < outgoing.bytes.count else { return .proceed }
    if let nextAt = outgoing.nextAt, now < nextAt { return .wait }
    var outgoing = outgoing
    let piece = outgoing.takePiece(now: now)
    activity = .sending(outgoing)
    return transmit(piece, now: now)
  }

  /// Sends bytes, through TLS if there is one. The send is then complete when its records are sent.
  private mutating func transmit(_ bytes: [UInt8], now: Duration) -> StepState {
    if let action = transmit(bytes) ?? nextPiece(now: now) { return .act(action) }
    if case .ready = activity { return .proceed }
    return .wait
  }

  private mutating func resumeEcho(left: Int?, awaitsSent: Bool, now: Duration) -> StepState {
    guard !awaitsSent else { return .wait }
    guard left != 0 else { return .proceed }
    guard connection?.cannotSend == false else { return endEcho(left, "nothing can be sent any more") }
    let bytes = connection?.input.takeChunk(limit: left ?? .max) ?? []
    guard !bytes.isEmpty else { return plainEnd.map { endEcho(left, $0) } ?? .wait }
    activity = .echoing(left: left.map { $0 - bytes.count }, awaitsSent: true)
    return transmit(bytes, now: now)
  }

  /// Without a length an echo goes on for as long as it can.
  private mutating func endEcho(_ left: Int?, _ reason: String) -> StepState {
    if left != nil { deviate(expected: "the rest of the echo", actual: reason) }
    return .proceed
  }

  /// The connection that steps spoke on is no longer theirs.
  mutating func drop() {
    objectToClear()
    connection = nil
    pacing = nil
  }
}

extension PeerStep {
  /// Whether the subject decides when the step is over.
  fileprivate var awaitsSubject: Bool {
    switch self {
    case .accept, .connect, .expect, .expectCount, .expectEnd, .expectAlert, .tls: true
    case .after(.callback): true
    default: false
    }
  }
}
