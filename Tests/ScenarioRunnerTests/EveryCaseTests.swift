import Foundation
import ScenarioRunner
import Testing

/// The list of what is judged in every case is that of the judge's sources.
@Suite struct EveryCaseTests {
  @Test func theListHasWhatTheSourcesName() throws {
    let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources/ScenarioRunner")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") && $0 != "EveryCase.swift" }
    var named: Set<String> = []
    for file in files {
      let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      named.formUnion(text.matches(of: /"([A-Z]+(?:-[A-Z]+)?-[0-9]{2})"/).map { String($0.output.1) })
    }
    #expect(named.sorted() == EveryCase.requirements)
  }
}
