import ArgumentParser
import CampaignReports
import CampaignRunner
import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import MutationRunner
import ScenarioModel
import SubjectAdapters
import SuiteRunner
import TerminalText

/// Runs a campaign.
struct FuzzRunCommand: ParsableCommand {
  static let standardOutput = "reports/fuzz"

  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Runs a campaign and writes its report.",
    discussion: """
      Without names all targets run, each for the time given; as many at a time as there are jobs. What is found \
      interesting stays in a working corpus, from which the next campaign goes on. Ctrl-C ends the campaign early, \
      with its report.
      """)

  @OptionGroup var options: FuzzOptions

  @Argument(help: "Targets; none: all that have the lane.")
  var targets: [String] = []

  @Option(help: "Seconds for each target.")
  var time: Int?

  @Option(help: "Executions for each target, instead of a time.")
  var runs: Int?

  @Option(help: "cov (coverage only, the quickest), asan (AddressSanitizer) or tsan (ThreadSanitizer).")
  var lane = FuzzTarget.Lane.asan

  @Option(help: "How many fuzzers run at the same time; the machine's processors if not given.")
  var jobs: Int?

  @Option(help: "The seed that the fuzzers' seeds count up from.")
  var seed: UInt32 = 1

  @Option(help: "Fuzzers for each target, each with a seed of its own; enough for all jobs if not given.")
  var repeats: Int?

  @Option(help: "This machine's part of a campaign that several share, such as 2/5.")
  var shard: String?

  @Flag(help: "Starts from what is committed, in new corpora, so that campaigns can be compared.")
  var fresh = false

  @Option(help: "The campaign's name; the time if not given.")
  var campaign: String?

  @Option(help: "An earlier campaign to compare with: its name, or its folder.")
  var baseline: String?

  @Option(help: "Seconds for making an input smaller; 0: not at all.")
  var minimise = 10

  @Option(help: "Seconds for measuring each target's speed; 0: not at all.")
  var speed = 5

  @Option(help: "Where the reports go.")
  var output = FuzzRunCommand.standardOutput

  @Flag(help: "Prints findings and the summary only.")
  var quiet = false

  func validate() throws {
    guard time == nil || runs == nil else { throw ValidationError("Give --time or --runs, not both.") }
    if let time, !(1...1_000_000).contains(time) { throw ValidationError("--time must be at least 1 second.") }
    if let runs, runs < 1 { throw ValidationError("--runs must be at least 1.") }
    if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs must be between 1 and 256.") }
    if let repeats, !(1...1000).contains(repeats) { throw ValidationError("--repeats must be between 1 and 1000.") }
    if let shard, FuzzShard(shard) == nil { throw ValidationError("--shard is PART/PARTS, such as 2/5; not \(shard).") }
    guard minimise >= 0, speed >= 0 else { throw ValidationError("--minimise and --speed can't be negative.") }
    if let campaign { try FuzzOptions.requireCampaignName(campaign) }
  }

  func run() throws {
    let targets = try FuzzOptions.targets(self.targets, lane)
    guard !targets.isEmpty else { throw LabExit.nothingRan.error }
    let jobs = self.jobs ?? HostProbe.processors
    let shard = self.shard.flatMap(FuzzShard.init) ?? FuzzShard()
    let budget = runs.map(FuzzBudget.executions) ?? .time(.seconds(time ?? 60))
    let plan = FuzzPlan(
      targets, lane: lane, budget: budget, seed: seed, repetitions: repeats ?? max(1, jobs / targets.count),
      shard: shard)
    var layout = options.layout
    layout.reports = output
    let name = campaign ?? FuzzCampaigns.nameOfNow(shard)
    let session = try FuzzSession(layout: layout)
    defer { session.end() }
    let run: FuzzCampaignRun
    let display = FuzzDisplay(isQuiet: quiet)
    do {
      run = try FuzzCampaignRun(
        session: session, plan: plan,
        options: .init(
          name: name, jobs: jobs, isFresh: fresh, minimiseSeconds: minimise, speedSeconds: speed,
          baseline: try baseline.map { try FuzzCampaigns.read($0, reports: output) },
          validation: try? MutationRecord.forCampaign().get(), version: SocketLab.version)
      ) { display.show($0) }
    } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.usage.error
    }
    let outcome = FuzzOutcome(campaign: run.run(), folder: run.folder)
    try outcome.exit()
  }
}

/// What a campaign came to: the report, the summary on the terminal, and the exit code.
struct FuzzOutcome {
  let campaign: Campaign
  let folder: String

  /// Campaigns below the lab's reports have the history of the runs there; others one of their own.
  private var history: String {
    let parent = URL(fileURLWithPath: folder).deletingLastPathComponent().relativePath
    let standard = [FuzzRunCommand.standardOutput, ExploreCommand.standardOutput]
    return standard.contains(parent) ? LabHome.place("reports") : parent
  }

  /// Writes, prints, and throws the exit code. Quiet, it prints only what could not be done.
  func exit(isQuiet: Bool = false) throws {
    if !isQuiet { for line in FuzzText.summary(campaign) { Console.print(line) } }
    do {
      try FuzzCampaigns.write(campaign, to: folder)
      FuzzCampaigns.pointLatest(to: folder)
      try HistoryKeeper(output: history).append(campaign.historyEntry)
      if !isQuiet { Console.print("Report: \(folder)/index.html") }
    } catch let failure as LabFailure {
      Console.error("The report could not be written: \(failure.message)")
      let refuge = FileManager.default.temporaryDirectory.appendingPathComponent("socketlab-fuzz-\(campaign.id)").path
      if (try? FuzzCampaigns.write(campaign, to: refuge)) != nil {
        Console.error("It lies in \(refuge) instead, without the files of \(folder).")
      }
      throw LabExit.subjectNotDriven.error
    }
    if campaign.exit != .asExpected { throw campaign.exit.error }
  }
}
