import FuzzCampaign
import HostTools
import MutationRunner
import PlantedBugs
import Requirements
import ScenarioFiles
import ScenarioModel
import TerminalText

/// Who cites what, and the record of what the citations are worth.
struct CitationTable: Sendable {
  let register: RequirementRegister
  let library: ScenarioLibrary
  let kills: KillRecord
  /// Of the record.
  let path: String

  /// The scenarios that cite any of these requirements, by the worlds in which they are played.
  func scenarios(citing ids: [String]) -> [WorldName: [String]] {
    var found: [WorldName: [String]] = [:]
    for scenario in library.scenarios
    where !scenario.canary && scenario.requirements.contains(where: ids.contains) {
      for world in scenario.worlds { found[world, default: []].append(scenario.id) }
    }
    return found
  }

  /// Takes over what the suite saw of planted bugs: a red scenario proves what it cites of what the bug breaks.
  func record(_ zoo: BugZoo, of bugs: [PlantedBug]) throws {
    let cited = Dictionary(
      library.scenarios.map { ($0.id, $0.requirements) }, uniquingKeysWith: { first, _ in first })
    var found: [KillRecord.Citation: [String]] = [:]
    for mutant in zoo.mutants {
      let broken = bugs.first { $0.id == mutant.name }?.violates ?? []
      for scenario in Set((mutant.sightings ?? []).flatMap(\.scenarios)) {
        for id in cited[scenario] ?? [] where broken.contains(id) {
          found[.init(requirement: id, witness: scenario), default: []].append(mutant.name)
        }
      }
    }
    try write(Set(zoo.mutants.map(\.name)), found)
  }

  /// Takes over what the derived mutants came to, all of them.
  func record(_ outcome: CitationRun.Outcome) throws {
    let former = kills.citations.flatMap { kills[$0] }.filter(KillRecord.isDerived)
    try write(Set(former).union(outcome.kills.values.joined()), outcome.kills)
  }

  private func write(_ played: Set<String>, _ found: [KillRecord.Citation: [String]]) throws {
    var record = kills
    record.replace(played, with: found)
    let cited = Set(
      library.scenarios.flatMap { scenario in
        scenario.requirements.map { KillRecord.Citation(requirement: $0, witness: scenario.id) }
      })
    record.keep { cited.contains($0) || $0.witness.hasPrefix("Tests/") }
    guard record != kills else { return }
    try HostFiles.write(record.text.utf8, to: path)
    Console.print(
      "\(path): \(QuantityText.count(record.citations.count, "citation")) with a mutant that it kills")
  }
}
