import CampaignRunner
import Foundation
import FuzzCampaign
import HostTools
import PlantedBugs
import ScenarioModel
import Synchronization

/// Explores with one planted bug activated after the other: what `explore` notices, and how soon.
///
/// Laws
/// - Each bug is looked for by one exploration, over all scenarios, from the same seed, until its first finding.
/// - The same exploration without any bug finds nothing, or no bug counts as found.
package struct BugExploration {
  /// What came of one bug.
  package struct Outcome: Hashable, Sendable {
    /// The bug's name.
    package var bug: String
    /// How long it was looked for, whether or not it was found.
    package var seconds: Double
    /// What was found first, as in `Finding.key`; nil: nothing.
    package var key: String?
    /// Expected and seen.
    package var detail: String?

    package init(bug: String, seconds: Double, key: String?, detail: String? = nil) {
      self.bug = bug
      self.seconds = seconds
      self.key = key
      self.detail = detail
    }
  }

  private let chosen: [(number: Int, bug: PlantedBug)]
  private let seconds: Int
  private let seed: UInt64
  private let jobs: Int
  private let stop: StopFlag
  private let tree = MutantTree()

  /// - Parameters:
  ///   - chosen: with their numbers in the list of all.
  ///   - seconds: for one bug.
  ///   - seed: the explorations are drawn from it.
  ///   - jobs: explorations at the same time.
  package init(
    _ chosen: [(number: Int, bug: PlantedBug)], seconds: Int, seed: UInt64, jobs: Int, stop: StopFlag
  ) {
    self.chosen = chosen
    self.seconds = seconds
    self.seed = seed
    self.jobs = jobs
    self.stop = stop
  }

  /// A sample of the bugs that can be noticed, drawn from a seed; in the order of their numbers.
  package static func sample(
    _ count: Int, of bugs: [(number: Int, bug: PlantedBug)], seed: UInt64
  ) -> [(number: Int, bug: PlantedBug)] {
    var random = SplitMix64(seed: seed)
    return bugs.filter { $0.bug.equivalence == nil }.shuffled(using: &random).prefix(count)
      .sorted { $0.number < $1.number }
  }

  /// - Parameter tell: is called from any thread.
  package func run(tell: @escaping @Sendable (Outcome) -> Void) throws -> [Outcome] {
    let deathPipe = try ParentDeathPipe()
    try tree.prepare()
    try tree.buildLab(deathPipe: deathPipe)
    let sound = try exploration(0, "no bug", deathPipe)
    if let key = sound.key { throw LabFailure("An exploration finds \(key) without any bug: \(sound.detail ?? "")") }
    let outcomes = Mutex<[Int: Result<Outcome, LabFailure>]>([:])
    ParallelWork.run(chosen, jobs: jobs) { number, bug in
      guard !stop.isSet, !outcomes.withLock({ $0.values.contains { (try? $0.get()) == nil } }) else { return }
      do {
        let outcome = try exploration(number, bug.id, deathPipe)
        outcomes.withLock { $0[number] = .success(outcome) }
        tell(outcome)
      } catch {
        let failure = error as? LabFailure ?? LabFailure("\(error)")
        outcomes.withLock { $0[number] = .failure(failure) }
      }
    }
    return try outcomes.withLock { $0 }.sorted { $0.key < $1.key }.map { try $0.value.get() }
  }

  /// Reading what committed scenarios tell, and playing a round to its end, come on top of the time.
  private static let grace = Duration.seconds(120)

  private func exploration(_ number: Int, _ name: String, _ deathPipe: ParentDeathPipe) throws -> Outcome {
    let output = "\(MutantTree.standard)/explore/\(number)"
    HostFiles.remove(output)
    defer { HostFiles.remove(output) }
    var environment = ProcessInfo.processInfo.environment
    environment[SourcePatch.variable] = "\(number)"
    let child = ChildGroup(
      ChildPlan(
        executable: tree.lab,
        arguments: [
          "explore", "--time", "\(seconds)", "--seed", "\(seed)", "--until-found", "--minimise", "0", "--quiet",
          "--campaign", "one", "--output", output,
        ], environment: environment, limit: .seconds(seconds) + Self.grace),
      deathPipe: deathPipe)
    var lastLine = ""
    let result = try child.run { lastLine = $0.text }
    if result.isStopped { throw LabFailure("The zoo was interrupted.") }
    let path = "\(output)/one/campaign.json"
    guard HostFiles.exists(path) else {
      return try Self.unreported(name, end: result.end, isOverdue: result.isOverdue, result.wall, lastLine)
    }
    let campaign = try CampaignJSON.decode(try HostFiles.read(path))
    let first = campaign.findings.first
    return Outcome(
      bug: name, seconds: first?.firstSeen?.seconds ?? campaign.wallSeconds, key: first?.key, detail: first?.detail)
  }

  /// An exploration that crashes or hangs leaves no report, but has noticed, too; one that could not even begin has
  /// not.
  static func unreported(
    _ name: String, end: ChildResult.End, isOverdue: Bool, _ wall: Duration, _ lastLine: String
  ) throws -> Outcome {
    if case .exited(let code) = end, let exit = LabExit(rawValue: code),
      [.usage, .badScenario, .nothingRan].contains(exit)
    {
      throw LabFailure("No exploration with \(name): exit code \(code) (\(exit)). \(lastLine)")
    }
    let how = isOverdue ? "(the exploration hangs)" : "(the exploration ends)"
    return Outcome(bug: name, seconds: wall.inSeconds, key: how, detail: lastLine)
  }
}
