import ScenarioModel
import ScenarioRunner
import ScriptedPeer
import SocketCore
import SocketValues

/// Callbacks: envelopes leave the mailboxes on their queues, reactions run inside.
extension SimulatedCase {
  /// Delivers the envelopes of the block's lane one by one until there is none for now; runs on the lane's queue. False
  /// if a callback holds, or another thread enters between two: the queue keeps the rest.
  func drain(_ block: VirtualQueue.LaneBlock, of subject: SimulatedSubject, isLent: Bool = false) -> Bool {
    guard subject.engine.begins(block) else {
      abandonIfUnused(subject)
      return true
    }
    var run = laneRun(block.lane, of: subject, isLent: isLent)
    return drain(&run)
  }

  private func laneRun(
    _ lane: SocketEngine.Box.LaneID, of subject: SimulatedSubject, isLent: Bool = false
  ) -> LaneRun {
    let isOnSocketQueue = subject.socketQueue != nil && currentQueue === subject.socketQueue
    return LaneRun(
      subject: subject, draining: .init(lane: lane, isOnSocketQueue: isOnSocketQueue, isLent: isLent), isLent: isLent)
  }

  func drain(_ run: inout LaneRun) -> Bool {
    while let (event, delegate) = next(&run) {
      if let held = begin(event, to: delegate, in: run, isInline: false) {
        keep(run, held)
        return false
      }
      // Another thread may enter here.
      guard run.subject.schedules.chance(faults.interruptedDelivery) else { continue }
      keep(run, nil)
      if let queue = currentQueue {
        timeline.schedule(after: run.subject.schedules.pick(faults.turnLatency), .resumeQueue(queue.id))
      }
      return false
    }
    makeTurnFollow(run.subject)
    abandonIfUnused(run.subject)
    if let hop = run.hop { finishedHops.insert(hop) }
    return true
  }

  private func keep(_ run: LaneRun, _ delivery: Delivery?) {
    currentQueue?.held = (run, delivery)
    guard delivery != nil, run.isLent else { return }
    // Before long the loop goes on without its thread, and calls the socket again.
    timeline.schedule(after: SimulatedHost.loanLimit, .overdue(subject: run.subject.index))
  }

  /// The loop's thread runs the block, if its queue is free; otherwise the queue's own does.
  func drainOnLoop(_ block: VirtualQueue.LaneBlock, of subject: SimulatedSubject, on queue: VirtualQueue) {
    guard isFree(queue) else { return put(.lane(subject: subject.index, block), on: queue) }
    occupy(queue) { drain(block, of: subject, isLent: true) }
  }

  /// The next event and its delegate, after the work that the last callback has deferred.
  private func next(_ run: inout LaneRun) -> (event: SocketEvent, delegate: SimulatedDelegate)? {
    let (subject, engine) = (run.subject, run.subject.engine)
    let isFree = subject.performDepth == 0
    subject.isThreadAway = false
    endBlockInTime(&run)
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

  /// Ends a block that has run for long, or on a slow processor, before it serves the socket further.
  private func endBlockInTime(_ run: inout LaneRun) {
    guard let began = run.began else { return run.began = timeline.now }
    guard began < .max,
      timeline.now - began >= SocketEngine.longestBlock || run.subject.schedules.chance(faults.longBlocks),
      run.subject.engine.endBlock(of: run.draining, isConcurrent: { _ in false })
    else { return }
    run.began = .max
  }

  /// The completion that deferred work has made on the fast path.
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

  func event(of completion: SocketEngine.Completion) -> SocketEvent {
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
    if let held = begin(event(of: served.completion), to: delegate, in: run, isInline: false) {
      keep(run, held)
      return nil
    }
    return drain(&run) ? true : nil
  }

  /// Everything that waits, ending with didDisconnect, before the call returns: inline on the delegate queue, otherwise
  /// by a synchronous hop. Inside `perform` and on the socket queue nothing is done, because the hop could wait for its
  /// caller. False if it does not return.
  func deliverBeforeReturning(_ subject: SimulatedSubject) -> Bool {
    guard subject.performDepth == 0 else { return true }
    let isOnSocketQueue = subject.socketQueue != nil && currentQueue === subject.socketQueue
    let outer = callbackStack.filter { $0.subject === subject }
    let callers = outer.compactMap(\.lane)
    // Inside of a callback, nobody waits for the mere return of another one, and whoever holds a queue waits for none
    // that another one holds who delivers, too (INV-12).
    let held = outer.compactMap(\.queue) + [currentQueue].compactMap(\.self)
    let shares = subject.engine.undelivered { !isOnSocketQueue || $0 === currentQueue }
      .filter { share in
        guard !held.isEmpty else { return true }
        guard share.isWaiting || outer.isEmpty else { return false }
        return share.queue === currentQueue || !(held + heldQueues).contains { $0 === share.queue }
      }
    let heldBefore = heldQueues.count
    // Of one who delivers inline as well: what passes time inside of that can't wait here for who is below it.
    heldQueues += held
    defer { heldQueues.removeSubrange(heldBefore...) }
    for share in shares {
      let queue = unsafeDowncast(share.queue, to: VirtualQueue.self)
      if queue === currentQueue {
        deliverInline(share, of: subject, callers)
      } else {
        guard hop(to: queue, toDeliver: share, of: subject, callers) else { return false }
      }
    }
    if outer.isEmpty { abandonIfUnused(subject) }
    return true
  }

  private func deliverInline(
    _ share: SocketEngine.Box.Share, of subject: SimulatedSubject, _ callers: [SocketEngine.Box.LaneID]
  ) {
    var run = laneRun(share.lane, of: subject)
    guard subject.engine.take(&run.draining, upTo: share.end, inside: callers) else { return }
    while let (event, delegate) = next(&run) { _ = begin(event, to: delegate, in: run, isInline: true) }
  }

  /// Passes time until the queue, behind everything that is on it, has delivered the share. False if that would take
  /// for ever.
  private func hop(
    to queue: VirtualQueue, toDeliver share: SocketEngine.Box.Share, of subject: SimulatedSubject,
    _ callers: [SocketEngine.Box.LaneID]
  ) -> Bool {
    hopCount += 1
    let hop = hopCount
    let limit = timeline.now.addingReportingOverflow(setup.scenario.limit.clampedNanoseconds).partialValue
    put(.share(subject: subject.index, share, hop: hop, callers: callers), on: queue)
    while finishedHops.remove(hop) == nil {
      guard let event = timeline.next(before: limit) else { return false }
      happen(event)
    }
    return true
  }

  /// The same, on the queue; false if a callback holds.
  func deliver(
    _ share: SocketEngine.Box.Share, of subject: SimulatedSubject, _ hop: Int, _ callers: [SocketEngine.Box.LaneID]
  ) -> Bool {
    var run = laneRun(share.lane, of: subject)
    run.hop = hop
    guard subject.engine.take(&run.draining, upTo: share.end, inside: callers) else {
      finishedHops.insert(hop)
      return true
    }
    return drain(&run)
  }

  // MARK: One event

  /// Calls the delegate. nil: the callback has returned; otherwise it holds and goes on later.
  private func begin(
    _ event: SocketEvent, to delegate: SimulatedDelegate, in run: LaneRun, isInline: Bool
  ) -> Delivery? {
    let subject = run.subject
    var stage = Delivery.Stage.callback
    fillBuffer(for: event)
    switch event {
    case .didAccept(let handle):
      guard let connection = handle as? AcceptedLink else { return nil }
      stage = .askingQueue(connection)
    case .shouldTimeoutRead(let question, _, _, _), .shouldTimeoutWrite(let question, _, _, _):
      stage = .question(question)
    case .didReceiveTrust(let question, _): subject.trustQuestions.append(question)
    default: break
    }
    var delivery = Delivery(
      subject: subject, delegate: delegate, stage: stage,
      steps: announce(callback(about: event), of: subject, to: delegate))
    delivery.lane = run.draining.lane
    return proceed(delivery, isInline: isInline)
  }

  /// The callback that reports the event; for an accepted client, the first of its questions.
  func callback(about event: SocketEvent) -> Callback {
    switch event {
    case .didConnect(let address): .didConnect(host: SimulatedHost.text(of: address), port: address.port)
    case .didConnectToPath(let path): .didConnectToURL(path: path)
    case .didAccept: .newSocketQueue
    case .didRead(let block, let tag, _): .didRead(bytes: block.array, tag: tag)
    case .didReadPartial(let count, let tag, _): .didReadPartial(count: count, tag: tag)
    case .didWrite(let tag): .didWrite(tag: tag)
    case .didWritePartial(let count, let tag): .didWritePartial(count: count, tag: tag)
    case .shouldTimeoutRead(_, let tag, let elapsed, let bytesDone):
      .shouldTimeoutRead(tag: tag, elapsed: elapsed, bytesDone: bytesDone)
    case .shouldTimeoutWrite(_, let tag, let elapsed, let bytesDone):
      .shouldTimeoutWrite(tag: tag, elapsed: elapsed, bytesDone: bytesDone)
    case .didCloseRead: .didCloseRead
    case .didSecure: .didSecure
    case .didReceiveTrust: .didReceiveTrust
    case .willDisconnect(let reason): .willDisconnect(SubjectError(reason))
    case .didDisconnect(let reason): .didDisconnect(reason.map(SubjectError.init))
    }
  }

  /// Records the callback; the steps that run inside it, if any do.
  func announce(
    _ callback: Callback, of subject: SimulatedSubject, to delegate: SimulatedDelegate
  ) -> LaneCursor<LocatedStep>? {
    let loop = subject.runLoop == nil ? nil : currentLoop
    let delivered = DeliveredCallback(
      socket: subject.name, delegate: delegate.name, callback: callback, runLoop: loop?.name, mode: loop?.mode,
      queue: subject.runLoop == nil ? currentQueue?.name ?? "" : nil)
    emit(.callback(delivered))
    guard hasReactions else { return nil }
    let steps = setup.reactions.steps(for: delivered)
    return steps.isEmpty ? nil : LaneCursor(steps)
  }

  /// Goes on with a callback until it returns (nil) or holds. `isInline`: it must return, so holding passes the time
  /// here, without the runner.
  func proceed(_ delivery: Delivery, isInline: Bool) -> Delivery? {
    var delivery = delivery
    guard !finish(&delivery, isInline: isInline) else { return nil }
    if let queue = currentQueue, let hold = delivery.hold { timeline.schedule(at: hold.end, .resumeQueue(queue.id)) }
    return delivery
  }

  /// The same; false: it holds.
  func finish(_ delivery: inout Delivery, isInline: Bool) -> Bool {
    callbackStack.append((delivery.subject, delivery.lane, currentQueue))
    defer { callbackStack.removeLast() }
    while true {
      while let step = delivery.steps?.next() {
        guard let pause = react(step, &delivery) else { continue }
        let (sum, overflow) = timeline.now.addingReportingOverflow(max(0, pause.duration.clampedNanoseconds))
        let end = overflow ? .max : sum
        guard isInline else {
          delivery.hold = (end, pause.mode)
          return false
        }
        hold(until: end, runningIn: pause.mode)
      }
      let subject = delivery.subject
      switch delivery.stage {
      case .callback: return true
      case .question(let question):
        answer(.timeout(question, extension: delivery.answer), of: subject)
        return true
      case .askingQueue(let connection):
        guard !subject.notifiesDisconnectBeforeReturning || Delivery.Life(subject) == delivery.life else {
          closeUnclaimed(connection)
          return true
        }
        let child = makeChild(for: connection, of: subject, delegate: delivery.delegate)
        delivery.stage = .accepting(child: child.index)
        delivery.steps = announce(.didAccept(child: child.name), of: subject, to: delivery.delegate)
      case .accepting(let child):
        activate(subjects[child])
        return true
      case .handingOver, .choosingLoop, .askingChild: guard asksAboutChild(&delivery) else { return true }
      }
    }
  }

  /// The delegate's answer to a question.
  func answer(_ answer: SocketEngine.Answer, of subject: SimulatedSubject) {
    guard subject.performDepth == 0 else { return subject.engine.keep(answer, at: now) }
    call(subject) { engine in
      if engine.enforcesTimeout(answer) { exchangeBeforeEnd(subject) }
      engine.answer(answer, at: now)
    }
  }

  /// Carries out one step of a reaction; returns how long it holds, if it does, and the mode of a nested run.
  private func react(_ step: LocatedStep, _ delivery: inout Delivery) -> (duration: Duration, mode: String?)? {
    switch step.step {
    case .command(let command, let socket, let refusal):
      if let run = nestedRun(command, on: socket) {
        emit(.command(command, socket: socket, result: .done, refusal: refusal), position: step.position)
        return (run.duration, run.mode)
      }
      let result = perform(command, on: socket)
      emit(.command(command, socket: socket, result: result, refusal: refusal), position: step.position)
    case .check(let checks, let socket):
      for check in checks {
        let actual = read(check.property, name: check.name, of: socket)
        emit(.checked(check, socket: socket, actual: actual), position: check.position)
      }
    case .reach(let point): emit(.point(point), position: step.position)
    case .repeated(let times, let steps): delivery.steps?.enter(steps, times: times)
    case .hold(let duration), .wait(let duration): return (duration, nil)
    case .answer(let timeout): delivery.answer = timeout.seconds
    case .decide(.connect(let isWanted)): delivery.mayConnect = isWanted
    case .decide(.runLoop(let name)): delivery.chosenLoop = name
    case .network: break
    case .after: emit(.note("A reaction can't wait for a moment: the step was passed over."), position: step.position)
    }
    return nil
  }

  /// Copies the bytes of the event into the caller's buffer, which grows if it must.
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
