import CaseReduction
import ScenarioModel
import ScenarioYAML
import Testing

/// Reductions over the real kernel, where a finding may show now and then, and where waiting takes time.
@Suite struct LoopbackReductionTests {
  private static func trial(_ change: (inout Scenario) -> Void = { _ in }) throws -> ReductionTrial {
    let text = """
      title: one read
      requirements: [RD-LEN-01]
      limit: 10s
      peer: [accept, send: "abc"]
      subject: [connect, read: { length: 3B, tag: 1 }]
      expect: [didConnect, didRead: { tag: 1 }]
      """
    var scenario = try #require(ScenarioReader.read(text, id: "test").scenario)
    change(&scenario)
    return ReductionTrial(scenario: scenario, variant: scenario.variants[0], seed: 1)
  }

  private static func result(_ trial: ReductionTrial, _ kinds: [Deviation.Kind], _ verdict: Verdict) -> CaseResult {
    var result = CaseResult(scenario: trial.scenario, variant: trial.variant, world: .loopback, seed: trial.seed)
    result.verdict = verdict
    let position = trial.scenario.expectations.last?.position
    result.deviations = kinds.map { Deviation(kind: $0, expected: "didRead", actual: "not seen", position: position) }
    return result
  }

  private static func reducer(
    _ trial: ReductionTrial, _ probe: @escaping ([ReductionTrial]) -> [CaseResult?]
  ) throws -> CaseReducer {
    try CaseReducer(trial, in: .loopback, .init(probe: probe))
  }

  @Test func onlyTheSameFindingIsAHit() throws {
    let trial = try Self.trial()
    let shown = [
      Self.result(trial, [.missing], .failed), Self.result(trial, [.unexpected], .failed),
      Self.result(trial, [], .passed),
    ]
    let reducer = try Self.reducer(trial) { _ in shown }
    #expect(reducer.runs == 3 && reducer.hits == 1)
    #expect(throws: CaseReducer.Refusal.passes) {
      try Self.reducer(trial) { $0.map { Self.result($0, [], .passed) } }
    }
    #expect(throws: CaseReducer.Refusal.differs("inconclusive")) {
      try Self.reducer(trial) { $0.map { Self.result($0, [.missing], .inconclusive) } }
    }
  }

  /// What shows every third time is tried more than once before it is given up.
  @Test func whatShowsNowAndThenIsTriedOften() throws {
    let trial = try Self.trial()
    var played = 0
    let reducer = try Self.reducer(trial) { trials in
      trials.map { trial in
        played += 1
        return played % 3 == 1 ? Self.result(trial, [.missing], .failed) : Self.result(trial, [], .passed)
      }
    }
    var most = 0
    let counting = try CaseReducer(
      trial, in: .loopback,
      .init(probe: { trials in
        most = max(most, trials.filter { $0 == trials[0] }.count)
        return trials.enumerated().map { index, trial in
          Self.result(trial, index % 3 == 1 ? [.missing] : [], index % 3 == 1 ? .failed : .passed)
        }
      }))
    #expect(reducer.hits == 1 && counting.hits == 1)
    try counting.reduce()
    #expect(most >= 5)
  }

  /// Meanwhile its limit may be shorter, if the case still comes to rest before; the file has the scenario's own.
  @Test(arguments: [(.milliseconds(100), [1, 3]), (.seconds(2), [3]), (.seconds(4), [])] as [(Duration, Set<Int64>)])
  func theLimitIsItsOwnInTheEnd(_ settle: Duration, _ tried: Set<Int64>) throws {
    let trial = try Self.trial { $0.settle = settle }
    var limits: Set<Int64> = []
    let reducer = try Self.reducer(trial) { trials in
      limits.formUnion(trials.map(\.scenario.limit.components.seconds))
      return trials.map { Self.result($0, [.missing], .failed) }
    }
    try reducer.reduce()
    #expect(limits == tried.union([10]))
    #expect(reducer.best.scenario.limit == .seconds(10))
  }
}
