import Foundation
import HostTools
import ScenarioModel
import SubjectPrograms
import SubjectProtocol
import Testing

@testable import SuiteRunner

/// Who is judged when several subjects are named, and who is not.
@Suite struct SubjectLineupTests {
  /// Programs by word; `x` and `./x` have one name, and `lame` can't be judged.
  private static func lineup(_ text: String) throws -> (SubjectLineup, entered: [String]) {
    var entered: [String] = []
    let lineup = try SubjectLineup(text) { word in
      guard word != "unknown" else { throw UsageFailure("nobody") }
      return SubjectProgram(name: String(word.drop { $0 == "." || $0 == "/" }), path: "/subjects/\(word)")
    } enter: { program, word in
      entered.append(word)
      guard program.name != "lame" else {
        return .leftOut(ProgramFacts(name: program.name, leftOut: "it limps"), lastWords: ["ouch"])
      }
      let claims = SubjectClaims(name: program.name, version: "1")
      return .ready(SubjectEntry(program: program, claims: claims, deviations: nil, word: word))
    }
    return (lineup, entered)
  }

  struct Row: CustomTestStringConvertible {
    var text: String
    var hasReference = false
    var ready: [String] = []
    var leftOut: [String] = []
    var testDescription: String { text }
  }

  @Test(arguments: [
    Row(text: "reference", hasReference: true),
    Row(text: "reference,x", hasReference: true, ready: ["x"]),
    Row(text: "y, x,  reference", hasReference: true, ready: ["y", "x"]),
    Row(text: "x,x,reference,x,reference", hasReference: true, ready: ["x"]),
    Row(text: "lame,x", ready: ["x"], leftOut: ["lame"]),
    Row(text: "lame", leftOut: ["lame"]),
    Row(text: "reference,lame", hasReference: true, leftOut: ["lame"]),
  ])
  func whoIsNamedOnceIsTakenOnce(_ row: Row) throws {
    let (lineup, entered) = try Self.lineup(row.text)
    #expect(lineup.hasReference == row.hasReference)
    #expect(lineup.programs.map(\.word) == row.ready)
    #expect(lineup.leftOut.map(\.name) == row.leftOut)
    #expect(lineup.isEmpty == (!row.hasReference && row.ready.isEmpty))
    #expect(Set(entered) == Set(row.ready + row.leftOut) && entered.count == row.ready.count + row.leftOut.count)
  }

  @Test(arguments: [
    ("", "names nobody"), ("x,", "names nobody"), (",x", "names nobody"), ("x, ,y", "names nobody"),
    ("x,./x", "Two subjects are called x: /subjects/x and /subjects/./x. Rename one."), ("x,unknown", "nobody"),
  ])
  func wrongWordsAreTold(_ text: String, _ told: String) {
    let failure = #expect(throws: UsageFailure.self) { try Self.lineup(text) }
    #expect(failure?.message.contains(told) == true, "\(failure?.message ?? "")")
  }

  @Test func aPathWithACommaStandsAlone() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("a,b-\(UUID().uuidString)").path
    try Data().write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(try Self.lineup(path).0.programs.map(\.word) == [path])
    #expect(try Self.lineup("\(path),x").0.programs.map(\.word).last == "x")
  }

  @Test func aProgramThatSaysNothingIsLeftOutWithItsLastWords() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lame-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    func write(_ name: String, _ text: String) throws {
      let path = folder.appendingPathComponent(name).path
      try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    try write("run", "for n in 1 2 3 4 5 6 7; do echo word $n >&2; done; exit 3")
    let program = SubjectProgram(name: "lame", path: folder.appendingPathComponent("run").path)
    var beginnings = 0
    guard
      case .leftOut(let facts, let words) = try SubjectLineup.candidate(
        program, called: "./lame", begins: { beginnings += 1 })
    else { return #expect(Bool(false), "it is ready") }
    #expect(facts.name == "lame" && facts.called == "./lame" && beginnings == 0)
    #expect(words == (3...7).map { "word \($0)" }, "\(words)")
    #expect(facts.leftOut?.isEmpty == false && facts.leftOut?.hasPrefix("lame:") == false, "\(facts.leftOut ?? "")")

    try write("prepare", "echo the compiler is missing >&2; exit 1")
    guard
      case .leftOut(let unprepared, let none) = try SubjectLineup.candidate(
        program, called: "lame", begins: { beginnings += 1 })
    else { return #expect(Bool(false), "it is ready") }
    #expect(unprepared.leftOut == "the compiler is missing" && unprepared.called == nil && none.isEmpty)
    #expect(beginnings == 1)
  }
}
