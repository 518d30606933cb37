import Foundation
import Glibc
import HostTools
import ScenarioModel
import Testing

@testable import SuiteRunner

/// Where reports go: no run takes another's folder, and `latest` never shows an earlier run as if it were this one.
@Suite struct ReportFolderTests {
  /// A folder for reports of its own.
  private final class Place {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("reports-\(UUID().uuidString)").path

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func begin(_ second: TimeInterval = 0, formats: [ReportFormat] = []) -> ReportFolder {
      ReportFolder(
        output: path, formats: formats, command: ["./lab", "run"], at: Date(timeIntervalSince1970: second))
    }

    var latest: String? { FolderLink.target(of: "\(path)/latest") }
    func text(_ file: String) -> String? { try? String(contentsOfFile: "\(path)/\(file)", encoding: .utf8) }
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
  }

  private static func report(_ folder: ReportFolder) -> RunReport {
    RunReport(
      startedAt: folder.startText, version: "1", subject: "s", profile: .documented,
      host: HostFacts(system: "Linux", processors: 1, jitter: .zero), seed: 1, seeds: 1, duration: .zero, cases: [],
      sources: [:])
  }

  private static let first = "1970-01-01T00-00-00Z"

  @Test func theNoteStandsUntilThereAreReports() throws {
    let place = Place()
    let folder = place.begin()
    folder.begins()
    #expect(place.latest == "\(Self.first)/unfinished")
    for format in ReportFormat.allCases {
      let text = try #require(place.text("latest/\(format.fileName)"))
      #expect(text.contains("1970-01-01T00:00:00Z") && text.contains("./lab run"), "\(text)")
    }
    #expect(place.text("latest/junit.xml")?.contains("errors=\"1\"") == true)
    let shown = try folder.write(Self.report(folder), captures: [.init(path: "captures/a.pcapng", bytes: [1])])
    #expect(shown.relativePath == "\(place.path)/latest")
    #expect(place.latest == Self.first)
    #expect(place.text("latest/report.json")?.contains("\"summary\"") == true)
    #expect(place.text("latest/captures/a.pcapng") == "\u{1}")
    #expect(place.names == [Self.first, "latest"], "nothing is left over")
    #expect(!PathText.exists("\(place.path)/\(Self.first)/unfinished"))
  }

  @Test func onlyTheFormatsThatWereAskedForAreWritten() throws {
    let place = Place()
    _ = try place.begin().write(Self.report(place.begin()), captures: [])
    let folder = place.begin(1, formats: [.json])
    #expect(place.text("latest/index.html") == nil)
    _ = try folder.write(Self.report(folder), captures: [])
    let files = try FileManager.default.contentsOfDirectory(atPath: "\(place.path)/latest")
    #expect(files == ["report.json"], "what an earlier run wrote is not there")
  }

  @Test func runsOfTheSameSecondHaveFoldersOfTheirOwn() throws {
    let place = Place()
    let folders = (0..<5).map { _ in place.begin() }
    #expect(Set(folders.compactMap(\.name)).count == 5)
    // The clock goes back: to a second that others have.
    #expect(place.begin(-60).name == "1969-12-31T23-59-00Z")
    #expect(place.begin().name == "\(Self.first)-6")
  }

  @Test func foldersAreTakenByOneOfManyThreads() throws {
    let place = Place()
    try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: true)
    let path = place.path
    DispatchQueue.concurrentPerform(iterations: 64) { _ in _ = try? ReportFolder.take("same", in: path) }
    #expect(place.names.count == 64)
  }

  @Test func aRunThatEndsLeavesLatestToALaterOne() throws {
    let place = Place()
    let (early, late) = (place.begin(), place.begin(1))
    early.begins()
    late.begins()
    let shown = try early.write(Self.report(early), captures: [])
    #expect(shown.relativePath == "\(place.path)/\(Self.first)")
    #expect(place.latest == "1970-01-01T00-00-01Z/unfinished")
    #expect(place.text("\(Self.first)/report.json") != nil)
    _ = try late.write(Self.report(late), captures: [])
    #expect(place.latest == "1970-01-01T00-00-01Z")
  }

  @Test func whatWasRefusedLeavesNoTrace() throws {
    let place = Place()
    let nothing = place.begin()
    nothing.abandon()
    #expect(place.names == [])
    let done = place.begin()
    _ = try done.write(Self.report(done), captures: [])
    let refused = place.begin(1)
    refused.abandon()
    #expect(place.latest == Self.first && place.names == [Self.first, "latest"])
    // One is under way when another is refused, and reports in between.
    let long = place.begin(2)
    long.begins()
    let between = place.begin(3)
    _ = try long.write(Self.report(long), captures: [])
    between.abandon()
    #expect(place.latest == "1970-01-01T00-00-02Z")
    // After cases began, nothing is undone.
    let dead = place.begin(4)
    dead.begins()
    dead.abandon()
    #expect(place.latest == "1970-01-01T00-00-04Z/unfinished")
  }

  @Test func aFolderThatVanishedIsMadeAnew() throws {
    let place = Place()
    let folder = place.begin()
    folder.begins()
    try FileManager.default.removeItem(atPath: place.path)
    _ = try folder.write(Self.report(folder), captures: [])
    #expect(place.latest == Self.first && place.text("latest/report.json") != nil)
  }

  @Test func aFolderOfAnEarlierVersionGivesWayIfItHoldsReportsOnly() throws {
    let place = Place()
    try FileManager.default.createDirectory(atPath: "\(place.path)/latest/captures", withIntermediateDirectories: true)
    for name in ["report.json", "index.html", "captures/a.pcapng"] {
      try Data("old".utf8).write(to: URL(fileURLWithPath: "\(place.path)/latest/\(name)"))
    }
    let folder = place.begin()
    folder.begins()
    #expect(place.latest == "\(Self.first)/unfinished")
    _ = try folder.write(Self.report(folder), captures: [])

    for make in [
      { try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: false) },
      { try Data().write(to: URL(fileURLWithPath: $0)) },
    ] as [(String) throws -> Void] {
      let other = Place()
      try FileManager.default.createDirectory(atPath: other.path, withIntermediateDirectories: true)
      try make("\(other.path)/latest")
      if PathText.isFolder("\(other.path)/latest") {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(other.path)/latest/mine"))
      }
      let refused = other.begin()
      refused.begins()
      #expect(throws: FolderLink.Failure.self) { try refused.write(Self.report(refused), captures: []) }
      #expect(PathText.exists("\(other.path)/latest"))
    }
  }

  @Test func anEarlierRunIsReadByItsNameOrItsPath() throws {
    let place = Place()
    let folder = place.begin()
    folder.begins()
    let unfinished = #expect(throws: UsageFailure.self) { try EarlierRun.report("latest", in: place.path) }
    #expect(unfinished?.message.contains("has not ended, or it died. Its command was: ./lab run") == true)
    _ = try folder.write(Self.report(folder), captures: [])
    for name in ["latest", Self.first, "\(place.path)/latest", "\(place.path)/latest/report.json"] {
      #expect(try EarlierRun.report(name, in: place.path).cases.isEmpty, "\(name)")
    }
    let missing = #expect(throws: UsageFailure.self) { try EarlierRun.report("none", in: place.path) }
    #expect(missing?.message.hasSuffix("looked for none, none/report.json, \(place.path)/none/report.json.") == true)
    let nowhere = #expect(throws: UsageFailure.self) { try EarlierRun.report("/nowhere/at-all", in: place.path) }
    #expect(nowhere?.message.hasSuffix("looked for /nowhere/at-all, /nowhere/at-all/report.json.") == true)
    #expect(throws: UsageFailure.self) { try EarlierRun.report("\(place.path)/latest/junit.xml", in: place.path) }
  }
}
