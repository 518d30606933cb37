import FuzzCampaign
import HostTools
import ScenarioModel

/// The zoo in words.
package enum MutationTable {
  /// One planted bug on one line, for the terminal.
  package static func line(_ mutant: Mutant) -> String {
    let mark = mutant.isFound || mutant.equivalence != nil ? "✓" : "✗"
    var line = "\(mark) \(mutant.name): \(byFuzzing(mutant)); \(byScenarios(mutant))"
    if let tests = mutant.tests {
      line += "; " + (tests.isEmpty ? "no test" : QuantityText.count(tests.count, "test"))
      line += tests.map { "\n    \($0)" }.joined()
    }
    for sighting in mutant.sightings ?? [] {
      guard let deviation = sighting.deviation else { continue }
      line +=
        "\n    \(sighting.world), \(QuantityText.count(sighting.scenarios.count, "scenario")); \(shortened(deviation))"
    }
    return line
  }

  /// How many were noticed, then each that was not; without a last line end.
  package static func summary(_ zoo: BugZoo) -> String {
    zoo.survivors.reduce(headline(zoo)) { text, mutant in
      text + "\n✗ \(mutant.name) \(mutant.isVisited ? "was not noticed" : "was not let out yet"): \(mutant.what)"
    }
  }

  /// What an exploration made of one planted bug, for the terminal.
  package static func line(_ outcome: BugExploration.Outcome) -> String {
    let time = QuantityText.duration(.seconds(outcome.seconds))
    guard let key = outcome.key else { return "✗ \(outcome.bug): not found in \(time)" }
    return "✓ \(outcome.bug): \(key), after \(time)" + (outcome.detail.map { "\n    \(shortened($0))" } ?? "")
  }

  /// How many bugs explorations found, and how soon; without a last line end.
  package static func summary(_ outcomes: [BugExploration.Outcome]) -> String {
    let found = outcomes.filter { $0.key != nil }
    let median = Spread(found.map(\.seconds)).map { QuantityText.duration(.seconds($0.median)) }
    return "\(found.count) of \(QuantityText.count(outcomes.count, "planted bug")) were found"
      + (median.map { ", half of them within \($0)." } ?? ".")
  }

  private static func headline(_ zoo: BugZoo) -> String {
    let visited = zoo.counted.filter(\.isVisited)
    let fuzzing = visited.count { $0.isFoundByFuzzing }
    let scenarios = visited.count { $0.isFoundByScenarios == true }
    let tests = visited.count { $0.isFoundByTests }
    var text =
      "\(zoo.found.count) of \(visited.count) planted bugs were noticed: "
      + "\(scenarios) by scenarios, \(fuzzing) by fuzzing, \(tests) by Swift tests."
    let waiting = zoo.counted.count - visited.count
    if waiting > 0 { text += " \(waiting) more were not let out yet." }
    let equivalent = zoo.mutants.count - zoo.counted.count
    if equivalent > 0 { text += " \(equivalent) more can't be told from the original." }
    return text
  }

  /// The published table; survivors first.
  package static func markdown(_ zoo: BugZoo) -> String {
    var text = """
      # The bug zoo

      Bugs planted on purpose, and who notices them. `./lab fuzz zoo` lets all of them out, `./lab fuzz zoo BUG` one; \
      the
      row of a bug is of its last visit. The bugs themselves are in `Sources/PlantedBugs`.

      \(headline(zoo))

      Fuzzing: \(hunting(zoo)), coverage lane, from the committed corpus and seeds
      without the regressions. A bug counts as found when most seeds find it; executions are the median. Scenarios: \
      those
      that cite what the bug breaks, in one world after the other until one has turned red for each requirement; and
      if none does, the whole suite: in the simulated world, seed after seed until
      one turns any red (`--scenario-seeds`), then once over the real kernel; bugs in
      the drivers, which are not in the simulated world, over the real kernel only.
      The last column is what the first red scenario says first.
      Swift tests: those that declare what the bug breaks (`./lab fuzz zoo --declaring`).

      | bug | after | what it does | fuzzing | scenarios | tests | first deviation |
      |---|---|---|---|---|---|---|

      """
    for mutant in zoo.survivors + zoo.found + zoo.mutants.filter({ $0.equivalence != nil }) {
      let cells = [
        "`\(mutant.name)`", mutant.origin ?? "", mutant.what, byFuzzing(mutant),
        mutant.equivalence.map { "equivalent: \($0)" } ?? byScenarios(mutant), byTests(mutant),
        mutant.firstDeviation.map { shortened($0) } ?? "",
      ]
      text += "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
    }
    return text
  }

  /// How long the hunts on record were: a visit may have been shorter than another.
  private static func hunting(_ zoo: BugZoo) -> String {
    let hunts = zoo.mutants.flatMap(\.hunts)
    let seeds = range(hunts.map(\.trials.count)), seconds = range(hunts.map { Int($0.limitSeconds) })
    return hunts.isEmpty ? "none yet" : "\(seeds) seeds a bug, \(seconds) s each at most"
  }

  private static func range(_ values: [Int]) -> String {
    guard let least = values.min(), let most = values.max() else { return "no" }
    return least == most ? "\(least)" : "\(least) to \(most)"
  }

  private static func byFuzzing(_ mutant: Mutant) -> String {
    guard !mutant.hunts.isEmpty else { return "not hunted" }
    guard let hunt = mutant.hunts.first(where: \.isFound) else {
      let lucky = mutant.hunts.reduce(0) { $0 + $1.trials.count { $0.isFound } }
      let trials = mutant.hunts.reduce(0) { $0 + $1.trials.count }
      return "not found by \(mutant.hunts.map(\.target).joined(separator: ", ")) (\(lucky) of \(trials) trials)"
    }
    let executions = hunt.medianExecutions.map { QuantityText.count(Int($0)) } ?? "?"
    return "\(hunt.target), \(executions) executions"
  }

  /// On one line, and not longer than a reader of a table wants.
  private static func shortened(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    return line.count > 300 ? line.prefix(299) + "…" : line
  }

  private static func byTests(_ mutant: Mutant) -> String {
    guard let tests = mutant.tests else { return "not run" }
    return tests.isEmpty ? "no test" : tests.prefix(2).joined(separator: ", ")
  }

  private static func byScenarios(_ mutant: Mutant) -> String {
    switch mutant.isFoundByScenarios {
    case nil: "scenarios not run"
    case false?: "no scenario"
    case true?: mutant.scenarios.joined(separator: ", ")
    }
  }
}
