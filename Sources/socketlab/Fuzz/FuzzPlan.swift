import FuzzHarness

/// How long a unit fuzzes.
enum FuzzBudget: Hashable, Sendable {
  case time(Duration)
  case executions(Int)
}

/// A process's worth of fuzzing: one target, one lane, one seed, until the budget is used.
struct FuzzUnit: Hashable, Sendable {
  /// Distance between the seeds of two units: a unit that starts anew after a finding counts up.
  static let seedsOfAUnit: UInt32 = 1000

  var target: FuzzTarget
  var lane: FuzzTarget.Lane
  var seed: UInt32
  var budget: FuzzBudget
  /// Counts the units of the same target.
  var repetition: Int

  /// Names logs and artifacts.
  var name: String { "\(target.name)-\(lane.rawValue)-\(seed)" }
}

/// One of several machines that share a campaign.
struct FuzzShard: Hashable, Sendable {
  var number = 1
  var count = 1

  /// `2/5`; nil if it is not one.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let number = parts[0], let count = parts[1], (1...10_000).contains(count),
      (1...count).contains(number)
    else { return nil }
    self.number = number
    self.count = count
  }

  init() {}

  var description: String { "\(number)/\(count)" }
}

/// What a campaign runs, in order; a pure function of what was asked, so that machines agree on who does what.
struct FuzzPlan: Hashable, Sendable {
  var units: [FuzzUnit]

  /// Every target gets as many units as it has repetitions, each with a seed of its own. Shards take turns; with more
  /// shards than units the repetitions grow until every shard has work.
  init(
    _ targets: [FuzzTarget], lane: FuzzTarget.Lane, budget: FuzzBudget, seed: UInt32, repetitions: Int,
    shard: FuzzShard = FuzzShard()
  ) {
    let targets = targets.filter { $0.lanes.contains(lane) }
    guard !targets.isEmpty else {
      units = []
      return
    }
    let needed = (shard.count + targets.count - 1) / targets.count
    let all = (0..<max(repetitions, needed, 1)).flatMap { repetition in
      targets.map { target in
        let offset = UInt32(truncatingIfNeeded: repetition) &* FuzzUnit.seedsOfAUnit
        return FuzzUnit(
          target: target, lane: lane, seed: Self.valid(seed &+ offset), budget: budget, repetition: repetition)
      }
    }
    units = all.enumerated().filter { $0.offset % shard.count == shard.number - 1 }.map(\.element)
  }

  /// libFuzzer takes 0 for "draw one".
  static func valid(_ seed: UInt32) -> UInt32 { seed == 0 ? 1 : seed }
}
