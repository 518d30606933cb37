import Foundation
import FuzzCampaign
import HostTools
import PlantedBugs
import ScenarioModel

/// What is known of each planted bug, of its last visit, and the sources that the last visit of the whole zoo was of.
package struct MutationRecord: Codable {
  /// The committed record, by its path in the package.
  package static let path = "Fuzz/zoo/zoo.json"

  /// The number of scenarios on record for a sighting: some bugs turn hundreds red.
  private static let maxScenarios = 5

  /// SHA-256 over the files that bugs are planted in.
  package internal(set) var sources: String
  /// All planted bugs; those that were not looked for yet have no scenarios and hunts.
  package private(set) var zoo: BugZoo

  /// The committed record, with the bugs that there are now.
  package static func committed() throws -> MutationRecord {
    guard HostFiles.exists(path) else { return MutationRecord(sources: "", zoo: BugZoo([])).withAllBugs }
    do {
      return try JSONDecoder().decode(Self.self, from: Data(try HostFiles.read(path))).withAllBugs
    } catch let error as DecodingError {
      throw LabFailure("\(path) is not a record of a visit: \(error). Remove it, and visit the zoo: ./lab fuzz zoo")
    }
  }

  /// Bugs that are gone go, new ones come, and what is said of a bug is what its declaration says now.
  private var withAllBugs: MutationRecord {
    var known = Dictionary(zoo.mutants.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let mutants = PlantedBug.all.map { bug in
      var mutant = Mutant(bug)
      // What was found of another bug under this name says nothing of this one.
      if let former = known.removeValue(forKey: bug.id), former.edits == nil || former.edits == mutant.edits {
        mutant.keep(former)
      }
      return mutant
    }
    return MutationRecord(sources: sources, zoo: BugZoo(mutants))
  }

  /// Takes over what a visit came to; of those that did not look, the former visit's word stands.
  ///
  /// - Parameter isPart: not all scenarios that cite what the bug breaks were to look: where more have found it before,
  ///   those stay.
  mutating func take(_ mutant: Mutant, isPart: Bool = false) {
    var mutant = mutant
    if let former = zoo.mutants.first(where: { $0.name == mutant.name }) {
      if isPart, former.isFoundByScenarios == true { mutant.isFoundByScenarios = nil }
      mutant.keep(former)
    }
    mutant.sightings = mutant.sightings?.map { sighting in
      var short = sighting
      short.scenarios = Array(sighting.scenarios.prefix(Self.maxScenarios))
      return short
    }
    zoo = BugZoo(zoo.mutants.filter { $0.name != mutant.name } + [mutant])
  }

  /// Of what bugs are planted in, of the bugs, and of the fuzz bodies that look for them.
  static func fingerprint() throws -> String {
    let judges = try ["Sources/PlantedBugs", "Sources/FuzzBodies", "Sources/ReferenceModel"]
      .flatMap { try HostFiles.files(below: $0).sorted() }
    return Fingerprint.of(try (SourcePatch.paths() + judges).flatMap { try HostFiles.read($0) })
  }

  /// Writes the record in place of the committed one. Throws if that can't be done.
  package func write() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try HostFiles.write(try encoder.encode(self) + [10], to: Self.path)
  }

  /// What a campaign may say of the zoo: the record, if it is of the sources as they are now.
  package static func forCampaign() -> Result<BugZoo, LabFailure> {
    guard HostFiles.exists(path) else { return .failure(LabFailure("It was not visited yet: ./lab fuzz zoo")) }
    do {
      let record = try committed()
      guard record.sources == (try fingerprint()) else {
        return .failure(LabFailure("The sources have changed since the last visit: ./lab fuzz zoo"))
      }
      return .success(record.zoo)
    } catch let failure as LabFailure {
      return .failure(failure)
    } catch {
      return .failure(LabFailure("\(path) is not a record of a visit: \(error)"))
    }
  }
}

extension Mutant {
  /// Takes over what is known of it from an earlier visit, where this one did not look.
  fileprivate mutating func keep(_ former: Mutant) {
    if hunts.isEmpty { hunts = former.hunts }
    tests = tests ?? former.tests
    guard isFoundByScenarios == nil else { return }
    isFoundByScenarios = former.isFoundByScenarios
    scenarios = former.scenarios
    sightings = former.sightings
  }
}
