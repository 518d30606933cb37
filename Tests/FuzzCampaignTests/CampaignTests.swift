import Foundation
import FuzzHarness
import Testing

@testable import FuzzCampaign

/// A small campaign whose every gate passes; the rows below break one thing each.
enum SoundCampaign {
  static func run(_ trial: Int, lane: FuzzTarget.Lane = .cov, edges: Int = 100) -> FuzzRun {
    var run = FuzzRun(lane: lane, trial: trial, command: "fz -seed=\(trial) -dict=d", exit: RunExit(.clean, code: 0))
    run.wallSeconds = 10
    run.executions = 9_000_000
    run.rate = 900_000
    run.series = [
      SeriesPoint(seconds: 0, executions: 1, coverage: 1),
      SeriesPoint(seconds: 10, executions: 9_000_000, coverage: edges + trial, features: edges, corpusFiles: 4),
    ]
    return run
  }

  static func make() throws -> Campaign {
    var provenance = Provenance(version: "1", system: "Linux", processors: 2)
    var build = FuzzBuild(target: "scanner", lane: .cov, command: "swift build")
    build.modules = [ModuleCounters("SocketCore", counters: 12)]
    provenance.builds = [build]
    var campaign = Campaign(id: "a", mode: "run", startedAt: "2026-01-02T03:04:05Z", provenance: provenance)
    var target = CampaignTarget(try #require(FuzzTarget.named("scanner")))
    target.runs = (1...5).map { run($0) }
    target.speeds = [LaneSpeed(.cov, maxLength: 256, rates: [900_000])]
    target.replay = ReplayFact(inputs: 3)
    target.coverage = CoverageTable(
      unit: .edges,
      files: [
        FileCoverage(path: "Sources/A.swift", functions: [FunctionCoverage(name: "f", line: 1, covered: 3, total: 4)])
      ])
    campaign.targets = [target]
    campaign.validation = BugZoo([mutant("m", found: [true, true, true, false, false])])
    return campaign
  }

  static func mutant(_ name: String, found: [Bool]) -> Mutant {
    var mutant = Mutant(name, what: "w")
    mutant.hunts = [
      Hunt(
        target: "scanner", lane: .cov, limitSeconds: 60,
        trials: found.enumerated().map {
          HuntTrial(seed: UInt64($0), isFound: $1, executions: 100 * ($0 + 1), seconds: Double($0))
        })
    ]
    return mutant
  }

  /// Mutants that fuzzing finds, then those that only scenarios find, then those that nobody finds.
  static func zoo(found: Int, byScenarios: Int = 0, of count: Int) -> BugZoo {
    BugZoo(
      (0..<count).map { number in
        var mutant = mutant("m\(number)", found: [number < found])
        let scenarios = number < found + byScenarios ? ["a/a"] : []
        mutant.note([Sighting(world: "simulated", scenarios: scenarios, deviation: nil)])
        return mutant
      })
  }

  /// Built and run with a sanitizer, whose checks nobody has put in.
  @Sendable static func becomeAsan(_ campaign: inout Campaign) {
    campaign.provenance.builds[0].lane = .asan
    for index in campaign.targets[0].runs.indices { campaign.targets[0].runs[index].lane = .asan }
  }

  static func finding(_ subject: String, _ status: Finding.Status) -> Finding {
    Finding(
      key: FindingKey(target: "scanner", kind: .violation, subject: subject, symbols: []), lane: .cov, detail: "d",
      status: status, input: FindingInput(originalPath: nil, count: 1), reproduce: "r")
  }
}

@Suite struct CampaignGatesTests {
  @Test func aSoundCampaignPassesEachGate() throws {
    let campaign = try SoundCampaign.make()
    let gates = campaign.judged(against: campaign)
    #expect(gates.map(\.name) == Gate.Name.allCases)
    #expect(gates.allSatisfy { $0.state == .passed }, "\(gates)")
  }

  /// A search has longer inputs than the floors are for, and begins with reading its corpus.
  @Test func aSearchThatWasSlowIsNoMeasurement() throws {
    var campaign = try SoundCampaign.make()
    campaign.targets[0].speeds = []
    for index in campaign.targets[0].runs.indices { campaign.targets[0].runs[index].rate = 1 }
    #expect(campaign.judged().first { $0.name == .speed }?.state == .skipped)
  }

  static let faults: [(name: String, gate: Gate.Name, fault: @Sendable (inout Campaign) -> Void)] = [
    ("new finding", .findings, { $0.findings = [SoundCampaign.finding("x", .new)] }),
    ("regressed", .findings, { $0.findings = [SoundCampaign.finding("x", .regressed)] }),
    ("flaky", .findings, { $0.findings = [SoundCampaign.finding("x", .flaky)] }),
    ("harness error", .health, { $0.targets[0].runs[2].exit = RunExit(.harnessError, code: 0, reason: "lie") }),
    ("killed", .health, { $0.targets[0].runs[2].exit = RunExit(.killed, signal: 9) }),
    ("no counters", .instrumented, { $0.provenance.builds[0].modules[0].counters = 0 }),
    ("nobody looked", .instrumented, { $0.provenance.builds[0].modules = [] }),
    ("no build told", .instrumented, { $0.provenance.builds = [] }),
    ("asan without its checks", .instrumented, { $0.provenance.builds[0].lane = .asan }),
    ("sanitizer that checks nothing", .instrumented, SoundCampaign.becomeAsan),
    ("slow", .speed, { $0.targets[0].speeds = [LaneSpeed(.cov, maxLength: 256, rates: [5])] }),
    ("slow but once", .speed, { $0.targets[0].speeds = [LaneSpeed(.cov, maxLength: 256, rates: [5, 6, 900_000])] }),
    (
      "regression", .regressions,
      { $0.targets[0].replay?.failures = [ReplayFailure(path: "p", message: "violation of x: y")] }
    ),
    (
      "regression of a later target", .regressions,
      {
        $0.targets.append($0.targets[0])
        $0.targets[1].name = "prebuffer"
        $0.targets[1].runs = []
        $0.targets[1].replay?.failures = [ReplayFailure(path: "p", message: "violation of x: y")]
      }
    ),
    ("one survivor of twenty", .zoo, { $0.validation = SoundCampaign.zoo(found: 19, of: 20) }),
    ("most by scenarios alone", .zoo, { $0.validation = SoundCampaign.zoo(found: 5, byScenarios: 15, of: 20) }),
    ("survivor", .zoo, { $0.validation = BugZoo([SoundCampaign.mutant("m", found: [true, false, false])]) }),
    ("less coverage", .coverage, { $0.targets[0].coverage?.files[0].functions[0].covered = 2 }),
    ("missing", .complete, { $0.missing = [Missing("log", reason: "gone")] }),
    ("interrupted", .complete, { $0.isInterrupted = true }),
    ("missing in a run", .complete, { $0.targets[0].runs[0].missing = ["statistics"] }),
  ]

  @Test(arguments: faults.map(\.name))
  func eachFaultFailsItsGateAndNoOther(name: String) throws {
    let row = try #require(Self.faults.first { $0.name == name })
    let baseline = try SoundCampaign.make()
    var campaign = baseline
    row.fault(&campaign)
    let failed = campaign.judged(against: baseline).filter { $0.state == .failed }
    #expect(failed.map(\.name) == [row.gate])
    #expect(failed.first?.reasons.isEmpty == false)
  }

  /// Whatever else is missing.
  @Test(arguments: [
    (0, false, "complete"), (2, false, "2 missing"), (0, true, "interrupted"), (2, true, "2 missing, interrupted"),
  ])
  func anInterruptionIsAlwaysNamed(missing: Int, isInterrupted: Bool, actual: String) throws {
    var campaign = try SoundCampaign.make()
    campaign.missing = (0..<missing).map { Missing("log \($0)", reason: "gone") }
    campaign.isInterrupted = isInterrupted
    let gate = try #require(campaign.judged().first { $0.name == .complete })
    #expect(gate.actual == actual)
    #expect(gate.state == (missing == 0 && !isInterrupted ? .passed : .failed))
    #expect(gate.reasons.count == missing + (isInterrupted ? 1 : 0))
    #expect(gate.reasons.contains("interrupted: not everything ran") == isInterrupted)
  }

  @Test func whatWasNotDoneIsSkippedAndNotPassed() {
    let empty = Campaign(
      id: "e", mode: "run", startedAt: "", provenance: Provenance(version: "1", system: "L", processors: 1))
    let passed = empty.judged().filter { $0.state == .passed }.map(\.name)
    #expect(passed == [.findings, .complete])
    #expect(!empty.hasPassed)
    var none = empty
    none.targets = FuzzTarget.all.prefix(1).map { CampaignTarget($0) }
    none.targets[0].replay = ReplayFact(inputs: 0)
    #expect(none.judged().first { $0.name == .regressions }?.state == .skipped)
  }

  @Test func knownFindingsDoNotFail() throws {
    var campaign = try SoundCampaign.make()
    campaign.findings = [SoundCampaign.finding("x", .known), SoundCampaign.finding("y", .fixed)]
    #expect(campaign.judged().allSatisfy { $0.state != .failed })
  }

  @Test func aMutantNeedsMoreThanALuckySeed() throws {
    let half = SoundCampaign.mutant("m", found: [true, false])
    #expect(!half.isFound)
    let most = SoundCampaign.mutant("m", found: [true, true, false])
    #expect(most.isFound && most.hunts[0].medianExecutions == 200)
    var argued = half
    argued.equivalence = "nothing sees it"
    #expect(BugZoo([argued]).killRate == nil)
    #expect(BugZoo([argued, most]).killRate == 1)
  }

  /// A trial that found nothing has no time until it found something.
  @Test func aTrialInVainCountsAsEndless() {
    let last = SoundCampaign.mutant("m", found: [false, true, true]).hunts[0]
    #expect(last.medianExecutions == 300 && last.medianSeconds == 2)
    let half = SoundCampaign.mutant("m", found: [false, false, true]).hunts[0]
    #expect(half.medianExecutions == nil && half.medianSeconds == nil)
  }

  @Test func aMutantRemembersWhatTheScenariosSaw() throws {
    var mutant = Mutant("m", what: "w")
    mutant.note([
      Sighting(world: "simulated", scenarios: [], deviation: nil),
      Sighting(world: "loopback", scenarios: ["a/a", "b/b", "c/c", "d/d"], deviation: "a/a: late: x"),
    ])
    #expect(mutant.isFoundByScenarios == true && mutant.scenarios == ["a/a", "b/b", "c/c"])
    #expect(mutant.firstDeviation == "a/a: late: x")
    #expect(try JSONDecoder().decode(Mutant.self, from: JSONEncoder().encode(mutant)) == mutant)
    mutant.note([Sighting(world: "loopback", scenarios: [], deviation: nil)])
    #expect(mutant.isFoundByScenarios == false && mutant.firstDeviation == nil)
  }

  @Test func aRecordFromBeforeSightingsIsReadable() throws {
    let old = #"{"name":"m","what":"w","hunts":[],"scenarios":["a/a"],"isFoundByScenarios":true}"#
    let mutant = try JSONDecoder().decode(Mutant.self, from: Data(old.utf8))
    #expect(mutant.scenarios == ["a/a"] && mutant.sightings == nil && mutant.firstDeviation == nil)
  }
}

@Suite struct CampaignComparisonTests {
  @Test func aCampaignIsLikeItself() throws {
    let campaign = try SoundCampaign.make()
    #expect(CampaignComparison(of: campaign, with: campaign).isEmpty)
  }

  private func change(
    _ measure: MeasureComparison.Measure, _ edit: (inout Campaign) -> Void
  ) throws -> MeasureComparison {
    let before = try SoundCampaign.make()
    var after = before
    edit(&after)
    let comparison = CampaignComparison(of: after, with: before)
    return try #require(comparison.measures.first { $0.measure == measure })
  }

  @Test func fiveTrialsApartAreAChange() throws {
    let higher = try change(.coverage) { $0.targets[0].runs = (1...5).map { SoundCampaign.run($0, edges: 200) } }
    #expect(higher.change == .higher && higher.note == nil)
    let lower = try change(.coverage) { $0.targets[0].runs = (1...5).map { SoundCampaign.run($0, edges: 50) } }
    #expect(lower.change == .lower)
  }

  @Test func overlapOrFewTrialsAreUnclear() throws {
    let overlap = try change(.coverage) { $0.targets[0].runs = (1...5).map { SoundCampaign.run($0, edges: 102) } }
    #expect(overlap.change == .unclear)
    let few = try change(.coverage) { $0.targets[0].runs = (1...4).map { SoundCampaign.run($0, edges: 200) } }
    #expect(few.change == .unclear && few.note?.contains("fewer than 5") == true)
  }

  /// Coverage of other counters means something else: no figure is shown at all.
  @Test func otherInstrumentationIsNotCompared() throws {
    let other = try change(.coverage) { $0.provenance.builds[0].modules[0].counters = 13 }
    #expect(other.change == .incomparable && other.before == nil && other.after == nil)
    let unknown = try change(.features) { $0.provenance.builds[0].modules = [] }
    #expect(unknown.change == .incomparable)
    let host = try change(.executionsPerSecond) { $0.provenance.processors = 64 }
    #expect(host.change == .incomparable)
  }

  @Test func otherCircumstancesAreSaid() throws {
    let longer = try change(.coverage) { campaign in
      campaign.targets[0].runs = (1...5).map { SoundCampaign.run($0, edges: 200) }
      for index in 0..<5 { campaign.targets[0].runs[index].wallSeconds = 100 }
    }
    #expect(longer.change == .unclear && longer.note?.contains("10 s a run before, 100 s now") == true)
    let options = try change(.coverage) { campaign in
      campaign.targets[0].runs = (1...5).map { SoundCampaign.run($0, edges: 200) }
      for index in 0..<5 { campaign.targets[0].runs[index].command += " -use_value_profile=1" }
    }
    #expect(options.note == "other options")
  }

  /// What is not there to be compared is said, and not taken for equal.
  @Test func whatDiffersIsSaid() throws {
    let before = try SoundCampaign.make()
    func compared(_ edit: (inout Campaign, inout Campaign) -> Void) -> CampaignComparison {
      var (earlier, later) = (before, before)
      edit(&earlier, &later)
      return CampaignComparison(of: later, with: earlier)
    }
    let dirty = compared { earlier, _ in earlier.provenance.isDirty = true }
    #expect(dirty.caveats == ["the earlier campaign was of a checkout with changes"])
    #expect(compared { _, later in later.targets = [] }.caveats == ["scanner is no longer there"])
    let unbuilt = compared { earlier, _ in earlier.provenance.builds = [] }
    #expect(unbuilt.measures.filter { $0.measure == .coverage }.map(\.change) == [.incomparable])
    let corpus = compared { earlier, later in
      earlier.targets[0].corpusBefore = CorpusFact(files: 1, bytes: 1, sha256: "a")
      later.targets[0].runs = (1...5).map { SoundCampaign.run($0, edges: 200) }
    }
    #expect(corpus.measures.first { $0.measure == .coverage }?.note == "another corpus at the start")
    let broken = compared { earlier, later in
      earlier.targets[0].runs.append(SoundCampaign.run(6, edges: 900))
      earlier.targets[0].runs[5].exit = RunExit(.harnessError)
      later.targets[0].runs = (1...5).map { SoundCampaign.run($0, edges: 200) }
    }
    let change = broken.measures.first { $0.measure == .coverage }?.change
    #expect(change == .higher, "a run that proves nothing has no part")
    let lost = compared { earlier, later in
      earlier.targets[0].coverage?.files[0].functions[0].name = "g"
      later.targets[0].coverage?.files[0].functions.append(FunctionCoverage(name: "g", line: 9, covered: 0, total: 0))
    }
    #expect(lost.functions.map(\.isEnteredNow) == [false] && !lost.isEmpty)
  }

  @Test func aFindingThatWasFixedOrComesNowAndThenIsNew() throws {
    let before = try SoundCampaign.make()
    for (earlier, later) in [([Finding.Status.fixed], Finding.Status.new), ([.fixed], .regressed), ([], .flaky)] {
      var (old, new) = (before, before)
      old.findings = earlier.map { SoundCampaign.finding("a", $0) }
      new.findings = [SoundCampaign.finding("a", later)]
      #expect(CampaignComparison(of: new, with: old).findings.new == ["scanner violation a"], "\(later)")
    }
  }

  @Test func programsOfTwoLanesOrOfUnknownBytesAreNotTheSame() {
    var one = FuzzBuild(target: "scanner", lane: .cov, command: "")
    #expect(!one.isInstrumented(as: one), "neither has been looked at")
    one.sha256 = "a"
    var other = one
    other.lane = .asan
    #expect(one.isInstrumented(as: one) && !one.isInstrumented(as: other))
  }

  @Test func findingsAndFunctions() throws {
    var before = try SoundCampaign.make()
    before.findings = [SoundCampaign.finding("a", .new), SoundCampaign.finding("b", .known)]
    var after = before
    after.findings = [SoundCampaign.finding("b", .known), SoundCampaign.finding("c", .new)]
    after.targets[0].coverage?.files[0].functions[0].covered = 0
    let comparison = CampaignComparison(of: after, with: before)
    #expect(comparison.findings.new == ["scanner violation c"])
    #expect(comparison.findings.gone == ["scanner violation a"])
    #expect(comparison.findings.still == ["scanner violation b"])
    #expect(comparison.functions.map(\.isEnteredNow) == [false])
    #expect(comparison.measures.contains { $0.measure == .replayedCoverage && $0.change == .lower })
    #expect(!comparison.isEmpty)
  }
}

@Suite struct CampaignJSONTests {
  @Test func roundTripsAndIsStable() throws {
    let campaign = try SoundCampaign.make()
    let bytes = try CampaignJSON.encode(campaign)
    #expect(try CampaignJSON.decode(bytes) == campaign)
    #expect(try CampaignJSON.encode(campaign) == bytes)
  }

  @Test func unknownKeysArePassedOver() throws {
    let campaign = try SoundCampaign.make()
    let text = String(decoding: try CampaignJSON.encode(campaign), as: UTF8.self)
    let later = text.replacing("{\n", with: "{\"later_on\": [1, {}],\n")
    #expect(later != text)
    #expect(try CampaignJSON.decode(later.utf8) == campaign)
  }

  @Test(arguments: ["", "x", "[]", "{}", #"{"schema": 1}"#, #"{"schema": "1"}"#, #"{"schema": 1, "id": 3}"#])
  func malformedFilesAreRefused(text: String) {
    #expect {
      try CampaignJSON.decode(text.utf8)
    } throws: { error in
      guard case .malformed(let why) = error as? CampaignReadFailure else { return false }
      return !why.isEmpty
    }
  }

  @Test func otherSchemasAreNamed() {
    #expect(throws: CampaignReadFailure.unknownSchema(9)) { try CampaignJSON.decode(#"{"schema": 9}"#.utf8) }
  }
}
