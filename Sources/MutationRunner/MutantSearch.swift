import CampaignRunner
import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import PlantedBugs
import ScenarioModel

/// Lets one planted bug out and looks who notices.
struct MutantSearch: Sendable {
  let tree: MutantTree
  let layout: FuzzLayout
  let deathPipe: ParentDeathPipe
  let lane: FuzzTarget.Lane
  /// For one trial.
  let limit: Duration
  let seeds: [UInt32]

  /// One trial: a campaign from the committed corpus and seeds, without the regressions, which would know the answer.
  /// `number` 0: no mutant is activated, and nothing must be found.
  func trial(_ number: Int, _ target: FuzzTarget, seed: UInt32, budget: FuzzBudget) throws -> HuntTrial {
    let work = "\(MutantTree.standard)/hunts/\(number)-\(target.name)-\(seed)"
    HostFiles.remove(work)
    defer { HostFiles.remove(work) }
    for folder in ["corpus", "artifacts"] { try HostFiles.makeFolder("\(work)/\(folder)") }
    let folders = ["\(work)/corpus"] + [layout.corpus(target), layout.seeds(target)].filter(HostFiles.isFolder)
    let dictionary = HostFiles.exists(layout.dictionary(target)) ? layout.dictionary(target) : nil
    let unit = FuzzUnit(target: target, lane: lane, seed: seed, budget: budget, repetition: 0)
    var environment = LibFuzzer.environment(lane, .search, symbolizer: nil)
    environment[SourcePatch.variable] = "\(number)"
    let child = ChildGroup(
      ChildPlan(
        executable: "\(tree.scratch(lane))/release/\(target.product)",
        arguments: LibFuzzer.search(
          unit, seed: seed, remaining: budget, folders: folders, dictionary: dictionary,
          artifacts: "\(work)/artifacts"),
        environment: environment, limit: limit + .seconds(60)),
      deathPipe: deathPipe)
    var log = LibFuzzerLog()
    var lastLine = ""
    let result = try child.run { line in
      log.take(line.text, at: line.time.inSeconds)
      lastLine = line.text
    }
    if result.isStopped { throw LabFailure("The zoo was interrupted.") }
    let artifacts = try HostFiles.files(below: "\(work)/artifacts")
      .filter { LibFuzzer.Artifact(file: $0).map { $0 != .slow } ?? false }
    let isFound = !artifacts.isEmpty
    guard isFound || result.end == ChildResult.End.exited(0) else {
      throw LabFailure("\(target.product) ended with \(result.end.code) and left nothing behind: \(lastLine).")
    }
    let proves = try artifacts.first.map { try confirm($0, number, target) } ?? false
    return HuntTrial(
      seed: UInt64(seed), isFound: proves, executions: log.executions, seconds: result.wall.inSeconds,
      key: log.crashes.first?.subject)
  }

  /// Whether the input shows something with the bug again, and nothing without it. A slow machine can end an input that
  /// does nothing wrong. Throws when it shows something without the bug: that is a finding, and proves nothing of it.
  private func confirm(_ input: String, _ number: Int, _ target: FuzzTarget) throws -> Bool {
    guard number != 0 else { return true }
    guard try !passes(input, number, target) else { return false }
    guard try passes(input, 0, target) else {
      throw LabFailure(
        "\(target.name) finds something without any mutant, too: ./lab fuzz replay \(target.name) \(try kept(input)).")
    }
    return true
  }

  private func passes(_ input: String, _ number: Int, _ target: FuzzTarget) throws -> Bool {
    var environment = LibFuzzer.environment(lane, .replay, symbolizer: nil)
    environment[SourcePatch.variable] = "\(number)"
    let child = ChildGroup(
      ChildPlan(
        executable: "\(tree.scratch(lane))/release/\(target.product)",
        arguments: ["-artifact_prefix=\(input)."] + LibFuzzer.limits(target, lane) + [input], environment: environment,
        limit: .seconds(LibFuzzer.inputTimeout * 2)),
      deathPipe: deathPipe)
    let result = try child.run { _ in }
    if result.isStopped { throw LabFailure("The zoo was interrupted.") }
    return result.end == ChildResult.End.exited(0)
  }

  /// The hunt's folder goes when it is over; the input stays.
  private func kept(_ input: String) throws -> String {
    let place = "\(MutantTree.standard)/found/\((input as NSString).lastPathComponent)"
    try HostFiles.makeFolder("\(MutantTree.standard)/found")
    try HostFiles.write(try HostFiles.read(input), to: place)
    return place
  }

  /// Trials with every seed; the first target in the bug's list that finds it ends the hunt.
  func hunts(_ bug: PlantedBug, number: Int, stop: () -> Bool) throws -> [Hunt] {
    var hunts: [Hunt] = []
    for name in bug.targets {
      guard let target = FuzzTarget.named(name), target.lanes.contains(lane) else { continue }
      var hunt = Hunt(target: name, lane: lane, limitSeconds: limit.inSeconds, trials: [])
      for seed in seeds where !stop() {
        hunt.trials.append(try trial(number, target, seed: seed, budget: .time(limit)))
      }
      // Whoever was interrupted has neither found it nor missed it.
      guard hunt.trials.count == seeds.count else { break }
      hunts.append(hunt)
      if hunt.isFound { break }
    }
    return hunts
  }
}
