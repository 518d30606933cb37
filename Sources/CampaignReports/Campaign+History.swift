import FuzzCampaign
import FuzzHarness
import RunHistory

extension Campaign {
  /// What the history keeps of the campaign: findings, and of each target and lane the edges it reached and how fast it
  /// was. Edges of different instrumentations are never set beside each other.
  package var historyEntry: HistoryEntry {
    var entry = HistoryEntry(
      kind: .fuzz, name: id, startedAt: startedAt, commit: provenance.commit,
      host: "\(provenance.system), \(provenance.processors) processors", size: 0)
    let open = findings.filter { $0.status != .fixed }
    entry.failing = open.prefix(20).map(\.key)
    entry.measures = [
      HistoryMeasure("findings", Double(open.count), .count, isHigherBetter: false, noise: .none)
    ]
    for target in targets {
      for lane in target.lanes { entry.measures += measures(of: target, lane) }
      if let coverage = target.coverage {
        var measure = HistoryMeasure(
          "\(target.name): \(coverage.unit.rawValue) of a replay", Double(coverage.covered), .count,
          isHigherBetter: true, noise: .none)
        measure.basis = "\(coverage.total) \(coverage.unit.rawValue)"
        entry.measures.append(measure)
      }
    }
    return entry
  }

  private func measures(of target: CampaignTarget, _ lane: FuzzTarget.Lane) -> [HistoryMeasure] {
    let runs = target.runs.filter { $0.lane == lane && $0.exit.kind != .harnessError }
    var measures: [HistoryMeasure] = []
    let edges = runs.compactMap { $0.final.map { Double($0.coverage) } }
    if let median = SampleMath.median(edges) {
      var measure = HistoryMeasure(
        "\(target.name), \(lane.rawValue): edges", median, .count, isHigherBetter: true, noise: .measured)
      measure.samples = edges
      // Other counters, or another time to search, reach other edges.
      measure.basis = "\(instrumentation(of: target.name, lane)), \(seconds(runs)) s"
      measures.append(measure)
    }
    if let speed = speed(of: target, lane) {
      var measure = HistoryMeasure(
        "\(target.name), \(lane.rawValue): executions", speed.median, .perSecond, isHigherBetter: true,
        noise: .measured)
      measure.samples = target.speeds.filter { $0.lane == lane }.flatMap(\.rates)
      measure.basis = "\(provenance.system), \(provenance.processors) processors"
      measures.append(measure)
    }
    return measures
  }

  private func instrumentation(of target: String, _ lane: FuzzTarget.Lane) -> String {
    let modules = provenance.build(of: target, lane)?.modules ?? []
    return modules.map { "\($0.module) \($0.counters)" }.joined(separator: ", ")
  }

  /// The time of a run, rounded to what makes a difference.
  private func seconds(_ runs: [FuzzRun]) -> Int {
    let median = SampleMath.median(runs.map(\.wallSeconds)) ?? 0
    return Int(min(max(median, 0), 1e9) / 5) * 5
  }
}
