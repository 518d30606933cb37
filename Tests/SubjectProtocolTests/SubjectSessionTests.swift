import ReportMarkup
import ScenarioModel
import Testing

@testable import SubjectProtocol

/// What a subject may say, and what each mistake is called.
@Suite struct SubjectSessionTests {
  private static let hello =
    #"{"type": "hello", "protocol": 1, "name": "x", "calls": ["read"], "callbacks": ["didRead", "didAccept"]}"#

  private static func playing(reactions: [ReactionOutline] = []) throws -> SubjectSession {
    var session = SubjectSession()
    _ = try session.hear(Array(hello.utf8), now: 1_000)
    session.say(
      .begin(CaseOutline(number: 4, scenario: "a/b", sockets: ["socket"], reactions: reactions)), now: 2_000)
    _ = try session.hear(Array(#"{"type": "ready", "case": 4}"#.utf8), now: 3_000)
    return session
  }

  @Test func aCaseFromItsBeginningToItsEnd() throws {
    var session = try Self.playing()
    session.say(.call(SubjectCall(id: 1, socket: "socket", name: "read")), now: 4_000)
    let answer = try session.hear(Array(#"{"type":"result","id":1,"at":4500,"result":"done"}"#.utf8), now: 5_000)
    #expect(answer == .result(CallAnswer(id: 1, at: 4_500, result: .done)))
    let read = #"{"type":"callback","at":5500,"socket":"socket","callback":"didRead","data":"aGk=","tag":-3,"new":1}"#
    #expect(
      try session.hear(Array(read.utf8), now: 6_000)
        == .callback(socket: "socket", .didRead(bytes: Array("hi".utf8), tag: -3), at: 5_500))
    session.say(.end(number: 4), now: 7_000)
    #expect(session.phase == .closing(case: 4))
    _ = try session.hear(Array(#"{"type":"ended","case":4,"open":["socket"]}"#.utf8), now: 8_000)
    #expect(session.phase == .idle)
  }

  private static let callback = #"{"type":"callback","socket":"socket","callback":"didRead","data":"","tag":1,"at":"#

  private static let mistakes: [(String, String)] = [
    ("nonsense", "expected {"), (#"{"type":"note""#, "the file ends here"),
    (#"{"type":"note","text":"a"} x"#, "more behind the object"),
    (#"{"type":"shout"}"#, "the type `shout`"), ("{}", "no `type`"), (#"{"type":7}"#, "its `type` must be a text"),
    (#"{"type":"result","id":9,"result":"done"}"#, "names the id 9"),
    (#"{"type":"result","id":"9","result":"done"}"#, "its `id` must be a whole number"),
    (#"{"type":"result","id":1,"result":"perhaps"}"#, "`perhaps`"),
    (#"{"type":"result","id":1,"result":"refused"}"#, "must name its `error`"),
    (#"{"type":"result","id":1,"result":"unsupported"}"#, "a call that its hello promises"),
    (#"{"type":"result","id":1,"result":"true"}"#, "it answered `read` with `true`, and no call of this version"),
    (#"{"type":"result","id":1,"result":"false"}"#, "it answered `read` with `false`"),
    (#"{"type":"result","id":1,"at":999999999999,"result":"done"}"#, "after the present"),
    (#"{"type":"result","id":1,"at":-1000000,"result":"done"}"#, "1 ms before the call that it answers"),
    (#"{"type":"value","id":1,"value":true}"#, "names the id 1"),
    (#"{"type":"ended","case":4}"#, "where the case was under way"),
    (#"{"type":"ready","case":4}"#, "where the case was under way"),
    (#"{"type":"callback","at":1,"socket":"socket","callback":"didDance"}"#, "no callback of the name `didDance`"),
    (#"{"type":"callback","at":1,"socket":"socket","callback":"didSecure"}"#, "which its `callbacks` do not name"),
    (#"{"type":"callback","at":1,"socket":"other","callback":"didRead","data":"","tag":1}"#, "no socket of that name"),
    (#"{"type":"callback","at":1,"socket":"socket","callback":"didRead","data":"???","tag":1}"#, "no base64"),
    (#"{"type":"callback","at":1,"socket":"socket","callback":"didRead","data":""}"#, "no `tag`"),
    (#"{"type":"callback","at":1,"socket":"socket","callback":"didAccept","child":"x"}"#, "the next one is `child`"),
    (callback + "999999999999}", "after the present"), (callback + "-999999999}", "before what it had told"),
    (callback + "-9223372036854775808}", "before what it had told"),
    (#"{"type":"result","id":1,"at":-9223372036854775808,"result":"done"}"#, "before the call that it answers"),
    (#"{"type":"result","id":1,"result":"\u001b[2J"}"#, "`␛[2J`"),
    (#"{"type":"callback","at":1,"socket":"\u001b[2J","callback":"didRead","data":"","tag":1}"#, "`␛[2J`"),
    (#"{"a":1}"#, #"one of its messages is wrong: `{"a":1}` has no `type`"#),
    (#"{"type":"note","text":"\ud800"}"#, "its `text` must be a text"),
    (#"{"type":"note","\ud800":1,"text":"a"}"#, "half of a surrogate pair"),
    (callback + "1.5}", "its `at` must be nanoseconds"), (callback + "null}", "no `at`"),
  ]

  @Test(arguments: mistakes)
  func aMistakeIsNamed(line: String, says: String) throws {
    var session = try Self.playing()
    session.say(.call(SubjectCall(id: 1, socket: "socket", name: "read")), now: 4_000)
    do {
      let message = try session.hear(Array(line.utf8), now: 5_000)
      Issue.record("taken as \(message)")
    } catch {
      #expect(error.text.contains(says), "\(error.text)")
      #expect(session.phase == .broken)
    }
  }

  /// As half of a surrogate pair is: what is shown and compared is what was written.
  @Test func whatIsNoTextIsRefused() {
    var session = SubjectSession()
    let line = Array(#"{"type":"note","text":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8)
    let violation = #expect(throws: ProtocolViolation.self) { try session.hear(line, now: 1) }
    #expect(violation?.text.contains("which is no line of the protocol: not all of it is UTF-8") == true)
  }

  /// Whatever is in it.
  @Test func aMemberThatNobodyKnowsIsPassedOver() throws {
    let line = #"{"type":"note","new":"\ud800","newer":{"text":["\udfff"]},"text":"a"}"#
    #expect(try SubjectMessage(line: Array(line.utf8)) == .note("a"))
  }

  @Test func aStepOfAReactionReturnsNoValueEither() throws {
    let call = SubjectCall(id: 5, socket: "socket", name: "write")
    var session = try Self.playing(reactions: [ReactionOutline(kind: .didRead, steps: [.call(call)])])
    #expect(throws: ProtocolViolation.unwantedValue(call: "write", value: true)) {
      try session.hear(Array(#"{"type":"result","id":5,"at":4000,"result":"true"}"#.utf8), now: 5_000)
    }
  }

  @Test func whoWaitsForALargeCallSaysSo() throws {
    var session = try Self.playing()
    #expect(session.wanted == "the case was under way")
    session.say(.call(SubjectCall(id: 1, socket: "socket", name: "write", size: 24 << 20)), now: 4_000)
    #expect(session.wanted == "the answer to `write` of 24 MiB on socket was to come")
    _ = try session.hear(Array(#"{"type":"result","id":1,"result":"done"}"#.utf8), now: 5_000)
    #expect(session.wanted == "the case was under way")
  }

  @Test(
    arguments: [
      (.isConnected, .text("yes"), "`isConnected` must be true or false, and is the text \"yes\""),
      (.isConnected, .none, "must be true or false, and is null"), (.isConnected, .flag(false), nil),
      (.connectedHost, .none, nil), (.connectedHost, .text("::1"), nil), (.connectedHost, .number(1), "a text or null"),
      (.localPort, .number(80), nil), (.localPort, .number(80.5), "a whole number"),
      (.localPort, .none, "a whole number"),
      (.localPort, .number(70_000), "and is 70000"), (.localAddress, .none, nil), (.localAddress, .bytes([1]), nil),
      (.peerCertificate, .text("x"), "or null"), (.userData, .flag(true), "a text or null"),
      (.alternateAddressDelay, .number(0.3), nil), (.progressOfRead, .none, "must be {"),
      (.progressOfRead, .progress(tag: 0, done: 0, total: 0, fraction: .nan), nil),
    ] as [(SubjectProperty, PropertyValue, String?)])
  func aPropertysValueIsOfItsKind(property: SubjectProperty, value: PropertyValue, says: String?) {
    let trouble = property.trouble(with: value)
    guard let says else {
      #expect(trouble == nil)
      return
    }
    #expect(trouble?.contains(says) == true, "\(trouble ?? "none")")
  }

  @Test func anotherCasesNumberIsAMistake() throws {
    var session = SubjectSession()
    _ = try session.hear(Array(Self.hello.utf8), now: 1_000)
    session.say(.begin(CaseOutline(number: 4, scenario: "a/b", sockets: ["socket"], reactions: [])), now: 2_000)
    #expect(throws: ProtocolViolation.wrongCase(3, wanted: 4)) {
      try session.hear(Array(#"{"type": "ready", "case": 3}"#.utf8), now: 3_000)
    }
    session = try Self.playing()
    session.say(.end(number: 4), now: 7_000)
    #expect(throws: ProtocolViolation.wrongCase(5, wanted: 4)) {
      try session.hear(Array(#"{"type":"ended","case":5,"open":[]}"#.utf8), now: 8_000)
    }
  }

  @Test func aSocketThatNobodyKnowsIsNotLeftOpen() throws {
    var session = try Self.playing()
    session.say(.end(number: 4), now: 7_000)
    #expect(throws: ProtocolViolation.unknownSocket("other", callback: "ended")) {
      try session.hear(Array(#"{"type":"ended","case":4,"open":["socket","other"]}"#.utf8), now: 8_000)
    }
  }

  private static let hellos: [(String, String)] = [
    (#""name":"\#(String(repeating: "x", count: 61))""#, "its `name` must be at most 60 visible characters"),
    (#""name":"\#(String(repeating: "x", count: 30_000_000))""#, "its `name` must be at most 60 visible characters"),
    (#""name":"a\u001b[31m""#, "its `name` must be"), (#""name":"a\nb""#, "its `name` must be"),
    (#""name":"a\u202eb""#, "its `name` must be"), (#""name":"a\u2028b""#, "its `name` must be"),
    (#""name":"""#, "its `name` is empty"),
    (#""name":"x","version":"\#(String(repeating: "1", count: 81))""#, "its `version` must be at most 80"),
    (#""name":"x","version":"1\u0007""#, "its `version` must be"),
    (
      #""name":"x","features":[\#(Array(repeating: "\"a\"", count: 257).joined(separator: ","))]"#,
      "its `features` must be at most 256 words"
    ),
    (#""name":"x","calls":["\#(String(repeating: "x", count: 61))"]"#, "its `calls` must be at most 256 words"),
    (#""name":"x","callbacks":["did\tRead"]"#, "its `callbacks` must be"),
  ]

  @Test(arguments: hellos.indices)
  func aHelloThatNobodyCouldReadIsRefused(place: Int) {
    let (members, says) = Self.hellos[place]
    var session = SubjectSession()
    do {
      let message = try session.hear(Array(#"{"type":"hello","protocol":1,\#(members)}"#.utf8), now: 1)
      Issue.record("taken as \(message.type)")
    } catch {
      #expect(error.text.contains(says), "\(error.text)")
      #expect(error.text.count < 400 && !error.text.unicodeScalars.contains { $0.value < 32 })
    }
  }

  @Test func theLongestHelloIsTaken() throws {
    let name = String(repeating: "é", count: 60)
    let words = (0..<256).map { "\"\($0)\"" }.joined(separator: ",")
    let line = #"{"type":"hello","protocol":1,"name":"\#(name)","version":"1.0 (ä) 日本","features":[\#(words)]}"#
    var session = SubjectSession()
    _ = try session.hear(Array(line.utf8), now: 1)
    #expect(session.claims?.name == name)
  }

  @Test func aCallWasNotMadeBeforeItWasAskedFor() throws {
    var session = try Self.playing()
    session.say(.call(SubjectCall(id: 1, socket: "socket", name: "read")), now: 9_000_000)
    #expect(throws: ProtocolViolation.fromThePast(message: "result", nanoseconds: 2_000_000)) {
      try session.hear(Array(#"{"type":"result","id":1,"at":7000000,"result":"done"}"#.utf8), now: 9_500_000)
    }
    // Clocks of two processors may differ a little.
    session = try Self.playing()
    session.say(.call(SubjectCall(id: 1, socket: "socket", name: "read")), now: 9_000_000)
    _ = try session.hear(Array(#"{"type":"result","id":1,"at":8500000,"result":"done"}"#.utf8), now: 9_500_000)
  }

  @Test func aStepOfAReactionWasNotTakenBeforeTheCase() throws {
    let call = SubjectCall(id: 5, socket: "socket", name: "read")
    var session = try Self.playing(reactions: [ReactionOutline(kind: .didRead, steps: [.call(call)])])
    #expect(throws: ProtocolViolation.fromThePast(message: "result", nanoseconds: 2_000_002)) {
      try session.hear(Array(#"{"type":"result","id":5,"at":-1998002,"result":"done"}"#.utf8), now: 5_000)
    }
  }

  @Test func anAnswerCountsOnce() throws {
    var session = try Self.playing()
    session.say(.call(SubjectCall(id: 1, socket: "socket", name: "read")), now: 4_000)
    let line = Array(#"{"type":"result","id":1,"result":"done"}"#.utf8)
    _ = try session.hear(line, now: 5_000)
    #expect(throws: ProtocolViolation.unknownID(1, message: "result")) { try session.hear(line, now: 5_000) }
  }

  @Test func aStepOfAReactionMayAnswerOften() throws {
    let call = SubjectCall(id: 5, socket: "socket", name: "read")
    var session = try Self.playing(reactions: [ReactionOutline(kind: .didRead, steps: [.call(call)])])
    let line = Array(#"{"type":"result","id":5,"at":4000,"result":"done"}"#.utf8)
    for _ in 0..<3 { _ = try session.hear(line, now: 5_000) }
  }

  @Test func anotherVersionIsTold() {
    var session = SubjectSession()
    #expect(throws: ProtocolViolation.wrongVersion(2)) {
      try session.hear(Array(#"{"type":"hello","protocol":2,"nombre":"x"}"#.utf8), now: 1)
    }
  }

  @Test func whatALaterVersionNamesIsPassedOver() throws {
    var session = SubjectSession()
    let line = #"{"type":"hello","protocol":1,"name":"x","features":["unix","teleport"],"callbacks":["didDance"]}"#
    _ = try session.hear(Array(line.utf8), now: 1)
    #expect(session.claims?.features == [.unix])
    #expect(session.claims?.callbacks.isEmpty == true)
  }

  @Test func wordsThatMeanNothingAreWrittenDownWithAGuess() throws {
    let line =
      #"{"type":"hello","protocol":1,"name":"x","calls":["raed","write"],"features":["read-lenght","teleport"]}"#
    var session = SubjectSession()
    _ = try session.hear(Array(line.utf8), now: 1)
    let unknown = try #require(session.claims?.unknown)
    #expect(unknown.map(\.word) == ["read-lenght", "teleport", "raed"])
    #expect(unknown.map(\.list) == ["features", "features", "calls"])
    #expect(unknown.map(\.guess) == ["read-length", nil, "read"])
  }

  @Test(arguments: [
    ("true", PropertyValue.flag(true)), ("null", .none), ("12.5", .number(12.5)), (#""a""#, .text("a")),
    (#"["b","a"]"#, .names(["a", "b"])), (#"{"base64":"aGk="}"#, .bytes(Array("hi".utf8))),
    (#"{"tag":1,"done":2,"total":4,"fraction":0.5}"#, .progress(tag: 1, done: 2, total: 4, fraction: 0.5)),
  ])
  func valuesAreWhatJSONHas(text: String, value: PropertyValue) throws {
    let line = #"{"type":"value","id":1,"value":\#(text)}"#
    #expect(try SubjectMessage(line: Array(line.utf8)) == .value(id: 1, at: nil, value))
  }

  @Test(arguments: [
    "ReadTimeout", "Closed", "ECONNRESET", "EAI_NONAME", "errno 9999", "SSL -9807", "CFSocket", "Misuse",
  ])
  func errorWordsComeBack(word: String) {
    #expect(ErrorWord.word(ErrorWord.error(word, message: "")) == word)
  }
}
