import Foundation
import Testing

@testable import HostTools

@Suite struct PackageCopyTests {
  /// A copy that lacks the folder of one target does not build at all.
  @Test func everyFolderThatTheManifestNamesIsCopied() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let manifest = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
    let paths = manifest.matches(of: /path: "([^"\\]+)"/).map { String($0.output.1) }
    #expect(paths.contains("Subjects/cocoa"))
    for path in paths {
      #expect(PackageCopy.parts.contains { path == $0 || path.hasPrefix("\($0)/") }, "\(path)")
    }
  }
}
