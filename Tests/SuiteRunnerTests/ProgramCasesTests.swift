import CaseWorkers
import HostTools
import ScenarioModel
import ScenarioRunner
import Synchronization
import Testing

@testable import SuiteRunner

/// What is done with cases of programs when all others are over: those that rest on the clock of a lab that was late
/// are played again, and so are some of a program that has not played enough to show what it leaves open.
@Suite struct ProgramCasesTests {
  /// Plays each scenario once with a program.
  private static func play(
    _ courses: [(String, FakeCourse)], looksForLeaks: Bool = false, repeatsHangs: Bool = false,
    stop: StopFlag = StopFlag(),
    onCase: @escaping @Sendable (Int) -> Void = { _ in }
  ) throws -> PlayedCases {
    var options = SuiteExecutor.Options(jobs: 1, profile: .documented, jitter: .zero, hangTimeout: .seconds(20))
    (options.looksForLeaks, options.repeatsHangs) = (looksForLeaks, repeatsHangs)
    let variant = Variant(family: .ipv4, cut: .whole, queues: .separate, program: "mine")
    return try PlayedCases.play(courses, in: .loopback, variant, options: options, stop: stop, onCase: onCase)
  }

  @Test func aHangStandsIfTheLabWasInTime() throws {
    let played = try Self.play([("a/1", .hangsOnce(lateness: .zero)), ("a/2", .passes)])
    #expect(played.results["a/1"]?.verdict == .hang && played.results["a/1"]?.reason == "5 s passed")
    #expect(played.seen.times["a/1"] == 1)
    #expect(played.reported.sorted() == ["a/1", "a/2"])
  }

  @Test func aHangOfALabThatWasLateIsPlayedAgainAlone() throws {
    let played = try Self.play([("a/1", .hangsOnce(lateness: .seconds(5))), ("a/2", .passes)])
    #expect(played.results["a/1"]?.verdict == .passed && played.seen.times["a/1"] == 2)
    let reason = played.results["a/1"]?.reason ?? ""
    #expect(reason.hasPrefix("it ran again alone, because at first the lab itself was late by "), "\(reason)")
    #expect(reason.hasSuffix(": 5 s passed"), "\(reason)")
    #expect(played.reported.sorted() == ["a/1", "a/2"])
  }

  @Test(arguments: [false, true]) func aStopLeavesAVerdictAsItIs(repeatsHangs: Bool) throws {
    let stop = StopFlag()
    let played = try Self.play([("a/1", .hangsOnce(lateness: .seconds(5)))], repeatsHangs: repeatsHangs, stop: stop) {
      _ in stop.set()
    }
    #expect(played.results["a/1"]?.verdict == .hang && played.results["a/1"]?.reason == "5 s passed")
    #expect(played.repeated == 0 && played.repeatedHangs == 0 && played.reported == ["a/1"])
  }

  /// Whether or not another case has shown that the lab was late.
  @Test func ofARunsHangsTheSecondLookCounts() throws {
    let played = try Self.play(
      [("a/1", .hangsOnce(lateness: .zero)), ("a/2", .hangsInACall), ("a/3", .passes)], repeatsHangs: true)
    #expect(played.results["a/1"]?.verdict == .passed)
    #expect(played.results["a/1"]?.reason == "it ran again alone, because it hung at first: 5 s passed")
    #expect(played.results["a/2"]?.verdict == .hang)
    #expect(played.results["a/2"]?.reason == "5 s passed (it ran again alone, and hung again)")
    #expect(played.seen.times == ["a/1": 2, "a/2": 2, "a/3": 1])
    #expect(played.repeatedHangs == 2 && played.repeated == 0 && played.reported.sorted() == ["a/1", "a/2", "a/3"])
  }

  /// Alone it would not hang, if others are what it hangs with: what the library does in company counts.
  @Test func aHangOfTheLibraryStands() throws {
    var options = SuiteExecutor.Options(jobs: 1, profile: .documented, jitter: .zero, hangTimeout: .seconds(20))
    options.repeatsHangs = true
    let variant = Variant(family: .ipv4, cut: .whole, queues: .separate)
    let played = try PlayedCases.play(
      [("a/1", .hangsOnce(lateness: .zero))], in: .loopback, variant, options: options)
    #expect(played.results["a/1"]?.verdict == .hang && played.seen.times == ["a/1": 1])
  }

  @Test func whereTheThreadsStoodIsKept() {
    let variant = Variant(family: .ipv4, cut: .whole, queues: .separate, program: "mine")
    var first = CaseResult(scenario: .named("a/1"), variant: variant, world: .loopback, seed: 1)
    var again = first
    (first.verdict, first.backtrace, again.verdict) = (.hang, ["in read"], .passed)
    #expect(LateCases.amended(again, first: first).backtrace == ["in read"])
    (again.verdict, again.backtrace) = (.hang, ["in write"])
    #expect(LateCases.amended(again, first: first).backtrace == ["in write"])
  }

  @Test func ofOneThatAlwaysHangsNothingIsRepeated() throws {
    let courses = (0...SecondLooks.maxHangs).map { ("a/\($0)", FakeCourse.hangsInACall) }
    let played = try Self.play(courses, repeatsHangs: true)
    #expect(played.results.values.allSatisfy { $0.verdict == .hang } && played.results.count == courses.count)
    #expect(played.seen.times.values.allSatisfy { $0 == 1 } && played.repeatedHangs == 0)
  }

  @Test func moreThanAFewAreNotKeptBack() throws {
    let courses = (0...ClockVerdicts.capacity).map { ("a/\($0)", FakeCourse.hangsOnce(lateness: .seconds(5))) }
    let played = try Self.play(courses)
    #expect(played.results.values.allSatisfy { $0.verdict == .hang } && played.results.count == courses.count)
    #expect(played.seen.times.values.allSatisfy { $0 == 1 })
  }

  /// Three files a case are nothing for one that has played three cases.
  @Test func aProgramOfFewCasesIsLookedAtMoreClosely() throws {
    let courses: [(String, FakeCourse)] = [("a/1", .passes), ("a/2", .leaksFilesInProgram), ("a/3", .passes)]
    let played = try Self.play(courses, looksForLeaks: true)
    #expect(played.amended.map(\.scenario) == ["a/2"] && played.amended.first?.verdict == .failed)
    #expect(played.amended.first?.deviations.map(\.kind) == [.resource])
    #expect(played.amended.first?.deviations.first?.actual.hasPrefix("mine 3 more: ") == true)
    #expect(try Self.play(courses).amended.isEmpty)
  }

  @Test func whatLeavesNothingOpenIsPlayedAFewTimesMore() throws {
    let few = try Self.play((0..<3).map { ("a/\($0)", .passes) }, looksForLeaks: true)
    #expect(few.amended.isEmpty && few.notJudged.isEmpty)
    #expect(few.seen.asked.count == 3 + 6 + 3, "six to warm it, and three to be measured")
    let many = try Self.play((0..<LeakLook.enough).map { ("a/\($0)", .passes) }, looksForLeaks: true)
    #expect(many.seen.asked.count == LeakLook.enough)
  }

  /// One that opens a file more for each case, as many as it may have for good, leaks none of them.
  @Test func aPoolThatFillsSlowlyIsNoLeak() throws {
    let played = try Self.play([("a/1", .fillsProgramsPool)], looksForLeaks: true)
    #expect(played.amended.isEmpty && played.notJudged.isEmpty)
    #expect(played.seen.asked.count > 1 + 6 + 1, "it was looked at until nothing came to it any more")
  }

  @Test func aLookThatComesToNoEndJudgesNothing() throws {
    let played = try Self.play([("a/1", .answersOnce)], looksForLeaks: true)
    #expect(played.amended.isEmpty && played.notJudged == ["mine"])
  }

  @Test func whereNothingWentWellItIsToldThatLeaksWereNotJudged() throws {
    let played = try Self.play([("a/1", .fails)], looksForLeaks: true)
    #expect(played.notJudged == ["mine"] && played.seen.asked == ["a/1"])
  }

  /// A worker that was asked what it holds while it keeps its programs has not told how these end.
  @Test(arguments: [(true, 3), (false, 2)]) func aWorkerThatIsGivenUpEndsItsSubjects(keeps: Bool, asked: Int) {
    let worker = Measured()
    var listener: SubjectExitListener? = SubjectExitListener(worker, hasSubjects: true) { _ in }
    listener?.send(.run(CaseBlock(scenario: .named("a/1"), items: [])))
    listener?.send(.measure(baseline: nil, settleTimeout: .zero, keepsPrograms: keeps))
    listener = nil
    #expect(worker.asked == asked && worker.keepsPrograms == false)
  }

  /// A worker that answers every question with the same.
  private final class Measured: WorkerConnection {
    var asked = 0
    var keepsPrograms: Bool?
    var activity: (isRunnable: Bool, processorTime: Duration) { (false, .zero) }

    func send(_ request: WorkerRequest) {
      asked += 1
      if case .measure(_, _, let keeps) = request { keepsPrograms = keeps }
    }

    func next(before deadline: ContinuousClock.Instant) -> WorkerNews {
      .reply(.measured(ResourceReading(descriptors: [], threads: [:], memory: 0)))
    }

    func end(asksWhere: Bool) -> WorkerEnd { WorkerEnd(code: .unknown, dump: CrashDump([])) }
  }

  @Test func theLabsLatenessIsThatOfCasesThatWereUnderWayAtTheSameTime() {
    let clock = ClockVerdicts(jitter: .zero)
    let start = ContinuousClock.now
    func span(_ from: Int, _ to: Int) -> ClockVerdicts.Span { start + .seconds(from)...start + .seconds(to) }
    clock.note(1, isOfProgram: true, span(0, 5), lateness: .zero)
    clock.note(2, isOfProgram: true, span(7, 9), lateness: .zero)
    clock.note(3, isOfProgram: false, span(4, 6), lateness: .seconds(4))
    clock.note(4, isOfProgram: false, span(8, 9), lateness: .milliseconds(200))
    #expect(clock.lateness(during: 1) == .seconds(4))
    #expect(clock.lateness(during: 2) == nil && clock.lateness(during: 3) == nil)
    clock.begin()
    #expect(clock.lateness(during: 1) == nil)
  }
}
