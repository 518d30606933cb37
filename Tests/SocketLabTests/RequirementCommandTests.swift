import Foundation
import Testing

/// The register of requirements as a person meets it: what is refused, shown and counted.
@Suite struct RequirementCommandTests {
  private static let entry = "scope: any, sources: [S1] }\n"
  private static let register = [
    "Requirements/index.yaml": "areas: { RD-DELIM: Lines }\nsources: { S1: The wiki. }\n",
    "Requirements/rd-delim.yaml": """
    RD-DELIM-01: { must: A line ends with its end., \(entry)\
    RD-DELIM-02: { must: A line may be long., \(entry)\
    RD-DELIM-03: { should: Lines are quick., \(entry)
    """,
    "Requirements/defects.yaml":
      "UB-01: { defect: Lines leak., consequence: None left., requirements: [RD-DELIM-02] }\n",
  ]
  private static let test = "@Test(\"lines are long (RD-DELIM-02)\")\nfunc long() {}\n"

  private func suite(
    citing id: String = "RD-DELIM-01", beside others: [String: String] = [:]
  ) throws -> ScratchSuite {
    let scenario = ScratchSuite.passing.replacing("RD-DELIM-01", with: id)
    return try ScratchSuite(["read/line.yaml": scenario], beside: Self.register.merging(others) { $1 })
  }

  @Test func aCitationOfWhatIsNoRequirementIsRefusedWithTheNearest() throws {
    let suite = try suite(citing: "RD-DELIM-10")
    for verb in ["check", "run"] {
      let result = try suite.run([verb])
      #expect(result.status == 3)
      let place = "Scenarios/read/line.yaml:3:16: error[bad-requirement]: `RD-DELIM-10` is not the id of a requirement"
      #expect(result.error.contains(place), "\(result.error)")
      #expect(result.error.contains("did you mean RD-DELIM-01? "))
    }
    let defect = try self.suite(citing: "UB-01").run(["check"])
    #expect(defect.status == 3)
    #expect(defect.error.contains("UB-01 is a defect of the original; cite what it breaks: RD-DELIM-02"))
    let good = try self.suite().run(["check"])
    #expect(good.status == 0 && good.error.isEmpty, "\(good.error)")
  }

  @Test func aBrokenRegisterIsToldWithItsPlaceAndStopsEverything() throws {
    let suite = try suite(beside: [
      "Requirements/rd-delim.yaml": "RD-DELIM-01: { must: A., scope: all, sources: [S1] }\n"
    ])
    for arguments in [["check"], ["run"], ["coverage"], ["show", "RD-DELIM-01"]] {
      let result = try suite.run(arguments)
      #expect(result.status == 3, "\(arguments)")
      #expect(
        result.error.contains("Requirements/rd-delim.yaml:1:33: error[unknown-word]: `all` is not a scope"),
        "\(result.error)")
    }
  }

  @Test func withoutARegisterCheckSaysSoAndNamingNoneIsWrongUsage() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing])
    let check = try suite.run(["check"])
    #expect(check.status == 0 && check.error.contains("there is no folder Requirements"), "\(check.error)")
    for arguments in [["coverage"], ["check", "--requirements", "elsewhere"], ["show", "RD-DELIM-01"]] {
      #expect(try suite.run(arguments).status == 2, "\(arguments)")
    }
  }

  @Test func aRequirementIsShownWithItsWitnessesAndTheirLastVerdict() throws {
    let suite = try suite(beside: ["Tests/ATests/LineTests.swift": Self.test])
    let before = try suite.run(["show", "rd-delim-01"])
    #expect(before.status == 0)
    for part in ["RD-DELIM-01  must\nA line ends with its end.\n", "S1  The wiki.", "read/line  loopback, simulated\n"]
    {
      #expect(before.output.contains(part), "\(before.output)")
    }
    #expect(before.error.contains("no verdicts are shown"), "\(before.error)")
    #expect(try suite.run(["run", "--world", "simulated"]).status == 0)
    let after = try suite.run(["show", "RD-DELIM-01"])
    #expect(after.output.contains("read/line  loopback, simulated  passed, 2 cases\n"), "\(after.output)")
    #expect(try suite.run(["show", "RD-DELIM-02"]).output.contains("LineTests.swift:1  lines are long (RD-DELIM-02)"))
    #expect(try suite.run(["show", "UB-01"]).output.contains("RD-DELIM-02  A line may be long."))
    let page = try String(contentsOf: suite.folder.appendingPathComponent("reports/latest/index.html"), encoding: .utf8)
    #expect(page.contains("title=\"A line ends with its end.\""))
    #expect(page.contains("href=\"requirements.html#RD-DELIM-01\""))
    let proofs = try String(
      contentsOf: suite.folder.appendingPathComponent("reports/latest/requirements.html"), encoding: .utf8)
    #expect(proofs.contains("id=\"RD-DELIM-01\"") && proofs.contains("passed, 2 of 2"))
    #expect(proofs.contains("href=\"../../Scenarios/read/line.yaml\""))
    let unknown = try suite.run(["show", "RD-DELIM-09"])
    #expect(unknown.status == 2 && unknown.error.contains("Did you mean RD-DELIM-01?"), "\(unknown.error)")
  }

  /// A run that is made of its shards has the same page beside its own.
  @Test func aMergedRunHasThePageOfRequirements() throws {
    let suite = try suite()
    let part = ["run", "--world", "simulated", "--shard", "1/1", "--output", "part"]
    #expect(try suite.run(part).status == 0)
    let merged = try suite.run(["merge", "part/latest", "--output", "whole"])
    #expect(merged.status == 0, "\(merged.error)")
    let folder = suite.folder.appendingPathComponent("whole/latest")
    let proofs = try String(contentsOf: folder.appendingPathComponent("requirements.html"), encoding: .utf8)
    #expect(proofs.contains("id=\"RD-DELIM-01\"") && proofs.contains("passed, 2 of 2"))
    let page = try String(contentsOf: folder.appendingPathComponent("index.html"), encoding: .utf8)
    #expect(page.contains("href=\"requirements.html#RD-DELIM-01\""))
  }

  @Test func aCitationThatKillsNothingIsListedAndMustBeOnRecord() throws {
    let kills = "RD-DELIM-02 Tests/ATests/LineTests.swift: a-long-line-is-cut\n"
    let suite = try suite(beside: [
      "Tests/ATests/LineTests.swift": Self.test, "Requirements/witnesses.txt": kills, "Requirements/open-musts.txt": "",
      "Requirements/unproven.txt": "RD-DELIM-01\nRD-DELIM-03\n",
    ])
    let record = suite.folder.appendingPathComponent("Requirements/idle-citations.txt")
    let list = try suite.run(["coverage", "--idle-citations"])
    #expect(list.status == 0 && list.output == "RD-DELIM-01 read/line\n", "\(list)")
    #expect(try suite.run(["coverage", "--idle-citations", "RD-DELIM-02"]).output.isEmpty)
    let missing = try suite.run(["coverage"])
    #expect(missing.status == 2 && missing.error.contains("idle-citations.txt"), "\(missing.error)")

    // One that is not on record.
    try Data("# none\n".utf8).write(to: record)
    for arguments in [["coverage"], ["coverage", "--record"]] {
      let new = try suite.run(arguments)
      #expect(new.status == 1 && new.output.contains("RD-DELIM-01 read/line: the citation kills no mutant"), "\(new)")
    }
    try Data("RD-DELIM-01 read/line  # nothing breaks it\n".utf8).write(to: record)
    #expect(try suite.run(["coverage"]).status == 0)
    #expect(
      try suite.run(["coverage", "--idle-citations"]).output == "RD-DELIM-01 read/line  # nothing breaks it\n")

    // It kills a mutant: the record must be made shorter.
    try Data("\(kills)RD-DELIM-01 read/line: lose didRead\n".utf8).write(
      to: suite.folder.appendingPathComponent("Requirements/witnesses.txt"))
    try Data("RD-DELIM-03\n".utf8).write(to: suite.folder.appendingPathComponent("Requirements/unproven.txt"))
    let mended = try suite.run(["coverage"])
    #expect(mended.status == 1 && mended.output.contains("RD-DELIM-01 read/line is on record as idle, and is not"))
    #expect(try suite.run(["coverage", "--record"]).status == 0)
    #expect(try suite.run(["coverage"]).status == 0)
    #expect(!(try String(contentsOf: record, encoding: .utf8)).contains("read/line"))
  }

  @Test func theRecordOfOpenMustsOnlyGetsShorter() throws {
    let suite = try suite()
    let record = suite.folder.appendingPathComponent("Requirements/open-musts.txt")
    let missing = try suite.run(["coverage"])
    #expect(missing.status == 2 && missing.error.contains("--record"), "\(missing.error)")
    #expect(try suite.run(["coverage", "--record"]).status == 0)
    #expect(try String(contentsOf: record, encoding: .utf8).hasSuffix("\nRD-DELIM-02  # A line may be long.\n"))
    let agrees = try suite.run(["coverage", "--json", "table.json"])
    #expect(
      agrees.status == 0 && agrees.output.contains("3 requirements: 1 in both worlds, 2 open"), "\(agrees.output)")
    let table = try Data(contentsOf: suite.folder.appendingPathComponent("table.json"))
    let object = try #require(try JSONSerialization.jsonObject(with: table) as? [String: Any])
    #expect(object["open_musts"] as? [String] == ["RD-DELIM-02"])
    try FileManager.default.createDirectory(
      at: suite.folder.appendingPathComponent("pages"), withIntermediateDirectories: true)
    #expect(try suite.run(["coverage", "--html", "pages/all.html"]).status == 0)
    let page = try String(contentsOf: suite.folder.appendingPathComponent("pages/all.html"), encoding: .utf8)
    for link in ["../Scenarios/read/line.yaml", "../Requirements/rd-delim.yaml"] {
      #expect(page.contains("href=\"\(link)\""), "\(link)")
    }

    // A witness comes: the record must be made shorter.
    let tests = suite.folder.appendingPathComponent("Tests")
    try FileManager.default.createDirectory(at: tests, withIntermediateDirectories: true)
    try Data(Self.test.utf8).write(to: tests.appendingPathComponent("LineTests.swift"))
    let witnessed = try suite.run(["coverage"])
    #expect(witnessed.status == 1 && witnessed.output.contains("RD-DELIM-02 is on record as open, and is not"))
    #expect(try suite.run(["coverage", "--record"]).status == 0)
    #expect(try suite.run(["coverage"]).status == 0)

    // The witness goes: it can't be put on record again.
    try FileManager.default.removeItem(at: tests)
    for arguments in [["coverage"], ["coverage", "--record"]] {
      let lost = try suite.run(arguments)
      #expect(lost.status == 1 && lost.output.contains("RD-DELIM-02 has no witness, and is not on record"), "\(lost)")
    }
    #expect(try suite.run(["coverage", "RD-DELIM-03"]).status == 0, "a part is not held to the record")
    #expect(try suite.run(["coverage", "RD-DELMI"]).status == 2)
  }
}
