import CaseWorkers
import Foundation
import HostTools
import ScenarioModel
import ScenarioRunner
import Synchronization

@testable import SuiteRunner

/// What becomes of the cases of a scenario.
enum FakeCourse: Sendable {
  case passes
  case fails
  case timesOut
  /// The lab is late that many times; after that the case passes, or fails.
  case isLate(times: Int, fails: Bool)
  /// It passes, and the lab was late by 100 ms.
  case passesLate
  /// It passes with this alternative of its first `oneOf`, counted from 1.
  case takesForm(Int)
  /// Its worker ends, always or only if other cases are under way there.
  case endsWorker
  case endsWorkerInCompany
  /// It passes, and its worker ends when it is asked what it holds.
  case endsWorkerLater
  /// It passes, and its worker ends when it is asked for once more.
  case endsWorkerTheSecondTime
  /// No answer comes.
  case hangs
  /// Its worker holds a descriptor more afterwards.
  case leaks
  /// The same, but of each worker only the first time: it keeps what it needed once.
  case fillsCache
  /// The program that plays it holds three sockets more afterwards, always or only the first time.
  case leaksInProgram
  case fillsProgramsCache
  /// The program that plays it holds three files more afterwards: fewer than what some cases open first.
  case leaksFilesInProgram
  /// The program that plays it holds a file more afterwards, twelve at most.
  case fillsProgramsPool
  /// It passes the first time; after that no answer comes.
  case answersOnce
  /// The first time a call does not return, and the lab is late by so much; after that the case passes.
  case hangsOnce(lateness: Duration)
  /// A call never returns.
  case hangsInACall
}

/// Workers that play no case and say what they were told to; what they were asked is kept.
final class FakeCrew: Sendable {
  struct Record: Sendable {
    var setUps: [WorkerSetUp] = []
    /// Scenario ids of the cases, in the order in which they were asked for.
    var asked: [String] = []
    /// How often each was asked for.
    var times: [String: Int] = [:]
    /// Cases whose trace was wanted.
    var traced: [String] = []
    var endings = 0
    /// How many cases a worker had, each time that it got more.
    var given: [Int] = []
  }

  private let courses: [String: FakeCourse]
  private let record = Mutex(Record())
  /// Is called with the number of cases that were asked for so far.
  private let onCase: @Sendable (Int) -> Void

  init(_ courses: [String: FakeCourse] = [:], onCase: @escaping @Sendable (Int) -> Void = { _ in }) {
    self.courses = courses
    self.onCase = onCase
  }

  var seen: Record { record.withLock { $0 } }

  var start: WorkerStart {
    { [self] setUp, _ in
      record.withLock { $0.setUps.append(setUp) }
      return FakeWorker(self, width: setUp.width)
    }
  }

  fileprivate func course(of scenario: Scenario, _ item: CaseBlock.Item) -> FakeCourse {
    let count = record.withLock { record in
      record.asked.append(scenario.id)
      record.times[scenario.id, default: 0] += 1
      if item.keepsTrace { record.traced.append("\(scenario.id) \(item.world.rawValue)") }
      return record.asked.count
    }
    onCase(count)
    return courses[scenario.id] ?? .passes
  }

  fileprivate func given(_ count: Int) { record.withLock { $0.given.append(count) } }

  fileprivate func ended() { record.withLock { $0.endings += 1 } }
}

private final class FakeWorker: WorkerConnection {
  private let crew: FakeCrew
  private let width: Int
  private var news: [WorkerNews] = []
  private var leaked = 0
  private var unanswered = 0
  /// Of the program, which the first case starts: its process, and what it holds besides what it begins with.
  private var program = (process: Int32(1), sockets: 0, files: 0, isStarted: false)
  private var hasEnded = false
  private var endsLater = false
  /// Cases that wait for those that are asked for in the same breath: company.
  private var pending: [(scenario: Scenario, item: CaseBlock.Item, course: FakeCourse)] = []

  init(_ crew: FakeCrew, width: Int) {
    self.crew = crew
    self.width = width
  }

  var activity: (isRunnable: Bool, processorTime: Duration) { (false, .zero) }

  func send(_ request: WorkerRequest) {
    switch request {
    case .setUp: break
    case .measure(_, _, let keepsPrograms):
      play()
      if endsLater { return hasEnded = true }
      let descriptors = (0..<3 + leaked).map { "\($0) pipe:[\($0)]" }
      var reading = ResourceReading(descriptors: descriptors, threads: [:], memory: 0)
      let sockets = (0...program.sockets).map { "\(program.process)/\($0) socket:[\($0)]" }
      let files = (0..<program.files).map { "\(program.process)/\($0 + 900) /dev/null" }
      if program.isStarted {
        reading.programs = [
          ProgramHoldings(
            name: "mine", process: program.process, descriptors: sockets + files, early: Array(sockets.prefix(1)),
            isWarm: true)
        ]
      }
      news.append(.reply(.measured(reading)))
      if !keepsPrograms { program = (program.process + 1, 0, 0, false) }
    case .run(let block):
      pending += block.items.map { (block.scenario, $0, crew.course(of: block.scenario, $0)) }
      unanswered += block.items.count
      crew.given(unanswered)
    }
  }

  func next(before deadline: ContinuousClock.Instant) -> WorkerNews {
    play()
    guard news.isEmpty else {
      let first = news.removeFirst()
      if case .reply(.finished) = first { unanswered -= 1 }
      return first
    }
    return hasEnded ? .ended : .silence
  }

  func end(asksWhere: Bool) -> WorkerEnd {
    crew.ended()
    return WorkerEnd(code: .signalled(SIGSEGV), dump: CrashDump("Fatal error: planned\n".utf8))
  }

  private func play() {
    let company = min(width, pending.count)
    for (scenario, item, course) in pending where !hasEnded {
      var result = CaseResult(scenario: scenario, variant: item.variant, world: item.world, seed: item.seed)
      result.verdict = .passed
      var lateness: Duration = if case .passesLate = course { .milliseconds(100) } else { .zero }
      program.isStarted = true
      switch course {
      case .passes, .passesLate: break
      case .endsWorkerLater: endsLater = true
      case .takesForm(let form): result.forms = [form]
      case .fails:
        result.verdict = .failed
        result.deviations = [Deviation(kind: .late, expected: "didRead", actual: "not seen")]
      case .timesOut: result.verdict = .timeout
      case .isLate(let times, let fails):
        result.verdict = fails ? .failed : .passed
        guard crew.seen.times[scenario.id, default: 0] <= times else { break }
        result.verdict = .inconclusive
        result.reason = "the lab itself was late by 7ms"
      case .endsWorkerInCompany where company < 2: break
      case .endsWorkerTheSecondTime where crew.seen.times[scenario.id, default: 0] < 2: break
      case .endsWorker, .endsWorkerInCompany, .endsWorkerTheSecondTime:
        hasEnded = true
        continue
      case .hangs: continue
      case .leaks: leaked += 1
      case .fillsCache: leaked = 1
      case .leaksInProgram: program.sockets += 3
      case .fillsProgramsCache: program.sockets = 3
      case .leaksFilesInProgram: program.files += 3
      case .fillsProgramsPool: program.files = min(program.files + 1, 12)
      case .answersOnce where crew.seen.times[scenario.id, default: 0] < 2: break
      case .answersOnce: continue
      case .hangsOnce where crew.seen.times[scenario.id, default: 0] >= 2: break
      case .hangsOnce, .hangsInACall:
        if case .hangsOnce(let late) = course { lateness = late }
        result.verdict = .hang
        result.reason = "5 s passed"
        result.deviations = [Deviation(kind: .hang, expected: "it returns", actual: "5 s passed")]
      }
      news.append(.reply(.finished(number: item.number, CaseFindings(result, lateness: lateness))))
    }
    pending = []
  }
}

extension Scenario {
  /// One that nobody plays: an id, and what a plan asks for.
  static func named(_ id: String, worlds: Set<WorldName> = Set(WorldName.allCases)) -> Scenario {
    var scenario = Scenario(id: id, title: "t")
    scenario.worlds = worlds
    scenario.limit = .zero
    return scenario
  }
}
