import BenchmarkHarness
import BenchmarkModel
import Foundation
import Testing

/// Every workload and every series once, briefly: that it runs, not how fast it is.
@Suite(.serialized) struct WorkloadRunTests {
  init() {
    ChildServer.program = Program.path
    LabCommand.program = Program.lab
  }

  static func run() -> BenchmarkRun {
    BenchmarkRun(
      BenchmarkRun.Options(
        rounds: 1, growthRounds: 1, seconds: 0.02, isQuick: true, seed: 1, scenarioFolder: Program.scenarios))
  }

  @Test(arguments: WorkloadTable.all.map(\.id))
  func aWorkloadRuns(_ id: String) throws {
    let workload = try #require(WorkloadTable.all.first { $0.id == id })
    var run = Self.run()
    let result = run.run(workload) { _ in }
    #expect(result.failure == nil)
    let built = workload.built.workload
    #expect(result.entries.map(\.id) == built.entries.map(\.id))
    #expect(result.comparisons.map(\.comparison) == built.comparisons)
    #expect(!result.comparisons.isEmpty)
    #expect(result.entries.allSatisfy { $0.spread.median > 0 && $0.spread.median.isFinite })
  }

  @Test(arguments: GrowthTable.all.map(\.id))
  func aSeriesRuns(_ id: String) throws {
    let series = try #require(GrowthTable.all.first { $0.id == id })
    var run = Self.run()
    let result = run.run(series) { _ in }
    if ["scenario-count", "check-count"].contains(id), !FileManager.default.isExecutableFile(atPath: Program.lab) {
      // The lab is built apart; what is missing is told, and how to get it.
      #expect(result.failure?.contains("swift build -c release --product socketlab") == true)
      return
    }
    #expect(result.failure == nil)
    #expect(result.lines.map(\.id) == series.lines.map(\.id))
    #expect(result.lines.allSatisfy { $0.points.map(\.size) == series.quickSizes })
  }

  @Test func idleServersAreWatched() throws {
    var run = Self.run()
    let results = try run.idle { _ in }
    // Both classes, the first with one queue and with two, SwiftNIO and C.
    #expect(results.count == 5)
    #expect(results.allSatisfy { $0.threads >= 1 && $0.connections == 100 })
  }

  /// A server that can't be had is a failure of its workload, not of the run.
  @Test func aServerThatDoesNotStartIsTold() throws {
    ChildServer.program = "/bin/true"
    var run = Self.run()
    let result = run.run(try #require(WorkloadTable.all.first)) { _ in }
    #expect(result.failure?.contains("did not start") == true)
    #expect(result.entries.isEmpty && result.comparisons.isEmpty)
  }

  @Test(arguments: [Search.Content.prose, .lines, .hostile])
  func theDelimiterStandsAtTheEndAndNowhereElse(_ content: Search.Content) throws {
    for delimiter in [[0x0A], [0x0D, 0x0A], [0x0D, 0x0A, 0x0D, 0x0A], [0x61, 0x61, 0x62, 0x61]] as [[UInt8]] {
      // In lines, a line's end is everywhere.
      if content == .lines, delimiter.count < 4 { continue }
      if content == .hostile, delimiter.last != 0x61 { continue }
      let bytes = SearchContent.bytes(for: Search(.whole, in: content, size: 5000, for: delimiter))
      #expect(bytes.count == 5000)
      let places = (0...(bytes.count - delimiter.count)).filter {
        Array(bytes[$0..<($0 + delimiter.count)]) == delimiter
      }
      #expect(places == [bytes.count - delimiter.count])
    }
  }
}

/// The program under test, beside the tests.
enum Program {
  static var path: String {
    let tests = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("bench").path
  }

  /// The lab's suite.
  static let scenarios = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Scenarios").path

  /// The lab, if it was built.
  static let lab = URL(fileURLWithPath: scenarios).deletingLastPathComponent()
    .appendingPathComponent(".build/release/socketlab").path
}
