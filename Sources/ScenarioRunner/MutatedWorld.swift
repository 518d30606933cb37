import ScenarioModel

/// A world whose subject shows one thing that it did not do, or does not show one that it did.
///
/// Everything else is the world's: lanes that wait for the lost callback wait on, the judge and the invariants see what
/// a user of such a subject would see. Equal seeds give the same case up to the falsified event.
package struct MutatedWorld<Base: World>: World {
  package static var falsifies: Bool { true }

  private var base: Base
  private let mutation: EventMutation
  /// Of the events that the mutation fits: which one, from 0.
  private let occurrence: Int
  /// How many events the mutation fitted.
  package private(set) var fitting = 0
  /// Whether what was shown differs from what was done.
  package private(set) var isFalsified = false
  private var circumstances = Circumstances()
  /// Events to be shown next.
  private var pending: [WorldEvent] = []
  /// An event that comes late.
  private var held: (event: WorldEvent, due: Duration, isBehindNext: Bool)?

  package init(_ base: Base, _ mutation: EventMutation, occurrence: Int) {
    self.base = base
    self.mutation = mutation
    self.occurrence = occurrence
  }

  package var name: WorldName { base.name }
  package var now: Duration { base.now }
  package var lateness: Duration { base.lateness }
  package var processorWait: Duration { base.processorWait }
  package var lastCall: Duration? { base.lastCall }
  package var hold: SourcePosition? { base.hold }

  package mutating func open(_ setup: CaseSetup) throws(CaseObstacle) {
    circumstances = Circumstances(setup)
    try base.open(setup)
  }

  package func port(_ reference: PortReference) -> UInt16? { base.port(reference) }
  package mutating func uninvited() -> [String] { base.uninvited() }
  package func takenUnderWay(by peer: String) -> Int { base.takenUnderWay(by: peer) }
  package mutating func close() -> [ClosingRemark] { base.close() }

  package mutating func perform(_ action: PeerAction, by peer: String) {
    circumstances.note(action)
    base.perform(action, by: peer)
  }

  package mutating func perform(_ command: SubjectCommand, on socket: String) -> CommandResult {
    let result = base.perform(command, on: socket)
    return shown(result, of: command, on: socket, isInside: false)
  }

  package mutating func read(_ property: SubjectProperty, name: String?, of socket: String)
    -> PropertyValue?
  {
    base.read(property, name: name, of: socket).map { shown($0, of: property, socket) }
  }

  package mutating func nextEvent(before deadline: Duration) -> WorldEvent? {
    while true {
      if !pending.isEmpty { return pending.removeFirst() }
      let due = held.map(\.due)
      guard let event = base.nextEvent(before: due.map { min($0, deadline) } ?? deadline) else {
        guard let late = held, late.due < deadline else { return nil }
        held = nil
        var event = late.event
        event.at = late.due
        return event
      }
      pending = shown(event)
      release(behind: event)
    }
  }

  // MARK: Falsifying

  /// Whether this is the one.
  private mutating func isChosen() -> Bool {
    fitting += 1
    return fitting == occurrence + 1
  }

  private mutating func shown(
    _ result: CommandResult, of command: SubjectCommand, on socket: String, isInside: Bool
  ) -> CommandResult {
    let subject = Circumstances.Subject(
      socket: socket, command: command, result: result, isInside: isInside)
    let fits =
      mutation.target == .call(command.name)
      && circumstances.hold(for: mutation, of: subject)
    circumstances.note(command, on: socket, result)
    guard fits else { return result }
    switch (mutation.operation, result) {
    case (.refuse, .done) where isChosen():
      isFalsified = true
      return .refused(.falsified(insteadOf: nil))
    case (.accept, .refused) where isChosen():
      isFalsified = true
      return .done
    case (.exchange, .refused(let error)) where isChosen():
      isFalsified = true
      return .refused(.falsified(insteadOf: error))
    case (.reverse, .returned(let answer)) where isChosen():
      isFalsified = true
      return .returned(!answer)
    case (.invent, _) where isChosen():
      isFalsified = true
      pending.append(Self.forged(at: base.now, invented(for: socket, tag: command.tag)))
    default: break
    }
    return result
  }

  private mutating func shown(
    _ value: PropertyValue, of property: SubjectProperty, _ socket: String
  ) -> PropertyValue {
    let subject = Circumstances.Subject(socket: socket)
    guard mutation.operation == .misread, mutation.target == .property(property),
      circumstances.hold(for: mutation, of: subject), isChosen()
    else { return value }
    isFalsified = true
    return value.falsified(for: property)
  }

  /// What is shown instead of an event.
  private mutating func shown(_ event: WorldEvent) -> [WorldEvent] {
    switch event.kind {
    case .callback(let delivered): return shown(delivered, event)
    case .command(let command, let socket, let result, let refusal):
      var changed = event
      let before = pending
      let answer = shown(result, of: command, on: socket, isInside: true)
      changed.kind = .command(command, socket: socket, result: answer, refusal: refusal)
      let invented = pending.dropFirst(before.count)
      return [changed] + invented
    case .checked(let check, let socket, let actual):
      var changed = event
      changed.kind = .checked(
        check, socket: socket, actual: shown(actual, of: check.property, socket))
      return [changed]
    case .peer(let peer, let observation): return shown(observation, of: peer, event)
    case .packet, .point, .note: return [event]
    }
  }

  private mutating func shown(_ delivered: DeliveredCallback, _ event: WorldEvent) -> [WorldEvent] {
    let subject = Circumstances.Subject(socket: delivered.socket, callback: delivered.callback)
    let fits =
      mutation.target == .callback(delivered.callback.kind)
      && circumstances.hold(for: mutation, of: subject)
    defer { circumstances.note(delivered) }
    guard fits, isChosen() else { return [event] }
    var changed = event
    switch mutation.operation {
    case .lose:
      isFalsified = true
      return []
    case .repeat:
      isFalsified = true
      return [event, Self.forged(at: event.at, delivered)]
    case .delay:
      isFalsified = true
      held = (event, event.at + .seconds(30), isBehindNext: false)
      return []
    case .postpone:
      held = (event, event.at + .milliseconds(20), isBehindNext: true)
      return []
    case .invent:
      isFalsified = true
      let other = Self.forged(
        at: event.at, invented(for: delivered.socket, tag: delivered.callback.tag, like: delivered))
      return mutation.isInFront ? [other, event] : [event, other]
    default:
      guard let falsified = delivered.falsified(by: mutation.operation) else { return [event] }
      isFalsified = true
      changed.kind = .callback(falsified)
      return [changed]
    }
  }

  private mutating func shown(_ observation: PeerObservation, of peer: String, _ event: WorldEvent)
    -> [WorldEvent]
  {
    guard mutation.target == .fin || !circumstances.usesTLS, circumstances.holdOfSome(mutation) else {
      return [event]
    }
    var changed = event
    switch (mutation.target, mutation.operation, observation) {
    case (.received, .lose, .received) where isChosen(),
      (.fin, .lose, .endOfStream) where isChosen():
      isFalsified = true
      return []
    case (.received, .repeat, .received) where isChosen():
      isFalsified = true
      return [event, event]
    case (.received, .corrupt, .received(var bytes)) where !bytes.isEmpty && isChosen():
      bytes[bytes.count / 2] ^= 0x20
      changed.kind = .peer(peer, .received(bytes))
    case (.received, .shorten, .received(let bytes)) where bytes.count > 1 && isChosen():
      changed.kind = .peer(peer, .received(Array(bytes.dropLast())))
    case (.fin, .exchange, .endOfStream) where isChosen(): changed.kind = .peer(peer, .broken(104))
    default: return [event]
    }
    isFalsified = true
    return [changed]
  }

  /// An event that comes behind the socket's next callback comes now.
  private mutating func release(behind event: WorldEvent) {
    guard let late = held, late.isBehindNext, case .callback(let mine) = late.event.kind,
      case .callback(let next) = event.kind, next.socket == mine.socket, event != late.event
    else { return }
    held = nil
    isFalsified = true
    var released = late.event
    released.at = event.at
    pending.append(released)
  }

  private static func forged(at instant: Duration, _ delivered: DeliveredCallback) -> WorldEvent {
    var event = WorldEvent(at: instant, kind: .callback(delivered))
    event.isForged = true
    return event
  }

  private func invented(for socket: String, tag: Int?, like other: DeliveredCallback? = nil)
    -> DeliveredCallback
  {
    let tag = tag ?? 0
    let callback: Callback =
      switch mutation.invented ?? .didSecure {
      case .didConnect: .didConnect(host: "127.0.0.1", port: 9)
      case .didConnectToURL: .didConnectToURL(path: "/")
      case .newSocketQueue: .newSocketQueue
      case .didAccept: .didAccept(child: "child99")
      case .didRead: .didRead(bytes: [0x78], tag: tag)
      case .didReadPartial: .didReadPartial(count: 1, tag: tag)
      case .didWrite: .didWrite(tag: tag)
      case .didWritePartial: .didWritePartial(count: 1, tag: tag)
      case .shouldTimeoutRead: .shouldTimeoutRead(tag: tag, elapsed: 0, bytesDone: 0)
      case .shouldTimeoutWrite: .shouldTimeoutWrite(tag: tag, elapsed: 0, bytesDone: 0)
      case .didCloseRead: .didCloseRead
      case .didDisconnect: .didDisconnect(nil)
      case .didSecure: .didSecure
      case .didReceiveTrust: .didReceiveTrust
      case .willConnect: .willConnect
      case .willDisconnect: .willDisconnect(nil)
      case .wantsRunLoop: .wantsRunLoop
      }
    return DeliveredCallback(
      socket: socket, delegate: other?.delegate ?? "delegate", callback: callback,
      runLoop: other?.runLoop, mode: other?.mode, queue: other?.queue)
  }
}

extension SubjectError {
  /// Another error than this.
  fileprivate static func falsified(insteadOf error: SubjectError?) -> SubjectError {
    let other = LibraryErrorCode.other.rawValue
    let isOther = error.map { $0.domain == .library && $0.code == other } ?? false
    return SubjectError(
      domain: .library, code: isOther ? LibraryErrorCode.readMaxedOut.rawValue : other,
      message: "Falsified.")
  }
}

extension SubjectCommand {
  fileprivate var tag: Int? {
    switch self {
    case .read(let read): read.tag
    case .write(let write): write.tag
    default: nil
    }
  }
}

extension DeliveredCallback {
  /// nil: the operation does not concern a callback like this.
  fileprivate func falsified(by operation: EventMutation.Operator) -> DeliveredCallback? {
    var changed = self
    switch operation {
    case .misdirect: changed.delegate = "stranger"
    case .displace: changed.runLoop = runLoop == nil ? nil : "elsewhere"
    case .remode: changed.mode = mode == nil ? nil : "elsewhere"
    default:
      guard let falsified = callback.falsified(by: operation) else { return nil }
      changed.callback = falsified
    }
    return changed == self ? nil : changed
  }
}

extension Callback {
  fileprivate func falsified(by operation: EventMutation.Operator) -> Callback? {
    switch (self, operation) {
    case (.didRead(let bytes, let tag), .mistag): .didRead(bytes: bytes, tag: tag &+ 1)
    case (.didWrite(let tag), .mistag): .didWrite(tag: tag &+ 1)
    case (.shouldTimeoutRead(let tag, let elapsed, let done), .mistag):
      .shouldTimeoutRead(tag: tag &+ 1, elapsed: elapsed, bytesDone: done)
    case (.shouldTimeoutWrite(let tag, let elapsed, let done), .mistag):
      .shouldTimeoutWrite(tag: tag &+ 1, elapsed: elapsed, bytesDone: done)
    case (.didRead(var bytes, let tag), .corrupt) where !bytes.isEmpty:
      {
        bytes[bytes.count / 2] ^= 0x20
        return .didRead(bytes: bytes, tag: tag)
      }()
    case (.didRead(let bytes, let tag), .shorten) where !bytes.isEmpty:
      .didRead(bytes: Array(bytes.dropLast()), tag: tag)
    case (.didRead(_, let tag), .empty): .didRead(bytes: [], tag: tag)
    case (.didReadPartial(_, let tag), .empty): .didReadPartial(count: 0, tag: tag)
    case (.didWritePartial(_, let tag), .empty): .didWritePartial(count: 0, tag: tag)
    case (.didRead(let bytes, let tag), .miscount): .didRead(bytes: bytes + [0x78], tag: tag)
    case (.didReadPartial(let count, let tag), .miscount):
      .didReadPartial(count: count &+ 1 << 30, tag: tag)
    case (.didWritePartial(let count, let tag), .miscount):
      .didWritePartial(count: count &+ 1 << 30, tag: tag)
    case (.shouldTimeoutRead(let tag, let elapsed, let done), .miscount):
      .shouldTimeoutRead(tag: tag, elapsed: elapsed, bytesDone: done &+ 1)
    case (.shouldTimeoutWrite(let tag, let elapsed, let done), .miscount):
      .shouldTimeoutWrite(tag: tag, elapsed: elapsed, bytesDone: done &+ (1 << 30))
    case (.shouldTimeoutRead(let tag, let elapsed, let done), .misname):
      .shouldTimeoutRead(tag: tag, elapsed: elapsed + 0.001, bytesDone: done)
    case (.shouldTimeoutWrite(let tag, let elapsed, let done), .misname):
      .shouldTimeoutWrite(tag: tag, elapsed: elapsed + 0.001, bytesDone: done)
    case (.didConnect(let host, let port), .misname): .didConnect(host: host + "x", port: port)
    case (.didConnect(let host, let port), .miscount): .didConnect(host: host, port: port &+ 1)
    case (.didConnectToURL(let path), .misname): .didConnectToURL(path: path + "x")
    case (.didDisconnect(let error), .excuse): error == nil ? nil : .didDisconnect(nil)
    case (.didDisconnect(let error), .blame): error == nil ? .didDisconnect(Self.closed) : nil
    case (.didDisconnect(let error?), .exchange): .didDisconnect(.falsified(insteadOf: error))
    case (.willDisconnect(let error), .excuse): error == nil ? nil : .willDisconnect(nil)
    case (.willDisconnect(let error), .blame): error == nil ? .willDisconnect(Self.closed) : nil
    case (.willDisconnect(let error?), .exchange): .willDisconnect(.falsified(insteadOf: error))
    default: nil
    }
  }

  private static let closed = SubjectError(
    domain: .library, code: LibraryErrorCode.closed.rawValue, message: "Falsified.")
}

extension PropertyValue {
  /// Another value of the same kind.
  fileprivate func falsified(for property: SubjectProperty) -> PropertyValue {
    switch self {
    case .none:
      switch property {
      case .connectedAddress, .localAddress, .unreadData, .buffer: .bytes([0x78])
      default: .text("falsified")
      }
    case .flag(let flag): .flag(!flag)
    case .number(let number): .number(number + 1)
    case .text(let text): text.isEmpty ? .text("falsified") : .none
    case .bytes(let bytes): .bytes(bytes + [0x78])
    case .names(let names): .names((names + ["falsified"]).sorted())
    case .progress(let tag, let done, let total, let fraction):
      fraction.isNaN
        ? .progress(tag: 1, done: 1, total: 2, fraction: 0.5)
        : .progress(tag: tag &+ 1, done: done &+ 1 << 30, total: total &+ 1, fraction: .nan)
    }
  }
}
