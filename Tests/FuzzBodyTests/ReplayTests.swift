import Foundation
import FuzzHarness
import Testing

/// What fuzzing found and where it begins, through the bodies, with every run of the tests.
@Suite struct ReplayTests {
  private static let fuzz = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fuzz")

  private static func names(in folder: URL) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted()
  }

  /// Files below a folder, however deep, by their paths in it.
  private static func files(below folder: URL) -> [String] {
    names(in: folder).flatMap { name -> [String] in
      let place = folder.appending(path: name)
      let values = try? place.resourceValues(forKeys: [.isDirectoryKey])
      return values?.isDirectory == true ? files(below: place).map { "\(name)/\($0)" } : [name]
    }
  }

  private static func known() throws -> KnownRegressions {
    let list = fuzz.appending(path: "regressions/known.json")
    guard FileManager.default.fileExists(atPath: list.path) else { return try KnownRegressions(Data("[]".utf8)) }
    return try KnownRegressions(Data(contentsOf: list))
  }

  @Test func everyTargetHasABody() {
    #expect(Set(FuzzBodies.all.keys) == Set(FuzzTarget.all.map(\.name)))
  }

  @Test(arguments: ["seeds", "corpus", "regressions"]) func everyFolderIsATarget(kind: String) {
    for name in Self.names(in: Self.fuzz.appending(path: kind)) where !name.hasSuffix(".json") && name != "README.md" {
      #expect(FuzzTarget.named(name) != nil, "Fuzz/\(kind)/\(name) belongs to no target")
    }
  }

  @Test func everyKnownRegressionHasItsFile() throws {
    for entry in try Self.known().entries {
      let path = Self.fuzz.appending(path: "regressions/\(entry.target)/\(entry.file)").path
      #expect(FileManager.default.fileExists(atPath: path), "\(path) is listed and not there")
    }
  }

  @Test(arguments: FuzzTarget.all.map(\.name)) func inputsPass(target: String) throws {
    let known = try Self.known()
    for kind in ["seeds", "corpus", "regressions"] {
      let folder = Self.fuzz.appending(path: "\(kind)/\(target)")
      for file in Self.files(below: folder) {
        if kind == "regressions", known.entry(target, file)?.status == .open { continue }
        let bytes = try [UInt8](Data(contentsOf: folder.appending(path: file)))
        let violation = FuzzBodies.run(target, bytes)
        #expect(violation == nil, "Fuzz/\(kind)/\(target)/\(file): \(violation?.description ?? "")")
      }
    }
  }

  /// An open defect may trap, so each is shown in a process of its own. What takes a sanitizer, campaigns look after.
  @Test func openRegressionsStillShow() async throws {
    for entry in try Self.known().entries where entry.status == .open && entry.showsByItself {
      let path = Self.fuzz.appending(path: "regressions/\(entry.target)/\(entry.file)").path
      let target = entry.target
      await #expect(processExitsWith: .failure, "\(path) shows nothing any more: its status is `fixed`") {
        [path = path as String, target = target as String] in
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
        exit(FuzzBodies.run(target, bytes) == nil ? 0 : 1)
      }
    }
  }

  @Test func inputOfNoTargetIsNotPassed() { #expect(FuzzBodies.run("nothing", [])?.invariant == "replay/target") }

  // MARK: The list

  private static let good = """
    { "target": "scanner", "file": "a", "key": "scanner/leftmost", "status": "open", "note": "" }
    """

  @Test func listIsRead() throws {
    let entry = try #require(try KnownRegressions(Data("[\(Self.good)]".utf8)).entry("scanner", "a"))
    #expect(entry.status == .open && entry.key == "scanner/leftmost" && entry.lane == nil && entry.showsByItself)
  }

  /// As `./lab fuzz promote` writes it.
  @Test(arguments: [("violation scanner/leftmost", true), ("crash deadly signal", true), ("race data race", false)])
  func whatIsPromotedIsRead(shows: String, byItself: Bool) throws {
    let text = Self.good.replacing("scanner/leftmost", with: "scanner \(shows)")
      .replacing("\"note\": \"\"", with: "\"note\": \"\", \"lane\": \"tsan\"")
    let entry = try #require(try KnownRegressions(Data("[\(text)]".utf8)).entry("scanner", "a"))
    #expect(entry.lane == .tsan && entry.showsByItself == byItself)
    #expect(throws: (any Error).self) {
      try KnownRegressions(Data("[\(text.replacing("tsan", with: "msan"))]".utf8))
    }
  }

  @Test(arguments: [
    "{}", "[1]", "[{}]", "nonsense", "[\(good), \(good)]", "[\(good.replacing("open", with: "new"))]",
    "[\(good.replacing("\"scanner\"", with: "\"nothing\""))]", "[\(good.replacing("note", with: "notes"))]",
    "[\(good.replacing("\"a\"", with: "\"../a\""))]", "[\(good.replacing("\"a\"", with: "1"))]",
    "[\(good.replacing("scanner/leftmost", with: ""))]",
  ]) func badListIsRefused(text: String) {
    #expect(throws: (any Error).self) { try KnownRegressions(Data(text.utf8)) }
  }
}
