import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import ScenarioModel
import TestSupport
import Testing

@testable import CampaignRunner

/// Which bytes belong to a finding, and what they show when they are looked at again.
@Suite(.timeLimit(.minutes(2))) struct FindingInputTests {
  private static func crash(_ subject: String, artifact: String? = nil, base64: String? = nil) -> CrashReport {
    var crash = CrashReport(kind: .violation, subject: subject, detail: "", seconds: 1, executions: 1)
    (crash.artifact, crash.base64) = (artifact, base64)
    return crash
  }

  private func record(_ fuzzer: ReadingFuzzer, _ lines: [String] = []) -> FuzzProcessRecord {
    let unit = FuzzUnit(target: fuzzer.target, lane: .asan, seed: 1, budget: .executions(10), repetition: 0)
    var record = FuzzProcessRecord(unit: unit, seed: 1, command: "", startedAt: Date(timeIntervalSince1970: 0), log: "")
    for line in lines { record.reading.take(line, at: 1) }
    return record
  }

  private func store(_ fuzzer: ReadingFuzzer) throws -> FindingStore {
    FindingStore(
      folder: fuzzer.files.folder.path, known: KnownFindings(), examiner: try fuzzer.examiner())
  }

  /// A file may have been written over, or be the input that was only slow.
  @Test func theBytesThatWereToldCountBeforeThoseOfAFile() throws {
    let fuzzer = try ReadingFuzzer()
    try fuzzer.write(["crash-1": "other", "slow-unit-1": "slow"])
    let (written, slow) = (fuzzer.path("crash-1"), fuzzer.path("slow-unit-1"))
    let told = Data("told".utf8).base64EncodedString()
    var record = record(fuzzer)
    record.artifacts = [slow, written]
    func input(_ crash: CrashReport) -> String? { record.input(of: crash).map { String(decoding: $0, as: UTF8.self) } }
    #expect(input(Self.crash("a", artifact: written, base64: told)) == "told")
    #expect(input(Self.crash("a", artifact: written)) == "other\n")
    #expect(input(Self.crash("a")) == "other\n", "of what lies about, what is not merely slow")
    #expect(input(Self.crash("a", artifact: fuzzer.path("gone"))) == nil)
  }

  @Test func everyCrashOfAProcessIsAFinding() throws {
    let fuzzer = try ReadingFuzzer()
    let lines = ["a/b", "a/c"].flatMap {
      ["F.swift:1: Fatal error: violation of \($0): x", "==1== ERROR: libFuzzer: deadly signal", "SUMMARY: x"]
    }
    var store = try store(fuzzer)
    #expect(store.add(record(fuzzer, lines), trial: 1).map(\.subject) == ["a/b", "a/c"])
  }

  /// Whatever is shorter shows it as little.
  @Test func whatDoesNotShowIsNotMadeSmaller() throws {
    let fuzzer = try ReadingFuzzer("break a/b")
    var store = try store(fuzzer)
    let lines = [
      "F.swift:1: Fatal error: violation of a/b: x", "==1== ERROR: libFuzzer: deadly signal", "SUMMARY: x",
      "Base64: \(Data("fine, and long enough".utf8).base64EncodedString())",
    ]
    _ = store.add(record(fuzzer, lines), trial: 1)
    store.examine(minimiseSeconds: 1, tell: { _ in }, isStopped: { false })
    #expect(store.findings.map(\.status) == [.flaky] && store.missing.isEmpty)
    #expect(store.findings.first?.input.minimisedPath == nil)
  }

  // MARK: - Looking again

  private struct Look: Sendable {
    var name: String
    var original = "break a/b"
    var minimised: String?
    var before = Finding.Status.known
    var after: Finding.Status
    var notes = 0
  }

  private static let looks = [
    Look(name: "it shows still", after: .known), Look(name: "it is new still", before: .new, after: .new),
    Look(name: "it shows no more", original: "fine", after: .fixed),
    Look(name: "another defect than the known one", original: "break a/c", after: .new, notes: 1),
    Look(name: "the smaller form shows", original: "fine", minimised: "break a/b", after: .known),
    Look(name: "the smaller form does not", minimised: "fine", after: .fixed),
    Look(name: "what came back shows still", before: .regressed, after: .regressed),
    Look(name: "it can't be run", original: "mute", after: .known, notes: 1),
  ]

  @Test(arguments: looks.indices) func aFindingIsWhatItsInputShowsNow(_ index: Int) throws {
    let look = Self.looks[index]
    let fuzzer = try ReadingFuzzer()
    try fuzzer.write(["input": look.original, "minimised": look.minimised ?? look.original])
    let session = try FuzzSession(layout: fuzzer.layout)
    defer { session.end() }
    let input = FindingInput(
      originalPath: "input", minimisedPath: look.minimised.map { _ in "minimised" }, count: 3)
    var finding = Finding(
      key: FindingKey(target: "scanner", Self.crash("a/b")), lane: .asan, detail: "", status: look.before, input: input,
      reproduce: "")
    let triage = FindingTriage(
      session: session, examiner: try fuzzer.examiner(), folder: fuzzer.layout.fuzz, lanes: [.asan], times: 2)
    var notes: [String] = []
    _ = try triage.replay(&finding, note: { notes.append($0) })
    #expect(finding.status == look.after, "\(look.name): \(finding.replays)")
    #expect(notes.count == look.notes, "\(look.name): \(notes)")
  }

  /// That a finding does not show says something only where it can show, and of an input that was run.
  private func triage(
    _ original: String?, lanes: [FuzzTarget.Lane], foundIn lane: FuzzTarget.Lane = .asan
  ) throws -> (Finding, notes: [String]) {
    let fuzzer = try ReadingFuzzer()
    if let original { try fuzzer.write(["input": original]) }
    let session = try FuzzSession(layout: fuzzer.layout)
    defer { session.end() }
    var finding = Finding(
      key: FindingKey(target: "scanner", Self.crash("a/b")), lane: lane, detail: "", status: .known,
      input: FindingInput(originalPath: "input", count: 3), reproduce: "")
    let triage = FindingTriage(
      session: session, examiner: try fuzzer.examiner(), folder: fuzzer.layout.fuzz, lanes: lanes, times: 7)
    var notes: [String] = []
    _ = try triage.replay(&finding, note: { notes.append($0) })
    return (finding, notes)
  }

  @Test func theLaneThatFoundItIsAlwaysAsked() throws {
    let (finding, _) = try triage("break a/b", lanes: [], foundIn: .cov)
    #expect(finding.status == .known && finding.replays.map(\.lane) == [.cov])
    let (mended, _) = try triage("fine", lanes: [.cov])
    #expect(mended.status == .fixed && mended.replays == [.asan, .cov].map { LaneReplay($0, reproduced: 0, of: 7) })
  }

  @Test func whatShowsNowAndThenIsNotFixed() throws {
    let (finding, _) = try triage("sometimes a/b", lanes: [.asan])
    let replay = try #require(finding.replays.first)
    #expect(finding.status == .known && replay.reproduced == 3 && replay.tries == 10, "\(replay)")
  }

  @Test func anInputThatIsGoneIsNotFixed() throws {
    let (finding, notes) = try triage(nil, lanes: [.asan])
    #expect(finding.status == .known && finding.replays.isEmpty && notes.count == 1, "\(notes)")
  }

  @Test func oneLaneThatShowsItIsEnough() {
    var finding = Finding(
      key: FindingKey(target: "scanner", Self.crash("a/b")), lane: .asan, detail: "",
      input: FindingInput(originalPath: nil, count: 0), reproduce: "")
    finding.replays = [LaneReplay(.asan, reproduced: 20, of: 20), LaneReplay(.cov, reproduced: 0, of: 1)]
    FindingTriage.judge(&finding)
    #expect(finding.status == .new)
  }
}

/// How a process was ended, and with which flags it had begun.
@Suite struct FuzzProcessTests {
  private func end(_ end: ChildResult.End, _ change: (inout ChildResult) -> Void = { _ in }) throws -> ProcessEnd {
    let unit = FuzzUnit(target: .canary, lane: .asan, seed: 1, budget: .executions(10), repetition: 0)
    var record = FuzzProcessRecord(unit: unit, seed: 1, command: "", startedAt: Date(timeIntervalSince1970: 0), log: "")
    var result = ChildResult()
    result.end = end
    change(&result)
    record.result = result
    return record.end
  }

  @Test func whoEndedAProcessIsNotForgotten() throws {
    #expect(try end(.exited(77)) == ProcessEnd(code: 77))
    #expect(try end(.signalled(9)) == ProcessEnd(signal: 9))
    #expect(try end(.signalled(9)) { $0.isOverdue = true } == ProcessEnd(signal: 9, wasStopped: true))
    #expect(try end(.signalled(2)) { $0.isStopped = true } == ProcessEnd(signal: 2, wasStopped: true))
  }

  @Test func aHangAndARaceEndTheProcess() throws {
    let scanner = try #require(FuzzTarget.named("scanner"))
    #expect(LibFuzzer.limits(scanner, .asan).contains("-timeout=10"))
    #expect(LibFuzzer.limits(scanner, .tsan).contains("-rss_limit_mb=4096"))
    for purpose in [LibFuzzer.Purpose.search, .replay] {
      let options = try #require(LibFuzzer.environment(.tsan, purpose, parent: [:])["TSAN_OPTIONS"])
      #expect(options.contains("halt_on_error=1"))
    }
    for kind in LibFuzzer.Artifact.allCases { #expect(LibFuzzer.Artifact(file: "a/\(kind.rawValue)1f") == kind) }
    #expect(LibFuzzer.Artifact(file: "crash-1/log") == nil)
  }

  @Test func theProofOfAProgramIsInTheReport() {
    let modules = [("SocketCore", 0, true), ("CYaml", 3, false)].map {
      InstrumentationProof.Module(name: $0, counters: $1, sanitizerCalls: 5, isOwn: $2)
    }
    for lane in [FuzzTarget.Lane.cov, .asan] {
      let proof = InstrumentationProof(modules: modules, isFuzzer: true, .canary, lane)
      let build = FuzzProvenance.build(.canary, lane, proof, layout: FuzzLayout())
      #expect(build.modules == [ModuleCounters("SocketCore", counters: 0, sanitizerChecks: lane == .cov ? nil : 5)])
    }
  }

  @Test func eachModuleIsCheckedByTheSanitizer() {
    let modules = [("SocketCore", 3), ("SocketTLS", 0)].map {
      InstrumentationProof.Module(name: $0, counters: 7, sanitizerCalls: $1, isOwn: true)
    }
    let proof = InstrumentationProof(modules: modules, isFuzzer: true, .canary, .asan)
    #expect(proof.faults == ["SocketTLS makes no call of the asan sanitizer"])
  }

  /// SwiftPM does not build again what was built with other flags.
  @Test func objectsOfAnotherManifestAreDropped() throws {
    let scratch = try Scratch()
    try scratch.write(["Package.swift": "one", "build/release/a.o": "1"])
    func drop() throws -> Bool {
      try FuzzBuilder.dropForeignObjects(.cov, scratch: scratch.path("build"), manifest: scratch.path("Package.swift"))
      return !HostFiles.exists(scratch.path("build/release/a.o"))
    }
    #expect(try drop(), "nobody knows how it was built")
    try scratch.write(["build/release/a.o": "1"])
    #expect(try !drop())
    try scratch.write(["Package.swift": "two"])
    #expect(try drop())
  }
}

/// Who is known, and who is not.
@Suite struct KnownEntryTests {
  private static let entries = [("scanner", "a", KnownFindings.Entry.Status.open), ("scanner", "b", .fixed)].map {
    KnownFindings.Entry(target: $0, file: $1, key: "key", status: $2, note: "")
  }

  @Test func onlyOpenOnesOfTheTargetAreOpen() throws {
    let (scanner, tls) = (try #require(FuzzTarget.named("scanner")), try #require(FuzzTarget.named("tls")))
    let known = KnownFindings(entries: Self.entries)
    #expect(known.isOpen(scanner, file: "a") && !known.isOpen(scanner, file: "b") && !known.isOpen(tls, file: "a"))
    #expect(known.entry(key: "key", "tls") == nil)
  }

  @Test func equalNamesOfTwoTargetsAreTwoEntries() {
    var known = KnownFindings(entries: Self.entries)
    known.set(.init(target: "tls", file: "a", key: "other", status: .open, note: ""))
    #expect(known.entries.map(\.key) == ["key", "key", "other"])
  }

  @Test func aMendedOneWhoseFileIsGoneIsLost() throws {
    let scratch = try Scratch()
    var layout = FuzzLayout()
    layout.fuzz = scratch.folder.path
    let lost = KnownFindings(entries: Self.entries).lostFiles(
      of: try #require(FuzzTarget.named("scanner")), layout: layout)
    #expect(lost == ["a", "b"].map { scratch.path("regressions/scanner/\($0)") })
  }
}
