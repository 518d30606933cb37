import FuzzCampaign
import FuzzHarness
import HostTools
import ScenarioModel
import TestSupport
import Testing

@testable import CampaignRunner

/// Campaigns that become one, what a campaign means, and where it lies.
@Suite struct CampaignMergerTests {
  private func campaign(_ id: String, commit: String = "c", startedAt: String = "2026-01-02") -> Campaign {
    var provenance = Provenance(version: "1", system: "Linux", processors: 2)
    provenance.commit = commit
    return Campaign(id: id, mode: "run", startedAt: startedAt, provenance: provenance)
  }

  private func finding(_ subject: String, hits: Int = 1) -> Finding {
    let crash = CrashReport(kind: .violation, subject: subject, detail: "", seconds: 1, executions: 1)
    let input = FindingInput(originalPath: "findings/x/input", count: 3)
    return Finding(
      key: FindingKey(target: "scanner", crash), lane: .asan, detail: "", hits: hits, input: input, reproduce: "")
  }

  @Test func findingsOfEqualKeyAreOneAndPathsLeadIntoTheParts() throws {
    var first = campaign("one", startedAt: "2026-01-03")
    (first.findings, first.wallSeconds) = ([finding("a", hits: 2), finding("b")], 10)
    var second = campaign("two")
    (second.findings, second.wallSeconds) = ([finding("a", hits: 3), finding("c")], 7)
    var merger = CampaignMerger(id: "whole", first: first)
    merger.join(first, place: "parts/1", below: "whole")
    merger.join(second, place: "parts/2", below: "whole")
    let whole = merger.campaign
    #expect(whole.findings.map(\.subject) == ["a", "b", "c"])
    #expect(whole.findings.map(\.hits) == [5, 1, 1])
    #expect(whole.findings.map(\.input.originalPath) == [1, 1, 2].map { "parts/\($0)/findings/x/input" })
    #expect(whole.startedAt == "2026-01-02" && whole.wallSeconds == 10, "the parts run beside each other")
    #expect(whole.missing.isEmpty)
  }

  @Test func partsOfDifferentCommitsAreTold() {
    var merger = CampaignMerger(id: "whole", first: campaign("one"))
    merger.join(campaign("two", commit: "d"), place: "parts/2", below: "whole")
    #expect(merger.campaign.missing.map(\.reason) == ["two is of d"])
  }

  /// What a part's coverage came to beside its baseline, and what it makes of the whole.
  @Test(
    arguments: [
      ([.failed, .passed], .failed), ([.passed, .failed], .failed), ([.passed, .passed], .passed),
      ([.skipped, .passed], .passed), ([.skipped, .failed], .failed), ([.skipped, .skipped], .skipped),
    ] as [([Gate.State], Gate.State)])
  func coverageThatFellInAPartFellInTheWhole(parts: [Gate.State], whole: Gate.State) throws {
    var merger = CampaignMerger(id: "whole", first: campaign("one"))
    for (name, state) in zip(["one", "two"], parts) {
      var part = campaign(name)
      part.gates = [
        Gate(
          .coverage, state, threshold: "t", actual: "1 of 2 targets",
          reasons: state == .failed ? ["scanner: 1 of 9 edges, 2 before"] : [])
      ]
      merger.join(part, place: "parts/\(name)", below: "whole")
    }
    merger.judge()
    let gates = merger.campaign.gates
    #expect(gates.map(\.name) == merger.campaign.judged().map(\.name))
    let gate = try #require(gates.first { $0.name == .coverage })
    #expect(gate.state == whole)
    #expect(gate.reasons.count == parts.count { $0 == .failed })
    let told = zip(["one", "two"], parts).filter { $1 != .skipped }.map { "\($0.0): 1 of 2 targets" }
    #expect(gate.actual == (told.isEmpty ? "no baseline" : told.joined(separator: ", ")))
  }

  @Test func whatIsCopiedIsThatOfTheReports() throws {
    let scratch = try Scratch()
    for name in ["logs/a.log", "findings/x/input", "campaign.json"] {
      let folder = scratch.path("one/\(name)").split(separator: "/").dropLast().joined(separator: "/")
      try HostFiles.makeFolder("/\(folder)")
      try HostFiles.write(Array("x".utf8), to: scratch.path("one/\(name)"))
    }
    var merger = CampaignMerger(id: "whole", first: campaign("one"))
    try merger.add(campaign("one"), from: scratch.path("one"), to: scratch.path("whole"))
    #expect(HostFiles.exists(scratch.path("whole/parts/1/logs/a.log")))
    #expect(HostFiles.exists(scratch.path("whole/parts/1/findings/x/input")))
    #expect(!HostFiles.exists(scratch.path("whole/parts/1/campaign.json")))
  }

  @Test func aCampaignWithoutRunsHasProvedNothing() {
    var empty = campaign("one")
    #expect(empty.exit == .nothingRan)
    empty.missing = [Missing("target scanner", reason: "it does not build")]
    #expect(empty.exit == .subjectNotDriven)
    empty.isInterrupted = true
    #expect(empty.exit == .nothingRan)
  }

  @Test func aCampaignIsFoundByItsPathOrItsName() throws {
    let scratch = try Scratch()
    let folder = scratch.path("reports/one")
    try FuzzCampaigns.write(campaign("one"), to: folder)
    #expect(try FuzzCampaigns.read("one", reports: scratch.path("reports")) == campaign("one"))
    #expect(try FuzzCampaigns.read(folder, reports: "nowhere") == campaign("one"))
    #expect(throws: UsageFailure.self) { try FuzzCampaigns.folder("two", reports: scratch.path("reports")) }
  }

  @Test(arguments: [
    ("{\n  \"schema\": 1,\n  oops", #":3:3: expected ""#), (#"{"schema": 9}"#, " is a campaign under schema 9"),
    (#"{"schema": 1}"#, " is no campaign: no key id"),
  ]) func aCampaignThatCanNotBeUnderstoodIsToldWithItsPlace(_ text: String, _ words: String) throws {
    let scratch = try Scratch()
    let folder = scratch.path("one")
    try HostFiles.makeFolder(folder)
    try HostFiles.write(text.utf8, to: "\(folder)/campaign.json")
    let failure = try #require(throws: FileFailure.self) { try FuzzCampaigns.read(folder, reports: "") }
    #expect(failure.message.hasPrefix("\(folder)/campaign.json\(words)"), "\(failure.message)")
    #expect(failure.message.contains("anew"))
  }

  @Test func whatWouldCountTwiceIsRefused() throws {
    let scratch = try Scratch()
    func part(_ name: String, id: String? = nil, shard: String? = nil) throws -> (folder: String, campaign: Campaign) {
      try HostFiles.makeFolder(scratch.path(name))
      var campaign = campaign(id ?? name)
      campaign.shard = shard
      return (scratch.path(name), campaign)
    }
    let first = try part("one", shard: "1/2")
    try CampaignMerger.check([first, part("two", shard: "2/2"), part("third", shard: "1/3"), part("whole")])
    try CampaignMerger.check([part("whole"), part("more")])
    let again = (folder: scratch.path("one/../one"), campaign: campaign("other"))
    let rows = try [
      (again, "are both the folder"), (part("copy", id: "one"), "are both the campaign one"),
      (part("other", shard: "1/2"), "are both shard 1/2"),
    ]
    for (second, words) in rows {
      let failure = try #require(throws: UsageFailure.self) { try CampaignMerger.check([part("two"), first, second]) }
      #expect(failure.message.contains(words), "\(failure.message)")
    }
  }

  @Test(arguments: [("first", true), ("2026-01-02T03-04-05Z", true), ("latest", false), ("../out", false), ("", false)])
  func someNamesAreNone(_ name: String, _ isName: Bool) { #expect(FuzzCampaigns.isName(name) == isName) }
}

/// What replays say of a finding.
@Suite struct FindingTriageTests {
  private static let rows: [(replays: [(Int, Int)], before: Finding.Status, after: Finding.Status)] = [
    ([(0, 1)], .new, .fixed), ([], .known, .fixed), ([(20, 20)], .flaky, .new), ([(20, 20)], .fixed, .new),
    ([(3, 20)], .new, .flaky), ([(3, 20), (20, 20)], .new, .new), ([(3, 20)], .known, .known),
    ([(20, 20)], .regressed, .regressed),
  ]

  @Test(arguments: rows.indices) func theStatusFollowsTheReplays(_ index: Int) {
    let row = Self.rows[index]
    let crash = CrashReport(kind: .violation, subject: "a", detail: "", seconds: 1, executions: 1)
    var finding = Finding(
      key: FindingKey(target: "scanner", crash), lane: .asan, detail: "", status: row.before,
      input: FindingInput(originalPath: nil, count: 0), reproduce: "")
    finding.replays = row.replays.map { LaneReplay(.asan, reproduced: $0.0, of: $0.1) }
    FindingTriage.judge(&finding)
    #expect(finding.status == row.after)
  }
}

/// Of a log only so many lines are kept in memory.
@Suite struct LineExcerptTests {
  @Test func theFirstAndTheLastLinesStay() {
    var excerpt = LineExcerpt()
    for number in 0..<10_000 { excerpt.add("\(number)") }
    let lines = excerpt.lines
    #expect(lines.first == "0" && lines.last == "9999")
    #expect(lines.count <= 6_001)
    #expect(lines.contains { $0.hasSuffix("lines left out") })
    var short = LineExcerpt()
    for number in 0..<3 { short.add("\(number)") }
    #expect(short.lines == ["0", "1", "2"])
  }
}
