import CaseWorkers
import Foundation
import HostTools
import ScenarioModel
import ScenarioRunner
import Synchronization

/// Runs planned cases, in worker processes.
///
/// The simulated cases run first, one worker a core: they use the processor and nothing else. Beside them run those
/// with a network of their own, one at a time in each of several workers: most of the time they wait for timers of the
/// kernel's, and they need little of the processor. The loopback cases run after them, many at a time in each worker:
/// so many would be late beside others that never wait. Cases for which the lab itself was late run again alone after
/// all others (`LateCases`, `ClockVerdicts`), and so do those of programs that hung (`SecondLooks`), and some of a
/// program of which no process has played enough to show whether it leaves descriptors open (`LeakLook`).
package final class SuiteExecutor: Sendable {
  /// How the cases are run.
  package struct Options: Sendable {
    /// Loopback cases at the same time, over all workers.
    package var jobs: Int
    /// Which profile's alternatives apply.
    package var profile: Profile
    /// The largest oversleep measured on this host.
    package var jitter: Duration
    /// How long a case may take beyond its limit before its worker is ended.
    package var hangTimeout: Duration
    /// Whether the traces of all cases are wanted, and not only those that a page will show.
    package var keepsTraces: Bool
    /// The subjects that are programs of their own, by name: the absolute path of each.
    package var programs: [String: String]
    /// Whether the traces of some cases that go as expected are kept, for a page. An exploration has no such page.
    package var keepsExamples = true
    /// Whether cases of a program may be played again to see whether it leaves descriptors open.
    package var looksForLeaks = false
    /// Whether a case of a program that hung runs again alone when all others are over. Who counts what cases come to,
    /// or makes one smaller, wants each result as it is.
    package var repeatsHangs = false
    /// How long after a stop a worker may go on with simulated cases that it was given ahead.
    package var stopAllowance: Duration = .seconds(1)

    /// Makes the options; of subjects that are programs of their own the paths are kept.
    package init(
      jobs: Int, profile: Profile, jitter: Duration, hangTimeout: Duration = .seconds(20), keepsTraces: Bool = false,
      programs: [SubjectEntry] = []
    ) {
      self.programs = Dictionary(
        programs.map { ($0.program.name, $0.program.path) }, uniquingKeysWith: { first, _ in first })
      self.jobs = jobs
      self.profile = profile
      self.jitter = jitter
      self.hangTimeout = hangTimeout
      self.keepsTraces = keepsTraces
    }
  }

  /// More loopback cases than this in one worker would make too many suspects of one that ends.
  private static let maxPerWorker = 8
  /// Networks at the same time: their cases wait most of the time, for timers of the kernel's.
  private static let maxNetworks = 8
  /// A page has room for fewer.
  private static let maxExamples = 400

  private let scenarios: [Scenario]
  private let options: Options
  private let stop: StopFlag
  private let scratch = WorkerScratch()
  private let start: WorkerStart
  private let falseAlarmCount = Mutex(0)
  private let cutShort = Mutex(false)
  private let ended = Mutex<[String: SubjectExit]>([:])
  private let repeatedCount = Mutex((late: 0, hung: 0))
  private let clock: ClockVerdicts
  private let leaks = LeakLook()

  /// The largest oversleep measured on this host.
  package var jitter: Duration { options.jitter }

  /// How often the cases of a worker were run again because it seemed to hold too much, and did not: each time costs
  /// as much as they did, twice.
  package var falseAlarms: Int { falseAlarmCount.withLock { $0 } }

  /// How many cases ran again alone, because the lab itself had been late.
  package var repeatedCases: Int { repeatedCount.withLock { $0.late } }

  /// How many cases ran again alone, because they had hung.
  package var repeatedHangs: Int { repeatedCount.withLock { $0.hung } }

  /// Whether the stop came before it was known what a worker's cases left behind, although all of them were played.
  var isCutShort: Bool { cutShort.withLock { $0 } }

  /// Programs of which it could not be seen whether they leave descriptors open: none of their processes played enough
  /// cases.
  package var leaksNotJudged: [String] { leaks.notJudged }

  /// How subjects have ended, by their names.
  package var subjectExits: [String: SubjectExit] { ended.withLock { $0 } }

  /// - Parameter stop: once it is set, the cases that are under way come to their end and no others are started.
  package convenience init(scenarios: [Scenario], options: Options, stop: StopFlag = StopFlag()) {
    self.init(scenarios: scenarios, options: options, stop: stop) { try WorkerProcess($0, environment: $1) }
  }

  /// - Parameter start: starts a worker.
  init(scenarios: [Scenario], options: Options, stop: StopFlag, start: @escaping WorkerStart) {
    self.scenarios = scenarios
    self.options = options
    self.stop = stop
    self.start = start
    clock = ClockVerdicts(jitter: options.jitter)
  }

  /// Runs the cases; `report` is called for each result, on threads of the executor's own, one at a time. Returns when
  /// all are done: results that have to be put in the place of reported ones, because of what only a whole batch shows.
  /// Throws when no worker can be had.
  package func run(_ cases: [PlannedCase], report: @escaping @Sendable (CaseResult) -> Void) throws -> [CaseResult] {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    clock.begin()
    let reporting = Mutex(())
    let looks = Mutex(SecondLooks(repeatsHangs: options.repeatsHangs))
    let ordered: @Sendable (CaseResult) -> Void = { result in
      reporting.withLock { _ in looks.withLock { $0.sift(result) }.forEach(report) }
    }
    let workers = min(max(cores, 6), (options.jobs + Self.maxPerWorker - 1) / Self.maxPerWorker)
    let width = (options.jobs + workers - 1) / workers
    let examples = examples(cases)
    let isOwnNetwork: (PlannedCase) -> Bool = { [self] in scenarios[$0.scenario].network != nil }
    let phases: [[(WorkerGroup, (PlannedCase) -> Bool)]] = [
      [
        (
          WorkerGroup(
            workers: min(options.jobs, cores), width: 1, block: CaseQueue.maxPerBlock, readsAhead: true),
          { $0.world == .simulated }
        ),
        // A network is its process's, and holds one case at a time.
        (
          WorkerGroup(workers: min(options.jobs, Self.maxNetworks), width: 1, block: 1, hasOwnNetwork: true),
          { $0.world == .loopback && isOwnNetwork($0) }
        ),
      ],
      [
        (
          WorkerGroup(workers: workers, width: width, block: max(1, width / 2)),
          { $0.world == .loopback && !isOwnNetwork($0) }
        )
      ],
    ]
    let amended = try phases.flatMap { groups in
      try run(
        groups.map { group, isFor in (group, cases.indices.filter { isFor(cases[$0]) }) }, of: cases,
        examples: examples, ordered)
    }
    let found = try amended + lookedForLeaks(cases, examples: examples)
    let (late, hung, timed) = looks.withLock { $0.takeAll() }
    // Of what rests on the clock the rest stands; a hang is looked at again in any case.
    let doubted =
      doubted(hung, of: cases) { $0 }
      + doubted(timed, of: cases) {
        report($0)
        return nil
      }
    return try found + repeated(late + doubted, standing: hung + timed, of: cases, examples: examples, report)
  }

  /// Results that rest on the clock, those of cases during which the lab itself was late as `inconclusive`.
  ///
  /// - Parameter others: what is made of a result that nothing speaks against; nil: it is not among them.
  private func doubted(
    _ results: [CaseResult], of cases: [PlannedCase], others: (CaseResult) -> CaseResult?
  ) -> [CaseResult] {
    guard !results.isEmpty else { return [] }
    let numbers = Dictionary(
      cases.indices.map { (Identity(cases[$0], scenarios), $0) }, uniquingKeysWith: { first, _ in first })
    return results.compactMap { result in
      guard let lateness = numbers[Identity(result)].flatMap(clock.lateness(during:)) else { return others(result) }
      var result = result
      let remark = "the lab itself was late by \(QuantityText.duration(lateness))"
      (result.verdict, result.reason) = (.inconclusive, result.reason.map { "\(remark): \($0)" } ?? remark)
      return result
    }
  }

  /// Plays a few cases again of each program of which no process has played enough, and returns results of those by
  /// which it leaves descriptors open.
  private func lookedForLeaks(_ cases: [PlannedCase], examples: Set<Int>) throws -> [CaseResult] {
    guard options.looksForLeaks else { return [] }
    var found: [CaseResult] = []
    for program in Set(cases.compactMap(\.variant.program)).sorted() where !stop.isSet {
      let numbers = leaks.cases(of: program)
      guard !numbers.isEmpty else { continue }
      let supervisor = supervisor(
        WorkerGroup(workers: 1, width: 1, block: 1), CaseQueue([], cases, size: 1, examples: examples), cases,
        isStopped: { [self] in stop.isSet }, { _ in })
      if let results = try supervisor.lookForLeaks(in: numbers) {
        found += results
      } else if stop.isSet {
        cutShort.withLock { $0 = true }
      } else {
        leaks.giveUp(program)
      }
    }
    return found
  }

  /// Runs cases again, one at a time, for which the lab itself was late or that hung, and reports what comes of them.
  /// `standing`: what some of them had come to, which stands where a stop leaves no time to run them.
  private func repeated(
    _ late: [CaseResult], standing: [CaseResult], of cases: [PlannedCase], examples: Set<Int>,
    _ report: @escaping @Sendable (CaseResult) -> Void
  ) throws -> [CaseResult] {
    var late = late
    var amended: [CaseResult] = []
    if !stop.isSet {
      let hangs = late.count { $0.verdict == .hang }
      repeatedCount.withLock { $0 = ($0.late + late.count - hangs, $0.hung + hangs) }
    }
    for _ in 0..<LateCases.attempts where !late.isEmpty && !stop.isSet {
      let first = Dictionary(late.map { (Identity($0), $0) }, uniquingKeysWith: { first, _ in first })
      let numbers = cases.indices.filter { first[Identity(cases[$0], scenarios)] != nil }
      let again = Mutex<[CaseResult]>([])
      for hasOwnNetwork in [false, true] {
        let group = WorkerGroup(workers: 1, width: 1, block: 1, hasOwnNetwork: hasOwnNetwork)
        let ofThem = numbers.filter { (scenarios[cases[$0].scenario].network != nil) == hasOwnNetwork }
        amended += try run([(group, ofThem)], of: cases, examples: examples) { result in
          again.withLock { $0.append(result) }
        }
      }
      let results = again.withLock { $0 }
      let isOver = results.filter { $0.verdict != .inconclusive }
      for result in isOver { report(first[Identity(result)].map { LateCases.amended(result, first: $0) } ?? result) }
      let done = Set(isOver.map(Identity.init))
      late.removeAll { done.contains(Identity($0)) }
    }
    if stop.isSet {
      let former = Dictionary(standing.map { (Identity($0), $0) }, uniquingKeysWith: { first, _ in first })
      late = late.map { former[Identity($0)] ?? $0 }
    }
    late.forEach(report)
    return amended
  }

  /// Tells the cases of a run from each other.
  private struct Identity: Hashable {
    var scenario: String
    var variant: Variant
    var world: WorldName
    var seed: UInt64

    init(_ result: CaseResult) {
      (scenario, variant, world, seed) = (result.scenario, result.variant, result.world, result.seed)
    }

    init(_ planned: PlannedCase, _ scenarios: [Scenario]) {
      scenario = scenarios[planned.scenario].id
      (variant, world, seed) = (planned.variant, planned.world, planned.seed)
    }
  }

  /// The workers that run some of the cases.
  private struct WorkerGroup {
    var workers: Int
    /// Cases at the same time in each.
    var width: Int
    /// The most cases that are handed out together.
    var block: Int
    /// Whether a worker is given more than it can begin soon. A stop comes behind what it was given.
    var readsAhead = false
    var hasOwnNetwork = false
  }

  /// Runs what the groups are to run, all of them at the same time.
  private func run(
    _ groups: [(WorkerGroup, numbers: [Int])], of cases: [PlannedCase], examples: Set<Int>,
    _ report: @escaping @Sendable (CaseResult) -> Void
  ) throws -> [CaseResult] {
    let amended = Mutex<[CaseResult]>([])
    let failure = Mutex<(any Error)?>(nil)
    let finished = DispatchGroup()
    for (group, numbers) in groups where !numbers.isEmpty {
      let queue = CaseQueue(numbers, cases, size: group.block, examples: examples)
      for number in 0..<max(1, min(group.workers, numbers.count)) {
        finished.enter()
        var own = group
        own.width = min(group.width, numbers.count)
        let thread = Thread { [self, own] in
          let supervisor = supervisor(
            own, queue, cases, isStopped: { [self] in stop.isSet || failure.withLock { $0 != nil } }, report)
          do {
            let results = try supervisor.run()
            amended.withLock { $0 += results }
          } catch { failure.withLock { $0 = error } }
          finished.leave()
        }
        thread.name = "socketlab-\(number)"
        thread.start()
      }
    }
    finished.wait()
    if let failure = failure.withLock({ $0 }) { throw failure }
    return amended.withLock { $0 }
  }

  private func supervisor(
    _ group: WorkerGroup, _ queue: CaseQueue, _ cases: [PlannedCase], isStopped: @escaping () -> Bool,
    _ report: @escaping (CaseResult) -> Void
  ) -> WorkerSupervisor {
    WorkerSupervisor(
      scenarios: scenarios, cases: cases, queue: queue, options: options, width: group.width,
      readsAhead: group.readsAhead, hasOwnNetwork: group.hasOwnNetwork,
      start: { [self] in
        let worker = try start($0, scratch.environment)
        return SubjectExitListener(worker, hasSubjects: !$0.programs.isEmpty) { [self] exits in
          ended.withLock { $0.merge(exits, uniquingKeysWith: +) }
        }
      }, isStopped: isStopped,
      watch: .init(
        onReading: { [self] batch, reading in leaks.note(batch.compactMap { cases[$0].variant.program }, reading) },
        onCase: { [self] result, number, span, lateness in
          clock.note(number, isOfProgram: result.variant.program != nil, span, lateness: lateness)
          leaks.note(result, number)
        }),
      onFalseAlarm: { [self] _ in
        // The runs that would have told were not made.
        if stop.isSet { cutShort.withLock { $0 = true } } else { falseAlarmCount.withLock { $0 += 1 } }
      },
      report: report)
  }

  /// What one case is an example of.
  private struct Example: Hashable {
    var scenario: Int
    var program: String?
  }

  /// Cases whose traces are kept even if they go as expected: of each scenario the one that the page shows, which is
  /// the first over loopback if there is one; and of each program's the one that is compared with it.
  private func examples(_ cases: [PlannedCase]) -> Set<Int> {
    if options.keepsTraces { return Set(cases.indices) }
    guard options.keepsExamples else { return [] }
    var order: [Example] = []
    var first: [Example: Int] = [:]
    for (number, planned) in cases.enumerated() {
      let example = Example(scenario: planned.scenario, program: planned.variant.program)
      guard let known = first[example] else {
        guard order.count < Self.maxExamples else { continue }
        order.append(example)
        first[example] = number
        continue
      }
      if cases[known].world != .loopback, planned.world == .loopback { first[example] = number }
    }
    return Set(first.values)
  }
}
