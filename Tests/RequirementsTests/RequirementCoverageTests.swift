import Foundation
import ScenarioModel
import Testing

@testable import Requirements

/// What the table says of witnesses, and how the record of open musts is held to it.
@Suite struct RequirementCoverageTests {
  private static func register(permitting permissive: Int? = nil) throws -> RequirementRegister {
    let entries = (1...6).map { number in
      let level = number == 6 ? "may" : "must"
      let permits = number == permissive ? ", permits: Both." : ""
      return "WR-0\(number): { \(level): \"Sentence \(number).\", scope: any, sources: [S1]\(permits) }\n"
    }
    let files = [("index", "areas: { WR: Writing }\nsources: { S1: Wiki. }\n"), ("wr", entries.joined())]
    return try RegisterReader.register(
      of: files.map { RegisterFile(path: "R/\($0).yaml", bytes: Array($1.utf8)) }, in: "R")
  }

  private static func scenario(
    _ id: String, _ worlds: [WorldName], asExpected: Int = 4
  ) -> ScenarioWitness {
    ScenarioWitness(
      scenario: id, path: "\(id).yaml", worlds: worlds,
      last: .init(cases: 4, asExpected: asExpected, verdict: asExpected < 4 ? "failed" : "passed"))
  }

  private static func coverage(
    _ kills: KillRecord? = nil, permitting permissive: Int? = nil
  ) throws -> RequirementCoverage {
    let test = TestWitness(path: "T.swift", line: 9, name: "a")
    return RequirementCoverage(
      try register(permitting: permissive),
      scenarios: [
        (scenario("write/a", [.loopback]), ["WR-01", "WR-02"]),
        (scenario("write/b", [.loopback, .simulated]), ["WR-02"]),
        (scenario("write/c", [.loopback, .simulated], asExpected: 3), ["WR-03", "ZZ-01"]),
      ],
      tests: [
        ("WR-04", TestWitness(path: "Z.swift", line: 1, name: "z")), ("WR-04", test), ("WR-04", test), ("D-01", test),
      ], everyCase: ["WR-06"], kills: kills, lastRun: "2026-01-01T00:00:00Z")
  }

  @Test func eachStateHasItsEvidence() throws {
    let coverage = try Self.coverage()
    #expect(coverage.rows.map(\.state) == [.oneWorld, .bothWorlds, .failing, .tests, .open, .bothWorlds])
    #expect(coverage["WR-02"]?.scenarios.map(\.scenario) == ["write/a", "write/b"])
    #expect(coverage["WR-01"]?.worlds == [.loopback])
    #expect(coverage["WR-04"]?.tests.map(\.path) == ["T.swift", "Z.swift"])
    #expect(coverage["WR-06"]?.worlds.count == 2)
    #expect(coverage.openMusts.map(\.id) == ["WR-05"])
    #expect(RequirementCoverage.State.allCases.sorted().first == .open)
  }

  /// What may be done, or should be, needs no witness.
  @Test func onlyMustsAreMissed() throws {
    let bare = RequirementCoverage(
      try Self.register(), scenarios: [], tests: [], everyCase: [], kills: nil, lastRun: nil)
    #expect(bare.rows.allSatisfy { $0.state == .open })
    #expect(bare.openMusts.map(\.id) == ["WR-01", "WR-02", "WR-03", "WR-04", "WR-05"])
  }

  @Test func withARecordOfKillsAWitnessMustHaveKilled() throws {
    var kills = KillRecord()
    kills.replace({ _, _ in true }, with: [KillRecord.Citation(requirement: "WR-02", witness: "write/a"): ["m"]])
    let coverage = try Self.coverage(kills)
    #expect(coverage.rows.map(\.state) == [.unproven, .bothWorlds, .failing, .unproven, .open, .unproven])
    #expect(coverage["WR-02"]?.killed == ["m"] && coverage.hasKills)
    #expect(coverage.unproven.map(\.id) == ["WR-01", "WR-03", "WR-04", "WR-05", "WR-06"])
    let object = try #require(try JSONSerialization.jsonObject(with: Data(coverage.json())) as? [String: Any])
    #expect((object["unproven"] as? [String])?.count == 5)
    let rows = try #require(object["requirements"] as? [[String: Any]])
    #expect((rows[1]["mutants"] as? [String: [String]]) == ["write/a": ["m"]])
    #expect(try !Self.coverage().hasKills && Self.coverage().unproven.isEmpty)
  }

  @Test func aCitationThatKillsNothingIsIdle() throws {
    var kills = KillRecord()
    kills.replace({ _, _ in true }, with: [KillRecord.Citation(requirement: "WR-02", witness: "write/a"): ["m"]])
    let idle = [("WR-01", "write/a"), ("WR-02", "write/b"), ("WR-03", "write/c")].map {
      KillRecord.Citation(requirement: $0.0, witness: $0.1)
    }
    let coverage = try Self.coverage(kills)
    #expect(coverage.idleCitations == idle)
    #expect(try Self.coverage(kills, permitting: 3).idleCitations == Array(idle.prefix(2)), "none can break it")
    #expect(try Self.coverage().idleCitations.isEmpty, "without a record nothing is known")
    let object = try #require(try JSONSerialization.jsonObject(with: Data(coverage.json())) as? [String: Any])
    let listed = try #require(object["idle_citations"] as? [[String: String]])
    #expect(listed.first == ["requirement": "WR-01", "scenario": "write/a"] && listed.count == 3)
  }

  @Test func whatNoSubjectCanBreakNeedsNoMutantAndMustHaveNone() throws {
    var kills = KillRecord()
    kills.replace({ _, _ in true }, with: [KillRecord.Citation(requirement: "WR-02", witness: "write/a"): ["m"]])
    let sound = try Self.coverage(kills, permitting: 1)
    #expect(sound["WR-01"]?.state == .permissive && sound.contradicted.isEmpty)
    #expect(sound.unproven.map(\.id) == ["WR-03", "WR-04", "WR-05", "WR-06"])
    #expect(try Self.coverage(kills, permitting: 3)["WR-03"]?.state == .failing)
    let wrong = try Self.coverage(kills, permitting: 2)
    #expect(wrong.contradicted.map(\.requirement.id) == ["WR-02"])
    let object = try #require(try JSONSerialization.jsonObject(with: Data(wrong.json())) as? [String: Any])
    #expect(object["contradicted"] as? [String] == ["WR-02"])
    let rows = try #require(object["requirements"] as? [[String: Any]])
    #expect(rows[1]["permits"] as? String == "Both." && rows[1]["state"] as? String == "permissive")
  }

  @Test func theTableIsJSON() throws {
    let bytes = try Self.coverage().json()
    #expect(bytes.last == 10)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    #expect(object["schema"] as? Int == 1)
    #expect(object["open_musts"] as? [String] == ["WR-05"])
    #expect(object["last_run"] as? String == "2026-01-01T00:00:00Z")
    #expect((object["not_known"] as? [String])?.count == 2)
    let rows = try #require(object["requirements"] as? [[String: Any]])
    #expect(rows.map { $0["id"] as? String } == ["WR-01", "WR-02", "WR-03", "WR-04", "WR-05", "WR-06"])
    #expect(rows[2]["state"] as? String == "failing" && rows[0]["worlds"] as? [String] == ["loopback"])
    let witness = try #require((rows[2]["scenarios"] as? [[String: Any]])?.first)
    #expect((witness["last"] as? [String: Any])?["as_expected"] as? Int == 3)
  }

  // MARK: - The record

  @Test func theRecordIsHeldToTheTable() throws {
    let (register, open) = (try Self.register(), try Self.coverage().openMusts)
    let same = try OpenRequirements(text: OpenRequirements.text(open, lacking: .witness), in: register)
    #expect(same.ids == ["WR-05"] && same.difference(to: open).isNone)
    let shorter = try OpenRequirements(text: "# none\n", in: register)
    #expect(shorter.difference(to: open) == OpenRequirements.Difference(lost: ["WR-05"], mended: []))
    let longer = try OpenRequirements(text: "WR-02 # a\n\nWR-05\nWR-06", in: register)
    #expect(longer.difference(to: open) == OpenRequirements.Difference(lost: [], mended: ["WR-02", "WR-06"]))
  }

  @Test(arguments: [
    ("WR-05\nWR-05", "line 2: WR-05 stands twice"),
    ("# a\nWR-5", "line 2: WR-5 is not the id of a requirement; did you mean WR-05?"),
    ("WR-05 WR-04", "line 1: more than an id before `#`"),
  ])
  func aRecordThatIsWrongIsToldWithItsLine(text: String, message: String) throws {
    let register = try Self.register()
    let failure = #expect(throws: LabFailure.self) { try OpenRequirements(text: text, in: register) }
    #expect(failure?.message == message)
  }
}
