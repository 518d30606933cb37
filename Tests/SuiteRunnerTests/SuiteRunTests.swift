import Foundation
import HostTools
import KnownDeviations
import ReportTestSupport
import RunReports
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import SubjectPrograms
import SubjectProtocol
import Synchronization
import TestSupport
import Testing

@testable import SuiteRunner

/// One run: what is chosen and refused, what is counted, and what it means. The workers are played.
@Suite struct SuiteRunTests {
  private static let text = SampleScenario.text

  /// A library of these ids, each with lines that are added to its text.
  private static func library(_ files: [String: String]) throws -> ScenarioLibrary {
    let scratch = try Scratch()
    try scratch.write(Dictionary(uniqueKeysWithValues: files.map { ("Scenarios/\($0).yaml", text + $1) }))
    return try ScenarioLibrary(folder: scratch.path("Scenarios"))
  }

  private static func options(_ change: (inout SuiteRun.Options) -> Void = { _ in }) -> SuiteRun.Options {
    var options = SuiteRun.Options()
    options.worlds = [.simulated]
    options.hangTimeout = .zero
    change(&options)
    return options
  }

  private func refusal(_ body: () throws -> Void) throws -> SuiteRun.Refusal {
    try #require(throws: SuiteRun.Refusal.self) { try body() }
  }

  // MARK: - Choosing

  @Test func aNameThatNothingHasIsWrongUsage() throws {
    let library = try Self.library(["read/line": ""])
    let refusal = try refusal { _ = try SuiteRun(library: library, ids: ["read/lime"], options: Self.options()) }
    guard case .usage(let message) = refusal else { return #expect(Bool(false), "\(refusal)") }
    #expect(message.contains("Did you mean read/line?"))
  }

  @Test func aVariantThatNoScenarioHasIsWrongUsageAndTheVariantsAreNamed() throws {
    let library = try Self.library(["read/line": ""])
    let options = Self.options { $0.variant = "ipv5" }
    let refusal = try refusal { _ = try SuiteRun(library: library, ids: [], options: options) }
    guard case .usage(let message) = refusal else { return #expect(Bool(false), "\(refusal)") }
    #expect(message == "There is no variant ipv5. The variants are: ipv4.")
  }

  private static let program = SubjectEntry(
    program: SubjectProgram(name: "x", path: "/x"), claims: SubjectClaims(name: "x", version: "1"), deviations: nil)

  private static func options(_ variant: String, playsReference: Bool) -> SuiteRun.Options {
    options {
      $0.variant = variant
      $0.programs = [program]
      $0.playsReference = playsReference
      $0.worlds = [.loopback]
    }
  }

  /// A program's variants are asked for without its name as well, and named so where nobody has the one asked for.
  @Test(
    arguments: [
      ("ipv4", true, ["ipv4", "ipv4-x"]), ("ipv4", false, ["ipv4-x"]), ("ipv4-x", true, ["ipv4-x"]),
      ("ipv4-x", false, ["ipv4-x"]), ("ipv?", true, ["ipv4", "ipv4-x"]), ("ipv5", true, []), ("ipv5", false, []),
    ] as [(String, Bool, [String])])
  func aVariantIsThatOfEverySubject(_ variant: String, playsReference: Bool, names: [String]) throws {
    let library = try Self.library(["read/line": ""])
    let options = Self.options(variant, playsReference: playsReference)
    guard names.isEmpty else {
      let run = try SuiteRun(library: library, ids: [], options: options)
      #expect(run.plan.map(\.variant.name) == names)
      return
    }
    let refusal = try refusal { _ = try SuiteRun(library: library, ids: [], options: options) }
    guard case .usage(let message) = refusal else { return #expect(Bool(false), "\(refusal)") }
    #expect(message == "There is no variant ipv5. The variants are: ipv4.")
  }

  /// A variant of the program's alone leaves the library, which was named as well, without a case.
  @Test func aLibraryThatIsAskedNothingIsNotPassedOver() throws {
    let options = Self.options("ipv4-x", playsReference: true)
    let (outcome, _) = try play(["read/line": ""], options: options)
    #expect(outcome.report.shortfalls.map(\.kind) == [.askedNothing] && outcome.exit == .nothingRan)
    let all = try play(["read/line": ""], options: Self.options("ipv4", playsReference: true)).outcome
    #expect(all.report.shortfalls.isEmpty)
  }

  @Test func wrongFilesAreRefusedIfChosenAndNotedIfNot() throws {
    let library = try Self.library(["read/line": "", "write/bad": "titel: x\n"])
    let refusal = try refusal { _ = try SuiteRun(library: library, ids: [], options: Self.options()) }
    guard case .wrongFiles(let entries) = refusal else { return #expect(Bool(false), "\(refusal)") }
    #expect(entries.map(\.id) == ["write/bad"])
    var notes: [String] = []
    let run = try SuiteRun(library: library, ids: ["read"], options: Self.options()) { notes.append($0) }
    #expect(notes == ["1 other scenario file with errors; see `socketlab check`."])
    #expect(run.plan.map { run.scenarios[$0.scenario].id } == ["read/line"])
  }

  @Test func aControlThatDoesNotExistIsRefused() throws {
    let library = try Self.library(["read/line": "control: control/none\n"])
    let refusal = try refusal { _ = try SuiteRun(library: library, ids: [], options: Self.options()) }
    guard case .missingControls(let missing) = refusal else { return #expect(Bool(false), "\(refusal)") }
    #expect(missing.map(\.scenario) == ["read/line"] && missing.map(\.control) == ["control/none"])
  }

  @Test func whenNoScenarioFitsNothingIsChosen() throws {
    let library = try Self.library(["read/line": ""])
    let options = Self.options { $0.tags = ["none"] }
    let refusal = try refusal { _ = try SuiteRun(library: library, ids: [], options: options) }
    guard case .nothingChosen = refusal else { return #expect(Bool(false), "\(refusal)") }
  }

  @Test func whatIsPlayedInOtherWorldsIsToldOrRefused() throws {
    let library = try Self.library([
      "read/line": "", "read/real": "worlds: { only: loopback, because: \"it is real\" }\n",
    ])
    let remark = "read/real is played in another world (loopback): it is real"
    let refusal = try refusal { _ = try SuiteRun(library: library, ids: ["read/real"], options: Self.options()) }
    guard case .otherWorlds([remark]) = refusal else { return #expect(Bool(false), "\(refusal)") }
    var notes: [String] = []
    let run = try SuiteRun(library: library, ids: ["read/line", "read/real"], options: Self.options()) {
      notes.append($0)
    }
    #expect(notes == [remark] && run.plan.count == 1)
    // Nobody has asked for that one.
    notes = []
    _ = try SuiteRun(library: library, ids: [], options: Self.options()) { notes.append($0) }
    #expect(notes.isEmpty)
  }

  @Test func warningsOfChosenFilesAreTold() throws {
    let scratch = try Scratch()
    let idle = Self.text.replacingOccurrences(of: "  - connect\n", with: "  - connect\n  - reach: nowhere\n")
    try scratch.write(["Scenarios/read/line.yaml": Self.text, "Scenarios/read/idle.yaml": idle])
    let library = try ScenarioLibrary(folder: scratch.path("Scenarios"))
    var notes: [String] = []
    _ = try SuiteRun(library: library, ids: ["read/line"], options: Self.options()) { notes.append($0) }
    #expect(notes.isEmpty)
    let entry = try #require(library.entries.first { $0.id == "read/idle" })
    let warning = try #require(entry.diagnostics.first)
    #expect(!entry.hasErrors)
    _ = try SuiteRun(library: library, ids: ["read/idle"], options: Self.options()) { notes.append($0) }
    #expect(notes.count == 1 && notes[0].contains("read/idle.yaml:") && notes[0].contains(warning.message), "\(notes)")
  }

  /// Of a control that has the variant only that one runs; other controls and canaries run as they are.
  @Test func oneVariantLeavesOtherControlsAndCanariesAsTheyAre() throws {
    let matrix = "matrix: { segmentation: [whole, bytes] }\n"
    let library = try Self.library([
      "read/line": matrix + "control: control/plain\n", "control/plain": matrix + "control: control/whole\n",
      "control/whole": "", "canary/blind": "canary: true\n",
    ])
    let run = try SuiteRun(
      library: library, ids: ["read/line"], options: Self.options { $0.variant = "ipv4-bytes" })
    let cases = run.plan.map { "\(run.scenarios[$0.scenario].id) \($0.variant.name)" }
    #expect(
      Set(cases) == [
        "read/line ipv4-bytes", "control/plain ipv4-bytes", "control/whole ipv4", "canary/blind ipv4",
      ])
  }

  // MARK: - Running

  private func play(
    _ files: [String: String], _ courses: [String: FakeCourse] = [:], options: SuiteRun.Options = options(),
    stoppingAt last: Int = .max
  ) throws -> (outcome: SuiteOutcome, reported: Int) {
    let stop = StopFlag()
    let crew = FakeCrew(courses) { if $0 >= last { stop.set() } }
    var run = try SuiteRun(library: try Self.library(files), ids: [], options: options)
    run.startWorker = crew.start
    let reported = Mutex(0)
    var hasBegun = false
    let outcome = try run.run(startedAt: "2026-01-02T03:04:05Z", stop: stop, begins: { hasBegun = true }) { _ in
      reported.withLock { $0 += 1 }
    }
    #expect(hasBegun)
    return (outcome, reported.withLock { $0 })
  }

  @Test(arguments: [(0, false, true), (0, true, true), (1, true, true), (1, false, false), (7, false, false)])
  func aCaseWithoutAResultIsNotLost(_ lost: Int, isStopped: Bool, isFine: Bool) {
    var message: String?
    do { try SuiteRun.refuseLost(lost, of: 9, isStopped: isStopped) } catch { message = error.message }
    #expect((message == nil) == isFine)
    #expect(message?.hasPrefix("\(lost) of 9 cases came to no result") ?? true)
  }

  @Test func whatWentAsExpectedIsListedOnceAndCountedForEverySeed() throws {
    let (outcome, reported) = try play(
      ["read/line": "", "write/all": ""], options: Self.options { $0.seeds = 50 })
    #expect(reported == 100)
    #expect(outcome.report.cases.map(\.scenario) == ["read/line", "write/all"])
    #expect(outcome.report.unlistedCases == [CaseColumn(.gcd, .simulated): UnlistedCases([.passed: 98])])
    #expect(outcome.counts == [.simulated: 100])
    #expect(outcome.report.sources["read/line"]?.text == Self.text)
    #expect(outcome.exit == .asExpected)
  }

  /// Of further rounds what is on record and what was not played go as expected, too, and have not passed.
  @Test func whatIsNotListedCountsUnderItsVerdict() throws {
    let record = """
      library: Mine
      deviations:
        - { cases: read/line, subject: gcd, reason: slow, evidence: { kind: late }, expires: 2999-12-31 }

      """
    let file = DeviationFile(path: "d.yaml", bytes: Array(record.utf8), library: "Mine")
    try #require(file.diagnostics.isEmpty, "\(file.diagnostics)")
    let ledger = DeviationLedger(file, today: try #require(CalendarDate("2026-01-02")))
    let (outcome, reported) = try play(
      ["read/line": "", "write/all": ""], ["read/line": .fails],
      options: Self.options {
        ($0.worlds, $0.rounds, $0.deviations, $0.programs) = ([.loopback], 3, ledger, [Self.program])
        $0.scope = { _ in .gcd }
      })
    #expect(reported == 12 && outcome.report.cases.count == 4)
    let own = CaseColumn(SubjectLabel(.gcd, program: "x"), .loopback)
    #expect(
      outcome.report.unlistedCases == [
        CaseColumn(.gcd, .loopback): UnlistedCases([.passed: 2], known: [.failed: 2]),
        own: UnlistedCases([.unsupported: 4]),
      ])
    #expect(outcome.judgedCases == 6)
    #expect(SubjectMatrix(outcome.report).counts(own.subject) == [.unsupported: 6])
    let json = try ReadJSON(ReportJSON.encode(outcome.report))
    for (key, number) in [
      ("passed", 3), ("failed", 3), ("unsupported", 6), ("known", 3), ("cases", 12), ("asExpected", 12),
    ] as [(String, Double)] {
      #expect(json["summary"]?[key]?.number == number, "\(key)")
    }
    #expect(json["run"]?["unlisted_cases"]?.number == 8 && json["run"]?["unlisted_known"]?.number == 2)
    #expect(json["run"]?["unlisted_verdicts"]?["unsupported"]?.number == 4)
  }

  @Test func everyDeviationIsListed() throws {
    let (outcome, _) = try play(
      ["read/line": "", "write/all": ""], ["read/line": .fails], options: Self.options { $0.seeds = 3 })
    #expect(outcome.report.cases.filter { !$0.isAsExpected }.map(\.seed) == [1, 2, 3])
    #expect(outcome.exit == .deviation)
  }

  @Test func roundsGoOnWithNewSeedsUntilACaseIsNotAsExpected() throws {
    let untilFail = Self.options { ($0.rounds, $0.untilFail, $0.seeds) = (5, true, 2) }
    let red = try play(["read/line": ""], ["read/line": .fails], options: untilFail)
    #expect(red.reported == 2, "the first round is the last")
    let green = try play(["read/line": ""], options: untilFail)
    #expect(green.reported == 10)
    let run = try SuiteRun(library: try Self.library(["read/line": ""]), ids: [], options: untilFail)
    #expect(run.total == 10)
    let openEnded = Self.options { $0.untilFail = true }
    #expect(try SuiteRun(library: try Self.library(["read/line": ""]), ids: [], options: openEnded).total == nil)
  }

  /// Whoever plays the cases many times looks for what happens seldom.
  @Test(arguments: [(1, false, true), (3, false, false), (1, true, false)] as [(Int, Bool, Bool)])
  func aHangOfAProgramIsLookedAtAgainInOneRoundOnly(rounds: Int, untilFail: Bool, isRepeated: Bool) throws {
    var options = Self.options("ipv4-x", playsReference: false)
    (options.rounds, options.untilFail, options.hangTimeout) = (rounds, untilFail, .seconds(20))
    options.programs = [
      SubjectEntry(
        program: Self.program.program,
        claims: SubjectClaims(
          name: "x", version: "1", calls: Set(SubjectClaims.knownCalls), callbacks: Set(CallbackKind.allCases),
          properties: Set(SubjectProperty.allCases), features: Set(SubjectClaim.allCases), flavours: [.gcd]),
        deviations: nil)
    ]
    let outcome = try play(
      ["read/line": ""], ["read/line": .hangsOnce(lateness: .zero)], options: options
    ).outcome
    #expect(outcome.report.cases.contains { $0.verdict == .hang } != isRepeated)
    #expect(outcome.repeatedHangs == (isRepeated ? 1 : 0))
  }

  @Test func oneRoundThatWasAskedForIsTheLast() throws {
    let once = Self.options { ($0.rounds, $0.untilFail, $0.seeds) = (1, true, 2) }
    let run = try SuiteRun(library: try Self.library(["read/line": ""]), ids: [], options: once)
    try #require(run.total == 2)
    #expect(try play(["read/line": ""], options: once).reported == 2)
  }

  @Test func whatIsFoundAfterABatchTakesThePlaceOfWhatWasReported() throws {
    let (outcome, _) = try play(
      ["read/line": "", "write/all": ""], ["read/line": .leaks],
      options: Self.options { $0.hangTimeout = .seconds(20) })
    #expect(outcome.report.cases.count == 2)
    #expect(outcome.report.cases.first { $0.scenario == "read/line" }?.deviations.map(\.kind) == [.resource])
    #expect(outcome.exit == .deviation)
  }

  @Test func aRunThatIsStoppedSaysHowMuchWasNotJudged() throws {
    let (outcome, reported) = try play(
      ["read/line": ""], options: Self.options { ($0.seeds, $0.jobs) = (1_000, 1) }, stoppingAt: 100)
    #expect(outcome.isInterrupted)
    #expect(reported >= 100 && reported < 1_000)
    #expect(outcome.report.casesNotJudged == 1_000 - reported)
    #expect(outcome.exit == .deviation)
  }

  @Test func aStopWhileTheLastCasesArePlayedInterruptsNothing() throws {
    let (outcome, reported) = try play(
      ["read/line": ""], options: Self.options { ($0.seeds, $0.jobs) = (100, 1) }, stoppingAt: 100)
    #expect(reported == 100 && outcome.report.casesNotJudged == 0)
    #expect(!outcome.isInterrupted && outcome.exit == .asExpected)
    let red = Self.options { ($0.rounds, $0.untilFail) = (5, true) }
    let failed = try play(["read/line": ""], ["read/line": .fails], options: red, stoppingAt: 1).outcome
    #expect(!failed.isInterrupted, "its first deviation ends it anyway")
    let endless = try play(["read/line": ""], options: Self.options { $0.untilFail = true }, stoppingAt: 1).outcome
    #expect(endless.isInterrupted && endless.exit == .deviation)
  }

  /// Everything was played, and nobody knows what it left behind: that takes runs which a stop forbids.
  @Test func aSuspicionThatAStopCutsShortIsNoAcquittal() throws {
    let outcome = try play(
      ["read/line": ""], ["read/line": .leaks], options: Self.options { $0.hangTimeout = .seconds(20) }, stoppingAt: 1
    ).outcome
    #expect(outcome.isInterrupted && outcome.exit == .deviation && outcome.falseAlarms == 0)
  }

  @Test func whatHangsOnAFailedControlProvesNothing() throws {
    let (outcome, _) = try play(
      ["read/line": "control: control/plain\n", "control/plain": ""], ["control/plain": .fails])
    let voided = try #require(outcome.report.cases.first { $0.scenario == "read/line" })
    #expect(voided.verdict == .error && voided.voided?.control == "control/plain")
  }

  // MARK: - What it means

  private static let meanings: [([Verdict], isInterrupted: Bool, LabExit)] = [
    ([.passed], false, .asExpected), ([.passed], true, .deviation), ([.passed, .failed], false, .deviation),
    ([.error], false, .subjectNotDriven), ([.error, .failed], false, .deviation),
    ([.inconclusive], false, .deviation), ([.skipped, .unsupported], false, .nothingRan), ([], false, .nothingRan),
  ]

  private static func exit(
    _ verdicts: [Verdict], isInterrupted: Bool = false, _ change: (inout RunReport) -> Void = { _ in }
  ) -> LabExit {
    SuiteOutcome(report: report(verdicts, change), isInterrupted: isInterrupted, spent: [:], counts: [:]).exit
  }

  private static func report(_ verdicts: [Verdict], _ change: (inout RunReport) -> Void = { _ in }) -> RunReport {
    let cases = verdicts.enumerated().map { number, verdict in
      var result = CaseResult(
        scenario: .named("a/\(number)"), variant: Variant(family: .ipv4, cut: .whole, queues: .separate),
        world: .simulated, seed: 1)
      result.verdict = verdict
      return result
    }
    var report = RunReport(
      startedAt: "", version: "", subject: "", profile: .documented,
      host: HostFacts(system: "", processors: 1, jitter: .zero), seed: 1, seeds: 1, duration: .zero, cases: cases,
      sources: [:])
    change(&report)
    return report
  }

  @Test(arguments: meanings.indices) func everyOutcomeHasItsExitCode(_ index: Int) {
    let (verdicts, isInterrupted, exit) = Self.meanings[index]
    #expect(Self.exit(verdicts, isInterrupted: isInterrupted) == exit, "\(verdicts)")
  }

  /// Continuous integration reads either the exit code or `junit.xml`: both are green, or neither is.
  @Test(arguments: Verdict.allCases, [false, true])
  func junitIsGreenWhereTheExitCodeIs(_ verdict: Verdict, isCanary: Bool) throws {
    for verdicts in [[verdict], [.passed, verdict]] {
      let report = Self.report(verdicts) { $0.cases[$0.cases.count - 1].canary = isCanary }
      let exit = SuiteOutcome(report: report, isInterrupted: false, spent: [:], counts: [:]).exit
      #expect(try Self.isGreen(report) == (exit == .asExpected), "\(verdicts): \(exit)")
    }
  }

  private static func isGreen(_ report: RunReport) throws -> Bool {
    let junit = String(decoding: JUnitReport.make(report), as: UTF8.self)
    let head = try #require(junit.split(separator: "\n").first { $0.hasPrefix("<testsuites") })
    return head.contains(#"failures="0" errors="0""#)
  }

  /// Whatever its cases came to: the worse of both is the code, and `junit.xml` has an error.
  @Test(
    arguments: [
      ([Verdict.passed], .tooFewCases, .nothingRan), ([.passed, .failed], .tooFewCases, .deviation),
      ([.passed], .disagreement, .deviation), ([.error], .disagreement, .deviation),
    ] as [([Verdict], RunShortfall.Kind, LabExit)])
  func whatIsAskedOfARunAsAWholeCounts(_ verdicts: [Verdict], _ kind: RunShortfall.Kind, _ exit: LabExit) throws {
    var outcome = SuiteOutcome(report: Self.report(verdicts), isInterrupted: false, spent: [:], counts: [:])
    outcome.fellShort(RunShortfall(kind, "less than was asked"))
    let isGreen = try Self.isGreen(outcome.report)
    #expect(outcome.exit == exit && !isGreen)
    let junit = String(decoding: JUnitReport.make(outcome.report), as: UTF8.self)
    #expect(junit.contains("<error message=\"less than was asked\" type=\"\(kind.rawValue)\"/>"), "\(junit)")
  }

  @Test func aSubjectThatDoesNotEndWellIsNotGreen() throws {
    var report = Self.report([.passed])
    report.cases[0].variant = report.cases[0].variant.of(program: "mine")
    report.programs = [ProgramFacts(name: "mine", library: nil, version: nil)]
    report.note(["mine": SubjectExit(leftRunning: ["sleep"])])
    var outcome = SuiteOutcome(report: report, isInterrupted: false, spent: [:], counts: [:])
    #expect(try outcome.exit == .asExpected && Self.isGreen(outcome.report))
    outcome.note(["mine": SubjectExit(faults: [.init(text: "it leaks", lastWords: ["16 bytes"])])])
    #expect(try outcome.exit == .deviation && !Self.isGreen(outcome.report))
    let markdown = String(decoding: MarkdownSummary.make(outcome.report), as: UTF8.self)
    #expect(markdown.contains("**mine did not end well**: it leaks: 16 bytes"))
    #expect(String(decoding: ReportJSON.encode(outcome.report), as: UTF8.self).contains(#""last_words": ["16 bytes"]"#))
  }

  /// Beside another subject that was judged, in an interrupted run and in a whole one.
  @Test(
    "a run in which a subject was asked nothing is no success",
    arguments: [
      (Verdict.unsupported, .passed, false, .nothingRan), (.skipped, .passed, false, .nothingRan),
      (.unsupported, .failed, false, .deviation), (.unsupported, .error, false, .subjectNotDriven),
      (.unsupported, .passed, true, .deviation), (.passed, .passed, false, .asExpected),
    ] as [(Verdict, Verdict, Bool, LabExit)])
  func aSubjectThatWasAskedNothing(_ own: Verdict, _ other: Verdict, isInterrupted: Bool, exit: LabExit) throws {
    let change: (inout RunReport) -> Void = { report in
      report.cases[0].variant = report.cases[0].variant.of(program: "mine")
      report.casesNotJudged = isInterrupted ? 1 : 0
    }
    #expect(Self.exit([own, other], isInterrupted: isInterrupted, change) == exit)
    let report = Self.report([own, other], change)
    let isGreen = try Self.isGreen(report)
    #expect(isGreen == (exit == .asExpected))
    let junit = String(decoding: JUnitReport.make(report), as: UTF8.self)
    #expect(junit.contains(#"<testcase name="mine" classname="subjects""#) == (own != .passed), "\(junit)")
  }

  /// Nobody has planned a case for it; in an interrupted run it may only not have come yet.
  @Test func aSubjectWithoutASingleCaseWasAskedNothing() throws {
    var report = Self.report([.passed])
    report.programs = [ProgramFacts(name: "mine", library: nil, version: nil)]
    #expect(SuiteOutcome(report: report, isInterrupted: false, spent: [:], counts: [:]).exit == .nothingRan)
    #expect(report.askedNothing.map(\.subject.name) == ["mine"])
    let isGreen = try Self.isGreen(report)
    #expect(!isGreen && MatrixReport.lines(report).contains("  mine: asked 0 of 0 scenarios, none of them"))
    let headline = String(decoding: MarkdownSummary.make(report), as: UTF8.self).split(separator: "\n")[0]
    #expect(headline.contains("as expected, but mine was asked nothing: "), "\(headline)")
    report.casesNotJudged = 1
    #expect(report.askedNothing.isEmpty)
    (report.casesNotJudged, report.shard) = (0, "1/2")
    #expect(report.askedNothing.isEmpty)
  }

  @Test func anEntryOfKnownDeviationsThatIsWrongIsNoSuccess() {
    let expired = DeviationFault(
      kind: .expired, path: "d.yaml", position: SourcePosition(line: 3, column: 5), says: "expired", help: "decide")
    #expect(Self.exit([.passed]) { $0.deviationFaults = [expired] } == .deviation)
  }

  @Test("a run without one of its subjects is no success", arguments: [Verdict.passed, .failed, .skipped])
  func aSubjectThatWasLeftOut(_ verdict: Verdict) {
    let exit = Self.exit([verdict]) { $0.programs = [ProgramFacts(name: "gone", leftOut: "no compiler")] }
    #expect(exit == (verdict == .failed ? .deviation : .subjectNotDriven))
  }

  // MARK: - Growth

  /// To plan a run is to look at each scenario a few times; to read one is thousands of times as much. What looks at
  /// all scenarios for each of them is slower than reading long before this many.
  @Test func planningCostsLessThanReading() throws {
    let scratch = try Scratch()
    for area in 0..<40 {
      let folder = scratch.folder.appendingPathComponent("area-\(area)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for line in 0..<100 {
        try Data(Self.text.utf8).write(to: folder.appendingPathComponent("line-\(line).yaml"))
      }
    }
    var library = ScenarioLibrary()
    // Several threads read, so that the clock tells what it takes; one thread plans.
    let reading = try ContinuousClock().measure { library = try ScenarioLibrary(folder: scratch.folder.path) }
    #expect(library.scenarios.count == 4_000)
    // All of them by name, too: names are looked up, not compared.
    let planning = try ThreadProcessorTime.seconds {
      _ = try SuiteRun(library: library, ids: [], options: Self.options())
    }
    #expect(planning < reading / .seconds(1), "\(planning) s after \(reading)")
    let names = library.entries.map(\.id)
    var ids: [String] = []
    let naming = try ThreadProcessorTime.seconds {
      ids = try library.ids(for: names)
      _ = try SuiteRun(library: library, ids: ids, options: Self.options())
    }
    #expect(ids == names)
    #expect(naming < reading / .seconds(1), "\(naming) s after \(reading)")
  }
}
