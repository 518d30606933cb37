import Foundation
import RunReports
import Testing

/// The four files of the sample run, byte for byte. `UPDATE_GOLDEN=1 swift test --filter GoldenTests` writes them anew;
/// look at the difference before committing it, and at the page in a browser.
struct GoldenTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

  @Test(arguments: ["report.json", "junit.xml", "summary.md", "index.html"])
  func fileIsAsRecorded(name: String) throws {
    let files = ReportFiles.make(SampleReport.report)
    let bytes = try #require(files.first { $0.name == name }?.bytes)
    let recorded = Self.folder.appending(path: name)
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
      try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
      try Data(bytes).write(to: recorded)
    }
    let golden = try Data(contentsOf: recorded)
    #expect(Data(bytes) == golden, "\(name) differs from Golden/\(name)")
  }

  /// `SAMPLE_PAGES=folder swift test --filter GoldenTests` writes pages of runs that ended badly, to be looked at.
  @Test func pagesToLookAt() throws {
    let reports = [("sample", SampleReport.report)] + SampleReport.endings.map { ($0.name, $0.report) }
    for (name, report) in reports {
      let page = HTMLReport.make(report)
      #expect(!page.isEmpty)
      guard let folder = ProcessInfo.processInfo.environment["SAMPLE_PAGES"] else { continue }
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data(page).write(to: URL(filePath: folder).appending(path: "\(name).html"))
    }
  }

  @Test func namesAndOrder() throws {
    let names = ReportFiles.make(SampleReport.empty).map(\.name)
    #expect(names == ["report.json", "junit.xml", "summary.md", "index.html"])
  }
}
