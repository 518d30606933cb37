import ScenarioModel
import ScriptedPeer
import SocketCore
import SocketValues

/// Callbacks of the run-loop class: on the socket's loop, one by one.
extension SimulatedCase {
  /// Delivers the waiting events, until a callback holds or moves the socket to another place.
  func deliver(_ subject: SimulatedSubject, _ part: RunLoopPart, isInline: Bool) {
    deliverRest(of: subject, part, since: part.place, isInline: isInline)
  }

  /// A callback that held goes on, and what is in line behind it follows.
  func goOn(_ call: RunLoopCall) {
    guard let part = call.delivery.subject.runLoop else { return }
    if finish(call, part, isInline: false) {
      deliverRest(of: call.delivery.subject, part, since: call.place, isInline: false)
    }
  }

  private func deliverRest(
    of subject: SimulatedSubject, _ part: RunLoopPart, since place: RunLoopPlace?, isInline: Bool
  ) {
    while mayDeliver(part), part.place == nil || part.place === place, let event = part.engine.nextEvent() {
      guard let delegate = subject.delegate else {
        undeliverable(event, subject, part)
        continue
      }
      guard call(delegate, of: subject, part, about: event, since: place, isInline: isInline) else { return }
    }
    // A loop that a callback has moved the socket to did nothing before the callback had returned.
    if part.engine.hasEvents || part.place !== place { requestTurn(part) }
    detachIfIdle(subject, part)
  }

  /// false: the callback holds.
  private func call(
    _ delegate: SimulatedDelegate, of subject: SimulatedSubject, _ part: RunLoopPart, about event: SocketEvent,
    since place: RunLoopPlace?, isInline: Bool
  ) -> Bool {
    let followUp = part.engine.callbackBegins(event)
    if part.engine.wantsTurn(during: followUp) { requestTurn(part) }
    part.holders += 1
    fillBuffer(for: event)
    var stage = Delivery.Stage.callback
    let callback: Callback
    switch event {
    case .didAccept(let handle):
      let child = makeChild(
        for: unsafeDowncast(handle, to: AcceptedLink.self), of: part, topology: subject.topology, delegate: delegate)
      stage = .handingOver(child: child.index)
      callback = .didAccept(child: child.name)
    case .willDisconnect(let failure):
      let error = SubjectError(runLoop: failure, toAddress: part.engine.startsWithAddress)
      part.announced = .some(error)
      callback = .willDisconnect(error)
    case .didDisconnect:
      callback = .didDisconnect(part.announced.map { $0 ?? .remoteEnd })
      part.announced = nil
    default: callback = self.callback(about: event)
    }
    var delivery = Delivery(
      subject: subject, delegate: delegate, stage: stage, steps: announce(callback, of: subject, to: delegate))
    if case .handingOver(let child) = stage { delivery.childsLife = Delivery.Life(subjects[child]) }
    return finish(RunLoopCall(delivery: delivery, followUp: followUp, place: place), part, isInline: isInline)
  }

  /// Goes on with a callback until it has returned, or holds: false.
  private func finish(_ call: RunLoopCall, _ part: RunLoopPart, isInline: Bool) -> Bool {
    var call = call
    call.delivery.hold = nil
    guard finish(&call.delivery, isInline: isInline) else {
      if let loop = currentLoop, let hold = call.delivery.hold {
        push(VirtualRunLoop.Frame(mode: hold.mode, until: hold.end, work: .callback(call)), on: loop)
      }
      return false
    }
    returned(call, part)
    return true
  }

  private func returned(_ call: RunLoopCall, _ part: RunLoopPart) {
    let subject = call.delivery.subject
    // A socket that the callback has released ends here, with its undelivered events.
    part.holders -= 1
    abandonIfUnused(subject, part)
    let completion = part.engine.callbackReturned(
      call.followUp, mayComplete: mayDeliver(part) && part.place === call.place, now: now)
    if let completion { part.engine.putFirst(event(of: completion)) }
    switch call.followUp {
    case .nothing, .activate: break
    case .answer(let question):
      let answer = SocketEngine.Answer.timeout(question, extension: call.delivery.answer)
      if subject.engine.enforcesTimeout(answer) { exchangeBeforeEnd(subject) }
      subject.engine.answer(answer, at: now)
    case .concludeEnd(let generation):
      var transport = subject.connection.map { LinkTransport(link: $0.link, side: $0.side) }
      part.engine.concludeEnd(generation: generation, &transport)
    }
    settle(subject)
  }

  /// Disposes of an event that has no delegate to receive it.
  private func undeliverable(_ event: SocketEvent, _ subject: SimulatedSubject, _ part: RunLoopPart) {
    fillBuffer(for: event)
    closeUnclaimed(event)
    part.engine.drop(event, now: now)
    settle(subject)
    part.engine.dropped()
    settle(subject)
  }

  // MARK: Asking

  /// Whether the delegate lets the socket connect (CON-41, ACC-38); true if there is none.
  func mayConnect(_ subject: SimulatedSubject) -> Bool {
    guard let delegate = subject.delegate else { return true }
    var delivery = Delivery(
      subject: subject, delegate: delegate, stage: .callback, steps: announce(.willConnect, of: subject, to: delegate))
    _ = finish(&delivery, isInline: true)
    return delivery.mayConnect
  }

  // MARK: Accepting

  /// The socket for a client; it has no place on a run loop yet and does nothing.
  private func makeChild(
    for connection: AcceptedLink, of listener: RunLoopPart, topology: QueueTopology, delegate: SimulatedDelegate
  ) -> SimulatedSubject {
    let part = RunLoopPart(home: nil)
    part.modes = listener.modes
    part.holders = 1
    let child = SimulatedSubject(
      index: subjects.count, name: nextChildName(), topology: topology, delegate: delegate,
      delegateQueue: nil, socketQueue: nil, runLoop: part, seed: draws)
    subjects.append(child)
    let link = links[connection.link]
    link[.server].owner = .subject(child.index)
    child.connection = .init(link: link, side: .server)
    child.engine.adoptConnection(announcing: nil, inactive: true)
    return child
  }

  /// The next of the questions about a child that the listener's delegate is asked (ACC-19); false: there is none.
  func asksAboutChild(_ delivery: inout Delivery) -> Bool {
    switch delivery.stage {
    case .handingOver(let index) where isConnected(subjects[index], in: delivery):
      delivery.stage = .choosingLoop(child: index)
      let listener = delivery.subject
      guard Delivery.Life(listener) == delivery.life, let asked = listener.delegate else {
        return asksAboutChild(&delivery)
      }
      delivery.steps = announce(.wantsRunLoop, of: listener, to: asked)
      return true
    case .choosingLoop(let index) where isConnected(subjects[index], in: delivery):
      if delivery.chosenLoop != nil { subjects[index].runLoop?.wantedLoop = nil }
      guard let delegate = subjects[index].delegate else {
        open(subjects[index], delivery)
        return false
      }
      delivery.stage = .askingChild(child: index)
      delivery.steps = announce(.willConnect, of: subjects[index], to: delegate)
      return true
    case .handingOver(let index), .choosingLoop(let index), .askingChild(let index):
      open(subjects[index], delivery)
      return false
    case .callback, .question, .askingQueue, .accepting: return false
    }
  }

  /// Whether the child is still what was handed over: it may have ended since, and begun another life.
  private func isConnected(_ child: SimulatedSubject, in delivery: Delivery) -> Bool {
    child.machine.isConnected && Delivery.Life(child) == delivery.childsLife
  }

  /// The child comes to life on its loop, with didConnect, unless its delegate has said no or it has ended meanwhile.
  private func open(_ child: SimulatedSubject, _ delivery: Delivery) {
    guard let part = child.runLoop else { return }
    let loop = part.wantedLoop ?? delivery.chosenLoop.map { runLoop(named: $0) } ?? currentLoop
    part.wantedLoop = nil
    let isThere = isConnected(child, in: delivery)
    if !delivery.mayConnect, isThere {
      disconnect(child, part)
    } else if isThere, let loop, child.engine.isInactive {
      part.home = loop
      enter(child, part) { engine in
        attach(child, part, to: loop)
        if let connection = child.connection, let remote = connection.link[connection.side.other].address {
          engine.machine.announce(.didConnect(remote))
        } else {
          part.engine.activate()
        }
      }
    }
    part.holders -= 1
    abandonIfUnused(child, part)
  }
}
