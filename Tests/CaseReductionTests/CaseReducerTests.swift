import CaseReduction
import ScenarioModel
import ScenarioRunner
import ScenarioYAML
import Simulation
import Testing

/// The search as a whole, with the simulated world and defects that are put on top of a sound subject.
@Suite struct CaseReducerTests {
  private static let exchanges = 15

  /// Sixty steps: each exchange is a line that the peer sends, its read, an answer and the peer's look at it.
  private static func scenario() throws -> Scenario {
    var peer = ["accept"]
    var calls = ["connect", "after: didConnect"]
    var reads: [String] = ["didConnect"]
    var writes: [String] = []
    for number in 0..<exchanges {
      peer += ["send: \"question \(number) of many, and long\\r\\n\"", "expect: \"answer \(number)\""]
      calls.append("read: { through: \"\\r\\n\", tag: \(number + 10) }")
      calls.append("write: { bytes: \"answer \(number)\", tag: \(number + 50) }")
      reads.append("didRead: { tag: \(number + 10), bytes: \"question \(number) of many, and long\\r\\n\" }")
      writes.append("didWrite: { tag: \(number + 50) }")
    }
    peer.append("close")
    func list(_ items: [String]) -> String { items.map { "  - \($0)\n" }.joined() }
    let text =
      "title: many exchanges\nrequirements: [RD-DELIM-04]\nmatrix: { family: [ipv4, ipv6], queues: [separate, own] }\n"
      + "peer:\n\(list(peer))subject:\n\(list(calls))expect:\n\(list(reads))  - anyOrder:\n"
      + writes.map { "      - \($0)\n" }.joined() + "  - didDisconnect: { error: Closed }\n"
    let alone = text.replacing("  - anyOrder:\n" + writes.map { "      - \($0)\n" }.joined(), with: "")
      .split(separator: "\n").filter { !$0.contains("write:") && !$0.contains("expect: \"answer") }
      .joined(separator: "\n")
    let result = ScenarioReader.read(alone, id: "test")
    return try #require(result.scenario, "\(result.diagnostics)")
  }

  private static func play(_ trial: ReductionTrial) -> CaseResult {
    var world = SimulatedWorld()
    return CaseRunner.run(
      trial.scenario, variant: trial.variant, seed: trial.seed, profile: .documented, in: &world,
      tolerance: .simulated)
  }

  /// A subject that delivers a read of that tag wrongly, if one of another tag came before.
  private static func broken(_ trial: ReductionTrial, tag: Int, after other: Int, _ kind: Deviation.Kind) -> CaseResult
  {
    var result = play(trial)
    var hasOther = false
    for (index, event) in result.trace.events.enumerated() {
      guard case .callback(let delivered) = event.kind, case .didRead(_, let seen) = delivered.callback else {
        continue
      }
      if seen == other { hasOther = true }
      guard seen == tag, hasOther, let place = result.matches[index] else { continue }
      result.verdict = .failed
      result.deviations.insert(
        Deviation(
          kind: kind, expected: "didRead { tag: \(tag) }", actual: "a byte too many", position: place,
          traceIndex: index), at: 0)
      return result
    }
    return result
  }

  private static func reducer(
    _ scenario: Scenario, stopsAfter most: Int = .max, report: @escaping (CaseReducer.Progress) -> Void = { _ in },
    _ subject: @escaping (ReductionTrial) -> CaseResult
  ) throws -> CaseReducer {
    let variant = try #require(scenario.variants.last)
    let trial = ReductionTrial(scenario: scenario, variant: variant, seed: 3)
    return try reducer(trial, stopsAfter: most, report: report, subject)
  }

  private static func reducer(
    _ trial: ReductionTrial, stopsAfter most: Int = .max, report: @escaping (CaseReducer.Progress) -> Void = { _ in },
    _ subject: @escaping (ReductionTrial) -> CaseResult
  ) throws -> CaseReducer {
    var probes = 0
    return try CaseReducer(
      trial, in: .simulated,
      .init(
        probe: { trials in
          probes += 1
          return trials.map(subject)
        }, isStopped: { probes >= most }, report: report))
  }

  @Test("whichever reads matter: the finding stays, no step grows, and there is nothing left to do", arguments: 1...12)
  func laws(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let tags = 10...Int64(9 + Self.exchanges)
    let (one, other) = (Int(random.pick(tags)), Int(random.pick(tags)))
    let kinds: [Deviation.Kind] = [.wrongContent, .unexpected, .missing, .invariant]
    let kind = kinds[Int(random.pick(0...3))]
    let subject = { (trial: ReductionTrial) in Self.broken(trial, tag: max(one, other), after: min(one, other), kind) }
    var sizes: [ReductionSize] = []
    let reducer = try Self.reducer(Self.scenario(), report: { sizes.append($0.size) }, subject)
    try reducer.reduce()
    let best = reducer.best
    sizes.append(best.size)
    #expect(FindingIdentity(subject(best)) == reducer.identity)
    for (before, after) in zip(sizes, sizes.dropFirst()) {
      #expect(after.steps <= before.steps && after.expectations <= before.expectations && after.bytes <= before.bytes)
      #expect(after.draws ?? .max <= before.draws ?? .max)
    }
    let again = try Self.reducer(best, subject)
    try again.reduce()
    #expect(again.best == best, "\(ScenarioWriter.yaml(best.scenario))\n\(ScenarioWriter.yaml(again.best.scenario))")
    // What is written as a file is what was found.
    let read = try #require(ScenarioReader.read(ScenarioWriter.yaml(best.scenario), id: best.scenario.id).scenario)
    let shown = FindingIdentity(subject(ReductionTrial(scenario: read, variant: best.variant, seed: best.seed)))
    #expect(shown?.text == reducer.identity.text)
  }

  @Test("two reads of fifteen are left, with what they need, and a sound subject passes it") func finds() throws {
    let reducer = try Self.reducer(Self.scenario()) { Self.broken($0, tag: 20, after: 13, .wrongContent) }
    let before = reducer.best.size
    try reducer.reduce()
    let best = reducer.best
    #expect(before.steps > 30)
    #expect(best.size.steps <= 6, "\(ScenarioWriter.yaml(best.scenario))")
    #expect(best.size.expectations == 3)
    #expect(best.size.bytes == 4, "\(ScenarioWriter.yaml(best.scenario))")
    #expect(best.variant.name == "ipv4")
    #expect(best.size.draws == 0)
    #expect(Self.play(best).verdict == .passed)
    #expect(Self.broken(best, tag: 20, after: 13, .wrongContent).deviations.first?.actual == "a byte too many")
  }

  @Test("another finding is never taken for the same") func anotherFinding() throws {
    // Without the other read it goes wrong in another way, which is easier to get.
    let reducer = try Self.reducer(Self.scenario()) { trial in
      let result = Self.broken(trial, tag: 20, after: 13, .wrongContent)
      return result.isAsExpected ? Self.broken(trial, tag: 20, after: 20, .unexpected) : result
    }
    try reducer.reduce()
    #expect(ScenarioWriter.yaml(reducer.best.scenario).contains("tag: 13"))
    #expect(reducer.identity.text.hasPrefix("wrongContent"))
  }

  @Test("what the peer still waits for is not taken from it") func peer() throws {
    let text = """
      title: a reply
      requirements: [DIS-23]
      peer: [connect: socket, expect: "421 busy", expectEnd: fin]
      subject: [listen]
      reactions:
        - { when: socket.didAccept, do: [child.write: { bytes: "421 busy", tag: 1 }, child.disconnect] }
      expect: [didAccept, child.didWrite: { tag: 1, optional: true }, child.didDisconnect: { error: none }]
      """
    let scenario = try #require(ScenarioReader.read(text, id: "test").scenario)
    // A subject that never writes.
    let broken = { (trial: ReductionTrial) -> CaseResult in
      var silent = trial
      for place in silent.scenario.reactions.indices {
        silent.scenario.reactions[place].steps.removeAll { step in
          if case .command(.write, _, _) = step.step { true } else { false }
        }
      }
      return Self.play(silent)
    }
    let trial = ReductionTrial(scenario: scenario, variant: try #require(scenario.variants.last), seed: 3)
    let reducer = try CaseReducer(
      trial, in: .simulated,
      .init(
        probe: { $0.map(broken) }, validate: { $0.map { Self.play($0).verdict == .passed } }, isStopped: { false },
        report: { _ in }))
    try reducer.reduce()
    #expect(reducer.identity.text.hasPrefix("peer"))
    #expect(reducer.best.size.expectations == 0)
    #expect(FindingIdentity(broken(reducer.best)) == reducer.identity)
    #expect(Self.play(reducer.best).verdict == .passed, "\(ScenarioWriter.yaml(reducer.best.scenario))")
  }

  @Test("what is interrupted keeps the best so far", arguments: [1, 2, 4, 8, 16]) func interruption(most: Int) throws {
    let reducer = try Self.reducer(Self.scenario(), stopsAfter: most) {
      Self.broken($0, tag: 20, after: 13, .wrongContent)
    }
    try reducer.reduce()
    let shown = FindingIdentity(Self.broken(reducer.best, tag: 20, after: 13, .wrongContent))
    #expect(shown == reducer.identity)
  }

  @Test("of a schedule only the draws are left that it takes") func draws() throws {
    let scenario = try Self.scenario()
    let late = try Self.late(scenario)
    let reducer = try Self.reducer(scenario, late)
    try reducer.reduce()
    let draws = try #require(reducer.best.size.draws)
    #expect((1...8).contains(draws), "\(reducer.best.size.text)")
    // It shows with every seed, because the file says all of it.
    for seed: UInt64 in 1...5 {
      var other = reducer.best
      other.seed = seed
      #expect(FindingIdentity(late(other)) == reducer.identity)
    }
  }

  @Test("what is sent gets shorter once the schedule no longer hangs on it") func contentAfterDraws() throws {
    let scenario = try Self.scenario()
    let late = try Self.late(scenario)
    var whole: Int?
    // While the schedule is drawn, other bytes draw another one, and the finding is gone.
    let reducer = try Self.reducer(scenario) { trial in
      let isTold = trial.scenario.schedule?.draws?.isEmpty == false
      let bytes = trial.size.bytes
      whole = whole ?? bytes
      return isTold || bytes == whole ? late(trial) : Self.play(trial)
    }
    let before = reducer.best.size
    try reducer.reduce()
    #expect(reducer.best.size.draws ?? 0 > 0)
    #expect(reducer.best.size.bytes < before.bytes / 2, "\(reducer.best.size.text)")
  }

  /// A subject whose last read comes too late for somebody whenever the schedule holds it up as seed 3 does.
  private static func late(_ scenario: Scenario) throws -> (ReductionTrial) -> CaseResult {
    func lastRead(_ result: CaseResult) -> (offset: Int, element: TraceEvent)? {
      result.trace.events.enumerated().filter { _, event in
        if case .callback(let delivered) = event.kind { delivered.callback.kind == .didRead } else { false }
      }.last
    }
    let drawn = ReductionTrial(scenario: scenario, variant: try #require(scenario.variants.last), seed: 3)
    var quiet = drawn
    quiet.scenario.schedule = .quiet
    let (usual, seen) = try (#require(lastRead(play(quiet))).element.at, #require(lastRead(play(drawn))).element.at)
    try #require(seen > usual)
    let limit = usual + (seen - usual) / 3
    return { trial in
      var result = play(trial)
      guard let last = lastRead(result), last.element.at > limit, let place = result.matches[last.offset] else {
        return result
      }
      result.verdict = .failed
      result.deviations = [
        Deviation(kind: .unexpected, expected: "soon", actual: "late", position: place, traceIndex: last.offset)
      ]
      return result
    }
  }

  @Test("a case that passes has nothing to make smaller") func passes() throws {
    let scenario = try Self.scenario()
    #expect(throws: CaseReducer.Refusal.passes) { try Self.reducer(scenario, Self.play) }
  }
}
