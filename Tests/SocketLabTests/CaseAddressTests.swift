import Foundation
import Testing

/// Files with `cases` on the command line: each case has an address of its own.
@Suite struct CaseAddressTests {
  private static let table = """
    title: A greeting is read
    requirements: [RD-ANY-01]
    columns: { text: required, tag: 1 }
    cases:
      short: { text: "A" }
      long: { text: "ABC", title: Another greeting is read }
      wrong: { text: "AB", tag: 2, tags: [wrong] }
    peer: [accept, send: $text]
    subject: [connect, read: { tag: 1 }, read: { tag: 2 }]
    expect: [didConnect, didRead: { tag: $tag, bytes: $text }]

    """

  private static func suite(_ text: String = table) throws -> ScratchSuite {
    try ScratchSuite(
      ["read/line.yaml": ScratchSuite.passing, "read/table.yaml": text, "templates/table.yaml": text],
      beside: ["qa/table.yaml": text])
  }

  private static func ids(_ names: [String], in suite: ScratchSuite) throws -> [String] {
    let list = try suite.run(["list", "--format", "ids"] + names)
    #expect(list.status == 0, "\(names): \(list.error)")
    return list.output.split(separator: "\n").map(String.init)
  }

  @Test func casesAreListedAlongWithScenarios() throws {
    let suite = try Self.suite()
    let all = ["read/table#short", "read/table#long", "read/table#wrong"]
    #expect(try Self.ids(["read"], in: suite) == ["read/line"] + all)
    let list = try suite.run(["list", "read/table"])
    #expect(list.output.contains("read/table#short  A greeting is read: short\n"), "\(list.output)")
    #expect(list.output.contains("read/table#long   Another greeting is read\n"), "\(list.output)")
    #expect(try Self.ids(["read", "--tag", "wrong"], in: suite) == ["read/table#wrong"])
    #expect(try suite.run(["check", "read"]).output == "2 files checked: 0 errors, 0 warnings\n")
    #expect(try suite.run(["check", "read/table#long"]).output == "1 file checked: 0 errors, 0 warnings\n")
  }

  @Test(arguments: [
    (["read/table"], "read/table#short read/table#long read/table#wrong"), (["read/table#long"], "read/table#long"),
    (["Scenarios/read/table.yaml#long"], "read/table#long"), (["./Scenarios/read/table.yaml#long"], "read/table#long"),
    (["qa/table.yaml#short"], "./qa/table.yaml#short"), (["./qa/table#short"], "./qa/table.yaml#short"),
    (["qa"], "./qa/table.yaml#short ./qa/table.yaml#long ./qa/table.yaml#wrong"),
  ]) func aCaseIsNamedByItsAddress(names: [String], expected: String) throws {
    let suite = try Self.suite()
    #expect(try Self.ids(names, in: suite) == expected.split(separator: " ").map(String.init))
  }

  @Test func aCaseRunsAloneAndItsCommandReproducesIt() throws {
    let suite = try Self.suite()
    let good = try suite.run(["run", "read/table#long"])
    #expect(good.status == 0, "\(good.output)")
    #expect(good.output.contains("1 scenario, all as expected"))
    for name in ["read/table", "qa/table.yaml"] {
      let run = try suite.run(["run", name, "--world", "simulated"])
      #expect(run.status == 1)
      #expect(run.output.contains("1 of 3 scenarios not as expected"), "\(run.output)")
      let line = try #require(run.output.split(separator: "\n").first { $0.contains("again: ./lab run ") })
      let words = try #require(line.split(separator: "./lab ").last).replacing("'", with: "").split(separator: " ")
      let again = try suite.run(words.map(String.init))
      #expect(again.status == 1)
      #expect(again.output.contains("1 of 1 scenario"), "\(again.output)")
    }
    let replay = try suite.run(["replay", "latest", "./qa/table.yaml#wrong"])
    #expect(replay.output.contains("the same trace"), "\(replay.output) \(replay.error)")
  }

  @Test func whatIsNoCaseIsRefused() throws {
    let suite = try Self.suite()
    for (name, help) in [
      ("read/table#lonk", "Did you mean read/table#long?"), ("read#long", "There is no scenario"),
      ("read/line#long", "There is no scenario"), ("qa/table.yaml#lonk", "There is no scenario"),
    ] {
      let result = try suite.run(["run", name])
      #expect(result.status == 2)
      #expect(result.error.contains(help), "\(name): \(result.error)")
    }
  }

  /// Nobody knows the cases of a file with errors, so the file is told about.
  @Test func aCaseOfAWrongFileShowsTheFilesErrors() throws {
    let suite = try Self.suite(Self.table.replacing("tag: 2, ", with: "tag: two, "))
    let run = try suite.run(["run", "read/table#long"])
    #expect(run.status == 3)
    #expect(run.error.contains("read/table.yaml:7:29: error[bad-number]"), "\(run.error)")
    #expect(run.error.contains("1 scenario file with errors"), "\(run.error)")
  }

  @Test func aFileOfCasesIsShownOnce() throws {
    let suite = try Self.suite()
    let all = try suite.run(["show", "read/table"])
    #expect(all.output.hasPrefix("3 cases in one file\n  file          Scenarios/read/table.yaml\n"), "\(all.output)")
    #expect(all.output.contains("read/table#long  Another greeting is read"))
    let one = try suite.run(["show", "read/table#long"])
    #expect(one.output.hasPrefix("Another greeting is read\n  file          Scenarios/read/table.yaml\n"))
    #expect(try suite.run(["show", "read"]).status == 2)
  }

  @Test func aTableIsATemplate() throws {
    let suite = try Self.suite()
    let list = try suite.run(["new", "read/mine"])
    #expect(list.error.contains("  table  ") != list.output.contains("  table  "), "\(list)")
    let made = try suite.run(["new", "read/mine", "--from", "table"])
    #expect(made.status == 0, "\(made.error)")
    #expect(made.output.contains("from templates/table."), "\(made.output)")
    #expect(try Self.ids(["read/mine"], in: suite).count == 3)
  }
}
