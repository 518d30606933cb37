import ArgumentParser
import CampaignRunner
import CaseWorkers
import Exploration
import ExplorationRunner
import Foundation
import Glibc
import HostTools
import ScenarioModel
import SubjectPrograms
import SubjectProtocol
import SuiteRunner
import TerminalText

/// Looks for what no scenario says.
struct ExploreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explore", abstract: "Plays programs and changed scenarios that nobody wrote, and keeps what fails.",
    discussion: """
      Draws programs of a socket, takes the programs that committed scenarios tell and changes them, and changes \
      committed scenarios: sizes and cutting of payloads, pauses, the order of calls, where a connection ends, limits, \
      timeouts, queues, settings of TLS. What must be seen is said by the reference model, by the scenario where a \
      change makes no difference, and otherwise by what holds in every case. A program is explored over loopback, with \
      what it offers; the reference model judges it if it claims the flavour gcd.

      What fails is played again, made smaller and kept as a scenario file, with the command that shows it again. What \
      does not show again over loopback is no finding: its scenario is kept as it is in the folder `unconfirmed` \
      beside the findings, up to a hundred of them. With --programs the same seed explores the same. A changed \
      scenario that shows what is on record of the subject for the scenario as it stands is counted, and is no \
      finding. The campaign's report goes to a folder below --output, and its line to the history, as those of `fuzz` \
      do.

      Exit codes: 0 nothing found, 1 a finding, a gate that failed or an interruption, 2 wrong usage, 3 a scenario \
      file is wrong, 4 cases could not be played or files not be written, 5 nothing ran.
      """)

  static let standardOutput = LabHome.place("reports/explore")

  /// Classes of the library that comes with the lab, as an option names them.
  private static let classes: [String: [SubjectKind]] = [
    "gcd": [.gcd], "run-loop": [.runLoop], "both": SubjectKind.allCases,
  ]

  @OptionGroup var library: LibraryOptions
  @OptionGroup var known: DeviationOptions

  @Argument(help: "Scenario ids or folders of them to make trials of. None: all.")
  var names: [String] = []

  @Option(help: ArgumentHelp("How long to explore, in seconds; 60 without --programs.", valueName: "seconds"))
  var time: Int?

  @Option(help: ArgumentHelp("How many trials to draw, instead of a time.", valueName: "number"))
  var programs: Int?

  @Option(help: "What everything is drawn from.")
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp(
      """
      Who is explored: a class of the library that comes with the lab (gcd, run-loop or both), a subject below \
      Subjects/, or the path of a program that speaks the protocol of Subjects/README.md.
      """, valueName: "name"))
  var subject = "both"

  @Option(help: "Where to play: loopback (the real kernel), simulated (virtual time) or both.")
  var world = RunCommand.WorldChoice.both

  @Option(
    parsing: .singleValue,
    help: "Only trials that are judged by the model, by expectations, or by laws alone. May be repeated.")
  var judge: [ExploredTrial.Judgement] = []

  @Option(help: ArgumentHelp("Where the files of findings go; CAMPAIGN/found without it.", valueName: "folder"))
  var keep: String?

  @Option(help: "Where the reports of explorations go.")
  var output = ExploreCommand.standardOutput

  @Option(help: "The campaign's name; the time if not given.")
  var campaign: String?

  @Option(help: "How many loopback cases run at the same time.")
  var jobs = RunCommand.standardJobs

  @Option(help: "Seconds for making a finding smaller; 0: not at all.")
  var minimise = 20

  @Flag(help: "Ends with the first finding.")
  var untilFound = false

  @Flag(help: "Prints the result as JSON, and nothing else on standard output.")
  var json = false

  @Flag(help: "Prints findings and the summary only.")
  var quiet = false

  func validate() throws {
    guard time == nil || programs == nil else { throw ValidationError("Give --time or --programs, not both.") }
    if let time, !(1...1_000_000).contains(time) { throw ValidationError("--time must be at least 1 second.") }
    if let programs, programs < 1 { throw ValidationError("--programs must be at least 1.") }
    guard (1...256).contains(jobs) else { throw ValidationError("--jobs must be between 1 and 256.") }
    guard minimise >= 0 else { throw ValidationError("--minimise can't be negative.") }
    if let campaign { try FuzzOptions.requireCampaignName(campaign) }
    if world == .simulated, Self.classes[subject] == nil {
      throw ValidationError("Programs are played over loopback only: leave out --world simulated.")
    }
  }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    AllocatorPolicy.returnLargeBlocks()
    let (library, ids) = try self.library.choice(names)
    let wrong = library.entries.filter { $0.scenario == nil && (names.isEmpty || ids.contains($0.id)) }
    guard wrong.isEmpty else {
      for entry in wrong { DiagnosticOutput.print(entry) }
      throw LabExit.badScenario.error
    }
    let scenarios = (names.isEmpty ? library.entries : ids.compactMap { library[$0] }).compactMap(\.scenario)
    let requirements = try self.library.register()?.requirements.map(\.id) ?? []
    do { try explore(scenarios, requirements) } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
  }

  /// The program that is explored, started; nil: the library that comes with the lab.
  private func program() throws -> SubjectEntry? {
    guard Self.classes[subject] == nil else { return nil }
    let word = subject == SubjectProgram.reference ? "" : subject
    guard !word.isEmpty else {
      throw ValidationError("--subject names a class of the library (gcd, run-loop or both), or a program.")
    }
    return try CaseSubjectOptions.Program(program: SubjectOptions.program(word), word: word).entry()
  }

  /// Says before a minute goes by what the subject's trials are not judged by.
  private func tellOfJudges(of entry: SubjectEntry) throws {
    let lack = "\(entry.name) does not claim the flavour gcd, so the reference model can't judge it"
    guard !judge.contains(.model) else { throw ValidationError("\(lack): leave out --judge model.") }
    if json || !judge.isEmpty { return }
    Console.error(
      "Note: \(lack): its trials are judged by what committed scenarios expect, or by the laws of every case.")
  }

  private func explore(_ scenarios: [Scenario], _ requirements: [String]) throws {
    let name = campaign ?? FuzzCampaigns.nameOfNow(FuzzShard())
    let folder = "\(output)/\(name)"
    guard !PathText.exists("\(folder)/\(FuzzCampaigns.file)") else {
      throw ValidationError("The campaign \(folder) exists already; nothing was changed. Choose another name.")
    }
    let entry = try program()
    var drawing = TrialDrawing.Options(
      seed: seed, subjects: Self.classes[subject] ?? SubjectKind.allCases,
      worlds: entry == nil ? world.worlds : [.loopback])
    // The model is one of the library's class, and foretells what binds no other.
    if let entry, !entry.claims.flavours.contains(.gcd) {
      try tellOfJudges(of: entry)
      drawing.judgements.remove(.model)
    }
    if !judge.isEmpty { drawing.judgements = Set(judge) }
    var options = ExplorationRun.Options(name: name, drawing: drawing, keep: keep ?? "\(folder)/found")
    options.reports = folder
    options.programs = programs
    options.time = programs == nil ? .seconds(time ?? 60) : nil
    options.endsWithFirst = untilFound
    options.reduction = .seconds(minimise)
    (options.jobs, options.version) = (jobs, SocketLab.version)
    (options.subject, options.scope) = (entry, try library.scope())
    let day = Date().formatted(.iso8601)
    options.deviations =
      try entry.map { try known.ledger(of: $0.program, startedAt: day, isAlone: true) }
      ?? known.ledger(startedAt: day)
    options.command = LabHome.commandLine.joined(separator: " ")
    let stop = StopFlag()
    let interrupts = InterruptWatch(flag: stop)
    defer { interrupts.end() }
    let display = ExplorationDisplay(isQuiet: quiet || json, isSilent: json)
    let run = ExplorationRun(options, stop: stop) { display.show($0) }
    guard let outcome = try run.run(scenarios, deathPipe: ParentDeathPipe()) else {
      Console.error("Nothing ran: no trial can be made of these scenarios for this subject and world.")
      throw LabExit.nothingRan.error
    }
    let summary = ExplorationSummary(outcome, seed: seed, requirements: requirements)
    if json {
      Console.write(String(decoding: try summary.json, as: UTF8.self))
    } else {
      for line in ExplorationText.summary(summary) { Console.print(line) }
    }
    try HostFiles.makeFolder(folder)
    try HostFiles.write(try summary.json, to: "\(folder)/explore.json")
    try FuzzOutcome(campaign: outcome.campaign, folder: folder).exit(isQuiet: json)
  }
}

extension ExploredTrial.Judgement: ExpressibleByArgument {}
