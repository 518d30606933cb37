import ScenarioModel
import ScenarioRunner
import ScriptedPeer
import SocketCore
import SocketValues

/// Callbacks: envelopes leave the mailboxes on their queues, reactions run inside.
extension SimulatedCase {
  /// Delivers the lane's envelopes one by one until there is none for now; runs on the lane's queue. False if a
  /// callback holds, or somebody else comes in between two: the queue keeps the rest.
  func drain(_ lane: VirtualQueue.Lane, of subject: SimulatedSubject, isLent: Bool = false) -> Bool {
    var run = laneRun(lane, of: subject, isLent: isLent)
    return drain(&run)
  }

  private func laneRun(_ lane: VirtualQueue.Lane, of subject: SimulatedSubject, isLent: Bool = false) -> LaneRun {
    let isOnSocketQueue = subject.socketQueue != nil && currentQueue === subject.socketQueue
    return LaneRun(
      subject: subject, draining: .init(lane: lane, isOnSocketQueue: isOnSocketQueue, isLent: isLent), isLent: isLent)
  }

  func drain(_ run: inout LaneRun) -> Bool {
    while let (event, delegate) = next(&run) {
      if let held = begin(event, to: delegate, of: run.subject, isInline: false) {
        keep(run, held)
        return false
      }
      // Somebody else may get the processor here.
      guard run.subject.schedules.chance(faults.interruptedDelivery) else { continue }
      keep(run, nil)
      if let queue = currentQueue {
        timeline.schedule(after: run.subject.schedules.pick(faults.turnLatency), .resumeQueue(queue.id))
      }
      return false
    }
    makeTurnFollow(run.subject)
    abandonIfUnused(run.subject)
    return true
  }

  private func keep(_ run: LaneRun, _ delivery: Delivery?) {
    currentQueue?.held = (run, delivery)
    guard delivery != nil, run.isLent else { return }
    // Before long the loop goes on without its thread, and looks after the socket.
    timeline.schedule(after: SimulatedHost.loanPatience, .overdue(subject: run.subject.index))
  }

  /// The loop's thread drains a lane, if its queue is free; otherwise the queue's own does.
  func drainOnLoop(_ lane: VirtualQueue.Lane, of subject: SimulatedSubject, on queue: VirtualQueue) {
    guard isFree(queue) else { return put(.lane(subject: subject.index, lane), on: queue) }
    occupy(queue) { drain(lane, of: subject, isLent: true) }
  }

  /// The next event and whom it goes to, after what the last callback has put off.
  private func next(_ run: inout LaneRun) -> (event: SocketEvent, delegate: SimulatedDelegate)? {
    let (subject, engine) = (run.subject, run.subject.engine)
    let isFree = subject.performDepth == 0
    subject.isThreadAway = false
    subject.isLaneLent = run.isLent
    if let told = callbackReturned(&run, isFree: isFree) { return told }
    settle(subject)
    let envelope = engine.next(&run.draining, isFree: isFree)
    settle(subject)
    guard let envelope else { return nil }
    let receiver = unsafeDowncast(envelope.delegate, to: SimulatedDelegate.self)
    run.receiver = receiver
    return (envelope.event, receiver)
  }

  /// What putting off has completed on the fast path.
  private func callbackReturned(_ run: inout LaneRun, isFree: Bool) -> (event: SocketEvent, SimulatedDelegate)? {
    let subject = run.subject
    let completion: SocketEngine.Completion?
    if let connection = subject.connection {
      var transport = LinkTransport(link: connection.link, side: connection.side)
      completion = subject.engine.callbackReturned(
        &run.draining, isFree: isFree, delegateQueue: subject.delegateQueue, &transport, now: now)
    } else {
      var transport = ClosedTransport()
      completion = subject.engine.callbackReturned(
        &run.draining, isFree: isFree, delegateQueue: subject.delegateQueue, &transport, now: now)
    }
    guard let completion, let receiver = run.receiver else { return nil }
    return (event(of: completion), receiver)
  }

  private func event(of completion: SocketEngine.Completion) -> SocketEvent {
    switch completion {
    case .read(let bytes, let tag): .didRead(ByteBlock(copying: bytes), tag: tag, destination: nil)
    case .wrote(let tag): .didWrite(tag: tag)
    }
  }

  /// On the delegate queue, with readiness: one read or write without a pass, and what follows it. False: a pass must
  /// follow, the readiness has been noted. nil: the callback holds.
  func serveOnFastPath(_ subject: SimulatedSubject, with hints: Readiness) -> Bool? {
    let isWorthIt = subject.engine.mayServeOnFastPath(with: hints)
    subject.engine.note(hints)
    guard isWorthIt, let connection = subject.connection, let queue = subject.delegateQueue,
      let delegate = subject.delegate
    else { return false }
    var transport = LinkTransport(link: connection.link, side: connection.side)
    guard
      let served = subject.engine.serveOnFastPath(&transport, on: queue, scratch: scratch)
    else { return false }
    var run = LaneRun(subject: subject, draining: served.draining, isLent: true, receiver: delegate)
    if let held = begin(event(of: served.completion), to: delegate, of: subject, isInline: false) {
      keep(run, held)
      return nil
    }
    return drain(&run) ? true : nil
  }

  /// Everything that waits, ending with didDisconnect, before the call returns: inline on the delegate queue, otherwise
  /// by a synchronous hop. Inside `perform` and on the socket queue nothing is done, because the hop could wait for its
  /// caller. False if it does not return.
  func deliverBeforeReturning(_ subject: SimulatedSubject) -> Bool {
    let lanes = subject.engine.takeWaitingLanes()
    guard subject.performDepth == 0 else { return true }
    let isOnSocketQueue = subject.socketQueue != nil && currentQueue === subject.socketQueue
    for (lane, queue) in lanes {
      let queue = unsafeDowncast(queue, to: VirtualQueue.self)
      if queue === currentQueue {
        drainInline(lane, of: subject)
      } else if !isOnSocketQueue {
        guard hop(to: queue, { drainInline(lane, of: subject) }) else { return false }
      }
    }
    return true
  }

  private func drainInline(_ lane: VirtualQueue.Lane, of subject: SimulatedSubject) {
    var run = laneRun(lane, of: subject)
    while let (event, delegate) = next(&run) { _ = begin(event, to: delegate, of: subject, isInline: true) }
  }

  // MARK: One event

  /// Calls the delegate. nil: the callback has returned; otherwise it holds and goes on later.
  private func begin(
    _ event: SocketEvent, to delegate: SimulatedDelegate, of subject: SimulatedSubject, isInline: Bool
  ) -> Delivery? {
    var stage = Delivery.Stage.callback
    fillBuffer(for: event)
    let callback: Callback
    switch event {
    case .didConnect(let address):
      callback = .didConnect(host: SimulatedHost.text(of: address), port: address.port)
    case .didConnectToPath(let path): callback = .didConnectToURL(path: path)
    case .didAccept(let handle):
      guard let connection = handle as? AcceptedLink else { return nil }
      stage = .askingQueue(connection)
      callback = .newSocketQueue
    case .didRead(let block, let tag, _):
      callback = .didRead(bytes: block.array, tag: tag)
    case .didReadPartial(let count, let tag, _): callback = .didReadPartial(count: count, tag: tag)
    case .didWrite(let tag): callback = .didWrite(tag: tag)
    case .didWritePartial(let count, let tag): callback = .didWritePartial(count: count, tag: tag)
    case .shouldTimeoutRead(let question, let tag, let elapsed, let bytesDone):
      stage = .question(question)
      callback = .shouldTimeoutRead(tag: tag, elapsed: elapsed, bytesDone: bytesDone)
    case .shouldTimeoutWrite(let question, let tag, let elapsed, let bytesDone):
      stage = .question(question)
      callback = .shouldTimeoutWrite(tag: tag, elapsed: elapsed, bytesDone: bytesDone)
    case .didCloseRead: callback = .didCloseRead
    case .didSecure: callback = .didSecure
    case .didReceiveTrust(let question, _):
      subject.trustQuestions.append(question)
      callback = .didReceiveTrust
    // Only of sockets that announce their ends.
    case .willDisconnect: return nil
    case .didDisconnect(let reason): callback = .didDisconnect(reason.map(SubjectError.init))
    }
    let delivery = Delivery(
      subject: subject, delegate: delegate, stage: stage, steps: announce(callback, of: subject, to: delegate))
    return proceed(delivery, isInline: isInline)
  }

  /// Records the callback; the steps that run inside it, if any do.
  private func announce(
    _ callback: Callback, of subject: SimulatedSubject, to delegate: SimulatedDelegate
  ) -> LaneCursor<LocatedStep>? {
    let delivered = DeliveredCallback(socket: subject.name, delegate: delegate.name, callback: callback)
    emit(.callback(delivered))
    guard hasReactions else { return nil }
    let steps = setup.reactions.steps(for: delivered)
    return steps.isEmpty ? nil : LaneCursor(steps)
  }

  /// Goes on with a callback until it returns (nil) or holds. `isInline`: it must return, so holding passes the time
  /// here, without the runner.
  func proceed(_ delivery: Delivery, isInline: Bool) -> Delivery? {
    var delivery = delivery
    let outer = callbackOf
    defer { callbackOf = outer }
    while true {
      callbackOf = delivery.subject
      while let step = delivery.steps?.next() {
        guard let hold = react(step, &delivery) else { continue }
        let duration = max(0, hold.clampedNanoseconds)
        guard isInline else {
          if let queue = currentQueue { timeline.schedule(after: duration, .resumeQueue(queue.id)) }
          return delivery
        }
        let (end, overflow) = timeline.now.addingReportingOverflow(duration)
        pass(to: overflow ? .max : end)
      }
      let subject = delivery.subject
      switch delivery.stage {
      case .callback: return nil
      case .question(let question):
        answer(.timeout(question, extension: delivery.answer), of: subject)
        return nil
      case .askingQueue(let connection):
        let child = makeChild(for: connection, of: subject, delegate: delivery.delegate)
        delivery.stage = .accepting(child: child.index)
        delivery.steps = announce(.didAccept(child: child.name), of: subject, to: delivery.delegate)
      case .accepting(let child):
        uncork(subjects[child])
        return nil
      }
    }
  }

  /// The delegate's answer to a question.
  func answer(_ answer: SocketEngine.Answer, of subject: SimulatedSubject) {
    guard subject.performDepth == 0 else { return subject.engine.keep(answer, at: now) }
    call(subject) { engine in
      if answer.enforcesTimeout { sendBeforeEnd(subject) }
      engine.answer(answer, at: now)
    }
  }

  /// Carries out one step of a reaction; returns how long it holds, if it does.
  private func react(_ step: LocatedStep, _ delivery: inout Delivery) -> Duration? {
    switch step.step {
    case .command(let command, let socket, let refusal):
      let result = perform(command, on: socket)
      emit(.command(command, socket: socket, result: result, refusal: refusal), position: step.position)
    case .check(let checks, let socket):
      for check in checks {
        let actual = read(check.property, name: check.name, of: socket)
        emit(.checked(check, socket: socket, actual: actual), position: check.position)
      }
    case .reach(let point): emit(.point(point), position: step.position)
    case .repeated(let times, let steps): delivery.steps?.enter(steps, times: times)
    case .hold(let duration), .wait(let duration): return duration
    case .answer(let timeout): delivery.answer = timeout.seconds
    case .decide: emit(.note("GCDAsyncSocket does not ask: the step was passed over."), position: step.position)
    case .after: emit(.note("A reaction can't wait for a moment: the step was passed over."), position: step.position)
    }
    return nil
  }

  /// Puts what the event is about into the caller's buffer, which grows if it must.
  func fillBuffer(for event: SocketEvent) {
    switch event {
    case .didRead(let block, _, let place as BufferPlace): fill(place, at: place.offset, with: block)
    case .didReadPartial(_, _, let shown?):
      if let place = shown.destination as? BufferPlace {
        fill(place, at: place.offset + shown.offset, with: shown.bytes)
      }
    default: break
    }
  }

  private func fill(_ place: BufferPlace, at offset: Int, with block: ByteBlock) {
    let missing = offset + block.count - buffers[place.buffer].bytes.count
    if missing > 0 { buffers[place.buffer].bytes.append(contentsOf: repeatElement(0, count: missing)) }
    buffers[place.buffer].bytes.replaceSubrange(offset..<offset + block.count, with: block.bytes)
  }
}
