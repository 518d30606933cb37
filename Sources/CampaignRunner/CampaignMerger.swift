import Foundation
import FuzzCampaign
import HostTools
import ScenarioModel

/// Campaigns that become one.
package struct CampaignMerger {
  /// Campaigns taken over so far.
  package private(set) var parts = 0
  /// All that was taken over, as one campaign; the comparison is the caller's to make.
  package var campaign: Campaign
  /// What the parts' coverage came to beside their baselines, where they had one.
  private var coverage: [(part: String, gate: Gate)] = []

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
    join(other, place: place, below: own)
  }

  /// Gives the whole its gates. The baselines were compared with what the parts have measured.
  package mutating func judge() {
    campaign.gates = campaign.judged().map { gate in
      guard gate.name == .coverage, !coverage.isEmpty else { return gate }
      return Gate(
        .coverage, coverage.contains { $0.gate.state == .failed } ? .failed : .passed, threshold: gate.threshold,
        actual: coverage.map { "\($0.part): \($0.gate.actual)" }.joined(separator: ", "),
        reasons: coverage.flatMap(\.gate.reasons))
    }
  }

  /// The values alone; `own` is the folder of the whole.
  mutating func join(_ other: Campaign, place: String, below own: String) {
    campaign.startedAt = min(campaign.startedAt, other.startedAt)
    // The parts run beside each other.
    campaign.wallSeconds = max(campaign.wallSeconds, other.wallSeconds)
    campaign.isInterrupted = campaign.isInterrupted || other.isInterrupted
    campaign.missing += other.missing
    if other.provenance.commit != campaign.provenance.commit {
      campaign.missing.append(
        Missing("one commit", reason: "\(other.id) is of \(other.provenance.commit ?? "an unknown commit")"))
    }
    for build in other.provenance.builds { join(build, of: other.id) }
    campaign.validation = campaign.validation ?? other.validation
    for target in other.targets { join(target, place: place) }
    for finding in other.findings { join(finding, place: place, below: own) }
    coverage += other.gates.filter { $0.name == .coverage && $0.state != .skipped }.map { (other.id, $0) }
  }

  /// The figures of a program that is built in another way mean something else, and its proof is not that of the first.
  private mutating func join(_ build: FuzzBuild, of part: String) {
    guard let own = campaign.provenance.build(of: build.target, build.lane) else {
      campaign.provenance.builds.append(build)
      return
    }
    guard own != build, !own.isInstrumented(as: build) else { return }
    campaign.missing.append(
      Missing("one build of \(build.target), \(build.lane.rawValue)", reason: "\(part) has run another program"))
  }

  private mutating func join(_ other: CampaignTarget, place: String) {
    let index: Int
    if let there = campaign.targets.firstIndex(where: { $0.name == other.name }) {
      index = there
      campaign.targets[index].join(measuresOf: other)
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

  private mutating func join(_ other: Finding, place: String, below own: String) {
    var finding = other
    finding.input.originalPath = other.input.originalPath.map { "\(place)/\($0)" }
    finding.input.minimisedPath = other.input.minimisedPath.map { "\(place)/\($0)" }
    finding.scenarioPath = other.scenarioPath.map { "\(place)/\($0)" }
    if let path = finding.input.originalPath {
      finding.reproduce = Finding.reproduce(finding.target, "\(own)/\(path)", finding.lane)
    }
    guard let index = campaign.findings.firstIndex(where: { $0.id == other.id }) else {
      campaign.findings.append(finding)
      return
    }
    campaign.findings[index].hits += other.hits
    // What one part has looked at again and found mended, another has met.
    if other.isNews, !campaign.findings[index].isNews { campaign.findings[index].status = other.status }
    if campaign.findings[index].input.originalPath == nil { campaign.findings[index].input = finding.input }
  }
}

extension CampaignTarget {
  /// Takes over what another part has measured: what fails there fails.
  fileprivate mutating func join(measuresOf other: CampaignTarget) {
    if var own = replay, let more = other.replay {
      let known = Set(own.failures.map(\.path))
      own.failures += more.failures.filter { !known.contains($0.path) }
      own.inputs = max(own.inputs, more.inputs)
      replay = own
    } else {
      replay = replay ?? other.replay
    }
    speeds += other.speeds
    coverage = coverage ?? other.coverage
    states = states ?? other.states
    corpusAfter = corpusAfter ?? other.corpusAfter
  }
}
