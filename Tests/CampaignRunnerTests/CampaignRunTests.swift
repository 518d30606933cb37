import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import ScenarioModel
import Synchronization
import TestSupport
import Testing

@testable import CampaignRunner

/// Campaigns and examiners over a fuzzer that plays a part.
@Suite(.timeLimit(.minutes(2))) struct CampaignRunTests {
  private let scanner: FuzzTarget

  init() throws { scanner = try #require(FuzzTarget.named("scanner")) }

  private func layout(_ fuzzer: ScriptedFuzzer) -> FuzzLayout {
    var layout = FuzzLayout()
    let folder = fuzzer.folder.path
    (layout.binaries, layout.scratch, layout.fuzz) = ("\(folder)/bin", "\(folder)/scratch", "\(folder)/Fuzz")
    (layout.scenarios, layout.reports) = ("\(folder)/Scenarios", "\(folder)/reports")
    return layout
  }

  private func run(
    _ fuzzer: ScriptedFuzzer, executions: Int, observer: @escaping @Sendable (CampaignEvent) -> Void = { _ in }
  ) throws -> Campaign {
    let session = try FuzzSession(layout: layout(fuzzer))
    defer { session.end() }
    let plan = FuzzPlan([scanner], lane: .asan, budget: .executions(executions), seed: 1, repetitions: 1)
    let options = FuzzCampaignRun.Options(name: "one", jobs: 1, minimiseSeconds: 0, speedSeconds: 0, version: "7")
    return try FuzzCampaignRun(session: session, plan: plan, options: options, observer: observer).run()
  }

  // MARK: - The campaign

  @Test func aCampaignTellsWhatItDoesInOrder() throws {
    let told = Mutex<[String]>([])
    let campaign = try run(try ScriptedFuzzer(.clean), executions: 1000) { event in
      let word: String? =
        switch event {
        case .searching(let units): "searching \(units)"
        case .began(let worker, let unit): "began \(worker) \(unit.name)"
        case .crashed(let worker, let inputs): "crashed \(worker) \(inputs)"
        case .ended(let worker): "ended \(worker)"
        case .searched: "searched"
        case .found: "found"
        case .step, .problem, .remark, .reached, .tick: nil
        }
      if let word { told.withLock { $0.append(word) } }
    }
    #expect(
      told.withLock { $0 } == ["searching 1", "began 0 scanner-asan-1", "crashed 0 0", "ended 0", "searched"])
    #expect(campaign.executions == 1000)
    #expect(campaign.provenance.version == "7")
    #expect(campaign.targets.first?.runs.map(\.exit.kind) == [.clean])
  }

  @Test func aFindingIsToldOnceAndTheUnitGoesOnWithTheNextSeed() throws {
    let fuzzer = try ScriptedFuzzer(.crashing)
    let told = Mutex<[Finding]>([])
    let campaign = try run(fuzzer, executions: 35) { event in
      if case .found(let finding) = event { told.withLock { $0.append(finding) } }
    }
    #expect(told.withLock { $0.map(\.key) } == ["scanner violation scanner/leftmost"])
    #expect(campaign.findings.map(\.hits) == [4], "ten executions each")
    #expect(campaign.findings.first?.replays == [LaneReplay(.asan, reproduced: 20, of: 20)])
    #expect(campaign.targets.first?.runs.map(\.seed) == [1, 2, 3, 4])
    #expect(campaign.exit == .deviation)
  }

  @Test func processesInARowThatProveNothingEndTheUnit() throws {
    let remarks = Mutex<[String]>([])
    let campaign = try run(try ScriptedFuzzer(.killed), executions: 1000) { event in
      if case .remark(let text) = event { remarks.withLock { $0.append(text) } }
    }
    #expect(campaign.targets.first?.runs.count == 3)
    #expect(remarks.withLock { $0.contains { $0.contains("given up after 3 processes in a row") } })
    #expect(campaign.missing.contains { $0.what == "run 3 of scanner" })
  }

  @Test func aCampaignIsNeverWrittenOver() throws {
    let fuzzer = try ScriptedFuzzer(.clean)
    _ = try run(fuzzer, executions: 10)
    #expect(throws: LabFailure.self) { try run(fuzzer, executions: 10) }
  }

  @Test func whileItRunsTheLatestIsANoteThatItHasNotEnded() throws {
    let fuzzer = try ScriptedFuzzer(.clean)
    let latest = "\(layout(fuzzer).reports)/latest"
    let noted = Mutex<[String]>([])
    let campaign = try run(fuzzer, executions: 10) { event in
      guard case .searching = event else { return }
      do { _ = try FuzzCampaigns.read(latest, reports: "") } catch {
        noted.withLock { $0.append((error as? UsageFailure)?.message ?? "\(error)") }
      }
    }
    #expect(noted.withLock { $0.count == 1 && $0[0].contains("The campaign one has no results: it began at") })
    #expect(noted.withLock { $0.allSatisfy { $0.contains("has not ended, or it died") } })
    #expect(campaign.isUnfinished == nil)
    #expect(try fuzzer.text("reports/one/index.html").contains("Not ended: it is under way, or it died"))
  }

  /// An input that is on record and is not there would be passed over by all that look at the folder.
  @Test func aRegressionWhoseFileIsGoneIsMissing() throws {
    let fuzzer = try ScriptedFuzzer(.clean)
    var known = KnownFindings()
    for (target, file) in [("scanner", "here"), ("scanner", "gone"), ("address", "elsewhere")] {
      known.set(.init(target: target, file: file, key: "key \(file)", status: .fixed, note: ""))
    }
    try fuzzer.write("Fuzz/regressions/scanner/here", Data("x".utf8))
    try known.write(to: layout(fuzzer).known)
    let campaign = try run(fuzzer, executions: 10)
    #expect(campaign.missing.map(\.what) == ["regression of scanner"])
    #expect(campaign.missing.first?.reason.contains("Fuzz/regressions/scanner/gone is not there") == true)
    #expect(campaign.gates.first { $0.name == .complete }?.state == .failed)
    #expect(campaign.exit == .deviation)
  }

  @Test func whatMeasuringMeetsIsToldInALine() throws {
    let fuzzer = try ScriptedFuzzer(.wordy)
    let examiner = try examiner(fuzzer)
    let failure = try #require(throws: LabFailure.self) { try examiner.speed(scanner, .asan, seconds: 1) }
    let lines = failure.message.split(separator: "\n")
    #expect(lines.first == "Measuring scanner met violation scanner/leftmost: expected 3, saw 4", "\(lines)")
    #expect(lines.count == 2 && lines.last?.hasPrefix("again: ./lab fuzz replay scanner ") == true, "\(lines)")
  }

  // MARK: - The executor

  @Test func aStoppedExecutorStartsNothing() throws {
    let fuzzer = try ScriptedFuzzer(.clean)
    let executor = FuzzExecutor(
      layout: layout(fuzzer), campaign: "one", logs: fuzzer.folder.path, isFresh: false,
      deathPipe: try ParentDeathPipe())
    executor.stop()
    let inputs = try FuzzInputs(
      scanner, layout: layout(fuzzer), known: KnownFindings(), into: "\(fuzzer.folder.path)/inputs")
    let unit = FuzzUnit(target: scanner, lane: .asan, seed: 1, budget: .executions(10), repetition: 0)
    let began = Mutex(0)
    executor.run([unit], jobs: 1, inputs: ["scanner": inputs], observer: { _ in }) { _, _ in
      began.withLock { $0 += 1 }
    }
    #expect(began.withLock { $0 } == 0)
  }

  // MARK: - The examiner

  private func examiner(_ fuzzer: ScriptedFuzzer) throws -> FuzzExaminer {
    try fuzzer.write("input", Data("FUZ".utf8))
    return FuzzExaminer(layout: layout(fuzzer), deathPipe: try ParentDeathPipe())
  }

  @Test func aReplaySaysWhatAnInputShows() throws {
    let fuzzer = try ScriptedFuzzer(.crashing)
    let examiner = try examiner(fuzzer)
    let input = fuzzer.folder.appendingPathComponent("input").path
    let bad = try examiner.replay([input], scanner, .asan)
    let crash = try #require(bad.crash)
    #expect(!bad.isClean && bad.problem == nil && bad.lastFile == input)
    #expect(examiner.key(scanner, crash).text == "scanner violation scanner/leftmost")
    try fuzzer.play(.clean)
    let good = try examiner.replay([input], scanner, .asan)
    #expect(good.isClean && good.crash == nil && good.problem == nil)
  }

  @Test func anInputThatShowsSomethingElseIsNoReplayOfTheFinding() throws {
    let fuzzer = try ScriptedFuzzer(.crashing)
    let examiner = try examiner(fuzzer)
    let input = fuzzer.folder.appendingPathComponent("input").path
    let crash = try #require(try examiner.replay([input], scanner, .asan).crash)
    let same = examiner.key(scanner, crash)
    #expect(try examiner.reproduce(input, scanner, .asan, times: 3, as: same).reproduced == 3)
    var other = crash
    other.subject = "scanner/whole"
    let different = FindingKey(target: "scanner", other)
    #expect(
      try examiner.reproduce(input, scanner, .asan, times: 2, as: different) == LaneReplay(.asan, reproduced: 0, of: 2))
  }

  @Test func aSweepGoesOnBehindAnInputThatEndsTheProcess() throws {
    let fuzzer = try ScriptedFuzzer(.crashing)
    let examiner = try examiner(fuzzer)
    let files = try ["a", "b", "c"].map { name in
      try fuzzer.write(name, Data(name.utf8))
      return fuzzer.folder.appendingPathComponent(name).path
    }
    #expect(try examiner.sweep(files, scanner, .asan).map(\.file) == files)
    #expect(try examiner.sweep(files, scanner, .asan, most: 2).map(\.file) == Array(files.prefix(2)))
    try fuzzer.play(.clean)
    #expect(try examiner.sweep(files, scanner, .asan).isEmpty)
  }

  @Test func aStoppedExaminerRunsNothing() throws {
    let fuzzer = try ScriptedFuzzer(.crashing)
    let examiner = try examiner(fuzzer)
    examiner.stop()
    #expect(try examiner.sweep([fuzzer.folder.appendingPathComponent("input").path], scanner, .asan).isEmpty)
  }

  // MARK: - Keeping

  private func promotion(_ fuzzer: ScriptedFuzzer, shows subject: String?, in lane: FuzzTarget.Lane = .asan)
    -> Promotion
  {
    let crash = subject.map {
      CrashReport(kind: .violation, subject: $0, detail: "expected 3, saw 4", seconds: 1, executions: 1)
    }
    return Promotion(
      target: scanner, layout: layout(fuzzer), key: crash.map { FindingKey(target: "scanner", $0) }, lane: lane,
      violation: nil)
  }

  @Test func anInputIsOpenWhileItShowsSomethingAndFixedAfterwards() throws {
    let fuzzer = try ScriptedFuzzer(.clean)
    try fuzzer.write("input", Data("FUZ".utf8))
    let input = fuzzer.folder.appendingPathComponent("input").path
    let known = layout(fuzzer).known
    let kept = try promotion(fuzzer, shows: "scanner/leftmost").keep(input, name: "seam", note: "Lost at a seam")
    #expect(kept.entry.status == .open && kept.entry.key == "scanner violation scanner/leftmost")
    #expect(try fuzzer.text("Fuzz/regressions/scanner/seam") == "FUZ")
    #expect(try KnownFindings(path: known).isOpen(scanner, file: "seam"))
    // Another lane may be unable to show it.
    #expect(throws: LabFailure.self) { try promotion(fuzzer, shows: nil, in: .cov).keep(input, name: nil, note: "") }
    #expect(try Promotion.lane(of: input, name: nil, scanner, layout: layout(fuzzer)) == .asan)
    let mended = try promotion(fuzzer, shows: nil).keep(input, name: nil, note: "")
    #expect(mended.entry.status == .fixed && mended.entry.file == "seam" && mended.entry.note == "Lost at a seam")
    #expect(try KnownFindings(path: known).entries.count == 1)
    #expect(try promotion(fuzzer, shows: nil).tellScenario(of: mended) == .none)
  }

  @Test func whatShowsNothingAndIsNotKnownIsNotKept() throws {
    let fuzzer = try ScriptedFuzzer(.clean)
    try fuzzer.write("input", Data("FUZ".utf8))
    try fuzzer.write("other", Data("OTHER".utf8))
    let input = fuzzer.folder.appendingPathComponent("input").path
    #expect(throws: LabFailure.self) { try promotion(fuzzer, shows: nil).keep(input, name: nil, note: "") }
    #expect(!fuzzer.exists("Fuzz/regressions"))
    _ = try promotion(fuzzer, shows: "scanner/leftmost").keep(input, name: "seam", note: "")
    let other = fuzzer.folder.appendingPathComponent("other").path
    #expect(throws: LabFailure.self) {
      try promotion(fuzzer, shows: "scanner/whole").keep(other, name: "seam", note: "")
    }
    #expect(try fuzzer.text("Fuzz/regressions/scanner/seam") == "FUZ", "nothing is written over")
  }
}

/// Inputs that a search begins with.
@Suite struct FuzzInputsTests {
  @Test func whatCanNotBeAnInputIsLeftOutAndEqualFilesAreOne() throws {
    let scanner = try #require(FuzzTarget.named("scanner"))
    let fuzzer = try ScriptedFuzzer(.clean)
    for name in ["corpus/scanner/a", "seeds/scanner/b", "regressions/scanner/open", "regressions/scanner/fixed"] {
      let text = name.contains("regressions") ? name : "same"
      try fuzzer.write("Fuzz/\(name)", Data(text.utf8))
    }
    try fuzzer.write("Fuzz/corpus/scanner/huge", Data(count: FuzzInputs.largestFile + 1))
    var layout = FuzzLayout()
    layout.fuzz = "\(fuzzer.folder.path)/Fuzz"
    let entries = [("open", KnownFindings.Entry.Status.open), ("fixed", .fixed)].map {
      KnownFindings.Entry(target: "scanner", file: $0, key: $0, status: $1, note: "")
    }
    let inputs = try FuzzInputs(
      scanner, layout: layout, known: KnownFindings(entries: entries), into: "\(fuzzer.folder.path)/inputs")
    #expect(inputs.files == 3, "an input that is known to end the target is none to begin with")
    #expect(try HostFiles.files(below: inputs.folder).count == 2)
    #expect(inputs.remarks.count == 1 && inputs.remarks[0].contains("corpus/scanner/huge was left out"))
    inputs.drop(Array("same".utf8))
    #expect(try HostFiles.files(below: inputs.folder).count == 1)
  }

  @Test func aFileThatSomebodyElseHasMovedOutIsNotLost() throws {
    let scanner = try #require(FuzzTarget.named("scanner"))
    let scratch = try Scratch()
    var layout = FuzzLayout()
    layout.scratch = scratch.folder.path
    let file = "\(layout.workingCorpus(scanner))/input"
    try HostFiles.makeFolder(layout.workingCorpus(scanner))
    try HostFiles.write(Array("FUZ".utf8), to: file)
    let place = try WorkingCorpus.setAside(file, scanner, layout: layout)
    #expect(try WorkingCorpus.setAside(file, scanner, layout: layout) == place)
    #expect(try HostFiles.read(place) == Array("FUZ".utf8))
    #expect(throws: LabFailure.self) { try WorkingCorpus.setAside("\(file)-2", scanner, layout: layout) }
  }
}

/// The list of what is known.
@Suite struct KnownFindingsTests {
  @Test func theListIsSortedAndHasOneEntryAFile() throws {
    let scratch = try Scratch()
    var known = KnownFindings()
    for (file, status) in [("b", KnownFindings.Entry.Status.open), ("a", .open), ("b", .fixed)] {
      known.set(.init(target: "scanner", file: file, key: "key \(file)", status: status, note: ""))
    }
    #expect(known.entries.map(\.file) == ["a", "b"])
    #expect(known.entry(key: "key b", "scanner")?.status == .fixed)
    try known.write(to: scratch.path("known.json"))
    #expect(try KnownFindings(path: scratch.path("known.json")) == known)
    #expect(try KnownFindings(path: scratch.path("none.json")).entries.isEmpty)
  }

  private static let whole =
    #"[{"target": "a", "file": "b", "key": "c", "status": "open", "note": "", "since": [1]}]"#

  @Test(arguments: [
    ("", "1:1: the file ends here"), ("{", "1:1: expected ["), ("[\n  {\n    oops", #"3:5: expected ""#),
    (whole.replacing("open", with: "shut"), "1:53: shut is not a status"),
    (whole.replacing(#""note": "", "#, with: ""), "an entry without the key note"),
    (whole.replacing(#""c""#, with: "7"), #"1:38: expected ""#), (whole + "\n]", "2:1: there is more"),
  ]) func whatCanNotBeUnderstoodIsToldWithItsPlace(_ text: String, _ words: String) throws {
    let scratch = try Scratch()
    let path = scratch.path("known.json")
    try HostFiles.write(Self.whole.utf8, to: path)
    #expect(try KnownFindings(path: path).entries.map(\.status) == [.open], "keys that are not known are passed over")
    try HostFiles.write(text.utf8, to: path)
    let failure = try #require(throws: FileFailure.self) { try KnownFindings(path: path) }
    #expect(failure.message.hasPrefix("\(path):") && failure.message.contains(words), "\(failure.message)")
    #expect(failure.message.contains("take it from the repository again"))
  }
}
