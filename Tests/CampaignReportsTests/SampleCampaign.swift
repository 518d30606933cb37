import FuzzCampaign
import FuzzHarness

/// A campaign with one of everything, a clean one, and one in which nothing could be done.
enum SampleCampaign {
  static var provenance: Provenance {
    var provenance = Provenance(version: "1.0", system: "Linux 6.1 x86_64", processors: 2)
    provenance.commit = "d524be1c0ffee0ddba11ad0beefcafe012345678"
    provenance.isDirty = false
    provenance.swiftVersion = "6.3.1"
    provenance.environment = [EnvironmentEntry("ASAN_OPTIONS", "quarantine_size_mb=4")]
    return provenance
  }

  static func build(_ target: String, _ lane: FuzzTarget.Lane) -> FuzzBuild {
    var build = FuzzBuild(
      target: target, lane: lane,
      command: "swift build -c release --product fuzz_\(target) --sanitize fuzzer -Xswiftc -DFUZZING")
    build.sha256 = String(repeating: "5a", count: 32)
    build.modules = [
      ModuleCounters("CoreFuzzing", counters: 203, sanitizerChecks: lane == .cov ? nil : 812),
      ModuleCounters("SocketCore", counters: 1388, sanitizerChecks: lane == .cov ? nil : 5120),
    ]
    return build
  }

  /// A run whose coverage grows as it does: quickly, then hardly. No chance in it; trials differ by their number.
  static func run(_ lane: FuzzTarget.Lane, trial: Int, rate: Double, edges: Int, seconds: Double = 60) -> FuzzRun {
    var run = FuzzRun(
      lane: lane, trial: trial,
      command: "fuzz_x corpus -seed=\(trial) -use_value_profile=1 -max_total_time=\(Int(seconds))",
      exit: RunExit(.clean, code: 0))
    run.startedAt = "2026-01-02T03:04:05Z"
    run.seed = UInt64(trial)
    run.wallSeconds = seconds
    run.cpuSeconds = seconds * 0.98
    run.executions = Int(rate * seconds)
    run.rate = rate
    run.rateP10 = rate * 0.8
    run.peakRssBytes = 46 << 20
    run.slowestUnitSeconds = 0
    run.counters = 1591
    run.log = "logs/x-\(lane.rawValue)-\(trial).log"
    var left = 1.0
    for step in 0...40 {
      let share = Double(step * step) / 1600
      run.series.append(
        SeriesPoint(
          seconds: share * seconds, executions: Int(share * rate * seconds),
          coverage: Int(Double(edges - 7 * trial) * (1 - left)), features: Int(Double(edges * 4) * (1 - left)),
          corpusFiles: 3 * step, corpusBytes: 90 * step, rate: Int(rate), rssBytes: 44 << 20))
      left *= 0.86 - 0.01 * Double(trial)
    }
    return run
  }

  static var clean: Campaign {
    var campaign = Campaign(
      id: "2026-01-02-clean", mode: "run", startedAt: "2026-01-02T03:04:05Z", provenance: provenance)
    campaign.wallSeconds = 618
    for (name, rate, edges) in [("scanner", 412_000.0, 212), ("readqueue", 187_000, 388)] {
      guard let known = FuzzTarget.named(name) else { continue }
      var target = CampaignTarget(known)
      target.invariants = ["INV-05", "\(name)/order"]
      target.corpusBefore = CorpusFact(files: 40, bytes: 1200, sha256: "ab")
      target.corpusAfter = CorpusFact(files: 131, bytes: 6040, sha256: "cd")
      target.replay = ReplayFact(inputs: 44)
      target.stability = 1
      target.runs = (1...5).map { run(.cov, trial: $0, rate: rate, edges: edges) }
      target.runs += (1...5).map { run(.asan, trial: $0, rate: rate * 0.4, edges: edges) }
      target.speeds = [
        LaneSpeed(.cov, maxLength: 256, rates: [rate * 1.1, rate, rate * 0.9]),
        LaneSpeed(.asan, maxLength: 256, rates: [rate * 0.4]),
      ]
      target.coverage = coverage(missing: name == "scanner" ? 2 : 9)
      campaign.targets.append(target)
      campaign.provenance.builds += [build(name, .cov), build(name, .asan)]
    }
    campaign.targets[1].states = states
    campaign.gates = campaign.judged()
    return campaign
  }

  static func coverage(missing: Int) -> CoverageTable {
    let functions = (0..<8).map { index in
      FunctionCoverage(
        name: "DelimiterScanner.step\(index)(_:)", line: 20 + 11 * index, covered: max(0, 9 - index * missing / 4),
        total: 9)
    }
    return CoverageTable(
      unit: .edges,
      files: [
        FileCoverage(path: "Sources/SocketCore/DelimiterScanner.swift", functions: functions),
        FileCoverage(
          path: "Sources/SocketCore/Prebuffer.swift",
          functions: [
            FunctionCoverage(name: "Prebuffer.write(_:)", line: 31, covered: 14, total: 14),
            FunctionCoverage(name: "Prebuffer.description.getter", line: 90, covered: 0, total: 3),
          ]),
        FileCoverage(
          path: "Sources/FuzzHarness/FuzzInput.swift",
          functions: [FunctionCoverage(name: "FuzzInput.bool()", line: 33, covered: 1, total: 2)]),
      ])
  }

  static var states: StateCoverage {
    StateCoverage([
      .init(from: "idle", event: "connect", to: "connecting", count: 18_211),
      .init(from: "connecting", event: "established", to: "open", count: 17_020),
      .init(from: "connecting", event: "timeout", to: "closed", count: 1191),
      .init(from: "open", event: "read", to: "open", count: 2_410_332),
      .init(from: "open", event: "eof", to: "halfClosed", count: 802),
      .init(from: "halfClosed", event: "flushed", to: "closed", count: 77),
      .init(from: "open", event: "reset", to: "closed", count: 5),
      .init(from: "open", event: "startTLS", to: "securing", count: 0),
      .init(from: "securing", event: "secured", to: "open", count: 0),
    ])
  }

  /// Everything that can be told, good and bad.
  static var full: Campaign {
    var campaign = clean
    campaign.id = "2026-01-03-full"
    campaign.isInterrupted = true
    campaign.targets[0].runs[7] = killed
    campaign.targets[0].runs[8] = broken
    campaign.targets[1].runs[5].exit = RunExit(.crash, code: 77)
    campaign.targets[1].runs[5].rate = 18_000
    campaign.targets[1].runs[6].rate = 17_000
    campaign.targets[1].replay = ReplayFact(
      inputs: 44, failures: [ReplayFailure(path: "Fuzz/regressions/readqueue/seam", message: "violation of INV-05")])
    campaign.targets[1].coverage = coverage(missing: 14)
    campaign.findings = [violation, memory, known]
    campaign.validation = zoo
    campaign.missing = [
      Missing("log of scanner, asan, trial 3", reason: "no space left on the disk after 12 MB"),
      Missing("source coverage", reason: "llvm-cov is not installed"),
    ]
    campaign.comparison = CampaignComparison(of: campaign, with: clean)
    campaign.gates = campaign.judged(against: clean)
    return campaign
  }

  static var nothing: Campaign {
    Campaign(
      id: "empty", mode: "run", startedAt: "2026-01-02T03:04:05Z",
      provenance: Provenance(version: "1.0", system: "Linux", processors: 1))
  }

  private static var killed: FuzzRun {
    var run = run(.asan, trial: 3, rate: 160_000, edges: 212, seconds: 12)
    run.exit = RunExit(.killed, signal: 9, reason: "something else ended it with signal 9")
    run.missing = ["statistics"]
    return run
  }

  private static var broken: FuzzRun {
    FuzzRun(
      lane: .asan, trial: 4, command: "fuzz_scanner corpus",
      exit: RunExit(
        .harnessError, code: 0, reason: "no counters loaded: the program is not instrumented, or has an empty main"))
  }

  private static var violation: Finding {
    let key = FindingKey(target: "readqueue", kind: .violation, subject: "readqueue/fifo", symbols: [])
    var finding = Finding(
      key: key, lane: .asan, detail: "expected didRead(tag: 1), saw didRead(tag: 2) first", hits: 17,
      input: FindingInput(
        originalPath: "crashes/readqueue/crash-1f2e", minimisedPath: "crashes/readqueue/crash-1f2e.min", count: 12,
        base64: "Q1JMRg0KAQICAQAB"),
      reproduce: "./lab fuzz replay readqueue reports/fuzz/2026-01-03-full/crashes/readqueue/crash-1f2e.min")
    finding.firstSeen = FirstSeen(seconds: 3.2, executions: 61_020, trial: 1)
    finding.replays = [LaneReplay(.asan, reproduced: 20, of: 20), LaneReplay(.cov, reproduced: 20, of: 20)]
    finding.scenario = """
      title: Two reads end in the order they were asked for
      steps:
        - read: { to: "\\r\\n", tag: 1 }
        - read: { length: 2, tag: 2 }
        - peer: { send: "CRLF\\r\\n\\x01\\x02" }
      expect:
        - didRead: { tag: 1 }
        - didRead: { tag: 2 }
      """
    finding.scenarioPath = "crashes/readqueue/crash-1f2e.yaml"
    return finding
  }

  private static var memory: Finding {
    let symbols = ["Prebuffer.write(_:)", "ReadQueue.deliver(_:)", "ReadQueueFuzzing.body"]
    var finding = Finding(
      key: FindingKey(target: "readqueue", kind: .memory, subject: "heap-buffer-overflow", symbols: symbols),
      lane: .asan, detail: "heap-buffer-overflow", status: .regressed, hits: 2,
      input: FindingInput(originalPath: "crashes/readqueue/crash-99", count: 40_211),
      reproduce: "./lab fuzz replay readqueue --lane asan reports/fuzz/2026-01-03-full/crashes/readqueue/crash-99")
    finding.stack = [
      "Prebuffer.write(_:) Sources/SocketCore/Prebuffer.swift:88:14",
      "ReadQueue.deliver(_:) Sources/SocketCore/ReadQueue.swift:120:9",
    ]
    finding.replays = [LaneReplay(.asan, reproduced: 20, of: 20), LaneReplay(.cov, reproduced: 3, of: 20)]
    finding.regression = "Fuzz/regressions/readqueue/overflow"
    return finding
  }

  private static var known: Finding {
    Finding(
      key: FindingKey(target: "scanner", kind: .timeout, subject: "timeout", symbols: ["DelimiterScanner.scan(_:)"]),
      lane: .cov, detail: "timeout after 5 seconds", status: .known,
      input: FindingInput(originalPath: nil, count: 0, base64: ""), reproduce: "./lab fuzz replay scanner x")
  }

  static var zoo: BugZoo {
    func hunt(_ target: String, _ executions: [Int?]) -> Hunt {
      Hunt(
        target: target, lane: .asan, limitSeconds: 60,
        trials: executions.enumerated().map { index, count in
          HuntTrial(
            seed: UInt64(index + 1), isFound: count != nil, executions: count ?? 2_000_000,
            seconds: count.map { Double($0) / 50_000 } ?? 60)
        })
    }
    var seam = Mutant("delimiter-lost-at-seam", what: "a delimiter that is cut between two reads is not found")
    seam.origin = "#42"
    seam.hunts = [hunt("scanner", [310, 512, 77, 1020, 640]), hunt("readqueue", [9000, 8000, nil, 7000, 12_000])]
    seam.isFoundByScenarios = true
    seam.scenarios = ["read/delimiter-split-across-two-segments"]
    var stale = Mutant("stale-search-memo", what: "the search goes on where it was, after bytes were taken")
    stale.hunts = [hunt("scanner", [nil, nil, 88_000, nil, nil])]
    stale.isFoundByScenarios = false
    var only = Mutant("timer-not-cancelled", what: "a timer outlives its read")
    only.hunts = [hunt("connection", [nil, nil, nil, nil, nil])]
    only.isFoundByScenarios = true
    var equal = Mutant("growth-by-one", what: "the buffer grows by a byte more")
    equal.equivalence = "Capacity is not observable; the bound on it holds with one byte more."
    return BugZoo([seam, stale, only, equal])
  }
}
