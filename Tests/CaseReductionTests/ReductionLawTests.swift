import CaseReduction
import ScenarioModel
import ScenarioYAML
import Testing

/// What a reduction accepts and what it does not, with subjects that are made up for the one question.
@Suite struct ReductionLawTests {
  private static func scenario(_ text: String) throws -> Scenario {
    let result = ScenarioReader.read(text, id: "test")
    return try #require(result.scenario, "\(result.diagnostics)")
  }

  private static func reads(_ count: Int, expecting more: [String] = []) throws -> Scenario {
    let tags = (1...count).map(String.init)
    return try scenario(
      """
      title: reads
      requirements: [RD-LEN-01]
      peer: [accept, \(tags.map { _ in "send: \"abcdefgh\"" }.joined(separator: ", "))]
      subject: [connect, \(tags.map { "read: { length: 8B, tag: \($0) }" }.joined(separator: ", "))]
      expect: [didConnect, \((tags.map { "didRead: { tag: \($0) }" } + more).joined(separator: ", "))]

      """)
  }

  private static func result(_ trial: ReductionTrial, _ shown: [Deviation], _ verdict: Verdict = .failed) -> CaseResult
  {
    var result = CaseResult(scenario: trial.scenario, variant: trial.variant, world: .simulated, seed: trial.seed)
    (result.verdict, result.deviations) = (shown.isEmpty ? .passed : verdict, shown)
    return result
  }

  /// `didConnect` is the expectation that each case here breaks, so that it may not go.
  private static func missing(_ trial: ReductionTrial, _ what: String = "didConnect") -> [Deviation] {
    guard let first = trial.scenario.expectations.first else { return [] }
    return [Deviation(kind: .missing, expected: what, actual: "not seen", position: first.position)]
  }

  private static func reduced(
    _ scenario: Scenario, variant: Variant? = nil, in world: WorldName = .simulated,
    _ subject: @escaping (ReductionTrial) -> [Deviation]
  ) throws -> ReductionTrial {
    let variant = try variant ?? #require(scenario.variants.first)
    let trial = ReductionTrial(scenario: scenario, variant: variant, seed: 3)
    let reducer = try CaseReducer(trial, in: world, .init(probe: { $0.map { result($0, subject($0)) } }))
    try reducer.reduce()
    return reducer.best
  }

  private static let broken = Deviation(kind: .invariant, expected: "order", actual: "disorder", requirement: "INV-03")

  // MARK: What counts as the same

  @Test("nothing smaller is taken that shows the finding and something new besides") func somethingNew() throws {
    let scenario = try Self.reads(3)
    let best = try Self.reduced(scenario) { trial in
      Self.missing(trial) + (trial.size.steps == ReductionTrial.size(of: scenario) ? [] : Self.missing(trial, "late"))
    }
    #expect(best.size.steps == ReductionTrial.size(of: scenario))
  }

  @Test("nor anything that shows first what was shown second") func anotherFirst() throws {
    let scenario = try Self.reads(3)
    let best = try Self.reduced(scenario) { trial in
      let both = Self.missing(trial) + Self.missing(trial, "late")
      return trial.size.steps == ReductionTrial.size(of: scenario) ? both : Array(both.dropFirst())
    }
    #expect(best.size.steps == ReductionTrial.size(of: scenario))
  }

  @Test("what another run showed with another finding is new") func otherRuns() throws {
    let scenario = try Self.reads(3)
    var runs = 0
    let best = try Self.reduced(scenario, in: .loopback) { trial in
      runs += 1
      guard runs > 1 else { return Self.missing(trial) }
      return runs > 3 ? Self.missing(trial) + Self.missing(trial, "late") : Self.missing(trial, "late")
    }
    #expect(best.size.steps == ReductionTrial.size(of: scenario))
  }

  @Test("a schedule is drawn with other seeds, too") func seeds() throws {
    let scenario = try Self.reads(3)
    let best = try Self.reduced(scenario) { trial in
      let isWhole = trial.size.steps == ReductionTrial.size(of: scenario)
      return trial.scenario.schedule == nil && (trial.seed == 5 || isWhole) ? Self.missing(trial) : []
    }
    #expect(best.seed == 5 && best.size.steps < 4)
  }

  // MARK: How far it goes

  @Test("what can go only once something else is shorter goes") func again() throws {
    let scenario = try Self.reads(3)
    let best = try Self.reduced(scenario) { trial in
      trial.size.bytes < 10 || trial.size.steps == ReductionTrial.size(of: scenario) ? Self.missing(trial) : []
    }
    #expect(best.size.steps <= 2, "\(ScenarioWriter.yaml(best.scenario))")
  }

  @Test("of a payload no byte stays that may go", arguments: 1...8) func bytes(least: Int) throws {
    let best = try Self.reduced(try Self.reads(1)) { trial in trial.size.bytes >= least ? Self.missing(trial) : [] }
    #expect(best.size.bytes == least)
  }

  @Test("each dimension of the matrix goes back to its simplest value") func dimensions() throws {
    let matrices = [
      "{ subject: [gcd, run-loop], family: [ipv4, ipv6], segmentation: [whole, bytes], security: [plain, tls1.3] }",
      "{ family: [ipv4, ipv6], queues: [separate, own], speed: [all, plain], segmentation: [whole, random] }",
    ]
    for matrix in matrices {
      var scenario = try Self.reads(1)
      scenario.matrix = try Self.scenario(
        "title: t\nrequirements: [INV-01]\nmatrix: \(matrix)\npeer: [accept]\nsubject: [connect]\n"
      ).matrix
      for variant in scenario.variants {
        let best = try Self.reduced(scenario, variant: variant) { Self.missing($0) }
        #expect(best.variant.name == "ipv4", "\(variant.name)")
        // Alone, it is of the class that it fails with.
        #expect(best.scenario.variants == [best.variant], "\(variant.name)")
      }
    }
  }

  @Test("a random cut stays one where it takes one") func randomCut() throws {
    var scenario = try Self.reads(1)
    scenario.matrix.segmentations = [.whole, .random]
    let variant = try #require(scenario.variants.first { $0.cut != .whole })
    let best = try Self.reduced(scenario, variant: variant) { trial in
      trial.variant.cut == variant.cut ? Self.missing(trial) : []
    }
    #expect(best.variant.cut == variant.cut && best.scenario.matrix.segmentations == [.random])
  }

  @Test("a broken law takes everything with it, and no case that can't be read is tried") func everything() throws {
    let scenario = try Self.scenario(
      """
      title: two ends
      requirements: [ACC-01]
      peer: [connect: socket, send: "ab"]
      subject: [listen, after: didAccept, wait: 5ms]
      reactions:
        - { when: socket.didAccept, do: [child.read: { length: 2B, tag: 1 }, child.write: { bytes: "x", tag: 2 }] }
      expect: [didAccept, child.didRead: { tag: 1 }]

      """)
    var unreadable = 0
    let best = try Self.reduced(scenario) { trial in
      let text = ScenarioWriter.yaml(trial.scenario)
      if ScenarioReader.read(text, id: "test").scenario == nil { unreadable += 1 }
      return trial.scenario.reactions.isEmpty ? [] : [Self.broken]
    }
    #expect(unreadable == 0)
    #expect(best.scenario.expectations.isEmpty)
    // What is answered need not come, once nobody expects anything.
    #expect(best.scenario.reactions.count == 1 && best.scenario.reactions.allSatisfy(\.isOptional))
  }

  @Test("of several checks the one is left that fails, and no wait that was waited before") func checks() throws {
    var scenario = try Self.scenario(
      """
      title: checks
      requirements: [LIFE-01]
      tags: [long]
      peer: [accept]
      subject:
        - connect
        - after: didConnect
        - after: didConnect
        - check: { isConnected: true }
        - check: { isDisconnected: true }
      expect: [didConnect]

      """)
    scenario.control = "a/control"
    let positions = scenario.subjects[0].steps.compactMap { step -> SourcePosition? in
      if case .check(let checks, _) = step.step { checks.first?.position } else { nil }
    }
    let failing = try #require(positions.last)
    let best = try Self.reduced(scenario) { trial in
      let isThere = trial.scenario.subjects[0].steps.contains { step in
        if case .check(let checks, _) = step.step { checks.contains { $0.position == failing } } else { false }
      }
      return isThere ? [Deviation(kind: .check, expected: "true", actual: "false", position: failing)] : []
    }
    let left = best.scenario.subjects[0].steps
    #expect(left.count { if case .check = $0.step { true } else { false } } == 1)
    #expect(left.count { if case .after = $0.step { true } else { false } } <= 1)
    #expect(best.scenario.tags.isEmpty && best.scenario.control == nil)
  }

  /// The same case passes under a quiet schedule: what is left must pass there, too.
  @Test("where another schedule passes, single steps go only if it still does") func oracle() throws {
    func isWhole(_ trial: ReductionTrial) -> Bool {
      let reads = trial.scenario.subjects[0].steps.count { step in
        if case .command(.read, _, _) = step.step { true } else { false }
      }
      return trial.scenario.expectations.count == reads + 1
    }
    let best = try Self.reduced(try Self.reads(4)) { trial in
      let isQuiet = trial.scenario.schedule?.draws?.isEmpty == true
      return isQuiet && isWhole(trial) ? [] : Self.missing(trial)
    }
    #expect(isWhole(best), "\(ScenarioWriter.yaml(best.scenario))")
  }

  @Test("once it is stopped, nothing more is played") func stopped() throws {
    let scenario = try Self.reads(3)
    var (played, isStopped) = (0, false)
    let trial = ReductionTrial(scenario: scenario, variant: scenario.variants[0], seed: 1)
    let reducer = try CaseReducer(
      trial, in: .loopback,
      .init(
        probe: { trials in
          played += trials.count
          return trials.map { Self.result($0, Self.missing($0)) }
        }, isStopped: { isStopped }))
    (played, isStopped) = (0, true)
    try reducer.reduce()
    #expect(played == 0 && reducer.best == trial)
  }

  // MARK: How large it is

  @Test("all that happens counts: repeated steps, and what is done in callbacks") func sizes() throws {
    let scenario = try Self.scenario(
      """
      title: sizes
      requirements: [RD-LEN-01]
      peer: [accept, repeat: { times: 3, steps: [send: "ab"] }]
      subject: [connect, read: { length: 6B, tag: 1 }]
      reactions: [{ when: didRead, do: [write: { bytes: "xyz", tag: 2 }] }]
      expect: [didConnect, didRead: { tag: 1 }]

      """)
    var trial = ReductionTrial(scenario: scenario, variant: scenario.variants[0], seed: 1)
    #expect(trial.size.text == "7 steps, 2 expectations, 9 bytes")
    trial.scenario.schedule = .quiet
    #expect(trial.size.text == "7 steps, 2 expectations, 9 bytes, a quiet schedule")
    trial.scenario.schedule = Schedule(seed: 1, draws: [.init(stream: "delivery.0", number: 3)])
    #expect(trial.size.text == "7 steps, 2 expectations, 9 bytes, 1 draw")
  }
}

extension ReductionTrial {
  fileprivate static func size(of scenario: Scenario) -> Int {
    ReductionTrial(scenario: scenario, variant: scenario.variants[0], seed: 1).size.steps
  }
}
