import ScenarioModel
import Testing

@testable import Exploration

@Suite struct SightingBacklogTests {
  private static let sample = Result { () throws -> Explorer.Sighting in
    let drawing = TrialDrawing(
      try Committed.bases(), .init(seed: 3, worlds: [.simulated], judgements: [.laws]))
    let trial = try #require((0..<20).lazy.compactMap { drawing.trial($0) }.first)
    let point = try #require(trial.points.first)
    let result = Committed.play(trial.scenario, point.variant, seed: 1)
    return Explorer.Sighting(trial: trial, point: point, result: result, subject: "")
  }

  /// Told from others by its seed.
  private static func sighting(_ number: Int, _ subject: String, _ world: WorldName = .loopback) throws
    -> Explorer.Sighting
  {
    var sighting = try sample.get()
    (sighting.subject, sighting.point.world, sighting.point.seed) = (subject, world, UInt64(number))
    return sighting
  }

  private static func numbers(_ sightings: [Explorer.Sighting]) -> [Int] { sightings.map { Int($0.point.seed) } }

  @Test func aRoundLooksAtSomeOfTheKernelAndTheOthersWait() throws {
    var backlog = SightingBacklog(perRound: 2)
    let seen = try (0..<5).map { try Self.sighting($0, "\($0)") }
    #expect(Self.numbers(backlog.round(of: seen)) == [0, 1])
    #expect(backlog.count == 3)
    #expect(Self.numbers(backlog.round(of: [try Self.sighting(5, "5")])) == [2, 3])
    #expect(Self.numbers(backlog.round(of: [])) == [4, 5])
    #expect(backlog.round(of: []).isEmpty && backlog.count == 0 && backlog.lost == 0)
  }

  @Test func theSimulatedWorldDoesNotWait() throws {
    var backlog = SightingBacklog(perRound: 1)
    let seen = try (0..<6).map { try Self.sighting($0, "same", $0.isMultiple(of: 2) ? .simulated : .loopback) }
    #expect(Self.numbers(backlog.round(of: seen)) == [0, 1, 2, 4])
    #expect(backlog.count == 2)
  }

  @Test func anotherFindingComesBeforeASecondSightingOfOne() throws {
    var backlog = SightingBacklog(perRound: 2)
    let seen = try ["a", "a", "a", "b"].enumerated().map { try Self.sighting($0.offset, $0.element) }
    #expect(Self.numbers(backlog.round(of: seen)) == [0, 3])
    #expect(Self.numbers(backlog.round(of: [])) == [1, 2])
  }

  @Test func whatHasBeenFoundNeedsNoLook() throws {
    var backlog = SightingBacklog(perRound: 1)
    let seen = try ["a", "a", "b", "a"].enumerated().map { try Self.sighting($0.offset, $0.element) }
    #expect(Self.numbers(backlog.round(of: seen)) == [0])
    backlog.remove { $0.subject == "a" }
    #expect(Self.numbers(backlog.round(of: [])) == [2] && backlog.count == 0)
  }

  @Test(arguments: 0..<20) func everySightingIsHandedOutOnceOrCounted(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var backlog = SightingBacklog(perRound: 3, capacity: 10)
    var (made, handedOut): (Int, [Int]) = (0, [])
    for _ in 0..<30 {
      let seen = try (0..<Int.random(in: 2...12, using: &random)).map { _ in
        made += 1
        let subject = "\(Int.random(in: 0...3, using: &random))"
        return try Self.sighting(made, subject, Int.random(in: 0...4, using: &random) == 0 ? .simulated : .loopback)
      }
      let round = backlog.round(of: seen)
      #expect(round.count { $0.point.world == .loopback } <= 3)
      #expect(backlog.count <= 10)
      handedOut += Self.numbers(round)
    }
    for _ in 0..<4 { handedOut += Self.numbers(backlog.round(of: [])) }
    #expect(backlog.count == 0)
    #expect(Set(handedOut).count == handedOut.count)
    #expect(handedOut.count + backlog.lost == made)
    #expect(backlog.lost > 0)
  }
}
