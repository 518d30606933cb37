import ScenarioModel
import Testing

@testable import MutationRunner

/// Which scenarios look for a bug that breaks several requirements.
@Suite struct CitingScenariosTests {
  private static var both: CitingScenarios {
    var citing = CitingScenarios()
    citing.add("a/everywhere", of: "WR-01", in: [.simulated, .loopback])
    citing.add("a/everywhere", of: "WR-02", in: [.simulated, .loopback])
    citing.add("b/simulated", of: "WR-01", in: [.simulated])
    citing.add("c/real", of: "WR-02", in: [.loopback])
    return citing
  }

  @Test func eachIsPlayedOnceInAWorld() {
    #expect(Self.both.names(in: .simulated) == ["a/everywhere", "b/simulated"])
    #expect(Self.both.names(in: .loopback) == ["a/everywhere", "c/real"])
    #expect(CitingScenarios().names(in: .loopback) == [])
  }

  /// A witness of one requirement proves nothing of the other one.
  @Test func aRequirementIsLookedAtUntilOneOfItsScenariosIsRed() {
    var citing = Self.both
    citing.note(red: [])
    #expect(citing == Self.both)
    citing.note(red: ["b/simulated", "z/another"])
    #expect(citing.names(in: .loopback) == ["a/everywhere", "c/real"])
    #expect(citing.names(in: .simulated) == ["a/everywhere"])
    citing.note(red: ["a/everywhere"])
    #expect(citing == CitingScenarios())
  }

  /// Where each citation is to be proved, another one's proof is none.
  @Test func aScenarioMaySpeakForItselfAlone() {
    var citing = CitingScenarios(needsEach: true)
    #expect(citing.isEmpty)
    citing.add("a/everywhere", of: "WR-01", in: [.simulated, .loopback])
    citing.add("b/everywhere", of: "WR-01", in: [.simulated, .loopback])
    citing.note(red: ["a/everywhere"])
    #expect(citing.names(in: .loopback) == ["b/everywhere"] && !citing.isEmpty)
  }
}
