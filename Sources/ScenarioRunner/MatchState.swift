import ScenarioModel

/// The place reached in a sequence of expectations.
struct MatchCursor: Hashable, Sendable {
  var index = 0
  /// Of the expectation at `index`: how often an event was seen, how many bytes of a stream.
  var progress = 0
  /// For anyOrder one cursor for each item, for oneOf the cursor in the chosen alternative; empty before it is entered.
  var inner: [MatchCursor] = []

  init(index: Int = 0) { self.index = index }

  /// Past the expectation this cursor is at.
  var past: MatchCursor { MatchCursor(index: index + 1) }
}

/// One way to read everything seen so far; a group keeps all that are still possible.
struct MatchState: Sendable {
  /// One for each socket of the group.
  var cursors: [MatchCursor]
  /// For each socket, when its previous expectation was met; zero before the first.
  var met: [Duration]
  /// For each `oneOf` the number of the chosen alternative, 0 while none is.
  var choices: [UInt8]
  /// Trace indices and the expectations they met, in order.
  var history: [(index: Int, position: SourcePosition)] = []
  /// Events that came before the point that their window counts from.
  var anchored: [AnchoredEvent] = []
}

/// An event that met its expectation before the point was reached from which that counts its time: whether it was in
/// time is known when the point is.
struct AnchoredEvent: Sendable {
  var event: EventNode
  var delivered: DeliveredCallback
  var at: Duration
  /// Of the trace.
  var index: Int
}

/// A named point that was reached, from which windows may count.
struct PointReached: Sendable {
  var name: String
  var at: Duration
  var position: SourcePosition?
  /// Since when only the subject had been able to bring the point about; nil: the lab came there by itself.
  var quietSince: Duration?
}

/// Where time is counted from and how much of it is forgiven.
struct WindowClock: Sendable {
  var tolerance: Tolerance
  var points: [PointReached] = []

  /// Before it is accepted a socket has no instant that time could be counted from: an eternity stands for it, so that
  /// nothing is late.
  static let notBegun = Duration.seconds(1 << 40)

  /// When a silence is over that begins there. That of a socket that does not exist yet begins with the case, and once
  /// more when it is accepted.
  func end(of nothing: NothingNode, after previous: Duration) -> Duration {
    (previous == Self.notBegun ? .zero : previous) + nothing.duration
  }

  /// nil: the point has not been reached.
  func origin(of window: TimeWindow, previous: Duration) -> Duration? {
    switch window.origin {
    case .previous: previous
    case .start: .zero
    case .point(let name): points.first { $0.name == name }?.at
    }
  }

  /// Whether the window counts from a point that has not been reached.
  func awaitsOrigin(of window: TimeWindow?) -> Bool {
    window.map { origin(of: $0, previous: .zero) == nil } ?? false
  }

  /// What is wrong with an event at that instant, if anything. One that comes before the point that its window counts
  /// from is not late; whether it came too long before shows at the end.
  func flaw(_ window: TimeWindow?, at instant: Duration, previous: Duration) -> MatchFlaw? {
    guard let window else { return nil }
    guard let origin = origin(of: window, previous: previous) else { return window.earliest == nil ? nil : .early }
    let grace = window.origin == .previous ? tolerance.earlyAfterDelivery : tolerance.early
    if let earliest = window.earliest, instant < origin + earliest - grace { return .early }
    if let latest = window.latest, instant > origin + latest + tolerance.late { return .late }
    return nil
  }

  /// The first instant at which an event that has not come is late for certain.
  func lateFrom(_ window: TimeWindow?, previous: Duration) -> Duration? {
    guard let window, let latest = window.latest, let origin = origin(of: window, previous: previous) else {
      return nil
    }
    return origin + latest + tolerance.late + .nanoseconds(1)
  }
}

/// How an event that is the expected one in kind is not quite what was expected.
enum MatchFlaw: Sendable { case early, late, content }
