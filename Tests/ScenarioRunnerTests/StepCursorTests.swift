import ScenarioModel
import ScenarioRunner
import Testing

@Suite struct StepCursorTests {
  @Test(arguments: [
    ("", 0), ("n", 1), ("nn n\n", 5), ("nnp", 1), ("p", 0), ("nnnnnnnnnnnn", 9), ("g7\n", 6), ("g7\np", 5),
    ("g99\n", 9), ("g0\n", 0), ("g\n", 0), ("nxyn", 2), ("g1\u{7F}4\r", 3), ("g5\u{1B}n", 1), ("nq", 1),
  ]) func keysLeadToAnEvent(keys: String, place: Int) {
    var cursor = StepCursor(count: 10)
    for key in keys.utf8 { _ = cursor.take(key) }
    #expect(cursor.place == place)
    #expect(cursor.isOver == keys.contains("q"))
  }

  @Test func anEmptyTraceHasNowhereToGo() {
    var cursor = StepCursor(count: 0)
    for key in "npg3\n".utf8 { _ = cursor.take(key) }
    #expect(cursor.place == 0)
  }

  @Test func onlyWhatChangesIsDrawnAgain() {
    var cursor = StepCursor(count: 2)
    let answers = "nn?".utf8.map { cursor.take($0) }
    #expect(answers == [true, false, false])
  }
}

@Suite struct ShardTests {
  private static let scenarios: [Scenario] =
    (0..<200).map { number in
      var scenario = Scenario(id: "a/\(number)", title: "")
      if number % 10 == 0 { scenario.control = "a/control" }
      return scenario
    } + [Scenario(id: "a/control", title: ""), canary]

  private static var canary: Scenario {
    var canary = Scenario(id: "a/canary", title: "")
    canary.canary = true
    return canary
  }

  private static let plan = scenarios.indices.flatMap { index in
    WorldName.allCases.map {
      PlannedCase(scenario: index, variant: scenarios[index].variants[0], world: $0, seed: 1)
    }
  }

  @Test(arguments: [1, 2, 3, 7, 16]) func shardsDivideThePlan(count: Int) throws {
    let parts = try (1...count).map { try #require(Shard(text: "\($0)/\(count)")).part(of: Self.plan, Self.scenarios) }
    #expect(Set(parts.flatMap(\.self)) == Set(Self.plan))
    for planned in Self.plan where planned.scenario < 200 {
      #expect(parts.count { $0.contains(planned) } == 1)
    }
    let sizes = parts.map(\.count)
    #expect((sizes.max() ?? 0) < 3 * (sizes.min() ?? 0) + 10, "\(sizes)")
    for part in parts {
      #expect(part.contains { Self.scenarios[$0.scenario].canary })
      let needs = part.contains { Self.scenarios[$0.scenario].control != nil }
      #expect(!needs || part.contains { Self.scenarios[$0.scenario].id == "a/control" })
    }
  }

  /// A control that stands alone in a shard would be in error there.
  @Test func aShardHasTheControlsOfItsControls() throws {
    var scenarios = ["a/case", "a/control", "b/control", "c/control", "a/canary", "d/control"].map {
      Scenario(id: $0, title: "")
    }
    (scenarios[0].control, scenarios[1].control, scenarios[2].control) = ("a/control", "b/control", "c/control")
    (scenarios[4].canary, scenarios[4].control) = (true, "d/control")
    let plan = scenarios.indices.map {
      PlannedCase(scenario: $0, variant: scenarios[$0].variants[0], world: .simulated, seed: 1)
    }
    for index in 1...64 {
      let part = try #require(Shard(text: "\(index)/64")).part(of: plan, scenarios)
      let passed = part.map { planned in
        let scenario = scenarios[planned.scenario]
        var result = CaseResult(scenario: scenario, variant: planned.variant, world: .simulated, seed: 1)
        result.verdict = .passed
        return result
      }
      let voided = SuiteVerdict.applyControls(passed, scenarios: scenarios).filter { $0.verdict == .error }
      #expect(voided.isEmpty, "\(index)/64: \(voided.map(\.scenario))")
    }
  }

  @Test func allSeedsOfACaseAreInOneShard() throws {
    let plan = Self.plan.prefix(60).flatMap { planned in
      (1...4).map { seed in
        PlannedCase(scenario: planned.scenario, variant: planned.variant, world: planned.world, seed: seed)
      }
    }
    let part = try #require(Shard(text: "1/3")).part(of: plan, Self.scenarios)
    let counts = Dictionary(grouping: part) { "\($0.scenario) \($0.world)" }.values.map(\.count)
    #expect(!counts.isEmpty && counts.allSatisfy { $0 == 4 })
  }

  @Test func aCaseStaysInItsShardWhateverElseThereIs() throws {
    let shard = try #require(Shard(text: "2/3"))
    let few = Self.plan.filter { $0.scenario < 20 }
    let all = Set(shard.part(of: Self.plan, Self.scenarios))
    let part = shard.part(of: few, Self.scenarios)
    #expect(!part.isEmpty && Set(part).isSubset(of: all))
    #expect(hash(of: few) != hash(of: Self.plan))
  }

  private func hash(of plan: [PlannedCase], contents: [String: String] = [:]) -> String {
    Shard.hash(of: plan, Self.scenarios, contents: contents)
  }

  @Test func aFileOfAnotherContentMakesAnotherSuite() {
    let few = Self.plan.filter { $0.scenario < 20 }
    let ids = few.map { Self.scenarios[$0.scenario].id }
    let contents = Dictionary(ids.map { ($0, "1") }, uniquingKeysWith: { first, _ in first })
    #expect(hash(of: few, contents: contents) == hash(of: few, contents: contents))
    for id in Set(ids) {
      var changed = contents
      changed[id] = "2"
      #expect(hash(of: few, contents: changed) != hash(of: few, contents: contents), "\(id)")
    }
    #expect(hash(of: few, contents: contents.merging(["z/other": "2"]) { $1 }) == hash(of: few, contents: contents))
  }
}
