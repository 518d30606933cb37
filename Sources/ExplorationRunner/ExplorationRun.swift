import CampaignRunner
import CaseReduction
import Exploration
import Foundation
import FuzzCampaign
import FuzzHarness
import FuzzPrograms
import HostTools
import KnownDeviations
import RunReports
import ScenarioModel
import SubjectAdapters
import SuiteRunner

/// One exploration: draws and plays trials until its end, makes smaller what fails, keeps it as a file, and tells all
/// of it as a campaign.
package final class ExplorationRun {
  /// What is asked for.
  package struct Options: Sendable {
    /// Names the campaign.
    package var name: String
    /// What is drawn.
    package var drawing: TrialDrawing.Options
    /// The folder that files of findings go to.
    package var keep: String
    /// The folder of the report. While it explores, a note there says that the campaign has not ended; nil: none does.
    package var reports: String?
    /// How long trials are drawn; nil: there is no such end.
    package var time: Duration?
    /// How many trials are drawn; nil: there is no such end.
    package var programs: Int?
    /// Ends with the first finding.
    package var endsWithFirst = false
    /// Findings that are made smaller; others are kept as they are.
    package var maxReduced = 8
    /// How long one finding is made smaller.
    package var reduction = Duration.seconds(20)
    /// Loopback cases at the same time.
    package var jobs = 32
    /// The lab's own, for the report.
    package var version = ""
    /// What the person typed, in one paste.
    package var command = ""
    /// The program that is explored; nil: the library that comes with the lab.
    package var subject: SubjectEntry?
    /// What is on record of the subject: trials that show it are counted, and are no findings. nil: nothing is.
    package var deviations: DeviationLedger?
    /// Whom a requirement of the register binds.
    package var scope: @Sendable (String) -> RequirementScope = { _ in .any }

    package init(name: String, drawing: TrialDrawing.Options, keep: String) {
      self.name = name
      self.drawing = drawing
      self.keep = keep
    }
  }

  /// What a person likes to know while it works.
  package enum Event {
    /// What is done now.
    case step(String)
    /// A round is over: how long it has taken so far.
    case round(ExplorationTally, elapsed: Duration)
    /// Something new was found, and kept.
    case found(Finding)
    /// Something did not show again.
    case unconfirmed(String)
  }

  /// What it came to.
  package struct Outcome {
    /// The judged campaign.
    package var campaign: Campaign
    /// What was explored.
    package var tally: ExplorationTally
    /// How many trials were drawn.
    package var drawn: Int
    /// Cases that showed what is on record of their scenarios.
    package var onRecord: Int
  }

  /// Trials of a round: enough for all workers, few enough to end in time.
  private static let roundSize = 256
  /// Sightings over the real kernel that are looked at again in one round.
  private static let maxConfirmed = 6
  /// Rounds in which, when no trial is drawn any more, those are looked at that have waited.
  private static let maxLastRounds = 3
  /// Files of what did not show again.
  private static let maxUnconfirmedKept = 100

  private let options: Options
  private let stop: StopFlag
  private let observer: (Event) -> Void
  private let playback: CasePlayback
  private var findings: [Finding] = []
  private var onRecord = 0
  /// Sightings that were not looked at again because of an interrupt.
  private var interrupted = 0
  private var scenarios: [String: Scenario] = [:]
  private var backlog = SightingBacklog(perRound: maxConfirmed)
  private let clock = ContinuousClock()
  private var start = ContinuousClock.now

  /// - Parameter stop: ends the exploration with its report.
  package init(_ options: Options, stop: StopFlag, observer: @escaping (Event) -> Void = { _ in }) {
    self.options = options
    self.stop = stop
    self.observer = observer
    let isReal = options.drawing.worlds.contains(.loopback)
    playback = CasePlayback(
      jobs: options.jobs, jitter: isReal ? HostProbe.jitter() : .zero, stop: stop, subject: options.subject,
      scope: options.scope)
  }

  /// Explores what lies around the scenarios. nil: there is nothing to draw. Throws when cases can't be played or files
  /// not be written.
  package func run(_ scenarios: [Scenario], deathPipe: ParentDeathPipe) throws -> Outcome? {
    start = clock.now
    var campaign = Campaign(
      id: options.name, mode: "explore", startedAt: Date().formatted(.iso8601),
      provenance: FuzzProvenance.make(version: options.version, deathPipe: deathPipe))
    self.scenarios = Dictionary(scenarios.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let drawing = TrialDrawing(try bases(scenarios), options.drawing)
    guard !drawing.isEmpty else { return nil }
    if let folder = options.reports { FuzzCampaigns.announce(campaign, in: folder) }
    var explorer = Explorer(drawing) { [playback] in try playback.play($0) }
    while !isOver(explorer.next) {
      let left = options.programs.map { $0 - explorer.next } ?? Self.roundSize
      let sightings = try explorer.round(of: min(left, Self.roundSize))
      observer(.round(explorer.tally, elapsed: clock.now - start))
      try examine(sightings, &explorer)
    }
    for _ in 0..<Self.maxLastRounds where backlog.count > 0 && !isEnded { try examine([], &explorer) }
    campaign.wallSeconds = (clock.now - start).inSeconds
    campaign.isInterrupted = stop.isSet
    campaign.findings = findings
    campaign.missing = unexamined
    campaign.targets = [target(explorer.tally, wall: campaign.wallSeconds, isInterrupted: stop.isSet)]
    campaign.gates = campaign.judged()
    return Outcome(campaign: campaign, tally: explorer.tally, drawn: explorer.next, onRecord: onRecord)
  }

  /// Nothing more is wanted.
  private var isEnded: Bool { stop.isSet || options.endsWithFirst && !findings.isEmpty }

  private func isOver(_ drawn: Int) -> Bool {
    if isEnded { return true }
    if let programs = options.programs, drawn >= programs { return true }
    if let time = options.time, clock.now - start >= time { return true }
    return false
  }

  // MARK: Bases

  /// The scenarios with the programs that they tell. Each is played once, with a quiet schedule, for its trace.
  private func bases(_ scenarios: [Scenario]) throws -> [ExplorationBase] {
    var bases = scenarios.map { ExplorationBase(scenario: $0) }
    guard options.drawing.judgements.contains(.model) else { return bases }
    observer(.step("Reading the programs of \(QuantityText.count(scenarios.count, "scenario"))"))
    var played: [(place: Int, scenario: Scenario, point: ExploredTrial.Point)] = []
    for (place, scenario) in scenarios.enumerated() where scenario.mayTellProgram {
      guard let variant = scenario.variants.first(where: { $0.security == .plain }) else { continue }
      var quiet = scenario
      quiet.schedule = .quiet
      played.append((place, quiet, ExploredTrial.Point(variant: variant, world: .simulated, seed: 0)))
    }
    let results = try playback.play(played.map { ($0.scenario, $0.point) }, keepsTraces: true)
    for (one, result) in zip(played, results) {
      guard let result, result.isAsExpected || result.verdict == .failed else { continue }
      if case .success(let program) = ScenarioProgram.program(of: result.trace, scenario: one.scenario) {
        bases[one.place].program = program
      }
    }
    return bases
  }

  // MARK: Findings

  private func examine(_ sightings: [Explorer.Sighting], _ explorer: inout Explorer) throws {
    for sighting in backlog.round(of: sightings.filter { !isOnRecord($0) && !countIfKnown($0) }) {
      // Found since the round began.
      guard !countIfKnown(sighting) else { continue }
      if options.endsWithFirst, !findings.isEmpty { return }
      guard !stop.isSet else {
        interrupted += 1
        continue
      }
      let key = key(of: sighting)
      let replay = try replay(sighting)
      guard replay.isConfirmed else {
        explorer.countUnconfirmed()
        observer(.unconfirmed(try remark(on: sighting, key, number: explorer.tally.unconfirmed)))
        continue
      }
      let finding = try kept(sighting, key, replay.fact)
      findings.append(finding)
      backlog.remove { countIfKnown($0) }
      observer(.found(finding))
    }
  }

  private func isOnRecord(_ sighting: Explorer.Sighting) -> Bool {
    guard let ledger = options.deviations, let origin = sighting.trial.origin.scenario,
      ledger.isOnRecord(sighting.result, of: origin)
    else { return false }
    onRecord += 1
    return true
  }

  /// Whether it shows what has been found before; counts it then.
  private func countIfKnown(_ sighting: Explorer.Sighting) -> Bool {
    let id = key(of: sighting).id
    guard let known = findings.firstIndex(where: { $0.id == id }) else { return false }
    findings[known].hits += 1
    return true
  }

  /// What may be a finding, and nobody has looked at again.
  private var unexamined: [Missing] {
    // Whoever wants the first finding wants no other.
    guard !options.endsWithFirst || findings.isEmpty else { return [] }
    let count = backlog.count + backlog.lost + interrupted
    guard count > 0 else { return [] }
    let reason = stop.isSet ? "the exploration was interrupted" : "they were too many for this machine"
    return [Missing("a second look at \(QuantityText.count(count, "sighting"))", reason: reason)]
  }

  private func key(of sighting: Explorer.Sighting) -> FindingKey {
    let result = sighting.result
    let kind: Finding.Kind =
      switch result.verdict {
      case .crash: .crash
      case .hang where !result.backtrace.isEmpty: .timeout
      default: .violation
      }
    return FindingKey(target: FuzzTarget.exploration.name, kind: kind, subject: sighting.subject, symbols: [])
  }

  /// A sighting that did not show again may be a rare race: its scenario is kept, too.
  private func remark(on sighting: Explorer.Sighting, _ key: FindingKey, number: Int) throws -> String {
    let first = sighting.result.deviations.first.map { "\($0.expected); \($0.actual)" } ?? ""
    let remark = "\(key.text), trial \(sighting.trial.number): \(first)"
    guard number <= Self.maxUnconfirmedKept else { return remark }
    let file = try file(of: sighting, asItIs(sighting), key, in: "\(options.keep)/unconfirmed")
    return "\(remark)\n  kept: \(file.path)"
  }

  /// How often it shows alone. Over the real kernel two of three: a busy machine alone makes nothing a finding.
  private func replay(_ sighting: Explorer.Sighting) throws -> (isConfirmed: Bool, fact: LaneReplay) {
    let wanted = FindingIdentity(sighting.result)
    let times = sighting.point.world == .simulated ? 1 : 3
    var shown = 0
    for _ in 0..<times {
      let result = try playback.play([(sighting.trial.scenario, sighting.point)], jobs: 1)[0]
      if let result, TrialJudge.finding(result, by: sighting.trial.judgement) == wanted { shown += 1 }
    }
    return (shown * 2 > times, LaneReplay(.plain, reproduced: shown, of: times))
  }

  private func kept(_ sighting: Explorer.Sighting, _ key: FindingKey, _ replay: LaneReplay) throws -> Finding {
    let trial = sighting.trial
    let reduced = try reduced(sighting)
    let file = try file(of: sighting, reduced, key, in: options.keep)
    var detail = reduced.text
    if let first = sighting.result.deviations.first {
      detail = "expected \(first.expected)\nactual   \(first.actual)"
    }
    detail += "\nof " + (trial.origin.scenario ?? "a program drawn at random")
    if !reduced.changes.isEmpty { detail += ", with " + reduced.changes.joined(separator: ", ") }
    detail += "; judged by the \(trial.judgement.words)"
    var finding = Finding(
      key: key, lane: .plain, detail: detail,
      input: FindingInput(originalPath: nil, count: file.text.utf8.count), reproduce: file.again)
    finding.firstSeen = FirstSeen(seconds: (clock.now - start).inSeconds, executions: nil, trial: 1)
    finding.replays = [replay]
    finding.scenario = file.text
    finding.scenarioPath = file.path
    return finding
  }

  /// Writes a sighting as a scenario file.
  private func file(
    of sighting: Explorer.Sighting, _ reduced: TrialReduction.Reduced, _ key: FindingKey, in folder: String
  ) throws -> (path: String, text: String, again: String) {
    let (trial, world) = (sighting.trial, sighting.point.world)
    let name = "\(key.id)-\(options.drawing.seed)-\(trial.number)"
    let path = "\(folder)/\(name).yaml"
    let again = ReproCommand.text(
      scenario: path, playback.variant(reduced.best.variant, in: world), world: world, seed: reduced.best.seed)
    let whom = options.subject.map { " --subject \($0.word)" } ?? ""
    let origin = "Found by `explore --seed \(options.drawing.seed)\(whom)`, trial \(trial.number)."
    let text = KeptTrial.text(reduced, of: trial, in: world, id: name, origin: origin, command: again)
    try HostFiles.makeFolder(folder)
    try HostFiles.write(Array(text.utf8), to: path)
    return (path, text, again)
  }

  private func asItIs(_ sighting: Explorer.Sighting) -> TrialReduction.Reduced {
    TrialReduction.Reduced(
      best: ReductionTrial(
        scenario: sighting.trial.scenario, variant: sighting.point.variant, seed: sighting.point.seed),
      text: FindingIdentity(sighting.result)?.text ?? sighting.subject, changes: sighting.trial.changes.texts, plays: 0)
  }

  private func reduced(_ sighting: Explorer.Sighting) throws -> TrialReduction.Reduced {
    let trial = sighting.trial
    let asItIs = asItIs(sighting)
    guard options.reduction > .zero, findings.count < options.maxReduced else { return asItIs }
    observer(.step("Making a finding smaller"))
    let deadline = clock.now + options.reduction
    var reduction = TrialReduction(
      trial, in: sighting.point.world, base: trial.origin.scenario.flatMap { scenarios[$0] },
      play: { [playback] trials, world in try playback.play(trials, in: world, jobs: 8) },
      isStopped: { [stop, clock] in stop.isSet || clock.now >= deadline })
    return try reduction.reduced(sighting.point.variant, seed: sighting.point.seed) ?? asItIs
  }

  // MARK: The campaign

  private func target(_ tally: ExplorationTally, wall: Double, isInterrupted: Bool) -> CampaignTarget {
    var target = CampaignTarget(.exploration)
    target.invariants = ExplorationTally.universal
    var end = RunExit(isInterrupted ? .interrupted : findings.isEmpty ? .clean : .crash)
    if tally.provesNothing, !isInterrupted {
      let reason =
        tally.allCases == 0
        ? "no case was played: \(tally.discarded) of the trials drawn can't be"
        : "no case was judged: \(tally.void) void, \(tally.unsupported) unsupported"
      end = RunExit(.harnessError, reason: reason)
    }
    var run = FuzzRun(lane: .plain, trial: 1, command: options.command, exit: end)
    run.seed = options.drawing.seed
    run.wallSeconds = wall
    run.executions = tally.allCases
    run.rate = wall > 0 ? Double(tally.allCases) / wall : nil
    target.runs = [run]
    target.states = tally.states
    return target
  }
}

extension Scenario {
  /// What surely tells none is not played for it.
  fileprivate var mayTellProgram: Bool {
    guard worlds.contains(.simulated), !canary, !hasOwnTLS, peers.count == 1 else { return false }
    let sent = peers[0].steps.reduce(0) { sum, step in
      if case .send(let payload) = step.value { sum + payload.count } else { sum }
    }
    return sent <= ScenarioProgram.maxBytes
  }
}

extension ExploredTrial.Judgement {
  /// For sentences: `judged by the reference model`.
  package var words: String {
    switch self {
    case .model: "reference model"
    case .expectations: "committed scenario"
    case .laws: "laws of every case"
    }
  }
}
