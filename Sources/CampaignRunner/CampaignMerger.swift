import Foundation
import FuzzCampaign
import HostTools
import ScenarioModel

/// Campaigns that become one.
package struct CampaignMerger {
  /// Campaigns taken over so far.
  package private(set) var parts = 0
  /// All that was taken over, as one campaign; gates and comparison are the caller's to make.
  package var campaign: Campaign

  /// - Parameter first: where the new campaign's host and times are taken from.
  package init(id: String, first: Campaign) {
    campaign = Campaign(id: id, mode: first.mode, startedAt: first.startedAt, provenance: first.provenance)
  }

  /// Refuses campaigns of which one would count twice: the same folder, the same campaign, or the same shard.
  package static func check(_ parts: [(folder: String, campaign: Campaign)]) throws(UsageFailure) {
    for (index, part) in parts.enumerated() {
      for other in parts[..<index] {
        let both = "\(other.folder) and \(part.folder) are both"
        let (id, shard) = (part.campaign.id, part.campaign.shard)
        if let real = PathText.real(part.folder), real == PathText.real(other.folder) {
          throw UsageFailure("\(both) the folder \(real). Name each campaign once; nothing was merged.")
        }
        if id == other.campaign.id {
          throw UsageFailure("\(both) the campaign \(id). Name each campaign once; nothing was merged.")
        }
        if let shard, shard == other.campaign.shard {
          throw UsageFailure("\(both) shard \(shard). Take one of each shard; nothing was merged.")
        }
      }
    }
  }

  /// Takes a campaign over, with the files that its report names.
  package mutating func add(_ other: Campaign, from folder: String, to own: String) throws {
    parts += 1
    let place = "parts/\(parts)"
    try HostFiles.makeFolder("\(own)/parts")
    for name in ["logs", "findings"] where HostFiles.exists("\(folder)/\(name)") {
      try HostFiles.makeFolder("\(own)/\(place)")
      do {
        try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(own)/\(place)/\(name)")
      } catch { throw LabFailure("\(folder)/\(name) can't be copied: \(HostFiles.reason(error)).") }
    }
    join(other, place: place)
  }

  /// The values alone.
  mutating func join(_ other: Campaign, place: String) {
    campaign.startedAt = min(campaign.startedAt, other.startedAt)
    // The parts run beside each other.
    campaign.wallSeconds = max(campaign.wallSeconds, other.wallSeconds)
    campaign.isInterrupted = campaign.isInterrupted || other.isInterrupted
    campaign.missing += other.missing
    if other.provenance.commit != campaign.provenance.commit {
      campaign.missing.append(
        Missing("one commit", reason: "\(other.id) is of \(other.provenance.commit ?? "an unknown commit")"))
    }
    for build in other.provenance.builds where campaign.provenance.build(of: build.target, build.lane) == nil {
      campaign.provenance.builds.append(build)
    }
    for target in other.targets { join(target, place: place) }
    for finding in other.findings { join(finding, place: place) }
  }

  private mutating func join(_ other: CampaignTarget, place: String) {
    let index: Int
    if let there = campaign.targets.firstIndex(where: { $0.name == other.name }) {
      index = there
    } else {
      var new = other
      new.runs = []
      campaign.targets.append(new)
      index = campaign.targets.count - 1
    }
    for var run in other.runs {
      run.trial = campaign.targets[index].runs.count + 1
      run.log = run.log.map { "\(place)/\($0)" }
      campaign.targets[index].runs.append(run)
    }
  }

  private mutating func join(_ other: Finding, place: String) {
    if let index = campaign.findings.firstIndex(where: { $0.id == other.id }) {
      campaign.findings[index].hits += other.hits
      return
    }
    var finding = other
    finding.input.originalPath = other.input.originalPath.map { "\(place)/\($0)" }
    finding.input.minimisedPath = other.input.minimisedPath.map { "\(place)/\($0)" }
    finding.scenarioPath = other.scenarioPath.map { "\(place)/\($0)" }
    campaign.findings.append(finding)
  }
}
