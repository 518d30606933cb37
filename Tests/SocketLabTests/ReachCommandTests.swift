import Foundation
import Testing

/// `reach` finds the lab's sources wherever the person stands, and builds nothing for names that nothing has.
@Suite struct ReachCommandTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  @Test func theMarksAreListedFromAnyFolder() throws {
    let suite = try ScratchSuite([:], beside: ["deep/er/note": ""])
    let here = try SocketLabProgram.run(["reach", "--list"], in: URL(fileURLWithPath: Self.root))
    #expect(here.status == 0 && here.output.contains("  Sources/SocketCore/"), "\(here.output)\(here.error)")
    let there = try suite.shell("cd deep/er; SOCKETLAB_HOME='\(Self.root)' \"$LAB\" reach --list")
    #expect(there.status == 0, "\(there.error)")
    #expect(there.output == here.output)
  }

  @Test func aNameThatNothingHasIsWrongUsageBeforeAnythingIsBuilt() throws {
    // A lab without a manifest: it can't be built, and need not be.
    let marked = try FileManager.default.subpathsOfDirectory(atPath: Self.root + "/Sources")
      .filter { $0.hasSuffix(".swift") && !$0.contains("Tests") }.map { "Sources/\($0)" }
    let sources = try Dictionary(
      uniqueKeysWithValues: marked.map { ($0, try String(contentsOfFile: "\(Self.root)/\($0)", encoding: .utf8)) })
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing], beside: sources)
    let result = try suite.run(["reach", "read/lime"])
    #expect(result.status == 2, "\(result.output)\(result.error)")
    #expect(result.error.contains("Did you mean read/line?"), "\(result.error)")
    // One that it has leads to the build.
    let built = try suite.run(["reach", "read/line"])
    #expect(built.status == 4 && built.error.contains("Package.swift can't be read"), "\(built.output)\(built.error)")
  }
}
