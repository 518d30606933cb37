import ScenarioModel

/// The sync points that lanes can wait for, and whether they have been reached.
///
/// Laws
/// - A sync point that was reached stays reached: a lane that waits for it later goes on at once.
/// - Callbacks are counted from the call of `watch` on; call it before the case starts.
/// - `version` grows with every change, so that a lane that waits looks again only then.
package struct SyncBoard: Sendable {
  /// A point some lane or reaction announced.
  package struct Point: Hashable, Sendable {
    /// The name that the scenario gives the point.
    package var name: String
    /// When it was announced, since the case was opened.
    package var at: Duration
    /// The step that announced it.
    package var position: SourcePosition?
    /// Since when the lane had waited for an action of the subject in the step before; nil: that step did not wait for
    /// one.
    package var waitedSince: Duration?

    package init(name: String, at: Duration, position: SourcePosition?, waitedSince: Duration? = nil) {
      self.name = name
      self.at = at
      self.position = position
      self.waitedSince = waitedSince
    }
  }

  private struct Watch: Sendable {
    var pattern: CallbackPattern
    var socket: String
    var count: Int
  }

  /// Points in the order in which they were first reached.
  package private(set) var points: [Point] = []
  /// Grows with every change.
  package private(set) var version = 0
  private var watches: [Watch] = []
  private var listeners: [String] = []

  /// A board on which nothing is watched or reached.
  package init() {}

  /// Has the callbacks of the sync point counted from now on.
  package mutating func watch(_ syncPoint: SyncPoint) {
    guard case .callback(let pattern, let socket, _) = syncPoint, watch(for: pattern, of: socket) == nil else { return }
    watches.append(Watch(pattern: pattern, socket: socket, count: 0))
  }

  /// A lane or reaction has reached the point; only the first time counts.
  package mutating func reach(
    _ name: String, at instant: Duration, position: SourcePosition? = nil, waitedSince: Duration? = nil
  ) {
    guard self.instant(of: name) == nil else { return }
    points.append(Point(name: name, at: instant, position: position, waitedSince: waitedSince))
    version += 1
  }

  /// The points behind the first `count` were reached no earlier than that.
  package mutating func postpone(behind count: Int, to instant: Duration) {
    for index in points.indices.dropFirst(count) { points[index].at = max(points[index].at, instant) }
  }

  /// Counts a callback for all sync points that it matches.
  package mutating func count(_ delivered: DeliveredCallback) {
    for index in watches.indices
    where watches[index].socket == delivered.socket && watches[index].pattern.matches(delivered) {
      watches[index].count += 1
      version += 1
    }
  }

  /// A subject socket listens: peers that connect to it may do so from now on.
  package mutating func listens(_ socket: String) {
    guard !listeners.contains(socket) else { return }
    listeners.append(socket)
    version += 1
  }

  /// Whether the subject socket has ever listened.
  package func hasListened(_ socket: String) -> Bool { listeners.contains(socket) }

  /// When the point was first reached, since the case was opened; nil: not yet.
  package func instant(of point: String) -> Duration? { points.first { $0.name == point }?.at }

  /// Whether the sync point has been reached. A callback's is never reached unless it is watched (`watch`).
  package func hasCome(_ syncPoint: SyncPoint) -> Bool {
    switch syncPoint {
    case .point(let name): instant(of: name) != nil
    case .callback(let pattern, let socket, let occurrence):
      (watch(for: pattern, of: socket).map { watches[$0].count } ?? 0) >= occurrence
    }
  }

  private func watch(for pattern: CallbackPattern, of socket: String) -> Int? {
    watches.firstIndex { $0.socket == socket && $0.pattern == pattern }
  }
}
