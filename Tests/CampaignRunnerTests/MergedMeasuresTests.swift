import FuzzCampaign
import FuzzHarness
import HostTools
import Testing

@testable import CampaignRunner

/// What one part of a campaign has seen is in the whole, whatever the others say.
@Suite struct MergedMeasuresTests {
  private let scanner: FuzzTarget

  init() throws { scanner = try #require(FuzzTarget.named("scanner")) }

  private func part(_ id: String, _ change: (inout Campaign) -> Void = { _ in }) -> Campaign {
    var provenance = Provenance(version: "1", system: "Linux", processors: 2)
    provenance.commit = "c"
    var build = FuzzBuild(target: "scanner", lane: .asan, command: "swift build")
    build.modules = [ModuleCounters("SocketCore", counters: 12, sanitizerChecks: 3)]
    provenance.builds = [build]
    var campaign = Campaign(id: id, mode: "run", startedAt: "2026-01-02", provenance: provenance)
    var target = CampaignTarget(scanner)
    target.runs = [FuzzRun(lane: .asan, trial: 1, command: "fz", exit: RunExit(.clean, code: 0))]
    target.replay = ReplayFact(inputs: 3)
    campaign.targets = [target]
    change(&campaign)
    return campaign
  }

  private func merged(_ parts: Campaign...) -> Campaign {
    var merger = CampaignMerger(id: "whole", first: parts[0])
    for (index, part) in parts.enumerated() { merger.join(part, place: "parts/\(index + 1)", below: "whole") }
    merger.campaign.gates = merger.campaign.judged()
    return merger.campaign
  }

  private func failed(_ campaign: Campaign) -> [Gate.Name] {
    campaign.gates.filter { $0.state == .failed }.map(\.name)
  }

  @Test func soundPartsMakeASoundWhole() {
    let whole = merged(part("one"), part("two"))
    #expect(failed(whole) == [] && whole.hasPassed && !whole.isInterrupted)
    #expect(whole.targets.flatMap(\.runs).map(\.trial) == [1, 2])
    #expect(whole.provenance.builds.count == 1 && whole.missing.isEmpty)
  }

  /// Each fails a gate of the part that it is in, and so of the whole.
  private static let troubles: [(name: String, gate: Gate.Name, trouble: @Sendable (inout Campaign) -> Void)] = [
    (
      "a committed input fails", .regressions,
      { $0.targets[0].replay?.failures = [ReplayFailure(path: "p", message: "m")] }
    ),
    ("it is slow", .speed, { $0.targets[0].speeds = [LaneSpeed(.asan, maxLength: 256, rates: [1])] }),
    ("a run was killed", .health, { $0.targets[0].runs[0].exit = RunExit(.killed, signal: 9) }),
    ("another program", .complete, { $0.provenance.builds[0].modules[0].counters = 0 }),
    ("a program that nobody looked into", .complete, { $0.provenance.builds[0].modules = [] }),
    ("something is missing", .complete, { $0.missing = [Missing("log", reason: "gone")] }),
    ("no commit is known", .complete, { $0.provenance.commit = nil }),
    ("a planted bug survives", .zoo, { $0.validation = BugZoo([Mutant("m", what: "drops a byte")]) }),
    (
      "a program of another lane", .instrumented,
      {
        $0.provenance.builds[0].lane = .cov
        $0.provenance.builds[0].modules[0].counters = 0
      }
    ),
  ]

  @Test(arguments: troubles.indices)
  func aTroubleOfOnePartIsOneOfTheWhole(_ index: Int) {
    let row = Self.troubles[index]
    #expect(failed(merged(part("one"), part("two", row.trouble))) == [row.gate], "\(row.name)")
  }

  @Test func figuresOfEachPartAreThere() {
    let table = CoverageTable(unit: .edges, files: [])
    let whole = merged(
      part("one") {
        $0.targets[0].replay = nil
        $0.targets[0].speeds = [LaneSpeed(.asan, maxLength: 256, rates: [20_000])]
      },
      part("two") {
        $0.isInterrupted = true
        $0.targets[0].coverage = table
        $0.targets[0].corpusAfter = CorpusFact(files: 4, bytes: 9)
        $0.targets[0].speeds = [LaneSpeed(.asan, maxLength: 256, rates: [30_000])]
      })
    #expect(whole.isInterrupted)
    #expect(whole.targets[0].replay?.inputs == 3)
    #expect(whole.targets[0].speeds.flatMap(\.rates) == [20_000, 30_000])
    #expect(whole.targets[0].coverage == table && whole.targets[0].corpusAfter?.files == 4)
  }

  // MARK: - Findings

  private func finding(_ status: Finding.Status, input: String? = "findings/x/input") -> Finding {
    var finding = Finding(
      key: FindingKey(target: "scanner", kind: .violation, subject: "a", symbols: []), lane: .asan, detail: "",
      status: status, input: FindingInput(originalPath: input, count: 3), reproduce: "")
    finding.scenarioPath = "findings/x/scenario.yaml"
    return finding
  }

  @Test(arguments: [
    ([Finding.Status.fixed, .new], Finding.Status.new), ([.new, .fixed], .new), ([.known, .regressed], .regressed),
    ([.flaky, .known], .flaky), ([.known, .known], .known), ([.fixed, .fixed], .fixed),
  ])
  func whatIsNewToOnePartIsNew(_ parts: [Finding.Status], _ whole: Finding.Status) {
    let campaign = merged(
      part("one") { $0.findings = [finding(parts[0])] }, part("two") { $0.findings = [finding(parts[1])] })
    #expect(campaign.findings.map(\.status) == [whole] && campaign.findings[0].hits == 2)
    #expect(campaign.findings[0].scenarioPath == "parts/1/findings/x/scenario.yaml")
  }

  @Test func anInputThatOnePartHasLostComesFromAnother() {
    let campaign = merged(
      part("one") { $0.findings = [finding(.new, input: nil)] }, part("two") { $0.findings = [finding(.new)] })
    #expect(campaign.findings.map(\.input.originalPath) == ["parts/2/findings/x/input"])
  }

  // MARK: - What a campaign means

  /// Findings are worse than gates that fail, and a target that was not driven is worse than those over the others.
  @Test func theExitCodeTellsTheWorst() {
    func exit(_ change: (inout Campaign) -> Void) -> LabExit {
      var campaign = part("one", change)
      campaign.gates = campaign.judged()
      return campaign.exit
    }
    #expect(exit { _ in } == .asExpected)
    #expect(exit { $0.missing = [Missing("target tls", reason: "it does not build")] } == .subjectNotDriven)
    #expect(exit { $0.missing = [Missing("log", reason: "gone")] } == .deviation)
    #expect(
      exit {
        $0.missing = [Missing("target tls", reason: "it does not build")]
        $0.findings = [finding(.flaky)]
      } == .deviation)
  }

  @Test func partsAreHeldAgainstEachOfThoseBefore() {
    let parts = ["one", "two", "one"].enumerated().map { (folder: "reports/\($0.offset)", campaign: part($0.element)) }
    #expect(throws: (any Error).self) { try CampaignMerger.check(parts) }
  }

  /// The baseline is not at hand when a campaign's findings are looked at again.
  @Test func whatTheBaselineSaidStaysWhenFindingsAreLookedAtAgain() throws {
    var campaign = part("one")
    campaign.gates = campaign.judged()
    let place = try #require(campaign.gates.firstIndex { $0.name == .coverage })
    campaign.gates[place] = Gate(.coverage, .failed, threshold: "t", actual: "a", reasons: ["less"])
    campaign.findings = [finding(.new)]
    let again = campaign.judgedAgain()
    #expect(again.filter { $0.state == .failed }.map(\.name) == [.findings, .coverage])
    campaign.gates = []
    #expect(campaign.judgedAgain() == campaign.judged())
  }
}
