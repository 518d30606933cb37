import Foundation
import Testing

/// Scenario files by path: QA's lie in QA's own repository.
@Suite struct ScenarioPathTests {
  /// The lab with a control and a canary, and QA's folder beside its `Scenarios`.
  private static func suite(_ files: [String: String] = [:]) throws -> ScratchSuite {
    try ScratchSuite(
      [
        "read/line.yaml": ScratchSuite.passing, "control/plain.yaml": ScratchSuite.passing,
        "canary/blind.yaml": ScratchSuite.failing + "canary: true\n",
      ], beside: ["qa/tests/one.yaml": ScratchSuite.passing + "control: control/plain\n"].merging(files) { $1 })
  }

  @Test func anyPathNamesAFile() throws {
    let suite = try Self.suite()
    let absolute = suite.folder.appendingPathComponent("qa/tests").path
    // The same file has the same id whichever way it was named, and stands in the list once.
    for names in [
      ["qa/tests/one.yaml"], ["./qa/tests/one.yaml"], ["qa/tests"], ["qa/tests/"], ["qa"], ["./qa/tests/one"],
      ["\(absolute)/one.yaml"], [absolute], ["qa/../qa//tests/./one.yaml"], ["qa", "qa/tests", "\(absolute)/one.yaml"],
    ] {
      let list = try suite.run(["list", "--format", "ids"] + names)
      #expect(list.status == 0, "\(names): \(list.error)")
      #expect(list.output == "./qa/tests/one.yaml\n", "\(names)")
      #expect(try suite.run(["check"] + names).output == "1 file checked: 0 errors, 0 warnings\n", "\(names)")
    }
    let run = try suite.run(["run", "qa", "--world", "simulated"])
    #expect(run.status == 0, "\(run.output) \(run.error)")
    // The file itself, the lab's control, the lab's canary.
    #expect(run.output.contains("2 scenarios, all as expected"))
    #expect(run.output.contains("1 case failed, as they must"))
  }

  @Test func outsideTheWorkingFolderAPathLeadsOutOfIt() throws {
    let suite = try Self.suite()
    let inside = suite.folder.appendingPathComponent("qa/tests")
    let scenarios = ["--scenarios", "../../Scenarios/"]
    for (names, id) in [(["one.yaml"], "./one.yaml"), ([".."], "./one.yaml"), (["."], "./one.yaml")] {
      let list = try SocketLabProgram.run(["list", "--format", "ids"] + scenarios + names, in: inside)
      #expect(list.output == "\(id)\n", "\(names): \(list.error)")
    }
    let elsewhere = suite.folder.appendingPathComponent("Scenarios/read")
    let list = try SocketLabProgram.run(["list", "--format", "ids", "--scenarios", "..", "../../qa"], in: elsewhere)
    #expect(list.output == "../../qa/tests/one.yaml\n", "\(list.error)")
    // A path into the lab's own folder is an id, and so is a link to it.
    try FileManager.default.createSymbolicLink(
      at: inside.appendingPathComponent("link"), withDestinationURL: elsewhere)
    for name in ["../../Scenarios/read/line.yaml", "../../Scenarios/read", "link", "link/line.yaml"] {
      let list = try SocketLabProgram.run(["list", "--format", "ids"] + scenarios + [name], in: inside)
      #expect(list.output == "read/line\n", "\(name): \(list.error)")
    }
  }

  @Test func theCommandThatIsPrintedReproducesTheCase() throws {
    let suite = try Self.suite(["qa/it's bad.yaml": ScratchSuite.failing])
    let run = try suite.run(["run", "qa", "--world", "simulated"])
    #expect(run.status == 1)
    #expect(run.output.contains("./qa/it's bad.yaml:13:5"), "\(run.output)")
    let line = try #require(run.output.split(separator: "\n").first { $0.contains("again: ./lab run ") })
    let words = line.drop { $0 != "." }.dropFirst("./lab".count)
    let again = try suite.shell("\"$LAB\" \(words)")
    #expect(again.status == 1, "\(again.error)")
    #expect(again.output.contains("✗ ./qa/it's bad.yaml [ipv4, simulated]  failed"), "\(again.output)")
    for name in ["./qa/it's bad.yaml", "qa/it's bad", "\(suite.folder.path)/qa/it's bad.yaml"] {
      let replay = try suite.run(["replay", "latest", name])
      #expect(replay.status == 1, "\(replay.error)")
      #expect(replay.output.contains("the same trace"), "\(replay.output)")
    }
  }

  /// Without the folder there would be no such scenario, and in the other profile it would pass.
  @Test func theCommandThatIsPrintedHasTheFolderAndTheProfile() throws {
    let read = #"- didRead: { tag: 1, bytes: "HELO\r\n" }"#
    try #require(ScratchSuite.passing.contains(read))
    let strict = ScratchSuite.passing.replacing(
      read,
      with: """
        - oneOf:
              - { profile: documented, events: [didRead: { tag: 1 }] }
              - { profile: upstream, events: [didRead: { tag: 2 }] }
        """)
    let suite = try ScratchSuite([:], beside: ["my scenarios/deep/strict.yaml": strict])
    let options = ["--scenarios", "my scenarios", "--world", "simulated"]
    #expect(try suite.run(["run"] + options).status == 0)
    let run = try suite.run(["run", "--profile", "upstream"] + options)
    #expect(run.status == 1, "\(run.output)\(run.error)")
    let line = try #require(run.output.split(separator: "\n").first { $0.contains("again: ./lab run ") })
    let command = "\"$LAB\" \(line.drop { $0 != "." }.dropFirst("./lab".count))"
    let again = try suite.shell(command)
    #expect(again.status == 1 && again.output.contains("✗ deep/strict [ipv4, simulated]  failed"), "\(again.output)")
    for (verb, status) in [("shrink", 0), ("classify", 1)] as [(String, Int32)] {
      let result = try suite.shell(command.replacing(" run ", with: " \(verb) "))
      #expect(result.status == status, "\(verb): \(result.output)\(result.error)")
    }
  }

  /// `./lab` tells where it is and how it was called.
  @Test func calledFromElsewhereTheLabHasItsOwnScenariosAndReports() throws {
    let suite = try Self.suite(["qa/bad.yaml": ScratchSuite.failing + "control: control/plain\n"])
    let run = try suite.shell(
      "cd qa && SOCKETLAB_HOME=\"$PWD/..\" SOCKETLAB_PROGRAM=../lab \"$LAB\" run bad.yaml --world simulated")
    #expect(run.status == 1, "\(run.output) \(run.error)")
    #expect(run.output.contains("again: ../lab run ./bad.yaml --world simulated"), "\(run.output)")
    #expect(run.output.contains("Reports: ../reports/latest/index.html"), "\(run.output)")
    #expect(FileManager.default.fileExists(atPath: suite.folder.appendingPathComponent("reports/latest").path))
  }

  @Test func anIdComesBeforeAPathOfTheSameName() throws {
    let suite = try Self.suite(["read/line.yaml": ScratchSuite.failing])
    for name in ["read", "read/line", "read/line.yaml"] {
      let list = try suite.run(["list", "--format", "ids", name])
      #expect(list.output == "read/line\n")
      #expect(list.error.contains("write ./\(name) for the path"), "\(list.error)")
    }
    #expect(try suite.run(["list", "--format", "ids", "./read"]).output == "./read/line.yaml\n")
    #expect(try suite.run(["list", "--format", "ids", "read", "./read"]).output == "read/line\n./read/line.yaml\n")
    #expect(try suite.run(["run", "read", "--world", "simulated"]).status == 0)
    #expect(try suite.run(["run", "./read", "--world", "simulated"]).status == 1)
  }

  @Test func aFileIsReadWhateverItsSuffixWhenItIsNamed() throws {
    let suite = try Self.suite(["qa/draft.txt": ScratchSuite.passing, "qa/.hidden.yaml": ScratchSuite.failing])
    #expect(try suite.run(["list", "--format", "ids", "qa/draft.txt"]).output == "./qa/draft.txt\n")
    #expect(try suite.run(["show", "qa/draft.txt"]).output.contains("RD-DELIM-01"))
    #expect(try suite.run(["list", "--format", "ids", "qa"]).output == "./qa/tests/one.yaml\n")
  }

  @Test func whatDoesNotExistGetsASuggestion() throws {
    let suite = try Self.suite()
    for (name, guess) in [
      ("qa/tets", "qa/tests"), ("./qa/tests/oen.yaml", "./qa/tests/one.yaml"), ("./qa/tests/oen", "qa/tests/one.yaml"),
      ("qq/tests/one.yaml", "qa"), ("read/lime", "read/line"), ("./raed", "read"),
    ] {
      for verb in ["run", "check", "list", "show"] {
        let result = try suite.run([verb, name])
        #expect(result.status == 2, "\(verb) \(name)")
        #expect(result.error.contains("Did you mean"), "\(result.error)")
        #expect(result.error.contains(guess), "\(result.error)")
      }
    }
    for verb in ["run", "check", "list"] {
      #expect(try suite.run([verb, ""]).status == 2, "nothing was named")
    }
  }

  @Test func aFolderWithoutScenariosIsTold() throws {
    let suite = try Self.suite(["qa/empty/readme.txt": ""])
    for verb in ["run", "check", "list"] {
      let result = try suite.run([verb, "qa/empty"])
      #expect(result.status == 5)
      #expect(result.error.contains("no scenario files (*.yaml) below qa/empty"), "\(result.error)")
    }
  }

  @Test func payloadsLieBesideTheFileAndNowhereElse() throws {
    func sends(_ file: String) -> String {
      ScratchSuite.passing.replacingOccurrences(of: "send: \"HELO\\r\\n\"", with: "send: { file: \(file) }")
    }
    let suite = try Self.suite([
      "qa/good.yaml": sends("below/line.bin"), "qa/below/line.bin": "HELO\r\n", "secret.bin": "HELO\r\n",
      "qa/up.yaml": sends("../secret.bin"), "qa/linked.yaml": sends("link.bin"),
    ])
    try FileManager.default.createSymbolicLink(
      at: suite.folder.appendingPathComponent("qa/link.bin"),
      withDestinationURL: suite.folder.appendingPathComponent("secret.bin"))
    #expect(try suite.run(["run", "qa/good.yaml", "--world", "simulated"]).status == 0)
    for name in ["qa/up.yaml", "qa/linked.yaml"] {
      let result = try suite.run(["run", name, "--world", "simulated"])
      #expect(result.status == 3)
      #expect(result.error.contains("missing-file"), "\(result.error)")
    }
  }

  @Test func withoutALabOneCanStillCheckWhatOneNames() throws {
    let suite = try ScratchSuite([:], beside: ["qa/one.yaml": ScratchSuite.passing])
    let check = try suite.run(["check", "qa"])
    #expect(check.status == 0, "\(check.error)")
    #expect(check.error.contains("no controls and no canaries"))
    #expect(try suite.run(["run", "qa", "--world", "simulated"]).status == 0)
    #expect(try suite.run(["check"]).status == 2)
    #expect(try suite.run(["check", "qa", "--scenarios", "none"]).status == 2)
  }

  @Test func aNewScenarioCanLieAnywhere() throws {
    let suite = try Self.suite(["Scenarios/templates/client.yaml": ScratchSuite.passing])
    let made = try suite.run(["new", "./qa/deep/mine.yaml", "--from", "client"])
    #expect(made.status == 0, "\(made.error)")
    #expect(made.output.contains("./lab run ./qa/deep/mine.yaml"))
    let text = try String(contentsOf: suite.folder.appendingPathComponent("qa/deep/mine.yaml"), encoding: .utf8)
    #expect(text.hasPrefix("# yaml-language-server: $schema=../../Scenarios/schema.json\n"), "\(text)")
    #expect(try suite.run(["run", "./qa/deep/mine.yaml", "--world", "simulated"]).status == 0)
    #expect(try suite.run(["new", "./qa/deep/mine.yaml", "--from", "client"]).status == 2, "it must stay")
    for source in ["./qa/deep/mine.yaml", "qa/deep/mine.yaml"] {
      let copied = try suite.run(["new", "./qa/copy-\(source.count).yaml", "--from", source])
      #expect(copied.status == 0, "\(source): \(copied.error)")
    }
  }
}
