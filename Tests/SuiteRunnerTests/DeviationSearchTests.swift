import HostTools
import ScenarioModel
import SubjectPrograms
import TestSupport
import Testing

@testable import SuiteRunner

/// Where the known deviations of a program are found, and which files are told because they are not taken.
@Suite struct DeviationSearchTests {
  private struct Row: Sendable {
    var files: [String]
    var found: String?
    var strays: [String] = []
  }

  private static let rows = [
    Row(files: []),
    Row(files: ["dev/My-Lib/my_lib"], found: "dev/My-Lib/my_lib"),
    Row(files: ["dev/My-Lib/My-Lib"], found: "dev/My-Lib/My-Lib"),
    Row(files: ["dev/my_lib"], found: "dev/my_lib"),
    Row(files: ["dev/My-Lib"], found: "dev/My-Lib"),
    Row(files: ["dev/My-Lib/minilib"], strays: ["dev/My-Lib/minilib"]),
    Row(files: ["dev/mylib", "dev/My-Lib"], found: "dev/My-Lib", strays: ["dev/mylib"]),
    // Of others beside it, and of the library that comes with the lab.
    Row(files: ["dev/other", "dev/solo", "dev/reference", "dev/reference.upstream"]),
    Row(files: ["other"]),
  ]

  private static func scratch(_ files: [String]) throws -> Scratch {
    let scratch = try Scratch()
    try scratch.write(Dictionary(files.map { ("\($0).deviations.yaml", "") }, uniquingKeysWith: { one, _ in one }))
    try scratch.write(["dev/My-Lib/minilib.py": "", "dev/other/notes": ""])
    for program in ["dev/My-Lib/run", "dev/other/run", "dev/solo"] {
      _ = try scratch.program(program, "#!/bin/sh\n")
    }
    return scratch
  }

  /// As the search tells it, which has no links.
  private static func place(_ name: String, in scratch: Scratch) -> String? {
    PathText.real(scratch.path("\(name).deviations.yaml"))
  }

  @Test(arguments: rows.indices) func aFolder(row: Int) throws {
    let row = Self.rows[row]
    let scratch = try Self.scratch(row.files)
    let search = try DeviationSearch(of: try SubjectProgram.find(scratch.path("dev/My-Lib"), in: "/nowhere"))
    #expect(search.path == row.found.flatMap { Self.place($0, in: scratch) })
    #expect(search.strays == row.strays.compactMap { Self.place($0, in: scratch) })
    #expect(search.wanted == "my_lib.deviations.yaml")
  }

  @Test func aProgramAlone() throws {
    let scratch = try Self.scratch(["dev/solo", "dev/other", "solo", "dev/sol"])
    let search = try DeviationSearch(of: try SubjectProgram.find(scratch.path("dev/solo"), in: "/nowhere"))
    #expect(search.path == Self.place("dev/solo", in: scratch))
    #expect(search.strays == [Self.place("dev/sol", in: scratch)].compactMap(\.self))
  }

  @Test func twoThatFitAreAnError() throws {
    let scratch = try Self.scratch(["dev/My-Lib", "dev/My-Lib/my_lib"])
    let program = try SubjectProgram.find(scratch.path("dev/My-Lib"), in: "/nowhere")
    let failure = #expect(throws: LabFailure.self) { try DeviationSearch(of: program) }
    #expect(failure?.message.contains("of my_lib are in 2 files: ") == true, "\(failure?.message ?? "")")
    #expect(failure?.message.hasSuffix("Keep one.") == true)
  }
}
