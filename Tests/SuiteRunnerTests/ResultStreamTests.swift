import RunReports
import ScenarioModel
import ScenarioRunner
import TerminalText
import Testing

@testable import SuiteRunner

/// What is told while cases run: once, as soon as it is known in how many variants, and never lost.
@Suite struct ResultStreamTests {
  private static let cuts: [Variant.Cut] = [.whole, .bytes, .random]

  private static func scenario(_ id: String, control: String? = nil) -> Scenario {
    var scenario = Scenario(id: id, title: id)
    scenario.matrix = Matrix(families: [.ipv4], segmentations: [.whole, .bytes, .random])
    scenario.control = control
    return scenario
  }

  private static let suite = [
    scenario("control/a"), scenario("control/b", control: "control/a"), scenario("read/a", control: "control/a"),
    scenario("read/b", control: "control/b"), scenario("write/free"),
  ]

  private static let plan = SuitePlan(suite, selection: SuiteSelection(), worlds: [.simulated], seeds: [1, 2]).cases

  /// Every case of the scenario, in its plan's order; those of the cuts named fail.
  private static func results(
    _ id: String, failing: Set<Variant.Cut> = [], actual: (CaseResult) -> String = { _ in "a" }
  ) -> [CaseResult] {
    plan.filter { suite[$0.scenario].id == id }.map { planned in
      var result = CaseResult(
        scenario: suite[planned.scenario], variant: planned.variant, world: planned.world, seed: planned.seed)
      result.verdict = failing.contains(planned.variant.cut) ? .failed : .passed
      if result.verdict == .failed {
        result.deviations = [Deviation(kind: .missing, expected: "e", actual: actual(result))]
      }
      return result
    }
  }

  private static func told(_ stream: inout ResultStream, _ results: [CaseResult], at now: Duration = .zero) -> [[Int]] {
    results.map { result in stream.take(result, at: now).map(\.count) }
  }

  /// A stream that knows that the controls are well.
  private static var vouched: ResultStream {
    var stream = ResultStream(plan, scenarios: suite)
    for id in ["control/a", "control/b"] { _ = told(&stream, results(id)) }
    return stream
  }

  @Test func theLastVariantReleasesAllOfThem() {
    var stream = Self.vouched
    let told = Self.told(&stream, Self.results("write/free", failing: [.whole, .random]))
    #expect(told == [[], [], [], [], [], [4]])
    #expect(stream.finish().isEmpty)
  }

  @Test func theOrderIsThePlansWhateverTheWorkersDo() throws {
    let results = Self.results("write/free", failing: [.whole, .bytes, .random])
    for turn in 0..<6 {
      var stream = Self.vouched
      var groups: [AlikeCases] = []
      for result in results[turn...] + results[..<turn] { groups += stream.take(result, at: .zero) }
      #expect(groups.map(\.count) == [6])
      #expect(groups.first?.variants == ["ipv4", "ipv4-bytes", "ipv4-random"])
      #expect(groups.first?.seeds == [1, 2])
    }
  }

  @Test func differentDeviationsAreDifferentGroups() {
    var stream = Self.vouched
    let results = Self.results("write/free", failing: Set(Self.cuts)) { $0.variant.cut == .bytes ? "b" : "a" }
    #expect(Self.told(&stream, results).last == [4, 2])
  }

  @Test func whatHangsOnAControlWaitsForIt() {
    // The control comes later than what hangs on it, as it may with many workers.
    var good = ResultStream(Self.plan, scenarios: Self.suite)
    #expect(Self.told(&good, Self.results("read/a", failing: [.bytes])).joined().isEmpty)
    #expect(Self.told(&good, Self.results("control/a")).last == [2])
    var bad = ResultStream(Self.plan, scenarios: Self.suite)
    #expect(Self.told(&bad, Self.results("read/a", failing: [.bytes])).joined().isEmpty)
    // The control itself is told, and nothing of what it voids; nor later.
    #expect(Self.told(&bad, Self.results("control/a", failing: [.whole])).last == [2])
    #expect(Self.told(&bad, Self.results("control/b", failing: [.whole])).last == [])
    #expect(bad.finish().isEmpty)
    #expect(bad.takeRepeats().isEmpty)
  }

  @Test func nothingIsLostAtAnInterruption() {
    var stream = ResultStream(Self.plan, scenarios: Self.suite)
    let half = Self.results("write/free", failing: Set(Self.cuts)).prefix(3)
    #expect(Self.told(&stream, Array(half)).joined().isEmpty)
    #expect(Self.told(&stream, Self.results("read/a", failing: [.whole])).joined().isEmpty)
    #expect(stream.finish().map(\.count).sorted() == [2, 3])
    // Those that were under way are told as they come.
    let rest = Self.results("write/free", failing: Set(Self.cuts)) { _ in "another" }.suffix(2)
    #expect(Self.told(&stream, Array(rest)) == [[1], []])
    #expect(stream.takeRepeats().map(\.again.count) == [1])
    #expect(stream.finish().isEmpty)
  }

  @Test func controlsGoFirst() {
    var stream = ResultStream(Self.plan, scenarios: Self.suite)
    #expect(Self.told(&stream, Self.results("write/free", failing: [.whole])).joined().isEmpty)
    #expect(Array(Self.told(&stream, Self.results("control/a", failing: [.bytes, .random])).joined()) == [4])
    // The last control brings what has no control.
    #expect(Array(Self.told(&stream, Self.results("control/b")).joined()) == [2])
    var slow = ResultStream(Self.plan, scenarios: Self.suite)
    for result in Self.results("write/free", failing: [.whole]) { #expect(slow.take(result, at: .zero).isEmpty) }
    #expect(slow.take(Self.results("control/a")[0], at: ResultStream.maxHold).map(\.count) == [2])
  }

  @Test func holdEnds() {
    var stream = Self.vouched
    let results = Self.results("write/free", failing: Set(Self.cuts))
    #expect(stream.take(results[0], at: .zero).isEmpty)
    #expect(stream.take(results[1], at: ResultStream.maxHold - .nanoseconds(1)).isEmpty)
    #expect(stream.take(Self.results("control/a")[0], at: ResultStream.maxHold).map(\.count) == [2])
    // What comes after is the same: it is told at the end, with its number.
    for result in results[2...] { #expect(stream.take(result, at: ResultStream.maxHold).isEmpty) }
    let repeats = stream.takeRepeats()
    #expect(repeats.map(\.first.count) == [2] && repeats.map(\.again.count) == [4])
  }

  @Test func holdForAControlEndsLater() {
    var stream = ResultStream(Self.plan, scenarios: Self.suite)
    for result in Self.results("read/a", failing: [.whole]) { #expect(stream.take(result, at: .zero).isEmpty) }
    let good = Self.results("write/free")
    #expect(stream.take(good[0], at: ResultStream.maxHold).isEmpty)
    #expect(stream.take(good[1], at: ResultStream.maxHoldForControl).map(\.count) == [2])
  }

  @Test func furtherRoundsAreToldOnceAtTheEnd() throws {
    var stream = Self.vouched
    var told = 0
    for round in 0..<100 {
      for var result in Self.results("write/free", failing: [.whole]) {
        result.seed += UInt64(2 * round)
        told += stream.take(result, at: .zero).count
      }
    }
    #expect(told == 1)
    let entry = try #require(stream.takeRepeats().first)
    #expect(entry.again.count == 198 && entry.again.seeds.count == 198)
    let text = CaseText.describe(entry.again, after: entry.first)
    #expect(text.contains("as told above, in 198 more cases: ipv4; seeds 3, 4, 5, 6 and 194 more"), "\(text)")
    #expect(stream.takeRepeats().isEmpty)
  }

  /// Whatever order results come in, every one that is not as expected is told, counted again, or voided by a control.
  @Test func everyResultIsAccountedFor() {
    var generator = SeededNumbers(seed: 5)
    for _ in 0..<300 {
      var results = Self.suite.flatMap { scenario in
        Self.results(
          scenario.id, failing: Set(Self.cuts.filter { _ in Bool.random(using: &generator) }),
          actual: { _ in Bool.random(using: &generator) ? "a" : "b" })
      }
      results.shuffle(using: &generator)
      results = Array(results.prefix(Int.random(in: 1...results.count, using: &generator)))
      var stream = ResultStream(Self.plan, scenarios: Self.suite)
      var told = 0
      for (place, result) in results.enumerated() {
        told += stream.take(result, at: .seconds(Int64(place))).reduce(0) { $0 + $1.count }
      }
      told += stream.finish().reduce(0) { $0 + $1.count }
      told += stream.takeRepeats().reduce(0) { $0 + $1.again.count }
      let judged = SuiteVerdict.applyControls(results, scenarios: Self.suite)
      let unexpected = results.count { !$0.isAsExpected }
      let voided = zip(results, judged).count { !$0.isAsExpected && $1.voided?.controlVerdict != nil }
      #expect(told <= unexpected && told >= unexpected - voided)
    }
  }
}

/// SplitMix64.
private struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
