import Foundation
import Testing

/// Runs in parts, and one run made of them.
@Suite struct ShardCommandTests {
  /// Ten scenarios, one of which fails and one of which is on record to fail, a canary and a control.
  private static func suite() throws -> ScratchSuite {
    var files = [
      "read/bad.yaml": ScratchSuite.failing, "read/known.yaml": ScratchSuite.failing,
      "canary/blind.yaml": ScratchSuite.failing + "canary: true\n", "control/line.yaml": ScratchSuite.passing,
    ]
    for number in 0..<9 { files["read/good\(number).yaml"] = ScratchSuite.passing + "control: control/line\n" }
    let entry = """
      - cases: "read/%@ [*, simulated]"
        subject: gcd
        reason: it is to be mended
        evidence: { kind: wrongContent }
        expires: 2999-01-31

      """
    let deviations =
      "library: CocoaAsyncSocket (reference)\ndeviations:\n"
      + ["known", "good*", "none"].map {
        entry.replacing("%@", with: $0).split(separator: "\n").map { "  \($0)\n" }.joined()
      }.joined()
    return try ScratchSuite(files, beside: ["known.yaml": deviations])
  }

  private static let options = ["--world", "simulated", "--seeds", "3", "--deviations", "known.yaml"]

  /// The suite after its shards have run.
  private static func suiteInParts() throws -> ScratchSuite {
    let suite = try suite()
    for shard in 1...3 {
      let result = try suite.run(["run", "--shard", "\(shard)/3", "--output", "part\(shard)"] + options)
      #expect([0, 1].contains(result.status), "\(result.error)")
    }
    return suite
  }

  /// What a report says but for times and the machine.
  private static func facts(_ suite: ScratchSuite, _ folder: String) throws -> [String: NSObject] {
    func timeless(_ value: Any) -> NSObject {
      switch value {
      case let object as [String: Any]:
        let odd: Set = ["started_at", "duration_ms", "resources", "host", "shard"]
        return NSDictionary(dictionary: object.filter { !odd.contains($0.key) }.mapValues(timeless))
      case let list as [Any]: return NSArray(array: list.map(timeless))
      default: return value as? NSObject ?? NSNull()
      }
    }
    let data = try Data(contentsOf: suite.folder.appendingPathComponent("\(folder)/latest/report.json"))
    let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    return object.mapValues(timeless)
  }

  @Test func shardsTogetherAreTheWhole() throws {
    let suite = try Self.suiteInParts()
    let merged = try suite.run(["merge", "part3/latest", "part1/latest", "part2/latest", "--output", "whole"])
    #expect(merged.status == 1, "\(merged.error)")
    let once = try suite.run(["run", "--output", "once"] + Self.options)
    #expect(once.status == 1, "\(once.error)")
    let (whole, expected) = try (Self.facts(suite, "whole"), Self.facts(suite, "once"))
    #expect(whole.keys.sorted() == expected.keys.sorted())
    for (key, value) in expected { #expect(whole[key] == value, "\(key)") }
    let page = suite.folder.appendingPathComponent("whole/latest/index.html").path
    #expect(FileManager.default.fileExists(atPath: page))
    // The whole is in the history, and its parts are not.
    #expect(FileManager.default.fileExists(atPath: suite.folder.appendingPathComponent("whole/history.jsonl").path))
    #expect(!FileManager.default.fileExists(atPath: suite.folder.appendingPathComponent("part1/history.jsonl").path))
  }

  @Test func whatIsNoWholeIsRefused() throws {
    let suite = try Self.suiteInParts()
    _ = try suite.run(["run", "--seed", "7", "--shard", "3/3", "--output", "foreign"] + Self.options)
    _ = try suite.run(["run", "read/bad", "--world", "simulated", "--output", "plain"])
    _ = try suite.shell(
      "cp -r part1 cut; truncate -s 40 cut/2*/shard.cases; cp -r part1 odd; echo x > odd/latest/shard.cases")
    let rows: [([String], String)] = [
      (["part1/latest", "part3/latest"], "Missing of 3 shards: 2/3"),
      (["part1/latest", "part2/latest", "part2/latest"], "are both shard 2/3"),
      (["part1/latest", "part2/latest", "foreign/latest"], "foreign/latest is no shard of the run"),
      (["part1/latest", "plain/latest"], "plain/latest holds no shard"),
      (["part1/latest", "nowhere"], "There is no folder nowhere"),
      (["cut/latest"], "is damaged"), (["odd/latest"], "is no shard of this version"),
    ]
    for (shards, words) in rows {
      let result = try suite.run(["merge"] + shards + ["--output", "refused"])
      #expect(result.status == 2, "\(shards): \(result.output)")
      #expect(result.error.contains(words), "\(shards): \(result.error)")
    }
    #expect(!FileManager.default.fileExists(atPath: suite.folder.appendingPathComponent("refused").path))
  }

  /// Neither a scenario nor a payload beside one may change between two shards.
  @Test(arguments: ["read/good0.yaml", "read/line.bin"]) func shardsOfFilesThatChangedAreRefused(file: String) throws {
    let sending = ScratchSuite.passing.replacing(#"send: "HELO\r\n""#, with: "send: { file: line.bin }")
    var files = ["read/file.yaml": sending, "read/line.bin": "HELO\r\n"]
    for number in 0..<9 { files["read/good\(number).yaml"] = ScratchSuite.passing }
    let suite = try ScratchSuite(files)
    func part(_ number: Int) throws {
      let arguments = ["run", "--world", "simulated", "--shard", "\(number)/2", "--output", "part\(number)"]
      let result = try suite.run(arguments)
      #expect([0, 1].contains(result.status), "\(result.error)")
    }
    for number in 1...2 { try part(number) }
    #expect(try suite.run(["merge", "part1/latest", "part2/latest", "--output", "whole"]).status == 0)
    _ = try suite.shell("printf '# more\\n' >> Scenarios/\(file); rm -r part2")
    try part(2)
    let refused = try suite.run(["merge", "part1/latest", "part2/latest", "--output", "again"])
    #expect(refused.status == 2 && refused.error.contains("the suite's cases and files"), "\(refused.error)")
  }

  @Test(arguments: ["0/3", "4/3", "3", "a/b", "1/0", "1/1001", "+1/3"]) func anOddShardIsWrongUsage(shard: String)
    throws
  {
    let suite = try ScratchSuite(["read/good.yaml": ScratchSuite.passing])
    #expect(try suite.run(["run", "--shard", shard]).status == 2)
  }

  @Test func tooFewCasesFailARun() throws {
    let suite = try ScratchSuite(["read/good.yaml": ScratchSuite.passing])
    #expect(try suite.run(["run", "--world", "simulated", "--min-cases", "1"]).status == 0)
    let result = try suite.run(["run", "--world", "simulated", "--min-cases", "2"])
    #expect(result.status == 5)
    #expect(result.error.contains("Only 1 case said something; 2 were asked for."), "\(result.error)")
    #expect(try suite.run(["run", "--min-cases", "0"]).status == 2)
  }

  /// `junit.xml` is what many read instead of the exit code: of a run, of a merged one, and of a part of one, which
  /// asks nothing of the whole.
  @Test func whatARunWasToShowIsInItsReport() throws {
    let names = (0..<8).map { "read/good\($0).yaml" }
    let suite = try ScratchSuite(Dictionary(uniqueKeysWithValues: names.map { ($0, ScratchSuite.passing) }))
    func errors(_ folder: String) throws -> [String] {
      let file = suite.folder.appendingPathComponent("\(folder)/latest/junit.xml")
      let text = try String(contentsOf: file, encoding: .utf8)
      return text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { $0.hasPrefix("<error ") }
    }
    let all = #"<error message="only 8 cases said something; 9 were asked for" type="too-few-cases"/>"#
    let few = ["--min-cases", "9"]
    let run = ["run", "--world", "simulated"]
    #expect(try suite.run(run + few).status == 5)
    #expect(try errors("reports") == [all])
    for number in 1...2 {
      #expect(try suite.run(run + few + ["--shard", "\(number)/2", "--output", "part\(number)"]).status == 5)
      let found = try errors("part\(number)")
      #expect(found.count == 1 && found[0].hasSuffix(#"9 were asked for" type="too-few-cases"/>"#), "\(found)")
    }
    let merge = ["merge", "part1/latest", "part2/latest", "--output", "whole"]
    #expect(try suite.run(merge).status == 0)
    #expect(try errors("whole").isEmpty)
    #expect(try suite.run(merge + few).status == 5)
    #expect(try errors("whole") == [all])

    let alone = try suite.run(run + ["--agree"])
    #expect(alone.status == 1 && alone.output.contains("Reports: "), "\(alone.output)")
    let message = "the subjects do not agree with the library case by case"
    #expect(try errors("reports") == ["<error message=\"\(message)\" type=\"disagreement\"/>"])
  }
}
