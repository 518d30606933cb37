import ArgumentParser
import CampaignRunner
import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import ScenarioModel
import TerminalText

/// Looks again at what a campaign found.
struct FuzzTriageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "triage", abstract: "Looks again at what a campaign found: does it show every time, and where?",
    discussion: """
      Each finding is replayed twenty times in every lane that is built, made smaller, and the report is written anew. \
      What does not show any more is marked as fixed.
      """)

  @OptionGroup var options: FuzzOptions

  @Argument(help: "The campaign: its name, or its folder; the last one if not given.")
  var campaign = FuzzCampaigns.latest

  @Option(help: "Lanes to replay in. May be repeated.")
  var lane: [FuzzTarget.Lane] = [.asan, .cov]

  @Option(help: "How often each finding is replayed in a lane.")
  var times = FuzzExaminer.replays

  @Option(help: "Seconds for making an input smaller; 0: not at all.")
  var minimise = 30

  @Option(help: "Where the reports are.")
  var output = "reports/fuzz"

  func validate() throws {
    guard (1...10_000).contains(times), minimise >= 0 else {
      throw ValidationError("--times must be between 1 and 10000, and --minimise not negative.")
    }
  }

  func run() throws {
    let folder = try FuzzCampaigns.folder(campaign, reports: output)
    let session = try FuzzSession(layout: options.layout)
    defer { session.end() }
    let examiner = FuzzExaminer(layout: options.layout, deathPipe: session.deathPipe)
    var isNews = false
    try session.orExit {
      var campaign = try FuzzCampaigns.read(folder, reports: output)
      guard !campaign.findings.isEmpty else {
        Console.print(
          "The campaign \(campaign.id) found nothing in \(QuantityText.count(campaign.executions)) executions.")
        return
      }
      let triage = FindingTriage(session: session, examiner: examiner, folder: folder, lanes: lane, times: times)
      try session.whileStoppable({ examiner.stop() }) {
        for index in campaign.findings.indices where !session.isInterrupted {
          try look(&campaign.findings[index], triage)
        }
      }
      campaign.gates = campaign.judgedAgain()
      try FuzzCampaigns.write(campaign, to: folder)
      Console.print("Report: \(folder)/index.html")
      isNews = campaign.findings.contains(where: \.isNews)
    }
    if isNews { throw LabExit.deviation.error }
  }

  private func look(_ finding: inout Finding, _ triage: FindingTriage) throws {
    guard let key = try triage.replay(&finding, note: { Console.error($0) }) else { return }
    for line in FuzzText.describe(finding).split(separator: "\n") { Console.print(String(line)) }
    for replay in finding.replays {
      Console.print("    \(replay.lane.rawValue): \(replay.reproduced) of \(replay.tries) replays")
    }
    guard minimise > 0, let place = try triage.minimise(&finding, as: key, seconds: minimise) else { return }
    Console.print("    smaller: \(QuantityText.count(finding.input.count, "byte")), \(place)")
  }
}

/// Sets two campaigns side by side.
struct FuzzCompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Sets two campaigns side by side: what changed, and what can't be said.",
    discussion: "Exit code 1 if the later one has findings that the earlier one has not.")

  @Argument(help: "The earlier campaign: its name, or its folder.")
  var earlier: String

  @Argument(help: "The later one.")
  var later: String

  @Option(help: "Where the reports are.")
  var output = "reports/fuzz"

  func run() throws {
    var isWorse = false
    do {
      let before = try FuzzCampaigns.read(earlier, reports: output)
      let after = try FuzzCampaigns.read(later, reports: output)
      let comparison = CampaignComparison(of: after, with: before)
      for line in FuzzText.comparison(comparison, before.id, after.id) { Console.print(line) }
      isWorse = !comparison.findings.new.isEmpty
    } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.badScenario.error
    }
    if isWorse { throw LabExit.deviation.error }
  }
}
