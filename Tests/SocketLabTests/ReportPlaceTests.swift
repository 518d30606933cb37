import Foundation
import Glibc
import HostTools
import Testing

/// Where reports go, as a person meets it.
@Suite struct ReportPlaceTests {
  @Test func aFileInThePlaceOfTheFolderIsTold() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing], beside: ["taken": "mine"])
    for output in ["taken", "taken/below"] {
      let result = try suite.run(["run", "--world", "simulated", "--output", output])
      #expect(result.status == 4)
      #expect(result.error.contains("could not be written to \(output)"), "\(result.error)")
      #expect(result.output.contains("all as expected"))
    }
  }

  /// The whole of it, with a run that is killed.
  @Test func aRunThatWasKilledLeavesItsNote() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing])
    #expect(try suite.run(["run", "--world", "simulated"]).status == 0)
    let process = Process()
    process.executableURL = SocketLabProgram.url
    process.arguments = ["run", "--world", "simulated", "--quiet", "--repeat", "1000000000"]
    process.currentDirectoryURL = suite.folder
    process.standardOutput = FileHandle.nullDevice
    let latest = suite.folder.appendingPathComponent("reports/latest").path
    try process.run()
    while FolderLink.target(of: latest)?.hasSuffix("/unfinished") != true, process.isRunning { sched_yield() }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal)
    let replay = try suite.run(["replay", "latest", "read/line"])
    #expect(replay.status == 2)
    #expect(replay.error.contains("has not ended, or it died"), "\(replay.error)")
    // A refused run does not touch it; one that ends takes its place.
    #expect(try suite.run(["run", "read/lime"]).status == 2)
    #expect(FolderLink.target(of: latest)?.hasSuffix("/unfinished") == true)
    #expect(try suite.run(["run", "--world", "simulated"]).status == 0)
    #expect(try suite.run(["replay", "latest", "read/line"]).status == 0)
  }
}
