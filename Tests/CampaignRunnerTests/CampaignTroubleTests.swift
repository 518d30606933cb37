import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import TestSupport
import Testing

@testable import CampaignRunner

/// What a campaign could not do stands in its report, and it does not pass.
@Suite(.timeLimit(.minutes(2))) struct CampaignTroubleTests {
  private func run(
    _ fuzzer: ReadingFuzzer, executions: Int = 10, change: (inout FuzzCampaignRun.Options) -> Void = { _ in }
  ) throws -> Campaign {
    let session = try FuzzSession(layout: fuzzer.layout)
    defer { session.end() }
    let plan = FuzzPlan(
      [fuzzer.target], lane: .asan, budget: .executions(executions), seed: 1, repetitions: 1)
    var options = FuzzCampaignRun.Options(name: "one", jobs: 1, minimiseSeconds: 0, speedSeconds: 0)
    change(&options)
    return try FuzzCampaignRun(session: session, plan: plan, options: options).run()
  }

  private func state(_ name: Gate.Name, of campaign: Campaign) -> Gate.State? {
    campaign.gates.first { $0.name == name }?.state
  }

  @Test func whatIsReplayedIsJudged() throws {
    let fuzzer = try ReadingFuzzer()
    try fuzzer.write(["corpus/scanner/a": "fine", "corpus/scanner/b": "break scanner/frames"])
    let campaign = try run(fuzzer)
    #expect(campaign.targets.first?.replay?.inputs == 2)
    #expect(state(.regressions, of: campaign) == .failed)
    #expect(campaign.missing.map(\.what) == ["measures of scanner"], "its coverage can't be measured")
    #expect(campaign.exit == .deviation)
  }

  @Test func anInputThatWasLeftOutIsMissing() throws {
    let fuzzer = try ReadingFuzzer()
    try fuzzer.files.write("Fuzz/corpus/scanner/huge", Data(count: FuzzInputs.largestFile + 1))
    let campaign = try run(fuzzer)
    #expect(campaign.missing.map(\.what) == ["inputs of scanner"])
    #expect(campaign.exit == .deviation)
  }

  @Test func aTargetThatIsNotThereIsMissing() throws {
    let fuzzer = try ReadingFuzzer()
    HostFiles.remove("\(fuzzer.files.folder.path)/bin/fuzz_scanner")
    let campaign = try run(fuzzer)
    #expect(campaign.missing.map(\.what) == ["target scanner"])
    #expect(campaign.exit == .subjectNotDriven)
  }

  /// Its input is lost, and it is a finding all the same.
  @Test func aCrashWithoutAnInputIsAFinding() throws {
    let campaign = try run(try ReadingFuzzer("loses"))
    #expect(campaign.findings.map(\.key) == ["scanner violation scanner/leftmost"])
    #expect(campaign.missing.contains { $0.what.hasPrefix("input of scanner-violation-") })
    #expect(campaign.exit == .deviation)
  }

  @Test func whatTheBaselineHadIsAskedFor() throws {
    let fuzzer = try ReadingFuzzer()
    var baseline = Campaign(
      id: "base", mode: "run", startedAt: "2026-01-02", provenance: Provenance(version: "1", system: "", processors: 1))
    var target = CampaignTarget(fuzzer.target)
    let function = FunctionCoverage(name: "f", line: 1, covered: 1, total: 2)
    target.coverage = CoverageTable(unit: .edges, files: [FileCoverage(path: "Sources/A.swift", functions: [function])])
    baseline.targets = [target]
    let zoo = BugZoo([Mutant("m", what: "drops a byte")])
    let campaign = try run(fuzzer) { ($0.baseline, $0.validation) = (baseline, zoo) }
    #expect(state(.coverage, of: campaign) == .failed)
    #expect(state(.zoo, of: campaign) == .failed)
    #expect(campaign.comparison?.base == "base")
  }

  @Test func aRunThatCanNotBeginIsTold() throws {
    let fuzzer = try ReadingFuzzer()
    try fuzzer.files.write("scratch/scanner/artifacts", Data("a file where a folder is to be".utf8))
    let campaign = try run(fuzzer)
    #expect(campaign.missing.contains { $0.what == "run 1 of scanner" }, "\(campaign.missing)")
    #expect(campaign.targets.first?.runs.first?.exit.kind == .harnessError)
  }

  /// An input that ends the target is not given to the next process.
  @Test func whatEndsTheTargetIsNoInputAnyMore() throws {
    let scripted = try ScriptedFuzzer(.crashingOnce)
    var layout = FuzzLayout()
    let folder = scripted.folder.path
    (layout.binaries, layout.scratch, layout.fuzz) = ("\(folder)/bin", "\(folder)/scratch", "\(folder)/Fuzz")
    try scripted.write("Fuzz/corpus/scanner/a", Data("FUZ".utf8))
    try scripted.write("Fuzz/corpus/scanner/b", Data("fine".utf8))
    let target = try #require(FuzzTarget.named("scanner"))
    let inputs = try FuzzInputs(target, layout: layout, known: KnownFindings(), into: "\(folder)/inputs")
    let unit = FuzzUnit(target: target, lane: .asan, seed: 1, budget: .executions(100), repetition: 0)
    var ends: [ExitClass] = []
    FuzzUnitRun(
      unit, inputs: inputs, layout: layout, campaign: "one", logs: folder, deathPipe: try ParentDeathPipe()
    ).run(onProgress: { _ in }, onEnd: { ends.append($0.exit.kind) })
    #expect(ends == [.crash, .clean])
    #expect(try HostFiles.files(below: inputs.folder).map { try HostFiles.read($0) } == [Array("fine".utf8)])
  }
}
