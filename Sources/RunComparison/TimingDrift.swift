import ScenarioModel

/// A scenario that takes longer, or shorter, than the machine and its noise explain.
///
/// All cases of both runs say how much faster or slower the machine was (the median of their ratios) and how much
/// ratios scatter (their median deviation from it). A scenario has drifted if it lies beyond five times that scatter,
/// by half at least, and by 50 ms. Only the loopback world is looked at: the simulated one takes no real time.
package struct TimingDrift: Hashable, Sendable {
  /// The scenario's id.
  package let scenario: String
  /// All of its cases that passed in both runs, together, in the old run.
  package let oldMilliseconds: Double
  /// The same in the new run.
  package let newMilliseconds: Double

  /// More than 1: slower.
  package var ratio: Double { newMilliseconds / oldMilliseconds }

  private static let leastMilliseconds = 50.0
  private static let leastScenarios = 8

  static func all(_ before: [ComparedCase.Key: Course], _ after: [ComparedCase.Key: Course]) -> [TimingDrift] {
    var sums: [String: (old: Double, new: Double)] = [:]
    for (key, course) in after where key.world == .loopback && course.isAsExpected && course.isJudged {
      guard let earlier = before[key], earlier.isAsExpected, earlier.isJudged else { continue }
      sums[key.scenario, default: (0, 0)].old += earlier.example.milliseconds
      sums[key.scenario]?.new += course.example.milliseconds
    }
    let measured = sums.filter { $0.value.old > 0 && $0.value.new > 0 }
    // The scatter of a few scenarios is unknown.
    guard measured.count >= leastScenarios else { return [] }
    let ratios = measured.values.map { $0.new / $0.old }.sorted()
    let median = ratios[ratios.count / 2]
    let scatter = ratios.map { abs($0 / median - 1) }.sorted()[ratios.count / 2]
    return measured.compactMap { scenario, sum in
      let relative = sum.new / sum.old / median
      let isBeyond = abs(relative - 1) > max(5 * scatter, 0) && max(relative, 1 / relative) > 1.5
      guard isBeyond, abs(sum.new - sum.old * median) > leastMilliseconds else { return nil }
      return TimingDrift(scenario: scenario, oldMilliseconds: sum.old, newMilliseconds: sum.new)
    }.sorted { ($1.ratio, $0.scenario) < ($0.ratio, $1.scenario) }
  }
}
