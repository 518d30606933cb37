import ScenarioModel

extension PeerMachine {
  /// What the lane waits for, in words: `peer waits for 10 bytes, has 4`.
  package var waitingFor: String { "\(name) \(waiting)" }

  /// The point that the lane waits for; nil: it waits for something else.
  package var awaitedPoint: String? {
    guard deviation == nil, case .after(.point(let name), _) = activity else { return nil }
    return name
  }

  /// The callback that the lane waits for; nil: it waits for something else.
  package var awaitedCallback: SyncPoint? {
    guard deviation == nil, case .after(let syncPoint, _) = activity, case .callback = syncPoint else { return nil }
    return syncPoint
  }

  private var waiting: String {
    if deviation != nil { return "stopped at a deviation" }
    switch activity {
    case .ready: return "is ready for its next step"
    case .finished: return "has finished"
    case .connecting(accepts: true): return "waits for the subject to connect"
    case .connecting(accepts: false): return "waits for its connect to succeed"
    case .awaitingListener(let socket): return "waits for \(socket) to listen"
    case .sending(let outgoing):
      let whole = "waits for the wire to take \(Wording.count(outgoing.bytes.count))"
      guard let records = connection?.outgoing else { return "\(whole), \(went(of: outgoing)) went" }
      return "\(whole), \(went(of: records)) went of \(Wording.count(records.bytes.count)) of TLS records"
    case .expecting(let expected, let matched):
      return "waits for \(Wording.count(expected.count)), has \(matched)"
    case .counting(let left, let total, _, _): return "waits for \(Wording.count(total)), has \(total - left)"
    case .ending(let end):
      return "waits for the end of the subject's stream" + (end == .either ? "" : " (\(end.rawValue))")
    case .silent(let until): return "watches for silence until \(Wording.duration(until))"
    case .echoing(let left?, _): return "echoes, with \(Wording.count(left)) to come"
    case .echoing(nil, _): return "echoes until the end of the subject's stream"
    case .shaking(nil): return "waits for its TLS handshake to get on"
    case .shaking(let pattern?): return "waits for its TLS handshake to fail with \(pattern.text)"
    case .alerted(let pattern): return "waits for \(pattern.text)"
    case .rekeyed: return "waits for new keys of the subject's (KeyUpdate)"
    case .flushing: return "waits for the wire to take what TLS sends"
    case .waiting(let until): return "waits until \(Wording.duration(until))"
    case .after(.point(let name), _): return "waits for point \(name)"
    case .after(.callback(let pattern, let socket, let occurrence), _):
      let which = occurrence == 1 ? "" : " number \(occurrence)"
      return "waits for \(socket).\(pattern.kind.rawValue)\(which)"
    }
  }
  /// The bytes that were sent, those of the piece under way included that the kernel has.
  private func went(of outgoing: Outgoing) -> Int {
    outgoing.position - outgoing.unsent + min(takenUnderWay, outgoing.unsent)
  }
}
