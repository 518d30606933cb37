import FuzzHarness

/// How long a unit fuzzes.
package enum FuzzBudget: Hashable, Sendable {
  case time(Duration)
  case executions(Int)
}

/// A process's worth of fuzzing: one target, one lane, one seed, until the budget is used.
package struct FuzzUnit: Hashable, Sendable {
  /// Distance between the seeds of two units: a unit that starts anew after a finding counts up.
  static let seedsOfAUnit: UInt32 = 1000

  /// What is fuzzed.
  package var target: FuzzTarget
  /// The lane that the target's program is built for.
  package var lane: FuzzTarget.Lane
  /// The seed of the unit's first process.
  package var seed: UInt32
  /// When the unit is over.
  package var budget: FuzzBudget
  /// Counts the units of the same target.
  package var repetition: Int

  package init(
    target: FuzzTarget, lane: FuzzTarget.Lane, seed: UInt32, budget: FuzzBudget, repetition: Int
  ) {
    self.target = target
    self.lane = lane
    self.seed = seed
    self.budget = budget
    self.repetition = repetition
  }

  /// Names logs and artifacts.
  package var name: String { "\(target.name)-\(lane.rawValue)-\(seed)" }
}

/// One of several machines that share a campaign.
package struct FuzzShard: Hashable, Sendable {
  /// Which machine it is, from 1.
  package var number = 1
  /// How many machines share the campaign; 1: it is not shared.
  package var count = 1

  /// `2/5`; nil if it is not one.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let number = parts[0], let count = parts[1], (1...10_000).contains(count),
      (1...count).contains(number)
    else { return nil }
    self.number = number
    self.count = count
  }

  package init() {}

  var description: String { "\(number)/\(count)" }
}

/// What a campaign runs, in order; a pure function of what was asked, so that machines agree on who does what.
package struct FuzzPlan: Hashable, Sendable {
  /// In the order in which they are begun; empty: no target has the lane.
  package var units: [FuzzUnit]
  /// Which part of all units these are.
  package let shard: FuzzShard

  /// Every target gets as many units as it has repetitions, each with a seed of its own. Shards take turns; with more
  /// shards than units the repetitions grow until every shard has work.
  package init(
    _ targets: [FuzzTarget], lane: FuzzTarget.Lane, budget: FuzzBudget, seed: UInt32, repetitions: Int,
    shard: FuzzShard = FuzzShard()
  ) {
    self.shard = shard
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
  package static func valid(_ seed: UInt32) -> UInt32 { seed == 0 ? 1 : seed }
}
