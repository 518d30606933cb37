import Foundation
import HostTools
import KnownDeviations
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import SubjectAdapters
import Synchronization

/// One `run`: choose, execute, judge as a whole, report.
package struct SuiteRun {
  /// Cases beyond this are counted and not listed, if they went as expected; of others the trace is left out.
  private static let maxListed = 20_000
  /// The library that comes with the lab, as reports name it.
  package static let subject = "CocoaAsyncSocket (reference)"

  /// What is asked for, besides the names.
  package struct Options: Sendable {
    /// Plays every scenario at this speed, whatever its matrix says.
    package var speed: Speed?
    /// Only the variants whose name fits this glob.
    package var variant: String?
    /// Globs over ids.
    package var filters: [String] = []
    /// Scenarios with any of these tags; empty: all.
    package var tags: [String] = []
    /// Cases of other worlds are not run.
    package var worlds = Set(WorldName.allCases)
    /// The first seed; loopback cases run with this one alone.
    package var seed: UInt64 = 1
    /// In the simulated world, counting up from `seed`.
    package var seeds = 1
    /// How many times everything runs; nil: once, or with `untilFail` without end.
    package var rounds: Int?
    /// Ends with the round in which a case is not as expected.
    package var untilFail = false
    /// Loopback cases at the same time.
    package var jobs = 32
    /// Which profile's alternatives apply.
    package var profile = Profile.documented
    /// How long a case may take beyond its limit before its worker is ended.
    package var hangTimeout = Duration.seconds(20)
    /// Whether captures are wanted, which are made of traces.
    package var captures = false
    /// The lab's own, for the report.
    package var version = ""
    /// What is on record of the subject's deviations; nil: nothing.
    package var deviations: DeviationLedger?
    /// Whether the library that comes with the lab is judged; without it only the canaries are played with it.
    package var playsReference = true
    /// The subjects that are programs of their own.
    package var programs: [SubjectEntry] = []
    /// Programs that were asked for and can't be judged, and why.
    package var leftOut: [ProgramFacts] = []
    /// Whom a requirement of the register binds.
    package var scope: @Sendable (String) -> RequirementScope = { _ in .any }
    /// Which part of the suite runs; nil: all of it.
    package var shard: Shard?
    /// Of the sources of lab and reference, for the report; nil: not known.
    package var commit: String?

    /// All of the suite in both worlds, once.
    package init() {}
  }

  /// Why nothing is run.
  package enum Refusal: Error {
    /// The command names what is not there.
    case usage(String)
    /// Files among the chosen ones have errors.
    case wrongFiles([ScenarioLibrary.Entry])
    /// Scenarios name controls that do not exist.
    case missingControls([(scenario: String, control: String)])
    /// No scenario fits.
    case nothingChosen
    /// Those that fit are played in other worlds: a sentence for each of the first ones.
    case otherWorlds([String])
  }

  /// The library's scenarios without errors, at the speed asked for; the plan names them by index.
  package let scenarios: [Scenario]
  /// The cases of one round.
  package let plan: [PlannedCase]
  /// Tells the suite from others, whichever part of it runs.
  private let planHash: String
  private let programPlan: ProgramPlan
  /// Why the library that comes with the lab is asked nothing though it was named; nil: it is.
  private let unasked: RunShortfall?
  private let library: ScenarioLibrary
  private let options: Options
  var startWorker: WorkerStart = { try WorkerProcess($0, environment: $1) }

  /// Chooses what to run. Throws a `Refusal`.
  ///
  /// - Parameters:
  ///   - ids: what the names of the command mean in the library; none: all.
  ///   - note: takes what a person should know of files that were not chosen.
  package init(library: ScenarioLibrary, ids: [String], options: Options, note: (String) -> Void = { _ in }) throws {
    self.library = library
    self.options = options
    try Self.refuseWrongFiles(library, names: ids, note: note)
    scenarios = library.scenarios.map { scenario in
      if let speed = options.speed { return scenario.at(speed) }
      // A variant may be asked for at a speed that the scenario's matrix does not name, as reports do.
      let speed = options.variant.flatMap(scenario.variant(named:))?.speed
      return speed.map { scenario.matrix.speeds.contains($0) ? scenario : scenario.at($0) } ?? scenario
    }
    let seeds = (0..<UInt64(options.seeds)).map { options.seed &+ $0 }
    let selected = SuiteSelection(
      ids: ids, filters: options.filters, tags: options.tags, variants: options.variant)
    let plan = SuitePlan(scenarios, selection: selected, worlds: options.worlds, seeds: seeds)
    if let name = plan.unknown.first { throw Refusal.usage(library.complaint(about: name)) }
    guard plan.missingControls.isEmpty else { throw Refusal.missingControls(plan.missingControls) }
    try Self.refuseOtherWorlds(
      self.scenarios, chosen: selected.chosen(of: self.scenarios), worlds: options.worlds, isNamed: !ids.isEmpty,
      note: note)
    programPlan = try Self.programPlan(options, like: plan.cases, of: scenarios, selection: selected, seeds: seeds)
    unasked = Self.unasked(options, selected, of: scenarios)
    let ofLibrary = options.playsReference ? plan.cases : Self.canaries(plan.cases, scenarios)
    let whole = ofLibrary + programPlan.cases
    planHash = options.shard == nil ? "" : Shard.hash(of: whole, scenarios, contents: library.contentHashes)
    let scenarios = self.scenarios
    self.plan = options.shard.map { $0.part(of: whole, scenarios) } ?? whole
  }

  /// The canaries and what vouches for them.
  private static func canaries(_ cases: [PlannedCase], _ scenarios: [Scenario]) -> [PlannedCase] {
    let canaries = scenarios.indices.filter { scenarios[$0].canary }
    let kept = ControlChain.ids(of: canaries, in: scenarios).union(canaries.map { scenarios[$0].id })
    return cases.filter { kept.contains(scenarios[$0.scenario].id) }
  }

  /// The subjects that are programs of their own.
  package var programs: [SubjectEntry] { options.programs }

  /// Whom a requirement of the register binds.
  package var scope: @Sendable (String) -> RequirementScope { options.scope }

  private var isOpenEnded: Bool { options.untilFail && options.rounds == nil }

  /// Cases of all rounds; nil: it is unknown how many there will be.
  package var total: Int? { isOpenEnded ? nil : plan.count * (options.rounds ?? 1) }

  /// Runs all. Throws when the cases can't be run at all.
  ///
  /// - Parameters:
  ///   - startedAt: ISO 8601, for the report.
  ///   - stop: ends the run early; what was judged until then counts.
  ///   - note: takes what a person should know before the first case begins.
  ///   - begins: is called when the first case is about to begin.
  ///   - report: takes each result, one at a time, on threads of the run's own; one that replaces another comes last.
  package func run(
    startedAt: String, stop: StopFlag = StopFlag(), note: (String) -> Void = { _ in }, begins: () -> Void = {},
    report: @escaping @Sendable (CaseResult) -> Void
  ) throws -> SuiteOutcome {
    let clock = ContinuousClock()
    let start = clock.now
    let jitter = plan.contains { $0.world == .loopback } ? HostProbe.jitter() : .zero
    let descriptors = try DescriptorLimit.fit(plan, of: scenarios, atMost: options.jobs, note: note)
    begins()
    let executor = executor(jobs: descriptors.jobs, jitter: jitter, stop: stop, isWhole: true)
    let rounds = isOpenEnded ? Int.max : options.rounds ?? 1
    let collection = Mutex(Collection(vouching: scenarios, shard: options.shard))
    let ledgers = Mutex([options.deviations].compactMap(\.self) + options.programs.compactMap(\.deviations))
    let judged: @Sendable (CaseResult) -> CaseResult = { result in
      ledgers.withLock { ledgers in
        ledgers.indices.reduce(result) { ledgers[$1].judged($0) }
      }
    }
    var round = 0
    while round < rounds, !stop.isSet {
      let isFirst = round == 0
      let take: @Sendable (CaseResult) -> Void = { result in
        let result = judged(result)
        report(result)
        collection.withLock { $0.add(result, listsAll: isFirst, most: Self.maxListed) }
      }
      descriptors.skipped.forEach(take)
      let cases = cases(ofRound: round)
      for planned in cases { programPlan.result(of: planned, scenarios[planned.scenario]).map(take) }
      let played = cases.filter { descriptors.allows($0) && programPlan.unsupported[$0] == nil }
      for result in try executor.run(played, report: take).map(judged) {
        report(result)
        collection.withLock { $0.replace(result) }
      }
      round += 1
      if options.untilFail, collection.withLock({ $0.hasDeviations }) { break }
    }
    let collected = collection.withLock { $0 }
    let left = left(by: collected, rounds: round)
    try Self.refuseLost(left ?? 0, of: plan.count * round, isStopped: stop.isSet)
    let isWhole = left == 0 && !executor.isCutShort
    var outcome = outcome(
      collected, ledgers.withLock { $0 }, rounds: round, isInterrupted: stop.isSet && !isWhole,
      report: RunReport(
        startedAt: startedAt, version: options.version, subject: subjectTitle,
        profile: options.profile,
        host: HostFacts(system: HostProbe.system, processors: HostProbe.processors, jitter: jitter),
        seed: options.seed, seeds: options.seeds, duration: clock.now - start, cases: [], sources: [:]))
    outcome.falseAlarms = executor.falseAlarms
    (outcome.repeatedCases, outcome.repeatedHangs) = (executor.repeatedCases, executor.repeatedHangs)
    outcome.leaksNotJudged = executor.leaksNotJudged
    outcome.report.note(executor.subjectExits)
    return outcome
  }

  /// Unless somebody stopped the run, each planned case has a result: one without would look as if nobody had planned
  /// it, and the run as if all were well.
  static func refuseLost(_ lost: Int, of planned: Int, isStopped: Bool) throws(LabFailure) {
    guard lost > 0, !isStopped else { return }
    throw LabFailure(
      "\(lost) of \(QuantityText.count(planned, "case")) came to no result, and nobody stopped the run. That is a "
        + "fault of the lab's: please report it.")
  }

  /// Planned cases that have no result; nil: a run that goes on until a case fails never has all.
  private func left(by collected: Collection, rounds: Int) -> Int? {
    let hasReachedItsEnd = options.untilFail && collected.hasDeviations
    let planned = hasReachedItsEnd ? plan.count * rounds : total
    return planned.map { max(0, $0 - collected.counts.values.reduce(0, +)) }
  }

  /// Everything that is judged, as reports name it: without versions, which change from run to run.
  private var subjectTitle: String {
    ((options.playsReference ? [Self.subject] : []) + options.programs.map(\.program.name)).joined(separator: ", ")
  }

  /// Judges what came in as a whole, and puts it into the report.
  private func outcome(
    _ collected: Collection, _ ledgers: [DeviationLedger], rounds: Int, isInterrupted: Bool, report: RunReport
  ) -> SuiteOutcome {
    let judged =
      isInterrupted
      ? Interruption.judged(collected.listed, of: plan, scenarios: scenarios) : collected.listed
    var report = report
    (report.labCommit, report.subjectCommit) = (options.commit, options.commit)
    report.rounds = max(1, rounds)
    report.programs = options.programs.map(\.facts) + options.leftOut
    report.resources = ResourceUse.now
    report.shard = options.shard?.text
    report.cases = SuiteVerdict.applyControls(judged, scenarios: scenarios)
      .sorted { one, other in
        // Names are made when they are asked for; most comparisons need none.
        guard one.scenario == other.scenario else { return one.scenario < other.scenario }
        return (one.name, one.seed) < (other.name, other.seed)
      }
    report.deviationFaults = DeviationFault.merged(
      ledgers.map { $0.faults(report.cases, scenarios: library.scenarios) })
    report.sources = sources(of: report.cases)
    report.unlistedCases = collected.unlisted
    report.shortfalls += [unasked].compactMap(\.self)
    if isInterrupted {
      let left = left(by: collected, rounds: rounds) ?? 0
      report.casesNotJudged = left + collected.listed.count - judged.count
    }
    return SuiteOutcome(
      report: report, isInterrupted: isInterrupted, spent: collected.spent, counts: collected.counts)
  }

  /// What the shard that ran leaves for `merge`; nil: all of the suite ran.
  package func shardRecord(_ outcome: SuiteOutcome) -> ShardRecord? {
    options.shard.map { shard in
      var report = outcome.report
      // How many cases are asked of the part, is not asked of the whole.
      report.shortfalls.removeAll { $0.kind == .tooFewCases }
      return ShardRecord(
        shard: shard, plan: planHash,
        vouching: Set(scenarios.compactMap(\.control) + scenarios.filter(\.canary).map(\.id)), report: report,
        isInterrupted: outcome.isInterrupted)
    }
  }

  /// What comes of these cases, one at a time.
  func played(_ cases: [PlannedCase], stop: StopFlag) throws -> [CaseResult] {
    let results = Mutex<[CaseResult]>([])
    let executor = executor(jobs: 1, jitter: HostProbe.jitter(), stop: stop)
    _ = try executor.run(cases) { result in results.withLock { $0.append(result) } }
    return results.withLock { $0 }
  }

  /// - Parameter isWhole: it plays the run, and not single cases once more.
  private func executor(
    jobs: Int, jitter: Duration, stop: StopFlag, isWhole: Bool = false
  ) -> SuiteExecutor {
    var own = SuiteExecutor.Options(
      jobs: jobs, profile: options.profile, jitter: jitter, hangTimeout: options.hangTimeout,
      keepsTraces: options.captures && plan.count <= CaptureStore.fewCases, programs: options.programs)
    own.looksForLeaks = isWhole
    // Who plays the cases many times looks for what happens seldom.
    own.repeatsHangs = isWhole && !options.untilFail && options.rounds ?? 1 == 1
    return SuiteExecutor(scenarios: scenarios, options: own, stop: stop, start: startWorker)
  }

  /// Simulated cases would only repeat themselves, so each round has seeds of its own.
  private func cases(ofRound round: Int) -> [PlannedCase] {
    guard round > 0 else { return plan }
    return plan.map { planned in
      guard planned.world == .simulated else { return planned }
      return PlannedCase(
        scenario: planned.scenario, variant: planned.variant, world: planned.world,
        seed: planned.seed &+ UInt64(round) &* UInt64(options.seeds))
    }
  }

  private func sources(of results: [CaseResult]) -> [String: ScenarioSource] {
    let used = Set(results.map(\.scenario))
    return Dictionary(
      library.entries.filter { used.contains($0.id) }.map { ($0.id, ScenarioSource(path: $0.path, text: $0.text)) },
      uniquingKeysWith: { first, _ in first })
  }

  /// What came in so far.
  private struct Collection {
    var listed: [CaseResult] = []
    var unlisted: [CaseColumn: UnlistedCases] = [:]
    var hasDeviations = false
    var spent: [WorldName: Duration] = [:]
    var counts: [WorldName: Int] = [:]
    private var firstSeeds: [String: UInt64] = [:]
    /// Canaries and controls, which are always listed: others are judged by them.
    private let vouching: Set<String>
    /// What runs; nil: all of the suite.
    private let shard: Shard?

    init(vouching scenarios: [Scenario], shard: Shard?) {
      self.shard = shard
      vouching = Set(scenarios.compactMap(\.control) + scenarios.filter(\.canary).map(\.id))
    }

    /// Keeps the first seed's result of every case, and everything that is not as expected; counts the rest.
    mutating func add(_ result: CaseResult, listsAll: Bool, most: Int) {
      spent[result.world, default: .zero] += result.duration
      counts[result.world, default: 0] += 1
      if !result.isAsExpected { hasDeviations = true }
      let isFirstSeed = listsAll && firstSeeds[result.name, default: result.seed] == result.seed
      if isFirstSeed { firstSeeds[result.name] = result.seed }
      let hasRoom = listed.count < most
      guard !result.isAsExpected || isFirstSeed && (hasRoom || vouching.contains(result.scenario)) else {
        if !result.canary, shard?.owns(result) ?? true { unlisted[result.column, default: .init()].add(result) }
        return
      }
      listed.append(result)
      guard !hasRoom, !result.isAsExpected else { return }
      listed[listed.count - 1].trace = Trace()
      listed[listed.count - 1].matches = [:]
      for index in result.deviations.indices { listed[listed.count - 1].deviations[index].traceIndex = nil }
    }

    /// Puts a result into the place of the one that was reported for the same case.
    mutating func replace(_ result: CaseResult) {
      if !result.isAsExpected { hasDeviations = true }
      let earlier = listed.lastIndex { $0.name == result.name && $0.seed == result.seed }
      guard let earlier else { return listed.append(result) }
      listed[earlier] = result
    }
  }
}
