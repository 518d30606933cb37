import Foundation
import TestSupport
import Testing

/// A red case of a program: every command that a report prints for it does what it says.
@Suite(.enabled(if: ChildProgram.tool("python3") != nil)) struct SubjectCaseCommandTests {
  /// The path needs quotes in a shell.
  private static let word = "my subjects/mine/run"

  private static let scenario = """
    title: Two pieces are read
    requirements: [RD-LEN-01]
    matrix: { segmentation: [whole, bytes] }
    peer:
      - accept
      - send: "HELO"
      - send: "AGAIN"
    subject:
      - connect
      - after: didConnect
      - read: { length: 4B, tag: 1 }
      - after: { didRead: { tag: 1 } }
      - read: { length: 5B, tag: 2 }
      - after: { didRead: { tag: 2 } }
      - disconnect
    expect:
      - didConnect
      - didRead: { tag: 1, bytes: "HELO" }
      - didRead: { tag: 2, bytes: "AGAIN" }
      - didDisconnect
    ending: subject either

    """

  /// What the skeleton in Python does not claim.
  private static let beyond = scenario.replacing("length: 5B", with: #"through: "\n""#)

  /// A suite and beside it a subject that tells the second piece backwards.
  private static func suite() throws -> ScratchSuite {
    let skeleton = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Subjects/skeletons/python")
    let text = try String(contentsOf: skeleton.appendingPathComponent("subject.py"), encoding: .utf8)
    let line = "b64encode(data)"
    try #require(text.contains(line))
    let suite = try ScratchSuite(
      ["read/two.yaml": scenario, "read/beyond.yaml": beyond],
      beside: [
        "my subjects/mine/subject.py": text.replacing("NAME", with: "mine")
          .replacing(line, with: "b64encode(data if data != b'AGAIN' else data[::-1])"),
        // Nearly every case here starts it anew, and it needs nothing that was installed besides Python.
        word: try String(contentsOf: skeleton.appendingPathComponent("run"), encoding: .utf8)
          .replacing("exec python3", with: "exec python3 -S"),
      ])
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: suite.folder.appendingPathComponent(word).path)
    return suite
  }

  /// The rest of the line that begins so, to be typed into a shell.
  private static func command(_ head: String, in text: String) throws -> String {
    let line = text.split(separator: "\n").lazy.compactMap {
      $0.firstRange(of: head).map { $0.upperBound }.map { range in
        String(text[range...].prefix { $0 != "\n" })
      }
    }.first
    return try #require(line, "no line with \(head) in \(text)").replacing("./lab ", with: "\"$LAB\" ")
  }

  @Test func whatARedRunPrintsCanBeTyped() throws {
    let suite = try Self.suite()
    let run = try suite.run(["run", "read/two", "--subject", "\(Self.word),reference"])
    #expect(run.status == 1, "\(run.output)\(run.error)")
    let again = try suite.shell(try Self.command("again: ", in: run.output))
    #expect(again.status == 1 && again.output.contains("--subject 'my subjects/mine/run'"), "\(again.output)")
    _ = try suite.run(["run", "read/two", "--subject", "\(Self.word),reference"])
    let next = try Self.command("Next: ", in: run.output)
    #expect(next.hasSuffix(" --subject 'my subjects/mine/run'"), "\(next)")
    let shrunk = try suite.shell(next)
    #expect(shrunk.status == 0, "\(shrunk.output)\(shrunk.error)")
    let file = suite.folder.appendingPathComponent("reports/shrunk/read-two.yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains("AGAIN") && !text.contains("HELO"), "\(text)")
    // What is left is right: the library passes it, and the program does not.
    let last = try suite.shell(try Self.command("Again: ", in: text))
    #expect(last.status == 1 && last.output.contains("wrongContent"), "\(last.output)\(last.error)")
    #expect(try suite.run(["run", "reports/shrunk/read-two.yaml", "--world", "loopback"]).status == 0)
  }

  @Test func anEarlierRunsCaseIsPlayedWithItsProgram() throws {
    let suite = try Self.suite()
    _ = try suite.run(["run", "read/two", "--subject", "\(Self.word),reference", "--world", "loopback"])
    let all = try suite.run(["replay", "latest", "read/two"])
    #expect(all.status == 1, "\(all.output)\(all.error)")
    #expect(
      all.output.contains("[ipv4-mine-bytes, loopback]") && all.output.contains("[ipv4, loopback]"), "\(all.output)")
    #expect(all.output.contains("then failed, now failed"), "\(all.output)")
    let own = try suite.run(["replay", "latest", "read/two", "--subject", "reference"])
    #expect(own.status == 0 && !own.output.contains("mine"), "\(own.output)\(own.error)")
    let walk = try suite.run(["replay", "latest", "read/two [ipv4-mine, loopback]", "--step"])
    #expect(walk.status == 1 && walk.output.contains("wrongContent"), "\(walk.output)\(walk.error)")
    let kind = try suite.run(["classify", "read/two", "--subject", Self.word, "--repetitions", "2"])
    #expect(kind.status == 1 && kind.output.contains("deterministic"), "\(kind.output)\(kind.error)")
    #expect(kind.output.contains(/\[ipv4-mine(-bytes)?, loopback\]/), "\(kind.output)")
    let classified = try suite.run([
      "run", "read/two", "--subject", Self.word, "--classify", "--repetitions", "2", "--variant", "ipv4-mine",
    ])
    #expect(classified.output.contains("deterministic"), "\(classified.output)\(classified.error)")
  }

  @Test func whatIsAskedOfAProgramInVainIsSaid() throws {
    let suite = try Self.suite()
    _ = try suite.run(["run", "--subject", Self.word])
    let rows: [([String], Int32, String)] = [
      (["shrink", "read/two", "--world", "simulated", "--subject", Self.word], 2, "played over loopback only"),
      (["classify", "read/two", "--world", "simulated", "--subject", Self.word], 2, "played over loopback only"),
      (["shrink", "read/beyond", "--world", "loopback", "--subject", Self.word], 5, "can't be asked of mine"),
      (["shrink", "read/two", "--subject", "nobody"], 2, "There is no subject nobody"),
      (["shrink", "read/two", "--subject", "reference"], 2, "no such case of read/two with the subject reference"),
      (["replay", "latest", "read/two", "--subject", "reference"], 2, "no case read/two with the subject reference"),
      (["shrink", "read/two", "--world", "loopback", "--variant", "ipv4-mine"], 2, "has no variant ipv4-mine"),
      (["bisect", "HEAD", "--case", "read/two", "--variant", "ipv4-mine"], 2, "bisect looks at no other"),
      (["bisect", "HEAD", "--case", "read/two", "--subject", Self.word], 2, "searched with git bisect run"),
      (["explore", "--subject", Self.word, "--judge", "model"], 2, "mine does not claim the flavour gcd"),
      (["explore", "--subject", Self.word, "--world", "simulated"], 2, "played over loopback only"),
      (["explore", "--subject", "nobody", "--programs", "1"], 2, "There is no subject nobody"),
    ]
    for (arguments, status, words) in rows {
      let result = try suite.run(arguments)
      #expect(result.status == status, "\(arguments): \(result.output)\(result.error)")
      #expect(result.error.contains(words), "\(arguments): \(result.error)")
    }
    // What was not asked in the run is not asked now.
    let beyond = try suite.run(["replay", "latest", "read/beyond"])
    #expect(beyond.status == 0 && beyond.output.contains("now unsupported"), "\(beyond.output)\(beyond.error)")
    // The run's program is elsewhere now.
    try FileManager.default.moveItem(
      at: suite.folder.appendingPathComponent("my subjects"), to: suite.folder.appendingPathComponent("other"))
    let gone = try suite.run(["replay", "latest", "read/two"])
    #expect(gone.status == 2 && gone.error.contains("--subject says where it is"), "\(gone.error)")
    let found = try suite.run(["replay", "latest", "read/two", "--subject", "other/mine/run"])
    #expect(found.status == 1 && found.output.contains("now failed"), "\(found.output)\(found.error)")
  }

  /// A suite whose subject leaves a daemon in a session of its own, and one that hides where it comes from; their
  /// numbers are in the file.
  private static func strayingSuite() throws -> (suite: ScratchSuite, numbers: String) {
    let suite = try suite()
    let run = suite.folder.appendingPathComponent(word)
    let text = try String(contentsOf: run, encoding: .utf8)
    let strays = """
      (setsid sleep 987 & echo $! >> "$0.strays")
      (env -i setsid sleep 987 & echo $! >> "$0.strays")

      """
    try text.replacing("exec python3", with: strays + "exec python3").write(to: run, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: run.path)
    return (suite, run.path + ".strays")
  }

  private static func numbers(in file: String) -> [pid_t] {
    let text = try? String(contentsOfFile: file, encoding: .utf8)
    return (text ?? "").split(separator: "\n").compactMap { pid_t($0) }
  }

  /// However the run ends; one that is killed can tell nothing any more.
  @Test(arguments: [SIGINT, SIGTERM, SIGKILL]) func norDoesItOutliveARunThatIsEnded(by signal: Int32) throws {
    let (suite, file) = try Self.strayingSuite()
    let process = Process()
    process.executableURL = SocketLabProgram.url
    process.arguments = ["run", "read/two", "--subject", Self.word, "--repeat", "100000", "--quiet"]
    process.currentDirectoryURL = suite.folder
    // No pipe: who is left over would hold it open.
    let output = suite.folder.appendingPathComponent("output")
    try #require(FileManager.default.createFile(atPath: output.path, contents: nil))
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
    defer { for number in Self.numbers(in: file) { kill(number, SIGKILL) } }
    // The first two are of the question what the subject offers.
    try #require(Processes.eventually { Self.numbers(in: file).count >= 4 })
    kill(process.processIdentifier, signal)
    #expect(Processes.isGone(process.processIdentifier))
    let text = try String(contentsOf: output, encoding: .utf8)
    if signal != SIGKILL {
      #expect(text.contains("interrupted"), "\(text)")
      // They may still be on their way to `sleep`.
      let words = /mine left (\d+ processes|a process) running, which the lab ended: ((env|setsid|sleep|sh)(, )?)+\n/
      #expect(text.contains(words), "\(text)")
    }
    for number in Self.numbers(in: file) { #expect(Processes.isGone(number), "\(number) still runs") }
  }

  /// Nor when its worker has ended before it could be asked.
  @Test func norDoesItOutliveItsWorker() throws {
    let (suite, file) = try Self.strayingSuite()
    let run = suite.folder.appendingPathComponent(Self.word)
    // The subject's parent is the worker.
    let text = try String(contentsOf: run, encoding: .utf8)
    let deed = """
      (sleep 0.05; [ "$(wc -l < "$0.strays")" -ge 4 ] && mkdir "$0.done" && kill -SEGV $PPID) &
      exec python3
      """
    try text.replacing("exec python3", with: deed).write(to: run, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: run.path)
    let result = try suite.run(["run", "read/two", "--subject", Self.word, "--repeat", "10", "--quiet"])
    #expect(result.output.contains("which the lab ended: "), "\(result.output)\(result.error)")
    let numbers = Self.numbers(in: file)
    #expect(numbers.count >= 4)
    for number in numbers { #expect(Processes.isGone(number), "\(number) still runs") }
  }

  /// A suite whose subject starts nothing, and passes. The deed is done before it begins.
  private static func quietSuite(_ deed: String = "") throws -> ScratchSuite {
    let suite = try suite()
    try scenario.replacing("AGAIN", with: "THERE").write(
      to: suite.folder.appendingPathComponent("Scenarios/read/there.yaml"), atomically: true, encoding: .utf8)
    let run = suite.folder.appendingPathComponent(word)
    let text = try String(contentsOf: run, encoding: .utf8)
    try text.replacing("exec python3", with: deed + "exec python3").write(to: run, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: run.path)
    return suite
  }

  /// Of so few cases some are played again to see what the program leaves open, in a worker that keeps it.
  @Test func whoStartsNothingHasLeftNothing() throws {
    let suite = try Self.quietSuite()
    let result = try suite.run(["run", "read/there", "--subject", Self.word, "--quiet"])
    #expect(result.status == 0, "\(result.output)\(result.error)")
    #expect(!result.output.contains("which the lab ended"), "\(result.output)")
  }

  /// The worker ends with its subjects under way: they are orphans of the run's then, and nobody left them.
  @Test func norHasTheSubjectOfAWorkerThatHasEnded() throws {
    // The first one is of the question what the subject offers, and has no worker. The others are not ready yet.
    let deed = """
      echo >> "$0.starts"
      (sleep 0.05; [ "$(wc -l < "$0.starts")" -ge 2 ] && mkdir "$0.done" 2>/dev/null && kill -SEGV $PPID) &

      """
    let suite = try Self.quietSuite(deed)
    let result = try suite.run(["run", "read/there", "--subject", Self.word, "--quiet"])
    let done = suite.folder.appendingPathComponent(Self.word + ".done").path
    #expect(FileManager.default.fileExists(atPath: done), "\(result.output)\(result.error)")
    #expect(!result.output.contains("which the lab ended"), "\(result.output)")
  }

  @Test func nothingThatASubjectStartsOutlivesTheRun() throws {
    let (suite, file) = try Self.strayingSuite()
    let result = try suite.run(["run", "read/two", "--subject", Self.word])
    #expect(
      result.output.contains(/mine left (\d+) processes running, which the lab ended: sleep\n/), "\(result.output)")
    let numbers = Self.numbers(in: file)
    #expect(numbers.count >= 4)
    for number in numbers { #expect(Processes.isGone(number), "\(number) still runs") }
    let page = suite.folder.appendingPathComponent("reports/latest/index.html")
    #expect(try String(contentsOf: page, encoding: .utf8).contains("processes running, which the lab ended"))
  }

  @Test func anExplorationOfAProgramFindsWhatItDoesWrong() throws {
    let suite = try Self.suite()
    let result = try suite.run([
      "explore", "read/two", "--subject", Self.word, "--programs", "60", "--minimise", "2", "--until-found",
    ])
    #expect(result.status == 1, "\(result.output)\(result.error)")
    #expect(result.output.contains("loopback") && !result.output.contains("simulated"), "\(result.output)")
    #expect(result.error.contains("so the reference model can't judge it: its trials are judged by"), "\(result.error)")
    let found = try FileManager.default.subpathsOfDirectory(
      atPath: suite.folder.appendingPathComponent("reports/explore").path
    ).first { $0.hasSuffix(".yaml") }
    let file = suite.folder.appendingPathComponent("reports/explore/\(try #require(found, "\(result.output)"))")
    let text = try String(contentsOf: file, encoding: .utf8)
    let again = try suite.shell(try Self.command("Again: ", in: text))
    #expect(again.status == 1 && again.output.contains("mine"), "\(text)\(again.output)\(again.error)")
  }

  @Test func whatIsOnRecordOfAProgramIsNoFindingOfAnExploration() throws {
    let suite = try Self.suite()
    let record = """
      library: mine
      deviations:
        - { cases: read/two, reason: backwards, evidence: { text: AGAIN }, expires: 2999-12-31 }

      """
    let file = suite.folder.appendingPathComponent("my subjects/mine/mine.deviations.yaml")
    try record.write(to: file, atomically: true, encoding: .utf8)
    let exploration = [
      "explore", "read/two", "--subject", Self.word, "--programs", "60", "--minimise", "0", "--judge", "expectations",
      "--until-found",
    ]
    let result = try suite.run(exploration)
    #expect(result.output.contains(/\d+ cases? showed what is on record of the subject/), "\(result.output)")
    #expect(result.status == 0, "\(result.output)\(result.error)")
    try FileManager.default.removeItem(at: file)
    #expect(try suite.run(exploration).status == 1)
  }
}
