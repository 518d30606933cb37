import FuzzCampaign
import HostTools
import PlantedBugs
import Requirements
import ScenarioFiles
import ScenarioModel
import Synchronization

/// The citations of requirements by scenarios and tests, and the record of what each is worth. Safe from any thread.
/// The record is written as a whole, with each thing that it takes over.
package final class CitationTable: Sendable {
  /// The requirements that are cited.
  package let register: RequirementRegister
  /// The scenarios that cite them.
  package let library: ScenarioLibrary
  /// What Swift tests declare.
  private let tests: [(id: String, witness: TestWitness)]
  private let kills: Mutex<KillRecord>
  /// Of the record.
  private let path: String
  private let bugs: Set<String>

  /// - Parameters:
  ///   - tests: the declarations of Swift tests, with the requirement of each.
  ///   - kills: the record as it is.
  ///   - path: its file.
  ///   - bugs: those that there are; of others nothing stays on record.
  package init(
    _ register: RequirementRegister, _ library: ScenarioLibrary, tests: [(id: String, witness: TestWitness)],
    _ kills: KillRecord, path: String, bugs: [PlantedBug] = PlantedBug.all
  ) {
    self.bugs = Set(bugs.map(\.id))
    self.register = register
    self.library = library
    self.tests = tests
    self.kills = Mutex(kills)
    self.path = path
  }

  /// How many citations have a mutant that they kill.
  package var count: Int { kills.withLock(\.citations.count) }

  /// The scenarios that cite any of these requirements.
  package func scenarios(citing ids: [String]) -> CitingScenarios {
    var found = CitingScenarios()
    for scenario in library.scenarios where !scenario.canary {
      for id in scenario.requirements where ids.contains(id) {
        found.add(scenario.id, of: id, in: Array(scenario.worlds))
      }
    }
    return found
  }

  /// The scenarios whose citations of any of these kill no mutant on record.
  package func scenarios(idlyCiting ids: [String]) -> CitingScenarios {
    var found = CitingScenarios(needsEach: true)
    let record = kills.withLock { $0 }
    for scenario in library.scenarios where !scenario.canary {
      for id in scenario.requirements
      where ids.contains(id) && record[.init(requirement: id, witness: scenario.id)].isEmpty {
        found.add(scenario.id, of: id, in: Array(scenario.worlds))
      }
    }
    return found
  }

  /// The Swift tests that declare any of these requirements, in the order of their places.
  package func tests(declaring ids: [String]) -> [TestPlace] {
    Set(tests.filter { ids.contains($0.id) }.compactMap { Self.place($0.witness) }).sorted()
  }

  /// The test of a declaration; nil: a row's, whose test is not known. A comment in a test, and its own name, are of
  /// one test.
  private static func place(_ witness: TestWitness) -> TestPlace? {
    witness.test.map { TestPlace(path: witness.file, line: $0, name: witness.name) }
  }

  /// Records the sightings of a planted bug: a red scenario or test is evidence for the requirements that it cites and
  /// the bug breaks.
  ///
  /// Throws a `LabFailure` when the file can't be written.
  ///
  /// - Parameter looked: by the scenario, the worlds in which all its cases came to a verdict. One that has looked in
  ///   all of its worlds and was not red no longer kills the bug; of the others the record stays as it is.
  package func record(_ mutant: Mutant, of bug: PlantedBug, looked: [String: Set<WorldName>] = [:]) throws {
    if let red = mutant.tests { try record(red, of: bug) }
    guard let sightings = mutant.sightings else { return }
    let red = Set(sightings.flatMap(\.scenarios))
    var found: [KillRecord.Citation: [String]] = [:]
    let silent = Set(library.scenarios.filter { $0.worlds.isSubset(of: looked[$0.id] ?? []) }.map(\.id))
    for scenario in library.scenarios where red.contains(scenario.id) {
      for id in scenario.requirements where bug.violates.contains(id) {
        found[.init(requirement: id, witness: scenario.id)] = [mutant.name]
      }
    }
    try write(found) { !$0.isOfTests && $1 == bug.id && (found[$0] != nil || silent.contains($0.witness)) }
  }

  private func record(_ red: [String], of bug: PlantedBug) throws {
    var found: [KillRecord.Citation: [String]] = [:]
    for (id, witness) in tests where bug.violates.contains(id) {
      guard let place = Self.place(witness), red.contains(place.text) else { continue }
      found[.init(requirement: id, witness: witness.file)] = [bug.id]
    }
    try write(found) { $0.isOfTests && $1 == bug.id }
  }

  /// Takes over what the derived mutants came to, all of them. Throws a `LabFailure` when the file can't be written.
  package func record(_ outcome: CitationRun.Outcome) throws {
    try write(outcome.kills) { KillRecord.isDerived($1) }
  }

  /// - Parameter isPlayed: tells of a citation and a mutant's name whether only what is found counts of it.
  private func write(
    _ found: [KillRecord.Citation: [String]], _ isPlayed: (KillRecord.Citation, String) -> Bool
  ) throws {
    let cited = Set(
      library.scenarios.flatMap { scenario in
        scenario.requirements.map { KillRecord.Citation(requirement: $0, witness: scenario.id) }
      } + tests.map { KillRecord.Citation(requirement: $0.id, witness: $0.witness.file) })
    try kills.withLock { record in
      record.replace({ isPlayed($0, $1) || !(KillRecord.isDerived($1) || bugs.contains($1)) }, with: found)
      record.keep { cited.contains($0) }
      try HostFiles.write(record.text.utf8, to: path)
    }
  }
}
