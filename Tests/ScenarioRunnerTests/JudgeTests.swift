import ScenarioModel
import ScenarioRunner
import Testing

/// One row: expectations, events, and what the judge must say.
struct JudgeRow: CustomTestStringConvertible, Sendable {
  var name: String
  var expectations: [Expectation]
  var events: [TraceEvent]
  var end: Int?
  var kinds: [Deviation.Kind]
  var isSatisfied: Bool
  var actual: String

  init(
    _ name: String, _ expectations: [Expectation], _ events: [TraceEvent], until end: Int? = nil,
    kinds: [Deviation.Kind] = [], satisfied: Bool = true, actual: String = ""
  ) {
    self.name = name
    self.expectations = expectations
    self.events = events
    self.end = end
    self.kinds = kinds
    isSatisfied = satisfied
    self.actual = actual
  }

  var testDescription: String { name }
}

@Suite struct JudgeTests {
  static let matching: [JudgeRow] = [
    JudgeRow("nothing expected of anybody", [], [callback(connected), callback(.didWrite(tag: 1))]),
    JudgeRow(
      "progress of sockets nobody names is not judged for order", [event(.didConnect)],
      [callback(connected), callback(.didWritePartial(count: 1, tag: 1), on: "other")]),
    JudgeRow("in order", [event(.didConnect), event(.didWrite)], [callback(connected), callback(.didWrite(tag: 3))]),
    JudgeRow("not yet", [event(.didConnect), event(.didWrite)], [callback(connected)], satisfied: false),
    JudgeRow(
      "between sockets there is no order", [event(.didConnect), event(.didWrite, on: "other")],
      [callback(.didWrite(tag: 1), on: "other"), callback(connected)]),
    JudgeRow(
      "so many times", [event(.didWrite, times: 3)],
      [callback(.didWrite(tag: 1)), callback(.didWrite(tag: 2)), callback(.didWrite(tag: 3))]),
    JudgeRow(
      "once short of so many times", [event(.didWrite, times: 3)],
      [callback(.didWrite(tag: 1)), callback(.didWrite(tag: 2))], satisfied: false),
    JudgeRow("optional, absent", [event(.didConnect, optional: true)], []),
    JudgeRow("optional, present", [event(.didConnect, optional: true)], [callback(connected)]),
    JudgeRow(
      "an optional one gives way to a required one", [event(.didWrite, optional: true), event(.didWrite)],
      [callback(.didWrite(tag: 1))]),
    JudgeRow(
      "partials are not judged unless named", [event(.didRead)],
      [callback(.didReadPartial(count: 1, tag: 0)), callback(.didRead(bytes: [1], tag: 0))]),
    JudgeRow(
      "partials are judged when named", [event(.didReadPartial), event(.didRead)],
      [callback(.didReadPartial(count: 1, tag: 0)), callback(.didRead(bytes: [1], tag: 0))]),
    JudgeRow(
      "a stream in pieces", [stream("HELLO"), event(.didDisconnect)],
      [
        callback(.didRead(bytes: bytes("HEL"), tag: 1)), callback(.didReadPartial(count: 1, tag: 2)),
        callback(.didRead(bytes: bytes("LO"), tag: 2)), callback(.didDisconnect(nil)),
      ]),
    JudgeRow(
      "a stream interleaves with other things in any order", [anyOrder(stream("AB"), event(.didWrite, times: 2))],
      [
        callback(.didWrite(tag: 1)), callback(.didRead(bytes: bytes("A"), tag: 1)), callback(.didWrite(tag: 2)),
        callback(.didRead(bytes: bytes("B"), tag: 2)),
      ]),
    JudgeRow("a silence kept", [event(.didConnect), nothing(50)], [callback(connected, at: 10)], until: 60),
    JudgeRow(
      "a silence not yet kept", [event(.didConnect), nothing(50)], [callback(connected, at: 10)], until: 59,
      satisfied: false),
    JudgeRow(
      "an event at the end of a silence is after it", [event(.didConnect), nothing(50), event(.didWrite)],
      [callback(connected, at: 10), callback(.didWrite(tag: 1), at: 60)]),
    JudgeRow(
      "a silence of an accepted socket counts from its acceptance",
      [event(.didAccept, on: "server"), nothing(50, on: "child"), event(.didRead, on: "child")],
      [
        callback(.didAccept(child: "child"), on: "server", at: 100),
        callback(.didRead(bytes: [], tag: 0), on: "child", at: 150),
      ]),
    JudgeRow(
      "a socket that is never accepted is silent", [event(.didConnect), nothing(50, on: "child2")],
      [callback(connected)], until: 50),
    JudgeRow(
      "the silence of a socket that may yet be accepted", [event(.didConnect), nothing(50, on: "child2")],
      [callback(connected)], until: 49, satisfied: false),
    JudgeRow(
      "a window of an accepted socket counts from its acceptance",
      [event(.didAccept, on: "server"), event(.didRead, on: "child", window: window(10, 20))],
      [
        callback(.didAccept(child: "child"), on: "server", at: 100),
        callback(.didRead(bytes: [], tag: 0), on: "child", at: 120),
      ]),
    JudgeRow(
      "a silence counts from the one before", [nothing(20), nothing(30), event(.didWrite)],
      [callback(.didWrite(tag: 1), at: 50)]),
    JudgeRow(
      "one of several", [oneOf([event(.didDisconnect)], [event(.didRead), event(.didDisconnect)])],
      [callback(.didRead(bytes: [], tag: 0)), callback(.didDisconnect(nil))]),
    JudgeRow(
      "alternatives with the same beginning stay alive",
      [oneOf([event(.didWrite), event(.didRead)], [event(.didWrite), event(.didDisconnect)])],
      [callback(.didWrite(tag: 1)), callback(.didDisconnect(nil))]),
    JudgeRow(
      "an alternative of nothing at all", [oneOf([], [event(.didDisconnect)]), event(.didWrite)],
      [callback(.didWrite(tag: 1))]),
  ]

  @Test(arguments: matching) func matches(_ row: JudgeRow) {
    let judge = judged(row.expectations, row.events, until: row.end)
    #expect(judge.deviations == [])
    #expect(judge.isSatisfied == row.isSatisfied)
    #expect(judge.outstanding.isEmpty == row.isSatisfied)
  }

  static let deviating: [JudgeRow] = [
    JudgeRow(
      "a silence of an accepted socket is over only after its acceptance",
      [event(.didAccept, on: "server"), nothing(50, on: "child"), event(.didRead, on: "child")],
      [
        callback(.didAccept(child: "child"), on: "server", at: 100),
        callback(.didRead(bytes: [], tag: 0), on: "child", at: 149),
      ], kinds: [.unexpected]),
    JudgeRow(
      "a field differs", [event(.didWrite) { $0.tag = 1 }], [callback(.didWrite(tag: 2))], kinds: [.wrongContent],
      actual: "didWrite { tag: 2 }: tag differs"),
    JudgeRow(
      "a byte differs", [event(.didRead) { $0.bytes = .bytes(bytes("HELLO")) }],
      [callback(.didRead(bytes: bytes("HELxO"), tag: 0))], kinds: [.wrongContent],
      actual: "offset 3: expected 0x4c ('L'), got 0x78 ('x')"),
    JudgeRow(
      "a byte is missing", [event(.didRead) { $0.bytes = .bytes(bytes("HELLO")) }],
      [callback(.didRead(bytes: bytes("HELL"), tag: 0))], kinds: [.wrongContent],
      actual: "expected 5 bytes, got 4 bytes"),
    JudgeRow(
      "a byte too many", [event(.didRead) { $0.bytes = .bytes(bytes("HELLO")) }],
      [callback(.didRead(bytes: bytes("HELLO!"), tag: 0))], kinds: [.wrongContent],
      actual: "expected 5 bytes, got 6 bytes"),
    JudgeRow(
      "what follows a wrong field is judged too", [event(.didWrite) { $0.tag = 1 }, event(.didRead)],
      [callback(.didWrite(tag: 2)), callback(.didRead(bytes: [1], tag: 0))], kinds: [.wrongContent]),
    JudgeRow(
      "a stream's byte differs", [stream("HELLO")],
      [callback(.didRead(bytes: bytes("HE"), tag: 0)), callback(.didRead(bytes: bytes("LxO"), tag: 0))],
      kinds: [.wrongContent], actual: "offset 3 of the stream: expected 0x4c ('L'), got 0x78 ('x')"),
    JudgeRow(
      "a stream goes on too long", [stream("HE")], [callback(.didRead(bytes: bytes("HEL"), tag: 0))],
      kinds: [.wrongContent], actual: "1 byte more than the stream has"),
    JudgeRow(
      "a later one first", [event(.didConnect), event(.didWrite, line: 7)], [callback(.didWrite(tag: 1))],
      kinds: [.wrongOrder], satisfied: true, actual: "which fits line 7"),
    JudgeRow(
      "tags swapped", [event(.didWrite) { $0.tag = 1 }, event(.didWrite) { $0.tag = 2 }],
      [callback(.didWrite(tag: 2))], kinds: [.wrongOrder]),
    JudgeRow(
      "after an unexpected one nothing more is judged", [event(.didConnect)],
      [callback(.didCloseRead), callback(.didCloseRead)], kinds: [.unexpected]),
    JudgeRow(
      "one too many", [event(.didWrite)], [callback(.didWrite(tag: 1)), callback(.didWrite(tag: 2))],
      kinds: [.unexpected], actual: "didWrite { tag: 2 } at 0s"),
    JudgeRow(
      "an event in a silence", [event(.didConnect), nothing(50), event(.didWrite)],
      [callback(connected, at: 10), callback(.didWrite(tag: 1), at: 59)], kinds: [.unexpected],
      actual: "didWrite { tag: 1 } at 59ms"),
    JudgeRow(
      "out of order after a silence", [nothing(50), event(.didRead), event(.didWrite)],
      [callback(.didWrite(tag: 1), at: 60)], kinds: [.wrongOrder]),
    JudgeRow(
      "a socket nobody names does something, and goes on doing", [event(.didConnect)],
      [
        callback(connected), command(write("a", tag: 1), on: "other"), callback(.didWrite(tag: 1), on: "other", at: 7),
        callback(.didDisconnect(nil), on: "other", at: 8),
      ], kinds: [.unexpected], actual: "other.didWrite { tag: 1 } at 7ms; last asked of other: write of tag 1, at 0s"),
    JudgeRow(
      "an unexpected child", [event(.didAccept)],
      [callback(.didAccept(child: "child")), callback(.didDisconnect(nil), on: "child")], kinds: [.unexpected],
      actual: "nothing had been asked of child"),
    JudgeRow(
      "a silence broken by what was asked for", [event(.didConnect), nothing(50)],
      [callback(connected), command(read(4)), callback(.didRead(bytes: [], tag: 4), at: 3)], kinds: [.unexpected],
      actual: "at 3ms; last asked of socket: read of tag 4, at 0s"),
    JudgeRow(
      "no alternative fits", [oneOf([event(.didWrite)], [event(.didRead)])], [callback(.didDisconnect(nil))],
      kinds: [.unexpected]),
    JudgeRow(
      "early", [event(.didConnect, window: window(300, nil))], [callback(connected, at: 299)], kinds: [.early],
      actual: "at 299ms, counted from the start"),
    JudgeRow(
      "late", [event(.didConnect, window: window(nil, 300))], [callback(connected, at: 301)], kinds: [.late],
      actual: "at 301ms, counted from the start"),
    JudgeRow(
      "late and not yet there", [event(.didConnect, window: window(nil, 300))], [], until: 301, kinds: [.late],
      satisfied: false, actual: "not seen by 301ms"),
    JudgeRow(
      "an event in a silence that is one of several in any order", [anyOrder(event(.didWrite), nothing(50))],
      [callback(.didWrite(tag: 1), at: 49)], kinds: [.unexpected]),
    JudgeRow(
      "an event in the second of two silences", [nothing(20), nothing(30), event(.didWrite)],
      [callback(.didWrite(tag: 1), at: 40)], kinds: [.unexpected]),
    JudgeRow(
      "late, with some of them there", [event(.didWrite, times: 3, window: window(nil, 50))],
      [callback(.didWrite(tag: 1), at: 10), callback(.didWrite(tag: 2), at: 20)], until: 71, kinds: [.late],
      satisfied: false, actual: "2 of 3 came, the last at 20ms, and no more by 71ms; "),
    JudgeRow(
      "late, with some of them there, among others in any order",
      [anyOrder(event(.didWrite, times: 3, window: window(nil, 50)), event(.didRead))],
      [callback(.didWrite(tag: 1), at: 10)], until: 61, kinds: [.late], satisfied: false,
      actual: "1 of 3 came, and no more by 61ms; "),
    JudgeRow(
      "a later one before there are as many",
      [event(.didWrite, times: 3) { $0.tag = 1 }, event(.didWrite, line: 7) { $0.tag = 2 }],
      [callback(.didWrite(tag: 1), at: 4), callback(.didWrite(tag: 2), at: 5)], kinds: [.wrongOrder],
      actual: "which fits line 7 further on; 1 of 3 had come, the last at 4ms"),
    JudgeRow(
      "a later one before there is any", [event(.didReadPartial, times: 2), event(.didRead, line: 7)],
      [callback(.didRead(bytes: [], tag: 0))], kinds: [.wrongOrder],
      actual: "which fits line 7 further on; 0 of 2 had come"),
    JudgeRow(
      "another one before there are as many", [event(.didWrite, times: 2)],
      [callback(.didWrite(tag: 1), at: 4), callback(.didDisconnect(closed), at: 9)], kinds: [.unexpected],
      actual: "at 9ms; 1 of 2 had come, the last at 4ms; no peer had ended anything"),
    JudgeRow(
      "a field of the second differs", [event(.didWrite, times: 2) { $0.tag = 1 }],
      [callback(.didWrite(tag: 1)), callback(.didWrite(tag: 2))], kinds: [.wrongContent],
      actual: "tag differs; 1 of 2 had come"),
    JudgeRow(
      "late and not yet there, among others in any order",
      [anyOrder(event(.didConnect, window: window(nil, 300)), event(.didWrite))], [], until: 301, kinds: [.late],
      satisfied: false, actual: "not seen by 301ms"),
    JudgeRow(
      "late and not yet there, counted from the end of a silence",
      [nothing(50), event(.didConnect, window: window(nil, 300))], [], until: 351, kinds: [.late], satisfied: false,
      actual: "not seen by 351ms"),
  ]

  @Test(arguments: deviating) func deviates(_ row: JudgeRow) {
    let judge = judged(row.expectations, row.events, until: row.end)
    #expect(judge.deviations.map(\.kind) == row.kinds)
    #expect(judge.deviations.first?.actual.contains(row.actual) ?? false || row.actual.isEmpty)
    if row.isSatisfied { #expect(judge.isSatisfied) }
  }

  /// What has come of it already is not what was expected next.
  @Test(
    arguments: [
      (1, "in any order: didRead, didSecure", 6), (2, "didSecure", 7),
    ] as [(Int, String, Int)])
  func whatIsLeftOfSeveralInAnyOrderIsTold(seen: Int, expected: String, place: Int) {
    let events = [callback(.didWrite(tag: 1)), callback(.didRead(bytes: [], tag: 0))].prefix(seen)
    let judge = judged(
      [anyOrder(event(.didWrite, line: 5), event(.didRead, line: 6), event(.didSecure, line: 7))],
      events + [callback(.didCloseRead)])
    #expect(judge.deviations.map(\.expected) == [expected])
    #expect(judge.deviations.map(\.position) == [line(place)])
  }

  /// What a socket does that no expectation names has no line of its own: the one that started it, or its listener.
  @Test func aStrayPointsToTheStepThatStartedItsSocket() {
    func judge(_ position: SourcePosition?) -> Judge {
      var listen = command(listenCommand, on: "server")
      listen.position = position
      return judged(
        [event(.didConnect)],
        [
          listen, callback(connected), callback(.didAccept(child: "child"), on: "server", at: 7),
          callback(.didDisconnect(nil), on: "child", at: 8),
        ])
    }
    #expect(judge(line(5)).deviations.map(\.position) == [line(5), line(5)])
    #expect(judge(nil).deviations.map(\.position) == [nil, nil])
  }

  @Test func whatIsOutstandingSaysHowMuchOfItCame() {
    let events = [callback(.didWrite(tag: 1), at: 4), callback(.didRead(bytes: bytes("HE"), tag: 0), at: 6)]
    func parts(_ expectations: [Expectation]) -> [String?] {
      judged(expectations, events).outstandingExpectations.map(\.part)
    }
    #expect(
      parts([event(.didWrite), stream("HELLO"), event(.didWrite, times: 2)])
        == ["2 of 5 bytes came, the last at 6ms", nil])
    #expect(
      parts([anyOrder(event(.didWrite, times: 2), stream("HELLO"))]) == ["1 of 2 came", "2 of 5 bytes came"])
  }

  @Test func lateIsMissingWhenItNeverComes() {
    var judge = judged([event(.didConnect, window: window(nil, 300))], [], until: 301)
    judge.finish()
    #expect(judge.deviations.map(\.kind) == [.missing])
  }

  @Test func otherProfilesAlternativesAreLeftOut() {
    let expectation = Expectation.oneOf(
      [
        Alternative(grade: .pass, profile: nil, expectations: [event(.didRead)]),
        Alternative(grade: .pass, profile: .upstream, expectations: [event(.didWrite)]),
      ], position: line(1))
    let events = [callback(.didWrite(tag: 1))]
    #expect(judged([expectation], events).deviations.map(\.kind) == [.unexpected])
    #expect(judged([expectation], events, profile: .upstream).deviations == [])
  }

  @Test func theStricterReadingWins() {
    func choice(_ second: Grade) -> Expectation {
      .oneOf(
        [
          Alternative(grade: .nonStrict, profile: nil, expectations: [event(.didWrite)]),
          Alternative(grade: second, profile: nil, expectations: [event(.didWrite) { $0.tag = 1 }]),
        ], position: line(1))
    }
    #expect(!judged([choice(.pass)], [callback(.didWrite(tag: 1))]).isNonStrict)
    #expect(judged([choice(.pass)], [callback(.didWrite(tag: 2))]).isNonStrict)
    #expect(judged([choice(.nonStrict)], [callback(.didWrite(tag: 1))]).isNonStrict)
  }

  @Test func anAlternativeBindsAllItsSockets() {
    let choice = oneOf(
      [event(.didDisconnect), event(.didWrite, on: "child")], [event(.didRead), event(.didRead, on: "child")])
    let mixed = [callback(.didDisconnect(nil)), callback(.didRead(bytes: [], tag: 0), on: "child")]
    #expect(judged([choice], mixed).deviations.map(\.kind) == [.unexpected])
    let whole = [callback(.didRead(bytes: [], tag: 0), on: "child"), callback(.didRead(bytes: [], tag: 0))]
    #expect(judged([choice], whole).deviations == [])
  }

  @Test func matchesNameTheExpectationOfEachEvent() {
    let judge = judged(
      [event(.didConnect, line: 4), event(.didWrite, optional: true, line: 5), event(.didRead, line: 6)],
      [callback(connected), command(.disconnect), callback(.didRead(bytes: [], tag: 0))])
    #expect(judge.matches == [0: line(4), 2: line(6)])
  }

  /// What differs in its fields or its time is taken as the expected event, so that what follows is judged; it has met
  /// nothing.
  @Test func anEventWithAFlawMatchesNothing() {
    let wanted = event(.didRead, line: 6) { $0.tag = 7 }
    let early = event(.didRead, window: window(1_000, nil, from: .start), line: 6)
    let late = event(.didRead, window: window(nil, 1, from: .start), line: 6)
    for (expectation, kind) in [(wanted, Deviation.Kind.wrongContent), (early, .early), (late, .late)] {
      let judge = judged(
        [event(.didConnect, line: 4), expectation, event(.didWrite, line: 8)],
        [
          callback(connected), callback(.didRead(bytes: [], tag: 0), at: 50), callback(.didWrite(tag: 1), at: 60),
        ])
      #expect(judge.deviations.map(\.kind) == [kind])
      #expect(judge.matches == [0: line(4), 2: line(8)], "\(kind)")
    }
  }

  /// Each could be left out in two ways, one of them tolerated: of 2 to the power of 60 ways to read them two differ.
  @Test func manyChoicesOfOneSocketStayCheap() {
    let choice = Expectation.oneOf(
      [
        Alternative(grade: .pass, profile: nil, expectations: [event(.didRead)]),
        Alternative(grade: .pass, profile: nil, expectations: []),
        Alternative(grade: .nonStrict, profile: nil, expectations: []),
        Alternative(grade: .nonStrict, profile: nil, expectations: [event(.didWrite)]),
      ], position: line(1))
    let many = (0..<60).map { _ in choice }
    let last = judged(many + [event(.didDisconnect)], [callback(.didDisconnect(nil))])
    #expect(last.deviations == [] && last.isSatisfied && !last.isNonStrict)
    let some = judged(
      many + [event(.didDisconnect)],
      [callback(.didRead(bytes: [], tag: 0)), callback(.didWrite(tag: 1)), callback(.didDisconnect(nil))])
    #expect(some.deviations == [] && some.isSatisfied && some.isNonStrict && some.overwhelmedAt == nil)
  }

  /// Choices that bind two sockets can't be forgotten: with too many of them nobody is blamed.
  @Test func tooManyReadingsAreSaid() {
    func judge(_ count: Int) -> Judge {
      let choice = oneOf([event(.didRead, on: "a", line: 5)], [event(.didWrite, on: "b", line: 6)], [])
      let choices = (0..<count).map { _ in choice }
      return judged(
        choices + [event(.didDisconnect, on: "a", line: 7), event(.didDisconnect, on: "b", line: 8)],
        [callback(.didDisconnect(nil), on: "a"), callback(.didDisconnect(nil), on: "b")])
    }
    #expect(judge(6).overwhelmedAt == nil && judge(6).deviations == [] && judge(6).isSatisfied)
    #expect(judge(11).overwhelmedAt == line(7))
  }

  @Test func manyAlikeItemsInAnyOrderStayCheap() {
    let expectation = Expectation.anyOrder((0..<200).map { _ in event(.didWrite) }, position: line(1))
    let judge = judged([expectation], (0..<200).map { callback(.didWrite(tag: $0)) })
    #expect(judge.deviations == [])
    #expect(judge.isSatisfied)
  }
}
