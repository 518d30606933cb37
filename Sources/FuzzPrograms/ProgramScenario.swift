import ReferenceModel
import ScenarioModel

/// A certain program as a scenario of the simulated world, which expects what the model foretells.
///
/// The subject's lane keeps the clock: it announces a point for each step of the peer's, and after every step it waits
/// for longer than the simulated host is ever late. So that these waits never add up to a deadline, a millisecond of
/// the program is a second of the scenario, or a tenth of one in a program that would take days.
package struct ProgramScenario {
  /// Why a program has no scenario.
  package enum Obstacle: Error, Hashable, Sendable {
    /// It takes more milliseconds than a scenario can wait.
    case tooLong(Int)
  }

  /// How the program's time becomes the scenario's.
  package struct Pace: Hashable, Sendable {
    /// Seconds of the scenario for a millisecond of the program.
    package var secondsPerMillisecond: Double
    /// How long the subject waits after each step, so that the world comes to rest.
    package var rest: Duration

    static let normal = Pace(secondsPerMillisecond: 1, rest: .milliseconds(10))
    static let quick = Pace(secondsPerMillisecond: 0.1, rest: .microseconds(2500))

    func seconds(_ milliseconds: Int) -> Double { Double(milliseconds) * secondsPerMillisecond }
    func duration(_ milliseconds: Int) -> Duration { .milliseconds(milliseconds) * Int(secondsPerMillisecond * 1000) }
  }

  /// Milliseconds that the programs of the two paces take at most.
  private static let maxNormal = 80_000
  private static let maxQuick = 800_000
  /// A socket that has just written holds the peer's end back for 10 ms, in case its user is about to close (DIS-05).
  private static let grace = Duration.milliseconds(15)
  /// Longer than all rests together, in virtual time.
  private static let slack = Duration.seconds(20)

  private let certain: CertainProgram
  private let pace: Pace
  private let readTags: [CallSites.Site: Int]
  private let writeTags: [CallSites.Site: Int]
  private var subject: [SubjectStep] = []
  private var peer: [PeerStep] = []
  /// The peer has ended the stream of the present connection.
  private var isFinished = false

  /// The scenario with this id and title; its requirement is what the title is about.
  package static func scenario(
    _ certain: CertainProgram, id: String, title: String, requirement: String = "INV-03"
  ) throws(Obstacle) -> Scenario {
    var builder = ProgramScenario(certain, pace: try pace(of: certain.program))
    return builder.build(id: id, title: title, requirement: requirement)
  }

  /// A second for a millisecond, or 100 ms if the program waits for more than 80 s in all; more than 800 s are too
  /// long.
  package static func pace(of program: SocketProgram) throws(Obstacle) -> Pace {
    let total = program.steps.reduce(0) { total, step in
      if case .wait(let milliseconds) = step { total + milliseconds } else { total }
    }
    guard total <= maxQuick else { throw .tooLong(total) }
    return total <= maxNormal ? .normal : .quick
  }

  private init(_ certain: CertainProgram, pace: Pace) {
    self.certain = certain
    self.pace = pace
    let sites = CallSites(certain.program, certain.run)
    readTags = Dictionary(uniqueKeysWithValues: zip(sites.reads, 0...))
    writeTags = Dictionary(uniqueKeysWithValues: zip(sites.writes, 0...))
  }

  private mutating func build(id: String, title: String, requirement: String) -> Scenario {
    var scenario = Scenario(id: id, title: title)
    scenario.requirements = [requirement]
    scenario.worlds = [.simulated]
    scenario.worldsReason = "it keeps a clock that only virtual time can keep"
    if certain.program.livesOnRunLoop { scenario.matrix.subjects = [.runLoop] }
    scenario.sockets = [SocketSetup(name: "socket")]
    writeLanes()
    scenario.peers = [PeerLane(name: "peer", steps: peer.map { Located($0, at: .nowhere) })]
    scenario.subjects = [SubjectLane(name: "socket", steps: subject.map { LocatedStep($0, at: .nowhere) })]
    scenario.reactions = reactions()
    scenario.expectations = ProgramExpectations.expectations(of: certain.run, pace: pace)
    let waits = certain.program.steps.reduce(Duration.zero) { total, step in
      if case .wait(let milliseconds) = step { total + pace.duration(milliseconds) } else { total }
    }
    scenario.limit = max(.seconds(10), waits + Self.slack)
    return scenario
  }

  // MARK: Lanes

  private mutating func writeLanes() {
    if !certain.program.closesOnEndOfStream, !certain.program.livesOnRunLoop {
      command(.set(.autoDisconnectOnClosedReadStream(false)))
    }
    peer.append(.accept)
    connect(number: 1)
    for (index, step) in certain.program.steps.enumerated() {
      switch step {
      case .call(let call):
        switch call {
        case .disconnect, .disconnectAfter, .write: awaitEnd()
        case .read: break
        }
        command(self.command(call, at: .step(index)))
        subject.append(.wait(pace.rest))
      case .arrive(let bytes): speak(.send(Self.payload(bytes)), index)
      case .peerFinishes:
        speak(.finish, index)
        isFinished = true
      case .peerResets: speak(.reset, index)
      case .wait(let milliseconds): subject.append(.wait(pace.duration(milliseconds) + pace.rest))
      case .reconnect:
        let number = subject.count { if case .command(.connect, _, _) = $0 { true } else { false } } + 1
        awaitEnd()
        isFinished = false
        command(.disconnect)
        subject.append(.wait(pace.rest))
        hand(over: .accept, point: "connection\(number)")
        connect(number: number)
      case .makeRoom, .wake: break
      }
    }
    if certain.run.model.phase == .open, let wire = certain.run.wires.last, !wire.isEmpty {
      peer.append(.expect(Self.payload(wire)))
    }
  }

  /// Waits for the peer's end to be reported before the subject ends the connection itself, or writes to a peer that is
  /// gone.
  private mutating func awaitEnd() {
    if isFinished { subject.append(.wait(Self.grace)) }
  }

  private mutating func command(_ command: SubjectCommand) {
    subject.append(.command(command, socket: "socket", refusal: nil))
  }

  private mutating func connect(number: Int) {
    command(.connect(ConnectCommand(target: .peer("peer"))))
    subject.append(.after(.callback(CallbackPattern(kind: .didConnect), socket: "socket", occurrence: number)))
    subject.append(.wait(pace.rest))
  }

  /// The peer acts now.
  private mutating func speak(_ step: PeerStep, _ index: Int) {
    hand(over: step, point: "step\(index)")
    subject.append(.wait(pace.rest))
  }

  private mutating func hand(over step: PeerStep, point: String) {
    subject.append(.reach(point))
    peer += [.after(.point(point)), step]
  }

  private func command(_ call: SocketProgram.Call, at site: CallSites.Site) -> SubjectCommand {
    switch call {
    case .read(let read, let timeout):
      let boundary: ReadCommand.Boundary =
        switch read {
        case .available(let limit): .available(limit: limit)
        case .exactly(let length): .exactly(length)
        case .through(let delimiter, let limit): .through(.bytes(delimiter), limit: limit)
        }
      return .read(ReadCommand(boundary: boundary, timeout: value(timeout), tag: readTags[site] ?? 0))
    case .write(let bytes, let timeout):
      return .write(
        WriteCommand(payload: Self.payload(bytes), timeout: value(timeout), tag: writeTags[site] ?? 0))
    case .disconnect: return .disconnect
    case .disconnectAfter(let reads, let writes):
      guard reads else { return .disconnectAfterWriting }
      return writes ? .disconnectAfterReadingAndWriting : .disconnectAfterReading
    }
  }

  private func value(_ timeout: Int?) -> TimeoutValue {
    timeout.map { TimeoutValue(seconds: pace.seconds($0)) } ?? .never
  }

  /// Long repetitions are written as such, so that people can read them.
  static func payload(_ bytes: [UInt8]) -> Payload {
    guard bytes.count > 64 else { return .bytes(bytes) }
    for period in 1...4 where bytes.indices.dropFirst(period).allSatisfy({ bytes[$0] == bytes[$0 - period] }) {
      let times = bytes.count / period
      let whole = Payload.repeated(unit: .bytes(Array(bytes[..<period])), times: times)
      let rest = Array(bytes[(times * period)...])
      return rest.isEmpty ? whole : .joined([whole, .bytes(rest)])
    }
    return .bytes(bytes)
  }

  // MARK: Reactions

  private func reactions() -> [Reaction] {
    var reactions: [Reaction] = []
    var questions = 0
    for (number, entry) in certain.run.entries.enumerated() {
      var steps: [SubjectStep] = []
      for (index, reaction) in certain.program.reactions.enumerated() where reaction.callback == number {
        let command = command(reaction.call, at: .reaction(index))
        steps.append(.command(command, socket: "socket", refusal: nil))
      }
      switch entry.event {
      case .readTimeout, .writeTimeout:
        if questions < certain.program.extensions.count, certain.program.extensions[questions] > 0 {
          steps.append(.answer(TimeoutValue(seconds: pace.seconds(certain.program.extensions[questions]))))
        }
        questions += 1
      default: break
      }
      guard !steps.isEmpty, var pattern = ProgramExpectations.pattern(of: entry, pace: pace) else { continue }
      // Which read or write it is suffices; what it brought is for the expectations.
      pattern.bytes = nil
      pattern.bytesDone = nil
      let located = steps.map { LocatedStep($0, at: .nowhere) }
      reactions.append(
        Reaction(pattern: pattern, socket: "socket", times: 1, isOptional: true, steps: located, position: .nowhere))
    }
    return reactions
  }
}

/// What the model foretells, as a scenario expects it.
package enum ProgramExpectations {
  /// Events of one moment come in order, except that a read and a write may come in either order: the socket decides
  /// which of them it serves first.
  package static func expectations(of run: ModelRun, pace: ProgramScenario.Pace) -> [Expectation] {
    var expectations: [Expectation] = []
    var moment: [ModelRun.Entry] = []
    func flush() {
      let events = moment.compactMap { event($0, pace: pace) }
      let writes = moment.count { if case .wrote = $0.event { true } else { false } }
      if writes > 0, writes < moment.count {
        expectations.append(.anyOrder(events, position: .nowhere))
      } else {
        expectations += events
      }
      moment = []
    }
    for entry in run.entries where !entry.event.isPartial {
      if let first = moment.first, first.step != entry.step || first.time != entry.time { flush() }
      switch entry.event {
      // The end behind it has its error, and in either class's words.
      case .willDisconnect: flush()
      case .connected, .readClosed, .disconnected:
        flush()
        if let event = event(entry, pace: pace) { expectations.append(event) }
      default: moment.append(entry)
      }
    }
    flush()
    return expectations
  }

  private static func event(_ entry: ModelRun.Entry, pace: ProgramScenario.Pace) -> Expectation? {
    pattern(of: entry, pace: pace).map {
      .event(EventExpectation(pattern: $0, socket: "socket", position: .nowhere))
    }
  }

  /// nil: progress, which is not required.
  static func pattern(of entry: ModelRun.Entry, pace: ProgramScenario.Pace) -> CallbackPattern? {
    var pattern: CallbackPattern
    switch entry.event {
    case .readPartial, .wrotePartial, .willDisconnect: return nil
    case .connected: pattern = CallbackPattern(kind: .didConnect)
    case .read(_, let tag):
      pattern = CallbackPattern(kind: .didRead)
      pattern.tag = tag
      pattern.bytes = ProgramScenario.payload(entry.bytes)
    case .wrote(let tag):
      pattern = CallbackPattern(kind: .didWrite)
      pattern.tag = tag
    case .readTimeout(let tag, let elapsed, let bytesDone):
      pattern = CallbackPattern(kind: .shouldTimeoutRead)
      (pattern.tag, pattern.elapsed, pattern.bytesDone) = (tag, pace.seconds(elapsed), bytesDone...bytesDone)
    case .writeTimeout(let tag, let elapsed, let bytesDone):
      pattern = CallbackPattern(kind: .shouldTimeoutWrite)
      (pattern.tag, pattern.elapsed, pattern.bytesDone) = (tag, pace.seconds(elapsed), bytesDone...bytesDone)
    case .readClosed: pattern = CallbackPattern(kind: .didCloseRead)
    case .disconnected(let reason):
      pattern = CallbackPattern(kind: .didDisconnect)
      pattern.error = error(reason)
    }
    return pattern
  }

  /// The reason that the delegate gets.
  package static func error(_ reason: ModelEvent.Reason) -> ErrorPattern {
    let broken: [ErrorName] = [.posix(104), .posix(32)]
    switch reason {
    case .wish: return .none
    case .closedByPeer: return .oneOf([.library(.closed)])
    case .broken: return .oneOf(broken)
    case .closedOrBroken: return .oneOf([.library(.closed)] + broken)
    case .readMaxedOut: return .oneOf([.library(.readMaxedOut)])
    case .readTimeout: return .oneOf([.library(.readTimeout)])
    case .writeTimeout: return .oneOf([.library(.writeTimeout)])
    case .connectTimeout: return .oneOf([.library(.connectTimeout)])
    case .connectFailed: return .any
    }
  }
}

extension SourcePosition {
  /// Of what no file says.
  static let nowhere = SourcePosition(line: 0, column: 0)
}
