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
}
