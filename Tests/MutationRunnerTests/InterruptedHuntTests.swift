import CampaignRunner
import FuzzHarness
import HostTools
import PlantedBugs
import Testing

@testable import MutationRunner

/// A hunt that somebody has ended early proves nothing of its bug.
@Suite struct InterruptedHuntTests {
  @Test func withoutAllOfItsTrialsAHuntIsNone() throws {
    let search = MutantSearch(
      tree: MutantTree(), layout: .init(), deathPipe: try ParentDeathPipe(), lane: .cov, limit: .seconds(1),
      seeds: [1, 2, 3])
    let bug = try #require(PlantedBug.all.first { !$0.targets.isEmpty })
    #expect(try search.hunts(bug, number: 1, stop: { true }) == [])
  }
}
