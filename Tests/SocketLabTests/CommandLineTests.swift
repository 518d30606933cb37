import Foundation
import TestSupport
import Testing

/// The command line as a person meets it: what it prints and how it exits.
@Suite struct CommandLineTests {
  @Test func wrongUsageHasItsOwnExitCode() throws {
    for arguments in [["run", "--seeds", "0"], ["run", "--jobs", "none"], ["bogus"], ["explain", "no-such-code"]] {
      let result = try SocketLabProgram.run(arguments)
      #expect(result.status == 2, "\(arguments): \(result.error)")
      #expect(!result.error.isEmpty)
    }
  }

  @Test func anUnknownScenarioGetsASuggestion() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing])
    let result = try suite.run(["run", "read/lime"])
    #expect(result.status == 2)
    #expect(result.error.contains("Did you mean read/line?"), "\(result.error)")
  }

  @Test func aPassingRunWritesAllReports() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing])
    let result = try suite.run(["run"])
    #expect(result.status == 0, "\(result.output) \(result.error)")
    #expect(result.output.contains("1 scenario, all as expected"))
    for name in ["report.json", "junit.xml", "summary.md", "index.html"] {
      #expect(
        FileManager.default.fileExists(atPath: suite.folder.appendingPathComponent("reports/latest/\(name)").path))
    }
    let dated = try FileManager.default.contentsOfDirectory(atPath: suite.folder.appendingPathComponent("reports").path)
    #expect(dated.sorted().dropFirst() == ["history.jsonl", "latest"] && dated.count == 3, "\(dated)")
  }

  @Test func aDeviationIsShownWithItsPlaceAndCommand() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.failing])
    let result = try suite.run(["run", "--world", "simulated"])
    #expect(result.status == 1, "\(result.output)")
    #expect(result.output.contains("read/line.yaml:13:"), "\(result.output)")
    #expect(result.output.contains("./lab run read/line --world simulated --seed 1 --variant ipv4"))
  }

  @Test func severalRedControlsAreWhatToLookAtNext() throws {
    let suite = try ScratchSuite([
      "control/a.yaml": ScratchSuite.failing, "control/b.yaml": ScratchSuite.failing,
      "read/line.yaml": ScratchSuite.passing + "control: control/a\n",
      "read/other.yaml": ScratchSuite.passing + "control: control/b\n",
    ])
    let result = try suite.run(["run", "--world", "simulated"])
    #expect(result.status == 1 && result.output.contains("Next: ./lab run control/a control/b\n"), "\(result.output)")
    #expect(!result.output.contains("lab shrink"), "\(result.output)")
  }

  @Test func aCanaryThatDoesNotFailIsADeviation() throws {
    let suite = try ScratchSuite(["canary/blind.yaml": ScratchSuite.passing + "canary: true\n"])
    #expect(try suite.run(["run", "--world", "simulated"]).status == 1)
  }

  @Test func aWrongFileStopsTheRunWithItsPlace() throws {
    let suite = try ScratchSuite([
      "read/line.yaml": ScratchSuite.passing.replacingOccurrences(of: "title", with: "titel")
    ])
    for verb in ["run", "check"] {
      let result = try suite.run([verb])
      #expect(result.status == 3)
      #expect(result.error.contains("Scenarios/read/line.yaml:2:1: error[unknown-key]"), "\(result.error)")
      #expect(result.error.contains("title"))
    }
  }

  @Test func nothingToRunHasItsOwnExitCode() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing])
    #expect(try suite.run(["run", "--tag", "no-such-tag"]).status == 5)
  }

  @Test func aNewScenarioComesFromATemplateAndPassesTheCheck() throws {
    let suite = try ScratchSuite(["templates/client.yaml": ScratchSuite.passing])
    #expect(try suite.run(["new", "read/mine"]).status == 2)
    #expect(try suite.run(["new", "read/mine", "--from", "client"]).status == 0)
    #expect(try suite.run(["check", "read/mine"]).status == 0)
    #expect(try suite.run(["new", "read/mine", "--from", "client"]).status == 2, "an existing file must stay")
    #expect(try suite.run(["new", "../outside", "--from", "client"]).status == 2)
    #expect(try suite.run(["run", "read/mine", "--world", "simulated"]).status == 0)
  }

  @Test func whatCannotBeWrittenHasItsOwnExitCode() throws {
    let suite = try ScratchSuite(
      ["templates/client.yaml": ScratchSuite.passing], beside: ["Subjects/skeletons/python/run": "NAME\n"])
    for words in [
      ["new", "/proc/mine.yaml", "--from", "client"], ["subject", "new", "/proc/mine", "--language", "python"],
    ] {
      let result = try suite.run(words)
      #expect(result.status == 4 && result.error.contains("/proc/mine"), "\(words): \(result.status) \(result.error)")
    }
  }

  @Test func aNewSubjectIsWhereNothingIs() throws {
    let suite = try ScratchSuite([:], beside: ["Subjects/skeletons/python/run": "NAME\n"])
    let made = try suite.run(["subject", "new", "./my subjects/mine", "--language", "python"])
    #expect(made.output.hasSuffix("Next: ./lab subject check './my subjects/mine/run'\n"), "\(made.output)")
    for (name, text) in [("./my subjects/mine", "There is something at"), ("own", "can't be called `own`")] {
      let result = try suite.run(["subject", "new", name, "--language", "python"])
      #expect(result.status == 2 && result.error.contains(text), "\(name): \(result.status) \(result.error)")
    }
  }

  @Test func whatToTypeNextIsReadyForAShell() throws {
    let suite = try ScratchSuite(["templates/client.yaml": ScratchSuite.passing])
    let listed = try suite.run(["new", "./t/a b.yaml"])
    #expect(listed.output.contains("begin with: ./lab new './t/a b.yaml' --from TEMPLATE\n"), "\(listed.output)")
    let made = try suite.run(["new", "./t/a b.yaml", "--from", "client", "--scenarios", "./Scenarios"])
    let words = "'./t/a b.yaml' --scenarios ./Scenarios"
    let next = "Next: edit it, then  ./lab check \(words)  and  ./lab run \(words)\n"
    #expect(made.status == 0 && made.output.hasSuffix(next), "\(made.output)")
    #expect(try suite.shell("\"$LAB\" check \(words)").status == 0)
  }

  @Test func listShowAndReplayFindWhatRan() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing])
    #expect(try suite.run(["list", "--format", "ids"]).output == "read/line\n")
    #expect(try suite.run(["show", "read/line"]).output.contains("RD-DELIM-01"))
    #expect(try suite.run(["run", "--world", "simulated"]).status == 0)
    let replay = try suite.run(["replay", "latest", "read/line"])
    #expect(replay.status == 0)
    #expect(replay.output.contains("the same trace"), "\(replay.output)")
  }

  @Test func capturesAreWrittenWhereTheReportSaysAndGoWithTheNextRun() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing])
    let result = try suite.run(["run", "--world", "simulated", "--capture"])
    #expect(result.output.contains("Captures: "), "\(result.output)")
    let latest = suite.folder.appendingPathComponent("reports/latest")
    let captures = try FileManager.default.contentsOfDirectory(atPath: latest.appendingPathComponent("captures").path)
    let report = try String(contentsOf: latest.appendingPathComponent("report.json"), encoding: .utf8)
    #expect(!captures.isEmpty)
    for name in captures { #expect(report.contains("\"capture\": \"captures/\(name)\"")) }
    #expect(try suite.run(["run", "--world", "simulated"]).status == 0)
    #expect(!FileManager.default.fileExists(atPath: latest.appendingPathComponent("captures").path))
  }

  /// Of two alternatives the one that is on record is demanded, by whatever way the case is played.
  @Test func anAlternativeThatIsNotOnRecordIsADeviation() throws {
    let wished = #"  - didRead: { tag: 1, bytes: "HELO\r\n" }"#
    #expect(ScratchSuite.passing.contains(wished))
    let disputed = #"""
        - oneOf:
            - [didRead: { tag: 1, bytes: "HELO\r\n" }]
            - { grade: nonStrict, events: [didRead: { tag: 1, bytes: "OTHER\r\n" }] }
      """#
    let suite = try ScratchSuite([
      "read/line.yaml": ScratchSuite.passing.replacingOccurrences(of: wished, with: disputed)
    ])
    #expect(try suite.run(["run"]).status == 0)
    let record = suite.folder.appendingPathComponent("Scenarios/disputed.txt")
    try Data("read/line 1 simulated 1\nread/line 1 loopback 2\n".utf8).write(to: record)
    let result = try suite.run(["run"])
    #expect(result.status == 1, "\(result.output)")
    #expect(result.output.contains("the form that is on record"), "\(result.output)")
    #expect(try suite.run(["run", "read/line", "--world", "simulated"]).status == 0)
  }

  /// Unread, it would let every alternative pass.
  @Test func aRecordThatCannotBeReadIsTold() throws {
    for (make, reason) in [
      ("mkdir Scenarios/disputed.txt", "is a folder, not a plain file"),
      ("mkfifo Scenarios/disputed.txt", "is a named pipe, not a plain file"),
      ("ln -s nowhere Scenarios/disputed.txt", "can't be read: No such file or directory"),
    ] {
      let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing])
      let result = try suite.shell("\(make); \"$LAB\" run --world simulated")
      #expect(result.status == 2, "\(make): \(result.output)")
      #expect(result.error.contains("Scenarios/disputed.txt \(reason)"), "\(make): \(result.error)")
    }
  }

  @Test func oneSpeedHoldsForEverything() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.failing])
    let result = try suite.run(["run", "--speed", "plain"])
    #expect(result.status == 1, "\(result.output)")
    #expect(result.output.contains("--variant ipv4-plain"), "\(result.output)")
    // What the report says can be typed, though the file names no speed, and be replayed.
    let again = try suite.run(["run", "read/line", "--world", "simulated", "--variant", "ipv4-plain"])
    #expect(again.status == 1 && again.output.contains("1 failed"), "\(again.output)")
    #expect(try suite.run(["replay", "latest", "read/line"]).output.contains("ipv4-plain"))
    #expect(try suite.run(["run", "read/line", "--variant", "ipv4-quick"]).status == 2)
    #expect(try suite.run(["run", "read/line", "--speed", "quick"]).status == 2)
  }

  @Test func variantsAreChosenByNameOrGlob() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing])
    let wrong = try suite.run(["run", "--variant", "ipv5"])
    #expect(wrong.status == 2)
    #expect(wrong.error.contains("ipv4"), "\(wrong.error)")
    #expect(try suite.run(["run", "--variant", "ipv4", "--world", "simulated"]).status == 0)
    let some = try suite.run(["run", "--variant", "ipv?", "--world", "simulated"])
    #expect(some.status == 0, "\(some.output)")
    #expect(try suite.run(["run", "--variant", "*unix*"]).status == 2)
  }

  /// Behind the last seed would come the first ones, which were not asked for.
  @Test func seedsAreNotCountedBeyondTheLast() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing])
    let last = ["run", "--seed", "\(UInt64.max)"]
    for more in [["--seeds", "2"], ["--repeat", "2"], ["--world", "simulated", "--repeat", "2", "--seeds", "3"]] {
      let result = try suite.run(last + more)
      #expect(result.status == 2 && result.error.contains("is too large"), "\(more): \(result.error)")
    }
    #expect(try suite.run(last + ["--world", "simulated"]).status == 0)
    let before = ["run", "--seed", "\(UInt64.max - 1)", "--seeds", "2", "--world", "simulated"]
    #expect(try suite.run(before).output.contains("2 passed"))
    #expect(try suite.run(last + ["--world", "loopback", "--repeat", "2"]).status == 0)
  }

  /// Without its last round it would go on for ever.
  @Test func aRepetitionThatWasAskedForEndsTheSearchForAFailure() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing])
    let result = try suite.shell(#"timeout 30 "$LAB" run --world simulated --until-fail --repeat 1"#)
    #expect(result.status == 0 && result.output.contains("1 passed"), "\(result.output)")
  }

  @Test func seedsAreCountedAndOnlyTheFirstIsListed() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.passing])
    let result = try suite.run(["run", "--world", "simulated", "--seeds", "50"])
    #expect(result.status == 0)
    #expect(result.output.contains("50 passed"), "\(result.output)")
  }
}

/// The program that was built along with the tests.
enum SocketLabProgram {
  struct Result {
    var status: Int32
    var output: String
    var error: String
  }

  static let url: URL = {
    // The test bundle and the program stand in the same folder.
    let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
    let folder =
      bundle?.deletingLastPathComponent()
      ?? URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent()
    return folder.appendingPathComponent("socketlab")
  }()

  static func run(_ arguments: [String], in folder: URL? = nil, of program: URL = url) throws -> Result {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    if let folder { process.currentDirectoryURL = folder }
    // Files instead of pipes: nothing can fill up while the program runs.
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("socketlab-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let places = ["output", "error"].map { scratch.appendingPathComponent($0) }
    for place in places { _ = FileManager.default.createFile(atPath: place.path, contents: nil) }
    process.standardOutput = try FileHandle(forWritingTo: places[0])
    process.standardError = try FileHandle(forWritingTo: places[1])
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let texts = try places.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return Result(status: process.terminationStatus, output: texts[0], error: texts[1])
  }
}

/// A folder with a little suite of its own; removed with the value.
final class ScratchSuite {
  static let passing = SampleScenario.withSchema

  static let failing = passing.replacing(
    SampleScenario.expectation,
    with: """
        # The peer says something else.
        - didRead: { tag: 1, bytes: "EHLO\\r\\n" }
      """)

  let folder: URL

  /// `files` lie below `Scenarios`, `others` beside it.
  init(_ files: [String: String], beside others: [String: String] = [:]) throws {
    folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appendingPathComponent("suite-\(UUID().uuidString)")
    let below = files.map { ("Scenarios/\($0)", $1) }
    for (path, text) in below + others.map({ ($0, $1) }) {
      let file = folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func run(_ arguments: [String]) throws -> SocketLabProgram.Result { try SocketLabProgram.run(arguments, in: folder) }

  /// Runs a line of shell here; `$LAB` is the program.
  func shell(_ line: String) throws -> SocketLabProgram.Result {
    let program = URL(fileURLWithPath: "/bin/bash")
    return try SocketLabProgram.run(["-c", "LAB=$0; \(line)", SocketLabProgram.url.path], in: folder, of: program)
  }
}
