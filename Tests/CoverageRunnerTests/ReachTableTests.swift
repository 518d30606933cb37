import CoverageMarks
import Foundation
import HostTools
import ScenarioModel
import TerminalText
import Testing

@testable import CoverageRunner

/// What is made of the counts: what is missing, who enters what, and how it is said.
@Suite struct ReachTableTests {
  private static let path = "Sources/SocketCore/Mailbox.swift"
  private static let marks = [
    CoverageMark("both", "it happens", .both, .init(path, .before, "one()")),
    CoverageMark("kernel", "it happens", .loopback("no loop"), .init(path, .before, "two()")),
    CoverageMark("free", "it may happen", .none("a race"), .init(path, .before, "three()")),
  ]

  private func table() throws -> ReachTable {
    try ReachTable(Self.marks) { _ in Array("func f() {\n  one()\n  two()\n  three()\n}\n".utf8) }
  }

  @Test func aMarkHasTheLineThatItStandsOn() throws {
    #expect(try table().rows.map(\.place) == [2, 3, 4].map { "\(Self.path):\($0)" })
    #expect(throws: LabFailure.self) { try ReachTable(Self.marks) { _ in [] } }
  }

  @Test func whatIsDemandedAndNotEnteredIsMissing() throws {
    var table = try table()
    table.add([1, 0, 0], in: .loopback)
    table.add([0, 0, 0], in: .simulated)
    #expect(table.missing(in: .loopback).map(\.id) == ["kernel"])
    #expect(table.missing(in: .simulated).map(\.id) == ["both"])
    #expect(Set(table.missing.map(\.id)) == ["both", "kernel"])
    // Counts of further runs are added.
    table.add([0, 2, 0], in: .loopback)
    table.add([5, 0, 0], in: .simulated)
    #expect(table.missing.isEmpty)
    #expect(table.rows.map { $0.counts["loopback"] } == [1, 2, 0])
  }

  @Test func theScenariosThatEnterLeastStandFirst() throws {
    var table = try table()
    for line in [
      "loopback a/all 0,1,2", "loopback b/one 0", "loopback c/none ", "loopback d/odd 7", "x", "simulated z 0",
    ] {
      table.note(case: Substring(line), in: .loopback)
    }
    let json = try #require(String(bytes: try table.json(), encoding: .utf8))
    let first = try #require(json.range(of: "b/one")), second = try #require(json.range(of: "a/all"))
    #expect(first.lowerBound < second.lowerBound)
    #expect(!json.contains("\"z\"") && !json.contains("d/odd"))
  }

  @Test func thePublishedTableNamesTheScenarioThatEntersLeast() throws {
    var table = try table()
    table.add([1, 1, 1], in: .loopback)
    for line in ["loopback a/all 0,1", "loopback b/one 0", "loopback c/two 1,2"] {
      table.note(case: Substring(line), in: .loopback)
    }
    let text = table.markdown
    #expect(ReachTable.published(in: text, of: table.rows, first: 1) == ["b/one", "a/all", "c/two"])
    #expect(ReachTable.published(in: text, of: Array(table.rows.prefix(1)), first: 1) == ["b/one"])
    #expect(ReachTable.published(in: text, of: Array(table.rows.prefix(1)), first: 2) == ["b/one", "a/all"])
    #expect(ReachTable.published(in: "| mark |\n| `both` |", of: table.rows, first: 1).isEmpty)
    // A mark that more than two scenarios enter: what the cell says of the others is no name.
    for number in 3...5 { table.note(case: Substring("loopback c/more-\(number) 0"), in: .loopback) }
    let names = ReachTable.published(in: table.markdown, of: Array(table.rows.prefix(1)), first: 9)
    #expect(names == ["b/one", "c/more-3"])
  }

  @Test func thePartThatFailsIsSaidFirstAndWhatToDoLast() throws {
    var table = try table()
    table.add([1, 0, 0], in: .loopback)
    let lines = table.lines(worlds: [.loopback], judges: true)
    #expect(lines[1].contains("✗ kernel"), "\(lines)")
    #expect(lines.last?.hasPrefix("Write a scenario that enters it") == true)
    #expect(lines.contains("3 coverage marks: loopback enters 1 of 3"))
    let part = table.lines(worlds: [.loopback], judges: false)
    #expect(part.last == "Only a part of the suite has run: nothing is demanded of it.")
    #expect(table.markdown.contains("| `kernel` | it happens | **0** | – |"))
  }

  private static let driver = "Sources/SocketPOSIX/EventLoop.swift"

  /// One mark in code of both worlds, one in the loop, which only the kernel's world runs, one of virtual time alone.
  private func apart() throws -> ReachTable {
    let marks = [
      CoverageMark("core", "either a | b", .both, .init(Self.path, .before, "one()")),
      CoverageMark("loop", "it turns", .kernel, .init(Self.driver, .before, "two()")),
      CoverageMark("clock", "it jumps", .simulated("no time"), .init(Self.path, .before, "three()")),
      CoverageMark("free", "it may happen", .none("a race"), .init(Self.path, .before, "four()")),
    ]
    return try ReachTable(marks) { _ in Array("one()\ntwo()\nthree()\nfour()\n".utf8) }
  }

  @Test func whatAWorldDoesNotRunItNeitherEntersNorMisses() throws {
    var table = try apart()
    #expect(table.missing.isEmpty && table.missing(in: .simulated).isEmpty)
    table.add([2, 0, 0, 0], in: .loopback)
    #expect(table.missing.map(\.id) == ["loop"] && table.missing(in: .simulated).isEmpty)
    table.add([1, 7, 0, 0], in: .simulated)
    #expect(table.missing(in: .simulated).map(\.id) == ["clock"] && table.missing(in: .loopback).map(\.id) == ["loop"])
    #expect(table.rows.map { $0.counts["simulated"] } == [1, nil, 0, 0])
    #expect(table.summary(.loopback) == "loopback enters 1 of 4")
    #expect(table.summary(.simulated) == "simulated enters 1 of 3")
    table.note(case: "simulated read/line 0,1", in: .simulated)
    #expect(table.entering(table.rows[0], .simulated) == "simulated: read/line")
    #expect(table.entering(table.rows[1], .simulated) == nil)
  }

  @Test func aZeroStandsFirstWhereItMatters() throws {
    var table = try apart()
    table.add([2, 3, 0, 0], in: .loopback)
    table.add([1, 0, 4, 1], in: .simulated)
    // Nobody demands that the kernel's world jumps in time; of what nobody demands at all every zero is shown.
    #expect(table.rows.filter(table.isZero).map(\.id) == ["free"])
    let rows = table.markdown.split(separator: "\n").filter { $0.hasPrefix("| `") }
    #expect(rows.map { $0.split(separator: "`")[1] } == ["free", "core", "loop", "clock"])
  }

  @Test func aRowSaysWhoEntersItAndWhyNotAllWorldsMust() throws {
    var table = try apart()
    table.add([2, 3, 1, 0], in: .loopback)
    table.add([1, 0, 0, 1], in: .simulated)
    for number in 1...5 { table.note(case: Substring("simulated read/line-\(number) 0"), in: .simulated) }
    let wanted = "simulated: read/line-1, read/line-2, read/line-3 and 2 more"
    #expect(table.entering(table.rows[0], .simulated) == wanted)
    let text = table.markdown
    // Only the simulated world has noted scenarios, and the bar in the meaning is none of the table's.
    #expect(text.contains("| `core` | either a \\| b | 2 | 1 | read/line-1, read/line-2 and 3 more |  |"), "\(text)")
    #expect(text.contains("| `loop` | it turns | 3 | – |  |  |"), "\(text)")
    #expect(text.contains("| `clock` | it jumps | 1 | **0** |  | no time |"), "\(text)")
    #expect(text.contains("| `free` | it may happen | **0** | 1 |  | a race |"), "\(text)")
  }

  @Test func onlyARunOfEverythingIsHeldToTheMarks() {
    #expect(ReachRun.Options().isWhole)
    let parts: [@Sendable (inout ReachRun.Options) -> Void] = [
      { $0.names = ["read"] }, { $0.filters = ["*"] }, { $0.tags = ["slow"] }, { $0.worlds = [.simulated] },
    ]
    for part in parts {
      var options = ReachRun.Options()
      part(&options)
      #expect(!options.isWhole, "\(options)")
    }
  }
}
