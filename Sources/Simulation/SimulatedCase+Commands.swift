import ScenarioModel
import SocketCore
import SocketValues
import SubjectSecurity

/// The library's calls, as scenarios make them.
extension SimulatedCase {
  func perform(_ command: SubjectCommand, on name: String) -> CommandResult {
    guard let subject = subject(named: name), !subject.isReleased else {
      return Self.noObject("There is no socket named \(name).")
    }
    guard let part = subject.runLoop else { return perform(command, on: subject) }
    return onLoop(of: subject) { perform(command, on: subject, part) } ?? .hung
  }

  /// The call has nothing to be made on, or to be made with.
  static func noObject(_ message: String) -> CommandResult {
    .refused(SubjectError(domain: .other, code: 0, message: message))
  }

  private func perform(_ command: SubjectCommand, on subject: SimulatedSubject) -> CommandResult {
    switch command {
    case .connect(let connect): return perform(connect, on: subject)
    case .listen(let listen): return perform(listen, on: subject)
    case .read(let read): return perform(read, on: subject)
    case .write(let write): return perform(write, on: subject)
    case .disconnect: return disconnect(subject)
    case .disconnectAfterReading: return disconnect(subject, afterReads: true, afterWrites: false)
    case .disconnectAfterWriting: return disconnect(subject, afterReads: false, afterWrites: true)
    case .disconnectAfterReadingAndWriting: return disconnect(subject, afterReads: true, afterWrites: true)
    case .answerTrust(let isTrusted):
      guard let question = subject.trustQuestions.last else {
        return .refused(SubjectError(domain: .other, code: 0, message: "no question about trust was asked"))
      }
      answer(.trust(question, isTrusted ? .trusted : .distrusted), of: subject)
    case .startTLS(let command):
      do {
        let makeSession = try command.sessionMaker()
        call(subject) { $0.startTLS(makeSession) }
      } catch {
        return .refused(SubjectError(error))
      }
    case .setDelegate(let name):
      catchUp(subject, changesTarget: true)
      subject.delegate = name.map { delegate(named: $0) }
    case .setDelegateQueue(let name):
      catchUp(subject, changesTarget: true)
      subject.delegateQueue = name.map { queue(named: $0) }
    case .set(let setting): return set(setting, of: subject)
    case .blockDelegateQueue:
      guard let queue = subject.delegateQueue else {
        return Self.noObject("\(subject.name) has no delegate queue.")
      }
      queue.suspensions += 1
      subject.blockedQueues.append(queue)
    case .unblockDelegateQueue:
      guard let queue = subject.blockedQueues.popLast() else {
        return Self.noObject("\(subject.name) has no blocked delegate queue.")
      }
      queue.suspensions -= 1
      scheduleNext(queue)
    case .exhaustDescriptors: isOutOfDescriptors = true
    case .freeDescriptors: isOutOfDescriptors = false
    case .perform(let commands): return perform(commands, on: subject)
    case .runLoop(let command): return .unsupported("GCDAsyncSocket has no \(command.call.name)")
    case .release:
      subject.isReleased = true
      abandonIfUnused(subject)
    }
    return .done
  }

  private func disconnect(_ subject: SimulatedSubject) -> CommandResult {
    call(subject) { engine in
      exchangeBeforeEnd(subject)
      engine.disconnect()
      settle(subject)
      engine.scheduleDelayedLanes()
    }
    guard subject.notifiesDisconnectBeforeReturning else { return .done }
    // Another thread may deliver meanwhile.
    if subject.schedules.chance(faults.interruptedDelivery) {
      pass(to: timeline.now + subject.schedules.pick(faults.dispatchLatency))
    }
    return deliverBeforeReturning(subject) ? .done : .hung
  }

  private func disconnect(_ subject: SimulatedSubject, afterReads: Bool, afterWrites: Bool) -> CommandResult {
    call(subject) { $0.disconnect(afterReads: afterReads, afterWrites: afterWrites) }
    return .done
  }

  /// Runs the commands on the socket's queue; the first answer that is not `done` is the answer.
  private func perform(_ commands: [SubjectCommand], on subject: SimulatedSubject) -> CommandResult {
    var answer = CommandResult.done
    let body = {
      if subject.performDepth == 0 {
        self.call(subject) { engine in
          if engine.ownershipBegins() { self.exchangeBeforeEnd(subject) }
        }
      }
      subject.performDepth += 1
      for command in commands {
        let result = self.perform(command, on: subject)
        if answer == .done { answer = result }
      }
      subject.performDepth -= 1
      if subject.performDepth == 0 { self.call(subject) { $0.takeUpInbox() } }
    }
    catchUp(subject)
    guard let queue = subject.socketQueue else {
      body()
      return answer
    }
    return hop(to: queue, body) ? answer : .hung
  }

  // MARK: Starting

  func context(_ subject: SimulatedSubject) -> StartContext {
    StartContext(
      hasDelegate: subject.delegate != nil,
      hasDelegateQueue: subject.delegateQueue != nil || subject.runLoop != nil, now: now
    ) { SimulatedHost.interfaces }
  }

  private func perform(_ command: ConnectCommand, on subject: SimulatedSubject) -> CommandResult {
    if subject.machine.isDisconnected { subject.connectedPath = nil }
    return start(subject) { () throws(SocketFailure) in try begin(command, on: subject) }
  }

  private func start(_ subject: SimulatedSubject, _ body: () throws(SocketFailure) -> CommandResult) -> CommandResult {
    subject.engine.begin(callEntry(subject))
    defer { settle(subject) }
    do throws(SocketFailure) {
      let result = try body()
      if result == .done { subject.engine.started(at: now) }
      return result
    } catch {
      return .refused(SubjectError(error))
    }
  }

  /// Starts to connect, where the engine has been entered.
  func begin(_ command: ConnectCommand, on subject: SimulatedSubject) throws(SocketFailure) -> CommandResult {
    let timeout = command.timeout.seconds
    switch command.target {
    case .peer(let name):
      guard let place = peers.first(where: { $0.name == name })?.place else {
        return Self.noObject("The peer \(name) does not listen.")
      }
      switch place {
      case .path(let path): try connect(subject, toPath: path, timeout)
      case .address(let address):
        try subject.machine.connect(
          toHost: SimulatedHost.text(of: address), port: address.port, interface: command.interface,
          timeout: timeout, in: context(subject))
      }
    case .host(let host, let reference):
      guard let port = port(reference) else { return Self.noObject("The port is not known.") }
      try subject.machine.connect(
        toHost: host, port: port, interface: command.interface, timeout: timeout, in: context(subject))
    case .address(let bytes):
      guard let interface = command.interface, subject.runLoop != nil else {
        try connect(subject) { machine, context throws(SocketFailure) in
          try machine.connect(toAddress: bytes, interface: command.interface, timeout: timeout, in: context)
        }
        return .done
      }
      guard let local = SocketAddress(numeric: interface) else {
        return Self.noObject("AsyncSocket takes a numeric address as `via`.")
      }
      try connect(subject) { machine, context throws(SocketFailure) in
        try machine.connect(toAddress: bytes, from: local, timeout: timeout, in: context)
      }
    case .path(let path): try connect(subject, toPath: path, timeout)
    }
    return .done
  }

  /// Connects to an address. A failure to make or to bind the socket is the call's own.
  private func connect(
    _ subject: SimulatedSubject, _ begin: (SocketMachine, StartContext) throws(SocketFailure) -> Void
  ) throws(SocketFailure) {
    try begin(subject.machine, context(subject))
    for case .attempt(let attempt, let remote, let local) in subject.machine.takeCommands() {
      if let failure = openFailure ?? bindFailure(local) {
        subject.machine.startRefused()
        throw failure
      }
      if let failure = start(attempt, to: remote, from: local, of: subject) {
        subject.engine.attemptFailed(attempt, failure)
      }
    }
  }

  private func connect(_ subject: SimulatedSubject, toPath path: String, _ timeout: Double) throws(SocketFailure) {
    let attempt = try subject.machine.connect(toPath: path, timeout: timeout, in: context(subject))
    subject.connectedPath = path
    start(attempt, toPath: path, of: subject)
  }

  private func perform(_ command: ListenCommand, on subject: SimulatedSubject) -> CommandResult {
    start(subject) { () throws(SocketFailure) in try begin(command, on: subject) }
  }

  /// Starts to listen, where the engine has been entered.
  func begin(_ command: ListenCommand, on subject: SimulatedSubject) throws(SocketFailure) -> CommandResult {
    let isLocal = setup.variant.family == .unix
    switch command.place {
    case .path(let path): try listen(subject, onPath: path)
    case .anywhere(.of(let name)) where isLocal:
      guard let path = listeningPlace(of: name)?.path else { return Self.noObject("\(name) has no path.") }
      try listen(subject, onPath: path)
    case .anywhere where isLocal: try listen(subject, onPath: subject.name)
    case .anywhere(let wanted):
      guard let port = number(of: wanted) else { return Self.noObject("The port is not known.") }
      try listen(subject, onInterface: nil, port)
    case .interface(let interface, let wanted):
      guard let port = number(of: wanted) else { return Self.noObject("The port is not known.") }
      try listen(subject, onInterface: interface, port)
    }
    return .done
  }

  func number(of port: ListenCommand.ListenPort) -> UInt16? {
    switch port {
    case .free: 0
    case .number(let number): number
    case .of(let name): listeningPlace(of: name)?.address?.port
    }
  }

  private func listen(
    _ subject: SimulatedSubject, onInterface interface: String?, _ port: UInt16
  ) throws(SocketFailure) {
    let addresses = try subject.machine.addressesToAccept(onInterface: interface, port: port, in: context(subject))
    try listen(on: addresses, subject)
  }

  private func listen(_ subject: SimulatedSubject, onPath path: String) throws(SocketFailure) {
    try subject.machine.checkAccept(onPath: path, in: context(subject))
    try listen(onPath: path, subject)
  }

  // MARK: Reading and writing

  private func perform(_ command: ReadCommand, on subject: SimulatedSubject) -> CommandResult {
    guard let request = request(command) else { return .done }
    let mayWait = mayWait(subject)
    call(subject) { _ = $0.read(request, mayWait: mayWait) }
    return .done
  }

  /// nil: the call is a no-op.
  func request(_ command: ReadCommand) -> ReadRequest? {
    guard let place = place(command.buffer) else { return nil }
    let (timeout, tag, destination) = (command.timeout.seconds, command.tag, place.destination)
    return switch command.boundary {
    case .available(let limit): .available(limit: limit, timeout: timeout, tag: tag, destination: destination)
    case .exactly(let length): .exactly(length, timeout: timeout, tag: tag, destination: destination)
    case .through(let delimiter, let limit):
      .through(delimiter.materialised, limit: limit, timeout: timeout, tag: tag, destination: destination)
    }
  }

  /// The caller's buffer; nil when the call is a no-op because its offset lies behind the buffer's end.
  private func place(_ buffer: ReadCommand.Buffer?) -> (destination: BufferPlace?, Void)? {
    guard let buffer else { return (nil, ()) }
    guard let size = buffer.size else { return buffer.offset == 0 ? (nil, ()) : nil }
    let index =
      buffers.firstIndex { $0.name == buffer.name }
      ?? {
        buffers.append((buffer.name, [UInt8](repeating: buffer.fill, count: max(0, size))))
        return buffers.count - 1
      }()
    guard (0...buffers[index].bytes.count).contains(buffer.offset) else { return nil }
    return (BufferPlace(buffer: index, offset: buffer.offset), ())
  }

  private func perform(_ command: WriteCommand, on subject: SimulatedSubject) -> CommandResult {
    guard let request = command.request else { return .done }
    let mayWait = mayWait(subject)
    call(subject) { engine in
      if engine.writeBegins() { settle(subject) }
      _ = engine.write(request, mayWait: mayWait)
    }
    return .done
  }
}

extension WriteCommand {
  /// nil: the call is a no-op.
  var request: WriteRequest? {
    let block = payload.materialised.withUnsafeBytes { ByteBlock(copying: $0) }
    return WriteRequest(bytes: block, timeout: timeout.seconds, tag: tag)
  }
}
