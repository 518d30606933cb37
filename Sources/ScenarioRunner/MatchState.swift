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

  func isSame(as other: MatchState) -> Bool {
    cursors == other.cursors && met == other.met && choices == other.choices
  }
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

  /// nil: the point has not been reached.
  func origin(of window: TimeWindow, previous: Duration) -> Duration? {
    switch window.origin {
    case .previous: previous
    case .start: .zero
    case .point(let name): points.first { $0.name == name }?.at
    }
  }

  /// What is wrong with an event at that instant, if anything.
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
