import ScenarioModel
import ScenarioRunner
import Testing

/// Every invariant with a trace that keeps it and one that breaks it.
@Suite struct InvariantCheckerTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var events: [TraceEvent]
    var requirements: [String]
    var sockets: [SocketSetup] = []
    var testDescription: String { name }
  }

  private static let end = callback(.didDisconnect(nil))
  /// To where nobody judges whose bytes come, unless there is one connection.
  private static let connectCommand = SubjectCommand.connect(ConnectCommand(target: .path("/elsewhere")))
  private static let start = [command(connectCommand), callback(connected)]
  private static let link = [command(connectCommand), saw(.connected), callback(connected)]
  private static let child = [command(listenCommand), saw(.connected), callback(.didAccept(child: "child"))]
  private static func didRead(_ text: String, tag: Int = 0) -> TraceEvent {
    callback(.didRead(bytes: bytes(text), tag: tag))
  }
  private static func failed(_ message: String, code: Int) -> TraceEvent {
    callback(.didDisconnect(SubjectError(domain: .library, code: code, message: message)))
  }

  static let lives: [Row] = [
    Row(name: "one start, one end", events: start + [end], requirements: []),
    Row(name: "two starts, two ends", events: start + [end] + start + [end], requirements: []),
    Row(
      name: "a reconnect before the earlier end is delivered",
      events: start + [command(.disconnect), command(connectCommand), end, callback(connected), end],
      requirements: []),
    Row(name: "two ends", events: start + [end, end], requirements: ["INV-01"]),
    Row(
      name: "an end of a start that failed", events: [command(connectCommand, result: .refused(closed)), end],
      requirements: ["INV-01"]),
    Row(name: "a callback after the end", events: start + [end, callback(.didCloseRead)], requirements: ["INV-02"]),
    Row(
      name: "a start inside another socket's callback, recorded after its effect",
      events: [callback(connected), command(connectCommand, inCallback: true), end], requirements: []),
    Row(
      name: "a child lives from its acceptance",
      events: child + [callback(.didDisconnect(nil), on: "child"), end], requirements: []),
    Row(
      name: "a child ends twice",
      events: child + [callback(.didDisconnect(nil), on: "child"), callback(.didDisconnect(nil), on: "child")],
      requirements: ["INV-01"]),
    Row(
      name: "after a change of queue the order is open",
      events: start + [command(.setDelegateQueue("other")), end, didRead("x")], requirements: []),
  ]

  private static func placed(_ queue: String?, on socket: String = "socket") -> TraceEvent {
    var delivered = delivered(connected, on: socket)
    delivered.queue = queue
    return TraceEvent(at: .zero, kind: .callback(delivered))
  }

  static let queues: [Row] = [
    Row(name: "on the queue of its name", events: [command(connectCommand), placed("socket")], requirements: []),
    Row(name: "nobody has looked", events: [command(connectCommand), placed(nil)], requirements: []),
    Row(
      name: "on no queue of the case", events: [command(connectCommand), placed("")], requirements: ["INV-13"]),
    Row(
      name: "on another socket's queue", events: [command(connectCommand), placed("other")], requirements: ["INV-13"]),
    Row(
      name: "a child on its listener's queue", events: child + [placed("socket", on: "child")], requirements: []),
    Row(
      name: "a child on a stranger's queue", events: child + [placed("other", on: "child")],
      requirements: ["INV-13"]),
  ]

  static let operations: [Row] = [
    Row(
      name: "reads in order",
      events: start + [command(read(1)), command(read(2)), didRead("x", tag: 1), didRead("x", tag: 2)],
      requirements: []),
    Row(
      name: "reads out of order", events: start + [command(read(1)), command(read(2)), didRead("x", tag: 2)],
      requirements: ["INV-04"]),
    Row(name: "a read nobody asked for", events: start + [didRead("x", tag: 0)], requirements: ["INV-04"]),
    Row(
      name: "a write twice",
      events: start + [command(write("a", tag: 1)), callback(.didWrite(tag: 1)), callback(.didWrite(tag: 1))],
      requirements: ["INV-04"]),
    Row(
      name: "no-ops take no place",
      events: start + [
        command(.read(ReadCommand(boundary: .exactly(0), tag: 1))), command(write("", tag: 1)),
        command(.read(ReadCommand(boundary: .through(.bytes([]), limit: 0), tag: 2))),
        command(.read(ReadCommand(boundary: .through(.bytes([1, 2]), limit: 1), tag: 3))),
        command(
          .read(
            ReadCommand(
              boundary: .exactly(4), tag: 4,
              buffer: ReadCommand.Buffer(name: "b", size: nil, offset: 1, fill: 0)))),
        command(read(5)), command(write("x", tag: 6)), didRead("x", tag: 5), callback(.didWrite(tag: 6)),
      ], requirements: []),
    Row(
      name: "what is called after a disconnect takes no place",
      events: start + [command(read(1)), command(.disconnectAfterReading), command(read(2)), didRead("x", tag: 2)],
      requirements: ["INV-04"]),
    Row(
      name: "what a reaction called before a lane's disconnect, recorded behind it",
      events: start + [
        command(.disconnectAfterReading), command(read(1), inCallback: true), didRead("x", tag: 1),
      ], requirements: []),
    Row(
      name: "what a reaction called behind a lane's disconnect at the same instant is ignored",
      events: start + [
        command(read(1)), command(.disconnectAfterReadingAndWriting), command(read(2), inCallback: true),
        command(write("a", tag: 3), inCallback: true), didRead("x", tag: 1), end,
      ], requirements: []),
    Row(
      name: "what a reaction calls later than a lane's disconnect takes no place",
      events: start + [
        command(.disconnectAfterReading, at: 1), command(read(1), inCallback: true, at: 2), didRead("x", tag: 1),
      ], requirements: ["INV-04"]),
    Row(
      name: "what a reaction calls behind its own disconnect takes no place",
      events: start + [
        command(.disconnectAfterReading, inCallback: true), command(read(1), inCallback: true), didRead("x", tag: 1),
      ], requirements: ["INV-04"]),
    Row(
      name: "what two reactions called before a lane's disconnect stays in order",
      events: start + [
        command(.disconnectAfterReading), command(read(1), inCallback: true), command(read(2), inCallback: true),
        didRead("x", tag: 2), didRead("x", tag: 1),
      ], requirements: ["INV-04"]),
    Row(
      name: "what a reaction called before a lane disconnected and connected anew, recorded behind it",
      events: start + [
        command(.disconnect), command(connectCommand), command(read(1), inCallback: true), didRead("x", tag: 1), end,
        callback(connected), command(read(2), at: 1), didRead("x", tag: 2), end,
      ], requirements: []),
    Row(
      name: "a reaction's disconnect, recorded behind its didDisconnect and what a lane started then",
      events: start + [
        end, command(connectCommand), command(.disconnect, inCallback: true), command(read(1)), callback(connected),
        didRead("x", tag: 1), end,
      ], requirements: []),
    Row(
      name: "a reaction's disconnect later than the second start closes it",
      events: start + [
        end, command(connectCommand), callback(connected), command(.disconnect, inCallback: true, at: 1),
        command(read(1), at: 1), didRead("x", tag: 1),
      ], requirements: ["INV-04"]),
    Row(
      name: "lanes and reactions are each in order",
      events: start + [
        command(read(1)), command(read(2), inCallback: true), didRead("x", tag: 2), didRead("x", tag: 1),
      ], requirements: []),
    Row(
      name: "inside perform", events: start + [command(.perform([read(1), read(2)])), didRead("x", tag: 2)],
      requirements: ["INV-04"]),
    Row(
      name: "without a delegate completions may be missing",
      events: start + [
        command(.setDelegate(nil)), command(read(1)), command(read(2)), command(.setDelegate("delegate")),
        didRead("x", tag: 2),
      ], requirements: []),
    Row(
      name: "a new life begins with nothing queued",
      events: start + [command(read(1)), end] + start + [didRead("x", tag: 1)], requirements: ["INV-04"]),
  ]

  private static func asked(_ boundary: ReadCommand.Boundary, tag: Int = 0, inCallback: Bool = false) -> TraceEvent {
    command(.read(ReadCommand(boundary: boundary, tag: tag)), inCallback: inCallback)
  }

  /// A read, and what it completes with.
  private static func reading(_ boundary: ReadCommand.Boundary, _ text: String, _ requirement: String?) -> Row {
    Row(
      name: "\(boundary) read as \(text.debugDescription)",
      events: link + [did(.send(bytes(text))), asked(boundary), didRead(text)],
      requirements: requirement.map { [$0] } ?? [])
  }

  private static func through(_ delimiter: String, limit: Int = 0) -> ReadCommand.Boundary {
    .through(.bytes(bytes(delimiter)), limit: limit)
  }

  static let contents: [Row] = [
    reading(.available(limit: 0), "", "RD-ANY-02"), reading(.available(limit: 3), "abc", nil),
    reading(.available(limit: 3), "abcd", "RD-ANY-04"), reading(.exactly(3), "abc", nil),
    reading(.exactly(3), "ab", "RD-LEN-01"), reading(.exactly(3), "abcd", "RD-LEN-01"),
    reading(through("\n"), "\n", nil), reading(through("\n"), "ab\n", nil), reading(through("\n"), "ab", "RD-DELIM-01"),
    reading(through("\n"), "a\nb\n", "RD-DELIM-01"), reading(through("aab"), "aaab", nil),
    reading(through("aab"), "aabaab", "RD-DELIM-01"), reading(through("abab"), "abaabab", nil),
    reading(through("abab"), "ab", "RD-DELIM-01"), reading(through("\n", limit: 3), "ab\n", nil),
    reading(through("\n", limit: 3), "abc\n", "RD-MAX-03"),
    Row(
      name: "of a lane and of a reaction, the same tag, either",
      events: link + [
        did(.send(bytes("abcde"))), asked(.exactly(3)), asked(.exactly(2), inCallback: true), didRead("ab"),
      ], requirements: []),
    Row(
      name: "of a lane and of a reaction, the same tag, neither",
      events: link + [
        did(.send(bytes("abcde"))), asked(.exactly(3)), asked(.exactly(2), inCallback: true), didRead("a"),
      ], requirements: ["RD-LEN-01"]),
  ]

  static let facts: [Row] = [
    Row(
      name: "progress below the whole",
      events: link + [
        did(.send(bytes("12345"))),
        command(.read(ReadCommand(boundary: .exactly(5)))), callback(.didReadPartial(count: 3, tag: 0)),
        callback(.didReadPartial(count: 1, tag: 0)),
        didRead("12345"),
      ], requirements: []),
    Row(
      name: "progress of nothing", events: start + [command(read()), callback(.didReadPartial(count: 0, tag: 0))],
      requirements: ["INV-15"]),
    Row(
      name: "progress of all",
      events: link + [
        did(.send(bytes("12345"))), command(.read(ReadCommand(boundary: .through(.bytes(bytes("5")), limit: 0)))),
        callback(.didReadPartial(count: 5, tag: 0)), didRead("12345"),
      ], requirements: ["INV-16"]),
    Row(
      name: "progress counts anew for each operation",
      events: start + [
        command(write("12")), command(write("34")), callback(.didWritePartial(count: 1, tag: 0)),
        callback(.didWrite(tag: 0)), callback(.didWritePartial(count: 1, tag: 0)), callback(.didWrite(tag: 0)),
      ], requirements: []),
    Row(
      name: "progress as running totals",
      events: start + [
        command(write("123")), callback(.didWritePartial(count: 1, tag: 0)),
        callback(.didWritePartial(count: 2, tag: 0)), callback(.didWrite(tag: 0)),
      ], requirements: ["INV-16"]),
    Row(name: "NoError", events: start + [failed("none", code: 0)], requirements: ["ERR-03"]),
    Row(name: "an error without words", events: start + [failed("", code: 4)], requirements: ["ERR-12"]),
    Row(
      name: "a refusal without words",
      events: [
        command(connectCommand, result: .refused(SubjectError(domain: .posix, code: 98, message: "")))
      ], requirements: ["ERR-12"]),
  ]

  @Test(arguments: queues) func holdsForQueues(_ row: Row) { check(row) }

  @Test("a socket may be called on each queue that the scenario gives it", arguments: ["other", "third", "fourth"])
  func queuesThatAreGiven(_ queue: String) {
    let scenario = scenario {
      $0.subjects = [
        SubjectLane(
          name: "socket",
          steps: [
            LocatedStep(.repeated(times: 2, steps: [step(.setDelegateQueue("other"))]), at: line(1)),
            step(.perform([.setDelegateQueue("third")])),
          ])
      ]
    }
    var checker = InvariantChecker(scenario: scenario)
    checker.observe(command(Self.connectCommand), index: 0)
    checker.observe(Self.placed(queue), index: 1)
    checker.finish()
    #expect(checker.deviations.compactMap(\.requirement) == (queue == "fourth" ? ["INV-13"] : []))
  }

  @Test(arguments: lives + operations) func holdsForLivesAndOperations(_ row: Row) { check(row) }

  @Test(arguments: contents + facts) func holdsForContentsAndFacts(_ row: Row) { check(row) }

  private func check(_ row: Row) {
    let scenario = scenario {
      $0.peers = [PeerLane(name: "peer", steps: [])]
      $0.sockets = row.sockets
    }
    var checker = InvariantChecker(scenario: scenario)
    for (index, event) in row.events.enumerated() { checker.observe(event, index: index) }
    checker.finish()
    #expect(checker.deviations.compactMap(\.requirement) == row.requirements)
    #expect(checker.deviations.allSatisfy { $0.kind == .invariant })
  }

  @Test func aSocketWithoutDelegateIsHeldLoosely() {
    let setup = SocketSetup(name: "socket", hasDelegate: false)
    let lost = [command(read(1)), command(read(2)), Self.didRead("x", tag: 2)]
    check(Row(name: "", events: Self.start + lost, requirements: [], sockets: [setup]))
  }
}
