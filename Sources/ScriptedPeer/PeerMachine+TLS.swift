import ScenarioModel

/// The steps of TLS.
extension PeerMachine {
  // MARK: - The handshake

  mutating func beginHandshake(_ settings: PeerTLS) {
    guard connection != nil else { return }
    if let tls = connection?.tls {
      guard tls.state != .established || tls.isHolding else {
        return deviate(expected: "a connection without TLS for this handshake", actual: "it speaks TLS already")
      }
      tls.resume(settings)
    } else {
      do throws(PeerTLSContext.Refusal) {
        try start(settings)
      } catch {
        return deviate(expected: "TLS as this step describes it", actual: error.reason)
      }
    }
    activity = .shaking(settings.failure)
    pump()
    settleHandshake()
  }

  private mutating func start(_ settings: PeerTLS) throws(PeerTLSContext.Refusal) {
    let role = settings.role ?? (connection?.isAccepted == true ? .server : .client)
    let context = try contexts.context(for: settings, role: role, forges: forges)
    let tls = try PeerTLSSession(settings, context: context, forges: forges)
    connection?.tls = tls
    tlsEvents.append(.began(role))
    let shown = settings.certificate ?? (role == .server ? .leaf : nil)
    if let name = shown, let summary = contexts.certificates.summary(name) {
      tlsEvents.append(.presents(name, summary))
    }
    // Bytes that no step has taken belong to TLS now: a ClientHello that was early, or bytes in clear.
    while let bytes = connection?.input.takeChunk(limit: .max), !bytes.isEmpty { tls.receive(bytes) }
    if connection?.end != nil { tls.receiveEnd() }
  }

  /// Lets TLS process its input, and takes its output and events.
  mutating func pump() {
    guard let tls = connection?.tls else { return }
    tls.pump()
    for bytes in tls.takePlain() { connection?.input.append(bytes) }
    collectTLSEvents()
    takeLeftovers(of: tls)
  }

  // MARK: - When it is over

  /// Takes what came behind the end of TLS. Bytes in clear wait for a step that expects them, and are a deviation if
  /// none does. So is everything behind the subject's own close_notify or fatal alert.
  mutating func takeLeftovers(of tls: PeerTLSSession) {
    let (clear, records) = tls.takeLeftovers()
    if !records.isEmpty {
      tlsEvents.append(.leftover(records, areRecords: true))
      if tls.isSilenced, deviation == nil {
        deviate(
          expected: "nothing behind the subject's \(tls.isClosedByPeer ? "close_notify" : "fatal alert")",
          actual: "\(Wording.count(records.count)) of records")
      }
    }
    guard !clear.isEmpty else { return }
    tlsEvents.append(.leftover(clear, areRecords: false))
    connection?.input.append(clear)
    connection?.hasClear = true
    if awaitsBytes { settleInput() } else { objectToClear() }
  }

  /// Bytes in clear that no step took, if there are any left.
  mutating func objectToClear() {
    guard deviation == nil, let connection, connection.hasClear, let tls = connection.tls, !connection.input.isEmpty
    else { return }
    var end = "it was closed"
    if case .failed(let reason) = tls.state { end = "it failed: \(reason)" }
    deviate(
      expected: "nothing in clear once TLS is over (\(end))",
      actual: "\(Wording.count(connection.input.count)) that no step expects and that are no record: "
        + Wording.bytes(connection.input.preview(48)))
  }

  /// Whether the present step, or one to come, takes bytes.
  private var awaitsBytes: Bool {
    switch activity {
    case .expecting, .counting, .echoing: true
    default: cursor.holds(where: { $0.value.takesBytes })
    }
  }

  mutating func collectTLSEvents() {
    guard let tls = connection?.tls, !tls.tlsEvents.isEmpty else { return }
    tlsEvents += tls.tlsEvents
    tls.tlsEvents = []
  }

  /// Whether the handshake is where the step wants it.
  mutating func settleHandshake() {
    guard case .shaking(let wanted) = activity, deviation == nil, let tls = connection?.tls else { return }
    if case .failed(let reason) = tls.state { return settleFailure(of: tls, reason, wanted: wanted) }
    if tls.isHolding {
      if wireIsIdle { activity = .ready }
      return
    }
    guard tls.state == .established else { return }
    guard let wanted else {
      if wireIsIdle { activity = .ready }
      return
    }
    // The side that sends the last message of a handshake is done before the other side has checked it: a refusal may
    // still follow.
    let speaksLast = (tls.context.role == .client) == tls.isTLS13
    let mayFailYet = speaksLast && connection?.input.isEmpty == true
    if mayFailYet, !tls.isClosedByPeer, connection?.end == nil { return }
    if mayFailYet, !tls.isClosedByPeer, wanted == .any { return activity = .ready }
    deviate(expected: "the TLS handshake fails with \(wanted.text)", actual: "it is complete: \(tls.facts.text)")
  }

  private mutating func settleFailure(of tls: PeerTLSSession, _ reason: String, wanted: AlertPattern?) {
    guard wireIsIdle else { return }
    let fatal = tls.alerts.last
    switch wanted {
    case nil:
      guard case .expectAlert = cursor.peek?.value else { break }
      return activity = .ready
    case .any:
      tls.alerts = []
      connection?.failureIsTaken = true
      return activity = .ready
    case .oneOf:
      guard let fatal, wanted?.matches(fatal) == true else { break }
      tls.alerts = []
      connection?.failureIsTaken = true
      return activity = .ready
    }
    deviate(
      expected: wanted.map { "the TLS handshake fails with \($0.text)" } ?? "the TLS handshake completes",
      actual: fatal.map { "the subject sent \($0.text)" } ?? "it failed: \(reason)")
  }

  // MARK: - What came of it

  mutating func check(_ expected: TLSExpectation) {
    guard let tls = connection?.tls, tls.state == .established else {
      return deviate(expected: "an established TLS session", actual: "there is none")
    }
    let facts = tls.facts
    func compare(_ what: String, _ wanted: String?, _ actual: String) {
      guard deviation == nil, let wanted, wanted != actual else { return }
      deviate(
        expected: "TLS with \(what) \(wanted.isEmpty ? "none" : wanted)",
        actual: "\(what) \(actual.isEmpty ? "none" : actual)")
    }
    compare("version", expected.version?.rawValue, facts.version?.rawValue ?? "unknown")
    compare("cipher", expected.cipher, facts.cipher)
    compare("server name", expected.serverName, facts.serverName)
    compare("protocol", expected.alpn, facts.alpn)
    compare("resumption", expected.isResumed.map { "\($0)" }, "\(facts.isResumed)")
    switch expected.certificate {
    case nil: break
    case .nobody: compare("certificate", "", tls.shownCertificate == nil ? "" : "of somebody")
    case .named(let name):
      let isSame = tls.shownCertificate.map { $0 == contexts.certificates.leaf(name) } ?? false
      compare("certificate", name.rawValue, isSame ? name.rawValue : tls.shownCertificate == nil ? "" : "another")
    }
  }

  /// The alert that a step waits for: the oldest that no step has taken.
  mutating func settle(alert wanted: AlertPattern) {
    guard let connection, let tls = connection.tls else { return }
    if let byte = connection.input.first {
      deviate(
        expected: "\(wanted.text) after byte \(connection.input.consumed)",
        actual: "another \(Wording.byte(byte)), then \(Wording.bytes(connection.input.preview(48)))")
    } else if let alert = tls.alerts.first {
      tls.alerts.removeFirst()
      if alert.level != 1 { self.connection?.failureIsTaken = true }
      activity = .ready
      if !wanted.matches(alert) { deviate(expected: wanted.text, actual: "the subject sent \(alert.text)") }
    } else if case .failed(let reason) = tls.state {
      deviate(expected: wanted.text, actual: "TLS failed: \(reason)")
    } else if let end = connection.end {
      deviate(expected: wanted.text, actual: "the subject's stream ended (\(describe(end))) without it")
    }
  }

  /// New keys of the subject's that no step has taken. Data in front of them are left for the next step.
  mutating func settleNewKeys() {
    guard let connection, let tls = connection.tls else { return }
    let wanted = "new keys of the subject's (KeyUpdate)"
    if tls.newKeys > 0 {
      tls.newKeys -= 1
      activity = .ready
    } else if case .failed(let reason) = tls.state {
      deviate(expected: wanted, actual: "TLS failed: \(reason)")
    } else if let end = connection.end {
      deviate(expected: wanted, actual: "the subject's stream ended (\(describe(end))) without them")
    }
  }

  /// Why no more plaintext will come; nil: it may.
  var plainEnd: String? {
    guard let connection else { return nil }
    if let reason = failure { return "TLS failed: \(reason)" }
    if connection.tls?.isClosedByPeer == true { return "the subject's stream ended (close_notify)" }
    return connection.end.map { "the subject's stream ended (\(describe($0)))" }
  }

  /// Why TLS gave up, unless a step has taken that.
  var failure: String? {
    guard let connection, !connection.failureIsTaken, let tls = connection.tls, case .failed(let reason) = tls.state
    else { return nil }
    // A step that waits for the end of a handshake that was broken off has got it.
    if tls.wasBrokenOff, case .ending = activity { return nil }
    return tls.alerts.last.map { "\(reason), the subject sent \($0.text)" } ?? reason
  }

  // MARK: - By hand

  /// Steps that put something on the wire below or beside the application's data.
  mutating func beginByHand(_ step: PeerStep) -> PeerAction? {
    guard connection?.cannotSend == false else { return nil }
    guard let tls = connection?.tls else { return beginInClear(step) }
    var obstacle: String?
    switch step {
    case .closeNotify: tls.closeNotify()
    case .keyUpdate(let requested):
      if !tls.updateKeys(requested: requested) { obstacle = "there is no TLS 1.3 to do it in" }
    case .tickets(let count):
      if !tls.sendTickets(count) { obstacle = "only an established server of TLS 1.3 can" }
    case .alert(let alert): obstacle = tls.make(alert)
    case .record(let record): obstacle = tls.make(record)
    case .raw(let payload):
      let bytes = payload.materialised
      tls.wire += bytes
      tls.tlsEvents.append(.forged("\(Wording.count(bytes.count)) below TLS"))
    default: break
    }
    collectTLSEvents()
    if let obstacle {
      deviate(expected: "the peer can do this", actual: obstacle)
    } else {
      activity = .flushing(then: nil)
    }
    return nil
  }

  private mutating func beginInClear(_ step: PeerStep) -> PeerAction? {
    switch step {
    case .alert(let alert):
      let record = HandMadeRecord(type: .alert, payload: .bytes([alert.level, alert.description]))
      sendWhole(PeerTLSSession.inClear(record))
    case .record(let record):
      guard record.encrypts != true else {
        deviate(expected: "the peer can do this", actual: "the peer has no keys yet")
        return nil
      }
      sendWhole(PeerTLSSession.inClear(record))
    case .raw(let payload): sendWhole(payload.materialised)
    default: deviate(expected: "a connection that speaks TLS", actual: "it does not")
    }
    return nil
  }

  private mutating func sendWhole(_ bytes: [UInt8]) {
    activity = .sending(
      Outgoing(bytes: bytes, lengths: cutter.pieces(of: bytes.count), gap: Self.splitGap, isDrip: false))
  }

  /// Ends as a well-behaved peer does: close_notify, then the act itself.
  mutating func beginEnding(with action: PeerAction) -> PeerAction? {
    connection?.tls?.closeNotify()
    collectTLSEvents()
    guard !wireIsIdle else { return end(with: action) }
    activity = .flushing(then: action)
    return nil
  }

  mutating func end(with action: PeerAction) -> PeerAction {
    if action == .close { drop() }
    activity = .ready
    return action
  }
}

extension PeerLane {
  /// Whether some step makes or changes records under the session's keys.
  var forgesRecords: Bool { Self.forges(steps) }

  private static func forges(_ steps: [Located<PeerStep>]) -> Bool {
    steps.contains { step in
      switch step.value {
      case .record, .alert: true
      case .tls(let tls): !tls.edits.isEmpty || tls.coalesces
      case .repeated(_, let inner): forges(inner)
      default: false
      }
    }
  }
}

extension PeerStep {
  fileprivate var takesBytes: Bool {
    switch self {
    case .expect, .expectCount, .echo: true
    case .repeated(_, let steps): steps.contains { $0.value.takesBytes }
    default: false
    }
  }
}
