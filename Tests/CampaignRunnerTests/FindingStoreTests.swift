import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import ScenarioModel
import Synchronization
import TestSupport
import Testing

@testable import CampaignRunner

/// Answers what it was told to, and runs nothing.
private final class FakeExaminer: FindingExamining {
  private let reproduced: Int
  private let smaller: [UInt8]?
  private let failure: LabFailure?
  private let files = Mutex<[String]>([])

  init(reproduced: Int = FuzzExaminer.replays, smaller: [UInt8]? = nil, failure: LabFailure? = nil) {
    self.reproduced = reproduced
    self.smaller = smaller
    self.failure = failure
  }

  /// What was replayed.
  var replayed: [String] { files.withLock { $0 } }

  func key(_ target: FuzzTarget, _ crash: CrashReport) -> FindingKey { FindingKey(target: target.name, crash) }

  func stack(_ crash: CrashReport) -> [String] { ["Delimiter.find(_:)"] }

  func reproduce(
    _ file: String, _ target: FuzzTarget, _ lane: FuzzTarget.Lane, times: Int, as key: FindingKey
  ) throws -> LaneReplay {
    files.withLock { $0.append(file) }
    if let failure { throw failure }
    return LaneReplay(lane, reproduced: reproduced, of: times)
  }

  func minimise(
    _ file: String, _ target: FuzzTarget, _ lane: FuzzTarget.Lane, seconds: Int, key: FindingKey
  ) throws -> [UInt8]? { smaller }
}

/// What was found is told apart, written at once and looked at closer.
@Suite struct FindingStoreTests {
  private let scratch: Scratch
  private let scanner: FuzzTarget

  init() throws {
    scratch = try Scratch()
    scanner = try #require(FuzzTarget.named("scanner"))
  }

  /// A process that violated these promises, one after the other.
  private func record(_ subjects: [String], input: String? = "FUZ") -> FuzzProcessRecord {
    let unit = FuzzUnit(target: scanner, lane: .asan, seed: 1, budget: .executions(10), repetition: 0)
    var record = FuzzProcessRecord(
      unit: unit, seed: 1, command: "fuzz_scanner", startedAt: Date(timeIntervalSince1970: 0), log: "")
    for subject in subjects {
      record.reading.take("FuzzProcess.swift:54: Fatal error: violation of \(subject): expected 3, saw 4", at: 1)
      record.reading.take("==1== ERROR: libFuzzer: deadly signal", at: 1)
      record.reading.take("SUMMARY: libFuzzer: deadly signal", at: 1)
      if let input { record.reading.take("Base64: \(Data(input.utf8).base64EncodedString())", at: 1) }
    }
    record.excerpt.add("what it printed")
    return record
  }

  private func store(_ examiner: FakeExaminer = FakeExaminer(), known: KnownFindings = KnownFindings()) -> FindingStore
  {
    FindingStore(folder: scratch.folder.path, known: known, examiner: examiner)
  }

  private func text(_ path: String) -> String? { try? String(contentsOfFile: scratch.path(path), encoding: .utf8) }

  @Test func whatIsFoundLiesInTheCampaignsFolderAtOnce() throws {
    var store = store()
    let finding = try #require(store.add(record(["scanner/leftmost"]), trial: 2).first)
    #expect(finding.key == "scanner violation scanner/leftmost")
    #expect(finding.input.originalPath == "findings/\(finding.id)/input")
    #expect(text("findings/\(finding.id)/input") == "FUZ")
    #expect(text("findings/\(finding.id)/log") == "what it printed\n")
    #expect(finding.firstSeen?.trial == 2)
    #expect(finding.stack == ["Delimiter.find(_:)"])
    #expect(finding.reproduce.hasPrefix("./lab fuzz replay scanner "))
    #expect(finding.status == .new)
  }

  @Test func findingsOfEqualKeyAreOne() {
    var store = store()
    #expect(store.add(record(["scanner/leftmost"]), trial: 1).count == 1)
    #expect(store.add(record(["scanner/leftmost"]), trial: 2).isEmpty)
    #expect(store.add(record(["scanner/whole"]), trial: 3).map(\.subject) == ["scanner/whole"])
    #expect(store.findings.map(\.hits) == [2, 1])
  }

  @Test func anInputThatWasLostIsTold() throws {
    var store = store()
    let finding = try #require(store.add(record(["scanner/leftmost"], input: nil), trial: 1).first)
    #expect(finding.input.originalPath == nil)
    #expect(store.missing.map(\.what) == ["input of \(finding.id)"])
  }

  @Test func aLaterHitBringsWhatTheFirstHadLost() throws {
    var store = store()
    let finding = try #require(store.add(record(["scanner/leftmost"], input: nil), trial: 1).first)
    _ = store.add(record(["scanner/leftmost"]), trial: 2)
    #expect(store.findings.first?.input.originalPath == "findings/\(finding.id)/input" && store.missing.isEmpty)
    #expect(text("findings/\(finding.id)/input") == "FUZ")
  }

  /// Without names in the stack one key stands for any trap: none is known by it, and each input is kept.
  @Test func aTrapWithoutNamesIsNeverKnown() throws {
    func trap(_ input: String) -> FuzzProcessRecord {
      var record = record([])
      record.reading.take("==1== ERROR: libFuzzer: deadly signal", at: 1)
      record.reading.take("SUMMARY: libFuzzer: deadly signal", at: 1)
      record.reading.take("Base64: \(Data(input.utf8).base64EncodedString())", at: 1)
      return record
    }
    let entry = KnownFindings.Entry(
      target: "scanner", file: "seam", key: "scanner crash deadly signal", status: .open, note: "")
    var store = store(known: KnownFindings(entries: [entry]))
    let finding = try #require(store.add(trap("one"), trial: 1).first)
    #expect(finding.key == entry.key && finding.status == .new)
    #expect(store.missing.map(\.what) == ["stack of \(finding.id)"])
    for input in ["two", "two", "three"] { _ = store.add(trap(input), trial: 1) }
    let more = scratch.path("findings/\(finding.id)/more")
    #expect(
      try HostFiles.files(below: more).map { try HostFiles.read($0) }.sorted { $0.count < $1.count }
        == ["two", "three"].map { Array($0.utf8) })
  }

  @Test(arguments: [(KnownFindings.Entry.Status.open, Finding.Status.known), (.fixed, .regressed)])
  func whatTheRepositoryKnowsIsNotNew(_ known: KnownFindings.Entry.Status, _ status: Finding.Status) throws {
    let entry = KnownFindings.Entry(
      target: "scanner", file: "seam", key: "scanner violation scanner/leftmost", status: known, note: "")
    var store = store(known: KnownFindings(entries: [entry]))
    let finding = try #require(store.add(record(["scanner/leftmost"]), trial: 1).first)
    #expect(finding.status == status)
    #expect(finding.regression == "Fuzz/regressions/scanner/seam")
  }

  @Test func aCloserLookReplaysAndKeepsTheSmallerInput() throws {
    let examiner = FakeExaminer(smaller: Array("F".utf8))
    var store = store(examiner)
    _ = store.add(record(["scanner/leftmost"]), trial: 1)
    var told: [String] = []
    store.examine(minimiseSeconds: 1, tell: { told.append($0) }, isStopped: { false })
    let finding = try #require(store.findings.first)
    #expect(told == ["Looking closer at \(finding.id)"])
    #expect(examiner.replayed == [scratch.path("findings/\(finding.id)/input")])
    #expect(finding.replays == [LaneReplay(.asan, reproduced: 20, of: 20)])
    #expect(finding.status == .new)
    #expect(finding.input.minimisedPath == "findings/\(finding.id)/minimised")
    #expect(finding.input.count == 1 && finding.input.base64 == Data("F".utf8).base64EncodedString())
    #expect(text("findings/\(finding.id)/minimised") == "F")
  }

  @Test func whatShowsNowAndThenIsFlaky() {
    var store = store(FakeExaminer(reproduced: 19))
    _ = store.add(record(["scanner/leftmost"]), trial: 1)
    store.examine(minimiseSeconds: 0, tell: { _ in }, isStopped: { false })
    #expect(store.findings.map(\.status) == [.flaky])
  }

  @Test func whatCanNotBeReplayedIsToldAndKept() {
    var store = store(FakeExaminer(failure: LabFailure("no process left")))
    _ = store.add(record(["scanner/leftmost"]), trial: 1)
    store.examine(minimiseSeconds: 1, tell: { _ in }, isStopped: { false })
    #expect(store.findings.count == 1)
    #expect(store.missing.map(\.reason) == ["no process left"])
  }

  @Test func aStoppedCampaignLooksNoCloser() {
    let examiner = FakeExaminer()
    var store = store(examiner)
    _ = store.add(record(["scanner/leftmost"]), trial: 1)
    store.examine(minimiseSeconds: 1, tell: { _ in }, isStopped: { true })
    #expect(examiner.replayed.isEmpty)
  }
}
