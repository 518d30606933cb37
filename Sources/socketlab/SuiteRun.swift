import ArgumentParser
import Foundation
import HostTools
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import SubjectAdapters
import Synchronization

/// One `run`: choose, execute, judge as a whole, report.
struct SuiteRun {
  /// Cases beyond this are counted and not listed, if they went as expected; of others the trace is left out.
  private static let mostListed = 20_000

  private let library: ScenarioLibrary
  private let command: RunCommand
  private let scenarios: [Scenario]
  private let plan: [PlannedCase]

  /// Chooses what to run. Wrong files among the chosen ones end the command with their diagnostics.
  ///
  /// - Parameter ids: what the names of the command mean in the library; none: all.
  init(library: ScenarioLibrary, ids: [String], command: RunCommand) throws {
    self.library = library
    self.command = command
    try Self.refuseWrongFiles(library, names: ids)
    scenarios = library.scenarios.map { scenario in
      if let speed = command.speed { return scenario.at(speed) }
      // A variant may be asked for at a speed that the scenario's matrix does not name, as reports do.
      let speed = command.variant.flatMap(scenario.variant(named:))?.speed
      return speed.map { scenario.matrix.speeds.contains($0) ? scenario : scenario.at($0) } ?? scenario
    }
    let seeds = (0..<UInt64(command.seeds)).map { command.seed &+ $0 }
    let selected = SuiteSelection(ids: ids, filters: command.selection.filter, tags: command.selection.tag)
    let plan = SuitePlan(scenarios, selection: selected, worlds: command.world.worlds, seeds: seeds)
    for name in plan.unknown { throw ValidationError(library.complaint(about: name)) }
    for missing in plan.missingControls {
      Console.error("\(missing.scenario) names the control \(missing.control), which does not exist.")
    }
    if !plan.missingControls.isEmpty { throw LabExit.badScenario.error }
    let chosen = Set(selected.chosen(of: scenarios))
    guard !chosen.isEmpty else {
      Console.error("Nothing ran: no scenario fits. `socketlab list` shows all.")
      throw LabExit.nothingRan.error
    }
    self.plan = try Self.reduce(plan.cases, to: command.variant, of: chosen)
  }

  private static func refuseWrongFiles(_ library: ScenarioLibrary, names: [String]) throws {
    let chosen = library.entries(named: names)
    let wrong = chosen.filter(\.hasErrors)
    for entry in wrong { DiagnosticOutput.print(entry) }
    guard wrong.isEmpty else {
      Console.error("\(Wording.count(wrong.count, "scenario file")) with errors; nothing was run.")
      throw LabExit.badScenario.error
    }
    let others = library.entries.filter(\.hasErrors).count
    if others > 0 {
      Console.error("Note: \(Wording.count(others, "other scenario file")) with errors; see `socketlab check`.")
    }
  }

  /// Only one variant of the scenarios asked for; canaries and controls stay as they are.
  private static func reduce(
    _ cases: [PlannedCase], to variant: String?, of chosen: Set<Int>
  ) throws -> [PlannedCase] {
    guard let variant else { return cases }
    let kept = cases.filter { !chosen.contains($0.scenario) || $0.variant.name == variant }
    guard kept.contains(where: { chosen.contains($0.scenario) }) else {
      let names = Set(cases.filter { chosen.contains($0.scenario) }.map(\.variant.name)).sorted()
      throw ValidationError("There is no variant \(variant). The variants are: \(names.joined(separator: ", ")).")
    }
    return kept
  }

  /// Throws when the cases can't be run at all.
  func run(_ reports: ReportFolder) throws -> SuiteOutcome {
    let clock = ContinuousClock()
    let start = clock.now
    let jitter = plan.contains { $0.world == .loopback } ? HostProbe.jitter() : .zero
    let descriptors = try DescriptorLimit.fit(plan, of: scenarios, atMost: command.jobs)
    reports.begins()
    let executor = executor(jobs: descriptors.jobs, jitter: jitter)
    let isOpenEnded = command.untilFail && command.repeat == 1
    let rounds = isOpenEnded ? Int.max : command.repeat
    let total = isOpenEnded ? nil : plan.count * rounds
    let display = ProgressDisplay(
      total: total, isQuiet: command.quiet, plan: plan, scenarios: scenarios, paths: paths)
    let interrupts = InterruptWatch {
      executor.stop()
      // Not on the queue of signals: a terminal that does not take the text must not hold up a second ctrl-C.
      DispatchQueue.global().async { display.hurry() }
    }
    defer { interrupts.end() }
    let collection = Mutex(Collection(vouching: scenarios))
    var round = 0
    while round < rounds, !interrupts.isInterrupted {
      let isFirst = round == 0
      let take: @Sendable (CaseResult) -> Void = { result in
        display.show(result)
        collection.withLock { $0.add(result, listsAll: isFirst, most: Self.mostListed) }
      }
      descriptors.skipped.forEach(take)
      for result in try executor.run(cases(ofRound: round).filter(descriptors.allows), report: take) {
        display.show(result)
        collection.withLock { $0.replace(result) }
      }
      round += 1
      if command.untilFail, collection.withLock({ $0.hasDeviations }) { break }
    }
    let collected = collection.withLock { $0 }
    let judged =
      interrupts.isInterrupted
      ? Interruption.judged(collected.listed, of: plan, scenarios: scenarios) : collected.listed
    let results = SuiteVerdict.applyControls(judged, scenarios: scenarios)
      .sorted { one, other in
        // Names are made when they are asked for; most comparisons need none.
        guard one.scenario == other.scenario else { return one.scenario < other.scenario }
        return (one.name, one.seed) < (other.name, other.seed)
      }
    var report = RunReport(
      startedAt: reports.startText, version: SocketLab.version, subject: "GCDAsyncSocket (reference)",
      profile: command.profile,
      host: HostFacts(system: HostProbe.system, processors: HostProbe.processors, jitter: jitter), seed: command.seed,
      seeds: command.seeds, duration: clock.now - start, cases: results, sources: sources(of: results))
    report.unlistedCases = collected.unlisted
    if interrupts.isInterrupted {
      let left = (total ?? plan.count * round) - collected.counts.values.reduce(0, +)
      report.casesNotJudged = max(0, left) + collected.listed.count - judged.count
    }
    display.end()
    return SuiteOutcome(
      report: report, isInterrupted: interrupts.isInterrupted, planned: plan.count, reports: reports,
      captures: command.capture, paths: paths, spent: collected.spent, counts: collected.counts)
  }

  private func executor(jobs: Int, jitter: Duration) -> SuiteExecutor {
    SuiteExecutor(
      scenarios: scenarios,
      options: .init(
        jobs: jobs, profile: command.profile, jitter: jitter, patience: .seconds(command.patience),
        keepsTraces: command.capture && plan.count <= CaptureShelf.fewCases))
  }

  /// Simulated cases would only repeat themselves, so each round has seeds of its own.
  private func cases(ofRound round: Int) -> [PlannedCase] {
    guard round > 0 else { return plan }
    return plan.map { planned in
      guard planned.world == .simulated else { return planned }
      return PlannedCase(
        scenario: planned.scenario, variant: planned.variant, world: planned.world,
        seed: planned.seed &+ UInt64(round) &* UInt64(command.seeds))
    }
  }

  private var paths: [String: String] {
    Dictionary(library.entries.map { ($0.id, $0.path) }, uniquingKeysWith: { first, _ in first })
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
    var unlisted: [WorldName: Int] = [:]
    var hasDeviations = false
    var spent: [WorldName: Duration] = [:]
    var counts: [WorldName: Int] = [:]
    private var firstSeeds: [String: UInt64] = [:]
    /// Canaries and controls, which are always listed: others are judged by them.
    private let vouching: Set<String>

    init(vouching scenarios: [Scenario]) {
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
        if !result.canary { unlisted[result.world, default: 0] += 1 }
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
