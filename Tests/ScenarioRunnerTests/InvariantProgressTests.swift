import ScenarioModel
import ScenarioRunner
import Testing

/// Progress that no expectation names, of operations that need not complete; reasons nobody gave; trust nobody granted.
@Suite struct InvariantProgressTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var events: [TraceEvent]
    var requirements: [String]
    var testDescription: String { name }
  }

  private static let start = [command(connectCommand), saw(.connected), callback(connected)]
  private static let clogged = start + [command(write("0123456789", tag: 1)), command(write("abc", tag: 2))]
  private static let reading =
    start + [
      command(.read(ReadCommand(boundary: .exactly(10), tag: 1))),
      command(.read(ReadCommand(boundary: .through(.bytes([10]), limit: 6), tag: 2))),
      did(.send(bytes("0123456"))),
    ]

  private static func read(_ count: Int, _ tag: Int = 1) -> TraceEvent {
    callback(.didReadPartial(count: count, tag: tag))
  }
  private static func wrote(_ count: Int, _ tag: Int = 1) -> TraceEvent {
    callback(.didWritePartial(count: count, tag: tag))
  }
  private static func asked(_ property: SubjectProperty, _ value: PropertyValue) -> TraceEvent {
    let check = PropertyCheck(property: property, expected: .present, position: line(1))
    return TraceEvent(at: .zero, kind: .checked(check, socket: "socket", actual: value, holds: true))
  }
  private static func progress(_ tag: Int, _ done: Int, _ total: Int, _ fraction: Double? = nil) -> PropertyValue {
    let wanted = total > 0 ? Double(Float(done) / Float(total)) : 1
    return .progress(tag: tag, done: done, total: total, fraction: fraction ?? wanted)
  }

  static let partials: [Row] = [
    Row(name: "increments", events: reading + [read(3), read(4)], requirements: []),
    Row(name: "running totals", events: clogged + [wrote(3), wrote(6), wrote(9)], requirements: ["INV-16"]),
    Row(name: "all of it", events: clogged + [wrote(4), wrote(6)], requirements: ["INV-16"]),
    Row(name: "more than it has", events: reading + [read(11)], requirements: ["INV-16", "INV-16"]),
    Row(name: "more than was sent", events: reading + [read(3), read(5)], requirements: ["INV-16"]),
    Row(
      name: "more than was sent behind what is delivered",
      events: reading + [
        did(.send(bytes("789a"))), callback(.didRead(bytes: bytes("0123456789"), tag: 1)), read(3, 2),
      ],
      requirements: ["INV-16"]),
    Row(
      name: "of one that a reaction asked for, while another is under way",
      events: reading + [
        read(1), command(.read(ReadCommand(boundary: .exactly(3), tag: 3)), inCallback: true), read(1, 3),
      ],
      requirements: ["INV-16"]),
    Row(name: "nothing", events: clogged + [wrote(0)], requirements: ["INV-15"]),
    Row(name: "of the next one", events: clogged + [wrote(1, 2)], requirements: ["INV-16"]),
    Row(name: "of nobody", events: reading + [read(1, 9)], requirements: ["INV-16"]),
    Row(
      name: "after the completion", events: clogged + [callback(.didWrite(tag: 1)), wrote(1)],
      requirements: ["INV-16"]),
    Row(
      name: "of the next one in its turn", events: clogged + [wrote(9), callback(.didWrite(tag: 1)), wrote(2, 2)],
      requirements: []),
    Row(name: "with nothing queued", events: start + [wrote(1)], requirements: ["INV-16"]),
    Row(
      name: "of a read of whatever there is",
      events: start + [command(.read(ReadCommand(boundary: .available(limit: 4), tag: 1))), did(.send([1])), read(1)],
      requirements: ["RDQ-10"]),
    Row(
      name: "up to a limit, before it is overrun",
      events: start + [
        command(.read(ReadCommand(boundary: .through(.bytes([10]), limit: 6), tag: 2))), did(.send(bytes("0123456"))),
        read(6, 2),
      ], requirements: []),
    Row(
      name: "beyond a limit",
      events: start + [
        command(.read(ReadCommand(boundary: .through(.bytes([10]), limit: 6), tag: 2))), did(.send(bytes("0123456"))),
        read(7, 2),
      ], requirements: ["INV-16"]),
    Row(
      name: "of a read that a reaction called",
      events: start + [
        command(.read(ReadCommand(boundary: .exactly(10), tag: 5)), inCallback: true), did(.send(bytes("01"))),
        read(2, 5),
      ], requirements: []),
    Row(
      name: "of a write that met a lane's disconnect",
      events: start + [
        command(.disconnectAfterWriting), command(write("0123", tag: 5), inCallback: true), wrote(3, 5),
        callback(.didWrite(tag: 5)),
      ], requirements: []),
    Row(
      name: "all of a write that met a lane's disconnect",
      events: start + [
        command(.disconnectAfterWriting), command(write("0123", tag: 5), inCallback: true), wrote(4, 5),
      ], requirements: ["INV-16"]),
    Row(
      name: "without a delegate for a while nobody knows",
      events: start + [command(.setDelegate(nil)), wrote(5), wrote(0)], requirements: ["INV-15"]),
  ]

  private static let secured =
    [
      command(connectCommand), saw(.connected), callback(connected), command(.startTLS(TLSCommand())),
      tls(.began(.server)), command(write("0123456789")), wrote(5, 0),
    ]

  static let wire: [Row] = [
    Row(
      name: "what was reported is in front of the FIN",
      events: clogged + [wrote(5), saw(.received(bytes("01234"))), command(.disconnect), saw(.endOfStream)],
      requirements: []),
    Row(
      name: "less than was reported",
      events: clogged + [wrote(5), saw(.received(bytes("0123"))), command(.disconnect), saw(.endOfStream)],
      requirements: ["INV-06"]),
    Row(
      name: "less than was done",
      events: clogged + [
        callback(.didWrite(tag: 1)), saw(.received(bytes("012345678"))), command(.disconnect), saw(.endOfStream),
      ], requirements: ["INV-06"]),
    Row(
      name: "less than was reported, and then a FIN without close_notify",
      events: secured + [tls(.plainReceived(bytes("0"))), saw(.endOfStream), tls(.failed("no close_notify"))],
      requirements: ["INV-06"]),
    Row(
      name: "a peer whose TLS gave up can't tell what arrived",
      events: secured + [tls(.plainReceived(bytes("0"))), tls(.failed("a damaged record")), saw(.endOfStream)],
      requirements: []),
    Row(
      name: "a reset destroys what is on its way",
      events: clogged + [wrote(5), saw(.received(bytes("0123"))), command(.disconnect), saw(.broken(104))],
      requirements: []),
  ]

  static let questions: [Row] = [
    Row(
      name: "as much as reported",
      events: reading + [read(3), callback(.shouldTimeoutRead(tag: 1, elapsed: 1, bytesDone: 3))], requirements: []),
    Row(
      name: "less than reported",
      events: reading + [read(3), callback(.shouldTimeoutRead(tag: 1, elapsed: 1, bytesDone: 2))],
      requirements: ["TMO-09"]),
    Row(
      name: "all there is", events: clogged + [callback(.shouldTimeoutWrite(tag: 1, elapsed: 1, bytesDone: 10))],
      requirements: ["TMO-09"]),
    Row(
      name: "of one that waits", events: clogged + [callback(.shouldTimeoutWrite(tag: 2, elapsed: 1, bytesDone: 0))],
      requirements: ["TMO-09"]),
  ]

  static let properties: [Row] = [
    Row(name: "half", events: reading + [asked(.progressOfRead, progress(1, 5, 10))], requirements: []),
    Row(
      name: "none", events: start + [asked(.progressOfRead, .progress(tag: 0, done: 0, total: 0, fraction: .nan))],
      requirements: []),
    Row(
      name: "none, and yet something",
      events: start + [asked(.progressOfRead, .progress(tag: 0, done: 1, total: 2, fraction: .nan))],
      requirements: ["DIAG-11"]),
    Row(
      name: "another fraction", events: reading + [asked(.progressOfRead, progress(1, 5, 10, 0.4))],
      requirements: ["DIAG-11"]),
    Row(
      name: "a fraction above 1", events: clogged + [asked(.progressOfWrite, progress(1, 5, 3))],
      requirements: ["DIAG-13"]),
    Row(
      name: "the rest for the whole", events: clogged + [asked(.progressOfWrite, progress(1, 2, 6))],
      requirements: ["DIAG-13"]),
    Row(
      name: "backwards",
      events: clogged + [asked(.progressOfWrite, progress(1, 5, 10)), asked(.progressOfWrite, progress(1, 4, 10))],
      requirements: ["DIAG-13"]),
    Row(
      name: "less than reported", events: clogged + [wrote(5), asked(.progressOfWrite, progress(1, 4, 10))],
      requirements: ["DIAG-13"]),
    Row(
      name: "ahead of the callbacks", events: clogged + [asked(.progressOfWrite, progress(2, 1, 3))], requirements: []),
    Row(
      name: "of one that is done",
      events: clogged + [callback(.didWrite(tag: 1)), asked(.progressOfWrite, progress(1, 5, 10))],
      requirements: ["DIAG-13"]),
    Row(
      name: "of a line",
      events: start + [
        command(.read(ReadCommand(boundary: .through(.bytes([10]), limit: 0), tag: 3))),
        asked(.progressOfRead, progress(3, 4, 0)),
      ], requirements: []),
    Row(
      name: "after the end",
      events: clogged + [callback(.didDisconnect(nil)), asked(.progressOfWrite, progress(1, 5, 10))],
      requirements: ["DIAG-13"]),
  ]

  private static let two = start + [command(connectCommand, on: "other")]
  private static let timeout = SubjectError(
    domain: .library, code: LibraryErrorCode.readTimeout.rawValue, message: "too late")
  private static let reset = SubjectError(domain: .posix, code: 104, message: "reset by the peer")

  static let reasons: [Row] = [
    Row(name: "closed by nobody", events: start + [callback(.didDisconnect(closed))], requirements: ["ERR-09"]),
    Row(
      name: "closed by its peer", events: start + [did(.finish), callback(.didDisconnect(closed))], requirements: []),
    Row(
      name: "closed by nobody, though the peer has sent something",
      events: start + [did(.send(bytes("x"))), did(.setReading(.paused)), callback(.didDisconnect(closed))],
      requirements: ["ERR-09"]),
    Row(
      name: "closed by another socket",
      events: start + [command(.disconnect, on: "other"), callback(.didDisconnect(closed))], requirements: []),
    Row(
      name: "closed by another socket that is told later why it had ended",
      events: two + [callback(.didDisconnect(closed)), callback(.didDisconnect(timeout), on: "other")],
      requirements: []),
    Row(
      name: "closed by another socket that has nobody to tell",
      events: two + [command(.setDelegate(nil), on: "other"), callback(.didDisconnect(closed))], requirements: []),
    Row(
      name: "closed by nobody, without a delegate for a while",
      events: two + [
        command(.setDelegate(nil)), command(.setDelegate("delegate")), callback(.didDisconnect(closed)),
      ], requirements: ["ERR-09"]),
    Row(
      name: "closed by nobody, and the other socket is closed, too",
      events: two + [callback(.didDisconnect(closed)), callback(.didDisconnect(closed), on: "other")],
      requirements: ["ERR-09"]),
    Row(
      name: "closed by nobody, and the other socket's connection is broken by it",
      events: two + [callback(.didDisconnect(closed)), callback(.didDisconnect(reset), on: "other")],
      requirements: ["ERR-09"]),
    Row(
      name: "closed by nobody, and later it times out itself",
      events: start + [callback(.didDisconnect(closed))] + start + [callback(.didDisconnect(timeout))],
      requirements: ["ERR-09"]),
    Row(
      name: "closed when the next one was accepted", events: start + [did(.accept), callback(.didDisconnect(closed))],
      requirements: []),
    Row(
      name: "secured before the answer", events: start + [callback(.didReceiveTrust), callback(.didSecure)],
      requirements: ["TLS-21"]),
    Row(
      name: "secured after a yes in a call that waited for the question",
      events: start + [command(.perform([.answerTrust(true)])), callback(.didReceiveTrust), callback(.didSecure)],
      requirements: []),
    Row(
      name: "secured after a yes that came before the question",
      events: start + [
        command(.perform([.answerTrust(true)])), callback(.didReceiveTrust, at: 1), callback(.didSecure, at: 1),
      ], requirements: ["TLS-21"]),
    Row(
      name: "secured after a no",
      events: start + [callback(.didReceiveTrust), command(.answerTrust(false)), callback(.didSecure)],
      requirements: ["TLS-21"]),
    Row(
      name: "secured after a yes",
      events: start + [callback(.didReceiveTrust), command(.answerTrust(true)), callback(.didSecure)],
      requirements: []),
  ]

  @Test(arguments: partials + wire + questions + properties + reasons) func holds(_ row: Row) {
    var checker = InvariantChecker(scenario: scenario { $0.peers = [PeerLane(name: "peer", steps: [])] })
    for (index, event) in row.events.enumerated() { checker.observe(event, index: index) }
    checker.finish()
    #expect(checker.deviations.compactMap(\.requirement) == row.requirements, "\(checker.deviations)")
  }

  @Test func absurdNumbersAreOnlyObjectedTo() {
    let absurd = [Int.max, .min, -1, 0]
    var events = Self.clogged
    for count in absurd {
      events += [Self.wrote(count), Self.read(count), Self.asked(.progressOfWrite, Self.progress(1, count, 1, 0))]
      events += absurd.map {
        Self.asked(.progressOfRead, .progress(tag: 1, done: count, total: $0, fraction: .infinity))
      }
      events.append(callback(.shouldTimeoutWrite(tag: 1, elapsed: .nan, bytesDone: count)))
    }
    events.append(saw(.endOfStream))
    var checker = InvariantChecker(scenario: scenario { $0.peers = [PeerLane(name: "peer", steps: [])] })
    for (index, event) in events.enumerated() { checker.observe(event, index: index) }
    checker.finish()
    #expect(checker.deviations.count > absurd.count)
  }
}
