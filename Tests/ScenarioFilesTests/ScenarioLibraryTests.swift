import Foundation
import ScenarioModel
import ScenarioRunner
import TestSupport
import Testing

@testable import ScenarioFiles

/// What a folder of scenario files is read as, whoever reads it.
@Suite struct ScenarioLibraryTests {
  /// A scenario that sends the bytes of a file.
  private static func scenario(sending file: String = "payload.bin") -> String {
    SampleScenario.text.replacing(#"send: "HELO\r\n""#, with: "send: { file: \(file) }")
  }

  private static let plain = SampleScenario.text

  /// A folder with these files, and `Scenarios` in it.
  private func place(_ files: [String: String]) throws -> Scratch {
    let scratch = try Scratch()
    try scratch.write(files)
    return scratch
  }

  private func message(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch { return (error as? LabFailure)?.message ?? "\(error)" }
  }

  // MARK: - The folder

  @Test func filesAreReadInTheOrderOfTheirIds() throws {
    let scratch = try place([
      "Scenarios/write/b.yaml": Self.plain, "Scenarios/read/line.yaml": Self.plain,
      "Scenarios/read/line/inner.yaml": Self.plain, "Scenarios/requirements.yaml": "- none",
      "Scenarios/.hidden.yaml": "", "Scenarios/notes.md": "",
    ])
    let library = try ScenarioLibrary(folder: scratch.path("Scenarios"))
    #expect(library.entries.map(\.id) == ["read/line", "read/line/inner", "write/b"])
    #expect(library.scenarios.map(\.id) == library.entries.map(\.id))
    #expect(library.entries.first?.path == scratch.path("Scenarios/read/line.yaml"))
    #expect(library.entries(named: ["read"]).map(\.id) == ["read/line", "read/line/inner"])
    #expect(library["write/b"]?.text == Self.plain)
  }

  @Test func aFolderThatIsNotThereOrNoneIsToldWithWhatToDo() throws {
    let scratch = try place(["file": ""])
    let missing = message { _ = try ScenarioLibrary(folder: scratch.path("Scenarios")) }
    #expect(missing?.hasPrefix("There is no folder \(scratch.path("Scenarios")).") == true)
    #expect(missing?.contains("--scenarios") == true)
    let file = message { _ = try ScenarioLibrary(folder: scratch.path("file")) }
    #expect(file?.hasPrefix("\(scratch.path("file")) is no folder.") == true)
  }

  /// Where only the real kernel plays a scenario, what its tolerance allows is no sooner than expected.
  @Test func aBeginningWithinTheToleranceIsRemarkedOn() throws {
    let grace = Int(Tolerance.loopback(jitter: .zero).earlyAfterDelivery / .milliseconds(1))
    func file(_ milliseconds: Int) -> String {
      let timed = SampleScenario.expectation.replacing("tag: 1,", with: "tag: 1, notBefore: \(milliseconds)ms,")
      let worlds = "worlds: { only: loopback, because: \"it is real\" }\n"
      return worlds + SampleScenario.text.replacing(SampleScenario.expectation, with: timed)
    }
    let scratch = try place(["Scenarios/read/within.yaml": file(grace), "Scenarios/read/beyond.yaml": file(grace + 1)])
    let library = try ScenarioLibrary(folder: scratch.path("Scenarios"))
    #expect(library["read/within"]?.diagnostics.map(\.code) == ["idle-window"])
    #expect(library["read/beyond"]?.diagnostics.map(\.code) == [])
  }

  // MARK: - Files that can't be read

  @Test func aFileThatCanNotBeReadIsAnEntryWithADiagnostic() throws {
    let scratch = try place(["Scenarios/read/line.yaml": Self.plain])
    let link = scratch.path("Scenarios/read/gone.yaml")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere")
    try #require(mkfifo(scratch.path("Scenarios/read/pipe.yaml"), 0o600) == 0)
    let library = try ScenarioLibrary(folder: scratch.path("Scenarios"))
    let gone = try #require(library["read/gone"])
    #expect(gone.scenario == nil && gone.hasErrors)
    #expect(gone.diagnostics.map(\.message) == ["the file can't be read: No such file or directory"])
    #expect(gone.diagnostics.first?.help == "It is not there, or it is a link to nothing.")
    #expect(library["read/pipe"]?.diagnostics.map(\.message) == ["the file is a named pipe, not a plain file"])
    #expect(library.scenarios.map(\.id) == ["read/line"], "others don't suffer from it")
  }

  @Test func aFileWhoseNameNearlyIsAScenariosIsTold() throws {
    let scratch = try place([
      "Scenarios/read/line.yaml": Self.plain, "Scenarios/read/a.yml": Self.plain, "Scenarios/read/b.YAML": "",
      "Scenarios/read/notes.yaml.bak": "", "Scenarios/read/yml": "",
    ])
    let library = try ScenarioLibrary(folder: scratch.path("Scenarios"))
    let wrong = library.entries.filter(\.hasErrors)
    #expect(wrong.flatMap(\.diagnostics).map(\.code) == ["bad-name", "bad-name"])
    #expect(wrong.first?.path == scratch.path("Scenarios/read/a.yml"))
    #expect(
      wrong.first?.diagnostics.first?.help == "Rename it to a.yaml, or to something else if it is none.")
    #expect(library.scenarios.map(\.id) == ["read/line"])
  }

  @Test func aFileThatIsTooLargeIsNotParsed() throws {
    let scratch = try place(["Scenarios/read/huge.yaml": ""])
    try #require(truncate(scratch.path("Scenarios/read/huge.yaml"), 1 << 30) == 0)
    let entry = try #require(try ScenarioLibrary(folder: scratch.path("Scenarios"))["read/huge"])
    #expect(entry.diagnostics.map(\.code) == ["file-too-large"])
    #expect(entry.bytes.isEmpty)
  }

  @Test func aLinkToAFolderIsPassedOverAndNamed() throws {
    let scratch = try place(["Scenarios/read/line.yaml": Self.plain])
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("Scenarios/read/up"), withDestinationPath: "..")
    let library = try ScenarioLibrary(folder: scratch.path("Scenarios"))
    #expect(library.entries.map(\.id) == ["read/line"])
    #expect(library.links == [scratch.path("Scenarios/read/up")])
  }

  // MARK: - Payload files

  /// The way to a payload, and whether it may be read.
  static let payloads: [(file: String, isInside: Bool)] = [
    ("payload.bin", true), ("below/payload.bin", true), ("../../secret.bin", false), ("link.bin", false),
    ("../read/../../secret.bin", false), ("no-such.bin", false),
  ]

  @Test(arguments: payloads) func aPayloadLiesBelowTheLibrarysFolder(_ row: (file: String, isInside: Bool)) throws {
    let scratch = try place([
      "Scenarios/read/line.yaml": Self.scenario(sending: row.file), "Scenarios/read/payload.bin": "HELO\r\n",
      "Scenarios/read/below/payload.bin": "HELO\r\n", "secret.bin": "HELO\r\n",
    ])
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("Scenarios/read/link.bin"), withDestinationPath: "../../secret.bin")
    let entry = try #require(try ScenarioLibrary(folder: scratch.path("Scenarios"))["read/line"])
    #expect(entry.hasErrors != row.isInside, "\(entry.diagnostics)")
    if !row.isInside { #expect(entry.diagnostics.contains { $0.code == "missing-file" }, "\(entry.diagnostics)") }
  }

  @Test func aFileElsewhereHasItsPayloadsBesideIt() throws {
    let scratch = try place([
      "qa/good.yaml": Self.scenario(), "qa/payload.bin": "HELO\r\n", "payload.bin": "HELO\r\n",
      "qa/bad.yaml": Self.scenario(sending: "../payload.bin"),
    ])
    var library = ScenarioLibrary()
    let ids = try library.ids(for: [scratch.path("qa")])
    #expect(ids.count == 2)
    #expect(library.entries(named: ids).map(\.hasErrors) == [true, false])
  }

  // MARK: - Ids

  @Test func theSameFileIsReadOnceHoweverItIsNamed() throws {
    let scratch = try place(["qa/line.yaml": Self.plain, "Scenarios/read/line.yaml": Self.plain])
    var library = try ScenarioLibrary(folder: scratch.path("Scenarios"))
    let outside = try ["qa/line.yaml", "qa/line", "qa", "qa/../qa//line.yaml"].map {
      try library.ids(for: [scratch.path($0)])
    }
    #expect(Set(outside).count == 1)
    let inside = try ["Scenarios/read/line.yaml", "Scenarios/read/line"].map {
      try library.ids(for: [scratch.path($0)])
    }
    #expect(inside == [["read/line"], ["read/line"]])
    #expect(try library.ids(for: ["read/line", "read"]) == ["read/line", "read"])
    #expect(library.entries.count == 2)
  }

  @Test func aNameThatNothingHasGetsASuggestion() throws {
    let scratch = try place(["Scenarios/read/line.yaml": Self.plain])
    var library = try ScenarioLibrary(folder: scratch.path("Scenarios"))
    let complaint = message { _ = try library.ids(for: ["read/lime"]) }
    #expect(
      complaint == "There is no scenario or folder read/lime. Did you mean read/line? `socketlab list` shows all.")
  }

  // MARK: - The record of disputed behaviour

  @Test func whatIsOnRecordGoesWithTheScenario() throws {
    let files = ["Scenarios/read/line.yaml": Self.plain, "Scenarios/read/other.yaml": Self.plain]
    let without = try place(files)
    #expect(try ScenarioLibrary(folder: without.path("Scenarios"))["read/line"]?.scenario?.recordedForms == nil)
    let record = "read/line 1 simulated 1\nread/line 1 loopback 2\n"
    let scratch = try place(files.merging(["Scenarios/disputed.txt": record]) { $1 })
    let library = try ScenarioLibrary(folder: scratch.path("Scenarios"))
    #expect(library["read/line"]?.scenario?.recordedForms == (try DisputeRecord(text: record)).forms["read/line"])
    #expect(library["read/line"]?.scenario?.recordedForms != nil)
    #expect(library["read/other"]?.scenario?.recordedForms == nil)
    #expect(library.scenarios.first?.recordedForms != nil, "what is run has it, too")
  }

  @Test func aRecordThatCanNotBeUnderstoodIsTold() throws {
    let scratch = try place(["Scenarios/read/line.yaml": Self.plain, "Scenarios/disputed.txt": "read/line one\n"])
    let complaint = message { _ = try ScenarioLibrary(folder: scratch.path("Scenarios")) }
    #expect(complaint?.hasPrefix("\(scratch.path("Scenarios/disputed.txt")), ") == true, "\(complaint ?? "")")
    #expect(complaint?.contains("`socketlab disputes --record`") == true)
  }
}
