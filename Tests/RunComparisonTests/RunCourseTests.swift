import RunReports
import ScenarioModel
import Testing

@testable import RunComparison

/// What a case did in all seeds and rounds of a run, and what of that is compared.
@Suite struct RunCourseTests {
  private static func run(
    _ cases: [CaseResult], seeds: Int = 1, rounds: Int = 1
  ) throws -> ComparedRun {
    try SampleRuns.read(SampleRuns.report(cases, seeds: seeds, rounds: rounds))
  }

  private static func course(_ cases: [CaseResult], seeds: Int = 1, rounds: Int = 1) throws -> Course {
    try #require(Course.all(try run(cases, seeds: seeds, rounds: rounds)).values.first)
  }

  private static func known(seed: UInt64 = 1) -> CaseResult {
    var known = SampleRuns.result("a/b", .failed, seed: seed)
    known.known = KnownDeviation(
      reason: "r", evidence: "late", expires: "2027-01-31", path: "p", position: SourcePosition(line: 1, column: 1))
    return known
  }

  private static func voided(_ own: Verdict = .passed) -> CaseResult {
    var voided = SampleRuns.result("a/b", .error)
    voided.voided = VoidedCase(control: "control/echo", controlVerdict: .failed, verdict: own)
    return voided
  }

  private static func kinds(_ old: [CaseResult], _ new: [CaseResult], rounds: Int = 1) throws -> [CaseChange.Kind] {
    let witness = SampleRuns.result("z/witness")
    return try RunComparison(
      old: run(old + [witness], rounds: rounds), new: run(new + [witness], rounds: rounds)
    ).changes.map(\.kind)
  }

  /// However often a case went well, one failure is one.
  @Test func oneFailureAmongManyRoundsIsAFailure() throws {
    let cases = [SampleRuns.result("a/b"), SampleRuns.result("a/b", .failed), SampleRuns.result("a/b")]
    let course = try Self.course(cases, rounds: 3)
    #expect(!course.isAsExpected && course.example.verdict == .failed)
    #expect(course.rate == FailureRate(failures: 1, runs: 3))
    #expect(try Self.kinds([SampleRuns.result("a/b")], cases, rounds: 3) == [.newFailure])
  }

  /// Seeds make cases in simulated time only.
  @Test func overTheKernelOnlyRoundsAreCounted() throws {
    for (world, seeds, rounds, runs) in [
      (.loopback, 50, 1, nil), (.loopback, 50, 4, 4), (.simulated, 50, 1, 50), (.simulated, 50, 4, 200),
    ] as [(WorldName, Int, Int, Int?)] {
      let course = try Self.course([SampleRuns.result("a/b", .failed, world: world)], seeds: seeds, rounds: rounds)
      #expect(course.rate == runs.map { FailureRate(failures: 1, runs: $0) }, "\(world), \(seeds), \(rounds)")
    }
  }

  @Test func aRateIsNeverMoreThanAll() throws {
    let cases = (1...5).map { SampleRuns.result("a/b", .failed, seed: UInt64($0)) }
    #expect(try Self.course(cases, rounds: 2).rate == FailureRate(failures: 2, runs: 2))
  }

  @Test func aKnownDeviationOfALaterSeedIsOne() throws {
    let passed = SampleRuns.result("a/b")
    #expect(try Self.course([passed, Self.known(seed: 2)]).example.isKnown)
    #expect(try Self.kinds([passed], [passed, Self.known(seed: 2)]) == [.nowKnown])
    #expect(try Self.kinds([passed, Self.known(seed: 2)], [passed]) == [.fixed])
    // What fails besides is no known one.
    let both = [passed, Self.known(seed: 2), SampleRuns.result("a/b", .failed, seed: 3)]
    #expect(try !Self.course(both).isAsExpected && !Self.course(both).example.isKnown)
  }

  @Test func aControlThatIsLostIsTellingOfAFailureToo() throws {
    #expect(try Self.kinds([SampleRuns.result("a/b", .failed)], [Self.voided(.failed)]) == [.notVouchedFor])
    #expect(try Self.kinds([SampleRuns.result("a/b", .error)], [Self.voided()]) == [.notVouchedFor])
    #expect(try Self.kinds([Self.voided()], [SampleRuns.result("a/b")]) == [.fixed])
  }

  /// Neither world judged it: there is nothing that they could disagree about.
  @Test func worldsDifferWhereBothHaveJudged() throws {
    func divergences(_ loopback: Verdict, _ simulated: Verdict) throws -> Int {
      try SampleRuns.compare(
        [SampleRuns.result("a/b"), SampleRuns.result("a/b", world: .simulated)],
        [SampleRuns.result("a/b", loopback), SampleRuns.result("a/b", simulated, world: .simulated)]
      ).divergences.count
    }
    for verdict in [Verdict.skipped, .unsupported, .inconclusive, .error] {
      #expect(try divergences(verdict, .passed) == 0 && divergences(.passed, verdict) == 0, "\(verdict)")
    }
    #expect(try divergences(.failed, .passed) == 1 && divergences(.passed, .crash) == 1)
  }

  /// A record without contents' hashes says nothing of whether the scenario has changed.
  @Test func withoutAHashNoChangeOfTheScenarioIsClaimed() throws {
    var old = Baseline(try Self.run([SampleRuns.result("a/b")])).run
    for place in old.cases.indices { old.cases[place].scenarioHash = "" }
    let comparison = try RunComparison(old: old, new: Self.run([SampleRuns.result("a/b", .failed)]))
    #expect(comparison.changes.map(\.isTestChanged) == [false])
  }

  // MARK: - Times

  private static func slower(_ world: WorldName, by factor: Int, from milliseconds: Int) throws -> [String] {
    func cases(_ last: Int) -> [CaseResult] {
      (0..<12).map {
        SampleRuns.result("a/\($0)", world: world, milliseconds: $0 == 11 ? last : milliseconds)
      }
    }
    return try SampleRuns.compare(cases(milliseconds), cases(milliseconds * factor)).drifts.map(\.scenario)
  }

  /// In simulated time a case takes what the machine gives it, and of a few milliseconds nobody speaks.
  @Test func driftsAreThoseOfLongCasesOverTheKernel() throws {
    #expect(try Self.slower(.loopback, by: 3, from: 100) == ["a/11"])
    #expect(try Self.slower(.loopback, by: 3, from: 10) == [])
    #expect(try Self.slower(.simulated, by: 3, from: 100) == [])
  }

  // MARK: - Words

  /// Signs that have a meaning in an annotation stand for themselves in its texts.
  @Test func annotationsKeepTheSignsOfTheirTexts() throws {
    var cases = [SampleRuns.result("a/b", .failed, saw: "100% of a, b: c")]
    cases[0].title = "50%: a, b"
    let comparison = try SampleRuns.compare([SampleRuns.result("a/b")], cases)
    let line = try #require(ComparisonAnnotations.lines(comparison).first)
    #expect(line.contains("title=new failure%3A 50%25%3A a%2C b::"), "\(line)")
    #expect(line.contains("100%25 of a, b: c"), "\(line)")
  }

  @Test func anInterruptedRunIsToldOf() throws {
    for count in [0, 1, 2] {
      var report = SampleRuns.report([SampleRuns.result("a/b")])
      report.casesNotJudged = count
      let comparison = try RunComparison(old: Self.run([SampleRuns.result("a/b")]), new: SampleRuns.read(report))
      let words = "The new run was interrupted: \(count) planned case\(count == 1 ? "" : "s") not judged."
      #expect(comparison.notes == (count == 0 ? [] : [words]))
    }
  }
}
