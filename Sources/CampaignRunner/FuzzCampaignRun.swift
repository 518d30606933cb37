import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import ScenarioModel
import SubjectAdapters
import Synchronization

/// One campaign: build, prove, search, look closer at what was found, report.
///
/// A step that fails is reported, and the others go on: findings are never thrown away because a later step failed.
package struct FuzzCampaignRun {
  /// What is asked for, besides the plan.
  package struct Options {
    /// Names the campaign and its folder below the reports.
    package var name: String
    /// Units at the same time.
    package var jobs: Int
    /// Starts from what is committed, in a corpus of its own, so that campaigns can be compared.
    package var isFresh: Bool
    /// Seconds for making an input smaller; 0: not done.
    package var minimiseSeconds: Int
    /// Seconds for measuring the speed of each target; 0: not done.
    package var speedSeconds: Int
    /// An earlier campaign to compare with.
    package var baseline: Campaign?
    /// The last look at the planted bugs, if it was at these sources; a campaign is whole without it.
    package var validation: BugZoo?
    /// The lab's own, for the report.
    package var version: String

    package init(
      name: String, jobs: Int, isFresh: Bool = false, minimiseSeconds: Int, speedSeconds: Int,
      baseline: Campaign? = nil, validation: BugZoo? = nil, version: String = ""
    ) {
      self.name = name
      self.jobs = jobs
      self.isFresh = isFresh
      self.minimiseSeconds = minimiseSeconds
      self.speedSeconds = speedSeconds
      self.baseline = baseline
      self.validation = validation
      self.version = version
    }
  }

  /// The command under which the campaign runs.
  package let session: FuzzSession
  /// The units that are run.
  package let plan: FuzzPlan
  /// What is asked for, besides the plan.
  package let options: Options
  /// The campaign's folder.
  package let folder: String
  private let known: KnownFindings
  private let observer: CampaignObserver

  /// Makes the campaign's folder. Throws if it is there already, or if the known findings can't be read.
  package init(
    session: FuzzSession, plan: FuzzPlan, options: Options, observer: @escaping CampaignObserver = { _ in }
  ) throws {
    self.observer = observer
    self.session = session
    self.plan = plan
    self.options = options
    known = try KnownFindings(path: session.layout.known)
    folder = "\(session.layout.reports)/\(options.name)"
    guard !HostFiles.exists(folder) else {
      throw LabFailure("The campaign \(folder) exists already; nothing was changed. Choose another name.")
    }
    try HostFiles.makeFolder("\(folder)/logs")
  }

  private var layout: FuzzLayout { session.layout }

  /// Runs everything and gives the judged campaign; nothing is written yet but logs and findings, and a note that the
  /// campaign has not ended.
  package func run() -> Campaign {
    let clock = ContinuousClock()
    let start = clock.now
    var campaign = Campaign(
      id: options.name, mode: "run", startedAt: Date().formatted(.iso8601),
      provenance: FuzzProvenance.make(version: options.version, deathPipe: session.deathPipe))
    campaign.shard = plan.shard.count > 1 ? plan.shard.description : nil
    FuzzCampaigns.announce(campaign, in: folder)
    let ready = prepare(&campaign)
    let units = plan.units.filter { ready[$0.target.name] != nil }
    let store = search(units, ready, &campaign)
    campaign.findings = store.findings
    campaign.missing += store.missing
    finish(Array(ready.values.map(\.target)), &campaign)
    campaign.isInterrupted = session.isInterrupted
    campaign.wallSeconds = (clock.now - start).inSeconds
    campaign.validation = options.validation
    campaign.gates = campaign.judged(against: options.baseline)
    if let baseline = options.baseline { campaign.comparison = CampaignComparison(of: campaign, with: baseline) }
    return campaign
  }

  /// A target that can be run.
  private struct Ready {
    var target: FuzzTarget
    var inputs: FuzzInputs
    var layout: FuzzLayout
  }

  private func prepare(_ campaign: inout Campaign) -> [String: Ready] {
    var ready: [String: Ready] = [:]
    let wanted = Dictionary(grouping: plan.units, by: \.target)
    let targets = (FuzzTarget.all + [FuzzTarget.canary]).filter { wanted[$0] != nil }
    for (lane, group) in Dictionary(grouping: targets, by: { wanted[$0]?.first?.lane }) {
      guard let lane, group.count > 1, layout.binaries == nil else { continue }
      tell("Building \(QuantityText.count(group.count, "target")) (\(lane.rawValue))")
      session.buildTogether(group, lane)
    }
    for (index, target) in targets.enumerated() {
      guard let lane = wanted[target]?.first?.lane, !session.isInterrupted else { continue }
      if layout.binaries == nil {
        let place = targets.count > 1 ? ", \(index + 1) of \(targets.count)" : ""
        tell("\(targets.count > 1 ? "Proving" : "Building") \(target.product) (\(lane.rawValue)\(place))")
      }
      do {
        ready[target.name] = try prepare(target, lane, &campaign)
      } catch {
        let reason = (error as? LabFailure)?.message ?? "\(error)"
        campaign.missing.append(Missing("target \(target.name)", reason: reason))
        observer(.problem(reason))
      }
    }
    return ready
  }

  private func tell(_ text: String) { observer(.step(text)) }

  private func prepare(_ target: FuzzTarget, _ lane: FuzzTarget.Lane, _ campaign: inout Campaign) throws -> Ready {
    let proof = try session.build(target, lane)
    campaign.provenance.builds.append(FuzzProvenance.build(target, lane, proof, layout: layout))
    for fault in proof.faults { observer(.problem("\(target.product): \(fault).")) }
    var entry = CampaignTarget(target)
    let dictionary = layout.dictionary(target)
    entry.dictionary = Fingerprint.ofFile(dictionary).map { DictionaryFact(path: dictionary, sha256: $0) }
    var remarks = options.isFresh ? [] : try WorkingCorpus.prepare(target, layout: layout)
    let inputs = try FuzzInputs(
      target, layout: layout, known: known, into: "\(layout.work(target))/inputs/\(options.name)")
    remarks += inputs.remarks
    for file in known.lostFiles(of: target, layout: layout) {
      let remark =
        "\(file) is not there, and \(layout.known) lists it. Take the file from the repository again, or the entry out."
      campaign.missing.append(Missing("regression of \(target.name)", reason: remark))
      observer(.problem(remark))
    }
    for remark in remarks {
      campaign.missing.append(Missing("inputs of \(target.name)", reason: remark))
      observer(.problem(remark))
    }
    entry.corpusBefore = CorpusFacts.of([layout.workingCorpus(target), inputs.folder])
    campaign.targets.append(entry)
    return Ready(target: target, inputs: inputs, layout: layout)
  }

  private func search(_ units: [FuzzUnit], _ ready: [String: Ready], _ campaign: inout Campaign) -> FindingStore {
    let examiner = FuzzExaminer(layout: layout, deathPipe: session.deathPipe)
    let store = Mutex(FindingStore(folder: folder, known: known, examiner: examiner))
    let runs = Mutex<[String: [FuzzRun]]>([:])
    let remarks = Mutex<[Missing]>([])
    let executor = FuzzExecutor(
      layout: layout, campaign: options.name, logs: "\(folder)/logs", isFresh: options.isFresh,
      deathPipe: session.deathPipe)
    observer(.searching(units: units.count))
    let inputs = ready.mapValues(\.inputs)
    session.whileStoppable({ executor.stop() }) {
      executor.run(units, jobs: options.jobs, inputs: inputs, observer: observer) { [observer] worker, record in
        let name = record.unit.target.name
        let trial = runs.withLock { ($0[name]?.count ?? 0) + 1 }
        let new = store.withLock { $0.add(record, trial: trial) }
        observer(.crashed(worker: worker, inputs: record.reading.crashes.count))
        for finding in new { observer(.found(finding)) }
        let run = FuzzProvenance.run(record, trial: trial)
        runs.withLock { $0[name, default: []].append(run) }
        if run.exit.kind == .harnessError || run.exit.kind == .killed {
          observer(.remark("\(name): \(run.exit.reason ?? run.exit.kind.rawValue)"))
        }
        for note in record.notes + record.remarks { observer(.remark(note)) }
        remarks.withLock { $0 += record.remarks.map { Missing("run \(trial) of \(name)", reason: $0) } }
      }
    }
    observer(.searched)
    for index in campaign.targets.indices {
      campaign.targets[index].runs = runs.withLock { $0[campaign.targets[index].name] ?? [] }
    }
    campaign.missing += remarks.withLock { $0 }
    let interrupted = session
    session.whileStoppable({ examiner.stop() }) {
      store.withLock {
        $0.examine(
          minimiseSeconds: options.minimiseSeconds,
          tell: tell,
          isStopped: { interrupted.isInterrupted })
      }
    }
    return store.withLock { $0 }
  }

  /// Measures committed inputs, coverage and speed after the search; several targets at a time, except for speed, which
  /// needs an idle machine.
  private func finish(_ targets: [FuzzTarget], _ campaign: inout Campaign) {
    let examiner = FuzzExaminer(layout: layout, deathPipe: session.deathPipe)
    let (plan, known, speedSeconds) = (plan, known, options.speedSeconds)
    let before = campaign.targets
    let measured = Mutex<[Int: (CampaignTarget, Missing?)]>([:])
    let next = Atomic(0)
    session.whileStoppable({ examiner.stop() }) {
      DispatchQueue.concurrentPerform(iterations: speedSeconds > 0 ? 1 : max(1, options.jobs)) { _ in
        while true {
          let index = next.add(1, ordering: .relaxed).oldValue
          guard before.indices.contains(index) else { return }
          let lane = plan.units.first { $0.target.name == before[index].name }?.lane
          let result = Self.measure(before[index], lane, examiner, known, speedSeconds)
          measured.withLock { $0[index] = result }
        }
      }
    }
    for (index, result) in measured.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      campaign.targets[index] = result.0
      if let missing = result.1 { campaign.missing.append(missing) }
    }
    for target in targets { HostFiles.remove("\(layout.work(target))/inputs/\(options.name)") }
  }

  /// A target with what it is measured for; beside it, what could not be.
  private static func measure(
    _ entry: CampaignTarget, _ lane: FuzzTarget.Lane?, _ examiner: FuzzExaminer, _ known: KnownFindings,
    _ speedSeconds: Int
  ) -> (CampaignTarget, Missing?) {
    guard let target = FuzzTarget.named(entry.name), let lane else { return (entry, nil) }
    var entry = entry
    entry.corpusAfter = CorpusFacts.of([examiner.layout.workingCorpus(target)])
    guard !examiner.isStopRequested else { return (entry, nil) }
    do {
      entry.replay = try examiner.replayCommitted(target, lane, known: known)
      entry.coverage = try examiner.coverage(target, lane)
      entry.states = try examiner.states(target)
      if speedSeconds > 0, let rate = try examiner.speed(target, lane, seconds: speedSeconds) {
        entry.speeds = [LaneSpeed(lane, maxLength: FuzzExaminer.speedLength, rates: [rate])]
      }
      return (entry, nil)
    } catch {
      return (entry, Missing("measures of \(target.name)", reason: (error as? LabFailure)?.message ?? "\(error)"))
    }
  }
}
