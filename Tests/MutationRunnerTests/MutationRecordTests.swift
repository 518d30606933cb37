import Foundation
import FuzzCampaign
import PlantedBugs
import Testing

@testable import MutationRunner

/// What is on record of planted bugs, and what a visit makes of it.
@Suite struct MutationRecordTests {
  private static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func committed() throws -> MutationRecord {
    try JSONDecoder().decode(
      MutationRecord.self, from: Data(contentsOf: Self.root.appendingPathComponent(MutationRecord.path)))
  }

  /// Who plants a bug lets it out, too; who removes one takes it off the record.
  @Test func everyPlantedBugIsOnRecord() throws {
    let names = try committed().zoo.mutants.map(\.name)
    #expect(names == PlantedBug.all.map(\.id).sorted(), "./lab fuzz zoo BUG lets one out and writes the record")
  }

  @Test func whoDidNotLookChangesNothing() throws {
    var record = try JSONDecoder().decode(
      MutationRecord.self, from: Data(#"{ "sources": "x", "zoo": { "mutants": [] } }"#.utf8))
    var seen = Mutant("a", what: "drops a byte")
    seen.note([Sighting(world: "simulated", scenarios: (1...9).map { "read/\($0)" }, deviation: "late")])
    record.take(seen)
    #expect(record.zoo.mutants.map(\.name) == ["a"] && record.zoo.mutants[0].isFoundByScenarios == true)
    #expect(record.zoo.mutants[0].sightings?[0].scenarios.count == 5, "the first few stand for all")
    let trial = HuntTrial(seed: 1, isFound: true, executions: 1, seconds: 1)
    var hunted = Mutant("a", what: "drops two bytes")
    hunted.hunts = [Hunt(target: "scanner", lane: .cov, limitSeconds: 60, trials: [trial])]
    record.take(hunted)
    #expect(record.zoo.mutants[0].isFoundByScenarios == true && record.zoo.mutants[0].isFoundByFuzzing)
    #expect(record.zoo.mutants[0].what == "drops two bytes")
    var missed = Mutant("a", what: "drops two bytes")
    missed.note([])
    record.take(missed)
    #expect(record.zoo.mutants[0].isFoundByScenarios == false && record.zoo.mutants[0].isFoundByFuzzing)
    #expect(record.sources == "x", "what the last visit of all bugs was of")
  }
}
