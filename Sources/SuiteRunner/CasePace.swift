import ScenarioModel

/// How many cases a worker has under way at a time: as many as it may, and fewer while the lab itself is late. On a
/// busy machine more of them would finish no sooner, and each would be later.
///
/// Halves after a case in which the lab was late, and grows by one when so many as are under way were in time, twice
/// over. Between two changes all that began before the first have ended, or nearly: they say nothing of it.
struct CasePace {
  /// Later than this is late. A case bears twice as much before it proves nothing (`Tolerance.lateness`).
  private static let bound = Duration.milliseconds(25)

  /// The most that may be under way.
  let most: Int
  /// How many may be now; 1 to `most`.
  private(set) var limit: Int
  /// Results since the last change.
  private var results = 0
  /// Of these, the last in a row in which the lab was in time.
  private var inTime = 0

  /// - Parameter most: positive.
  init(most: Int) { (self.most, limit) = (most, most) }

  /// Whether fewer than possible may be under way.
  var isReduced: Bool { limit < most }

  /// A case is over in which the lab was at most so late.
  mutating func note(lateness: Duration) {
    results += 1
    guard lateness > Self.bound else {
      inTime += 1
      if isReduced, inTime >= 2 * limit { change(to: limit + 1) }
      return
    }
    inTime = 0
    if results > limit, limit > 1 { change(to: limit / 2) }
  }

  private mutating func change(to limit: Int) { (self.limit, results, inTime) = (limit, 0, 0) }
}
