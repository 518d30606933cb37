import FuzzCampaign
import FuzzHarness
import ReportTestSupport

/// A campaign in which every text that can come from outside tries to break out of its format.
enum HostileCampaign {
  static var campaign: Campaign {
    let strings = HostileText.all
    var provenance = Provenance(version: strings[0], system: strings[7], processors: .min)
    (provenance.commit, provenance.swiftVersion) = (strings[2], strings[3])
    provenance.environment = strings.map { EnvironmentEntry($0, $0) }
    var campaign = Campaign(id: strings[1], mode: strings[0], startedAt: strings[0], provenance: provenance)
    campaign.wallSeconds = .infinity
    for text in strings {
      campaign.missing.append(Missing(text, reason: text))
      campaign.targets.append(target(text))
      campaign.findings.append(finding(text))
      var build = FuzzBuild(target: text, lane: .tsan, command: text)
      build.sha256 = text
      build.modules = [ModuleCounters(text, counters: 0)]
      campaign.provenance.builds.append(build)
    }
    campaign.validation = BugZoo(strings.map(mutant))
    var base = campaign
    base.findings = []
    base.provenance.processors = 9
    campaign.comparison = CampaignComparison(of: campaign, with: base)
    campaign.comparison?.caveats += strings
    campaign.comparison?.functions = strings.map {
      FunctionChange(target: $0, path: $0, name: $0, isEnteredNow: false)
    }
    campaign.gates =
      campaign.judged(against: base)
      + strings.map { Gate(.speed, .failed, threshold: $0, actual: $0, reasons: [$0]) }
    return campaign
  }

  private static func target(_ text: String) -> CampaignTarget {
    guard let scanner = FuzzTarget.named("scanner") else { preconditionFailure("the catalogue has a scanner") }
    var target = CampaignTarget(scanner)
    (target.name, target.promise, target.invariants) = (text, text, [text])
    target.dictionary = DictionaryFact(path: text, sha256: text)
    target.corpusBefore = CorpusFact(files: .max, bytes: .max, sha256: text)
    target.replay = ReplayFact(inputs: .max, failures: [ReplayFailure(path: text, message: text)])
    target.stability = .nan
    var run = FuzzRun(lane: .cov, trial: .max, command: text, exit: RunExit(.harnessError, code: .min, reason: text))
    run.wallSeconds = .nan
    run.rate = .infinity
    run.series = [
      SeriesPoint(seconds: 0, executions: .max, coverage: .max),
      SeriesPoint(seconds: 1e300, executions: .min, coverage: .min),
      SeriesPoint(seconds: .nan, executions: 0), SeriesPoint(seconds: 5, executions: 10, coverage: 3),
    ]
    run.missing = [text]
    target.runs = [run, run]
    target.coverage = CoverageTable(
      unit: .edges,
      files: [
        FileCoverage(
          path: text,
          functions: [
            FunctionCoverage(name: text, line: .min, covered: 0, total: 0),
            FunctionCoverage(name: text, line: 1, covered: 9, total: 2),
          ])
      ])
    target.states = StateCoverage([
      .init(from: text, event: text, to: text, count: .max), .init(from: "a", event: text, to: text, count: 0),
    ])
    return target
  }

  private static func finding(_ text: String) -> Finding {
    var finding = Finding(
      key: FindingKey(target: text, kind: .violation, subject: text, symbols: [text]), lane: .asan, detail: text,
      hits: .max, input: FindingInput(originalPath: text, minimisedPath: text, count: .max, base64: text),
      reproduce: text)
    finding.id = text
    finding.stack = [text, "Sources/\(text).swift:3"]
    finding.scenario = text + "\n" + text
    (finding.scenarioPath, finding.regression) = (text, text)
    finding.firstSeen = FirstSeen(seconds: .nan, executions: .min, trial: 0)
    return finding
  }

  private static func mutant(_ text: String) -> Mutant {
    var mutant = Mutant(text, what: text)
    (mutant.origin, mutant.equivalence, mutant.scenarios) = (text, text, [text])
    mutant.isFoundByScenarios = true
    mutant.hunts = [
      Hunt(
        target: text, lane: .cov, limitSeconds: .nan,
        trials: [HuntTrial(seed: .max, isFound: true, executions: .max, seconds: .nan, key: text)])
    ]
    return mutant
  }
}
