import Foundation
import HostTools
import TestSupport
import Testing

@testable import SuiteRunner

/// A look at the machine changes nothing on it.
@Suite struct HostCheckFolderTests {
  private static func reports(_ output: String) -> HostCheck.Finding? {
    let check = HostCheck(library: nil, scenarios: "nowhere", output: output, playInNetwork: { nil })
    return check.findings(jobs: 1).first { $0.name == "reports" }
  }

  @Test func foldersThatWereMissingAreMissingAfterwards() throws {
    let scratch = try Scratch()
    #expect(Self.reports(scratch.path("deep/down/reports"))?.isFine == true)
    #expect(!PathText.exists(scratch.path("deep")))
  }

  @Test func whatIsInTheFolderStays() throws {
    let scratch = try Scratch()
    let file = scratch.path("reports/.doctor")
    try HostFiles.makeFolder(scratch.path("reports"))
    try HostFiles.write(Array("mine".utf8), to: file)
    #expect(Self.reports(scratch.path("reports"))?.isFine == true)
    #expect(try HostFiles.read(file) == Array("mine".utf8))
    #expect(HostFiles.names(in: scratch.path("reports")) == [".doctor"])
  }

  @Test func aPlaceThatCannotBeWrittenIsToldOf() throws {
    let scratch = try Scratch()
    try HostFiles.write(Array("mine".utf8), to: scratch.path("file"))
    let finding = try #require(Self.reports(scratch.path("file/reports")))
    #expect(!finding.isFine && finding.text.contains("can't be written"), "\(finding.text)")
    #expect(try HostFiles.read(scratch.path("file")) == Array("mine".utf8))
  }
}
