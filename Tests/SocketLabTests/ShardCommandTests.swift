import Foundation
import Testing

/// Runs in parts, and one run made of them.
@Suite struct ShardCommandTests {
  private static func suite() throws -> ScratchSuite {
    var files = ["read/bad.yaml": ScratchSuite.failing]
    for number in 0..<9 { files["read/good\(number).yaml"] = ScratchSuite.passing }
    let suite = try ScratchSuite(files)
    for shard in 1...3 {
      let result = try suite.run(["run", "--world", "simulated", "--shard", "\(shard)/3", "--output", "part\(shard)"])
      #expect([0, 1].contains(result.status), "\(result.error)")
    }
    return suite
  }

  @Test func shardsTogetherAreTheWhole() throws {
    let suite = try Self.suite()
    let merged = try suite.run(["merge", "part1/latest", "part2/latest", "part3/latest", "--output", "whole"])
    #expect(merged.status == 1, "\(merged.error)")
    _ = try suite.run(["run", "--world", "simulated", "--output", "once"])
    let compared = try suite.run(["compare", "once/latest", "whole/latest"])
    #expect(compared.status == 0, "\(compared.output)\(compared.error)")
    #expect(compared.output.contains("9 unchanged"), "\(compared.output)")
    let page = suite.folder.appendingPathComponent("whole/latest/index.html").path
    #expect(FileManager.default.fileExists(atPath: page))
  }

  @Test func whatIsNoWholeIsRefused() throws {
    let suite = try Self.suite()
    _ = try suite.run(["run", "--world", "simulated", "--seed", "7", "--shard", "3/3", "--output", "foreign"])
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
}
