import ScenarioModel

/// Sightings that wait to be looked at again.
///
/// Laws
/// - A round looks at all of the simulated world, which costs next to nothing, and at `perRound` of the real kernel: on
///   a machine that is too busy to judge, there may be many.
/// - Whoever waits longer comes first, but a finding that nobody has looked at in this round comes before a second
///   sighting of one.
/// - Every sighting is handed out once or counted in `lost`.
package struct SightingBacklog {
  private let perRound: Int
  private let capacity: Int
  private var waiting: [Explorer.Sighting] = []
  /// Sightings that were too many to wait: never handed out.
  package private(set) var lost = 0

  /// - Parameters:
  ///   - perRound: sightings over the real kernel in a round.
  ///   - capacity: sightings that may wait. Each has its case's trace.
  package init(perRound: Int, capacity: Int = 256) {
    self.perRound = perRound
    self.capacity = capacity
  }

  /// How many wait.
  package var count: Int { waiting.count }

  /// What a round looks at, in order: of what has waited, and of what it has seen itself.
  package mutating func round(of sightings: [Explorer.Sighting]) -> [Explorer.Sighting] {
    let all = waiting + sightings
    var isChosen = all.map { $0.point.world == .simulated }
    var left = perRound
    var subjects: Set<String> = []
    for index in all.indices where left > 0 && !isChosen[index] && subjects.insert(all[index].subject).inserted {
      isChosen[index] = true
      left -= 1
    }
    for index in all.indices where left > 0 && !isChosen[index] {
      isChosen[index] = true
      left -= 1
    }
    let rest = all.indices.filter { !isChosen[$0] }.map { all[$0] }
    waiting = Array(rest.prefix(capacity))
    lost += rest.count - waiting.count
    return all.indices.filter { isChosen[$0] }.map { all[$0] }
  }

  /// Takes those off that need no look any more.
  package mutating func remove(where needsNone: (Explorer.Sighting) -> Bool) { waiting.removeAll(where: needsNone) }
}
