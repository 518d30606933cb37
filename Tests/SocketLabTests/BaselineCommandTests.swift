import Foundation
import Testing

/// `baseline` and `compare baseline` as a person meets them.
@Suite struct BaselineCommandTests {
  private static func suite() throws -> ScratchSuite {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing, "read/other.yaml": ScratchSuite.passing])
    #expect(try suite.run(["run", "--world", "simulated"]).status == 0)
    return suite
  }

  private static func path(_ suite: ScratchSuite, _ name: String = "reports/baseline.json") -> URL {
    suite.folder.appendingPathComponent(name)
  }

  private static func write(_ text: String, _ suite: ScratchSuite, _ name: String) throws {
    try text.write(to: path(suite, name), atomically: true, encoding: .utf8)
  }

  @Test func theWholeWay() throws {
    let suite = try Self.suite()
    #expect(try suite.run(["baseline", "show"]).status == 2, "there is none yet")
    let saved = try suite.run(["baseline", "save"])
    #expect(saved.status == 0 && saved.output.contains("2 scenarios, 2 cases"), "\(saved.output) \(saved.error)")
    #expect(try suite.run(["baseline", "save"]).status == 2, "what is there stays")
    let same = try suite.run(["compare", "baseline", "--expect-all"])
    #expect(same.status == 0 && same.output.hasPrefix("✓ No regressions"), "\(same.output)")

    // A scenario goes wrong, one goes away, one comes.
    try Self.write(ScratchSuite.failing, suite, "Scenarios/read/line.yaml")
    try FileManager.default.removeItem(at: Self.path(suite, "Scenarios/read/other.yaml"))
    try Self.write(ScratchSuite.passing + "# Not the one that goes.\n", suite, "Scenarios/read/third.yaml")
    #expect(try suite.run(["run", "--world", "simulated"]).status == 1)
    let worse = try suite.run(["compare", "baseline", "--expect-all"])
    #expect(worse.status == 1, "\(worse.error)")
    #expect(worse.output.hasPrefix("✗ 2 regressions: 1 new failure, 1 missing case\n  1 new case"), "\(worse.output)")
    #expect(worse.output.contains("the scenario changed, too"))

    let accepted = try suite.run(["baseline", "accept", "read/line", "read/third [ipv4, simulated]"])
    #expect(accepted.status == 0 && accepted.output.contains("~ read/line  passed → failed "), "\(accepted.output)")
    #expect(accepted.output.contains("+ read/third  – → passed") && accepted.output.contains("2 cases taken"))
    let pruned = try suite.run(["baseline", "prune"])
    #expect(pruned.status == 0 && pruned.output.contains("- read/other  passed → –"), "\(pruned.output)")
    #expect(try suite.run(["compare", "baseline", "--expect-all"]).status == 0)
    let shown = try suite.run(["baseline", "show", "read/*"])
    #expect(shown.output.contains("read/line") && shown.output.contains("    failed ") && shown.status == 0)
  }

  /// Ids that are paths are looked for where they lead; the library of the lab says nothing of them.
  @Test func casesOfARepositoryElsewhereGoWithTheirFilesOnly() throws {
    let suite = try Self.suite()
    let line = #""HELO\r\n""#
    let rows = "columns: { line: required }\ncases:\n  one: { line: \(line) }\n  two: { line: \(line) }\n"
    let table = ScratchSuite.passing.replacing(line, with: "$line").replacing("peer:", with: rows + "peer:")
    for (name, text) in [
      ("s1", ScratchSuite.passing), ("s2", ScratchSuite.passing), ("bad", ScratchSuite.passing), ("table", table),
    ] {
      try FileManager.default.createDirectory(at: Self.path(suite, "qa"), withIntermediateDirectories: true)
      try Self.write(text, suite, "qa/\(name).yaml")
    }
    let options = ["--output", "reps"]
    let played = try suite.run(["run", "qa", "--world", "simulated"] + options)
    #expect(played.status == 0, "\(played.output) \(played.error)")
    #expect(try suite.run(["baseline", "save"] + options).status == 0)
    let kept = try suite.run(["baseline", "prune"] + options)
    #expect(kept.status == 0 && kept.output.contains(": 0 cases removed"), "\(kept.output) \(kept.error)")

    try FileManager.default.removeItem(at: Self.path(suite, "qa/s2.yaml"))
    try Self.write("title: [", suite, "qa/bad.yaml")
    try Self.write(table.replacing("two", with: "three"), suite, "qa/table.yaml")
    // Where the library has the folder, its files have other ids there.
    for library in [[], ["--scenarios", "qa"]] {
      let pruned = try suite.run(["baseline", "prune"] + options + library)
      #expect(pruned.status == 0, "\(pruned.error)")
      #expect(pruned.error.contains("Note: ./qa/bad.yaml can't be read as a scenario; its cases stay"))
      guard library.isEmpty else { continue }
      #expect(pruned.output.contains("- ./qa/s2.yaml  passed → –"), "\(pruned.output)")
      #expect(pruned.output.contains("- ./qa/table.yaml#two  passed → –"), "\(pruned.output)")
      #expect(pruned.output.contains(": 2 cases removed"), "\(pruned.output)")
    }
    let shown = try suite.run(["baseline", "show", "*"] + options).output
    for id in ["./qa/s1.yaml", "./qa/bad.yaml", "./qa/table.yaml#one"] { #expect(shown.contains(id), "\(shown)") }
    let other = try suite.run(["baseline", "prune"] + options + ["--scenarios", "nowhere"])
    #expect(other.status == 0, "the library is not asked: \(other.error)")
  }

  @Test(arguments: [
    (["baseline", "accept"], "pattern"), (["baseline", "accept", "read/none"], "No case of the run fits read/none"),
    (["baseline", "accept", "read/line ["], "has no ] at its end"),
    (["baseline", "accept", "read/line", "--from", "none"], "There is no report of the run none"),
    (["baseline", "show", "none"], "Nothing on record fits"),
  ])
  func wrongUsageTakesNothing(arguments: [String], words: String) throws {
    let suite = try Self.suite()
    _ = try suite.run(["baseline", "save"])
    let before = try Data(contentsOf: Self.path(suite))
    let result = try suite.run(arguments)
    #expect(result.status == 2 && result.error.contains(words), "\(result.error)")
    #expect(try Data(contentsOf: Self.path(suite)) == before)
  }

  @Test func aFileThatIsWrongIsSaidWithItsPlaceAndStays() throws {
    let suite = try Self.suite()
    _ = try suite.run(["baseline", "save"])
    let text = try String(contentsOf: Self.path(suite), encoding: .utf8)
    let rows = [
      ("", "is no baseline: line 1, column 1"), (String(text.prefix(text.count / 2)), "the file ends here"),
      (text.replacing("\"baseline\": 1", with: "\"baseline\": 2"), "of format 2"),
      (text.replacing("read/other", with: "read/line"), "the key read/line comes twice"),
      (text.replacing("(reference)", with: "(another)"), "of different subjects"),
    ]
    for (wrong, words) in rows {
      try Self.write(wrong, suite, "reports/baseline.json")
      let compared = try suite.run(["compare", "baseline"])
      #expect(compared.status == 2 && compared.error.contains(words), "\(compared.error)")
      #expect(try suite.run(["baseline", "accept", "read/line"]).status == 2)
      #expect(try String(contentsOf: Self.path(suite), encoding: .utf8) == wrong)
    }
  }

  /// Compared with the baseline of a few scenarios, all others could fail and nobody would be told.
  @Test func aRunThatLacksScenariosIsNoBaseline() throws {
    let suite = try Self.suite()
    func run(_ names: String...) throws { #expect(try suite.run(["run", "--world", "simulated"] + names).status == 0) }
    func save(_ options: String...) throws -> SocketLabProgram.Result { try suite.run(["baseline", "save"] + options) }

    try run("read/line")
    let first = try save()
    let words = "lacks 1 scenario that a whole run has: read/other. "
    #expect(first.status == 2 && first.error.contains(words), "\(first)")
    #expect(!FileManager.default.fileExists(atPath: Self.path(suite).path))
    #expect(try save("--partial").status == 0)
    #expect(try save("--replace").status == 0, "it has all that was on record")

    try run()
    #expect(try save("--replace").status == 0)
    let whole = try Data(contentsOf: Self.path(suite))
    try run("read/line")
    let refused = try save("--replace")
    #expect(refused.status == 2 && refused.error.contains("lacks 1 scenario that the baseline has"), "\(refused)")
    #expect(refused.error.contains("read/other") && refused.error.contains("--partial"), "\(refused.error)")
    #expect(try Data(contentsOf: Self.path(suite)) == whole)
    try Self.write("title: [", suite, "Scenarios/read/other.yaml")
    #expect(try save("--replace").status == 3, "what is wrong may be there")
    #expect(try Data(contentsOf: Self.path(suite)) == whole)

    // What is gone may go, and what was renamed is in the run by its new name.
    try FileManager.default.removeItem(at: Self.path(suite, "Scenarios/read/other.yaml"))
    try Self.write(ScratchSuite.passing, suite, "Scenarios/read/renamed.yaml")
    try run()
    let renamed = try save("--replace")
    #expect(renamed.status == 0 && renamed.output.contains("2 scenarios, 2 cases"), "\(renamed)")
    try run("read/line")
    let part = try save("--replace", "--partial")
    #expect(part.status == 0 && part.output.contains("1 scenario, 1 case"), "\(part)")
  }

  @Test func filesElsewhereAreMissedWhileTheyAreThere() throws {
    let suite = try Self.suite()
    for name in ["qa/s1.yaml", "qa/s2.yaml"] {
      try FileManager.default.createDirectory(at: Self.path(suite, "qa"), withIntermediateDirectories: true)
      try Self.write(ScratchSuite.passing, suite, name)
    }
    let output = ["--output", "reps"]
    func save() throws -> SocketLabProgram.Result { try suite.run(["baseline", "save", "--replace"] + output) }
    #expect(try suite.run(["run", "qa", "--world", "simulated"] + output).status == 0)
    #expect(try save().status == 0)
    #expect(try suite.run(["run", "qa/s1.yaml", "--world", "simulated"] + output).status == 0)
    let refused = try save()
    #expect(refused.status == 2 && refused.error.contains("./qa/s2.yaml"), "\(refused)")
    try FileManager.default.removeItem(at: Self.path(suite, "qa/s2.yaml"))
    #expect(try save().status == 0)
  }

  /// No file may get longer than 512 bytes, as on a full disk. The signal of that must not be one that a test's thread
  /// blocks, and the program with it.
  @Test func whatCannotBeWrittenLeavesWhatWasThere() throws {
    let suite = try Self.suite()
    let other = (0..<40).map { "    \"z/\($0)\": {\"passed\": {\"simulated\": \"ipv4\"}}" }.joined(separator: ",\n")
    try Self.write(
      """
      {"baseline": 1, "subject": "CocoaAsyncSocket (reference)", "profile": "documented", "scenarios": {
      \(other)}}
      """, suite, "reports/baseline.json")
    let history = try Data(contentsOf: Self.path(suite, "reports/history.jsonl"))
    let before = try Data(contentsOf: Self.path(suite))
    let script = "ulimit -f 1; exec env --default-signal=XFSZ \"$0\" \"$@\""
    func limited(_ arguments: [String]) throws -> SocketLabProgram.Result {
      let program = URL(fileURLWithPath: "/bin/sh")
      return try SocketLabProgram.run(
        ["-c", script, SocketLabProgram.url.path] + arguments, in: suite.folder, of: program)
    }
    let result = try limited(["baseline", "accept", "read/line"])
    #expect(result.status == 4 && result.error.contains("reports/baseline.json can't be written"), "\(result)")
    #expect(try Data(contentsOf: Self.path(suite)) == before)
    let added = try limited(["history", "add", "latest", "--output", "reports"])
    #expect(added.status == 0 && added.output.contains("is already in"), "\(added)")
    let index = Self.path(suite, "reports/history.jsonl")
    try (history + Data(repeating: 0x0A, count: max(0, 500 - history.count % 500))).write(to: index)
    let long = try Data(contentsOf: index)
    _ = try suite.run(["run", "--world", "simulated", "--output", "other"])
    let refused = try limited(["history", "add", "other/latest", "--output", "reports"])
    #expect(refused.status == 4 && refused.error.contains("What was in it still is"), "\(refused)")
    #expect(try Data(contentsOf: index) == long)
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.path(suite, "reports").path)
    #expect(!names.contains { $0.hasSuffix(".part") }, "\(names)")
  }

  /// Which classes a scenario elsewhere is played with, its requirements say.
  @Test func casesOfBothClassesElsewhereStay() throws {
    let suite = try Self.suite()
    try FileManager.default.createDirectory(at: Self.path(suite, "qa"), withIntermediateDirectories: true)
    try Self.write(ScratchSuite.passing.replacing("RD-DELIM-01", with: "RD-LEN-01"), suite, "qa/both.yaml")
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Requirements")
    let options = ["--output", "reps", "--requirements", root.standardized.path]
    let played = try suite.run(["run", "qa", "--world", "simulated"] + options)
    #expect(played.status == 0, "\(played.output) \(played.error)")
    let saved = try suite.run(["baseline", "save", "--partial"] + options)
    #expect(saved.output.contains("1 scenario, 2 cases"), "\(saved.output) \(saved.error)")
    let kept = try suite.run(["baseline", "prune"] + options)
    #expect(kept.status == 0 && kept.output.contains(": 0 cases removed"), "\(kept.output) \(kept.error)")
  }

  /// A record made without a file that can't be read would lack its lines.
  @Test func disputesNeedEveryFile() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing, "read/bad.yaml": "title: ["])
    try Self.write("read/bad 1 simulated 1\n", suite, "Scenarios/disputed.txt")
    for options in [[], ["--record"]] {
      let result = try suite.run(["disputes", "--seeds", "1", "--repeat", "1"] + options)
      #expect(result.status == 3 && result.error.contains("read/bad.yaml:"), "\(result)")
    }
    #expect(try String(contentsOf: Self.path(suite, "Scenarios/disputed.txt"), encoding: .utf8).hasPrefix("read/bad"))
    let many = try suite.run(["disputes", "--repeat", "9223372036854775807"])
    #expect(many.status == 2 && many.error.contains("between 1 and"), "\(many)")
  }

  @Test func aComparisonIsNotWrittenOverARunsReports() throws {
    let suite = try Self.suite()
    let refused = try suite.run(["compare", "latest", "--write", "reports/latest"])
    #expect(refused.status == 2 && refused.error.contains("has the reports of a run"), "\(refused)")
  }
}
