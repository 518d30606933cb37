import Foundation
import HostTools
import ScenarioModel
import Testing

@testable import Requirements

/// The record of which mutants each witness kills.
@Suite struct KillRecordTests {
  @Test func whatIsWrittenIsRead() throws {
    var record = KillRecord()
    record.replace(
      { _, _ in true },
      with: [
        CitationSamples.citation("WR-02", "w/b#one"): ["b", "lose didWrite", "a"],
        CitationSamples.citation("WR-01", "w/a"): ["b"],
      ])
    #expect(record.text.hasSuffix("\nWR-01 w/a: b\nWR-02 w/b#one: a, b, lose didWrite\n"))
    #expect(try KillRecord(text: record.text, in: CitationSamples.register()) == record)
    #expect(record[CitationSamples.citation("WR-02", "w/b#one")] == ["a", "b", "lose didWrite"])
    #expect(record[CitationSamples.citation("WR-03", "w/a")] == [])
  }

  @Test func whatWasPlayedAgainCountsAnew() throws {
    var record = try KillRecord(text: "WR-01 w/a: a, b\nWR-02 w/a: a\n", in: CitationSamples.register())
    record.replace({ $1 == "a" }, with: [CitationSamples.citation("WR-03", "w/c"): ["a"]])
    #expect(record.text.hasSuffix("\nWR-01 w/a: b\nWR-03 w/c: a\n"))
    record.replace({ "cde".contains($1) }, with: [CitationSamples.citation("WR-01", "w/a"): ["e", "d", "c"]])
    #expect(record[CitationSamples.citation("WR-01", "w/a")] == ["b", "c"], "two are enough")
    record.keep { $0.requirement == "WR-03" }
    #expect(record.citations.map(\.witness) == ["w/c"])
  }

  /// Scenarios and tests are played apart: what one did not look at stands.
  @Test func whatWasNotPlayedStays() throws {
    let tests = CitationSamples.citation("WR-01", "Tests/A.swift")
    var record = try KillRecord(text: "WR-01 Tests/A.swift: a\nWR-01 w/a: a\n", in: CitationSamples.register())
    #expect(record.citations.map(\.isOfTests) == [true, false])
    record.replace({ !$0.isOfTests && $1 == "a" }, with: [:])
    #expect(record.citations == [tests])
  }

  @Test(arguments: [
    ("WR-01 w/a", "line 1: write `REQUIREMENT WITNESS: MUTANT, MUTANT`"),
    ("# a\nWR-9 w/a: a", "line 2: WR-9 is not the id of a requirement"),
    ("WR-01 w/a: a\nWR-01 w/a: b", "line 2: WR-01 w/a stands twice"),
  ])
  func aRecordThatIsWrongIsToldWithItsLine(text: String, message: String) throws {
    let register = try CitationSamples.register()
    let failure = #expect(throws: LabFailure.self) { try KillRecord(text: text, in: register) }
    #expect(failure?.message.hasPrefix(message) == true, "\(failure?.message ?? "")")
  }

  @Test func aFileIsReadIfItIsThereAndToldWithItsPlaceIfItIsWrong() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let register = try CitationSamples.register()
    #expect(try KillRecord.read(in: folder.path, of: register) == nil)
    let file = folder.appendingPathComponent(KillRecord.name)
    try Data("WR-01 w/a: a\n".utf8).write(to: file)
    #expect(try KillRecord.read(in: folder.path, of: register)?.citations.map(\.witness) == ["w/a"])
    try Data("WR-9 w/a: a\n".utf8).write(to: file)
    let wrong = #expect(throws: FileFailure.self) { try KillRecord.read(in: folder.path, of: register) }
    #expect(wrong?.message.hasPrefix("\(file.path), line 1: WR-9 is not") == true, "\(wrong?.message ?? "")")
    // A folder of that name can't be read.
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    #expect(throws: LabFailure.self) { try KillRecord.read(in: folder.path, of: register) }
  }
}
