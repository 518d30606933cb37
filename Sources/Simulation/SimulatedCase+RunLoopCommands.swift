import ScenarioModel
import SocketCore
import SocketValues
import SubjectSecurity

/// The calls of the run-loop class, made on the socket's loop.
extension SimulatedCase {
  func perform(_ command: SubjectCommand, on subject: SimulatedSubject, _ part: RunLoopPart) -> CommandResult {
    if command.waitsForStart, part.startQuestion.putOff(command) {
      if case .runLoop = command { return .returned(true) }
      return .done
    }
    switch command {
    case .connect(let connect):
      return start(subject, part, asking: connect.hasPlace) { () throws(SocketFailure) in
        let result = try begin(connect, on: subject)
        if case .address = connect.target { part.engine.beganWithAddress() }
        return result
      }
    case .listen(let listen): return self.listen(listen, subject, part)
    case .read(let command): read(command, subject, part)
    case .write(let command):
      guard let request = command.request else { return .done }
      queue(subject, part) { $0.write(request, mayWait: $1) }
    case .disconnect: disconnect(subject, part)
    case .disconnectAfterReading: enter(subject, part) { $0.disconnect(afterReads: true, afterWrites: false) }
    case .disconnectAfterWriting: enter(subject, part) { $0.disconnect(afterReads: false, afterWrites: true) }
    case .disconnectAfterReadingAndWriting:
      enter(subject, part) { $0.disconnect(afterReads: true, afterWrites: true) }
    case .startTLS(let command):
      do {
        let makeSession = try command.withoutManualTrust.sessionMaker()
        enter(subject, part) { $0.startTLS(makeSession) }
      } catch {
        return .refused(SubjectError(error))
      }
    case .setDelegate(let name): subject.delegate = name.map { delegate(named: $0) }
    case .set(.userNumber(let number)): part.userNumber = number
    case .exhaustDescriptors: isOutOfDescriptors = true
    case .freeDescriptors: isOutOfDescriptors = false
    case .release:
      subject.isReleased = true
      abandonIfUnused(subject, part)
    case .runLoop(let command): return perform(command.call, on: subject, part)
    case .perform(let commands):
      // Of the lab's own making: calls that come in one turn of the run loop.
      return commands.map { perform($0, on: subject, part) }.first { $0 != .done } ?? .done
    case .set, .setDelegateQueue, .blockDelegateQueue, .unblockDelegateQueue, .answerTrust:
      return .unsupported("AsyncSocket has no \(command.name)")
    }
    return .done
  }

  // MARK: Starting

  /// Asks the delegate of a free socket first, if it is about to connect; a socket that starts gets its place.
  private func start(
    _ subject: SimulatedSubject, _ part: RunLoopPart, asking: Bool,
    _ body: () throws(SocketFailure) -> CommandResult
  ) -> CommandResult {
    var putOff: [SubjectCommand] = []
    if asking, part.engine.isFree, !part.startQuestion.isOpen {
      part.startQuestion.open()
      let mayConnect = mayConnect(subject)
      let answer = part.startQuestion.close(mayConnect: mayConnect)
      guard answer.mayStart else { return .refused(SubjectError(runLoop: .canceled, "Connection canceled")) }
      putOff = answer.putOff
    }
    do throws(SocketFailure) {
      let result = try enter(subject, part) { _ throws(SocketFailure) in
        if try part.engine.beginStart() {
          part.announced = nil
          attach(subject, part, to: currentLoop ?? part.home ?? runLoop(named: RunLoopName.main))
        }
        return try body()
      }
      for call in putOff { _ = perform(call, on: subject, part) }
      return result
    } catch {
      return .refused(SubjectError(runLoop: error, toAddress: true) ?? .remoteEnd)
    }
  }

  /// A name is resolved first, which takes its time within the call (ACC-39).
  private func listen(
    _ listen: ListenCommand, _ subject: SimulatedSubject, _ part: RunLoopPart
  ) -> CommandResult {
    if case .interface(let name, let wanted) = listen.place, !name.isEmpty,
      InterfaceSpec.addresses(for: name, port: 0, interfaces: { SimulatedHost.interfaces }) == nil
    {
      guard let port = number(of: wanted) else { return Self.noObject("The port is not known.") }
      let (delay, result) = resolve(name, port: port, lookup: lookups.count)
      pass(to: timeline.now.addingReportingOverflow(delay).partialValue)
      switch result {
      case .success(let addresses):
        return start(subject, part, asking: false) { () throws(SocketFailure) in
          try self.listen(
            on: try subject.machine.addressesToAccept(resolved: addresses, in: context(subject)), subject)
          return .done
        }
      case .failure(let failure): return .refused(SubjectError(failure))
      }
    }
    return start(subject, part, asking: false) { () throws(SocketFailure) in try begin(listen, on: subject) }
  }

  // MARK: Reading and writing

  private func read(_ command: ReadCommand, _ subject: SimulatedSubject, _ part: RunLoopPart) {
    guard let request = request(command) else { return }
    let isInCallback = isInCallback(of: subject)
    queue(subject, part) { _, mayWait in
      part.engine.read(request, mayWait: mayWait, isInCallback: mayWait || isInCallback)
    }
  }

  /// Queues an operation, which is begun in a later turn.
  private func queue(
    _ subject: SimulatedSubject, _ part: RunLoopPart, _ body: (SocketEngine, _ mayWait: Bool) -> Bool
  ) {
    enter(subject, part) { if body($0, mayDeliver(part)) { requestTurn(part) } }
  }

  // MARK: Run loops and modes

  private func perform(
    _ call: RunLoopCommand.Call, on subject: SimulatedSubject, _ part: RunLoopPart
  ) -> CommandResult {
    switch call {
    case .move(let name):
      guard let name else { return .returned(false) }
      let loop = runLoop(named: name)
      part.home = loop
      if part.place == nil, subject.engine.isInactive { part.wantedLoop = loop }
      guard let place = part.place, place.loop !== loop else { return .returned(true) }
      enter(subject, part) { _ in attach(subject, part, to: loop) }
      return .returned(true)
    case .setModes(let modes): return .returned(setModes(modes, of: subject, part))
    case .addMode(let mode):
      guard let mode else { return .returned(false) }
      return .returned(part.modes.contains(mode) || setModes(part.modes + [mode], of: subject, part))
    case .removeMode(let mode):
      guard let mode else { return .returned(false) }
      return .returned(
        !part.modes.contains(mode) || setModes(part.modes.filter { $0 != mode }, of: subject, part))
    case .enablePrebuffering: return .done
    case .run(let mode, let duration):
      guard let loop = currentLoop else { return .unsupported("The socket has no run loop.") }
      let until = timeline.now.addingReportingOverflow(max(0, duration.clampedNanoseconds)).partialValue
      push(VirtualRunLoop.Frame(mode: mode, until: until, work: .nothing), on: loop)
      return .done
    }
  }

  /// Replaces the modes; false leaves them as they were (RL-20, RL-21).
  private func setModes(_ wanted: [String], of subject: SimulatedSubject, _ part: RunLoopPart) -> Bool {
    guard !wanted.isEmpty else { return false }
    guard Set(wanted) != Set(part.modes) else { return true }
    part.modes = wanted
    if let place = part.place { enter(subject, part) { _ in attach(subject, part, to: place.loop) } }
    return true
  }

  /// The nested run that a reaction asks for: of the loop that it runs on.
  func nestedRun(_ command: SubjectCommand, on socket: String) -> (mode: String, duration: Duration)? {
    guard case .runLoop(let command) = command, case .run(let mode, let duration) = command.call,
      let part = subject(named: socket)?.runLoop, let loop = part.place?.loop ?? part.home ?? currentLoop,
      loop === currentLoop
    else { return nil }
    return (mode, duration)
  }
}

extension ConnectCommand {
  /// Whether there is somewhere to connect to; otherwise the delegate is not asked (CON-04).
  fileprivate var hasPlace: Bool {
    switch target {
    case .peer, .path: true
    case .host(let host, _): !host.isEmpty
    case .address(let bytes): SocketAddress(decoding: bytes) != nil
    }
  }
}
