import Foundation
import TestSupport
import Testing

/// A run with a program of somebody else's: what is on record of it counts where its people would put it, and a program
/// that can't be judged does not keep others from that.
@Suite(.enabled(if: ChildProgram.tool("python3") != nil)) struct SubjectDeviationCommandTests {
  private static let scenario = """
    title: A piece is read
    requirements: [RD-LEN-01]
    peer: [accept, send: "AGAIN"]
    subject:
      - connect
      - after: didConnect
      - read: { length: 5B, tag: 1 }
      - after: { didRead: { tag: 1 } }
      - disconnect
    expect:
      - didConnect
      - didRead: { tag: 1, bytes: "AGAIN" }
      - didDisconnect
    ending: subject either

    """

  private static func record(_ library: String) -> String {
    """
    library: \(library)
    deviations:
      - { cases: read/piece, reason: backwards, evidence: { text: AGAIN }, expires: 2999-12-31 }

    """
  }

  private static let folder = "./my subjects/My-Lib"

  /// A suite and beside it a subject that tells what it reads backwards, and one that does all right.
  private static func suite(_ others: [String: String] = [:]) throws -> ScratchSuite {
    let skeleton = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Subjects/skeletons/python")
    let text = try String(contentsOf: skeleton.appendingPathComponent("subject.py"), encoding: .utf8)
    let run = try String(contentsOf: skeleton.appendingPathComponent("run"), encoding: .utf8)
      .replacing("exec python3", with: "exec python3 -S")
    let line = "b64encode(data)"
    try #require(text.contains(line) && text.contains("read-available"))
    let files = [
      "my subjects/My-Lib/subject.py": text.replacing(line, with: "b64encode(data[::-1])")
        .replacing("read-available", with: "read-availible"),
      "my subjects/My-Lib/run": run, "my subjects/sound/subject.py": text, "my subjects/sound/run": run,
      "my subjects/still/run": run,
    ]
    let suite = try ScratchSuite(
      ["read/piece.yaml": scenario], beside: files.merging(others) { one, _ in one })
    for name in ["My-Lib", "sound"] {
      let path = suite.folder.appendingPathComponent("my subjects/\(name)/run").path
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    return suite
  }

  private static func run(_ suite: ScratchSuite, _ more: [String] = []) throws -> SocketLabProgram.Result {
    try suite.run(["run", "read/piece", "--subject", folder] + more)
  }

  @Test(
    "Known deviations count in the folder and beside it, by the name and by the folder's",
    arguments: [
      ("my subjects/My-Lib/my_lib", "my_lib"), ("my subjects/My-Lib/My-Lib", "My-Lib"),
      ("my subjects/My-Lib", "my_lib"), ("my subjects/my_lib", "My-Lib"),
    ])
  func places(file: String, library: String) throws {
    let result = try Self.run(try Self.suite(["\(file).deviations.yaml": Self.record(library)]))
    #expect(result.status == 0, "\(result.output)\(result.error)")
    #expect(result.output.contains("known until 2999-12-31: 1 case, backwards"), "\(result.output)")
    #expect(result.output.contains("\(file).deviations.yaml:3:5"), "\(result.output)")
  }

  @Test func aFileThatIsNotTakenIsTold() throws {
    let result = try Self.run(
      try Self.suite([
        "my subjects/My-Lib/mylib.deviations.yaml": Self.record("mylib"),
        "my subjects/sound.deviations.yaml": Self.record("sound"),
      ]))
    #expect(result.status == 1)
    let note = """
      Note: my subjects/My-Lib/mylib.deviations.yaml is not taken: known deviations of my_lib belong in a file \
      my_lib.deviations.yaml
      """
    #expect(result.error.contains(note) && !result.error.contains("sound.deviations"), "\(result.error)")
  }

  @Test func twoFilesThatFitAreWrongUsage() throws {
    let result = try Self.run(
      try Self.suite([
        "my subjects/My-Lib.deviations.yaml": Self.record("my_lib"),
        "my subjects/My-Lib/my_lib.deviations.yaml": Self.record("my_lib"),
      ]))
    #expect(result.status == 2 && result.error.contains("of my_lib are in 2 files"), "\(result.error)")
  }

  @Test func aFileThatIsNamedIsOfWhomItNames() throws {
    let suite = try Self.suite([
      "x.yaml": Self.record("my_lib"), "y.yaml": Self.record("mylib"),
      "broken.yaml": "library: my_lib\ndeviation: []\n",
    ])
    for word in [Self.folder, "\(Self.folder),reference"] {
      let result = try suite.run([
        "run", "read/piece", "--world", "loopback", "--subject", word, "--deviations", "x.yaml",
      ])
      #expect(result.status == 0, "\(result.output)\(result.error)")
      #expect(result.output.contains("x.yaml:3:5"), "\(result.output)")
    }
    let other = try Self.run(suite, ["--deviations", "y.yaml"])
    #expect(other.status == 3)
    #expect(other.error.contains("these are deviations of `mylib`, and what is judged is `my_lib`"), "\(other.error)")
    let both = try suite.run([
      "run", "read/piece", "--world", "loopback", "--subject", "\(Self.folder),reference", "--deviations", "y.yaml",
    ])
    #expect(both.status == 3)
    #expect(both.error.contains("judged are `CocoaAsyncSocket (reference)`, `my_lib`"), "\(both.error)")
    #expect(!both.error.contains("--deviations"), "\(both.error)")
    #expect(try Self.run(suite, ["--deviations", "broken.yaml"]).status == 3)
    #expect(try Self.run(suite, ["--deviations", "none.yaml"]).status == 2)
  }

  @Test func whoCantBeStartedIsLeftOutAndTheOthersAreJudged() throws {
    let suite = try Self.suite()
    let both = try suite.run(["run", "read/piece", "--subject", "./my subjects/still,./my subjects/sound"])
    #expect(both.status == 4, "\(both.output)\(both.error)")
    #expect(both.error.contains("The subject still is left out: "), "\(both.error)")
    #expect(both.error.contains("is not executable: chmod +x "), "\(both.error)")
    let matrix = suite.folder.appendingPathComponent("reports/latest/matrix.md")
    #expect(try String(contentsOf: matrix, encoding: .utf8).contains("sound"), "\(both.output)")
    for verb in [["run", "read/piece", "--subject"], ["subject", "check"]] {
      let alone = try suite.run(verb + ["./my subjects/still"])
      #expect(alone.status == 4 && alone.error.contains("is not executable"), "\(verb): \(alone.error)")
    }
    #expect(try suite.run(["run", "--subject", "./my subjects/nobody"]).status == 2)
  }

  @Test func aWordThatTheProtocolDoesNotHaveIsToldOnce() throws {
    let result = try Self.run(try Self.suite())
    let note = """
      Note: my_lib: the `read-availible` of its `features` is no word of the protocol: did you mean `read-available`?
      """
    #expect(result.error.split(separator: "\n").count { $0 == note } == 1, "\(result.error)")
  }
}
