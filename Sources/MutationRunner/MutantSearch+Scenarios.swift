import Foundation
import FuzzCampaign
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
  ) throws -> [Sighting] {
    let worlds: [WorldName] = bug.isInSimulatedWorld ? [.simulated, .loopback] : [.loopback]
    var seen: [Sighting] = []
    var citing = citing
    for world in worlds {
      let names = citing.names(in: world)
      guard !names.isEmpty else { continue }
      let sighting = try sighting(number, in: world, seeds: 1, only: names)
      seen.append(sighting)
      citing.note(red: sighting.scenarios)
    }
    if seen.contains(where: { !$0.scenarios.isEmpty }) || !isWhole { return seen }
    seen = []
    for world in worlds {
      seen.append(try sighting(number, in: world, seeds: seeds))
      if seen.last?.scenarios.isEmpty == false { break }
    }
    return seen
  }

  /// What turns red without any bug: nothing may.
  func falseAlarms() throws -> [Sighting] {
    try [.simulated, .loopback].map { try sighting(0, in: $0, seeds: 1) }.filter { !$0.scenarios.isEmpty }
  }

  /// Over the real kernel a busy machine can turn a case red: what is red without the bug as well has not noticed it.
  private func sighting(
    _ number: Int, in world: WorldName, seeds: Int, only names: [String] = []
  ) throws -> Sighting {
    var seen = try play(number, in: world, seeds: seeds, only: names)
    let red = seen.scenarios.prefix(Self.maxConfirmed).filter { $0.contains("/") }
    guard number != 0, world == .loopback, !red.isEmpty else { return seen }
    let sound = try play(0, in: world, seeds: 1, only: red)
    guard !sound.scenarios.isEmpty else { return seen }
    seen.scenarios.removeAll { sound.scenarios.contains($0) }
    if seen.scenarios.isEmpty { seen.deviation = nil }
    return seen
  }

  /// A bug that turns more scenarios red than these is no accident.
  private static let maxConfirmed = 20

  private static let kernel = NSLock()

  private func play(
    _ number: Int, in world: WorldName, seeds: Int, only names: [String]
  ) throws -> Sighting {
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
    return try Self.unreported(printed, end: result.end, isOverdue: result.isOverdue, in: world)
  }

  /// A suite that crashes or hangs leaves no report, but has noticed, too; one that could not even begin has not.
  static func unreported(
    _ printed: PrintedCases, end: ChildResult.End, isOverdue: Bool, in world: WorldName
  ) throws -> Sighting {
    var red = printed.scenarios
    if red.isEmpty, case .exited(let code) = end, let exit = LabExit(rawValue: code),
      [.usage, .badScenario, .nothingRan].contains(exit)
    {
      throw LabFailure(
        """
        The suite could not be played with the planted bugs: exit code \(code) (\(exit)). The scenarios must be those \
        of the lab that was built with them, and stay as they are meanwhile. `./lab check` says what is wrong.
        """)
    }
    if red.isEmpty, end != .exited(0) { red = [isOverdue ? "(the suite hangs)" : "(the suite ends)"] }
    return Sighting(world: world.rawValue, scenarios: red, deviation: printed.deviation)
  }

  /// The red scenarios of a written report, and what the first case says first that says anything: one that only
  /// lacks its control does not, but counts if it was red by itself, too: a bug that breaks a control breaks most of
  /// what rests on it. A case in which the lab itself was late proves nothing.
  static func reported(in path: String, of world: WorldName) throws -> Sighting {
    let cases = try ReportJSON.decode(try HostFiles.read(path)).cases
      .filter { !$0.isAsExpected && $0.verdict != .inconclusive }
    let first = cases.first { !$0.deviations.isEmpty } ?? cases.first
    let told = cases.filter { $0.verdict != .error || $0.isRedWithoutItsControl }
    return Sighting(
      world: world.rawValue, scenarios: Set((told.isEmpty ? cases : told).map(\.scenario)).sorted(),
      deviation: first.map { red in
        let deviation = red.deviations.first.map { "\($0.kind.rawValue): expected \($0.expected); \($0.actual)" }
        return "\(red.scenario): \(deviation ?? red.reason ?? red.verdict.rawValue)"
      })
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
