import HostTools
import ScenarioModel
import ScenarioRunner
import TestSupport
import Testing

@testable import SuiteRunner

/// What a shard leaves for `merge`, as a file.
@Suite struct ShardRecordTests {
  private static func record(_ shard: String, plan: String = "1a2b") throws -> ShardRecord {
    var result = CaseResult(
      scenario: .named("a/b"), variant: Variant(family: .ipv4, cut: .whole, queues: .separate), world: .simulated,
      seed: 1)
    result.verdict = .passed
    let report = RunReport(
      startedAt: "", version: "1", subject: "s", profile: .documented,
      host: HostFacts(system: "", processors: 1, jitter: .zero), seed: 1, seeds: 1, duration: .zero, cases: [result],
      sources: [:])
    return ShardRecord(
      shard: try #require(Shard(text: shard)), plan: plan, vouching: ["a/b"], report: report, isInterrupted: false)
  }

  @Test func aByteThatIsAnotherIsDamageWhereverItIs() throws {
    let scratch = try Scratch()
    let path = scratch.path(ShardRecord.fileName)
    let bytes = try Self.record("1/1").bytes()
    try HostFiles.write(bytes, to: path)
    #expect(try ShardRecord.read(folder: scratch.folder.path).plan == "1a2b")
    for offset in bytes.indices {
      var damaged = bytes
      damaged[offset] ^= 1
      try HostFiles.write(damaged, to: path)
      let refusal = try #require(throws: ShardRecord.Refusal.self) { try ShardRecord.read(folder: scratch.folder.path) }
      let words = offset < 18 ? "no shard of this version" : "is damaged"
      #expect(refusal.message.contains(words) && refusal.message.contains("again"), "\(offset): \(refusal.message)")
    }
    for count in [0, 17, 18, 20, 33, 34, bytes.count - 1] {
      try HostFiles.write(bytes.prefix(count), to: path)
      #expect(throws: ShardRecord.Refusal.self, "\(count)") { try ShardRecord.read(folder: scratch.folder.path) }
    }
  }

  @Test func shardsOfAnotherSuiteAreRefused() throws {
    let parts = try [("one", Self.record("1/2")), ("two", Self.record("2/2", plan: "3c4d"))]
    let refusal = try #require(throws: ShardRecord.Refusal.self) {
      try ShardRecord.merged(parts.map { (folder: $0, record: $1) })
    }
    #expect(refusal.message.contains("two is no shard of the run that one is of"), "\(refusal.message)")
    #expect(refusal.message.contains("cases and files is 1a2b there and 3c4d here"), "\(refusal.message)")
  }

  /// Whatever a part of it shows is shown by the whole: each shard may be the one that is not green.
  @Test(arguments: [0, 1, 2])
  func whatOneShardShowsTheWholeShows(place: Int) throws {
    var records = try (1...3).map { try Self.record("\($0)/3") }
    for index in records.indices {
      records[index].report.programs = ["a", "b"].map { ProgramFacts(name: $0, library: nil, version: nil) }
    }
    let fault = SubjectExit.Fault(text: "it leaks", lastWords: ["16 bytes"])
    records[place].report.note(["b": SubjectExit(leftRunning: ["sleep"], faults: [fault])])
    records[place].report.shortfalls = [RunShortfall(.disagreement, "they differ")]
    let report = try ShardRecord.merged(records.map { (folder: "\($0.shard)", record: $0) }).report
    #expect(report.shortfalls == [RunShortfall(.disagreement, "they differ")])
    #expect(report.programs.map(\.leftRunning) == [nil, ["sleep"]])
    #expect(report.programs.map(\.exitFaults) == [nil, [fault]])
  }
}
