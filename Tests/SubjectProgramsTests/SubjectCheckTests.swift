import Foundation
import HostTools
import ScenarioModel
import TestSupport
import Testing

@testable import SubjectPrograms

/// What the check says of a subject that does something wrong: the skeleton in Python, with one line changed.
@Suite(.enabled(if: ChildProgram.tool("python3") != nil)) struct SubjectCheckTests {
  private struct Row: Sendable {
    var name: String
    var line: String
    var changed: String
    var trouble: String
  }

  private static let connected = #"tell(name, "didConnect", host=host, port=port)"#
  private static let written = #"tell(name, "didWrite", tag=arguments["tag"])"#
  private static let ended = #"tell(name, "didDisconnect", **error)"#

  private static let rows = [
    Row(
      name: "a wrong port", line: connected, changed: #"tell(name, "didConnect", host=host, port=1)"#,
      trouble: "it told didConnect to 127.0.0.1, port 1, and what was to come is didConnect to 127.0.0.1, port "),
    Row(
      name: "a wrong tag", line: written, changed: #"tell(name, "didWrite", tag=7)"#,
      trouble: "it told didWrite of tag 7, and what was to come is didWrite of tag -7"),
    Row(
      name: "written twice", line: written, changed: "\(written); \(written)",
      trouble: "it told didWrite of tag -7, and what was to come is didRead of tag 8"),
    Row(
      name: "ended twice", line: ended, changed: "\(ended); \(ended)",
      trouble: "it told didDisconnect without an error, and nothing of the case had set that off"),
    Row(
      name: "refused and told", line: "sockets[name] = Connection(host, port)",
      changed: #"tell(name, "didDisconnect", error="Other"); sockets[name] = Connection(host, port)"#,
      trouble: "it told didDisconnect with the error Other, and what was to come is"),
    Row(
      name: "a property of another kind", line: #"value=sockets.get(message["socket"]) is not None"#,
      changed: #"value="yes""#, trouble: #"`isConnected` must be true or false, and is the text "yes""#),
    Row(
      name: "another kind while it is connected", line: #"value=sockets.get(message["socket"]) is not None"#,
      changed: #"value=1 if sockets.get(message["socket"]) else False"#,
      trouble: "`isConnected` must be true or false, and is 1"),
    Row(
      name: "half a line and silence", line: #"say("ready", case=case)"#,
      changed: #"print('{"type"', end="", flush=True)"#,
      trouble: #"`ready` did not come within 5 s; it has written `{"type"` without the end of the line"#),
  ]

  private static func findings(line: String, changed: String) throws -> (findings: [SubjectCheck.Finding], Bool) {
    let scratch = try Scratch()
    let folder = scratch.path("mine")
    let path = "\(folder)/subject.py"
    // A file that another test's child has open for writing, until it has become its program, can't be started.
    try Spawning.lock.withLock { _ in
      _ = try SubjectSkeleton.make(folder, .python, below: ShippedSubjectTests.folder)
      let text = try String(contentsOfFile: path, encoding: .utf8)
      try #require(text.contains(line), "the skeleton has no \(line)")
      try text.replacing(line, with: changed).write(toFile: path, atomically: true, encoding: .utf8)
    }
    var findings: [SubjectCheck.Finding] = []
    let program = try SubjectProgram.find("\(folder)/run", in: ShippedSubjectTests.folder)
    let outcome = try SubjectCheck(program) { findings.append($0) }.run()
    return (findings, outcome.isSound)
  }

  @Test(arguments: rows.indices)
  func aMistakeIsToldInWords(place: Int) throws {
    let row = Self.rows[place]
    let (findings, isSound) = try Self.findings(line: row.line, changed: row.changed)
    #expect(!isSound, "\(row.name)")
    #expect(findings.last?.trouble?.contains(row.trouble) == true, "\(row.name): \(findings.last?.trouble ?? "none")")
  }

  private static let callRows = [
    Row(
      name: "calls at once in another order", line: #"message["calls"] if"#, changed: #"message["calls"][::-1] if"#,
      trouble: "it told didWrite of tag 1, and what was to come is didWrite of tag 0"),
    Row(
      name: "an end before the read", line: #"one.disconnect_after("reads")"#, changed: "one.disconnect()",
      trouble: "it told didDisconnect without an error, and what was to come is didRead"),
    Row(
      name: "no end behind the write", line: #"one.disconnect_after("writes")"#, changed: "None",
      trouble: "didDisconnect without an error did not come within 5 s"),
    Row(
      name: "an end behind the write alone", line: #"one.disconnect_after("reads", "writes")"#,
      changed: #"one.disconnect_after("writes")"#,
      trouble: "it told didDisconnect without an error, and what was to come is didRead"),
    Row(
      name: "secured and not told", line: #"self.tell("didSecure")"#, changed: "pass",
      trouble: "didSecure did not come within 5 s"),
    Row(
      name: "secured twice", line: #"self.tell("didSecure")"#,
      changed: #"self.tell("didSecure"); self.tell("didSecure")"#,
      trouble: "it told didSecure, and what was to come is didWrite of tag 1"),
    Row(
      name: "a server that wants a certificate because it has anchors",
      line: "context.load_verify_locations(cadata=anchors)",
      changed: "context.load_verify_locations(cadata=anchors); context.verify_mode = ssl.CERT_REQUIRED",
      trouble: "and what was to come is didSecure"),
    Row(
      name: "told and not secured", line: "self.writer._transport = transport",
      changed: "transport.close()", trouble: "the peer read nothing: the connection ended"),
  ]

  /// The calls that the skeleton does not claim, with another subject.
  @Test(arguments: callRows.indices)
  func aMistakeInAnyCallIsToldInWords(place: Int) throws {
    let row = Self.callRows[place]
    let scratch = try Scratch()
    let origin = "\(ShippedSubjectTests.folder)/asyncio"
    let folder = scratch.path("mine")
    try Spawning.lock.withLock { _ in
      try FileManager.default.copyItem(atPath: origin, toPath: folder)
      let path = "\(folder)/subject.py"
      let text = try String(contentsOfFile: path, encoding: .utf8)
      try #require(text.contains(row.line), "the subject has no \(row.line)")
      try text.replacing(row.line, with: row.changed).write(toFile: path, atomically: true, encoding: .utf8)
    }
    var findings: [SubjectCheck.Finding] = []
    let program = try SubjectProgram.find("\(folder)/run", in: ShippedSubjectTests.folder)
    let outcome = try SubjectCheck(program) { findings.append($0) }.run()
    #expect(!outcome.isSound, "\(row.name)")
    #expect(findings.last?.trouble?.contains(row.trouble) == true, "\(row.name): \(findings.last?.trouble ?? "none")")
  }

  @Test func wordsThatMeanNothingAreNamedAndNoMistake() throws {
    let (findings, isSound) = try Self.findings(
      line: #""features": ["read-available", "read-length"]"#,
      changed: #""features": ["read-available", "read-lenght", "teleport"]"#)
    #expect(isSound)
    #expect(
      findings.first?.remarks == [
        "the `read-lenght` of its `features` is no word of the protocol: did you mean `read-length`?",
        "the `teleport` of its `features` is no word of the protocol, and is passed over",
      ])
  }
}
