import FuzzHarness
import ScenarioModel
import Testing

@testable import SubjectFuzzing
@testable import SubjectProtocol

/// The body of what subjects write lets the lab's reader pass, and its laws can be broken.
@Suite struct SubjectTests {
  private static let hello =
    #"{"type": "hello", "protocol": 1, "name": "x", "version": "1", "calls": ["read", "sing"], "#
    + #""callbacks": ["didRead", "didAccept", "didDisconnect", "didConnect", "shouldTimeoutRead", "didDance"], "#
    + #""properties": ["isConnected"], "features": ["ipv6"], "flavours": []}"#

  private static func callback(_ name: String, _ more: String = "", at: Int64 = 1_000_000_000_000) -> String {
    #"{"type": "callback", "socket": "socket", "callback": "\#(name)", "at": \#(at)\#(more)}"#
  }

  private static let whole = [
    hello, #"{"type": "ready", "case": 1}"#, #"{"type": "result", "id": 1, "result": "done"}"#,
    #"{"type": "result", "id": 2, "at": 1000005000000, "result": "refused", "error": "ECONNREFUSED", "message": "no"}"#,
    #"{"type": "value", "id": 3, "value": {"tag": 1, "done": 2, "total": 3}}"#,
    callback("didRead", #", "data": "aGk=", "tag": -1"#), callback("didAccept", #", "child": "child""#),
    #"{"type": "ended", "case": 1, "open": ["child"]}"#, #"{"type": "ready", "case": 2}"#,
  ]

  static let texts: [[String]] = [
    whole, [hello, ""], ["\r", "  ", "x", ""], [hello, #"{"type": "note", "text": "\ud83d\ude00 \u001b"}"#],
    Array(whole.prefix(2)) + [callback("didDisconnect"), callback("didDisconnect", #", "error": "closed""#)],
    Array(whole.prefix(2)) + [callback("shouldTimeoutRead", #", "tag": 1, "elapsed": 0.25, "count": 7"#)],
    Array(whole.prefix(2)) + [callback("didConnect", #", "host": "::1", "port": 80"#, at: .min)],
    Array(whole.prefix(2)) + [#"{"type": "result", "id": 1, "at": -9223372036854775808, "result": "done"}"#],
    Array(whole.prefix(2)) + [callback("didConnect", #", "host": "::1", "port": 80"#, at: .max)],
    Array(whole.prefix(2)) + [#"{"type": "result", "id": 1, "result": "\u001b[2J"}"#],
    Array(whole.prefix(2)) + [callback(String(repeating: "x", count: 900))],
    Array(whole.prefix(2)) + [#"{"type": "reached", "id": 90, "at": 1000000000000}"#],
    [#"{"type": "value", "id": 3, "value": {}}"#], [#"{"type": "value", "id": 3, "value": {"type": "\u001b"}}"#],
    ["{" + (0...70).map { #""\#($0)": 0"# }.joined(separator: ",") + "}"], [String(repeating: "x", count: 2049)],
  ]

  static let inputs: [[UInt8]] = texts.map { Array($0.joined(separator: "\n").utf8) + [0x0A] }

  @Test(arguments: inputs) func theReaderPasses(_ input: [UInt8]) {
    #expect(input.withUnsafeBytes { SubjectFuzzing.body($0) } == nil)
  }

  @Test func anythingIsAnInput() {
    for input in ManyInputs.short {
      #expect(input.withUnsafeBytes { SubjectFuzzing.body($0) } == nil, "\(input)")
    }
  }

  private static func law(_ change: (inout SubjectFuzzing.Reading) -> Void, _ input: [UInt8] = inputs[0]) -> String? {
    var reading = SubjectFuzzing.Reading()
    change(&reading)
    return input.withUnsafeBytes { SubjectFuzzing.check($0, reading) }?.invariant
  }

  @Test func lawsCanBeBroken() {
    #expect(Self.law { $0.lines = { bytes, piece in ([bytes, [UInt8(piece & 1)]], nil) } } == "subject/lines")
    #expect(Self.law { $0.lines = { _, _ in ([], nil) } } == "subject/lines")
    let mistake = Array("x\n".utf8)
    #expect(Self.law({ $0.words = { _ in "" } }, mistake) == "subject/words")
    #expect(Self.law({ $0.words = { _ in "\u{1B}[2J" } }, mistake) == "subject/words")
    #expect(
      Self.law {
        $0.message = { (line) throws(ProtocolViolation) in
          line.last == UInt8(ascii: "}") && line.count.isMultiple(of: 2) ? .note("even") : .note("\(line.count)")
        }
      } == "subject/again")
  }

  /// Whoever takes everything takes what is out of turn.
  @Test(arguments: [
    [hello, hello], [#"{"type": "ready", "case": 1}"#], [hello, #"{"type": "ready", "case": 2}"#],
    Array(whole.prefix(2)) + [#"{"type": "result", "id": 3, "result": "done"}"#],
    Array(whole.prefix(3)) + [whole[2]], Array(whole.prefix(2)) + [callback("didSecure")],
    Array(whole.prefix(2)) + [callback("didAccept", #", "child": "x""#)],
    Array(whole.prefix(2)) + [callback("didDisconnect", at: .max)],
    Array(whole.prefix(2)) + [callback("didDisconnect", at: 1)], ["x", hello],
  ]) func whatIsOutOfTurnIsSeen(_ lines: [String]) {
    let input = Array(lines.joined(separator: "\n").utf8) + [0x0A]
    let law = Self.law(
      {
        $0.hear = { (session, line, now) throws(ProtocolViolation) in
          _ = try? session.hear(line, now: now)
          return try SubjectMessage(line: line)
        }
      }, input)
    #expect(law == "subject/turns")
  }
}
