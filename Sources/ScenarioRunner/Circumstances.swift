import ScenarioModel

/// What has happened in a case so far, as far as mutations ask for it.
struct Circumstances {
  /// What the question is about.
  struct Subject {
    var socket: String
    var callback: Callback?
    var command: SubjectCommand?
    var result: CommandResult?
    var isInside = false
  }

  /// Whether any socket of the case is secured: what peers receive can't be falsified then, but for the end.
  private(set) var usesTLS = false
  private var kind = SubjectKind.gcd
  private var sockets: [String: Socket] = [:]
  private var peerHasFinished = false
  private var peerHasReset = false

  private struct Socket {
    var isConnected = false
    var isStarted = false
    var isListener = false
    var connections = 0
    var hasEnded = false
    var wasAsked = false
    var isGraceful = false
    var isSecured = false
    var hasSecured = false
    var isHalfClosed = false
    var reads: [Int: (command: ReadCommand, isEarly: Bool)] = [:]
    var writes: [Int: (command: WriteCommand, isEarly: Bool)] = [:]
  }

  init() {}

  init(_ setup: CaseSetup) {
    kind = setup.variant.subject
    usesTLS =
      setup.variant.security != .plain
      || setup.scenario.subjects.contains { Self.secures($0.steps) }
      || setup.scenario.reactions.contains { Self.secures($0.steps) }
  }

  private static func secures(_ steps: [LocatedStep]) -> Bool {
    steps.contains { step in
      switch step.step {
      case .command(.startTLS, _, _): true
      case .repeated(_, let steps): secures(steps)
      default: false
      }
    }
  }

  // MARK: What happens

  mutating func note(_ action: PeerAction) {
    switch action {
    case .finish, .close: peerHasFinished = true
    case .reset: peerHasReset = true
    case .accept, .connect: (peerHasFinished, peerHasReset) = (false, false)
    default: break
    }
  }

  mutating func note(_ command: SubjectCommand, on socket: String, _ result: CommandResult) {
    guard result == .done else { return }
    var state = sockets[socket] ?? Socket()
    switch command {
    case .connect, .listen:
      let connections = state.connections + 1
      state = Socket()
      state.connections = connections
      state.isStarted = true
      if case .listen = command { state.isListener = true }
    case .read(let read): state.reads[read.tag] = (read, !state.isConnected)
    case .write(let write): state.writes[write.tag] = (write, !state.isConnected)
    case .disconnect: (state.wasAsked, state.isStarted) = (true, false)
    case .disconnectAfterReading, .disconnectAfterWriting, .disconnectAfterReadingAndWriting:
      if state.isStarted { (state.wasAsked, state.isGraceful) = (true, true) }
    case .startTLS: state.isSecured = true
    case .perform(let commands):
      sockets[socket] = state
      for command in commands { note(command, on: socket, result) }
      return
    default: break
    }
    sockets[socket] = state
  }

  mutating func note(_ delivered: DeliveredCallback) {
    var state = sockets[delivered.socket] ?? Socket()
    switch delivered.callback {
    case .didConnect, .didConnectToURL: (state.isConnected, state.isStarted) = (true, true)
    case .didAccept(let child):
      var new = Socket()
      (new.isConnected, new.isStarted) = (true, true)
      sockets[child] = new
    case .didSecure: state.hasSecured = true
    case .didCloseRead: state.isHalfClosed = true
    case .didDisconnect: (state.isConnected, state.isStarted, state.hasEnded) = (false, false, true)
    default: break
    }
    sockets[delivered.socket] = state
  }

  // MARK: What holds

  /// Whether all that the mutation asks for holds of the subject.
  func hold(for mutation: EventMutation, of subject: Subject) -> Bool {
    let situations = mutation.situations
    guard mutation.error.isEmpty || Self.error(subject)?.name == mutation.error else { return false }
    guard !situations.isEmpty else { return true }
    let state = sockets[subject.socket] ?? Socket()
    return situations.allSatisfy { holds($0, subject, state) }
  }

  /// Whether all of it holds of one socket: a peer does not know which it speaks to.
  func holdOfSome(_ mutation: EventMutation) -> Bool {
    mutation.situations.isEmpty || sockets.keys.contains { hold(for: mutation, of: Subject(socket: $0)) }
  }

  private func holds(_ situation: EventMutation.Situation, _ subject: Subject, _ state: Socket)
    -> Bool
  {
    switch situation {
    case .fresh: state.connections == 0 && !state.isStarted
    case .started: state.isStarted
    case .asked: state.wasAsked
    case .plain: state.wasAsked && !state.isGraceful
    case .unasked: !state.wasAsked
    case .graceful: state.isGraceful
    case .connected: state.isConnected
    case .unconnected: !state.isConnected
    case .idle: !state.isStarted
    case .ended: state.hasEnded
    case .again: state.connections > 1
    case .secured: state.isSecured
    case .clear: !state.isSecured
    case .handshaking: state.isSecured && !state.hasSecured
    case .half: state.isHalfClosed
    case .child: subject.socket.hasPrefix("child")
    case .listener: state.isListener
    case .fin: peerHasFinished
    case .reset: peerHasReset
    case .silent: !peerHasFinished && !peerHasReset
    case .inside: subject.isInside
    case .gcd: kind == .gcd
    case .runLoop: kind == .runLoop
    case .length, .delimiter, .anything, .limited, .buffered, .overlapping, .binary, .void, .small, .large, .timed,
      .endless, .zero, .early:
      operationHolds(situation, subject, state)
    case .timeout, .overflow, .closed, .posix, .lookup, .ssl, .config, .parameter, .other, .none:
      Self.errorHolds(situation, subject)
    }
  }

  // MARK: Operations

  private func operationHolds(
    _ situation: EventMutation.Situation, _ subject: Subject, _ state: Socket
  ) -> Bool {
    let read: ReadCommand?
    let write: WriteCommand?
    var isEarly = !state.isConnected
    switch (subject.command, subject.callback) {
    case (.read(let command)?, _): (read, write) = (command, nil)
    case (.write(let command)?, _): (read, write) = (nil, command)
    case (_, .didRead(_, let tag)?), (_, .didReadPartial(_, let tag)?),
      (_, .shouldTimeoutRead(let tag, _, _)?):
      (read, write) = (state.reads[tag]?.command, nil)
      isEarly = state.reads[tag]?.isEarly ?? false
    case (_, .didWrite(let tag)?), (_, .didWritePartial(_, let tag)?),
      (_, .shouldTimeoutWrite(let tag, _, _)?):
      (read, write) = (nil, state.writes[tag]?.command)
      isEarly = state.writes[tag]?.isEarly ?? false
    case (.connect(let connect)?, _):
      return Self.timeHolds(situation, connect.timeout.seconds)
    default: return false
    }
    if situation == .early { return isEarly && (read != nil || write != nil) }
    if let write {
      let count = write.payload.materialised.count
      switch situation {
      case .void: return count == 0
      case .small: return count <= 1 << 12
      case .large: return count >= 1 << 20
      default: return Self.timeHolds(situation, write.timeout.seconds)
      }
    }
    guard let read else { return false }
    switch (situation, read.boundary) {
    case (.length, .exactly), (.delimiter, .through), (.anything, .available): return true
    case (.void, .exactly(let length)): return length == 0
    case (.void, .through(let delimiter, _)): return delimiter.materialised.isEmpty
    case (.limited, .through(_, let limit)), (.limited, .available(let limit)): return limit > 0
    case (.buffered, _): return read.buffer?.size != nil
    case (.overlapping, .through(let delimiter, _)): return Self.hasBorder(delimiter.materialised)
    case (.binary, .through(let delimiter, _)):
      return delimiter.materialised.contains { $0 == 0 || $0 >= 0x80 }
    case (.large, .exactly(let length)): return length >= 1 << 20
    case (.large, .through(let delimiter, _)): return delimiter.materialised.count >= 1 << 12
    default: return Self.timeHolds(situation, read.timeout.seconds)
    }
  }

  private static func timeHolds(_ situation: EventMutation.Situation, _ seconds: Double) -> Bool {
    switch situation {
    case .timed: seconds > 0
    case .endless: seconds < 0
    case .zero: seconds == 0
    default: false
    }
  }

  /// Whether its end is a beginning of it.
  private static func hasBorder(_ bytes: [UInt8]) -> Bool {
    (1..<max(1, bytes.count)).contains { bytes.suffix($0).elementsEqual(bytes.prefix($0)) }
  }

  // MARK: Errors

  /// What the callback or the refusal has as its error.
  private static func error(_ subject: Subject) -> SubjectError? {
    switch (subject.callback, subject.result) {
    case (.didDisconnect(let ending)?, _), (.willDisconnect(let ending)?, _): ending
    case (_, .refused(let refusal)?): refusal
    default: nil
    }
  }

  private static func errorHolds(_ situation: EventMutation.Situation, _ subject: Subject) -> Bool {
    guard let error = error(subject) else {
      switch subject.callback {
      case .didDisconnect?, .willDisconnect?: return situation == .none
      default: return false
      }
    }
    switch situation {
    case .timeout:
      let timeouts: [LibraryErrorCode] = [.connectTimeout, .readTimeout, .writeTimeout]
      return timeouts.contains { error.name == $0.name }
    case .overflow: return error.name == LibraryErrorCode.readMaxedOut.name
    case .closed: return error.name == LibraryErrorCode.closed.name
    case .posix: return error.domain == .posix
    case .lookup: return error.domain == .netDB
    case .ssl: return error.domain == .ssl
    case .config: return error.name == LibraryErrorCode.badConfig.name || error.domain == .exception
    case .parameter: return error.name == LibraryErrorCode.badParam.name || error.domain == .runLoop
    case .other: return error.name == LibraryErrorCode.other.name
    default: return false
    }
  }
}
