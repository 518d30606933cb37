import Foundation
import HostTools
import Requirements
import ScenarioModel
import Testing

@testable import CoverageRunner

/// What is held to the records of what requirements lack, and when a record is written.
@Suite struct CoverageRecordsTests {
  private static let register = [
    "index.yaml": "areas: { RD: Reading }\nsources: { S1: Wiki. }\n",
    "rd.yaml": """
    RD-01: { must: Reads complete., scope: any, sources: [S1] }
    RD-02: { must: Sockets connect., scope: any, sources: [S1] }
    RD-03: { should: Reads are quick., scope: any, sources: [S1] }
    """,
  ]
  private static let musts = OpenRequirements.Lack.witness.file

  /// The register's folder with these records in it.
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    let register: RequirementRegister

    init(_ records: [String: String] = [:]) throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      for (name, text) in CoverageRecordsTests.register.merging(records, uniquingKeysWith: { $1 }) {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
      }
      register = try RequirementRegister(folder: path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func records(updated: Bool) -> CoverageRecords { CoverageRecords(in: path, of: register, isUpdated: updated) }

    /// The record's lines without its head; nil: there is no such file.
    func lines(_ name: String) -> [String]? {
      (try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8))?.split(separator: "\n")
        .filter { !$0.hasPrefix("#") }.map(String.init)
    }

    func requirements(_ ids: [String]) -> [Requirement] { ids.compactMap { register[$0] } }
  }

  struct Row: CustomTestStringConvertible {
    var record: [String]
    var open: [String]
    var updated: Bool
    var lost: [String] = []
    var mended: [String] = []
    var holds: Bool
    /// nil: the record stays as it is.
    var written: [String]?
    var testDescription: String { "\(record) on record, \(open) open, \(updated ? "updated" : "as it is")" }
  }

  private static let rows = [
    Row(record: ["RD-01"], open: ["RD-01"], updated: false, holds: true),
    Row(record: ["RD-01", "RD-02"], open: ["RD-01"], updated: false, mended: ["RD-02"], holds: false),
    Row(
      record: ["RD-01", "RD-02"], open: ["RD-01"], updated: true, mended: ["RD-02"], holds: true, written: ["RD-01"]),
    Row(record: ["RD-01"], open: [], updated: true, mended: ["RD-01"], holds: true, written: []),
    Row(record: ["RD-01"], open: ["RD-01", "RD-02"], updated: false, lost: ["RD-02"], holds: false),
    Row(record: ["RD-01"], open: ["RD-01", "RD-02"], updated: true, lost: ["RD-02"], holds: false),
    // What is mended does not stand for what is lost.
    Row(record: ["RD-01"], open: ["RD-02"], updated: true, lost: ["RD-02"], mended: ["RD-01"], holds: false),
  ]

  @Test(arguments: rows, OpenRequirements.Lack.allCases)
  func theRecordOnlyGetsShorter(_ row: Row, _ lack: OpenRequirements.Lack) throws {
    let folder = try Folder([lack.file: row.record.map { "\($0)  # as it was\n" }.joined()])
    let outcome = try folder.records(updated: row.updated).hold(folder.requirements(row.open), lacking: lack)
    #expect(outcome.difference == .init(lost: row.lost, mended: row.mended))
    #expect(outcome.holds == row.holds && outcome.isWritten == (row.written != nil))
    #expect(outcome.path == "\(folder.path)/\(lack.file)")
    let sentences = row.written?.map { "\($0)  # \(folder.register[$0]?.sentence ?? "")" }
    #expect(folder.lines(lack.file) == sentences ?? row.record.map { "\($0)  # as it was" })
  }

  @Test("the record of idle citations only gets shorter, too, and keeps its reasons", arguments: rows)
  func idleCitations(_ row: Row) throws {
    let folder = try Folder([IdleCitations.file: row.record.map { "\($0) read/it  # why \($0)\n" }.joined()])
    let idle = row.open.map { KillRecord.Citation(requirement: $0, witness: "read/it") }
    let outcome = try folder.records(updated: row.updated).hold(idle)
    #expect(outcome.difference.new.map(\.requirement) == row.lost)
    #expect(outcome.difference.mended.map(\.requirement) == row.mended)
    #expect(outcome.holds == row.holds && outcome.isWritten == (row.written != nil))
    #expect(folder.lines(IdleCitations.file) == (row.written ?? row.record).map { "\($0) read/it  # why \($0)" })
  }

  @Test func aSentenceThatHasChangedIsBroughtUpToDateOnlyWhenAsked() throws {
    for updated in [false, true] {
      let folder = try Folder([Self.musts: "RD-01  # An old sentence.\n"])
      let outcome = try folder.records(updated: updated).hold(folder.requirements(["RD-01"]), lacking: .witness)
      #expect(outcome.holds && outcome.isWritten == updated)
      #expect(folder.lines(Self.musts) == ["RD-01  # \(updated ? "Reads complete." : "An old sentence.")"])
      // Nothing is left to be written.
      let again = try folder.records(updated: updated).hold(folder.requirements(["RD-01"]), lacking: .witness)
      #expect(!again.isWritten)
    }
  }

  @Test func aRecordThatIsMissingIsMadeOnlyWhenAsked() throws {
    let folder = try Folder()
    let idle = [KillRecord.Citation(requirement: "RD-02", witness: "read/it")]
    #expect(throws: UsageFailure.self) { try folder.records(updated: false).hold([], lacking: .kill) }
    #expect(throws: UsageFailure.self) { try folder.records(updated: false).hold(idle) }
    #expect(folder.lines(IdleCitations.file) == nil)
    let made = try folder.records(updated: true).hold(folder.requirements(["RD-01", "RD-02"]), lacking: .kill)
    #expect(made.holds && made.isWritten && made.difference.isNone)
    #expect(folder.lines(OpenRequirements.Lack.kill.file)?.count == 2)
    let first = try folder.records(updated: true).hold(idle)
    #expect(first.holds && first.isWritten)
    #expect(folder.lines(IdleCitations.file) == ["RD-02 read/it  # \(IdleCitations.unjudged)"])
  }

  @Test func aBrokenRecordIsToldWithItsPlaceAndLeftAlone() throws {
    for updated in [false, true] {
      let folder = try Folder([Self.musts: "RD-01\nRD-1\n", IdleCitations.file: "RD-01 read/it\n"])
      let records = folder.records(updated: updated)
      let broken = #expect(throws: FileFailure.self) { try records.hold([], lacking: .witness) }
      let wanted = "\(folder.path)/\(Self.musts), line 2: RD-1 is not the id of a requirement"
      #expect(broken?.message.hasPrefix(wanted) == true, "\(broken?.message ?? "")")
      #expect(throws: FileFailure.self) { try records.hold([]) }
      #expect(throws: FileFailure.self) { try records.idleCitations() }
      #expect(folder.lines(Self.musts) == ["RD-01", "RD-1"])
    }
  }
}
