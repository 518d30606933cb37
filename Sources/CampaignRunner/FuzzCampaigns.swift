import CampaignReports
import Foundation
import FuzzCampaign
import HostTools
import ReportMarkup
import ScenarioModel

/// Campaigns as folders below the reports.
package enum FuzzCampaigns {
  /// The file in a campaign's folder that holds all of it; the other files are made from it.
  package static let file = "campaign.json"
  /// A link to the campaign that was begun or written last.
  package static let latest = "latest"

  /// Whether a campaign may be called so: 1 to 100 of the letters a-z and A-Z, digits, `.`, `_` and `-`, not `latest`.
  package static func isName(_ name: String) -> Bool {
    name.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]{0,99}/) != nil && name != latest
  }

  /// The present second in UTC, as a name; of one shard of several with its number: `2026-01-31T12-00-00Z-2of5`.
  package static func nameOfNow(_ shard: FuzzShard) -> String {
    let time = Date().formatted(.iso8601).replacingOccurrences(of: ":", with: "-")
    return shard.count > 1 ? "\(time)-\(shard.number)of\(shard.count)" : time
  }

  /// The folder of a campaign: a path to it, or a name below the reports.
  package static func folder(_ name: String, reports: String) throws -> String {
    let places = [name, "\(reports)/\(name)"]
    guard let place = places.first(where: { HostFiles.exists("\($0)/\(file)") }) else {
      let tried = places.map { "\($0)/\(file)" }.joined(separator: ", ")
      throw UsageFailure("There is no campaign \(name): looked for \(tried).")
    }
    return place
  }

  /// Until its report is written, `latest` leads to a note that the campaign has not ended. One that dies leaves that
  /// note, and not the report of an earlier one.
  package static func announce(_ campaign: Campaign, in folder: String) {
    var note = campaign
    note.isUnfinished = true
    // On a full disk no note at all still says more than the report of an earlier campaign.
    try? write(note, to: folder)
    pointLatest(to: folder)
  }

  /// Reads a campaign, by a path to its folder or its name below the reports. Throws if there is none, if it has not
  /// ended or if it can't be read, and a `FileFailure` if it can't be understood.
  package static func read(_ name: String, reports: String) throws -> Campaign {
    let place = "\(try folder(name, reports: reports))/\(file)"
    let bytes = try HostFiles.read(place)
    let campaign: Campaign
    do throws(CampaignReadFailure) { campaign = try CampaignJSON.decode(bytes) } catch {
      throw complaint(error, about: place, bytes)
    }
    guard campaign.isUnfinished != true else {
      throw UsageFailure(
        "The campaign \(campaign.id) has no results: it began at \(campaign.startedAt) and has not ended, or it died. "
          + "What it found until then lies beside \(place).")
    }
    return campaign
  }

  private static func complaint(_ failure: CampaignReadFailure, about place: String, _ bytes: [UInt8]) -> FileFailure {
    switch failure {
    case .unknownSchema:
      return FileFailure("\(place) is \(failure). Read it with the lab that wrote it, or run the campaign anew.")
    case .malformed:
      var what = "\(place) is \(failure)"
      if let problem = JSONScanner.failure(of: bytes) {
        let (line, column) = problem.position(in: bytes)
        what = "\(place):\(line):\(column): \(problem.problem)"
      }
      return FileFailure("\(what). Copy the campaign again from where it ran, or run it anew.")
    }
  }

  /// Writes the report. The campaign itself goes first: whatever else can't be written can be made from it.
  package static func write(_ campaign: Campaign, to folder: String) throws {
    try HostFiles.makeFolder(folder)
    do {
      try HostFiles.write(try CampaignJSON.encode(campaign), to: "\(folder)/\(file)")
      for report in try CampaignFiles.make(campaign) where report.name != file {
        try HostFiles.write(report.bytes, to: "\(folder)/\(report.name)")
      }
    } catch { throw LabFailure((error as? LabFailure)?.message ?? "\(error)") }
  }

  /// Makes `latest` beside the campaign's folder mean it.
  package static func pointLatest(to folder: String) {
    let link = "\((folder as NSString).deletingLastPathComponent)/\(latest)"
    try? FolderLink.point(link, to: (folder as NSString).lastPathComponent)
  }
}
