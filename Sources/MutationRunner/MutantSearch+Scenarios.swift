import Foundation
import FuzzCampaign
import Glibc
import HostTools
import PlantedBugs
import RunReports
import ScenarioModel

// What the scenario suite sees of a planted bug.
extension MutantSearch {
  /// Looks in one world after the other: first with the scenarios that cite what the bug breaks, until one has turned
  /// red for each requirement, or all were played; and if none has, with the whole suite until any turns red: in the
  /// simulated world with one seed after the other, over the real kernel once. A bug that the simulated world does not
  /// run is looked for in the other one only.
  func sightings(
    _ bug: PlantedBug, number: Int, seeds: Int, citing: CitingScenarios, isWhole: Bool
  ) throws -> SuiteSightings {
    let worlds: [WorldName] = bug.isInSimulatedWorld ? [.simulated, .loopback] : [.loopback]
    var seen = SuiteSightings(worlds: worlds)
    var citing = citing
    for world in worlds {
      let names = citing.names(in: world)
      guard !names.isEmpty else { continue }
      let play = try confirmed(number, in: world, seeds: 1, only: names)
      seen.add(play, in: world)
      citing.note(red: play.sighting.scenarios)
    }
    if seen.isAnyRed || !isWhole { return seen }
    seen.sightings = []
    for world in worlds {
      let play = try confirmed(number, in: world, seeds: seeds)
      seen.add(play, in: world)
      if seen.isAnyRed { break }
    }
    return seen
  }

  /// What turns red without any bug: nothing may.
  func falseAlarms() throws -> [Sighting] {
    try [.simulated, .loopback].map { try play(0, in: $0, seeds: 1, only: []).sighting }
      .filter { !$0.scenarios.isEmpty }
  }

  /// What is red without the bug as well has not noticed it: over the real kernel on a busy machine, or with a seed
  /// that nobody has tried.
  private func confirmed(
    _ number: Int, in world: WorldName, seeds: Int, only names: [String] = []
  ) throws -> SuitePlay {
    var seen = try play(number, in: world, seeds: seeds, only: names)
    let red = seen.sighting.scenarios.filter { $0.contains("/") }
    guard !red.isEmpty else { return seen }
    let sound = try play(0, in: world, seeds: seeds, only: red).sighting.scenarios
    guard !sound.isEmpty else { return seen }
    seen.sighting.scenarios.removeAll { sound.contains($0) }
    seen.played.subtract(sound)
    if seen.sighting.scenarios.isEmpty { seen.sighting.deviation = nil }
    return seen
  }

  private static let kernel = NSLock()

  private func play(
    _ number: Int, in world: WorldName, seeds: Int, only names: [String]
  ) throws -> SuitePlay {
    let output = "\(MutantTree.standard)/reports/\(number)-\(world.rawValue)"
    HostFiles.remove(output)
    defer { HostFiles.remove(output) }
    var environment = ProcessInfo.processInfo.environment
    environment[SourcePatch.variable] = "\(number)"
    var arguments = ["run", "--world", world.rawValue, "--quiet", "--format", "json", "--output", output]
    arguments += ["--scenarios", layout.scenarios]
    if world == .simulated { arguments += ["--jobs", "1"] }
    // Each round has a seed of its own, and the first round that is not as expected is the last. Without a number of
    // rounds, or with one, there would be no last.
    if world == .simulated, seeds > 1 { arguments += ["--repeat", "\(seeds)", "--until-fail"] }
    arguments += names
    let limit = Duration.seconds(world == .simulated ? 300 + 60 * seeds : 600)
    let child = ChildGroup(
      ChildPlan(executable: tree.lab, arguments: arguments, environment: environment, limit: limit),
      deathPipe: deathPipe)
    var printed = PrintedCases()
    // Over the real kernel two suites at a time would make each other late.
    if world == .loopback { Self.kernel.lock() }
    defer { if world == .loopback { Self.kernel.unlock() } }
    let result = try child.run { printed.take($0.text) }
    if result.isStopped { throw LabFailure("The zoo was interrupted.") }
    if let seen = try? Self.reported(in: "\(output)/latest/report.json", of: world) { return seen }
    let seen = try Self.unreported(printed, end: result.end, isOverdue: result.isOverdue, in: world)
    return SuitePlay(sighting: seen, played: Set(seen.scenarios))
  }

  /// A suite that crashes leaves no report, but has noticed, too; one that could not even begin has not, nor has one
  /// that had no room for its report, that somebody killed, or for which the time was too short: that may be the
  /// machine's doing.
  static func unreported(
    _ printed: PrintedCases, end: ChildResult.End, isOverdue: Bool, in world: WorldName
  ) throws -> Sighting {
    var red = printed.scenarios
    if red.isEmpty, end == .signalled(SIGKILL), !isOverdue {
      throw LabFailure("The suite was killed: is there too little memory for --jobs at the same time?")
    }
    if red.isEmpty, case .exited(let code) = end, let exit = LabExit(rawValue: code),
      [.usage, .badScenario, .nothingRan].contains(exit)
    {
      throw LabFailure(
        """
        The suite could not be played with the planted bugs: exit code \(code) (\(exit)). The scenarios must be those \
        of the lab that was built with them, and stay as they are meanwhile. `./lab check` says what is wrong.
        """)
    }
    let couldNot = ChildResult.End.exited(LabExit.subjectNotDriven.rawValue)
    if red.isEmpty, end != .exited(0), end != couldNot, !isOverdue { red = ["(the suite ends)"] }
    return Sighting(world: world.rawValue, scenarios: red, deviation: printed.deviation)
  }

  /// The red scenarios of a written report, and what the first case says first that says anything: one that only
  /// lacks its control does not, but counts if it was red by itself, too: a bug that breaks a control breaks most of
  /// what rests on it. A case in which the lab itself was late proves nothing.
  static func reported(in path: String, of world: WorldName) throws -> SuitePlay {
    let all = try ReportJSON.decode(try HostFiles.read(path)).cases
    let cases = all.filter { !$0.isAsExpected && $0.verdict != .inconclusive }
    let first = cases.first { !$0.deviations.isEmpty } ?? cases.first
    let told = cases.filter { $0.verdict != .error || $0.isRedWithoutItsControl }
    let unplayed = all.filter { [.skipped, .unsupported, .inconclusive, .error].contains($0.verdict) }
    let sighting = Sighting(
      world: world.rawValue, scenarios: Set((told.isEmpty ? cases : told).map(\.scenario)).sorted(),
      deviation: first.map { red in
        let deviation = red.deviations.first.map { "\($0.kind.rawValue): expected \($0.expected); \($0.actual)" }
        return "\(red.scenario): \(deviation ?? red.reason ?? red.verdict.rawValue)"
      })
    return SuitePlay(
      sighting: sighting, played: Set(all.map(\.scenario)).subtracting(unplayed.map(\.scenario)))
  }
}

/// One run of scenarios with a planted bug.
struct SuitePlay {
  var sighting: Sighting
  /// The scenarios of which every case came to a verdict.
  var played: Set<String>
}

/// What the suite saw of a planted bug, and what of it has looked.
struct SuiteSightings {
  /// Those that the bug is looked for in.
  let worlds: [WorldName]
  var sightings: [Sighting] = []
  private var played: [WorldName: Set<String>] = [:]

  init(worlds: [WorldName]) { self.worlds = worlds }

  var isAnyRed: Bool { sightings.contains { !$0.scenarios.isEmpty } }

  mutating func add(_ play: SuitePlay, in world: WorldName) {
    sightings.append(play.sighting)
    played[world, default: []].formUnion(play.played)
  }

  /// By the scenario, the worlds in which it has looked, or needs not, because the bug is not there.
  var looked: [String: Set<WorldName>] {
    var looked: [String: Set<WorldName>] = [:]
    for (world, scenarios) in played { for scenario in scenarios { looked[scenario, default: []].insert(world) } }
    let others = Set(WorldName.allCases).subtracting(worlds)
    return looked.mapValues { $0.union(others) }
  }
}

extension CaseDigest {
  /// Whether the judge found it red, although its control, which failed as well, makes that prove nothing of the
  /// subject. A canary is to be red.
  fileprivate var isRedWithoutItsControl: Bool {
    guard let voided, !canary, !deviations.isEmpty else { return false }
    switch voided.verdict {
    case .failed, .timeout, .violation, .hang, .crash: return true
    case .passed, .passedNonStrict, .skipped, .unsupported, .inconclusive, .error: return false
    }
  }
}

/// What a run prints of cases that are not as expected, for want of a report.
struct PrintedCases {
  private(set) var scenarios: [String] = []
  private(set) var deviation: String?
  private var kind: String?
  private var expected: String?

  mutating func take(_ line: String) {
    let words = line.split(separator: " ")
    // `✗ read/line [ipv4, simulated]  failed`, then the kind, `expected  …` and `actual    …`.
    if words.count >= 2, words[0] == "✗", words[1].contains("/") {
      let scenario = String(words[1])
      if !scenarios.contains(scenario) { scenarios.append(scenario) }
    } else if deviation == nil, let scenario = scenarios.first, let word = words.first {
      let rest = words.dropFirst().joined(separator: " ")
      switch word {
      case "expected": expected = rest
      case "actual": deviation = "\(scenario): \(kind ?? "deviation"): expected \(expected ?? "otherwise"); \(rest)"
      default: kind = String(word)
      }
    }
  }
}
