import ScenarioModel

extension PeerMachine {
  /// Processes an observation of the peer's connection at that instant. One that does not belong to the present
  /// connection (an answer that was in flight when the peer closed) is ignored.
  package mutating func observe(_ observation: PeerObservation, at instant: Duration) {
    switch observation {
    case .connected:
      guard case .connecting(let accepts) = activity else { return }
      connection = Connection(isAccepted: accepts)
      hasConnected = true
      activity = .ready
    case .connectFailed(let errno): failToConnect(errno)
    case .sent(let count): takeSent(count, at: instant)
    case .sendFailed:
      connection?.cannotSend = true
      stopSending()
      // What waited for the last bytes to go waits no longer.
      settleHandshake()
    case .received(let bytes): take(bytes, at: instant)
    case .endOfStream:
      guard connection?.hasShutReading == false else { return }
      takeEnd(.fin, errno: nil, at: instant)
    case .broken(let errno):
      connection?.cannotSend = true
      stopSending()
      takeEnd(.rst, errno: errno, at: instant)
    }
  }

  private mutating func failToConnect(_ errno: Int32) {
    guard case .connecting(let accepts) = activity, deviation == nil else { return }
    connectFailure = errno
    deviate(
      expected: accepts ? "the peer accepts a connection" : "the peer connects to the subject",
      actual: "it failed with \(Self.errnoName(errno))")
  }

  private mutating func takeSent(_ count: Int, at instant: Duration) {
    guard takeSentPiece(count, at: instant) else { return }
    switch activity {
    case .sending(var outgoing) where outgoing.unsent > 0:
      outgoing.takeSent(count, at: instant)
      let isOver = outgoing.unsent == 0 && outgoing.position >= outgoing.bytes.count
      activity = isOver ? .ready : .sending(outgoing)
    case .echoing(let left, true): activity = .echoing(left: left, awaitsSent: false)
    default: break
    }
  }

  mutating func stopSending() {
    connection?.outgoing = nil
    switch activity {
    case .sending: activity = .ready
    // What it had under way is not sent back.
    case .echoing(let left, true): activity = .echoing(left: left.map { max($0, 1) }, awaitsSent: false)
    default: break
    }
  }

  private mutating func take(_ bytes: [UInt8], at instant: Duration) {
    guard connection != nil, !bytes.isEmpty else { return }
    pacing?.used += bytes.count
    guard let tls = connection?.tls else { return takePlain([bytes], at: instant) }
    tls.receive(bytes)
    tls.pump()
    collectTLSEvents()
    takePlain(tls.takePlain(), at: instant)
    takeLeftovers(of: tls)
    if let failure, case .silent(let until) = activity, instant < until, deviation == nil {
      deviate(expected: "silence until \(Wording.duration(until))", actual: "TLS failed: \(failure)")
    }
  }

  /// Bytes for the steps; with none of them, what has become of TLS is looked at.
  private mutating func takePlain(_ chunks: [[UInt8]], at instant: Duration) {
    let count = chunks.reduce(0) { $0 + $1.count }
    if let first = chunks.first?.first, case .silent(let until) = activity, instant < until, deviation == nil {
      deviate(
        expected: "silence until \(Wording.duration(until))",
        actual: "\(Wording.count(count)) at \(Wording.duration(instant)), first \(Wording.byte(first))")
    }
    for chunk in chunks { connection?.input.append(chunk) }
    settleInput()
  }

  private mutating func takeEnd(_ end: StreamEnd, errno: Int32?, at instant: Duration) {
    guard connection != nil, connection?.end == nil else { return }
    connection?.end = end
    connection?.errno = errno
    pacing = nil
    connection?.tls?.receiveEnd()
    pump()
    if case .silent(let until) = activity, instant < until, deviation == nil {
      deviate(
        expected: "silence until \(Wording.duration(until))",
        actual: "the subject's stream ended (\(describe(end))) at \(Wording.duration(instant))")
    }
    settleInput()
  }

  /// Lets the present step consume what has arrived.
  mutating func settleInput() {
    guard deviation == nil else { return }
    switch activity {
    case .expecting(let expected, let matched): settle(expected: expected, matched: matched)
    case .counting(let left, let total, let hash, let wanted):
      settle(left: left, total: total, hash: hash, wanted: wanted)
    case .ending(let wanted): settle(end: wanted)
    case .alerted(let wanted): settle(alert: wanted)
    case .rekeyed: settleNewKeys()
    case .shaking: settleHandshake()
    default: break
    }
  }

  private mutating func settle(expected: [UInt8], matched: Int) {
    guard connection != nil else { return }
    var matched = matched
    let agrees = connection?.input.consume(continuing: expected, from: &matched) ?? true
    activity = matched == expected.count ? .ready : .expecting(expected, matched: matched)
    guard let connection, matched < expected.count else { return }
    if !agrees, let byte = connection.input.first {
      deviate(
        expected: "\(Wording.byte(expected[matched])) at offset \(matched) of \(Wording.bytes(expected))",
        actual: "\(Wording.byte(byte)) (byte \(connection.input.consumed) of the stream), "
          + "then \(Wording.bytes(connection.input.preview(48)))")
    } else if let end = plainEnd {
      deviate(
        expected: "\(Wording.count(expected.count)): \(Wording.bytes(expected))",
        actual: "\(end) after \(matched) of them")
    }
  }

  private mutating func settle(left: Int, total: Int, hash: ContentHash, wanted: String?) {
    guard connection != nil else { return }
    var hash = hash
    let left = left - (connection?.input.consume(left, into: &hash) ?? 0)
    activity = left == 0 ? .ready : .counting(left: left, total: total, hash, wanted: wanted)
    if left == 0 {
      guard let wanted, wanted != hash.text else { return }
      deviate(expected: "\(Wording.count(total)) with hash \(wanted)", actual: "hash \(hash.text)")
    } else if let end = plainEnd {
      deviate(expected: "\(Wording.count(total))", actual: "\(end) after \(total - left) of them")
    }
  }

  private mutating func settle(end wanted: StreamEnd) {
    guard let connection else { return }
    if let byte = connection.input.first {
      deviate(
        expected: "the end of the subject's stream after byte \(connection.input.consumed)",
        actual: "another \(Wording.byte(byte)), then \(Wording.bytes(connection.input.preview(48)))")
    } else if let failure {
      deviate(expected: "the end of the subject's stream", actual: "TLS failed: \(failure)")
    } else if let end = connection.end {
      self.connection?.endWasExpected = true
      activity = .ready
      guard wanted != .either, wanted != end else { return }
      deviate(expected: "the subject's stream ends with \(wanted.rawValue)", actual: describe(end))
    }
  }

  func describe(_ end: StreamEnd) -> String {
    guard let errno = connection?.errno else { return end.rawValue }
    return "\(end.rawValue), \(Self.errnoName(errno))"
  }

  mutating func deviate(expected: String, actual: String) {
    deviation = Deviation(
      kind: .peer, expected: "\(name): \(expected)", actual: "\(name): \(actual)", position: position)
  }

  private static func errnoName(_ errno: Int32) -> String { ErrnoName.name(of: errno) ?? "errno \(errno)" }
}
