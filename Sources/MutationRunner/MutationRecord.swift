import Foundation
import FuzzCampaign
import HostTools
import PlantedBugs
import ScenarioModel

/// The last visit of the whole zoo, and the sources that it was of.
package struct MutationRecord: Codable {
  /// The committed record, by its path in the package.
  package static let path = "Fuzz/zoo/zoo.json"

  /// SHA-256 over the files that bugs are planted in.
  package var sources: String
  /// What the visit came to.
  package var zoo: BugZoo

  package init(_ zoo: BugZoo) throws {
    self.zoo = zoo
    sources = try Self.fingerprint()
  }

  static func fingerprint() throws -> String {
    Fingerprint.of(try Graft.paths().flatMap { try HostFiles.read($0) })
  }

  /// Writes the record in place of the committed one. Throws if that can't be done.
  package func write() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try HostFiles.write(try encoder.encode(self) + [10], to: Self.path)
  }

  /// The record with the outcome of a visit of a part, if it is of the sources as they are now; else nil.
  static func updated(with part: BugZoo) throws -> MutationRecord? {
    guard case .success(let zoo) = forCampaign() else { return nil }
    let visited = Set(part.mutants.map(\.name))
    return try MutationRecord(BugZoo(zoo.mutants.filter { !visited.contains($0.name) } + part.mutants))
  }

  /// What a campaign may say of the zoo: the record, if it is of the sources as they are now.
  package static func forCampaign() -> Result<BugZoo, LabFailure> {
    guard HostFiles.exists(path) else { return .failure(LabFailure("It was not visited yet: ./lab fuzz zoo")) }
    do {
      let record = try JSONDecoder().decode(Self.self, from: Data(try HostFiles.read(path)))
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
