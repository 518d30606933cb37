import Foundation
import FuzzCampaign
import PlantedBugs
import Requirements
import ScenarioFiles
import ScenarioModel
import Testing

@testable import MutationRunner

/// What becomes of the record of citations when mutants are played.
@Suite struct CitationTableTests {
  private static let files = [
    "Requirements/index.yaml": "areas: { RD: Reading }\nsources: { S1: Wiki. }\n",
    "Requirements/rd.yaml": """
    RD-01: { must: Reads complete., scope: any, sources: [S1] }
    RD-02: { must: Sockets connect., scope: any, sources: [S1] }
    """,
    "Scenarios/read/both.yaml": scenario("[RD-01, RD-02]"),
    "Scenarios/read/one.yaml": scenario("[RD-01]", "worlds: { only: loopback, because: \"of a test\" }"),
    "Scenarios/read/canary.yaml": scenario("[RD-01]", "canary: true"),
  ]

  private static func scenario(_ ids: String, _ more: String = "") -> String {
    """
    title: Bytes come
    requirements: \(ids)
    \(more)
    peer: [accept, send: "abc"]
    subject: [connect, read: { length: 3B, tag: 1 }]
    expect: [didConnect, didRead: { tag: 1, bytes: "abc" }]
    ending: open

    """
  }

  private static let bug = PlantedBug("a-bug", "classic", "It reads too much.", violates: ["RD-01"], targets: [])
  private static let other = PlantedBug("b-bug", "classic", "It connects late.", violates: ["RD-02"], targets: [])
  private static let tests: [(id: String, witness: TestWitness)] = [
    ("RD-01", TestWitness(path: "/elsewhere/Tests/ReadTests/A.swift", line: 12, name: "reads", test: 10)),
    ("RD-01", TestWitness(path: "Tests/ReadTests/A.swift", line: 40, name: "a row", test: nil)),
    ("RD-01", TestWitness(path: "Tests/ReadTests/A.swift", line: 13, name: "reads", test: 10)),
    ("RD-02", TestWitness(path: "Tests/ReadTests/B.swift", line: 3, name: "connects", test: 2)),
  ]

  /// The table of the files above with this record, in a folder of its own; `body` reads the record's file.
  private func withTable(
    _ record: String = "", _ body: (CitationTable, _ written: () throws -> [String]) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (path, text) in Self.files {
      let file = folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let register = try RequirementRegister(folder: folder.appendingPathComponent("Requirements").path)
    let library = try ScenarioLibrary(folder: folder.appendingPathComponent("Scenarios").path)
    #expect(library.entries.allSatisfy { !$0.hasErrors })
    let path = folder.appendingPathComponent(KillRecord.name).path
    let table = CitationTable(
      register, library, tests: Self.tests, try KillRecord(text: record, in: register), path: path,
      bugs: [Self.bug, Self.other])
    try body(table) {
      try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        .map(String.init)
    }
  }

  private func mutant(
    _ bug: PlantedBug, red: [WorldName: [String]]? = nil, tests: [String]? = nil
  ) -> Mutant {
    var mutant = Mutant(bug.id, what: bug.defect)
    mutant.tests = tests
    mutant.sightings = red?.map { Sighting(world: $0.key.rawValue, scenarios: $0.value, deviation: nil) }
    return mutant
  }

  @Test func scenariosAreFoundByWhatTheyCite() throws {
    try withTable("RD-01 read/both: a-bug\n") { table, _ in
      let citing = table.scenarios(citing: ["RD-01"])
      #expect(citing.names(in: .loopback) == ["read/both", "read/one"], "a canary proves nothing")
      #expect(citing.names(in: .simulated) == ["read/both"])
      #expect(table.scenarios(citing: ["RD-03"]).isEmpty)
      // What kills something already need not be looked at.
      #expect(table.scenarios(idlyCiting: ["RD-01"]).names(in: .loopback) == ["read/one"])
      #expect(table.scenarios(idlyCiting: ["RD-01", "RD-02"]).names(in: .loopback) == ["read/both", "read/one"])
      #expect(table.count == 1)
    }
  }

  @Test func aTestIsFoundOnceWhateverItDeclares() throws {
    try withTable { table, _ in
      let places = table.tests(declaring: ["RD-01"])
      #expect(places == [TestPlace(path: "Tests/ReadTests/A.swift", line: 10, name: "reads")], "a row has no place")
      #expect(table.tests(declaring: ["RD-01", "RD-02"]).count == 2)
    }
  }

  @Test func aRedScenarioIsEvidenceForWhatItCitesAndTheBugBreaks() throws {
    try withTable { table, written in
      try table.record(mutant(Self.bug, red: [.loopback: ["read/both"], .simulated: []]), of: Self.bug)
      #expect(try written() == ["RD-01 read/both: a-bug"], "the bug does not break RD-02")
      try table.record(mutant(Self.other, red: [.loopback: ["read/both", "read/one"]]), of: Self.other)
      #expect(try written() == ["RD-01 read/both: a-bug", "RD-02 read/both: b-bug"])
    }
  }

  @Test(
    "a witness that has looked in all of its worlds and was not red is none any more; any other one stays",
    arguments: [
      ([WorldName.simulated, .loopback], false), ([.loopback], true), ([], true),
    ] as [(Set<WorldName>, Bool)])
  func whatWasNotRedNoLongerKills(worlds: Set<WorldName>, stays: Bool) throws {
    try withTable("RD-01 read/both: a-bug\nRD-01 read/one: a-bug\n") { table, written in
      let mutant = mutant(Self.bug, red: [.loopback: ["read/one"]])
      try table.record(mutant, of: Self.bug, looked: ["read/both": worlds, "read/one": [.loopback]])
      #expect(try written() == (stays ? ["RD-01 read/both: a-bug"] : []) + ["RD-01 read/one: a-bug"])
    }
  }

  @Test func testsAndScenariosDoNotTakeEachOthersPlace() throws {
    try withTable("RD-01 read/one: a-bug\n") { table, written in
      let red = ["Tests/ReadTests/A.swift: reads", "Tests/ReadTests/B.swift: connects"]
      try table.record(mutant(Self.bug, tests: red), of: Self.bug)
      #expect(try written() == ["RD-01 Tests/ReadTests/A.swift: a-bug", "RD-01 read/one: a-bug"])
      try table.record(mutant(Self.bug, red: [.loopback: []]), of: Self.bug, looked: ["read/one": [.loopback]])
      #expect(try written() == ["RD-01 Tests/ReadTests/A.swift: a-bug"])
      try table.record(mutant(Self.bug, tests: []), of: Self.bug)
      #expect(try written() == [])
    }
  }

  @Test func whatIsNoCitationOrNoBugAnyMoreIsTakenOff() throws {
    let record = "RD-01 read/gone: a-bug\nRD-02 read/one: b-bug\nRD-02 read/both: b-bug, c-bug, lose didConnect\n"
    try withTable(record) { table, written in
      try table.record(mutant(Self.bug, red: [.loopback: ["read/one"]]), of: Self.bug)
      #expect(try written() == ["RD-01 read/one: a-bug", "RD-02 read/both: b-bug, lose didConnect"])
    }
  }

  @Test func derivedMutantsAreTakenOverAllAtOnce() throws {
    try withTable("RD-01 read/both: a-bug, lose didRead\nRD-02 read/both: lose didConnect\n") { table, written in
      var outcome = CitationRun.Outcome()
      outcome.kills[.init(requirement: "RD-01", witness: "read/one")] = ["corrupt didRead"]
      try table.record(outcome)
      #expect(try written() == ["RD-01 read/both: a-bug", "RD-01 read/one: corrupt didRead"])
    }
  }

  @Test func aRecordThatCannotBeWrittenIsToldOf() throws {
    try withTable { table, _ in
      let lost = CitationTable(
        table.register, table.library, tests: [], KillRecord(), path: "/proc/no/such/file", bugs: [Self.bug])
      #expect(throws: LabFailure.self) {
        try lost.record(mutant(Self.bug, red: [.loopback: ["read/one"]]), of: Self.bug)
      }
    }
  }
}
