import Foundation
import ScenarioFiles
import ScenarioModel
import ScenarioYAML
import Testing

@testable import Requirements

/// The catalogue of misbehaviours, and what the scenarios do of it.
@Suite struct MisbehaviourFloorTests {
  private static func register(_ catalogue: String) throws -> RequirementRegister {
    let files = [
      ("index", "areas: { WR: Writing }\nsources: { S1: Wiki. }\n"),
      ("wr", "WR-01: { must: \"A sentence.\", scope: any, sources: [S1] }\n"), ("misbehaviours", catalogue),
    ]
    return try RegisterReader.register(
      of: files.map { RegisterFile(path: "R/\($0).yaml", bytes: Array($1.utf8)) }, in: "R")
  }

  private static let catalogue = """
    On the wire:
      1: { does: refuses }
      2: { does: vanishes, open: it takes a network }
    Under TLS:
      3: { does: lies, with: "`edit`", note: Often, open: the rest }
      4: { does: sleeps }
    """

  private static func floor() throws -> MisbehaviourFloor {
    MisbehaviourFloor(
      try register(catalogue).misbehaviours,
      scenarios: [("a/b", ["slow", "misbehaviour-1", "misbehaviour-3"]), ("a/c", ["misbehaviour-1"])])
  }

  @Test func aMisbehaviourIsScriptedPartlyOpenOrForgotten() throws {
    let floor = try Self.floor()
    #expect(floor.rows.map(\.state) == [.scripted, .open, .partly, .forgotten])
    #expect(floor.rows.map(\.scenarios) == [["a/b", "a/c"], [], ["a/b"], []])
    #expect(
      floor.lines == [
        "No scenario does it, and nobody says why: 1", "✗   4  sleeps", "", "No scenario does it: 1",
        "·   2  vanishes", "       it takes a network", "", "Scripted in part: 1", "·   3  lies", "       the rest", "",
        "4 misbehaviours: 2 scripted by 2 scenarios, 1 of them in part; 1 open, each with its reason",
      ])
  }

  @Test func aFileWhoseCasesAllDoItIsNamedOnce() throws {
    let tag = "misbehaviour-1"
    let floor = MisbehaviourFloor(
      try Self.register(Self.catalogue).misbehaviours,
      scenarios: [("a/b#x", [tag]), ("a/b#y", [tag]), ("a/c#x", [tag]), ("a/c#y", []), ("a/d", [tag])])
    #expect(floor.rows[0].scenarios == ["a/b", "a/c#x", "a/d"])
  }

  @Test func theTablesNameTheScenarios() throws {
    #expect(
      try Self.floor().markdown == """

        ### On the wire

        | No. | What the other side does | Scenarios |
        |---|---|---|
        | 1 | refuses | `a/b`, `a/c` |
        | 2 | vanishes | **open**: it takes a network |

        ### Under TLS

        | No. | What the other side does | With | Scenarios |
        |---|---|---|---|
        | 3 | lies | `edit` | `a/b`. Often. **open**: the rest |
        | 4 | sleeps |  |  |

        """)
  }

  @Test func aTagOfNoMisbehaviourIsRefused() throws {
    let citations = try Self.register(Self.catalogue).citations
    let text = "title: t\nrequirements: [WR-01]\ntags: [misbehaviour-4, misbehaviour-5, own]\nsubject: [connect]\n"
    let result = ScenarioReader.read(bytes: Array(text.utf8), id: "a", citations: citations, file: { _ in nil })
    let remark = try #require(result.diagnostics.first { $0.code == "bad-name" })
    #expect(remark.position.line == 3 && remark.message.contains("misbehaviour-5"))
    #expect(remark.help == "the catalogue has misbehaviour-1 to misbehaviour-4")
  }

  @Test(
    arguments: [
      ("a: { 1: { does: x }, 3: { does: y } }", "bad-number"), ("a: { one: { does: x } }", "bad-number"),
      ("a: { 1: { does: \" \" } }", "empty-value"), ("a: { 1: { open: x } }", "missing-key"),
      ("a: { 1: { does: x, who: y } }", "unknown-key"), ("a: 7", "wrong-type"),
    ])
  func whatIsWrongWithTheCatalogueIsTold(_ catalogue: String, _ code: String) throws {
    let failure = #expect(throws: RegisterFailure.self) { try Self.register(catalogue) }
    #expect(failure?.files.flatMap(\.diagnostics).map(\.code) == [code])
  }

  /// The library of this repository against its catalogue; `UPDATE_GOLDEN=1` writes the tables anew.
  @Test func theCommittedTablesAreThoseOfTheScenarios() throws {
    let register = try CommittedRegisterTests.register()
    let root = CommittedRegisterTests.root
    let library = try ScenarioLibrary(folder: "\(root)/Scenarios", citations: register.citations)
    let floor = MisbehaviourFloor(
      register.misbehaviours, scenarios: library.scenarios.map { ($0.id, $0.tags) })
    #expect(floor.rows.count == 190)
    #expect(floor.count(.forgotten) == 0)
    // What takes a network of its own is scripted where there is one.
    #expect(floor.count(.scripted, .partly) >= 181, "\(floor.lines.suffix(1))")
    let path = "\(root)/Scenarios/README.md"
    let document = try String(contentsOfFile: path, encoding: .utf8)
    let mark = try #require(document.range(of: "\n### On the wire\n"))
    let made = document[..<mark.lowerBound] + floor.markdown
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
      try Data(made.utf8).write(to: URL(fileURLWithPath: path))
    } else {
      #expect(made == document, "run with UPDATE_GOLDEN=1 to write the tables anew")
    }
  }
}
