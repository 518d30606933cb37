import FuzzCampaign
import HostTools
import MutationRunner
import PlantedBugs
import Requirements
import ScenarioFiles
import ScenarioModel
import Synchronization

/// Who cites what, and the record of what the citations are worth.
final class CitationTable: Sendable {
  let register: RequirementRegister
  let library: ScenarioLibrary
  private let kills: Mutex<KillRecord>
  /// Of the record.
  private let path: String

  init(_ register: RequirementRegister, _ library: ScenarioLibrary, _ kills: KillRecord, path: String) {
    self.register = register
    self.library = library
    self.kills = Mutex(kills)
    self.path = path
  }

  /// How many citations have a mutant that they kill.
  var count: Int { kills.withLock(\.citations.count) }

  /// The scenarios that cite any of these requirements, by the worlds in which they are played.
  func scenarios(citing ids: [String]) -> [WorldName: [String]] {
    var found: [WorldName: [String]] = [:]
    for scenario in library.scenarios
    where !scenario.canary && scenario.requirements.contains(where: ids.contains) {
      for world in scenario.worlds { found[world, default: []].append(scenario.id) }
    }
    return found
  }

  /// Takes over what the suite saw of a planted bug: a red scenario proves what it cites of what the bug breaks.
  func record(_ mutant: Mutant, of bug: PlantedBug) throws {
    guard let sightings = mutant.sightings else { return }
    let red = Set(sightings.flatMap(\.scenarios))
    var found: [KillRecord.Citation: [String]] = [:]
    for scenario in library.scenarios where red.contains(scenario.id) {
      for id in scenario.requirements where bug.violates.contains(id) {
        found[.init(requirement: id, witness: scenario.id)] = [mutant.name]
      }
    }
    try write(found) { $0 == bug.id }
  }

  /// Takes over what the derived mutants came to, all of them.
  func record(_ outcome: CitationRun.Outcome) throws {
    try write(outcome.kills, KillRecord.isDerived)
  }

  /// - Parameter isPlayed: tells of a mutant's name whether only what is found counts of it.
  private func write(_ found: [KillRecord.Citation: [String]], _ isPlayed: (String) -> Bool) throws {
    let cited = Set(
      library.scenarios.flatMap { scenario in
        scenario.requirements.map { KillRecord.Citation(requirement: $0, witness: scenario.id) }
      })
    let bugs = Set(PlantedBug.all.map(\.id))
    try kills.withLock { record in
      record.replace({ isPlayed($0) || !(KillRecord.isDerived($0) || bugs.contains($0)) }, with: found)
      record.keep { cited.contains($0) || $0.witness.hasPrefix("Tests/") }
      try HostFiles.write(record.text.utf8, to: path)
    }
  }
}
