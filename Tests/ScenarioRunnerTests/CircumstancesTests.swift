import ScenarioModel
import Testing

@testable import ScenarioRunner

/// Each situation that a mutation may ask for, with subjects of which it holds and the nearest of which it doesn't.
@Suite struct CircumstancesTests {
  typealias Situation = EventMutation.Situation

  struct Row: Sendable, CustomTestStringConvertible {
    var situation: Situation
    /// What has happened to the socket `a`, in order.
    var history: [Happening] = []
    var callback: Callback?
    var command: SubjectCommand?
    var refusal: SubjectError?
    var holds: Bool

    var testDescription: String { "\(situation.rawValue) \(holds)" }
  }

  enum Happening: Sendable {
    case call(SubjectCommand)
    case refused(SubjectCommand)
    case callback(Callback)
    case peer(PeerAction)
  }

  @Test(arguments: errors + operations + sockets) func holds(_ row: Row) throws {
    var circumstances = Circumstances()
    for happening in row.history {
      switch happening {
      case .call(let command): circumstances.note(command, on: "a", .done)
      case .refused(let command): circumstances.note(command, on: "a", .refused(Self.error(.badConfig)))
      case .callback(let callback):
        circumstances.note(DeliveredCallback(socket: "a", delegate: "delegate", callback: callback))
      case .peer(let action): circumstances.note(action)
      }
    }
    let subject = Circumstances.Subject(
      socket: "a", callback: row.callback, command: row.command, result: row.refusal.map(CommandResult.refused))
    #expect(try circumstances.holds("lose didRead of \(row.situation.rawValue)", of: subject) == row.holds)
  }

  @Test func allThatAreNamedMustHold() throws {
    var circumstances = Circumstances()
    circumstances.note(.read(ReadCommand(boundary: .exactly(3), timeout: .never, tag: 1)), on: "a", .done)
    let subject = Circumstances.Subject(socket: "a", callback: .didRead(bytes: [1, 2, 3], tag: 1))
    #expect(try circumstances.holds("lose didRead", of: subject))
    #expect(try circumstances.holds("lose didRead of length endless", of: subject))
    #expect(try !circumstances.holds("lose didRead of length timed", of: subject))
    #expect(try !circumstances.holds("lose didRead of delimiter endless", of: subject))
  }

  @Test func anErrorIsAskedForByName() throws {
    let circumstances = Circumstances()
    let reset = SubjectError(domain: .posix, code: 104, message: "")
    let refused = SubjectError(domain: .posix, code: 111, message: "")
    func holds(_ callback: Callback) throws -> Bool {
      try circumstances.holds("excuse didDisconnect of ECONNRESET", of: .init(socket: "a", callback: callback))
    }
    #expect(try holds(.didDisconnect(reset)))
    #expect(try holds(.willDisconnect(reset)))
    #expect(try !holds(.didDisconnect(refused)))
    #expect(try !holds(.didDisconnect(nil)))
  }

  /// Whoever adds a situation adds both rows.
  @Test(arguments: Situation.allCases) func everySituationIsShownBothWays(_ situation: Situation) {
    // Whether a call was made inside a callback and which class is judged are no history of a socket.
    guard ![.inside, .gcd, .runLoop, .child].contains(situation) else { return }
    let rows = (Self.errors + Self.operations + Self.sockets).filter { $0.situation == situation }
    #expect(rows.contains { $0.holds })
    #expect(rows.contains { !$0.holds })
  }

  @Test func theCallAndTheSocketSayTheRest() throws {
    let circumstances = Circumstances()
    func holds(_ situation: String, _ subject: Circumstances.Subject) throws -> Bool {
      try circumstances.holds("lose didRead of \(situation)", of: subject)
    }
    #expect(try holds("inside", .init(socket: "a", isInside: true)))
    #expect(try !holds("inside", .init(socket: "a")))
    #expect(try holds("child", .init(socket: "child2")))
    #expect(try !holds("child", .init(socket: "a")))
    #expect(try holds("gcd", .init(socket: "a")))
    #expect(try !holds("run-loop", .init(socket: "a")))
  }

  // MARK: Rows

  private static func error(_ code: LibraryErrorCode) -> SubjectError {
    SubjectError(domain: .library, code: code.rawValue, message: "")
  }

  static let errors: [Row] = {
    let kinds: [(Situation, [SubjectError])] = [
      (.timeout, [error(.connectTimeout), error(.readTimeout), error(.writeTimeout)]),
      (.overflow, [error(.readMaxedOut)]),
      (.closed, [error(.closed)]),
      (.posix, [SubjectError(domain: .posix, code: 104, message: "")]),
      (.lookup, [SubjectError(domain: .netDB, code: 8, message: "")]),
      (.ssl, [SubjectError(domain: .ssl, code: -9806, message: "")]),
      (.config, [error(.badConfig), SubjectError(domain: .exception, code: 0, message: "")]),
      (.parameter, [error(.badParam), SubjectError(domain: .runLoop, code: 1, message: "")]),
      (.other, [error(.other)]),
    ]
    var rows: [Row] = []
    for (situation, _) in kinds {
      for (kind, errors) in kinds {
        for error in errors {
          let holds = kind == situation
          rows.append(Row(situation: situation, callback: .didDisconnect(error), holds: holds))
          rows.append(Row(situation: situation, callback: .willDisconnect(error), holds: holds))
          rows.append(Row(situation: situation, refusal: error, holds: holds))
        }
      }
      rows.append(Row(situation: situation, callback: .didDisconnect(nil), holds: false))
      rows.append(Row(situation: situation, callback: .didWrite(tag: 0), holds: false))
    }
    rows.append(Row(situation: .none, callback: .didDisconnect(nil), holds: true))
    rows.append(Row(situation: .none, callback: .willDisconnect(nil), holds: true))
    rows.append(Row(situation: .none, callback: .didDisconnect(error(.closed)), holds: false))
    rows.append(Row(situation: .none, callback: .didWrite(tag: 0), holds: false))
    rows.append(Row(situation: .none, refusal: error(.badParam), holds: false))
    return rows
  }()

  private static func read(
    _ boundary: ReadCommand.Boundary, _ seconds: Double = -1, buffer: ReadCommand.Buffer? = nil
  ) -> SubjectCommand {
    .read(ReadCommand(boundary: boundary, timeout: TimeoutValue(seconds: seconds), tag: 1, buffer: buffer))
  }

  private static func write(_ bytes: Int, _ seconds: Double = -1) -> SubjectCommand {
    .write(
      WriteCommand(
        payload: .repeated(unit: .bytes([7]), times: bytes), timeout: TimeoutValue(seconds: seconds), tag: 1))
  }

  static let operations: [Row] = {
    let buffer = ReadCommand.Buffer(name: "b", size: 16, offset: 0, fill: 0)
    let noBuffer = ReadCommand.Buffer(name: "b", size: nil, offset: 0, fill: 0)
    let reads: [(Situation, SubjectCommand, Bool)] = [
      (.length, read(.exactly(1)), true), (.length, read(.available(limit: 1)), false),
      (.length, read(.through(.bytes([10]), limit: 1)), false),
      (.delimiter, read(.through(.bytes([10]), limit: 0)), true), (.delimiter, read(.exactly(1)), false),
      (.anything, read(.available(limit: 0)), true), (.anything, read(.exactly(1)), false),
      (.void, read(.exactly(0)), true), (.void, read(.exactly(1)), false),
      (.void, read(.through(.bytes([]), limit: 0)), true), (.void, read(.through(.bytes([10]), limit: 0)), false),
      (.limited, read(.through(.bytes([10]), limit: 1)), true),
      (.limited, read(.through(.bytes([10]), limit: 0)), false),
      (.limited, read(.available(limit: 1)), true), (.limited, read(.available(limit: 0)), false),
      (.limited, read(.exactly(1)), false),
      (.buffered, read(.exactly(1), buffer: buffer), true), (.buffered, read(.exactly(1)), false),
      (.buffered, read(.exactly(1), buffer: noBuffer), false),
      (.overlapping, read(.through(.bytes([1, 2, 1]), limit: 0)), true),
      (.overlapping, read(.through(.bytes([1, 2, 1, 2]), limit: 0)), true),
      (.overlapping, read(.through(.bytes([1, 2, 3]), limit: 0)), false),
      (.overlapping, read(.through(.bytes([1]), limit: 0)), false),
      (.overlapping, read(.through(.bytes([]), limit: 0)), false),
      (.binary, read(.through(.bytes([65, 0]), limit: 0)), true),
      (.binary, read(.through(.bytes([65, 0x80]), limit: 0)), true),
      (.binary, read(.through(.bytes([65, 0x7f]), limit: 0)), false), (.binary, read(.exactly(1)), false),
      (.large, read(.exactly(1 << 20)), true), (.large, read(.exactly((1 << 20) - 1)), false),
      (.large, read(.through(.repeated(unit: .bytes([1]), times: 1 << 12), limit: 0)), true),
      (.large, read(.through(.repeated(unit: .bytes([1]), times: (1 << 12) - 1), limit: 0)), false),
      (.small, read(.exactly(1)), false),
      (.timed, read(.exactly(1), 0.5), true), (.timed, read(.exactly(1), 0), false),
      (.timed, read(.exactly(1), -1), false),
      (.endless, read(.exactly(1), -1), true), (.endless, read(.exactly(1), 0), false),
      (.zero, read(.exactly(1), 0), true), (.zero, read(.exactly(1), 1), false),
    ]
    let writes: [(Situation, SubjectCommand, Bool)] = [
      (.void, write(0), true), (.void, write(1), false), (.small, write(1 << 12), true),
      (.small, write((1 << 12) + 1), false), (.large, write(1 << 20), true), (.large, write((1 << 20) - 1), false),
      (.timed, write(1, 2), true), (.timed, write(1), false), (.endless, write(1), true),
      (.endless, write(1, 2), false), (.zero, write(1, 0), true), (.zero, write(1), false), (.length, write(1), false),
    ]
    var rows: [Row] = []
    for (situation, command, holds) in reads + writes {
      rows.append(Row(situation: situation, command: command, holds: holds))
      let isWrite = if case .write = command { true } else { false }
      let callbacks: [Callback] =
        isWrite
        ? [
          .didWrite(tag: 1), .didWritePartial(count: 1, tag: 1), .shouldTimeoutWrite(tag: 1, elapsed: 1, bytesDone: 0),
        ]
        : [
          .didRead(bytes: [], tag: 1), .didReadPartial(count: 1, tag: 1),
          .shouldTimeoutRead(tag: 1, elapsed: 1, bytesDone: 0),
        ]
      for callback in callbacks {
        rows.append(Row(situation: situation, history: [.call(command)], callback: callback, holds: holds))
      }
      // What was refused is no operation of the socket.
      rows.append(Row(situation: situation, history: [.refused(command)], callback: callbacks[0], holds: false))
    }
    let connect = { SubjectCommand.connect(ConnectCommand(target: .peer("p"), timeout: TimeoutValue(seconds: $0))) }
    rows += [
      Row(situation: .timed, command: connect(1), holds: true),
      Row(situation: .timed, command: connect(-1), holds: false),
      Row(situation: .endless, command: connect(-1), holds: true),
      Row(situation: .length, command: connect(1), holds: false),
    ]
    return rows + early
  }()

  /// Queued before the connection stood.
  private static let early: [Row] = {
    let connected = Happening.callback(.didConnect(host: "h", port: 1))
    var rows: [Row] = []
    for (command, callback) in [
      (read(.exactly(1)), Callback.didRead(bytes: [1], tag: 1)), (write(1), .didWrite(tag: 1)),
    ] {
      rows += [
        Row(situation: .early, history: [.call(command), connected], callback: callback, holds: true),
        Row(situation: .early, history: [connected, .call(command)], callback: callback, holds: false),
        Row(situation: .early, command: command, holds: true),
        Row(situation: .early, history: [connected], command: command, holds: false),
      ]
    }
    return rows
  }()

  static let sockets: [Row] = {
    let connect = Happening.call(.connect(ConnectCommand(target: .peer("p"))))
    let listen = Happening.call(.listen(ListenCommand(place: .anywhere(port: .free))))
    let connected = Happening.callback(.didConnect(host: "h", port: 1))
    let connectedToPath = Happening.callback(.didConnectToURL(path: "/s"))
    let ended = Happening.callback(.didDisconnect(nil))
    let (disconnect, secure) = (Happening.call(.disconnect), Happening.call(.startTLS(TLSCommand())))
    let secured = Happening.callback(.didSecure)
    let graceful: [Happening] = [
      .call(.disconnectAfterReading), .call(.disconnectAfterWriting), .call(.disconnectAfterReadingAndWriting),
    ]
    let perform = Happening.call(.perform([.disconnect]))
    var rows: [Row] = []
    func add(_ situation: Situation, when histories: [[Happening]], not others: [[Happening]]) {
      rows += histories.map { Row(situation: situation, history: $0, holds: true) }
      rows += others.map { Row(situation: situation, history: $0, holds: false) }
    }
    add(.fresh, when: [[]], not: [[connect], [listen], [connect, ended], [connected]])
    add(.started, when: [[connect], [listen], [connected]], not: [[], [connect, ended], [connect, disconnect]])
    add(.idle, when: [[], [connect, ended]], not: [[connect], [listen]])
    add(
      .asked, when: [[connect, disconnect], [connect, perform]] + graceful.map { [connect, $0] }, not: [[], [connect]])
    // Of a socket that is not started there is nothing to put off.
    add(.asked, when: [], not: graceful.map { [$0] })
    add(.unasked, when: [[], [connect], [connect, disconnect, connect]], not: [[connect, disconnect]])
    add(.plain, when: [[connect, disconnect]], not: [[connect]] + graceful.map { [connect, $0] })
    add(
      .graceful, when: graceful.map { [connect, $0] }, not: [[connect], [connect, disconnect]] + graceful.map { [$0] })
    add(
      .connected, when: [[connect, connected], [connectedToPath]], not: [[], [connect], [connect, connected, ended]])
    add(.unconnected, when: [[], [connect], [connect, connected, ended]], not: [[connect, connected]])
    add(.ended, when: [[connect, ended]], not: [[], [connect], [connect, ended, connect]])
    add(.again, when: [[connect, ended, connect]], not: [[], [connect], [connect, ended]])
    add(.secured, when: [[connect, secure]], not: [[], [connect, connected], [connect, secure, ended, connect]])
    add(.clear, when: [[], [connect]], not: [[connect, secure]])
    add(.handshaking, when: [[connect, secure]], not: [[connect], [connect, secure, secured]])
    add(.half, when: [[connect, .callback(.didCloseRead)]], not: [[connect], [connect, connected]])
    add(.listener, when: [[listen]], not: [[], [connect]])
    let (fin, close, reset) = (Happening.peer(.finish), Happening.peer(.close), Happening.peer(.reset))
    let accept = Happening.peer(.accept)
    add(
      .fin, when: [[fin], [close], [accept, fin]],
      not: [[], [reset], [fin, accept], [fin, .peer(.connect(socket: "a"))]])
    add(.reset, when: [[reset]], not: [[], [fin], [reset, accept]])
    add(.silent, when: [[], [accept], [fin, accept]], not: [[fin], [close], [reset]])
    return rows
  }()
}

extension Circumstances {
  /// Whether all that the mutation of this text asks for holds of the subject.
  fileprivate func holds(_ mutation: String, of subject: Subject) throws -> Bool {
    hold(for: try EventMutation(mutation), of: subject)
  }
}
