import ScenarioModel
import ScenarioRunner
import ScriptedPeer
import SocketCore

/// Callbacks: letters leave the mailboxes on their queues, reactions run inside.
extension SimulatedCase {
  /// Delivers the lane's letters one by one until there is none for now; runs on the lane's queue. False if a callback
  /// holds: its queue keeps it.
  func drain(_ lane: VirtualQueue.Lane, of subject: SimulatedSubject) -> Bool {
    while let letter = nextLetter(in: lane, of: subject) {
      guard let held = begin(letter, lane, of: subject, isInline: false) else { continue }
      if let queue = currentQueue { queues[queue].held = held }
      return false
    }
    abandonIfUnused(subject)
    return true
  }

  private func nextLetter(
    in lane: VirtualQueue.Lane, of subject: SimulatedSubject
  ) -> Mailbox<Int, Int, SocketEvent>.Letter? {
    let (letter, ready) = subject.mailbox.next(in: lane)
    for entry in ready { schedule(entry.lane, on: entry.queue, of: subject) }
    return letter
  }

  /// Everything that waits, ending with didDisconnect, before the call returns: inline on the delegate queue, otherwise
  /// by a synchronous hop. Inside `perform` and on the socket queue nothing is done, because the hop could wait for its
  /// caller. False if it does not return.
  func deliverBeforeReturning(_ subject: SimulatedSubject) -> Bool {
    guard subject.performDepth == 0 else { return true }
    let isOnSocketQueue = subject.socketQueue != nil && currentQueue == subject.socketQueue
    for (lane, queue) in subject.mailbox.waitingLanes {
      if queue == currentQueue {
        drainInline(lane, of: subject)
      } else if !isOnSocketQueue {
        guard hop(to: queue, { drainInline(lane, of: subject) }) else { return false }
      }
    }
    return true
  }

  private func drainInline(_ lane: VirtualQueue.Lane, of subject: SimulatedSubject) {
    while let letter = nextLetter(in: lane, of: subject) {
      _ = begin(letter, lane, of: subject, isInline: true)
    }
  }

  // MARK: One letter

  /// Calls the delegate. nil: the callback has returned; otherwise it holds and goes on later.
  private func begin(
    _ letter: Mailbox<Int, Int, SocketEvent>.Letter, _ lane: VirtualQueue.Lane, of subject: SimulatedSubject,
    isInline: Bool
  ) -> Delivery? {
    var stage = Delivery.Stage.callback
    fillBuffer(for: letter.event)
    let callback: Callback
    switch letter.event {
    case .didConnect(let address):
      callback = .didConnect(host: SimulatedHost.text(of: address), port: address.port)
    case .didConnectToPath(let path): callback = .didConnectToURL(path: path)
    case .didAccept(let handle):
      guard let connection = handle as? AcceptedConnection else { return nil }
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
    case .didDisconnect(let reason): callback = .didDisconnect(reason.map(SubjectError.init))
    }
    let delivery = Delivery(
      subject: subject.index, delegate: letter.delegate, lane: lane, stage: stage,
      steps: announce(callback, of: subject, to: letter.delegate))
    return proceed(delivery, isInline: isInline)
  }

  /// Records the callback; the steps that run inside it, if any do.
  private func announce(
    _ callback: Callback, of subject: SimulatedSubject, to delegate: Int
  ) -> LaneCursor<LocatedStep>? {
    let delivered = DeliveredCallback(socket: subject.name, delegate: delegates[delegate], callback: callback)
    emit(.callback(delivered))
    guard hasReactions else { return nil }
    let steps = setup.reactions.steps(for: delivered)
    return steps.isEmpty ? nil : LaneCursor(steps)
  }

  /// Goes on with a callback until it returns (nil) or holds. `isInline`: it must return, so holding passes the time
  /// here, without the runner.
  func proceed(_ delivery: Delivery, isInline: Bool) -> Delivery? {
    var delivery = delivery
    while true {
      while let step = delivery.steps?.next() {
        guard let hold = react(step, &delivery) else { continue }
        let duration = max(0, hold.clampedNanoseconds)
        guard isInline else {
          if let queue = currentQueue { timeline.schedule(after: duration, .resumeQueue(queue)) }
          return delivery
        }
        let (end, overflow) = timeline.now.addingReportingOverflow(duration)
        pass(to: overflow ? .max : end)
      }
      let subject = subjects[delivery.subject]
      switch delivery.stage {
      case .callback: return nil
      case .question(let question):
        subject.machine.answer(question, extension: delivery.answer, now: now)
        pass(subject)
        settle(subject)
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
