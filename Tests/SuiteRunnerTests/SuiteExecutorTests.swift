import CaseWorkers
import HostTools
import ScenarioModel
import ScenarioRunner
import Synchronization
import Testing

@testable import SuiteRunner

/// What becomes of cases, whatever their workers do. The workers are played: no process is started.
@Suite struct SuiteExecutorTests {
  private static let variant = Variant(family: .ipv4, cut: .whole, queues: .separate)

  /// Plays each scenario once in the world.
  private func play(
    _ courses: [(String, FakeCourse)], in world: WorldName, jobs: Int = 1, hangTimeout: Duration = .zero,
    stop: StopFlag = StopFlag()
  ) throws -> PlayedCases {
    try PlayedCases.play(
      courses, in: world, Self.variant,
      options: .init(jobs: jobs, profile: .documented, jitter: .zero, hangTimeout: hangTimeout), stop: stop)
  }

  @Test(arguments: WorldName.allCases) func everyCaseIsReportedOnce(world: WorldName) throws {
    let courses = (0..<40).map { ("a/\($0)", $0 % 7 == 0 ? FakeCourse.fails : .passes) }
    let played = try play(courses, in: world, jobs: 8)
    #expect(played.reported.sorted() == courses.map(\.0).sorted())
    for (id, course) in courses {
      if case .fails = course { #expect(played.verdict(id) == .failed) } else { #expect(played.verdict(id) == .passed) }
    }
    #expect(played.amended.isEmpty)
    #expect(played.seen.setUps.allSatisfy { world == .simulated ? $0.width == 1 : $0.width > 1 })
  }

  @Test func aCaseThatEndsItsWorkerIsACrashAndTheOthersGoOn() throws {
    let played = try play([("a/1", .passes), ("a/2", .endsWorker), ("a/3", .passes), ("a/4", .fails)], in: .simulated)
    #expect(played.verdict("a/2") == .crash)
    #expect(played.results["a/2"]?.reason == "the process that ran it ended: SIGSEGV (Fatal error: planned)")
    #expect(played.results["a/2"]?.deviations.map(\.kind) == [.crash])
    #expect(played.results["a/2"]?.backtrace == ["Fatal error: planned"])
    #expect(played.verdict("a/1") == .passed && played.verdict("a/3") == .passed && played.verdict("a/4") == .failed)
    #expect(played.seen.setUps.count == 2, "another worker takes over")
  }

  @Test func ofCasesSideBySideTheOneThatEndsTheWorkerIsFoundByRunningEachAlone() throws {
    let courses: [(String, FakeCourse)] = [("a/1", .passes), ("a/2", .endsWorker), ("a/3", .fails)]
    let played = try play(courses, in: .loopback, jobs: 3, hangTimeout: .seconds(20))
    #expect(played.verdict("a/2") == .crash)
    #expect(played.verdict("a/1") == .passed && played.verdict("a/3") == .failed)
    #expect(Set(played.reported).count == played.reported.count)
    #expect(played.seen.setUps.contains { $0.width == 1 })
  }

  @Test func whenNoneDoesItAloneAllThatWereUnderWayAreSuspected() throws {
    let courses: [(String, FakeCourse)] = [("a/1", .endsWorkerInCompany), ("a/2", .endsWorkerInCompany)]
    let played = try play(courses, in: .loopback, jobs: 2, hangTimeout: .seconds(20))
    for id in ["a/1", "a/2"] {
      #expect(played.verdict(id) == .crash)
      #expect(played.results[id]?.reason?.contains("beside 1 other case ended") == true)
      #expect(played.results[id]?.reason?.hasSuffix("alone none of them does that again") == true)
    }
  }

  @Test func aCaseThatNeverAnswersHasHungAndTheOthersRunElsewhere() throws {
    let played = try play([("a/1", .hangs), ("a/2", .passes), ("a/3", .passes)], in: .simulated)
    #expect(played.verdict("a/1") == .hang)
    #expect(played.results["a/1"]?.reason?.contains("its worker was ended") == true)
    #expect(played.results["a/1"]?.deviations.map(\.kind) == [.hang])
    #expect(played.verdict("a/2") == .passed && played.verdict("a/3") == .passed)
    #expect(played.reported.count == 3)
  }

  @Test func aCaseThatTimedOutInCompanyIsJudgedAlone() throws {
    let played = try play(
      [("a/1", .timesOut), ("a/2", .passes)], in: .loopback, jobs: 2, hangTimeout: .seconds(20))
    #expect(played.verdict("a/1") == .timeout)
    #expect(played.seen.asked.count { $0 == "a/1" } == 2)
    #expect(played.verdict("a/2") == .passed)
    #expect(played.reported.sorted() == ["a/1", "a/2"])
  }

  @Test func casesForWhichTheLabWasLateRunAgainAloneAfterAllOthers() throws {
    let others = (0..<20).map { ("a/\($0)", FakeCourse.passes) }
    let late: [(String, FakeCourse)] = [
      ("b/once", .isLate(times: 1, fails: false)), ("b/twice", .isLate(times: 2, fails: false)),
      ("b/wrong", .isLate(times: 1, fails: true)), ("b/always", .isLate(times: 9, fails: false)),
    ]
    let played = try play(late + others, in: .loopback, jobs: 8, hangTimeout: .seconds(20))
    #expect(played.reported.count == 24 && Set(played.reported).count == 24, "each is reported once")
    #expect(played.seen.times["b/once"] == 2 && played.seen.times["b/twice"] == 3 && played.seen.times["a/1"] == 1)
    #expect(played.seen.asked.dropFirst(24).allSatisfy { $0.hasPrefix("b/") })
    #expect(played.seen.setUps.last?.width == 1)
    #expect(played.verdict("b/once") == .passed && played.verdict("b/twice") == .passed)
    #expect(
      played.results["b/twice"]?.reason == "it ran again alone, because at first the lab itself was late by 7ms")
    #expect(played.verdict("b/wrong") == .failed, "what it did when the lab was in time counts")
    #expect(played.verdict("b/always") == .inconclusive && played.seen.times["b/always"] == 3)
    #expect(played.results["b/always"]?.reason == "the lab itself was late by 7ms")
    #expect(played.repeated == 4)
  }

  @Test func whenTheLabWasLateForManyNoneRunsAgain() throws {
    let late = (0...LateCases.capacity).map { ("a/\($0)", FakeCourse.isLate(times: 1, fails: false)) }
    let played = try play(late, in: .loopback, jobs: 8, hangTimeout: .seconds(20))
    #expect(played.results.count == late.count && played.reported.count == late.count && played.repeated == 0)
    #expect(played.results.values.allSatisfy { $0.verdict == .inconclusive })
    let most = try play(late.dropLast(), in: .loopback, jobs: 8, hangTimeout: .seconds(20))
    #expect(most.results.values.allSatisfy { $0.verdict == .passed } && most.repeated == LateCases.capacity)
  }

  @Test func aRunThatIsStoppedReportsWhatWasLate() throws {
    let stop = StopFlag()
    let crew = FakeCrew(["a/1": .isLate(times: 1, fails: false)]) { _ in stop.set() }
    let executor = SuiteExecutor(
      scenarios: [.named("a/1")], options: .init(jobs: 1, profile: .documented, jitter: .zero), stop: stop,
      start: crew.start)
    let reported = Mutex<[Verdict]>([])
    let planned = PlannedCase(scenario: 0, variant: Self.variant, world: .loopback, seed: 1)
    _ = try executor.run([planned]) { result in reported.withLock { $0.append(result.verdict) } }
    #expect(reported.withLock { $0 } == [.inconclusive] && crew.seen.asked.count == 1)
    // Where they run one by one, none is begun behind the stop.
    reported.withLock { $0 = [] }
    _ = try executor.run(Array(repeating: planned, count: 10)) { result in
      reported.withLock { $0.append(result.verdict) }
    }
    #expect(reported.withLock { $0 }.isEmpty && crew.seen.asked.count == 1)
  }

  @Test func whereTheLabIsLateFewerAreUnderWay() throws {
    let played = try play(
      (0..<60).map { ("a/\($0)", .passesLate) }, in: .loopback, jobs: 8, hangTimeout: .seconds(20))
    #expect(played.seen.given.max() ?? 0 > 8 && played.seen.given.suffix(20).allSatisfy { $0 == 1 })
    #expect(played.reported.count == 60 && played.results.values.allSatisfy { $0.verdict == .passed })
    let inTime = try play((0..<60).map { ("a/\($0)", .passes) }, in: .loopback, jobs: 8, hangTimeout: .seconds(20))
    #expect(inTime.seen.given.suffix(20).allSatisfy { $0 > 8 }, "\(inTime.seen.given)")
  }

  @Test func whatACaseLeavesBehindReplacesItsResult() throws {
    let courses = (0..<12).map { ("a/\($0)", $0 == 5 ? FakeCourse.leaks : .passes) }
    let played = try play(courses, in: .simulated, hangTimeout: .seconds(20))
    #expect(played.verdict("a/5") == .passed, "it went as expected, as far as it could see itself")
    #expect(played.amended.map(\.scenario) == ["a/5"])
    #expect(played.amended.first?.verdict == .failed)
    #expect(played.amended.first?.deviations.map(\.kind) == [.resource])
    #expect(played.amended.first?.deviations.first?.expected == "no descriptor more after the case than before")
  }

  @Test func aWorkerThatEndsBehindItsCasesIsACrash() throws {
    let played = try play([("a/1", .passes), ("a/2", .endsWorkerLater)], in: .simulated, hangTimeout: .seconds(20))
    #expect(played.amended.map(\.verdict) == [.crash])
    #expect(played.amended.first?.deviations.map(\.kind) == [.crash])
    let both = try play([("a/1", .endsWorkerLater)], in: .loopback, hangTimeout: .seconds(20))
    #expect(both.amended.map(\.scenario) == ["a/1"] && both.amended.first?.verdict == .crash)
  }

  /// The first time it only kept too much: what it does then counts all the same.
  @Test func aCaseThatEndsItsWorkerWhenItRunsAgainIsACrash() throws {
    let played = try play(
      [("a/1", .passes), ("a/2", .fillsCache), ("a/3", .endsWorkerTheSecondTime), ("a/4", .passes)], in: .simulated,
      hangTimeout: .seconds(20))
    #expect(played.reported.sorted() == ["a/1", "a/2", "a/3", "a/4"] && played.verdict("a/3") == .passed)
    #expect(played.amended.map(\.scenario) == ["a/3"] && played.amended.first?.verdict == .crash)
    #expect(played.falseAlarms == 0)
  }

  @Test func whatAWorkerKeepsOnceIsNoLeakButCostsTheCasesAgain() throws {
    let courses = (0..<12).map { ("a/\($0)", $0 == 5 ? FakeCourse.fillsCache : .passes) }
    let played = try play(courses, in: .simulated, hangTimeout: .seconds(20))
    #expect(played.amended.isEmpty && played.falseAlarms == 1)
    #expect(played.seen.asked.count == 36, "to see it, to fill the cache of another worker, and to look again")
    #expect(try play([("a/1", .passes)], in: .simulated).falseAlarms == 0)
  }

  @Test func whatAProgramLeavesOpenIsTheCasesThatMadeItDoSo() throws {
    let courses = (0..<12).map { ("a/\($0)", $0 == 5 ? FakeCourse.leaksInProgram : .passes) }
    let played = try play(courses, in: .loopback, hangTimeout: .seconds(20))
    #expect(played.verdict("a/5") == .passed)
    #expect(played.amended.map(\.scenario) == ["a/5"] && played.amended.first?.verdict == .failed)
    let deviation = try #require(played.amended.first?.deviations.first)
    #expect(deviation.kind == .resource)
    #expect(deviation.expected == "no descriptor more in the subject's process after the case than before")
    #expect(deviation.actual.hasPrefix("mine 3 more: "), "\(deviation.actual)")
  }

  @Test func whatAProgramKeepsOnceIsNoLeak() throws {
    let courses = (0..<12).map { ("a/\($0)", $0 == 5 ? FakeCourse.fillsProgramsCache : .passes) }
    let played = try play(courses, in: .loopback, hangTimeout: .seconds(20))
    #expect(played.amended.isEmpty && played.falseAlarms == 1)
  }

  /// A network is its process's: one case at a time, and none of others beside it.
  @Test func casesWithANetworkHaveAWorkerForThemselves() throws {
    var scenarios = [Scenario.named("a/1"), .named("a/2"), .named("a/3")]
    scenarios[0].network = NetworkSetup()
    scenarios[2].network = NetworkSetup()
    let crew = FakeCrew()
    let executor = SuiteExecutor(
      scenarios: scenarios, options: .init(jobs: 8, profile: .documented, jitter: .zero, hangTimeout: .seconds(20)),
      stop: StopFlag(), start: crew.start)
    let cases = scenarios.indices.map {
      PlannedCase(scenario: $0, variant: Self.variant, world: .loopback, seed: 1)
    }
    let verdicts = Mutex<[String: Verdict]>([:])
    _ = try executor.run(cases) { result in verdicts.withLock { $0[result.scenario] = result.verdict } }
    #expect(verdicts.withLock { $0 } == ["a/1": .passed, "a/2": .passed, "a/3": .passed])
    let setUps = crew.seen.setUps
    #expect(setUps.contains { $0.hasOwnNetwork } && setUps.contains { !$0.hasOwnNetwork })
    #expect(setUps.allSatisfy { !$0.hasOwnNetwork || $0.width == 1 })
  }

  /// Simulated cases are given ahead, and each may take seconds.
  @Test(arguments: [(.zero, false), (.seconds(60), true)] as [(Duration, Bool)])
  func aStopWaitsForAMomentOnly(allowance: Duration, playsAll: Bool) throws {
    let stop = StopFlag()
    var options = SuiteExecutor.Options(jobs: 1, profile: .documented, jitter: .zero)
    options.stopAllowance = allowance
    let played = try PlayedCases.play(
      (0..<30).map { ("a/\($0)", .passes) }, in: .simulated, Variant(family: .ipv4, cut: .whole, queues: .separate),
      options: options, stop: stop
    ) { if $0 == 10 { stop.set() } }
    try #require(played.seen.asked.count == 10)
    #expect((playsAll ? 10...10 : 0...9).contains(played.reported.count))
  }

  @Test func aStoppedRunBeginsNothing() throws {
    let stop = StopFlag()
    stop.set()
    let played = try play([("a/1", .passes)], in: .simulated, stop: stop)
    #expect(played.reported.isEmpty && played.seen.asked.isEmpty)
  }

  @Test func aWorkerThatCanNotBeHadEndsTheRun() {
    let scenarios = [Scenario.named("a/1")]
    let executor = SuiteExecutor(
      scenarios: scenarios, options: .init(jobs: 1, profile: .documented, jitter: .zero), stop: StopFlag()
    ) { _, _ in throw LabFailure("no process left") }
    let cases = [PlannedCase(scenario: 0, variant: Self.variant, world: .simulated, seed: 1)]
    #expect(throws: LabFailure("no process left")) { try executor.run(cases) { _ in } }
  }

  @Test func theTraceOfOneCaseOfEachScenarioIsKeptOverLoopbackIfThereIsOne() throws {
    let scenarios = [Scenario.named("a/1"), .named("a/2")]
    let crew = FakeCrew()
    let executor = SuiteExecutor(
      scenarios: scenarios, options: .init(jobs: 1, profile: .documented, jitter: .zero), stop: StopFlag(),
      start: crew.start)
    let cases = [(0, WorldName.simulated), (0, .loopback), (0, .loopback), (1, .simulated), (1, .simulated)]
      .enumerated().map { PlannedCase(scenario: $1.0, variant: Self.variant, world: $1.1, seed: UInt64($0)) }
    _ = try executor.run(cases) { _ in }
    #expect(crew.seen.traced.sorted() == ["a/1 loopback", "a/2 simulated"])
  }
}

/// Cases are taken in blocks of one scenario each.
@Suite struct CaseQueueTests {
  @Test(arguments: [1, 2, 8]) func everyCaseIsTakenOnceInItsOrder(width: Int) {
    let variant = Variant(family: .ipv4, cut: .whole, queues: .separate)
    let cases = (0..<60).map { PlannedCase(scenario: $0 / 25, variant: variant, world: .simulated, seed: UInt64($0)) }
    let queue = CaseQueue(
      Array(cases.indices), cases, size: width == 1 ? CaseQueue.maxPerBlock : max(1, width / 2), examples: [])
    var taken: [Int] = []
    while let block = queue.take() {
      #expect(block.numbers.allSatisfy { cases[$0].scenario == block.scenario })
      #expect(block.numbers.count <= (width == 1 ? CaseQueue.maxPerBlock : max(1, width / 2)))
      taken += block.numbers
    }
    #expect(taken == Array(cases.indices))
    #expect(queue.take() == nil)
  }
}
