/// Everything that was seen in one case, in the order the lab saw it.
package struct Trace: Hashable, Sendable, Codable {
  /// In the order in which the lab saw them.
  package var events: [TraceEvent]
  /// The secrets of the case's TLS sessions in the format of a key log, a line each; they decrypt a capture of it.
  package var keyLog: [String]

  package init(events: [TraceEvent] = [], keyLog: [String] = []) {
    self.events = events
    self.keyLog = keyLog
  }
}

/// One thing that was seen, and when.
package struct TraceEvent: Hashable, Sendable, Codable {
  /// Since the case began.
  package var at: Duration
  /// What was seen.
  package var kind: TraceKind
  /// The step or reaction that caused it, when one did.
  package var position: SourcePosition?

  package init(at: Duration, kind: TraceKind, position: SourcePosition? = nil) {
    self.at = at
    self.kind = kind
    self.position = position
  }
}

/// What was seen: of the subject, of a peer, or of the lab itself.
package enum TraceKind: Hashable, Sendable, Codable {
  /// A call on a subject socket and what it answered; `inCallback` when a reaction made it.
  case command(SubjectCommand, socket: String, result: CommandResult, inCallback: Bool)
  case checked(PropertyCheck, socket: String, actual: PropertyValue, holds: Bool)
  case callback(DeliveredCallback)
  case peerAction(PeerAction, peer: String)
  case peerSaw(PeerObservation, peer: String)
  /// What a scripted peer's TLS did with the bytes of the actions and sights around it.
  case tls(TLSEvent, peer: String)
  /// Something was done to the case's own network.
  case network(NetworkAction)
  /// A packet came by on the case's own network.
  case packet(PacketSight)
  /// A named point was reached.
  case point(String)
  /// A remark of the lab's own, such as how late it woke.
  case note(String)
}

/// What a call on the subject answered.
package enum CommandResult: Hashable, Sendable, Codable {
  case done
  /// Of calls that answer yes or no.
  case returned(Bool)
  case refused(SubjectError)
  /// The subject does not offer it.
  case unsupported(String)
  /// The call did not return.
  case hung
}

/// A primitive act of a scripted peer, which a world carries out.
package enum PeerAction: Hashable, Sendable, Codable {
  /// Takes the next connection from the listener; answered by `connected`.
  case accept
  case connect(socket: String)
  /// Answered by `sent` once the kernel has taken all of it.
  case send([UInt8])
  case sendUrgent(UInt8)
  case finish
  case close
  case reset
  case shutdownRead
  case setReading(Reading)
  case stopListening
  case listenAgain

  /// What the peer takes off its connection from now on.
  package enum Reading: Hashable, Sendable, Codable {
    case everything
    case paused
    /// At most that many more bytes.
    case atMost(Int)
  }
}

/// What a scripted peer observes of its connection.
package enum PeerObservation: Hashable, Sendable, Codable {
  case connected
  case connectFailed(Int32)
  /// The kernel has taken all bytes of the last `send`; their number.
  case sent(Int)
  case sendFailed(Int32)
  case received([UInt8])
  case endOfStream
  /// The connection broke; an errno.
  case broken(Int32)
}
