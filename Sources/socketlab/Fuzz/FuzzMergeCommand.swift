import ArgumentParser
import CampaignRunner
import Foundation
import FuzzCampaign
import HostTools
import ScenarioModel
import TerminalText

/// Joins the parts of a campaign that several machines shared.
struct FuzzMergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge", abstract: "Joins campaigns, such as the shards of one, into a new one with its own report.",
    discussion: """
      What has the same key is one finding. The campaigns themselves are not changed. One that is named twice, and two \
      of the same shard, are refused.
      """)

  @Argument(help: "Campaigns: their names, or their folders.")
  var campaigns: [String]

  @Option(help: "The new campaign's name.")
  var campaign: String

  @Option(help: "Where the reports are.")
  var output = "reports/fuzz"

  func validate() throws {
    try FuzzOptions.requireCampaignName(campaign)
    guard campaigns.count >= 2 else { throw ValidationError("It takes at least two campaigns.") }
  }

  func run() throws {
    let folder = "\(output)/\(campaign)"
    guard !HostFiles.exists(folder) else {
      throw ValidationError("The campaign \(folder) exists already; nothing was changed.")
    }
    let folders = try campaigns.map { try FuzzCampaigns.folder($0, reports: output) }
    var merger: CampaignMerger
    do {
      let parts = try folders.map { (folder: $0, campaign: try FuzzCampaigns.read($0, reports: output)) }
      try CampaignMerger.check(parts)
      merger = CampaignMerger(id: campaign, first: parts[0].campaign)
      for part in parts { try merger.add(part.campaign, from: part.folder, to: folder) }
    } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.badScenario.error
    }
    merger.judge()
    try FuzzOutcome(campaign: merger.campaign, folder: folder).exit()
  }
}
