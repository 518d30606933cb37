import Foundation
import FuzzCampaign
import FuzzHarness
import TestSupport
import Testing

/// `socketlab fuzz` as a person meets it, over fuzzers that only play what libFuzzer would say.
@Suite struct FuzzCommandTests {
  @Test func listShowsEveryTargetWithItsPromise() throws {
    let result = try SocketLabProgram.run(["fuzz", "list"])
    #expect(result.status == 0)
    for target in FuzzTarget.all { #expect(result.output.contains(target.promise), "\(target.name)") }
    #expect(!result.output.contains("canary"), "it is met by name only")
  }

  @Test(arguments: [
    ["run", "scaner"], ["run", "scanner", "--lane", "tsan"], ["run", "--time", "0"],
    ["run", "--time", "1", "--runs", "1"], ["run", "--jobs", "0"], ["run", "--shard", "3/2"],
    ["run", "--campaign", "../out"], ["run", "--campaign", "latest"], ["replay", "scanner"],
    ["replay", "scanner", "no-such-file"], ["triage", "no-such-campaign"],
    ["promote", "scanner", "Package.swift", "--name", "../x"], ["compare", "a", "b"], ["merge", "a"], ["bogus"],
  ]) func wrongUsageHasItsOwnExitCode(_ arguments: [String]) throws {
    let bench = try FuzzBench(.clean)
    let result = try bench.run(arguments)
    #expect(result.status == 2, "\(arguments): \(result.output) \(result.error)")
    #expect(!result.error.isEmpty)
  }

  @Test func aWrongTargetGetsASuggestion() throws {
    let result = try FuzzBench(.clean).run(["run", "scaner"])
    #expect(result.error.contains("Did you mean scanner?"), "\(result.error)")
  }

  @Test func aBinaryThatIsNotThereIsToldWithWhatToDo() throws {
    let bench = try FuzzBench(.clean)
    let result = try bench.run(["run", "address", "--time", "1"])
    #expect(result.status == 4, "\(result.output) \(result.error)")
    #expect(result.error.contains("fuzz_address is not there"), "\(result.error)")
    #expect(try bench.campaign().missing.map(\.what).contains("target address"))
  }

  @Test func aCleanCampaignWritesItsReport() throws {
    let bench = try FuzzBench(.clean)
    let result = try bench.run(["run", "scanner", "--runs", "1000", "--campaign", "first", "--jobs", "1"])
    let campaign = try bench.campaign("first")
    #expect(campaign.findings.isEmpty)
    #expect(campaign.executions == 1000)
    #expect(campaign.targets.first?.runs.map(\.exit.kind) == [.clean])
    #expect(campaign.gates.first { $0.name == .health }?.state == .passed, "\(campaign.gates)")
    #expect(campaign.provenance.builds.first?.sha256?.count == 64)
    #expect(!campaign.isInterrupted)
    #expect(result.output.contains("1,000 executions"), "\(result.output)")
    #expect(bench.exists("reports/fuzz/latest/campaign.json"))
    let again = try bench.run(["run", "scanner", "--runs", "1000", "--campaign", "first"])
    #expect(again.status == 2, "a campaign is never written over")
  }

  @Test func aFindingIsKeptAndTheUnitGoesOnWithAnotherSeed() throws {
    let bench = try FuzzBench(.crashingOnce)
    let result = try bench.run(["run", "scanner", "--runs", "1000", "--jobs", "1", "--minimise", "0"])
    #expect(result.status == 1, "\(result.output) \(result.error)")
    let campaign = try bench.campaign()
    let finding = try #require(campaign.findings.first)
    #expect(campaign.findings.count == 1)
    #expect(finding.key == "scanner violation scanner/leftmost")
    #expect(finding.input.base64 == Data("FUZ".utf8).base64EncodedString())
    #expect(bench.exists("reports/fuzz/latest/findings/\(finding.id)/input"))
    #expect(bench.exists("reports/fuzz/latest/findings/\(finding.id)/log"))
    let runs = try #require(campaign.targets.first?.runs)
    #expect(runs.map(\.exit.kind) == [.crash, .clean])
    #expect(runs.map(\.seed) == [1, 2])
    #expect(result.output.contains("again: ./lab fuzz replay scanner"), "\(result.output)")
  }

  @Test func findingsOfEqualKeyAreOne() throws {
    let bench = try FuzzBench(.crashing)
    let result = try bench.run(["run", "scanner", "--runs", "35", "--jobs", "1", "--minimise", "0"])
    #expect(result.status == 1)
    let campaign = try bench.campaign()
    #expect(campaign.findings.count == 1)
    // Ten executions each.
    #expect(campaign.findings.first?.hits == 4)
    #expect(campaign.findings.first?.replays.first?.reproduced == 20)
  }

  @Test(arguments: [
    (FuzzBench.Play.killed, "signal 9", 3), (.silent, "no counters loaded", 3),
    (.withoutStatistics, "no statistics", 1),
  ]) func aRunThatProvesNothingIsNeverClean(_ play: FuzzBench.Play, _ words: String, _ runs: Int) throws {
    let bench = try FuzzBench(play)
    let result = try bench.run(["run", "scanner", "--runs", "1000", "--jobs", "1"])
    #expect(result.status == 1, "\(result.output) \(result.error)")
    #expect(result.output.contains(words), "\(result.output)")
    let campaign = try bench.campaign()
    #expect(campaign.gates.first { $0.name == .health }?.state == .failed)
    #expect(campaign.targets.first?.runs.count == runs, "given up after three")
  }

  @Test func inputsThatCanNotBeAreLeftOutAndTold() throws {
    let bench = try FuzzBench(.clean)
    try bench.write("Fuzz/corpus/scanner/huge", Data(count: 100 << 20))
    try bench.write("Fuzz/seeds/scanner/good", Data("good".utf8))
    try bench.write(".build/fuzz-out/scanner/corpus/huge", Data(count: 2 << 20))
    // A file where a folder should be can't be listed, whoever asks.
    try bench.write("Fuzz/regressions/scanner", Data("no folder".utf8))
    let result = try bench.run(["run", "scanner", "--runs", "1000", "--jobs", "1"])
    #expect(result.error.contains("Fuzz/corpus/scanner/huge was left out"), "\(result.error)")
    #expect(result.error.contains("Fuzz/regressions/scanner can't be read"), "\(result.error)")
    #expect(result.error.contains(".build/fuzz-out/scanner/corpus/huge was moved"), "\(result.error)")
    #expect(bench.exists(".build/fuzz-out/scanner/quarantine/huge"), "nothing is thrown away")
    let campaign = try bench.campaign()
    #expect(campaign.executions == 1000)
    #expect(campaign.missing.count { $0.what == "inputs of scanner" } == 3, "\(campaign.missing)")
    #expect(campaign.targets.first?.corpusBefore?.files == 1)
  }

  @Test func anInterruptKeepsEverythingAndWritesTheReport() throws {
    let bench = try FuzzBench(.hanging)
    let running = try bench.start(["run", "scanner", "--time", "600", "--jobs", "1", "--campaign", "cut"])
    #expect(Processes.eventually(30) { bench.exists("pid") })
    let fuzzer = try bench.processes()
    #expect(!fuzzer.isEmpty)
    kill(running.processIdentifier, SIGINT)
    running.waitUntilExit()
    for process in fuzzer { #expect(Processes.isGone(process), "\(process) still runs") }
    let campaign = try bench.campaign("cut")
    #expect(campaign.isInterrupted)
    #expect(campaign.targets.first?.runs.count == 1)
  }

  @Test func whenTheCampaignIsKilledItsFuzzersEnd() throws {
    let bench = try FuzzBench(.bound)
    let running = try bench.start(["run", "scanner", "--time", "600", "--jobs", "1"])
    #expect(Processes.eventually(30) { bench.exists("pid") })
    let fuzzer = try bench.processes()
    kill(running.processIdentifier, SIGKILL)
    running.waitUntilExit()
    for process in fuzzer { #expect(Processes.isGone(process), "\(process) still runs") }
  }

  @Test func replaySaysWhatEachInputShows() throws {
    let bench = try FuzzBench(.crashing)
    try bench.write("input", Data("FUZ".utf8))
    let bad = try bench.run(["replay", "scanner", "input", "--times", "3"])
    #expect(bad.status == 1)
    #expect(bad.output.contains("3 of 3"), "\(bad.output)")
    #expect(bad.output.contains("violation scanner/leftmost"), "\(bad.output)")
    let good = try FuzzBench(.clean)
    try good.write("input", Data("x".utf8))
    #expect(try good.run(["replay", "scanner", "input"]).status == 0)
  }

  @Test func promoteKeepsAFindingAndMarksItFixedLater() throws {
    let bench = try FuzzBench(.crashing)
    try bench.write("input", Data("FUZ".utf8))
    let kept = try bench.run(["promote", "scanner", "input", "--name", "seam", "--note", "Lost at a seam"])
    #expect(kept.status == 0, "\(kept.output) \(kept.error)")
    #expect(bench.exists("Fuzz/regressions/scanner/seam"))
    let list = try bench.text("Fuzz/regressions/known.json")
    #expect(list.contains("\"status\" : \"open\"") && list.contains("scanner violation scanner/leftmost"), "\(list)")
    try bench.play(.clean)
    #expect(try bench.run(["promote", "scanner", "input", "--name", "seam"]).status == 0)
    let mended = try bench.text("Fuzz/regressions/known.json")
    #expect(mended.contains("\"status\" : \"fixed\"") && mended.contains("Lost at a seam"), "\(mended)")
    try bench.write("other", Data("x".utf8))
    #expect(try bench.run(["promote", "scanner", "other"]).status == 4, "it shows nothing")
  }

  @Test func shardsBecomeOneCampaignAgain() throws {
    let bench = try FuzzBench(.crashing)
    for shard in 1...2 {
      let arguments = ["run", "scanner", "--runs", "10", "--shard", "\(shard)/2", "--campaign", "part\(shard)"]
      _ = try bench.run(arguments + ["--jobs", "1", "--minimise", "0"])
    }
    let result = try bench.run(["merge", "part1", "part2", "--campaign", "whole"])
    #expect(result.status == 1, "\(result.output) \(result.error)")
    let campaign = try bench.campaign("whole")
    #expect(campaign.findings.count == 1)
    #expect(campaign.findings.first?.hits == 2)
    #expect(campaign.executions == 20)
    let runs = try #require(campaign.targets.first?.runs)
    #expect(runs.map(\.trial) == [1, 2])
    #expect(Set(runs.map(\.seed)).count == 2)
    let path = try #require(campaign.findings.first?.input.originalPath)
    #expect(bench.exists("reports/fuzz/whole/\(path)"))
    #expect(try bench.run(["compare", "part1", "whole"]).status == 0)
  }

  @Test func aCampaignIsMergedOnce() throws {
    let bench = try FuzzBench(.clean)
    for name in ["part", "other"] {
      _ = try bench.run(["run", "scanner", "--runs", "10", "--jobs", "1", "--shard", "1/2", "--campaign", name])
    }
    let rows = [(["part", "latest/../part"], "are both the folder"), (["part", "other"], "are both shard 1/2")]
    for (parts, words) in rows {
      let result = try bench.run(["merge"] + parts + ["--campaign", "whole"])
      #expect(result.status == 2 && result.error.contains(words), "\(result.output) \(result.error)")
      #expect(!bench.exists("reports/fuzz/whole"))
    }
  }

  /// Whoever reads a file that can't be understood says where and what, in words, and ends with the same code.
  @Test func aFileThatCanNotBeUnderstoodHasItsOwnExitCode() throws {
    let bench = try FuzzBench(.crashing)
    try bench.write("input", Data("FUZ".utf8))
    for name in ["good", "bad"] { try bench.write("reports/fuzz/\(name)/campaign.json", Data("{\n  oops".utf8)) }
    let short = ["--runs", "10", "--jobs", "1"]
    let readers = [
      ["run", "scanner", "--baseline", "bad"] + short, ["compare", "good", "bad"], ["triage", "bad"],
      ["merge", "good", "bad", "--campaign", "whole"],
    ]
    for arguments in readers {
      let result = try bench.run(arguments)
      #expect(result.status == 3, "\(arguments): \(result.error)")
      #expect(result.error.contains("/campaign.json:2:3: expected") && !result.error.contains("DecodingError"))
    }
    try bench.write("Fuzz/regressions/known.json", Data("[\n  {\"target\": 7}]".utf8))
    let users = [
      ["run", "scanner"] + short, ["promote", "scanner", "input"], ["prune", "scanner", "--lane", "asan"],
    ]
    for arguments in users {
      let result = try bench.run(arguments)
      #expect(result.status == 3, "\(arguments): \(result.error)")
      #expect(result.error.contains("Fuzz/regressions/known.json:2:14: expected"), "\(result.error)")
    }
    #expect(!bench.exists("reports/fuzz/whole"))
  }

  @Test func aRegressionWhoseFileIsGoneMakesTheCampaignIncomplete() throws {
    let bench = try FuzzBench(.crashing)
    try bench.write("input", Data("FUZ".utf8))
    #expect(try bench.run(["promote", "scanner", "input", "--name", "seam"]).status == 0)
    try bench.play(.clean)
    try FileManager.default.removeItem(at: bench.folder.appendingPathComponent("Fuzz/regressions/scanner/seam"))
    let result = try bench.run(["run", "scanner", "--runs", "10", "--jobs", "1"])
    #expect(result.status == 1, "\(result.output) \(result.error)")
    #expect(result.error.contains("Fuzz/regressions/scanner/seam is not there"), "\(result.error)")
    #expect(try bench.campaign().missing.map(\.what).contains("regression of scanner"))
  }

  @Test func aCampaignThatIsKilledIsToldAsUnfinished() throws {
    let bench = try FuzzBench(.clean)
    _ = try bench.run(["run", "scanner", "--runs", "10", "--jobs", "1", "--campaign", "before"])
    try bench.play(.bound)
    let running = try bench.start(["run", "scanner", "--time", "600", "--jobs", "1", "--campaign", "cut"])
    #expect(Processes.eventually(30) { bench.exists("pid") })
    kill(running.processIdentifier, SIGKILL)
    running.waitUntilExit()
    let latest = try bench.campaign()
    #expect(latest.id == "cut" && latest.isUnfinished == true)
    let result = try bench.run(["compare", "before", "latest"])
    #expect(result.status == 2, "\(result.output)")
    #expect(result.error.contains("The campaign cut has no results") && result.error.contains("or it died"))
  }

  @Test func allReportsAreWritten() throws {
    let bench = try FuzzBench(.crashingOnce)
    _ = try bench.run(["run", "scanner", "--runs", "1000", "--jobs", "1", "--minimise", "0"])
    for name in ["index.html", "junit.xml", "results.sarif", "plot.csv", "summary.md"] {
      #expect(bench.exists("reports/fuzz/latest/\(name)"), "\(name)")
    }
  }

  @Test func whatAnInputDoesIsPrintedAndComesBack() throws {
    let bench = try FuzzBench(.clean)
    try bench.write("Scenarios/read/line.yaml", Data(ScratchSuite.passing.utf8))
    let made = try bench.run(["encode", "readqueue", "--output", "inputs"])
    #expect(made.status == 0, "\(made.output) \(made.error)")
    let told = try bench.run(["decode", "readqueue", "inputs/read-line", "--output", "Scenarios/found/again.yaml"])
    #expect(told.status == 0, "\(told.output) \(told.error)")
    let text = try bench.text("Scenarios/found/again.yaml")
    #expect(text.contains("through"), "\(text)")
    let check = try SocketLabProgram.run(["check", "found/again"], in: bench.folder)
    #expect(check.status == 0, "\(check.output) \(check.error)")
    #expect(try bench.run(["decode", "scanner", "inputs/read-line"]).status == 3, "no program of a socket")
    #expect(try bench.run(["encode", "scanner"]).status == 5)
    #expect(try bench.run(["encode", "readqueue", "read/lime"]).status == 2)
  }
}
