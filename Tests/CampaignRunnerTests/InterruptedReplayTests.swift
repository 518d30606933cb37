import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import TestSupport
import Testing

@testable import CampaignRunner

/// A replay that a person interrupts says nothing of its input, and one of another process is left alone.
@Suite(.timeLimit(.minutes(2))) struct InterruptedReplayTests {
  private let scanner: FuzzTarget
  private let fuzzer: ScriptedFuzzer
  private let layout: FuzzLayout
  private let examiner: FuzzExaminer
  private let input: String

  init() throws {
    scanner = try #require(FuzzTarget.named("scanner"))
    fuzzer = try ScriptedFuzzer(.stuck)
    let folder = fuzzer.folder.path
    var layout = FuzzLayout()
    (layout.binaries, layout.scratch, layout.fuzz) = ("\(folder)/bin", "\(folder)/scratch", "\(folder)/Fuzz")
    self.layout = layout
    examiner = FuzzExaminer(layout: layout, deathPipe: try ParentDeathPipe())
    try fuzzer.write("Fuzz/corpus/scanner/input", Data("FUZ".utf8))
    input = "\(folder)/Fuzz/corpus/scanner/input"
  }

  private static let crash = CrashReport(
    kind: .violation, subject: "scanner/leftmost", detail: "expected 3, saw 4", seconds: 1, executions: 1)

  /// Does the work, and stops the examiner when the fuzzer has begun with the input.
  private func stopped<Result>(_ work: () throws -> Result) throws -> Result {
    let (fuzzer, examiner) = (fuzzer, examiner)
    let pid = fuzzer.folder.appendingPathComponent("pid").path
    let ended = Latch()
    Thread {
      _ = Processes.eventually(60) { HostFiles.exists(pid) }
      examiner.stop()
      ended.signal()
    }.start()
    defer { try? ended.wait("the stop") }
    return try work()
  }

  @Test func aSilentProcessIsStoppedAndItsInputIsNotTakenForAFinding() throws {
    let shown = try stopped { try examiner.sweep([input], scanner, .asan) }
    #expect(shown.map(\.file) == [])
    let process = try #require(try fuzzer.processes().first)
    #expect(Processes.isGone(process))
  }

  /// Neither have they passed: most of them were not run.
  @Test func anInterruptionIsNoFailureOfTheCommittedInputs() throws {
    let fact = try stopped { try examiner.replayCommitted(scanner, .asan, known: KnownFindings()) }
    #expect(fact == nil)
  }

  @Test func aReplayThatWasInterruptedIsNoTryThatShowedNothing() throws {
    let key = FindingKey(target: "scanner", Self.crash)
    let replay = try stopped { try examiner.reproduce(input, scanner, .asan, times: 3, as: key) }
    #expect(replay == LaneReplay(.asan, reproduced: 0, of: 0))
  }

  @Test func aFindingIsNotFixedBecauseItsReplayWasInterrupted() throws {
    let session = try FuzzSession(layout: layout)
    defer { session.end() }
    let facts = FindingInput(originalPath: "input", count: 3, base64: nil)
    var finding = Finding(
      key: FindingKey(target: "scanner", Self.crash), lane: .asan, detail: "", input: facts, reproduce: "")
    let before = finding
    let triage = FindingTriage(
      session: session, examiner: examiner, folder: (input as NSString).deletingLastPathComponent, lanes: [.asan],
      times: 3)
    let outcome = try stopped { try triage.replay(&finding, note: { _ in }) }
    #expect(outcome == nil)
    #expect(finding == before)
  }

  @Test func foldersOfAnotherProcessAreLeftAlone() throws {
    try fuzzer.play(.crashing)
    for name in ["examined", "minimise"] { try fuzzer.write("scratch/scanner/\(name)/others", Data("1".utf8)) }
    let key = examiner.key(scanner, try #require(try examiner.replay([input], scanner, .asan).crash))
    #expect(try examiner.minimise(input, scanner, .asan, seconds: 1, key: key) == nil)
    for name in ["examined", "minimise"] { #expect(fuzzer.exists("scratch/scanner/\(name)/others"), "\(name)") }
    #expect(Set(HostFiles.names(in: layout.work(scanner))) == ["examined", "minimise"], "nothing is left over")
  }
}
