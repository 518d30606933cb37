import CoverageMarks
import Foundation
import Testing

@Suite("Coverage marks")
struct CoverageMarksTests {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// A source that has changed under a mark would leave the table of reach with a hole.
  @Test(arguments: MarkInsertion.paths())
  func everyPlaceIsThere(_ path: String) throws {
    let source = try Self.text(path)
    let marked = try MarkInsertion.apply(to: path, source: source)
    for (number, mark) in CoverageMark.all.enumerated() where mark.place.path == path {
      #expect(marked.ranges(of: "Reach.enter(\(number))").count == 1, "\(mark.id)")
      let line = try MarkInsertion.line(of: mark, in: source)
      #expect((1...source.split(separator: "\n", omittingEmptySubsequences: false).count).contains(line))
    }
    #expect(
      marked.split(separator: "\n").filter { !$0.contains("Reach.enter(") }.count >= source.split(separator: "\n").count
    )
  }

  @Test func casesAreNotedWhereTheyRun() throws {
    let source = try Self.text(MarkInsertion.runner.path)
    #expect(try MarkInsertion.applyToRunner(source).contains("Reach.note(scenario.id"))
    #expect(throws: MarkInsertion.Failure.self) { try MarkInsertion.applyToRunner("nothing") }
  }

  @Test func theTableIsSound() {
    #expect(CoverageMark.all.count >= 100)
    #expect(Set(CoverageMark.all.map(\.id)).count == CoverageMark.all.count)
    for mark in CoverageMark.all {
      #expect(!mark.meaning.isEmpty && !mark.meaning.hasSuffix(".") && mark.meaning.allSatisfy { $0.isASCII })
      switch mark.demand {
      case .both: #expect(mark.isInSimulatedWorld, "\(mark.id): the simulated world never runs it")
      case .simulated(let reason):
        #expect(mark.isInSimulatedWorld && !reason.isEmpty, "\(mark.id): the simulated world never runs it")
      case .loopback(let reason), .none(let reason): #expect(!reason.isEmpty, "\(mark.id)")
      }
    }
  }

  @Test func aPlaceThatIsGoneOrNotAloneIsRefused() throws {
    let mark = CoverageMark("a", "x", .both, .init("f", .after, "one {"))
    #expect(throws: MarkInsertion.Failure.self) { try MarkInsertion.apply([mark], to: "f", source: "nothing") }
    #expect(throws: MarkInsertion.Failure.self) { try MarkInsertion.apply([mark], to: "f", source: "one { one {") }
    #expect(try MarkInsertion.apply([mark], to: "g", source: "nothing") == "nothing")
  }

  @Test func marksStandSideBySide() throws {
    let marks = [
      CoverageMark("a", "x", .both, .init("f", .after, "one {")),
      CoverageMark("b", "x", .both, .init("f", .before, " two }", if: "count > 1")),
      CoverageMark("c", "x", .both, .init("g", .after, "one {")),
      CoverageMark("d", "x", .both, .init("f", .before, "one {")),
    ]
    let marked = try MarkInsertion.apply(marks, to: "f", source: "if one { two }")
    #expect(
      marked
        == "if \nReach.enter(3)\none {\nReach.enter(0)\n\nif (count > 1) { Reach.enter(1) }\n two }")
    #expect(try MarkInsertion.line(of: marks[0], in: "a\nb\nif one {\n") == 3)
  }

  /// The published table is of the marks there are.
  @Test func thePublishedTableIsOfTheseMarks() throws {
    let rows = try Self.text("Scenarios/REACH.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
    let published = Set(
      rows.map { row in row.split(separator: "|").prefix(2).map { $0.trimmingCharacters(in: .whitespaces) } })
    let marks = Set(CoverageMark.all.map { ["`\($0.id)`", $0.meaning] })
    let gone = published.subtracting(marks).map { $0[0] }.sorted()
    let new = marks.subtracting(published).map { $0[0] }.sorted()
    #expect(
      gone.isEmpty && new.isEmpty, "`./lab reach --update` makes it anew: \(new) are missing, \(gone) are too much")
  }
}
