/// What the subject must be seen to do. Expectations of one socket are met in the order written; between sockets no
/// order is implied.
package indirect enum Expectation: Hashable, Sendable, Codable {
  case event(EventExpectation)
  /// The next didRead callbacks, joined, are exactly these bytes (for reads whose boundaries the contract leaves open).
  case stream(StreamExpectation)
  /// All of them, in any order.
  case anyOrder([Expectation], position: SourcePosition)
  /// One of several outcomes, each a sequence.
  case oneOf([Alternative], position: SourcePosition)
  /// No callback of this socket (incidental ones aside) for this long after the previous expectation was met.
  case nothing(Duration, socket: String, position: SourcePosition)

  /// Where the expectation stands in the file.
  package var position: SourcePosition {
    switch self {
    case .event(let event): event.position
    case .stream(let stream): stream.position
    case .anyOrder(_, let position), .oneOf(_, let position), .nothing(_, _, let position): position
    }
  }
}

/// Callbacks that fit one pattern, in a row.
package struct EventExpectation: Hashable, Sendable, Codable {
  /// What each of the callbacks must be.
  package var pattern: CallbackPattern
  /// The lab's name of the socket that must report it.
  package var socket: String
  /// This many in a row (1 unless written).
  package var times: Int
  /// May be absent.
  package var optional: Bool
  /// When each of them must come; nil: at any time.
  package var window: TimeWindow?
  /// Where the expectation stands in the file.
  package var position: SourcePosition

  package init(
    pattern: CallbackPattern, socket: String, times: Int = 1, optional: Bool = false, window: TimeWindow? = nil,
    position: SourcePosition
  ) {
    self.pattern = pattern
    self.socket = socket
    self.times = times
    self.optional = optional
    self.window = window
    self.position = position
  }
}

/// Bytes that come in didRead callbacks, however the reads cut them.
package struct StreamExpectation: Hashable, Sendable, Codable {
  /// All of the bytes, in order.
  package var payload: Payload
  /// The lab's name of the socket that must read them.
  package var socket: String
  /// Where the expectation stands in the file.
  package var position: SourcePosition

  package init(payload: Payload, socket: String, position: SourcePosition) {
    self.payload = payload
    self.socket = socket
    self.position = position
  }
}

/// One outcome of a `oneOf`.
package struct Alternative: Hashable, Sendable, Codable {
  /// `passed`, or `passedNonStrict` for what is tolerated but not wished for.
  package var grade: Grade
  /// Only under this profile; nil: under every profile.
  package var profile: Profile?
  /// Met in the order written; empty: nothing is to come.
  package var expectations: [Expectation]

  package init(grade: Grade, profile: Profile?, expectations: [Expectation]) {
    self.grade = grade
    self.profile = profile
    self.expectations = expectations
  }
}

/// What a case is worth that meets its expectations this way: `pass`, or `nonStrict` for what is only tolerated.
package enum Grade: String, CaseIterable, Hashable, Sendable, Codable {
  case pass
  case nonStrict
}

/// Which reading of the sources the subject is held to (contract section 0).
package enum Profile: String, CaseIterable, Hashable, Sendable, Codable {
  case documented
  case upstream
}

/// When an event must happen. Early is always wrong; late is allowed by the host's measured jitter.
package struct TimeWindow: Hashable, Sendable, Codable {
  /// What a window is counted from.
  package enum Origin: Hashable, Sendable, Codable {
    /// The previous expectation of the same socket that was met, or the start of the case.
    case previous
    case start
    case point(String)
  }

  /// Both ends of the window are counted from it.
  package var origin: Origin
  /// Not before this long after the origin.
  package var earliest: Duration?
  /// Not later than this long after the origin, plus tolerance.
  package var latest: Duration?

  package init(origin: Origin, earliest: Duration?, latest: Duration?) {
    self.origin = origin
    self.earliest = earliest
    self.latest = latest
  }
}

/// How the connection ended: a verdict of its own, from the wire's view. FIN and RST are never folded.
package enum EndingExpectation: Hashable, Sendable, Codable {
  /// Neither side ended it.
  case open
  /// No connection ever came to be.
  case neverConnected
  /// The subject ended it first, and the peer saw this.
  case bySubject(StreamEnd)
  /// The peer ended it first (FIN and close count as `fin`); `answer` is what the peer then saw of the subject, when it
  /// could still see.
  case byPeer(StreamEnd, answer: StreamEnd?)

  /// For messages: `open`, `subject fin`, `peer fin, subject rst`.
  package var text: String {
    switch self {
    case .open: "open"
    case .neverConnected: "never connected"
    case .bySubject(let end): "subject \(end.rawValue)"
    case .byPeer(let end, nil): "peer \(end.rawValue)"
    case .byPeer(let end, let answer?): "peer \(end.rawValue), subject \(answer.rawValue)"
    }
  }
}
