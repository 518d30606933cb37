import ArgumentParser
import CaseReduction
import CaseWorkers
import Dispatch
import Foundation
import Glibc
import HostTools
import KnownDeviations
import Requirements
import RunReports
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import SubjectPrograms
import SuiteRunner
import TerminalText

/// Replays scenarios and writes the reports.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Replays scenarios and writes the reports.",
    discussion: """
      Without names all scenarios run, in both worlds. The canaries and the controls of what was chosen always run \
      along. Reports go to a folder named after the time, and reports/latest is a link to it.
      """)

  enum WorldChoice: String, ExpressibleByArgument, CaseIterable {
    case loopback, simulated, both

    var worlds: Set<WorldName> {
      switch self {
      case .loopback: [.loopback]
      case .simulated: [.simulated]
      case .both: Set(WorldName.allCases)
      }
    }
  }

  @OptionGroup var library: LibraryOptions
  @OptionGroup var selection: SelectionOptions
  @OptionGroup var known: DeviationOptions
  @OptionGroup var subjects: SubjectOptions

  @Option(help: "Where to run: loopback (the real kernel), simulated (virtual time) or both.")
  var world = WorldChoice.both

  @Option(help: "The seed that everything random is drawn from.")
  var seed: UInt64 = 1

  @Option(help: "How many seeds to run in the simulated world, counting up from --seed.")
  var seeds = 1

  @Option(
    help: """
      Only variants of this name, such as ipv6-bytes, or that fit a glob, such as '*run-loop*', of every subject: a \
      program's are meant without its name, too.
      """)
  var variant: String?

  @Option(
    help: """
      Plays every scenario at this speed of the subject's, whatever its matrix says: all of its shortcuts, plain for \
      none, or one alone by name.
      """)
  var speed: Speed?

  @Option(help: "Which reading of the sources the subject is held to: documented or upstream.")
  var profile = Profile.documented

  static let standardJobs = 40

  @Option(help: "How many loopback cases run at the same time; fewer when too few descriptors may be open.")
  var jobs = RunCommand.standardJobs

  @Option(
    help: ArgumentHelp(
      "How long a case may take beyond its limit, in seconds, before its worker is ended and the case has hung.",
      valueName: "seconds"))
  var hangTimeout = 20

  @Option(help: "Runs everything this many times; once unless told.")
  var `repeat`: Int?

  @Flag(help: "Repeats until a case is not as expected (at most --repeat times if that is given).")
  var untilFail = false

  @Option(help: "Where the reports go.")
  var output = LabHome.place("reports")

  @Option(parsing: .singleValue, help: "Only these report formats: json, junit, markdown, html. May be repeated.")
  var format: [ReportFormat] = []

  @Flag(
    help: ArgumentHelp(
      """
      Writes what went over the wire as pcapng, with the TLS secrets inside: of cases that are not as expected, and of \
      all when at most \(CaptureStore.fewCases) ran.
      """))
  var capture = false

  @Flag(help: "Prints deviations and the summary only.")
  var quiet = false

  @Flag(help: "Prints every deviation as soon as it is known; without it the first few, and the causes of all.")
  var cases = false

  @Flag(help: "Repeats what was not as expected, one case of each finding, and says what kind of trouble it is.")
  var classify = false

  @Option(help: "With --classify: repetitions under each circumstance, \(Repetitions.usual) unless told.")
  var repetitions: Int?

  @Option(help: ArgumentHelp("Only this share of the cases, such as 2/4; `merge` joins the reports.", valueName: "i/n"))
  var shard: ShardArgument?

  @Option(help: ArgumentHelp("With fewer cases than this the run fails.", valueName: "number"))
  var minCases: Int?

  func validate() throws {
    if let minCases, minCases < 1 { throw ValidationError("--min-cases must be at least 1.") }
    guard (1...1_000_000).contains(seeds) else {
      throw ValidationError("--seeds must be between 1 and 1000000. Run the next ones from another --seed.")
    }
    guard jobs > 0, jobs <= 256 else { throw ValidationError("--jobs must be between 1 and 256.") }
    guard (1...3_600).contains(hangTimeout) else {
      throw ValidationError("--hang-timeout must be between 1 and 3600 seconds.")
    }
    guard (1...1_000_000_000).contains(`repeat` ?? 1) else {
      throw ValidationError("--repeat must be between 1 and 1000000000.")
    }
    // Each round has seeds of its own; over loopback there is one seed for all.
    let others = UInt64(seeds * (`repeat` ?? 1) - 1)
    guard world == .loopback || !seed.addingReportingOverflow(others).overflow else {
      throw ValidationError(
        "--seed \(seed) is too large: --seeds and --repeat need \(others) more behind it, and the last one is "
          + "\(UInt64.max).")
    }
    if let repetitions {
      guard classify else {
        throw ValidationError("--repetitions is for --classify. --repeat plays all cases more than once.")
      }
      try Repetitions.check(repetitions)
    }
  }

  func run() throws {
    // A reader that leaves, such as head, must not take the reports with it.
    signal(SIGPIPE, SIG_IGN)
    AllocatorPolicy.returnLargeBlocks()
    // Before anything is read: whatever ends this run, `latest` is not an earlier one's.
    let reports = ReportFolder(output: output, formats: format, command: LabHome.commandLine)
    // Ends what was refused; after the reports it does nothing.
    defer { reports.abandon() }
    if let problem = reports.problem { Console.error("Note: \(problem)") }
    let register = try self.library.register()
    let (library, ids) = try self.library.choice(selection.names, register)
    let run = try plan(library, ids, register, startedAt: reports.startText)
    if register != nil, format.isEmpty || format.contains(.html) { reports.requirementsPage = RunRequirements.fileName }
    var (outcome, isCut) = try play(run, library, reports)
    try conclude(&outcome, of: run, isCut: isCut)
    try finish(outcome, sentences: register?.sentences ?? [:], reports, shard: run.shardRecord(outcome)) { folder in
      guard let register, let page = reports.requirementsPage else { return }
      try RunRequirements.write(
        register, library, self.library, reports: output, to: folder.appendingPathComponent(page).path)
    }
    if classify { try classifyFindings(of: outcome, run) }
    NextStep.print(outcome)
    // Everything is written. Freeing the objects of a long run one by one would take longer than writing did.
    withExtendedLifetime((library, run, outcome)) { SocketLab.end(outcome.exit.rawValue) }
  }

  private func plan(
    _ library: ScenarioLibrary, _ ids: [String], _ register: RequirementRegister?, startedAt: String
  ) throws -> SuiteRun {
    if profile != .documented { ReproCommand.keep("--profile", profile.rawValue) }
    var options = SuiteRun.Options()
    (options.speed, options.variant) = (speed, variant)
    (options.filters, options.tags, options.worlds) = (selection.filter, selection.tag, world.worlds)
    (options.seed, options.seeds) = (seed, seeds)
    (options.rounds, options.untilFail) = (`repeat`, untilFail)
    (options.jobs, options.profile, options.hangTimeout) = (jobs, profile, .seconds(hangTimeout))
    (options.captures, options.version) = (capture, SocketLab.version)
    let line = try subjects.lineup(known, startedAt: startedAt)
    options.deviations = try known.ledger(
      startedAt: startedAt, beside: line.asked, isJudged: line.hasReference)
    (options.playsReference, options.programs, options.leftOut) = (line.hasReference, line.programs, line.leftOut)
    if let scope = register?.citations.scope { options.scope = scope }
    if !line.programs.isEmpty, !world.worlds.contains(.loopback) {
      throw ValidationError("Programs are judged over loopback only: leave out --world simulated.")
    }
    options.shard = shard?.shard
    options.commit = SourceCommit.text(of: LabHome.folder)
    do {
      return try SuiteRun(library: library, ids: ids, options: options) { Console.error("Note: \($0)") }
    } catch SuiteRun.Refusal.usage(let message) {
      throw ValidationError(message)
    } catch SuiteRun.Refusal.wrongFiles(let entries) {
      for entry in entries { DiagnosticOutput.print(entry) }
      Console.error("\(QuantityText.count(entries.count, "scenario file")) with errors; nothing was run.")
      throw LabExit.badScenario.error
    } catch SuiteRun.Refusal.missingControls(let missing) {
      for (scenario, control) in missing {
        Console.error("\(Console.visible("\(scenario) names the control \(control)")), which does not exist.")
      }
      throw LabExit.badScenario.error
    } catch SuiteRun.Refusal.otherWorlds(let remarks) {
      Console.error("Nothing ran:")
      for remark in remarks { Console.error("  \(Console.visible(remark))") }
      throw LabExit.nothingRan.error
    } catch SuiteRun.Refusal.nothingChosen {
      Console.error("Nothing ran: no scenario fits. `socketlab list` shows all.")
      throw LabExit.nothingRan.error
    }
  }

  /// - Returns: what the run came to, and whether there was more of it than was printed.
  private func play(
    _ run: SuiteRun, _ library: ScenarioLibrary, _ reports: ReportFolder
  ) throws -> (SuiteOutcome, isCut: Bool) {
    let paths = Dictionary(library.entries.map { ($0.id, $0.path) }, uniquingKeysWith: { first, _ in first })
    let display = ProgressDisplay(
      total: run.total, isQuiet: quiet, tellsAll: cases, plan: run.plan, scenarios: run.scenarios, paths: paths)
    let stop = StopFlag()
    let interrupts = InterruptWatch(flag: stop) {
      // Not on the queue of signals: a terminal that does not take the text must not hold up a second ctrl-C.
      DispatchQueue.global().async { display.hurry() }
    }
    defer { interrupts.end() }
    do {
      let outcome = try withoutStrays(of: run) {
        try run.run(
          startedAt: reports.startText, stop: stop, note: { Console.error("Note: \(Console.visible($0))") },
          begins: { reports.begins() }, report: { display.show($0) })
      }
      display.end()
      return (outcome, display.isCut)
    } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
  }

  /// Workers end the processes that subjects leave. Those that a crashed or hung worker could not end are ended here,
  /// and reported like the others.
  private func withoutStrays(of run: SuiteRun, _ body: () throws -> SuiteOutcome) rethrows -> SuiteOutcome {
    guard !run.programs.isEmpty else { return try body() }
    var strays: [String] = []
    var outcome = try StrayProcesses.endingOrphans(body) { strays = $0 }
    let subjects = run.programs.map(\.program.name).sorted().joined(separator: " or ")
    if !strays.isEmpty { outcome.note([subjects: SubjectExit(leftRunning: strays)]) }
    return outcome
  }

  /// Prints what the run came to and looks into what is asked of it as a whole, before there are reports that tell it;
  /// throws the exit code of a run without reports.
  private func conclude(_ outcome: inout SuiteOutcome, of run: SuiteRun, isCut: Bool) throws {
    guard !outcome.report.cases.isEmpty else {
      Console.error(outcome.isInterrupted ? "Interrupted before anything could be judged." : "Nothing ran.")
      throw LabExit.nothingRan.error
    }
    for line in SuiteSummary(outcome, tellsCauses: isCut).lines { Console.print(line) }
    for name in outcome.leaksNotJudged {
      Console.print(
        Console.styled("  whether \(name) leaves descriptors open was not judged: too few cases went well", .caution))
    }
    MinimumCases.check(&outcome, least: minCases)
    if subjects.agree { SubjectAgreement.check(&outcome, of: run) }
  }

  /// Writes the reports and prints where they are.
  private func finish(
    _ outcome: SuiteOutcome, sentences: [String: String], _ reports: ReportFolder, shard: ShardRecord?,
    beside: (_ folder: URL) throws -> Void
  ) throws {
    do {
      var report = outcome.report
      report.sentences = sentences
      let store = capture ? CaptureStore(&report) : nil
      var shard = shard
      shard?.report.sentences = sentences
      let folder = try reports.write(report, captures: store?.files ?? [], shard: shard)
      try beside(folder)
      if let store { Console.print(store.summary(folder: folder.relativePath)) }
      // A part of a suite is no run of it: `merge` remembers the whole.
      if shard == nil, !report.hasPrograms { try reports.rememberOrNote(report) }
      Console.print("Reports: \(folder.appendingPathComponent(reports.firstFile).relativePath)")
    } catch {
      Console.error("The reports could not be written to \(reports.output): \(error.localizedDescription)")
      throw LabExit.subjectNotDriven.error
    }
  }

  /// More findings than these are not repeated.
  private static let maxClassified = 8

  /// Repeats one case of each finding. What it says changes no verdict.
  private func classifyFindings(of outcome: SuiteOutcome, _ run: SuiteRun) throws {
    let scenarios = run.scenarios
    let cases = outcome.report.cases
    let findings = RunFindings(cases, sources: outcome.report.sources).causes.flatMap(\.findings)
    guard !findings.isEmpty else { return }
    let stop = StopFlag()
    let interrupts = InterruptWatch(flag: stop)
    defer { interrupts.end() }
    Console.print("\nRepeated, one case of each finding:")
    let printer = ClassificationPrinter(
      classifier: CaseClassifier(
        repetitions: repetitions ?? Repetitions.usual, profile: profile,
        company: CaseClassifier.company(of: scenarios), programs: run.programs, scope: run.scope, stop: stop))
    for finding in findings.prefix(Self.maxClassified) where !stop.isSet {
      let result = cases[finding.example]
      guard let scenario = scenarios.first(where: { $0.id == result.scenario }),
        let identity = FindingIdentity(result)
      else { continue }
      _ = try printer.print(scenario, result.variant, result.world, result.seed, known: identity)
    }
    if findings.count > Self.maxClassified {
      let left = QuantityText.count(findings.count - Self.maxClassified, "finding")
      Console.print("\(left) more; `socketlab classify CASE` repeats any case.")
    }
  }
}

/// What to type when a run is red.
enum NextStep {
  /// More scenarios than these are no line to type.
  private static let maxControls = 12

  /// Names the command that makes the first failing case smaller; where several controls are red, first the one that
  /// plays these alone.
  static func print(_ outcome: SuiteOutcome) {
    let cases = outcome.report.cases
    let red = FailedControl.all(in: cases)
    if red.count > 1 {
      let controls = Array(red.prefix(maxControls))
      let words = controls.map(\.scenario) + subjects(of: controls, in: cases)
      Console.print(
        Console.styled("Next: \(Console.visible(ReproCommand.text(verb: "run", words)))", .quiet))
      let which = red.count > maxControls ? "the first \(maxControls) controls" : "the controls"
      return Console.print(
        Console.styled("      plays \(which) that did not pass, and nothing that hangs on them", .quiet))
    }
    let causes = RunFindings(cases, sources: outcome.report.sources).causes
    guard let cause = causes.first, FindingIdentity(cases[cause.example]) != nil, !cases[cause.example].canary else {
      return
    }
    let command = Console.visible(ReproCommand.text(cases[cause.example], verb: "shrink"))
    Console.print(Console.styled("Next: \(command)", .quiet))
    Console.print(Console.styled("      makes the likeliest cause's case smaller and writes it as a scenario", .quiet))
  }

  /// The option that names the subjects whose controls did not pass; nothing where it is the library alone.
  private static func subjects(of controls: [FailedControl], in cases: [CaseResult]) -> [String] {
    // A control that did not run has no cases of its own.
    let names = Set(controls.flatMap(\.dependants).map { cases[$0].variant.program })
      .map { name in name.map(ReproCommand.called) ?? SubjectProgram.reference }
    return names.allSatisfy { $0 == SubjectProgram.reference }
      ? [] : ["--subject", names.sorted().joined(separator: ",")]
  }
}

extension Profile: ExpressibleByArgument {}
extension Speed: ExpressibleByArgument {}
extension WorldName: ExpressibleByArgument {}

extension ReportFormat: ExpressibleByArgument {}
