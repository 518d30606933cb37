import CaseWorkers
import Foundation
import HostTools
import ScenarioModel
import ScenarioRunner

/// Keeps one worker busy until the queue is empty, and says what became of the cases of workers that ended.
///
/// Belongs to one thread.
final class WorkerSupervisor {
  private let scenarios: [Scenario]
  private let cases: [PlannedCase]
  private let queue: CaseQueue
  private let options: SuiteExecutor.Options
  private let startWorker: (WorkerSetUp) throws -> any WorkerConnection
  private let width: Int
  private let hasOwnNetwork: Bool
  private let readsAhead: Bool
  private let isStopped: () -> Bool
  private let report: (CaseResult) -> Void
  private let onFalseAlarm: (ResourceBounds.Kind) -> Void
  private let watch: WorkerWatch
  private var process: (any WorkerConnection)?
  private var ledger: WorkerLedger<Int>
  private var pace: CasePace
  /// Cases that a worker had not begun when it ended.
  private var returned: [Int] = []
  /// What the present worker has run.
  private var batch: [Int] = []
  private var baseline: ResourceReading?
  /// Results with deviations of cases that ended while others were under way in the worker. They are reported when
  /// those have ended, too, because a socket that stops the event loop of its process stops its neighbours'.
  private var pendingResults: [(number: Int, result: CaseResult, concurrentCases: Set<Int>)] = []
  /// How often a case was run again because it had come to no end.
  private var retrials = 0
  /// The present worker gets no more cases.
  private var isRetired = false
  /// When an answer came after a stop for the first time.
  private var stoppedSince: ContinuousClock.Instant?
  /// The worker's processor time when a case of it was found late.
  private var lateSince: Duration?

  /// Who is told what a worker shows besides results.
  struct WorkerWatch {
    /// Takes the cases of a worker and what it holds after them.
    var onReading: ([Int], ResourceReading) -> Void
    /// Takes a result with its case's number, when that was under way, and how late the lab was at most.
    var onCase: (CaseResult, _ number: Int, _ span: ClockVerdicts.Span, _ lateness: Duration) -> Void
  }

  init(
    scenarios: [Scenario], cases: [PlannedCase], queue: CaseQueue, options: SuiteExecutor.Options,
    width: Int, readsAhead: Bool, hasOwnNetwork: Bool = false,
    start: @escaping (WorkerSetUp) throws -> any WorkerConnection, isStopped: @escaping () -> Bool, watch: WorkerWatch,
    onFalseAlarm: @escaping (ResourceBounds.Kind) -> Void, report: @escaping (CaseResult) -> Void
  ) {
    (self.readsAhead, self.hasOwnNetwork) = (readsAhead, hasOwnNetwork)
    self.scenarios = scenarios
    self.cases = cases
    self.queue = queue
    self.options = options
    self.width = width
    startWorker = start
    self.isStopped = isStopped
    (self.onFalseAlarm, self.watch) = (onFalseAlarm, watch)
    self.report = report
    ledger = WorkerLedger(width: width)
    pace = CasePace(most: width)
  }

  /// Runs until nothing is left. Returns results that replace reported ones.
  func run() throws -> [CaseResult] {
    // Its last words come before this returns.
    defer { process = nil }
    while true {
      try feed()
      guard !ledger.isEmpty else { break }
      try wait()
      if isOverdueAfterStop { leave(ledger.entries.map(\.work)) }
    }
    // Of a run that was stopped with its last cases nothing is left but this.
    let isWhole = queue.isEmpty && returned.isEmpty
    guard isWhole || !isStopped(), let process, let baseline else { return [] }
    return try inspector.inspect(batch, process, since: baseline)
  }

  /// Plays cases again that went well, one after the other, and returns results that show that a program holds more
  /// each time; nil: it could not be seen. Nothing else is run with this supervisor.
  func lookForLeaks(in numbers: [Int]) throws -> [CaseResult]? { try inspector.leaks(of: numbers) }

  private var inspector: ResourceInspector {
    ResourceInspector(
      start: { [self] in try start(width) }, runAll: { [self] in runAll($0, in: $1) },
      runAlone: { [self] number, worker in
        switch run(alone: number, in: worker, keepsTrace: true) {
        case .success(let result): result
        case .failure(let last): crashed(number, last.end)
        }
      }, ended: { [self] in crashed($0, $1) },
      onReading: watch.onReading, onFalseAlarm: onFalseAlarm)
  }

  // MARK: Feeding

  private func start(_ width: Int) throws -> any WorkerConnection {
    try startWorker(
      WorkerSetUp(
        profile: options.profile, jitter: options.jitter, width: width, hasOwnNetwork: hasOwnNetwork,
        programs: options.programs))
  }

  /// Gives the worker as much as it can take, and something to go on with.
  private func feed() throws {
    if isRetired {
      guard ledger.isEmpty else { return }
      leave([])
    }
    guard ledger.count < pace.limit + reserve.least else { return }
    while ledger.count < pace.limit + reserve.most, !isStopped() {
      if let number = returned.popLast() {
        try send(CaseQueue.Block(scenario: cases[number].scenario, numbers: [number]))
      } else if let block = queue.take() {
        // A block may have more cases than may be under way.
        if pace.isReduced { returned = block.numbers.reversed() } else { try send(block) }
      } else {
        return
      }
    }
  }

  /// How many cases beyond those that are under way a worker has, before and after it gets more. Simulated ones take
  /// microseconds, so they are given and answered many at a time: otherwise the two processes would mostly wake each
  /// other. Of a worker that is to have fewer cases under way than it could, none waits: it would begin at once. Nor
  /// does one where they are to run one by one: after a stop it would still run.
  private var reserve: (least: Int, most: Int) {
    if readsAhead { return (CaseQueue.maxPerBlock / 2, CaseQueue.maxPerBlock) }
    return pace.isReduced || width == 1 ? (0, 0) : (max(1, width / 2), max(1, width / 2))
  }

  /// Whether a stop has waited long enough for what the worker was given ahead: each of these cases may take seconds.
  private var isOverdueAfterStop: Bool {
    guard readsAhead, isStopped() else { return false }
    let since = stoppedSince ?? .now
    stoppedSince = since
    return since.duration(to: .now) > options.stopAllowance
  }

  private func send(_ block: CaseQueue.Block) throws {
    let worker: any WorkerConnection
    if let process {
      worker = process
    } else {
      worker = try start(width)
      process = worker
      batch = []
      baseline = nil
      worker.send(.measure(baseline: nil, settleTimeout: .zero, keepsPrograms: false))
    }
    for number in block.numbers { ledger.add(number, number, at: .now) }
    batch += block.numbers
    worker.send(.run(message(block)))
  }

  private func message(_ block: CaseQueue.Block, keepsTrace: Bool = false) -> CaseBlock {
    CaseBlock(
      scenario: scenarios[block.scenario],
      items: block.numbers.map { number in
        let planned = cases[number]
        return CaseBlock.Item(
          number: number, variant: planned.variant, world: planned.world, seed: planned.seed,
          keepsTrace: keepsTrace || queue.examples.contains(number))
      })
  }

  // MARK: Waiting

  private func allowance(_ number: Int) -> Duration {
    let scenario = scenarios[cases[number].scenario]
    // In simulated time the scenario's own limit costs next to nothing.
    return cases[number].world == .loopback ? scenario.limit + options.hangTimeout : options.hangTimeout
  }

  private func wait() throws {
    guard let process, let deadline = ledger.nextDeadline(allowing: allowance) else { return }
    switch process.next(before: lateSince == nil ? deadline : max(deadline, .now + .milliseconds(500))) {
    case .reply(.finished(let number, let findings)):
      lateSince = nil
      pace.note(lateness: findings.lateness)
      let now = ContinuousClock.now
      let since = ledger.entries.first { $0.number == number }?.since ?? now
      guard ledger.answer(number, at: now) != nil else { return }
      let result = findings.result(of: emptyResult(number))
      watch.onCase(result, number, min(since, now)...now, findings.lateness)
      try take(result, of: number)
    case .reply(.measured(let reading)): baseline = reading
    case .reply(.exits): break
    case .ended: try handleExit(process.end(asksWhere: false))
    case .silence:
      let overdue = ledger.overdue(at: .now, allowing: allowance)
      guard !overdue.isEmpty, !isMerelySlow(process) else { return }
      recordHang(overdue.map(\.work), process.end(asksWhere: true))
    }
  }

  /// Whether a late worker lacks processor time rather than hangs: on a busy machine a second may bring it a tenth of
  /// one. A sleeping worker has hung; a runnable one gets half of `hangTimeout` as processor time after it was found
  /// late.
  private func isMerelySlow(_ process: any WorkerConnection) -> Bool {
    let activity = process.activity
    guard activity.isRunnable else { return false }
    let since = lateSince ?? activity.processorTime
    lateSince = since
    return activity.processorTime - since < options.hangTimeout / 2
  }

  /// Some cases came to no end: that is their verdict. The others that were under way run again.
  private func recordHang(_ numbers: [Int], _ end: WorkerEnd) {
    let others = ledger.entries.map(\.work).filter { !numbers.contains($0) }
    let now = ContinuousClock.now
    let since = Dictionary(ledger.entries.map { ($0.work, $0.since ?? now) }, uniquingKeysWith: { first, _ in first })
    leave(others)
    for number in numbers {
      var result = emptyResult(number)
      result.markHang(end, after: allowance(number))
      watch.onCase(result, number, min(since[number] ?? now, now)...now, .zero)
      report(result)
    }
  }

  /// Forgets the present worker; the cases that it was to run go back to be run by another one.
  private func leave(_ numbers: [Int]) {
    returned += numbers.reversed()
    ledger.removeAll()
    lateSince = nil
    isRetired = false
    // Cases whose results were held back because of the ones that ended the worker run again.
    returned += pendingResults.map(\.number).reversed()
    pendingResults = []
    process = nil
  }

  /// The worker has ended. The case that ended it is found by running those that were under way again, each alone in a
  /// worker of its own, and all at the same time, because they mostly wait.
  private func handleExit(_ end: WorkerEnd) throws {
    let suspects = ledger.begun.map(\.work)
    leave(ledger.waiting.map(\.work))
    guard suspects.count > 1 else {
      for number in suspects { report(crashed(number, end)) }
      return
    }
    var results: [CaseResult] = []
    var isFound = false
    var left = suspects[...]
    while !left.isEmpty, !isStopped() {
      let trials = try left.prefix(Self.maxTrials).map { try begin(alone: $0, in: start(1)) }
      left = left.dropFirst(trials.count)
      for trial in trials {
        switch finish(trial) {
        case .success(let result): results.append(result)
        case .failure(let last):
          isFound = true
          report(crashed(trial.number, last.end))
        }
      }
    }
    for result in results { report(isFound ? result : suspected(result, among: suspects.count, end)) }
  }

  struct Ended: Error { var end: WorkerEnd }

  /// Runs cases whose results are known already, `width` at a time.
  private func runAll(_ numbers: [Int], in worker: any WorkerConnection) -> ResourceInspector.Replay {
    var left = numbers[...]
    var ledger = WorkerLedger<Int>(width: width)
    while true {
      while ledger.count < 2 * width, let number = left.popFirst() {
        ledger.add(number, number, at: .now)
        let block = CaseQueue.Block(scenario: cases[number].scenario, numbers: [number])
        worker.send(.run(message(block)))
      }
      guard let deadline = ledger.nextDeadline(allowing: allowance), !isStopped() else {
        return isStopped() ? .unfinished : .over
      }
      switch worker.next(before: deadline) {
      case .reply(.finished(let number, _)): _ = ledger.answer(number, at: .now)
      case .reply: continue
      case .silence: return .unfinished
      case .ended: return ledger.begun.first.map { .ended($0.number) } ?? .unfinished
      }
    }
  }

  /// Runs one case with nothing beside it.
  private func run(
    alone number: Int, in worker: any WorkerConnection, keepsTrace: Bool = false
  ) -> Result<CaseResult, Ended> {
    finish(begin(alone: number, in: worker, keepsTrace: keepsTrace))
  }

  /// A case that has a worker for itself.
  private struct Trial {
    var number: Int
    var worker: any WorkerConnection
    var deadline: ContinuousClock.Instant
  }

  /// Workers that run a case each at the same time.
  private static let maxTrials = 8

  private func begin(alone number: Int, in worker: any WorkerConnection, keepsTrace: Bool = false) -> Trial {
    let block = CaseQueue.Block(scenario: cases[number].scenario, numbers: [number])
    worker.send(.run(message(block, keepsTrace: keepsTrace)))
    return Trial(number: number, worker: worker, deadline: .now + allowance(number))
  }

  private func finish(_ trial: Trial) -> Result<CaseResult, Ended> {
    let worker = trial.worker
    // A worker that writes much may have been blocked while the others were read.
    let deadline = max(trial.deadline, .now + options.hangTimeout)
    while true {
      switch worker.next(before: deadline) {
      case .reply(.finished(let finished, let findings)) where finished == trial.number:
        return .success(findings.result(of: emptyResult(finished)))
      case .reply: continue
      case .ended: return .failure(Ended(end: worker.end(asksWhere: false)))
      case .silence: return .failure(Ended(end: worker.end(asksWhere: true)))
      }
    }
  }

  // MARK: Company

  /// A case ended.
  private func take(_ result: CaseResult, of number: Int) throws {
    let hasCompany = width > 1 && !ledger.isEmpty
    for index in pendingResults.indices { pendingResults[index].concurrentCases.remove(number) }
    if result.isAsExpected || !hasCompany && pendingResults.isEmpty {
      report(result)
    } else if width > 1, result.variant.program == nil, result.verdict == .timeout || result.verdict == .hang {
      try retry(number, result)
    } else {
      pendingResults.append((number, result, Set(ledger.begun.map(\.number))))
    }
    for entry in pendingResults where entry.concurrentCases.isEmpty { report(entry.result) }
    pendingResults.removeAll { $0.concurrentCases.isEmpty }
  }

  /// A case came to no end. It may have stopped all others of its worker, or may have been stopped by one of them: it
  /// is run again alone, and so are they, with each other. After a few such cases, so that a subject with which nothing
  /// comes to an end is judged in good time, its worker is given up when its cases have ended, and that is all. A
  /// program has a process of its own, and stops nobody else.
  private func retry(_ number: Int, _ result: CaseResult) throws {
    guard retrials < Self.maxRetrials, let process else {
      isRetired = true
      return report(result)
    }
    retrials += 1
    let backtrace = BacktraceText.lines(process.end(asksWhere: true).dump)
    leave(ledger.entries.map(\.work))
    switch run(alone: number, in: try start(1)) {
    case .success(var again):
      // Alone all went well: then what it did in company counts.
      if again.isAsExpected { again = result }
      if again.verdict == .timeout || again.verdict == .hang { again.backtrace = backtrace }
      report(again)
    case .failure(let last): report(crashed(number, last.end))
    }
  }

  private static let maxRetrials = 4

  // MARK: Results

  private func emptyResult(_ number: Int) -> CaseResult {
    let planned = cases[number]
    return CaseResult(
      scenario: scenarios[planned.scenario], variant: planned.variant, world: planned.world, seed: planned.seed)
  }

  private func crashed(_ number: Int, _ end: WorkerEnd) -> CaseResult {
    var result = emptyResult(number)
    result.markCrash(end, reason: "the process that ran it ended: \(EndText.cause(end))")
    return result
  }

  /// It passed alone, but was under way when a worker ended, and nothing else did it either.
  private func suspected(_ result: CaseResult, among count: Int, _ end: WorkerEnd) -> CaseResult {
    var result = result
    result.markCrash(
      end,
      reason: """
        the process that ran it beside \(QuantityText.count(count - 1, "other case")) ended: \(EndText.cause(end)); \
        alone none of them does that again
        """)
    return result
  }
}
