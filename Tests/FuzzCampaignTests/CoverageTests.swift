import Testing

@testable import FuzzCampaign

@Suite struct CoverageReaderTests {
  private let reader = CoverageReader(root: "/src/lab", demangle: RecordedLog.demangle)

  @Test func readsTheFuzzersTable() throws {
    let table = try #require(reader.edges(try RecordedLog.lines("coverage")))
    #expect(table.files.map(\.path) == ["Sources/Lib/Lib.swift", "Sources/probe/P.swift"])
    let library = table.files[0]
    let step = try #require(library.functions.first { $0.line == 4 })
    #expect((step.covered, step.total, step.missed) == (8, 9, 1))
    #expect(library.neverEntered.map(\.line) == [3, 27, 29, 31])
    #expect(table.covered == 16 + 7 && table.total == 30 + 17)
  }

  @Test func aLogWithoutATableIsNone() throws {
    #expect(reader.edges(try RecordedLog.lines("clean")) == nil)
  }

  /// The optimiser's copies: one that was entered stands for all.
  @Test func copiesOfAFunctionAreOne() throws {
    let table = try #require(
      reader.edges([
        "UNCOVERED_FUNC: hits: 0 edges: 0/9 f /src/lab/Sources/A.swift:3",
        "COVERED_FUNC: hits: 4 edges: 5/7 f /src/lab/Sources/A.swift:3",
        "COVERED_FUNC: hits: 4 edges: 2/2 f /src/lab/Sources/A.swift:9",
      ]))
    #expect(table.files[0].functions.map(\.covered) == [5, 2])
    #expect(table.total == 9)
  }

  @Test(arguments: [
    "COVERED_FUNC: ", "COVERED_FUNC: hits: 1 edges: 1/2", "COVERED_FUNC: hits: 1 edges: 3/2 f /src/lab/Sources/A:1",
    "COVERED_FUNC: hits: 1 edges: -1/2 f /src/lab/Sources/A:1", "COVERED_FUNC: hits: 1 edges: 1/2 f /src/lab/Sources/A",
    "UNCOVERED_PC: /src/lab/Sources/A.swift:3",
  ])
  func brokenLinesAreNone(line: String) { #expect(reader.edges([line]) == nil) }

  @Test func readsRegionsOfLLVM() throws {
    let json = """
      {"version": "2.0.1", "data": [{"files": [], "functions": [
        {"name": "A.swift:g", "count": 1, "filenames": ["/src/lab/Sources/A.swift"], "regions":
          [[7, 1, 9, 2, 4, 0, 0, 0], [8, 1, 8, 9, 0, 0, 0, 0], [8, 1, 8, 9, 0, 0, 0, 3]]},
        {"name": "x", "count": 1, "filenames": ["/elsewhere/B.swift"], "regions": [[1, 1, 1, 1, 1, 0, 0, 0]]}]}]}
      """
    let table = try reader.regions(Array(json.utf8))
    #expect(table.files.map(\.path) == ["Sources/A.swift"])
    #expect(table.files[0].functions == [FunctionCoverage(name: "g", line: 7, covered: 1, total: 2)])
    #expect(throws: (any Error).self) { try reader.regions(Array("{}".utf8)) }
  }
}

@Suite struct CoverageTableTests {
  @Test func judgesAreNoPartOfWhatTheyJudge() {
    let own = ["FuzzBodies/A/a", "FuzzHarness/a", "FuzzPrograms/a", "ReferenceModel/a"]
    let subject = ["FuzzHarnessing/a", "SocketCore/a"]
    let function = FunctionCoverage(name: "f", line: 1, covered: 0, total: 1)
    let table = CoverageTable(
      unit: .edges, files: (own + subject).map { FileCoverage(path: "Sources/\($0)", functions: [function]) })
    #expect(table.apart.subject.files.map(\.path) == subject.map { "Sources/\($0)" })
    #expect(table.apart.laboratory.files.map(\.path) == own.map { "Sources/\($0)" })
    #expect(table.files.allSatisfy { $0.neverEntered == [function] }, "a function of one edge, too")
  }
}

@Suite struct StateCoverageTests {
  private let lines = [
    "readqueue: 3 inputs", "STATE idle connect open 3", "STATE open eof half 0", "STATE idle connect open 4",
    "STATE open read open 9", "",
  ]

  @Test func linesAddUpAndSort() throws {
    let coverage = try StateCoverage.parse(lines)
    #expect(coverage.lines == ["STATE idle connect open 7", "STATE open eof half 0", "STATE open read open 9"])
    #expect(coverage.states == ["half", "idle", "open"])
    #expect(coverage.reached == ["idle", "open"])
    #expect(coverage.untaken.map(\.event) == ["eof"])
    #expect(coverage.neverLeft == ["open"])
    #expect(coverage.entries(of: "open") == 16)
  }

  @Test func theTextFormReadsBack() throws {
    let coverage = try StateCoverage.parse(lines)
    #expect(try StateCoverage.parse(coverage.lines) == coverage)
    #expect(try StateCoverage.parse(coverage.lines.reversed()) == coverage)
  }

  @Test func mergingIsAddition() throws {
    let coverage = try StateCoverage.parse(lines)
    var twice = coverage
    twice.merge(coverage)
    #expect(twice == (try StateCoverage.parse(lines + lines)))
    let known = StateCoverage([], known: ["far", "near"])
    #expect(known.states == ["far", "near"] && known.reached.isEmpty && known.untaken.isEmpty)
    var none = StateCoverage()
    none.merge(coverage)
    #expect(none == coverage)
    let most = StateCoverage([
      .init(from: "a", event: "b", to: "c", count: .max), .init(from: "a", event: "b", to: "c", count: 1),
    ])
    #expect(most.transitions.map(\.count) == [.max])
  }

  @Test(arguments: ["STATE", "STATE a b c", "STATE a b c d", "STATE a b c -1", "STATE a b c 1 2"])
  func halfALineIsRefused(line: String) {
    #expect(throws: StateCoverageFailure.self) { try StateCoverage.parse([line]) }
  }
}

@Suite struct SeriesTests {
  private func points(_ count: Int) -> [SeriesPoint] {
    (0..<count).map { SeriesPoint(seconds: Double($0), executions: $0 * 1000, coverage: $0 / 7) }
  }

  @Test(arguments: [0, 1, 2, 3, 239, 240, 241, 10_000])
  func thinningKeepsTheEndsAndTheOrder(count: Int) {
    let all = points(count)
    let kept = Series.thinned(all, to: 240)
    #expect(kept.count <= 240)
    #expect(kept.first == all.first && kept.last == all.last)
    #expect(kept.map(\.executions) == kept.map(\.executions).sorted())
    #expect(Series.thinned(kept, to: 240) == kept)
    if count <= 240 { #expect(kept == all) }
  }

  @Test func joiningGoesOnWhereTheFirstEnded() {
    let parts = [points(10), points(4), points(20)]
    let joined = Series.joined(parts)
    #expect(joined.count == 34)
    #expect(joined.last?.executions == 9000 + 3000 + 19_000)
    #expect(zip(joined, joined.dropFirst()).allSatisfy { $0.seconds <= $1.seconds && $0.coverage <= $1.coverage })
    #expect(Series.joined([Series.joined(Array(parts[..<2])), parts[2]]) == joined)
    #expect(Series.joined([]).isEmpty)
  }

  @Test func theSlowTenth() {
    #expect(Series.slowTenth(points(3)) == nil)
    #expect(Series.slowTenth(points(30)) == 1000)
  }

  @Test func mostOfTheCoverage() {
    #expect(Series.reaching(0.5, of: points(71))?.coverage == 5)
    #expect(Series.reaching(0.5, of: []) == nil)
  }

  @Test func spreads() {
    #expect(Spread([]) == nil)
    #expect(Spread([3, 1, 2])?.median == 2)
    #expect(Spread([4, 1, 2, 3])?.median == 2.5)
  }
}
