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

  package var position: SourcePosition {
    switch self {
    case .event(let event): event.position
    case .stream(let stream): stream.position
    case .anyOrder(_, let position), .oneOf(_, let position), .nothing(_, _, let position): position
    }
  }
}

package struct EventExpectation: Hashable, Sendable, Codable {
  package var pattern: CallbackPattern
  package var socket: String
  /// This many in a row (1 unless written).
  package var times: Int
  /// May be absent.
  package var optional: Bool
  package var window: TimeWindow?
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

package struct StreamExpectation: Hashable, Sendable, Codable {
  package var payload: Payload
  package var socket: String
  package var position: SourcePosition

  package init(payload: Payload, socket: String, position: SourcePosition) {
    self.payload = payload
    self.socket = socket
    self.position = position
  }
}

package struct Alternative: Hashable, Sendable, Codable {
  /// `passed`, or `passedNonStrict` for what is tolerated but not wished for.
  package var grade: Grade
  /// Only under this profile; nil: under every profile.
  package var profile: Profile?
  package var expectations: [Expectation]

  package init(grade: Grade, profile: Profile?, expectations: [Expectation]) {
    self.grade = grade
    self.profile = profile
    self.expectations = expectations
  }
}

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
  package enum Origin: Hashable, Sendable, Codable {
    /// The previous expectation of the same socket that was met, or the start of the case.
    case previous
    case start
    case point(String)
  }

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
